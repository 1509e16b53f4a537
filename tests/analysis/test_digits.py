"""Fields of an index that are put together again where they came from are the index; a permutation stays one."""

import random

import pytest

from burstline_model.facts import KernelFacts, Symbol
from burstline_model.parallelism.symbol_values import operate
from tests.assessing import assess

KERNEL = """
#define FIELD(x, at, n) (((x) >> (at)) & ((1u << (n)) - 1))
__kernel void k(__global const float *restrict a, __global float *restrict y)
{
    uint g = get_global_id(0);
    y[g] = a[INDEX];
}
"""


def read(index: str) -> KernelFacts:
    (kernel,) = assess(KERNEL.replace("INDEX", index)).kernels
    return kernel.facts


@pytest.mark.parametrize(
    ("index", "offset"),
    [
        ("FIELD(g, 10, 22) << 10 | FIELD(g, 4, 6) << 4 | FIELD(g, 0, 4)", "4·gid0"),
        ("FIELD(g, 0, 4) + (FIELD(g, 4, 6) << 4) + (FIELD(g, 10, 22) << 10)", "4·gid0"),
        ("FIELD(g, 4, 6) << 4 | FIELD(g, 0, 4)", "4·(gid0 % 1024)"),
        ("g % 8 + g / 8 % 4 * 8 + g / 32 * 32", "4·gid0"),
        ("g % 8 + g / 8 % 4 * 8 + g / 32 * 64", "4·(gid0 % 32) + 256·(gid0 / 32)"),
        ("FIELD(g, 4, 6) | FIELD(g, 0, 4) << 6", "4·((gid0 / 16) % 64) + 256·(gid0 % 16)"),
    ],
)
def test_neighbouring_fields_are_one(index: str, offset: str) -> None:
    (load,) = [a for a in read(index).accesses if a.op == "load"]
    assert str(load.offset) == offset


def test_no_sum_of_fields_changes_its_value() -> None:
    chance = random.Random(5)
    for _ in range(40):
        fields = [(chance.choice((0, 2, 3, 5)), chance.choice((2, 3, 4)), chance.randrange(6)) for _ in range(3)]
        facts = read(" + ".join(f"(FIELD(g, {at}, {n}) << {to})" for at, n, to in fields) + " + g * 4")
        (load,) = [a for a in facts.accesses if a.op == "load"]
        for g in (0, 1, 7, 37, 200, 1023, 5000):
            index = sum((g >> at & (1 << n) - 1) << to for at, n, to in fields) + 4 * g
            assert value(facts, load.offset, g) == 4 * index, (fields, str(load.offset), g)


def value(facts: KernelFacts, number: object, g: int) -> int:
    """A number where the id is `g`."""

    def of(symbol: Symbol) -> int:
        if symbol.operation is None:
            return g
        found = operate(symbol.operation, [value(facts, o, g) for o in symbol.operands])
        assert found is not None
        return found

    found = number.evaluate({s: of(facts.symbols[s]) for s in number.symbols})  # type: ignore[attr-defined]
    assert found is not None
    return int(found)
