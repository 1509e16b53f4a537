"""From source text to facts: the access or loop at every label is read as the label says."""

from pathlib import Path

import pytest

from burstline_model.facts import Access, KernelFacts, Loop
from burstline_server.analysis.kernels import read_kernels
from burstline_server.source.read import read_source
from tests.fixtures import fixture_files, labels

FOLDER = Path(__file__).parent / "fixtures"


def describe(access: Access) -> str:
    """An access as fixtures write it: operation, space unless global, pointer, byte offset, then details."""
    space = "" if access.space == "global" else f"{access.space} "
    offset = "?" if access.offset is None else str(access.offset)
    guards = "".join(f" if {'loaded ' if g.loaded else ''}{g.text}" for g in access.guards)
    return f"{access.op} {space}{access.pointer} {offset}{guards}"


def describe_loop(loop: Loop) -> str:
    """A loop as fixtures write it."""
    unroll = "" if loop.unroll is None else " unroll" if loop.unroll == 0 else f" unroll {loop.unroll}"
    ivdep = "" if loop.ivdep is None else " ivdep" + "".join(f" {a}" for a in loop.ivdep)
    asked = (("ii", loop.initiation_interval), ("coalesce", loop.coalesce), ("concurrency", loop.max_concurrency))
    more = "".join(f" {word} {number}" for word, number in asked if number is not None)
    rest = f"{'' if loop.pipelined else ' not pipelined'}{' early' if loop.early_exit else ''}"
    return f"loop {loop.trip}{unroll}{ivdep}{more}{rest}"


def found_at(kernels: tuple[KernelFacts, ...], start: int, end: int) -> list[str]:
    """What the facts hold for exactly this byte range (loops: what starts there)."""
    accesses = [describe(a) for k in kernels for a in k.accesses if (a.span.start, a.span.end) == (start, end)]
    return accesses + [describe_loop(loop) for k in kernels for loop in k.loops if loop.span.start == start]


@pytest.mark.parametrize("path", fixture_files(FOLDER), ids=lambda p: p.stem)
def test_labels(path: Path) -> None:
    code = path.read_text("utf-8")
    kernels = read_kernels(read_source(code))
    lines = code.splitlines(keepends=True)
    expected = labels(code)
    assert expected
    wrong = []
    for label in expected:
        before = "".join(lines[: label.line - 1])
        line = lines[label.line - 1]
        start = len((before + line[: label.start]).encode())
        end = len((before + line[: label.end]).encode())
        found = found_at(kernels, start, end)
        if label.text not in found:
            wrong.append(f"{path.name}:{label.line} {label.text!r}, found {found}")
    assert wrong == []
