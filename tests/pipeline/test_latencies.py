"""Cycles of single operations as the sources of each family's table print them, from kernel text to depth and II."""

import pytest

from burstline_model.pipeline.latencies import operation_table
from tests.assessing import assess

# WANG Table 2 for Stratix V; reports of 16.1 on Cyclone V, of 17.1 and 16.1 on Arria 10, of 19.4 on Stratix 10.
FAMILIES = {
    "Stratix V": "16.1", "Cyclone V": "16.1", "Arria 10": "17.1", "Arria 10 to 16.x": "16.1", "Stratix 10": "19.4",
}  # fmt: skip
REAL = {  # one operation on the way from a load to the store
    "a[i] + c": (7, 6, 3, 4, 5),
    "a[i] * c": (5, 5, 3, 4, 4),
    "a[i] * c + c": (12, 11, 4, 5, 5),  # one block from Arria 10 on, else the product and then the sum
    "a[i] / c": (14, 14, 14, 14, 18),
    "sqrt(a[i])": (28, 28, 14, 14, 18),
    "a[i] > c ? a[i] : c": (2, 2, 0, 0, 0),
    "exp(a[i])": (20, 20, 14, 14, 18),
    "fabs(a[i])": (1, 1, 1, 1, 1),
}
WHOLE = {
    "a[i] + c": (1, 0, 0, 0, 0),
    "a[i] * c": (3, 3, 3, 3, 3),
    "a[i] / c": (32, 32, 32, 32, 32),
    "a[i] > c ? a[i] : c": (1, 0, 0, 0, 0),
    "a[i] ^ c": (0, 0, 0, 0, 0),
    "a[i] * 8": (0, 0, 0, 0, 0),
    "a[i] / 8": (1, 0, 0, 0, 0),  # a shift, and a sum that rounds towards zero
    "a[i] % 16": (1, 0, 0, 0, 0),
    "a[i] % 10": (32, 32, 32, 32, 32),
}
KERNEL = (
    "__kernel void k(__global const {0} *restrict a, __global {0} *restrict b, {0} c)\n"
    "{{ const int i = get_global_id(0); b[i] = {1}; }}\n"
)


def depth(family: str, type_: str, expression: str) -> float:
    """The critical path of a kernel of one expression, in cycles."""
    text = KERNEL.format(type_, expression)
    name = family.removesuffix(" to 16.x")
    (kernel,) = assess(text, device_family=name, aoc_version=FAMILIES[family], global_size=1024).kernels
    (block,) = kernel.estimate.blocks
    return block.depth


@pytest.mark.parametrize("family", FAMILIES)
def test_depth_is_a_cycle_and_the_operation(family: str) -> None:
    place = list(FAMILIES).index(family)
    for type_, table in (("float", REAL), ("int", WHOLE)):
        found = {expression: depth(family, type_, expression) - 1 for expression in table}
        assert found == {expression: cycles[place] for expression, cycles in table.items()}, type_


def test_unsigned_division_by_a_power_of_two_is_wires() -> None:
    assert depth("Stratix V", "uint", "a[i] / 8") == depth("Stratix V", "uint", "a[i] % 16") == 1


def test_doubles_take_as_long_as_the_guide_and_reports_say() -> None:
    """The vendor's guides sum up an array of doubles in 11 cycles an iteration, whatever the family."""
    assert depth("Stratix V", "double", "a[i] + c") == depth("Cyclone V", "double", "a[i] + c") == 1 + 11
    assert depth("Arria 10", "double", "a[i] + c") == 1 + 10
    assert depth("Stratix 10", "double", "a[i] + c") == 1 + 28


def interval(family: str, body: str, before: str = "") -> float | None:
    """II of the first loop of a kernel of one work-item."""
    text = (
        f"__kernel void k(__global const int *restrict x, __global float *restrict y, int n)\n{{ {before} {body} }}\n"
    )
    name = family.removesuffix(" to 16.x")
    (kernel,) = assess(text, device_family=name, aoc_version=FAMILIES[family]).kernels
    return kernel.estimate.loops[0].ii


@pytest.mark.parametrize(
    ("family", "cycles"),
    # A load, a store and a sum: 160 + 4 + 7, 128 + 4 + 6; from 17.0 on each of two units waits for a burst of 16 words
    # of the other, and a cycle: 127 + 24 + 2 * 17 + 4, 185 + 24 + 2 * 17 + 5.
    [("Stratix V", 171), ("Cyclone V", 138), ("Arria 10", 189), ("Stratix 10", 248)],
)
def test_a_loop_through_global_memory_waits_for_load_store_and_sum(family: str, cycles: int) -> None:
    assert interval(family, "for (int i = 1; i < n; i++) y[i] = y[i - 1] + 1.0f;") == cycles
    # Back after three iterations: a third of it, rounded up.
    assert interval(family, "for (int i = 3; i < n; i++) y[i] = y[i - 3] + 1.0f;") == -(-cycles // 3)


@pytest.mark.parametrize(
    ("family", "array_cycles", "private_cycles", "sum_cycles"),
    # Load, sum, store: 7 + 7 + 7 in WANG Table 2; 1 + 3 + 1 (report, of a private array: 5) and 6 + 4 + 1 on Arria 10,
    # 1 + 5 + 1 on Stratix 10.
    [
        ("Stratix V", 21, 13, 7),
        ("Cyclone V", 20, 13, 7),
        ("Arria 10", 5, 5, 2),
        ("Arria 10 to 16.x", 11, 6, 2),
        ("Stratix 10", 7, 7, 2),
    ],
)
def test_a_loop_through_memory_on_the_chip(
    family: str, array_cycles: int, private_cycles: int, sum_cycles: int
) -> None:  # fmt: skip
    """An element of a private array is added to in 7 cycles in Spector's histograms, in 2 in Boyi's on Arria 10."""
    body = "for (int i = 0; i < n; i++) t[x[i] & 4095]"
    assert interval(family, f"{body} += 1.0f; y[0] = t[n];", "__local float t[4096];") == array_cycles
    assert interval(family, f"{body} += 1.0f; y[0] = t[n];", "float t[4096];") == private_cycles
    assert interval(family, f"{body}++; y[0] = t[n];", "int t[4096];") == sum_cycles


@pytest.mark.parametrize(("again", "cycles"), [("t[h + k] = x[k];", 2), ("t[h + k] = t[f + k] + 1;", 4)])
def test_what_an_iteration_stores_and_loads_again_goes_through_memory_twice(again: str, cycles: int) -> None:
    """A load and a store a time, a cycle each from 17.0 on, where the places may be the same ones."""
    text = (
        "__kernel void k(__global const int *restrict x, __global int *restrict y, int n, int p, int f, int h)\n"
        "{ __local int t[4096];\n"
        f"for (int k = 1; k < n; k++) {{ t[f + k] = t[p + k - 1] - 2; {again} }}\ny[0] = t[n]; }}\n"
    )
    (kernel,) = assess(text, board="p385a").kernels
    assert kernel.estimate.loops[0].ii == cycles


def test_the_slowest_way_around_a_loop_decides() -> None:
    """A product and a sum take 5 + 1 cycles; through memory, 185 + 24 + 2 * 17 + 5."""
    body = "for (int i = 1; i < n; i++) { s = s * 2.0f + 1.0f; y[i] = y[i - 1] + s; }"
    assert interval("Stratix 10", body, "float s = 1.0f;") == 248


@pytest.mark.parametrize(("read", "cycles"), [("x[i]", 1), ("x[i + 1]", 185 + 24 + 2 + 2)])
def test_what_an_iteration_has_written_itself_comes_from_no_other(read: str, cycles: int) -> None:
    """Two of four units store, so that the ring is two cycles longer; no other one is as wide as x[i], x[i + 1]."""
    body = f"for (int i = 0; i < n; i++) {{ y[x[i]] = 2.0f; s += y[{read}] * 2.0f; }} y[0] = s;"
    assert interval("Stratix 10", body, "float s = 0.0f;") == cycles


@pytest.mark.parametrize(("behind", "serial"), [(8, False), (9, True)])
def test_rows_of_a_loop_inside_that_never_meet(behind: int, serial: bool) -> None:
    """Stores to 0 … 7 of each 16, loads of 8 … 15 of those before, or of 7 … 14."""
    text = (
        "__kernel void k(__global float *restrict y, int n)\n{\n    for (int i = 1; i < n; i++) {\n"
        "        #pragma unroll 1\n        for (int j = 0; j < 8; j++)\n"
        f"            y[16 * i + j] = y[16 * i - {behind} + j] * 2.0f;\n    }}\n}}\n"
    )
    (kernel,) = assess(text, device_family="Stratix 10", aoc_version="19.4").kernels
    assert kernel.estimate.loops[0].serial == serial


@pytest.mark.parametrize(("step", "ii"), [("% 16", 1), ("& 15", 1), ("/ 2", 1), ("% 10", 33)])
def test_a_counter_that_wraps_at_a_power_of_two_starts_every_cycle(step: str, ii: int) -> None:
    body = f"for (int i = 0; i < n; i++) {{ y[i] = x[part]; part = (part + 3) {step}; }}"
    assert interval("Stratix 10", body, "uint part = 0;") == ii


def test_a_table_with_other_evidence_is_kept_where_one_repository_is_left_out() -> None:
    whole = operation_table("Arria 10")
    assert operation_table("Arria 10", without="khrd/OpenCL-intelFPGA-") == whole
    only = operation_table("Cyclone V", (16, 1, 0))
    assert operation_table("Cyclone V", (16, 1, 0), without="SamyuelDanyo/OpenCLMachineLearningAcceleration") != only
