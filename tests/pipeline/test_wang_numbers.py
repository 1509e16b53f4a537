"""WANG's equations on tiny kernels, worked out by hand: Stratix V, two banks, 64 cycles of memory latency, Table 2."""

import pytest

from burstline_model.estimate.kernel_estimate import BlockEstimate, KernelEstimate
from tests.assessing import assess

CLOCK_HZ = 250e6
ADD = """__kernel void k(__global const int *restrict x, __global const int *restrict y, __global int *restrict z)
{ const int i = get_global_id(0); z[i] = x[i] + y[i]; }
"""
ROOTS = """__kernel void k(__global const float *restrict x, __global float *restrict z)
{ const int i = get_global_id(0); z[i] = sqrt(sqrt(sqrt(sqrt(x[i])))); }
"""
PRODUCT = """__kernel __attribute__((reqd_work_group_size(16, 16, 1)))
void k(__global const float *restrict a, __global const float *restrict b, __global float *restrict c)
{
    const int x = get_global_id(0), y = get_global_id(1);
    float s = 0.0f;
    for (int k = 0; k < 256; k++) s += a[256 * y + k] * b[256 * k + x];
    c[256 * y + x] = s;
}
"""
SUMS = """__kernel void k(__global const float *restrict x, __global float *restrict z)
{ for (int i = 0; i < 1000; i++) { float s = 0.0f; for (int j = 0; j < 10; j++) s += x[10 * i + j]; z[i] = s; } }
"""


def done(text: str, size: int | list[int] | None = None, **settings: object) -> KernelEstimate:
    """A kernel with the framework's own memory part."""
    size_of = {} if size is None else {"global_size": size}
    used = {"board": "de5net", "memory_part": "wang", "f_max_mhz": 250, **size_of, **settings}
    (kernel,) = assess(text, **used).kernels
    return kernel.estimate


def only(estimate: KernelEstimate) -> BlockEstimate:
    """The block of a kernel without loops."""
    (block,) = estimate.blocks
    return block


@pytest.mark.parametrize("items", [1, 64])
def test_few_items_do_not_hide_the_memorys_latency(items: int) -> None:
    """Eqs. 14 to 19: three streams of 4 of 64 bytes are 3/16 transactions an item, of 2 + 3/16 cycles in all.

    WI_mem = WI · (3/16) / (2 + 3/16); Mem = WI · (3/16) / (WI_mem / 64) = 64 · 2.1875, however many items there are.
    """
    block = only(done(ADD, items))
    assert block.depth == 2
    assert block.memory_cycles == pytest.approx(64 * 2.1875)
    # Eq. 24: what is left with all banks busy is WI · (3/16) / 2.
    estimate = done(ADD, items)
    assert estimate.potentials.b_itpp == pytest.approx((140 - items * 3 / 32) / 140)
    assert estimate.bound == "work_items"
    assert estimate.time_s == pytest.approx(140 / CLOCK_HZ)


@pytest.mark.parametrize(
    ("board", "latency", "depth"), [("de5net", 64, 2), ("de1soc", 64, 1), ("p385a", 120, 1), ("p520", 150, 1)]
)
def test_latency_of_a_family_s_memory(board: str, latency: int, depth: int) -> None:
    """The same with the latencies of other families, where a sum of integers takes no cycle."""
    assert only(done(ADD, 4, board=board)).memory_cycles == pytest.approx(latency * (depth + 3 / 16))


def test_many_items_flow_one_a_cycle() -> None:
    """Eq. 11: Comp_min = WI + #Cycle - 1; both banks busy: 3/16 · WI / 2."""
    block = only(done(ADD, 1 << 20))
    assert block.compute_cycles == (1 << 20) + 1
    assert block.memory_cycles == pytest.approx(3 / 32 * (1 << 20))
    assert done(ADD, 1 << 20).potentials.b_itpp == 0


@pytest.mark.parametrize(
    ("items", "units", "by_hand"),
    # #Cycle = 1 + 4 · 28; two streams: 1/8 transactions; WI_k = WI · 113 / 113.125.
    [
        (16, 1, (16 + 112) * 113.125 / 16),
        (64, 2, (64 / 2 + 112) * 2 * 113.125 / 64),
        (256, 2, 256 / 2 + 112),
        (4096, 1, 4096 + 112),
    ],
)
def test_items_that_do_not_fill_a_block_delay_it(items: int, units: int, by_hand: float) -> None:
    """Eqs. 11 and 12."""
    copies = f"__attribute__((num_compute_units({units}))) __attribute__((reqd_work_group_size(16, 1, 1)))\n"
    block = only(done(copies + ROOTS, items))
    assert (block.depth, block.compute_cycles) == (113, pytest.approx(by_hand))


def test_blocks_of_a_matrix_product() -> None:
    """256 x 256 items, 256 steps: the loop's block waits a sum of 7 cycles, the other an index.

    The row's element takes one transaction (the same for all lanes), the column's shares it with 15 others:
    2 / 8.5 a step, and 1/16 for the store; each block has its share of two banks. B_balance by Eq. 23; B_mem: 4, 64 and
    64 bytes of three transactions.
    """
    items, steps = 256 * 256, 256
    estimate = done(PRODUCT, [256, 256])
    loop, root = estimate.blocks
    step, store = 2 / 8.5 * steps, 1 / 16
    assert (loop.depth, loop.compute_cycles, root.compute_cycles) == (8, items * steps + 7, items + 1)
    memory = items * (step + store) / 2
    assert (loop.memory_cycles, root.memory_cycles) == (pytest.approx(memory), pytest.approx(memory))
    assert estimate.potentials.b_balance == pytest.approx(1 - memory / (items * steps + 7))
    assert estimate.potentials.b_mem == pytest.approx(1 - (4 + 64 + 64) / (3 * 64))
    assert estimate.time_s == pytest.approx((items * steps + 7) / CLOCK_HZ)


def test_iterations_of_a_single_work_item_take_the_place_of_items() -> None:
    """Ten unrolled sums of 7 cycles; 40 of 64 bytes and 4 of 64: 2 transactions in bursts of (1.6 + 16) / 2."""
    estimate = done(SUMS)
    loop, root = estimate.blocks
    assert (loop.depth, loop.compute_cycles, root.cycles) == (71, 1000 + 70, 1)
    assert loop.memory_cycles == pytest.approx(2 * 1000 / 8.8 / 2)
    # Eqs. 7 to 9: the loop after what precedes it.
    assert estimate.time_s == pytest.approx(1071 / CLOCK_HZ)


def test_a_nest_takes_its_inner_loop_s_iterations() -> None:
    """Arria 10: 100 times 50, a cycle each; a sum of 3 fills the loop inside once more; one for the rest."""
    text = (
        SUMS.replace("1000", "100")
        .replace("j < 10", "j < 50")
        .replace("float s = 0.0f; ", "float s = 0.0f;\n#pragma unroll 1\n")
    )
    estimate = done(text, board="p385a")
    assert estimate.time_s == pytest.approx((100 * 50 + 3 + 4 + 1) / CLOCK_HZ)


@pytest.mark.parametrize(
    ("lanes", "index", "potential"),
    [
        (16, "i", 0),  # 64 bytes: one transaction, by the floor of Eq. 2
        (1, "i", 0),  # sixteen items share it
        (4, "2 * i", 1 - (64 + 4 * 4) / 128),  # a burst of 1 where items leave gaps; the store's is full
        (16, "2 * i", 0),
    ],
)
def test_share_of_each_transaction_that_carries_nothing(lanes: int, index: str, potential: float) -> None:
    """Eqs. 1 to 4 and 21."""
    text = (
        f"__attribute__((reqd_work_group_size(64, 1, 1))) __attribute__((num_simd_work_items({lanes})))\n"
        "__kernel void k(__global const float *restrict x, __global float *restrict z)\n"
        f"{{ const int i = get_global_id(0); z[i] = x[{index}]; }}\n"
    )
    assert done(text, 4096).potentials.b_mem == pytest.approx(potential)


def test_each_lane_of_a_gather_has_a_transaction_of_its_own() -> None:
    """Four of them with four bytes each; indices and results are full."""
    text = (
        "__attribute__((reqd_work_group_size(64, 1, 1))) __attribute__((num_simd_work_items(4)))\n"
        "__kernel void k(__global const float *restrict x, __global const int *restrict p,\n"
        "    __global float *restrict z)\n"
        "{ const int i = get_global_id(0); z[i] = x[p[i]]; }\n"
    )
    assert done(text, 4096).potentials.b_mem == pytest.approx(1 - (64 + 4 * 4 + 64) / (6 * 64))
