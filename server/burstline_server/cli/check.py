"""``burstline check``: cost every access of the files and folders named."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from burstline_server.answers.build import file_report, tool_name
from burstline_server.answers.report import Report
from burstline_server.assess import Assessment, Assessor
from burstline_server.cli.formats import FORMATS
from burstline_server.config.layers import FILE_NAME, Layer, Problem, find_file, read_file
from burstline_server.rewrites.catalogue import Fix, fixes_of
from burstline_server.rules.catalogue import findings_of

SUFFIXES = {".cl", ".ocl", ".clh"}
MAX_FILE_BYTES = 32_000_000


class UnusableInputError(Exception):
    """The command line or a file named on it cannot be used; the message says what to do."""


def configure(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    add = parser.add_argument
    add("paths", nargs="+", metavar="FILE", help="kernel files, or folders of them")
    add("--board", help="a board's name or alias (see: burstline boards)")
    add("--device-family", help='in place of the board\'s, for example "Arria 10"')
    add("--aoc-version", help="in place of the board's, for example 17.1")
    add("-D", dest="defines", action="append", default=[], metavar="NAME[=VALUE]", help="define a macro")
    add("-I", dest="include_paths", action="append", default=[], metavar="DIR", help="folder of includes")
    add("--kernel", action="append", default=[], metavar="NAME", help="only this kernel")
    add("--global-size", metavar="X[,Y[,Z]]", help="work-items by dimension")
    add("--local-size", metavar="X[,Y[,Z]]", help="work-items of a group by dimension")
    add("--arg", action="append", default=[], metavar="NAME=VALUE", help="value of a scalar argument")
    add("--trip", action="append", default=[], metavar="LINE=N", help="trip count of the loop on a line")
    add("--fmax", type=float, metavar="MHZ", help="kernel clock")
    add("--bank", action="append", default=[], metavar="POINTER=N", help="bank of a pointer")
    add("--interleaving", choices=("on", "off"), help="whether banks are interleaved")
    add("--report", metavar="PATH", help="report of a real build, in place of the one beside the file; off for none")
    add("--mode", choices=("faithful", "calibrated"), help="the equations as printed, or corrected")
    add("--memory-part", choices=("m21", "wang"), help="whose memory the potentials rest on")
    add("--format", choices=tuple(FORMATS), default="text", help="how to print the answer")
    add("--advise", action="store_true", help="add what to do about each finding")
    add("--config", metavar="FILE", help="this burstline.toml in place of the nearest one")
    add("--fail-on", nargs="+", default=[], metavar="CODE", help="exit with 1 when one is found")


def run(arguments: argparse.Namespace) -> int:
    """Check the files; exit status 0, 1 with findings asked for by --fail-on, 2 for unusable input."""
    try:
        options = _options(arguments)
        files = list(_files(arguments.paths))
        told = list(_assessed(files, options, arguments))
    except UnusableInputError as error:
        sys.stderr.write(f"burstline: {error}\n")
        return 2
    found = [(a, findings_of(a)) for a, _ in told]
    _tell_problems([a for a, _ in told])
    if arguments.format == "json":
        reports = [file_report(a, findings, fixes) for (a, findings), (_, fixes) in zip(found, told, strict=True)]
        report = Report(tool=tool_name(), files=reports)
        sys.stdout.write(report.to_json() + "\n")
    else:
        own = {"fixes": [fixes for _, fixes in told]} if arguments.format == "text" else {}
        sys.stdout.write(FORMATS[arguments.format](found, advise=arguments.advise, **own))
    codes = {f.code for _, findings in found for f in findings}
    return 1 if codes & {c.upper() for c in arguments.fail_on} else 0


def _options(arguments: argparse.Namespace) -> Layer:
    """The options as the strongest layer of settings."""
    keys: dict[str, Any] = {
        "board": arguments.board,
        "device_family": arguments.device_family,
        "aoc_version": arguments.aoc_version,
        "f_max_mhz": arguments.fmax,
        "mode": arguments.mode,
        "report": arguments.report,
        "memory_part": arguments.memory_part,
        "global_size": arguments.global_size,
        "local_size": arguments.local_size,
        "interleaving": None if arguments.interleaving is None else arguments.interleaving == "on",
        "defines": dict(_pair(d, "-D", default="1") for d in arguments.defines),
        "arguments": dict(_pair(a, "--arg") for a in arguments.arg),
        "trips": dict(_pair(t, "--trip") for t in arguments.trip),
        "banks": dict(_pair(b, "--bank") for b in arguments.bank),
    }
    if arguments.include_paths:
        keys["include_paths"] = list(arguments.include_paths)
    given = {k: v for k, v in keys.items() if v is not None and v != {}}
    return Layer("option", given)


def _pair(text: str, option: str, default: str | None = None) -> tuple[str, str]:
    name, sign, value = text.strip().partition("=")
    if not name or (not sign and default is None):
        raise UnusableInputError(f"{option} {text}: write it as {option} NAME=VALUE")
    return name.strip(), value.strip() if sign else default or ""


def _files(paths: Sequence[str]) -> Iterator[Path]:
    for name in paths:
        path = Path(name)
        if path.is_dir():
            inside = sorted(p for p in path.rglob("*") if p.suffix in SUFFIXES and p.is_file())
            if not inside:
                raise UnusableInputError(f"{name}: no {', '.join(sorted(SUFFIXES))} file in this folder")
            yield from inside
        elif path.is_file():
            yield path
        else:
            raise UnusableInputError(f"{name}: no such file or folder")


def _assessed(
    files: Sequence[Path], options: Layer, arguments: argparse.Namespace
) -> Iterator[tuple[Assessment, list[Fix]]]:
    """Each file with the fixes that pay, where they are asked for."""
    assessor = Assessor()
    assessor.workspace = sorted({workspace_of(path.resolve()) for path in files})
    known: set[str] = set()
    for path in files:
        try:
            if path.stat().st_size > MAX_FILE_BYTES:
                raise UnusableInputError(f"{path}: larger than {MAX_FILE_BYTES} bytes")
            text = path.read_bytes().decode("utf-8-sig", "replace")
        except OSError as error:
            raise UnusableInputError(f"{path}: cannot be read ({error.strerror})") from error
        layers, problems = _layers(path, arguments.config)
        assessment = assessor.assess(text, str(path), [*layers, options])
        _refuse_bad_options(assessment.problems)
        known |= {k.facts.name for k in assessment.kernels}
        if arguments.kernel:
            chosen = tuple(k for k in assessment.kernels if k.facts.name in arguments.kernel)
            assessment = assessment.with_kernels(chosen)
        wanted = arguments.format == "json" or (arguments.format == "text" and arguments.advise)
        fixes = fixes_of(assessor, assessment, [*layers, options]) if wanted else []
        yield assessment.with_problems((*problems, *assessment.problems)), fixes
    missing = [k for k in arguments.kernel if k not in known]
    if missing:
        raise UnusableInputError(f"no kernel is called {missing[0]!r}; there are: {', '.join(sorted(known)) or 'none'}")


def workspace_of(path: Path) -> Path:
    """What a file named on the command line may include from: its repository, else the folder above its own."""
    for folder in path.parents:
        if (folder / ".git").exists() or (folder / FILE_NAME).is_file():
            return folder
    return path.parent.parent


def _layers(path: Path, config: str | None) -> tuple[list[Layer], tuple[Problem, ...]]:
    if config is not None and not Path(config).is_file():
        raise UnusableInputError(f"--config {config}: no such file")
    file = Path(config) if config else find_file(path.resolve())
    if file is None:
        return [], ()
    layer, problems = read_file(file)
    return [layer], problems


def _refuse_bad_options(problems: Sequence[Problem]) -> None:
    """A wrong option is an error; a wrong key in a file or comment is only told."""
    bad = [p for p in problems if p.where == "option"]
    if bad:
        raise UnusableInputError(bad[0].message)


def _tell_problems(assessments: Sequence[Assessment]) -> None:
    told: set[str] = set()
    for assessment in assessments:
        for problem in assessment.problems:
            place = f"{problem.path}:{problem.line}: " if problem.line else f"{problem.path}: " if problem.path else ""
            text = f"burstline: {place}{problem.message}\n"
            if text not in told:
                told.add(text)
                sys.stderr.write(text)
