"""While a statement is typed, each state of the text has the answer that it has when it is opened as it is."""

from pathlib import Path

import pytest

from burstline_server.assessment.assessor import Assessment, Assessor
from burstline_server.diagnostics.catalogue import findings_of

FIRST = """#pragma OPENCL EXTENSION cl_intel_channels : enable
channel int way;
static int twice(int a) { return 2 * a; }

__kernel void writes(__global const int *restrict x, int n)
{
    for (int i = 0; i < n; i++) {
        int a = x[4 * i];
        write_channel_intel(way, twice(a));
    }
}

// burstline: n=1000
__kernel void reads(__global int *restrict y, int n)
{
    for (int i = 0; i < n; i++)
        y[i] = read_channel_intel(way);
}

__kernel void apart(__global int *restrict x, __global const int *restrict y)
{
    int g = get_global_id(0);
    if (y[g] > 3)
        x[g] = y[2 * g] + 1;
}
"""
PLACES = ["int a = x[4 * i];\n", "int g = get_global_id(0);\n", "static int twice(int a) { "]
TYPED = ["int b = 3 * g1", " + 2;", "\n // done", "\n x[g + 1] = 0;"]


def said(done: Assessment) -> object:
    """All that is said of a file."""
    kernels = [(k.facts, repr(k.estimate), repr(k.lsus)) for k in done.kernels]
    return kernels, repr(list(findings_of(done))), done.faults, done.withheld, done.problems


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("comment", ["", "// burstline: trip[7]=50 trip[23]=2\n"])
def test_each_typed_letter_has_the_answer_of_the_text(place: str, comment: str, tmp_path: Path) -> None:
    first = comment + FIRST
    at = first.index(place) + len(place)
    path = str(tmp_path / "typed.cl")
    followed, written = Assessor(), ""
    followed.assess(first, path, [])
    for letter in "".join(TYPED):
        written += letter
        text = first[:at] + written + first[at:]
        assert said(followed.assess(text, path, [])) == said(Assessor().assess(text, path, [])), written


@pytest.mark.parametrize("place", ["int a = x[4 * i];\n", "// of the part\n"])
def test_each_letter_typed_in_a_part_has_the_answer_of_the_text(place: str, tmp_path: Path) -> None:
    head, rest = FIRST.split("__kernel void reads")
    part = "// of the part\n__kernel void reads" + rest.replace("y[i] =", "int a = x[4 * i];\n y[i] = a +").replace(
        "*restrict y, int n", "*restrict y, __global int *restrict x, int n"
    )
    whole = head + '#include "part.cl"\n'
    (tmp_path / "whole.cl").write_text(whole)
    (tmp_path / "part.cl").write_text(part)
    path, at, written = str(tmp_path / "part.cl"), part.index(place) + len(place), ""
    followed = Assessor([tmp_path])
    followed.assess(part, path, [])
    for letter in "/* why */ " + "".join(TYPED):
        written += letter
        text = part[:at] + written + part[at:]
        assert said(followed.assess(text, path, [])) == said(Assessor([tmp_path]).assess(text, path, [])), written
