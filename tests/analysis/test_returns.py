"""What a helper with several returns gives: the first value whose conditions hold, or one that data choose."""

from collections.abc import Mapping

import pytest

from burstline_model.facts import KernelFacts, Symbol
from burstline_model.parallelism.symbol_values import operate
from burstline_model.polynomial import Polynomial
from burstline_server.assessment.costing import KernelAssessment
from tests.assessing import assess
from tests.walk.walking import SINGLE, units

USE = (
    """%s
"""
    + SINGLE
    + """__kernel void k(__global const int *restrict in, __global const float *restrict table,
                __global float *restrict out, int n, int m)
{
    for (int i = 0; i < n; i++)
        out[i] = table[f(%s)];
}
"""
)
DATA = "inline int f(int c) { if (c == 7) { return 0; } else if (c == 9) { return 4000; } else { return 8000; } }"
IDS = "inline int f(int v) { if (v < 0) return 0; if (v > 100) return 100; return v; }"


def kernel(helper: str, argument: str) -> KernelAssessment:
    return assess(USE % (helper, argument), arguments={"n": 1 << 20, "m": 3}).kernels[0]


def depends_on(facts: KernelFacts) -> set[str]:
    offset = next(a.offset for a in facts.accesses if a.pointer == "table")
    assert offset is not None
    return {s for name in offset.symbols for s in (name, *facts.symbols[name].depends_on)}


@pytest.mark.parametrize(
    "helper",
    [
        DATA,
        "inline int f(int c) { if (c == 7) return 0; if (c == 9) return 4000; return 8000; }",
        "inline int f(int c) { switch (c) { case 7: return 0; case 9: return 4000; default: return 8000; } }",
        "#define GIVE(x) return x\ninline int f(int c) { if (c > 7 && c < 9) GIVE(0); GIVE(8000); }",
        "inline int f(int c) { float g = c; if (g > 0.5f) return 0; return 8000; }",
        "inline int g(int c) { if (c == 7) return 0; return 1; }\ninline int f(int c) { return g(c) * 4000; }",
    ],
)
def test_a_place_chosen_by_data_moves_with_the_data(helper: str) -> None:
    facts = kernel(helper, "in[i]").facts
    assert any(facts.symbols[name].kind == "loaded" for name in depends_on(facts))


def test_such_a_place_is_fetched_again_and_again() -> None:
    walk = units(USE % (DATA, "in[i]"), arguments={"n": 1 << 20, "m": 3})["load table"].walk
    assert walk is not None
    assert walk.fetched_bytes is not None
    assert walk.fetched_bytes > 1 << 22


@pytest.mark.parametrize(("offset", "expected"), [(0, 0), (1, 1), (64, 64), (200, 100), (-5, 0)])
def test_integers_choose_what_they_say(offset: int, expected: int) -> None:
    done = kernel(IDS, f"{offset} + m - 3")
    (place,) = [a.offset for a in done.facts.accesses if a.pointer == "table"]
    assert place is not None
    assert value_of(place, done.facts.symbols, {"m": 3, "n": 1}) == 4 * expected


def value_of(number: Polynomial, symbols: Mapping[str, Symbol], arguments: Mapping[str, int]) -> int:
    """A polynomial's value where arguments decide all of it."""
    total = 0
    for monomial, coefficient in number.terms:
        product = coefficient
        for name in monomial:
            symbol, known = symbols[name], arguments.get(name)
            if known is None and symbol.operation is not None:
                known = operate(symbol.operation, [value_of(o, symbols, arguments) for o in symbol.operands])
            assert known is not None
            product *= known
        total += product
    return total


def test_a_return_within_a_loop_is_anybodys_guess() -> None:
    text = "inline int f(int v) { for (int j = 0; j < 8; j++) if (v < 100 * j) return j; return 8; }"
    done = kernel(text, "i")
    (place,) = [a.offset for a in done.facts.accesses if a.pointer == "table"]
    assert place is not None
    assert all(done.facts.symbols[n].operation is None for n in place.symbols)


def test_one_return_is_that_value() -> None:
    done = kernel("inline int f(int v) { if (v < 0) v = 0; return 2 * v; }", "i + 1")
    assert "n" not in depends_on(done.facts)


def test_many_returns_end() -> None:
    text = "inline int f(int c) { " + "".join(f"if (c == {n}) return {n * 7};" for n in range(200)) + "return 0; }"
    assert "in[i]" in depends_on(kernel(text, "in[i]").facts)
