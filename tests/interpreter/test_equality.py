"""Two texts on the same trials: equal, different with the place, or not executed with the reason."""

from __future__ import annotations

import pytest

from burstline_server.interpreter.equality import Edited, equal
from burstline_server.interpreter.verdicts import Different, Equal, NotExecuted, Verdict
from burstline_server.source.read import read_source

PATIENT_S = 20.0
"""Of the processor: what ends an execution here is what the text does, on slow machines as well."""


def compared(before: str, after: str, kernels: tuple[str, ...] = ("k",)) -> Verdict:
    """What is found of an edited text."""
    edited = Edited(read_source(after, "k.cl"), kernels, {})
    return equal(read_source(before, "k.cl"), "k", edited, budget_s=PATIENT_S)


def body(text: str, arguments: str = "__global int *a, __global int *restrict c, int n") -> str:
    """A kernel with a body."""
    return f"__kernel void k({arguments}) {{ {text} }}"


SUM = body("int s = 0; for (int i = 0; i < n; i++) s += a[i]; c[0] = s;")


def test_the_same_sum_in_another_form_is_equal() -> None:
    found = compared(SUM, body("int s = 0; int i = 0; while (i < n) { s += *(a + i); ++i; } c[0] = s;"))
    assert isinstance(found, Equal)
    assert found.trials > 5


def test_a_sum_that_leaves_the_last_turn_out_is_different_and_says_where() -> None:
    found = compared(SUM, body("int s = 0; for (int i = 0; i + 1 < n; i++) s += a[i]; c[0] = s;"))
    assert isinstance(found, Different)
    assert (found.how, found.buffer, found.element) == ("value", "c", 0)


def test_unrolling_without_a_rest_is_different_at_sizes_that_are_no_multiple() -> None:
    unrolled = body(
        "int s = 0; for (int i = 0; i < n / 4 * 4; i += 4) s += a[i] + a[i + 1] + a[i + 2] + a[i + 3]; c[0] = s;"
    )
    assert isinstance(compared(SUM, unrolled), Different)


def test_reading_behind_what_the_kernel_touches_is_out_of_bounds() -> None:
    ahead = body("int s = 0; int next = a[0]; for (int i = 0; i < n; i++) { s += next; next = a[i + 1]; } c[0] = s;")
    found = compared(SUM, ahead)
    assert isinstance(found, Different)
    assert (found.how, found.buffer) == ("bounds", "a")


def test_a_table_that_is_copied_although_nothing_reads_it_is_as_large_as_where_it_is_read() -> None:
    before = body("for (int i = 0; i < n; i++) c[i] = a[i % 5] + a[4];")
    copied = "int t[5]; for (int k = 0; k < 5; k++) t[k] = a[k]; for (int i = 0; i < n; i++) c[i] = t[i % 5] + t[4];"
    assert isinstance(compared(before, body(copied)), Equal)


def test_buffers_may_be_one_where_nothing_says_that_they_are_not() -> None:
    text = "for (int i = 0; i < n; i++) {{ {} }}"
    arguments = "__global int *a, __global int *c, int n"
    before = body(text.format("c[0] += a[i];"), arguments)
    after = body("int s = c[0]; " + text.format("s += a[i];") + " if (n > 0) c[0] = s;", arguments)
    assert isinstance(compared(before, after), Different)
    apart = [one.replace("*c", "*restrict c") for one in (before, after)]
    assert isinstance(compared(*apart), Equal)


def test_a_real_sum_in_another_order_is_different() -> None:
    arguments = "__global float *restrict a, __global float *restrict c, int n"
    before = body("float s = 0; for (int i = 0; i < n; i++) s += a[i] / 3; c[0] = s;", arguments)
    after = body("float s = 0; for (int i = n - 1; i >= 0; i--) s += a[i] / 3; c[0] = s;", arguments)
    assert isinstance(compared(before, after), Different)


def test_kernels_that_wait_for_each_other_for_ever_are_different() -> None:
    before = body("for (int i = 0; i < n; i++) c[i] = a[i];")
    after = """channel int d; channel int e;
__kernel void one(__global int *a, int n) {
    for (int i = 0; i < n; i++) { int x = read_channel_intel(e); write_channel_intel(d, a[i]); }
}
__kernel void two(__global int *restrict c, int n) {
    for (int i = 0; i < n; i++) { c[i] = read_channel_intel(d); write_channel_intel(e, 1); }
}"""
    found = compared(before, after, ("one", "two"))
    assert isinstance(found, Different)
    assert found.how == "deadlock"


def test_a_loop_that_its_counter_is_too_narrow_to_end_is_different() -> None:
    before = body("for (int i = 0; i < n; i++) c[i] = a[i] * 3;")
    after = body("for (uchar i = 0; i < 256; i++) { if (i < n) c[i] = a[i] * 3; }")
    found = compared(before, after)
    assert isinstance(found, Different)
    assert found.how == "endless"


def test_a_split_kernel_that_does_the_same_is_equal() -> None:
    before = body("for (int i = 0; i < n; i++) c[i] = a[i] * 3;")
    after = """channel int d;
__kernel void one(__global int *a, int n) { for (int i = 0; i < n; i++) write_channel_intel(d, a[i]); }
__kernel void two(__global int *restrict c, int n) { for (int i = 0; i < n; i++) c[i] = read_channel_intel(d) * 3; }"""
    assert isinstance(compared(before, after, ("one", "two")), Equal)


def test_what_c_leaves_open_is_no_difference() -> None:
    before = body("int s; if (n > 3) s = 1; c[0] = s;")
    assert isinstance(compared(before, body("int s = 7; if (n > 3) s = 1; c[0] = s;")), Equal)


@pytest.mark.parametrize(
    ("text", "what", "name"),
    [
        ("here: c[0] = 1; if (n > 3) goto here;", "statement", "goto_statement"),
        ("c[0] = strange(n);", "function", "strange"),
        ("for (;;) c[0]++;", "steps", ""),
        ("if (get_local_id(0) == 0) barrier(1); c[0] = 1;", "divergence", ""),
        ("c[0] = read_channel_intel(elsewhere);", "channel", "elsewhere"),
        ("int t[1 << 28]; t[3] = n; c[0] = t[3];", "memory", ""),
    ],
)
def test_what_cannot_be_executed_says_why(text: str, what: str, name: str) -> None:
    found = compared(body(text), body(text))
    assert isinstance(found, NotExecuted)
    assert (found.reason.what, found.reason.name) == (what, name)


def test_a_loop_with_a_name_is_executed() -> None:
    before = body("int s = 0; rows: for (int i = 0; i < n; i++) s += a[i]; end: c[0] = s;")
    assert isinstance(compared(before, before), Equal)
    assert isinstance(compared(before, before.replace("i < n", "i < n - 1")), Different)


def test_what_is_printed_is_compared_in_any_order() -> None:
    text = "__kernel void k(int n) { for (int i = 0; i < n; i++) %s }"
    before = text % 'printf("%d\\n", i * i);'
    assert isinstance(compared(before, before), Equal)
    assert isinstance(compared(before, text % '{ int j = n - 1 - i; printf("%d\\n", j * j); }'), Equal)
    for other in ('printf("%d\\n", i);', 'printf("%d", i * i);', 'if (i) printf("%d\\n", i * i);'):
        found = compared(before, text % other)
        assert isinstance(found, Different)
        assert found.how == "printed"


def test_an_address_that_is_printed_differs_from_no_other() -> None:
    before = body('printf("%p", a); c[0] = n;')
    assert isinstance(compared(before, before), Equal)


INSIDE = """__kernel void k(__global const int *restrict a, __global int *restrict c, int w, int n)
{
    int i = get_global_id(0);
    if (i >= 2 * w && i <= n - 2 * w && i % w != 0)
        c[i] = a[i - w] + a[i + w];
}
"""
BEFORE_START = """__kernel void k(__global const int *restrict a, __global int *restrict c, int n)
{
    for (int i = 0; i < n; i++)
        c[i] = a[i - 3] + a[i + 2];
}
"""


@pytest.mark.parametrize("text", [INSIDE, BEFORE_START], ids=["few sizes reach anything", "before the start"])
def test_kernels_that_the_usual_sizes_do_not_suit_are_executed(text: str) -> None:
    assert isinstance(compared(text, text), Equal)
    wrong = compared(text, text.replace("= a[", "= 2 * a["))
    assert isinstance(wrong, Different)
    assert (wrong.how, wrong.buffer) == ("value", "c")


def test_an_index_from_data_is_never_before_the_start() -> None:
    before = body("for (int i = 0; i < n; i++) c[i] = a[a[i]];")
    after = body("int first = n > 0 ? a[0] : 0; for (int i = 0; i < n; i++) c[i] = a[i] > 0 ? a[a[i]] : first;")
    assert isinstance(compared(before, after), Equal)


def test_what_lies_before_a_buffer_is_reached_no_further_than_the_kernel_does() -> None:
    further = compared(BEFORE_START, BEFORE_START.replace("c[i] = a[i - 3]", "c[i] = a[i - 3] + 0 * a[i - 4]"))
    assert isinstance(further, Different)
    assert (further.how, further.buffer) == ("bounds", "a")


def test_a_kernel_that_reads_outside_its_own_buffers_shows_nothing() -> None:
    outside = body("c[0] = a[n - 5000000];")
    assert compared(outside, body("c[0] = 1;")) == compared(outside, outside)
    assert isinstance(compared(outside, outside), NotExecuted)
