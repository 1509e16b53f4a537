"""What a trip adds to a variable on every way through a loop's body: counters in both arms, filters, early jumps."""

import pytest

from burstline_model.facts import KernelFacts
from tests.assessing import assess
from tests.walk.walking import SINGLE

LOOP = (
    SINGLE
    + """__kernel void k(__global const uchar *restrict in, __global uchar *restrict out, int n)
{
    int i = 0, j = 0;
    BODY
}
"""
)


def facts(body: str) -> KernelFacts:
    return assess(LOOP.replace("BODY", body)).kernels[0].facts


def trip(body: str) -> str:
    return str(facts(body).loops[0].trip)


def stored(body: str) -> list[str]:
    """The offsets that are stored to."""
    return [str(a.offset) for a in facts(body).accesses if a.op == "store"]


@pytest.mark.parametrize(
    "body",
    [
        "while (i != n) { if (in[i] > 3) out[i++] = 1; else out[i++] = 0; }",
        "while (i < n) { if (in[i] > 3) { out[i] = 1; i += 1; } else { out[i] = 0; i = i + 1; } }",
        "while (i < n) { if (in[i] > 3) { out[i] = 1; i++; continue; } out[i] = 0; i++; }",
        "while (i != n) { in[i] > 3 ? (out[i++] = 1) : (out[i++] = 0); }",
        "while (i < n) { if (i > 5) { if (in[i]) out[i++] = 2; else i++; } else if (i > 2) i++; else out[i++] = 0; }",
        "for (; i < n; ) { if (in[i]) out[i++] = 1; else ++i; }",
        "while (i < n) { int m = i; if (in[i]) out[m] = 1; i = m + 1; }",
        "while (i < n) { if (in[i] == 9) { i += 5; return; } out[i++] = 1; }",
    ],
)
def test_a_counter_that_every_way_moves_by_one_counts_trips(body: str) -> None:
    assert trip(body) == "n"


def test_a_step_that_does_not_divide_the_distance_is_rounded_up_as_elsewhere() -> None:
    body = "while (i != n) { if (in[i]) { out[i] = 1; i += 4; } else { i += 3; i++; } }"
    assert trip(body) == trip("for (; i != n; i += 4) out[i] = 1;")
    assert trip(body.replace("i != n", "i != 64")) == "16"


@pytest.mark.parametrize(
    "body",
    [
        "while (i < n) { if (in[j++]) out[i++] = 1; }",
        "while (i < n) { if (in[j++]) out[i++] = 1; else i += 2; }",
        "while (i < n) { if (in[j++]) continue; out[i++] = 1; }",
        "while (i < n) { if (in[j++] && out[i++]) out[j] = 1; }",
        "while (i < n) { switch (in[j++]) { case 0: i++; break; default: i++; } }",
        "while (i < n) { if (in[j++]) { for (int m = 0; m < 2; m++) i++; } else i += 2; }",
        "while (i < n) { if (in[j++]) goto next; i++; next: i++; }",
    ],
)
def test_what_some_ways_move_otherwise_counts_nothing(body: str) -> None:
    assert trip(body) == "None"


def test_a_place_behind_a_jump_moves_where_data_say() -> None:
    kept = "for (i = 0; i < 64; i++) { if (in[i] == 3) continue; out[j] = in[i]; j++; }"
    assert stored(kept) == ["j"]
    assert "j" in facts(kept).loops[0].carries
    assert trip(kept) == "64"
    assert stored("for (i = 0; i < 64; i++) { if (in[i] == 3) { j++; continue; } out[j] = in[i]; j++; }") == ["i"]


def test_a_jump_of_an_inner_loop_is_none_of_the_outer_one() -> None:
    body = "while (i < n) { for (int m = 0; m < 9; m++) { if (in[m]) continue; j += 2; } out[i++] = 1; }"
    assert trip(body) == "n"
    body = "while (i < n) { for (int m = 0; m < 9; m++) { if (in[m]) break; } out[i++] = 1; }"
    assert trip(body) == "n"
    assert trip(body.replace("if (in[m]) break;", "break;")) == "n"


def test_a_pointer_that_both_arms_move_steps() -> None:
    body = (
        "__global uchar *p = out; for (i = 0; i < n; i++) { if (in[i]) { *p = 1; p++; } else { *p = 0; p++; } *p = 2; }"
    )
    assert stored(body) == ["i", "i", "i + 1"]


@pytest.mark.parametrize("depth", [100, 5000])
def test_deep_text_ends(depth: int) -> None:
    arms = facts("while (i < n) { " + "if (in[i]) " * depth + "i++; else i++; }")
    brackets = facts("while (i < n) { if (in[i]) " + "(" * depth + "i++" + ")" * depth + "; else i++; }")
    assert [len(one.loops) for one in (arms, brackets)] == [1, 1]


def test_advice_follows_as_for_a_for_loop() -> None:
    text = LOOP.replace("BODY", "while (i != n) { if (i > 5) out[i++] = in[i]; else out[i++] = 0; }")
    found = assess(text, arguments={"n": 1 << 20}).kernels[0].estimate
    assert [loop.trip for loop in found.loops] == [1 << 20]
    assert found.time_s is not None
    assert any(lever.after_s is not None and lever.after_s < found.time_s / 4 for lever in found.levers)


@pytest.mark.parametrize(
    "body",
    [
        "for (; i < n; i++) { int s = in[i]; for (;;) { switch (s) { case 0: s++; continue; } break; } out[i] = s; }",
        "for (; i < n; i++) { switch (in[i]) { case 0: continue; case 1: out[i] = 3; } }",
        "while (i < n) { int s = in[i]; while (s < 9) { switch (s) { case 0: s++; continue; } s++; } out[i++] = s; }",
    ],
)
def test_jumps_that_no_step_is_near_leave_it_fixed(body: str) -> None:
    assert trip(body) == "n"


@pytest.mark.parametrize(
    "body",
    [
        "while (i < n) { switch (in[i]) { case 0: i += 2; continue; } out[i++] = 1; }",
        "while (i < n) { int s = in[i]; again: i++; while (s < 9) { if (s == 3) goto again; s++; } out[i] = s; }",
    ],
)
def test_steps_that_a_switch_or_a_goto_leads_past_are_not_fixed(body: str) -> None:
    assert trip(body) == "None"
