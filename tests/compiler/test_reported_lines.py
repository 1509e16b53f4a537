"""The line that a report names for an access, by compiler generation; the place in the text stays the access's own."""

import pytest

from burstline_server.presentation.report_build import file_report
from tests.assessing import assess

SPREAD = """\
__kernel void spread(__global const float *restrict x, __global float *restrict y,
                     __global const int *restrict at)
{
    const int i = get_global_id(0);
    y[i] = x[4 * i] +
           x[4 * i + 2] +
           fabs(x[7 * i
                  + 3]) +
           x[9 * i];
    float first = x[11 * i],
          second = x[13 * i
                     + 5];
    for (int k = 0;
         k < at[i];
         k++)
        y[k] = first * second;
    y[8 * i] = x[at[7 +
        get_local_id(0)]];
}
"""
OWN = {
    "4 * i": 5, "4 * i + 2": 6, "7 * i + 3": 7, "9 * i": 9, "11 * i": 10, "13 * i + 5": 11, "i": 14,
    "7 + get_local_id(0)": 17, "at[7 + get_local_id(0)]": 17,
}  # fmt: skip
OF_STATEMENTS = {
    **OWN, "4 * i + 2": 5, "7 * i + 3": 7, "9 * i": 7, "11 * i": 12, "13 * i + 5": 12, "i": 13,
    "7 + get_local_id(0)": 18, "at[7 + get_local_id(0)]": 18,
}  # fmt: skip


@pytest.mark.parametrize(("version", "expected"), [("16.1", OF_STATEMENTS), ("17.1", OF_STATEMENTS), ("18.1", OWN)])
def test_loads_are_on_the_line_that_the_report_names(version: str, expected: dict[str, int]) -> None:
    """Up to 17.1 that is the statement's (a declaration's last), or that of the call begun last in it."""
    (kernel,) = file_report(assess(SPREAD, device_family="Arria 10", aoc_version=version), ()).kernels
    assert {a.index: a.line for a in kernel.accesses if a.op == "load"} == expected


@pytest.mark.parametrize("join", [" \\\n", "\n"])
@pytest.mark.parametrize(
    ("family", "version", "lines"),
    [("Cyclone V", "18.0", [4, 4]), ("Stratix V", "19.1", [4, 4]), ("Arria 10", "21.1", [4, 5])],
)
def test_the_standard_edition_names_lines_of_statements(join: str, family: str, version: str, lines: list[int]) -> None:
    """A backslash at a line's end changes nothing."""
    text = (
        "__kernel void k(__global const float *restrict x, __global float *restrict y, int n)\n{\n"
        f"    int i = get_global_id(0);\n    y[i] = x[4 * i]{join} * x[7 * n * i];\n}}\n"
    )
    (kernel,) = file_report(assess(text, device_family=family, aoc_version=version), ()).kernels
    assert [a.line for a in kernel.accesses if a.op == "load"] == lines


def test_the_place_in_the_text_is_the_accesss_own() -> None:
    (kernel,) = assess(SPREAD, device_family="Arria 10", aoc_version="16.1").kernels
    places = {a.index: SPREAD[a.span.start : a.span.end] for a in kernel.facts.accesses if a.op == "load"}
    assert places["4 * i + 2"] == "x[4 * i + 2]"


def test_a_helper_leaves_the_line_of_its_call() -> None:
    """What a helper reads is on the helper's own lines; what follows the call on the call's."""
    text = """\
float twice(__global const float *x, int i)
{
    return 2.0f *
           x[i];
}
__kernel void calls(__global const float *restrict x, __global float *restrict y)
{
    y[0] =
        twice(x, 5) +
        x[6];
}
"""
    (kernel,) = file_report(assess(text, device_family="Arria 10", aoc_version="17.1"), ()).kernels
    assert {a.index: a.line for a in kernel.accesses if a.op == "load"} == {"i": 3, "6": 9}


def test_a_loop_inside_leaves_the_line_of_the_condition_around() -> None:
    text = """\
__kernel void nested(__global const int *restrict at, __global int *restrict y)
{
    int k = 0;
    for (int i = 0; i < at[0]; i++) {
        for (int j = 0; j < 5; j++)
            k += 3;
        y[i] = k;
    }
}
"""
    (kernel,) = file_report(assess(text, device_family="Arria 10", aoc_version="17.1"), ()).kernels
    assert {a.index: a.line for a in kernel.accesses if a.op == "load"} == {"0": 4}


@pytest.mark.parametrize("version", ["16.1", "19.4"])
def test_what_is_written_in_an_argument_is_on_the_line_of_the_macro(version: str) -> None:
    text = """\
#define SCALED(to, from, factor) (to) = (from) * (factor)
__kernel void scaled(__global const float *restrict x, __global float *restrict y)
{
    const int i = get_global_id(0);
    SCALED(y[i],
           x[i],
           x[i + 64]);
}
"""
    (kernel,) = file_report(assess(text, device_family="Arria 10", aoc_version=version), ()).kernels
    assert {a.line for a in kernel.accesses} == {5}


def test_what_an_assignment_stores_is_on_the_line_of_its_operator() -> None:
    """From 18.1 on; the load on the right begins on its own line."""
    text = """\
__kernel void apart(__global const float *restrict x, __global float *restrict y, int rows)
{
    const int i = get_global_id(0);
    y[i * rows +
      1] =
        x[i];
    y[i * rows
      + 3] += 1.0f;
}
"""
    (kernel,) = file_report(assess(text, device_family="Stratix 10", aoc_version="19.4"), ()).kernels
    assert [(a.op, a.line) for a in kernel.accesses] == [("load", 6), ("store", 5), ("load", 8), ("store", 8)]
