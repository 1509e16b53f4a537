"""Copies of a loop that follow one another: through memory, or because nothing overlaps them."""

from __future__ import annotations

import pytest

from burstline_server.diagnostics.catalogue import findings_of
from burstline_server.words.findings import message_text
from tests.assessing import assess

HEAD = "__kernel void count(__global const uint *restrict s, __global uint *restrict out, uint n)\n{\n"
LOCAL = HEAD + "    __local uint h[128];\n"
END = "    out[0] = h[0];\n}\n"


def in_turn(updates: str, head: str = LOCAL) -> str:
    """A loop over what is read, with these updates of h."""
    return f"{head}    for (uint i = 0; i < n; i++) {{\n        uint v = s[i];\n{updates}    }}\n{END}"


ONE = in_turn("        h[v & 127]++;\n")
WRITTEN_OUT = in_turn("".join(f"        h[(v >> {4 * k}) & 127]++;\n" for k in range(8)))
UNROLLED = in_turn(
    "        #pragma unroll\n        for (uint k = 0; k < 8; k++)\n            h[(v >> (4 * k)) & 127]++;\n"
)
OWN_ROWS = in_turn(
    "        #pragma unroll\n        for (uint k = 0; k < 8; k++)\n            h[k * 128 + (v & 127)]++;\n",
    LOCAL.replace("[128]", "[1024]"),
)
EITHER = in_turn("        if (v & 128)\n            h[v & 127]++;\n        else\n            h[v >> 25]++;\n")
DENIED = UNROLLED.replace("    for (uint i", "    #pragma ivdep\n    for (uint i").replace(
    "#pragma unroll", "#pragma unroll\n        #pragma ivdep"
)


def interval(text: str) -> int:
    """The interval of the loop over what is read."""
    (kernel,) = assess(text, arguments={"n": 1 << 20}).kernels
    ii = kernel.estimate.loops[0].ii
    assert ii is not None
    return int(ii)


@pytest.mark.parametrize(
    ("text", "turns"),
    [(WRITTEN_OUT, 8), (UNROLLED, 8), (EITHER, 1)],
    ids=["written out", "unrolled", "one of two arms"],
)
def test_each_update_that_may_meet_the_one_before_waits_for_it(text: str, turns: int) -> None:
    assert interval(text) == turns * interval(ONE) > turns


def test_updates_that_a_pragma_keeps_apart_do_not_wait() -> None:
    assert interval(DENIED) == 1


def test_copies_with_rows_of_their_own_do_not_wait_for_each_other() -> None:
    assert interval(OWN_ROWS) == interval(ONE)


def test_unrolling_a_histogram_is_no_gain() -> None:
    plain = assess(ONE, arguments={"n": 1 << 20}).kernels[0].estimate.time_s
    copied = ONE.replace("    for", "    #pragma unroll 8\n    for")
    assert plain is not None
    assert assess(copied, arguments={"n": 1 << 20}).kernels[0].estimate.time_s == pytest.approx(plain, rel=0.01)
    (found,) = [f for f in findings_of(assess(copied, arguments={"n": 1 << 20})) if f.code == "BL401"]
    assert "II 16" in message_text(found)


def test_copies_through_global_memory_wait_for_it_each_time() -> None:
    one, eight = (
        assess(t.replace("    __local uint h[128];\n", "").replace(END, "}\n").replace("*restrict out", "*restrict h"),
               arguments={"n": 1 << 20}).kernels[0].estimate
        for t in (ONE, UNROLLED)
    )  # fmt: skip
    assert one.time_s is not None
    assert eight.time_s == pytest.approx(8 * one.time_s, rel=0.02)


PARTS = """
__kernel void parts(__global const int *restrict b, __global int *restrict r, int n)
{
    int s[2];
    #pragma unroll
    for (int d = 0; d < 2; d++) {
        s[d] = 0;
        for (int i = 0; i < n; i++)
            s[d] += b[d * n + i];
    }
    r[0] = s[0] + s[1];
}
"""
PARTS_WRITTEN_OUT = """
__kernel void parts(__global const int *restrict b, __global int *restrict r, int n)
{
    int s0 = 0, s1 = 0;
    for (int i = 0; i < n; i++)
        s0 += b[i];
    for (int i = 0; i < n; i++)
        s1 += b[n + i];
    r[0] = s0 + s1;
}
"""
WITHIN = PARTS.replace("    int s[2];", "    for (int o = 0; o < 64; o++) {\n    int s[2];").replace(
    "r[0] = s[0] + s[1];", "r[o] = s[0] + s[1]; }"
)


def test_loops_in_an_unrolled_one_run_in_turn_as_those_that_are_written_out() -> None:
    size = {"arguments": {"n": 1 << 22}}
    (copies,), (lines,) = assess(PARTS, **size).kernels, assess(PARTS_WRITTEN_OUT, **size).kernels
    assert lines.estimate.time_s is not None
    assert copies.estimate.time_s == pytest.approx(lines.estimate.time_s, rel=0.01)


def test_they_overlap_where_a_loop_around_is_pipelined() -> None:
    (once,), (within,) = (
        assess(PARTS, arguments={"n": 1 << 16}).kernels,
        assess(WITHIN, arguments={"n": 1 << 16}).kernels,
    )
    assert once.estimate.time_s is not None
    assert within.estimate.time_s is not None
    assert within.estimate.time_s < 0.6 * 64 * once.estimate.time_s
