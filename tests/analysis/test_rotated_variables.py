"""Values that integer variables hand on, through each other and through variables that the loop declares."""

import pytest

from burstline_server.cli.text import text
from tests.assessing import assess

KERNEL = """__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void mixed(__global const uint *restrict in, __global uint *restrict out, const uint seed, const int n)
{{
    uint a = seed, b = 2, c = 3;
    for (int t = 0; t < n; t++) {{ {body} }}
    out[0] = a;
}}
"""
PLAIN = "uint x = a * 5; a = x + c;"
WAITS = {
    "three variables": "uint x = a * 5; c = b; b = a; a = x + c;",
    "the other way": "uint x = a * 5; c = b; b = a; a = c + x;",
    "two variables": "uint x = a * 5; b = a; a = x + b;",
    "an older value in a variable of the loop": "uint x = a * 5; uint y = b; b = a; a = x + y;",
    "what is added": "uint x = a * 5; a += x;",
    "what is added to it in full": "uint x = a * 5; a = a + x;",
    "through two variables of the loop": "uint x = a * 5; uint y = x; a += y;",
}


def shown(body: str) -> str:
    return text([(assess(KERNEL.format(body=body), n=4096), [])])


@pytest.mark.parametrize("body", WAITS.values(), ids=list(WAITS))
def test_a_recurrence_is_seen_through_variables_that_are_handed_on(body: str) -> None:
    (interval,) = (line.split("every")[1].split(":")[0] for line in shown(PLAIN).splitlines() if "every" in line)
    found = shown(body)
    assert f"starts an iteration every{interval}" in found
    assert "unroll" not in found


@pytest.mark.parametrize("body", ["a += 3;", "uint x = 3; a += x;", "uint y = n * 2; uint x = y + 1; a += x;"])
def test_a_fixed_step_through_variables_of_the_loop_stays_one(body: str) -> None:
    (loop,) = assess(KERNEL.format(body=body)).kernels[0].facts.loops
    assert not loop.carries
    assert not loop.recurrences


@pytest.mark.parametrize(
    "body",
    ["uint x = in[t]; a += x;", "uint x = t * t; a += x;", "uint x; x = t; a += x;", "int n = t; a += n;"],
    ids=["loaded", "of the counter", "set later", "hides an outer one"],
)
def test_a_step_through_a_variable_that_changes_is_not_fixed(body: str) -> None:
    (loop,) = assess(KERNEL.format(body=body)).kernels[0].facts.loops
    assert loop.carries == ("a",)


@pytest.mark.parametrize(("step", "even"), [("1", True), ("in[t]", False)])
def test_a_place_that_moves_by_a_changing_step_is_not_one_in_order(step: str, *, even: bool) -> None:
    facts = assess(KERNEL.format(body=f"uint x = {step}; a += x; out[a] = in[t];")).kernels[0].facts
    (store,) = (a for a in facts.accesses if a.op == "store" and a.loops)
    assert store.offset is not None
    assert all(facts.symbols[name].kind in {"argument", "loop"} for name in store.offset.symbols) == even
