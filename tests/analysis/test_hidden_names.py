"""Names that an inner scope declares anew: the variable outside is another one, and keeps its own step."""

import pytest

from burstline_model.facts import KernelFacts
from tests.assessing import assess
from tests.walk.walking import SINGLE

LOOP = (
    SINGLE
    + """__kernel void k(__global const int *restrict in, __global int *restrict out, int n, int m)
{
    BODY
}
"""
)


def facts(body: str) -> KernelFacts:
    return assess(LOOP.replace("BODY", body)).kernels[0].facts


@pytest.mark.parametrize(
    "inner",
    [
        "for (int i = 0; i < 3; i++) s += in[i];",
        "for (int t = 0, i = 0; i < 3; i++, t++) s += in[i + t];",
        "{ int i = 3; i += 4; s += i; }",
        "{ int t, i; i = s; i += 4; s += i; }",
        "if (s > 5) { int i = s; while (i > 0) i -= 2; s += i; }",
        "for (int t = 0; t < 3; t++) { int i = 2; for (int i = 0; i < 5; i++) s += i; i++; s += i; }",
    ],
)
@pytest.mark.parametrize(
    ("before", "head", "last"),
    [
        ("", "for (int i = 0; i < n; i += 32)", ""),
        ("", "for (int i = 0, j = m; i < n; i += 32, j += m)", ""),
        ("int i, s;", "for (i = 0; i < n; i += 32)", ""),
        ("int i = 0;", "while (i < n)", "i += 32;"),
    ],
)
def test_a_counter_keeps_its_step_where_an_inner_scope_has_another_of_its_name(
    before: str, head: str, last: str, inner: str
) -> None:
    found = facts(f"{before} {head} {{ int s = 0; {inner} out[i] = s; {last} }}")
    outer = found.loops[0]
    stored = next(a.offset for a in found.accesses if a.op == "store")
    assert str(outer.trip) == "((n + 31) / 32)"
    assert stored is not None
    assert stored.coefficient(outer.counter).constant == 128  # type: ignore[union-attr]


def test_a_parameter_that_an_inner_scope_hides_stays_what_it_is() -> None:
    found = facts("for (int i = 0; i < n; i++) { int s = 0; for (int n = 0; n < 4; n++) s += in[n]; out[i] = s; }")
    assert [str(one.trip) for one in found.loops] == ["n", "4"]


@pytest.mark.parametrize(
    "step",
    [
        "for (int t = 0; t < 3; t++) i += t + 1;",
        "{ int t = in[i]; i += t; }",
    ],
)
def test_a_step_that_an_inner_variable_makes_is_not_the_outer_one(step: str) -> None:
    found = facts(f"int t = 4; for (int i = 0; i < n; ) {{ out[i] = t; {step} }}")
    assert found.loops[0].trip is None


def test_what_an_inner_pointer_stores_to_counts_as_changed() -> None:
    found = facts(
        "int a[8]; int *p = a; for (int i = 0; i < 8; i++) p[i] = in[i];"
        "for (int i = 0; i < n; i++) { { int *p = a; p[i % 8] += in[i]; } out[i] = a[3]; }"
    )
    assert "a" in found.loops[1].carries
