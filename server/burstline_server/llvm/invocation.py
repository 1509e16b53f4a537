"""clang and opt, run over one text: bounded in time, ended when they take longer."""

from __future__ import annotations

import logging
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from burstline_model.record import fixed
from burstline_server.llvm.tailored import tailored
from burstline_server.llvm.tools import Tools

_log = logging.getLogger(__name__)
PATIENCE_S = 3.0
"""How long both programs may take together."""
MOST_OUTPUT_BYTES = 24_000_000
"""Longest answer that is read."""
_HERE = Path(__file__).parent
_HEADERS = (_HERE.parent / "clang" / "opencl_c.h", _HERE / "vendor.h")
_CLANG = (
    "-x", "cl", "-cl-std=CL2.0", "-target", "spir64-unknown-unknown", "-cl-no-stdinc", "-nostdinc",
    "-Xclang", "-fdeclare-opencl-builtins", "-O2", "-Xclang", "-disable-llvm-passes", "-g",
    "-fno-discard-value-names", "-w", "-ferror-limit=0", "-S", "-emit-llvm", "-o", "-",
)  # fmt: skip
_PASSES = (
    "cgscc(inline),globaldce,function(sroa,early-cse<memssa>,simplifycfg,instcombine,loop-mssa(loop-rotate,licm),"
    "loop-simplify,lcssa,loop(indvars),%ssroa,early-cse<memssa>,gvn,dse,instcombine,"
    "simplifycfg<hoist-common-insts;sink-common-insts>,instcombine,early-cse<memssa>,dse,adce),"
    "function(loop-simplify,lcssa,print<loops>,print<scalar-evolution>)"
)
"""What a compiler for FPGAs does before it builds units: everything is inlined, dead, repeated and invariant accesses
are gone, and loops stay loops but those whose text asks to unroll them."""
_OPT = (
    "-inline-threshold=10000000", "-enable-pre=false", "-enable-load-pre=false", "-disable-licm-promotion",
    "-unroll-threshold=1", "-unroll-partial-threshold=0", "-pragma-unroll-threshold=2000000",
    "-unroll-allow-peeling=false", "-unroll-runtime=false", "-unroll-allow-remainder=false",
    "-unroll-max-iteration-count-to-analyze=0",
)  # fmt: skip
"""Loads keep their lines, and sums in memory are stored in each iteration."""


NoAnswer = Literal["no_programs", "no_question", "refused", "failed", "too_long", "too_slow", "not_started"]
"""Why LLVM says nothing of a text."""


class NoAnswerError(Exception):
    """Why there is no answer; `said` is what clang, opt or the system says of it."""

    def __init__(self, why: NoAnswer, said: str = "") -> None:
        super().__init__(why, said)
        self.why, self.said = why, said


@fixed
class Raw:
    """What opt prints: the code after its passes, and its analyses."""

    code: str
    analyses: str


def emitted(tools: Tools, text: bytes, until: float) -> str:
    """The code that clang emits for a text, made ready. Raises `NoAnswerError`."""
    headers = [word for header in _HEADERS for word in ("-include", str(header))]
    done = _run([tools.clang, *_CLANG, *headers, "-"], text, until)
    if done.returncode:
        raise NoAnswerError("refused", done.stderr.decode("utf-8", "replace"))
    return tailored(done.stdout.decode("utf-8", "replace"), tools.version)


def optimised(tools: Tools, code: str, until: float, *, unrolled: bool) -> Raw:
    """What the passes leave of some code. Raises `NoAnswerError`."""
    passes = _PASSES % ("loop-unroll," if unrolled else "")
    done = _run([tools.opt, f"-passes={passes}", *_OPT, "-S", "-o", "-", "-"], code.encode(), until)
    if done.returncode:
        raise NoAnswerError("failed", done.stderr[-300:].decode("utf-8", "replace"))
    if len(done.stdout) + len(done.stderr) > MOST_OUTPUT_BYTES:
        raise NoAnswerError("too_long")
    return Raw(done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace"))


def _run(command: Sequence[str], given: bytes, until: float) -> subprocess.CompletedProcess[bytes]:
    left = until - time.monotonic()
    if left <= 0:
        raise NoAnswerError("too_slow")
    try:
        return subprocess.run(  # noqa: S603 - programs that tools.py found, without a shell
            command, input=given, capture_output=True, timeout=left, check=False, cwd=_HERE,
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0) if sys.platform == "win32" else 0,
        )  # fmt: skip
    except subprocess.TimeoutExpired as error:
        raise NoAnswerError("too_slow") from error
    except OSError as error:
        raise NoAnswerError("not_started", f"{command[0]}: {error}") from error
