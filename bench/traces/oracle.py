"""Kernels compiled by clang and run in Oclgrind: what they really did to global memory."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.traces.launches import BUFFER_BYTES, Launch

HERE = Path(__file__).parent
HEADERS = ("/usr/lib/llvm-14/include", "/usr/include/oclgrind", "/usr/include/CL")
PASSES = (
    "cgscc(inline),globaldce,function(sroa,early-cse<memssa>,simplifycfg,instcombine,loop-mssa(loop-rotate,licm),"
    "loop-simplify,lcssa,loop(indvars),sroa,early-cse<memssa>,gvn,dse,instcombine,simplifycfg,instcombine,"
    "early-cse<memssa>,dse,adce)"
)
"""No unrolling and no vectorising, so that an access of the text stays one instruction."""
FLAGS = (
    "-inline-threshold=10000000", "-enable-pre=false", "-enable-load-pre=false", "-disable-licm-promotion",
)  # fmt: skip
"""What the vendor's compiler leaves in a loop stays there: a sum kept in memory is stored in each iteration."""
COMPILE_S, OPTIMISE_S = 15, 15
RUN_S, WAIT_S = 5, 60
"""The processor's seconds of a run, and those by the clock: other programs on the machine take no kernel away."""
MACRO_ROUNDS = 6
MACRO_VALUE = "16"
"""What an undefined name in capitals is given, on both sides."""
MOST_ERRORS = 50
_CHANNEL = re.compile(r"^(@\S+ = )external ((?:\w+ )*addrspace\(2\) constant .+?)(, align .*)?$", re.MULTILINE)
_UNDECLARED = re.compile(r"use of undeclared identifier '([A-Z_][A-Z0-9_]*)'")


class NoRunError(Exception):
    """Why a kernel could not be run; the first words say in which class."""


@dataclass(frozen=True)
class Trace:
    """One instruction's accesses of one buffer. `buffer` counts the pointer arguments from 1.

    `inner` and `between` are (distance in bytes, how often), the most frequent first: from one execution to the next of
    the same work-item, and between the first executions of neighbouring work-items. `even`: all of them have as many.
    """

    op: str
    buffer: int
    executions: int
    bytes: int
    items: int
    even: bool
    at: tuple[tuple[str, int, int], ...]
    inner: tuple[tuple[int, int], ...]
    between: tuple[tuple[int, int], ...]


def build_plugin(folder: Path) -> Path:
    """Compile the plugin into a folder."""
    out = folder / "traces.so"
    command = ["g++", "-O2", "-shared", "-fPIC", "-fno-rtti", "-std=c++17", *(f"-I{h}" for h in HEADERS)]
    # A driver that is loaded for OpenCL's functions alone keeps its own ones to itself.
    subprocess.run([*command, str(HERE / "plugin.cpp"), "-loclgrind", "-o", str(out)], check=True)
    return out


def compiled(
    path: Path, defines: Mapping[str, str], folders: Sequence[str], work: Path
) -> tuple[Path, dict[str, str]]:  # fmt: skip
    """A file's optimised code, and the macros that had to be given a value."""
    given: dict[str, str] = {}
    for standard in ("CL1.2", "CL2.0"):
        for _ in range(MACRO_ROUNDS):
            raw, errors = _clang(path, {**defines, **given}, folders, work, standard)
            if raw is not None:
                return _optimised(raw, work), given
            missing = set(_UNDECLARED.findall(errors)) - set(given)
            if not missing:
                break
            given.update(dict.fromkeys(sorted(missing), MACRO_VALUE))
    first = next((line for line in errors.splitlines() if "error:" in line), errors[:200])
    raise NoRunError(f"does not compile: {first.rpartition('error:')[2].strip()}")


def preprocessed(path: Path, defines: Mapping[str, str], folders: Sequence[str]) -> str:
    """A file's text as the compiler sees it, with where its lines come from."""
    command = [*_front_end(defines, folders, "CL1.2"), "-w", "-E", str(path)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=COMPILE_S, check=False)
    except subprocess.TimeoutExpired:
        return path.read_text("utf-8", "replace")
    return done.stdout + done.stderr


def _front_end(defines: Mapping[str, str], folders: Sequence[str], standard: str) -> list[str]:
    command = ["clang-14", "-x", "cl", f"-cl-std={standard}", "-target", "spir64-unknown-unknown"]
    command += ["-Xclang", "-fdeclare-opencl-builtins", "-Xclang", "-finclude-default-header"]
    command += ["-include", str(HERE / "vendor.h"), *(f"-D{k}={v}" for k, v in defines.items())]
    return [*command, *(f"-I{f}" for f in folders)]


def _clang(
    path: Path, defines: Mapping[str, str], folders: Sequence[str], work: Path, standard: str
) -> tuple[Path | None, str]:  # fmt: skip
    out = work / "raw.bc"
    command = _front_end(defines, folders, standard)
    command += ["-O2", "-Xclang", "-disable-llvm-passes", "-g", "-w", "-c", "-emit-llvm", "-ferror-limit=0"]
    command += ["-o", str(out), str(path)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=COMPILE_S, check=False)
    except subprocess.TimeoutExpired as error:
        raise NoRunError("does not compile: too slow") from error
    return (out if done.returncode == 0 else None), done.stderr


def _optimised(raw: Path, work: Path) -> Path:
    text, out = work / "code.ll", work / "code.bc"
    _tool(["opt-14", f"-passes={PASSES}", *FLAGS, "-S", str(raw), "-o", str(text)])
    text.write_text(_without_intrinsics(text.read_text()))
    _tool(["llvm-as-14", str(text), "-o", str(out)])
    return out


def _tool(command: Sequence[str]) -> None:
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, errors="replace", timeout=OPTIMISE_S, check=False
        )
    except subprocess.TimeoutExpired as error:
        raise NoRunError("does not compile: too slow") from error
    if done.returncode:
        raise NoRunError(f"does not compile: {done.stderr[:200]}")


def _without_intrinsics(text: str) -> str:
    """Code with the intrinsics that the simulator does not know as calls of OpenCL's own functions, or left out.

    Channels, which are constants that nobody defines, hold zeros.
    """
    text = _CHANNEL.sub(r"\1\2 zeroinitializer\3", text)
    text = re.sub(r"^ *(?:tail )?call void @llvm\.dbg\.label.*\n", "", text, flags=re.MULTILINE)
    declared: set[str] = set()

    def called(found: re.Match[str]) -> str:
        kind, bits, rest = found.groups()
        code = {"8": "c", "16": "s", "32": "i", "64": "l"}[bits]
        code = chr(ord(code) + (1 if code != "c" else 5)) if kind.startswith("u") else code
        name = f"_Z3{kind[-3:]}{code}{'' if kind == 'abs' else code}"
        one = f"i{bits}"
        declared.add(f"declare spir_func {one} @{name}({one}{'' if kind == 'abs' else f', {one}'})")
        return f"call spir_func {one} @{name}({rest if kind != 'abs' else rest.rpartition(',')[0]})"

    pattern = r"(?:tail )?call i\d+ @llvm\.(abs|[us]min|[us]max)\.i(8|16|32|64)\(([^)]*)\)"
    text = re.sub(pattern, called, text)
    missing = [d for d in sorted(declared) if d.split("@")[1].split("(")[0] + "(" not in _declarations(text)]
    return text + "".join(f"{d}\n" for d in missing)


def _declarations(text: str) -> str:
    return "\n".join(line for line in text.splitlines() if line.startswith(("declare", "define")))


ENDED = {124, 137, -signal.SIGXCPU, 128 + signal.SIGXCPU}
"""What comes back of a program that has run too long: ended by `timeout`, or at its limit of processor time."""


def run(code: Path, kernel: str, launch: Launch, plugin: Path, work: Path) -> list[Trace]:
    """Run a kernel; raises `NoRunError` when it does not end in time, fails, or leaves its buffers."""
    sim, out = work / "run.sim", work / "trace.json"
    out.unlink(missing_ok=True)
    sizes = [" ".join(map(str, (*s, 1, 1)[:3])) for s in (launch.global_size, launch.local_size)]
    sim.write_text("\n".join([str(code), kernel, *sizes, *launch.described]) + "\n")
    # The simulator may be a script that starts a program: `timeout` ends both. The processor's time is what counts.
    command = ["timeout", "--kill-after=1", str(WAIT_S), "prlimit", f"--cpu={RUN_S}:{RUN_S + 1}", "oclgrind-kernel"]
    command += ["--plugins", str(plugin), "--max-errors", str(MOST_ERRORS)]
    command += ["--num-threads", "1", "--global-mem-size", str(1 << 30), "--local-mem-size", str(1 << 22), str(sim)]
    done = subprocess.run(
        command, capture_output=True, text=True, errors="replace", check=False,
        env={**os.environ, "BURSTLINE_TRACE": str(out)},
    )  # fmt: skip
    if done.returncode in ENDED:
        raise NoRunError("does not end in time")
    if not out.is_file():
        lines = [line for line in done.stderr.splitlines() if line.strip()]
        raise NoRunError(f"does not run: {' '.join(lines[:2])[:160]}")
    found = [json.loads(line) for line in out.read_text().splitlines()]
    if not found or found[-1]["op"] != "end":
        raise NoRunError("does not run: no end")
    if found[-1]["errors"]:
        raise NoRunError("leaves its buffers")
    arguments = [one["buffer"] for one in found if one["op"] == "buffer" and one["bytes"] == BUFFER_BYTES]
    numbers = {buffer: number for number, buffer in enumerate(arguments, 1)}
    return [
        Trace(
            one["op"], numbers.get(one["buffer"], 0), one["executions"], one["bytes"], one["items"], one["even"],
            tuple((f, line, column) for f, line, column in one["at"]),
            tuple((by, n) for by, n in one["inner"]), tuple((by, n) for by, n in one["between"]),
        )
        for one in found
        if one["op"] in "lsa"
    ]  # fmt: skip
