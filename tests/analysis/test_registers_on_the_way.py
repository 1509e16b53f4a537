"""`__fpga_reg` puts a register on the way of a value, which stays what it is."""

import pytest

from burstline_server.assessment.costing import KernelAssessment
from tests.assessing import assess

TEXT = """#define REG2(x) __fpga_reg(__fpga_reg(x))
__kernel void k(__global const TYPE *restrict a, __global TYPE *restrict b, int n)
{
    TYPE s = 0;
    for (int i = 0; i < n; i++) {
        s += WAY(a[WAY(i)]) * WAY(a[i + n]);
        b[WAY(i)] = s;
    }
}
"""


def kernel(type_: str, way: str) -> KernelAssessment:
    text = TEXT.replace("TYPE", type_).replace("WAY", way)
    return assess(text, board="p385a", arguments={"n": 4096}).kernels[0]


@pytest.mark.parametrize("type_", ["float", "double", "int", "float4", "uchar"])
@pytest.mark.parametrize("way", ["__fpga_reg", "REG2"])
def test_operations_units_and_times_are_those_of_the_value_itself(type_: str, way: str) -> None:
    with_, without = kernel(type_, way), kernel(type_, "")
    assert with_.facts.operations == without.facts.operations
    assert [(u.style, u.width_bits, u.stride) for u in with_.lsus] == [
        (u.style, u.width_bits, u.stride) for u in without.lsus
    ]
    assert with_.estimate.resources == without.estimate.resources
    assert with_.estimate.time_s == without.estimate.time_s


def test_products_of_reals_stay_products_of_reals() -> None:
    kinds = {o.operation for o in kernel("float", "__fpga_reg").facts.operations}
    assert {"float mul", "float add"} <= kinds
    assert "int mul" not in kinds


def test_what_the_compiler_may_expect_of_a_condition_changes_nothing() -> None:
    text = "__kernel void k(__global int *restrict b, int n) { for (int i = 0; i < n; i++) if (WAY(i < 7)) b[i] = i; }"
    plain, expected = (
        assess(text.replace("WAY(i < 7)", condition), arguments={"n": 64}).kernels[0]
        for condition in ("i < 7", "__builtin_expect(i < 7, 1)")
    )
    assert plain.facts.operations == expected.facts.operations
