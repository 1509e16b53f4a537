"""Edits that need the host: both texts run on the same data, laid out, filled and launched as the host would."""

from __future__ import annotations

import pytest

from burstline_server.interpreter.equality import Edited, equal
from burstline_server.interpreter.host_side import HostSide, Moved
from burstline_server.interpreter.verdicts import Different, Equal, NotExecuted, Verdict
from burstline_server.source.read import read_source

PAIR = "typedef struct { int a; int b; } pair;\n"
SUM = "__kernel void k(__global const int *restrict a, __global const int *restrict b, __global int *c, int n)"
RECORDS = HostSide(moved=(Moved("a", "p", to_field="a"), Moved("b", "p", to_field="b")))


def compared(before: str, after: str, host: HostSide) -> Verdict:
    """What is found of an edited text."""
    return equal(read_source(before, "k.cl"), "k", Edited(read_source(after, "k.cl"), ("k",), {}, host))


@pytest.mark.parametrize(("second", "found"), [("b", Equal), ("a", Different)])
def test_arrays_that_the_host_makes_an_array_of_structures(second: str, found: type[Verdict]) -> None:
    before = SUM + " { for (int i = 0; i < n; i++) c[i] = a[i] - b[i]; }"
    after = PAIR + (
        "__kernel void k(__global const pair *restrict p, __global int *c, int n)"
        f" {{ for (int i = 0; i < n; i++) c[i] = p[i].a - p[i].{second}; }}"
    )
    assert isinstance(compared(before, after, RECORDS), found)


def test_what_is_stored_to_a_field_is_found_in_the_structure() -> None:
    before = PAIR + "__kernel void k(__global pair *p, int n) { for (int i = 0; i < n; i++) p[i].b = p[i].a * 3; }"
    apart = "__kernel void k(__global int *p_a, __global int *p_b, int n) { for (int i = 0; i < n; i++) p_b[i] = "
    host = HostSide(moved=(Moved("p", "p_a", "a"), Moved("p", "p_b", "b")))
    assert isinstance(compared(before, apart + "p_a[i] * 3; }", host), Equal)
    wrong = compared(before, apart + "p_a[i] * 2; }", host)
    assert isinstance(wrong, Different)
    assert (wrong.how, wrong.buffer) == ("value", "p")


def test_a_lane_of_three_has_the_room_of_four() -> None:
    before = (
        "__kernel void k(__global float3 *p, __global float *c, int n) { for (int i = 0; i < n; i++) c[i] = p[i].z; }"
    )
    after = (
        "__kernel void k(__global float *p_z, __global float *c, int n) { for (int i = 0; i < n; i++) c[i] = p_z[i]; }"
    )
    assert isinstance(compared(before, after, HostSide(moved=(Moved("p", "p_z", "z"),))), Equal)


@pytest.mark.parametrize(("ahead", "found"), [(3, Equal), (2, Different)])
def test_data_that_begin_behind_padding(ahead: int, found: type[Verdict]) -> None:
    text = "__kernel void k(__global const int *a, __global int *c, int n)"
    text += " {{ for (int i = 0; i < n; i++) c[i] = a[i + {}]; }}"
    host = HostSide(moved=(Moved("a", "a", ahead=ahead),))
    assert isinstance(compared(text.format(1), text.format(4), host), found)


def test_a_task_gets_the_number_of_work_items() -> None:
    before = "__kernel void k(__global int *c) { c[get_global_id(0)] += (int)get_global_id(0); }"
    task = "__kernel void k(__global int *c, const int items) {{ for (int i = 0; i < items{}; i++) c[i] += i; }}"
    host = HostSide(sizes=("items",))
    assert isinstance(compared(before, task.format(""), host), Equal)
    assert isinstance(compared(before, task.format(" - 1"), host), Different)


def test_a_buffer_that_the_host_fills_with_zeros() -> None:
    before = "__kernel void k(__global const int *restrict a, __global int *restrict c, int n)"
    before += " { for (int i = 0; i < n; i++) if (a[i] > 3) c[i] = a[i]; }"
    after = before.replace("if (a[i] > 3) c[i] = a[i];", "c[i] = a[i] > 3 ? a[i] : 0;")
    assert isinstance(compared(before, after, HostSide(zeroed=("c",), longer=("c",))), Equal)
    assert isinstance(compared(before, after, HostSide(longer=("c",))), Different)


def test_buffers_that_are_asserted_to_be_apart_are_not_tried_as_one() -> None:
    text = "__kernel void k(__global int *a, __global int *c, int n) {{ {} }}"
    before = text.format("for (int i = 0; i < n; i++) c[0] += a[i];")
    after = text.format("int s = c[0]; for (int i = 0; i < n; i++) s += a[i]; if (n > 0) c[0] = s;")
    assert isinstance(compared(before, after, HostSide()), Different)
    assert isinstance(compared(before, after, HostSide(apart=True)), Equal)


def test_an_assertion_that_no_data_keep_is_refused() -> None:
    text = "__kernel void k(__global int *restrict a, __global const int *restrict at, int n) {{ {} }}"
    before = text.format("for (int i = 0; i < n; i++) a[at[i] & 7] += 1;")
    after = text.format(
        "int t[8]; for (int j = 0; j < 8; j++) t[j] = a[j];"
        " for (int i = 0; i < n; i++) a[at[i] & 7] = t[at[i] & 7] + {};"
    )
    by_data = HostSide(apart=True, by_data=True)
    assert isinstance(compared(before, after.replace("{}", "1"), by_data), Equal)
    assert isinstance(compared(before, after.replace("{}", "2"), by_data), Different)


def test_a_type_that_does_not_say_where_its_data_are_is_not_executed() -> None:
    before = SUM + " { c[0] = a[0] + b[0]; }"
    after = "__kernel void k(__global const long *restrict p, __global int *c, int n) { c[0] = (int)p[0]; }"
    assert isinstance(compared(before, after, HostSide(moved=(Moved("a", "p"), Moved("b", "p")))), NotExecuted)
