"""From a kernel's attributes to whether it is compiled as one work-item or for many."""

import pytest

from tests.assessing import assess

BODY = "__kernel void k(__global const int *restrict a, __global int *restrict b, int n)\n{\n    b[n] = a[n + 1];\n}\n"


@pytest.mark.parametrize(
    ("attributes", "model"),
    [
        ("", "single_work_item"),
        ("__attribute__((reqd_work_group_size(1, 1, 1)))", "single_work_item"),
        ("__attribute__((max_work_group_size(256)))", "single_work_item"),
        ("__attribute__((reqd_work_group_size(64, 1, 1)))", "ndrange"),
        ("__attribute__((reqd_work_group_size(1, 1, 2)))", "ndrange"),
        ("#define ONE 1\n__attribute__((reqd_work_group_size(ONE, ONE, ONE)))", "single_work_item"),
        ("__attribute__((max_global_work_dim(0))) __attribute__((reqd_work_group_size(1, 1, 1)))", "single_work_item"),
        ("__attribute__((task))", "single_work_item"),
        ("__attribute__((num_simd_work_items(1))) __attribute__((reqd_work_group_size(1, 1, 1)))", "single_work_item"),
        ("__attribute__((num_simd_work_items(4)))", "ndrange"),
    ],
)
def test_a_group_of_several_makes_an_ndrange_kernel_without_ids(attributes: str, model: str) -> None:
    (kernel,) = assess(f"{attributes}\n{BODY}").kernels
    assert kernel.facts.model == model


def test_its_work_items_are_those_of_the_launch() -> None:
    """Each loads and stores the same place: they take turns, one a cycle."""
    text = f"__attribute__((reqd_work_group_size(64, 1, 1)))\n{BODY}"
    many, few = (
        assess(text, board="p385a", global_size=[items], arguments={"n": 5}).kernels[0].estimate.time_s
        for items in (1 << 24, 1 << 20)
    )
    assert many is not None
    assert few is not None
    assert 12 < many / few < 18


@pytest.mark.parametrize(
    ("size", "group"),
    [
        ("64", (64, 1, 1)),
        ("(1 << (LOG > 6 ? 6 : LOG)) * 8u", (64, 1, 1)),
        ("LOG >= 4 && LOG != 5 ? 16 : 32", (32, 1, 1)),
        ("sizeof(int)", None),
        ("64 / 0", None),
    ],
)
def test_a_group_s_size_is_any_constant_expression(size: str, group: tuple[int, int, int] | None) -> None:
    text = f"#define LOG 3\n__attribute__((reqd_work_group_size({size}, 1, 1)))\n{BODY}"
    assert assess(text).kernels[0].facts.work_group_size == group
