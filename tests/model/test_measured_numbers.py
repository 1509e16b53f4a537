"""Shares of the peak that measurements left, from kernel text to each unit's time: bytes over peak times share."""

import pytest

from tests.assessing import assess

ITEMS = 1 << 20
KIT, KIT_B, CARD, HBM2 = (
    ("s10gx_ddr4_1866", 14.9328e9),
    ("a10_ref", 19.2e9),
    ("p385a", 17.064e9),
    ("s10mx_hbm2", 12.8e9),
)
POINTERS = "xyuvw"


def unit_s(
    board: str, statement: str, pointer: str, *, lanes: int = 16, f_max_mhz: float = 900, ideal: bool = False,
    banks: dict[str, int] | None = None,
) -> float:  # fmt: skip
    """What the units of a pointer take together, in company or (ideal) alone."""
    loads = ", ".join(f"__global const float *restrict {p}" for p in POINTERS)
    text = (
        f"__attribute__((reqd_work_group_size(256, 1, 1))) __attribute__((num_simd_work_items({lanes})))\n"
        f"__kernel void k({loads}, __global float *restrict z, __global float *restrict q,\n"
        "  __global const int *restrict place, __global int *restrict sum)\n"
        f"{{ const int i = get_global_id(0); {statement} }}\n"
    )
    placed = {} if banks is None else {"banks": banks}
    (kernel,) = assess(text, board=board, f_max_mhz=f_max_mhz, global_size=[ITEMS], **placed).kernels
    found = [u for u in kernel.estimate.units if kernel.facts.accesses[u.lsu.members[0]].pointer == pointer]
    return sum((u.t_ideal_s if ideal else u.time_s) or 0.0 for u in found)


def loads_of(number: int, index: str) -> str:
    """A sum of that many loads."""
    return " + ".join(["1.0f", *(f"{p}[{index}]" for p in POINTERS[:number])])


@pytest.mark.parametrize(
    ("board", "shares"),
    [
        (KIT, (0.944, 0.927, 0.792, 0.749, 0.726, 0.726)),
        (KIT_B, (0.95, 0.92, 0.79, 0.75, 0.73, 0.73)),
        (HBM2, (0.914, 0.914, 0.914)),
    ],
)
def test_aligned_units_of_a_bank(board: tuple[str, float], shares: tuple[float, ...]) -> None:
    """A store with 0, 1, … loads."""
    for loads, share in enumerate(shares):
        time = unit_s(board[0], f"z[i] = {loads_of(loads, 'i')};", "z")
        assert time == pytest.approx(4 * ITEMS / board[1] / share, rel=1e-3), loads


def test_units_in_step_over_both_banks() -> None:
    """Each buffer of 2^k bytes starts over the same bank: 2+2 has a second store."""
    for loads, share in ((0, 0.956), (1, 0.681), (2, 0.562), (3, 0.44), (4, 0.472)):
        time = unit_s(CARD[0], f"z[i] = {loads_of(loads, 'i')};", "z")
        assert time == pytest.approx(4 * ITEMS / 2 / CARD[1] / share, rel=1e-3), loads
    time = unit_s(CARD[0], "z[i] = x[i]; q[i] = y[i];", "q")
    assert time == pytest.approx(4 * ITEMS / 2 / CARD[1] / 0.505, rel=1e-3)


@pytest.mark.parametrize(
    ("statement", "share"),
    [("z[i] = x[i];", 0.915), ("z[i] = x[i] + y[i];", 0.79), ("if (x[i] + y[i] > 1e9f) z[0] = 1.0f;", 0.821),
     ("z[i] = x[i] + y[i] + u[i];", 0.75), ("z[i] = x[i] + y[i] + u[i] + v[i];", 0.73)],
)  # fmt: skip
def test_units_placed_in_one_of_two_banks(statement: str, share: float) -> None:
    banks = dict.fromkeys([*POINTERS, "z", "q", "place", "sum"], 0)
    time = unit_s(CARD[0], statement, "x", banks=banks)
    assert time == pytest.approx(4 * ITEMS / CARD[1] / share, rel=1e-3)


@pytest.mark.parametrize(("board", "quarter", "half"), [(KIT, 0.67, 0.937), (KIT_B, 0.60, 0.83), (CARD, 0.524, 0.735)])
def test_units_that_ask_for_a_part_of_the_peak(board: tuple[str, float], quarter: float, half: float) -> None:
    """Four lanes ask for 16 bytes a cycle: at a clock of a quarter and of half the peak; two units, both in a bank."""
    together = {KIT: 0.927, KIT_B: 0.92, CARD: 0.915}[board]
    for part, left in ((0.25, quarter), (0.5, half), (0.375, (quarter + half) / 2), (0.75, (1 + half) / 2)):
        clock = part * board[1] / 16 / 1e6
        time = unit_s(board[0], "z[i] = x[i];", "z", lanes=4, f_max_mhz=clock, banks={"x": 0, "z": 0})
        assert time == pytest.approx(4 * ITEMS / board[1] / together / left, rel=1e-3), part


@pytest.mark.parametrize(
    ("board", "shares"),
    [
        (KIT, (0.95, 0.839, 0.598, 0.561, 0.4743, 0.4079)),
        (KIT_B, (0.95, 0.839, 0.598, 0.561, 0.4743, 0.4079)),
        (HBM2, (0.858, 0.858)),
    ],
)
def test_units_that_are_not_aligned(board: tuple[str, float], shares: tuple[float, ...]) -> None:
    """Each third element: three times the bytes; 1, 2, … such loads and a store, and one such load alone.

    A request has 48 of 64 bytes. From four such loads on they lose a fifth, then a third of what wide ones reach.
    """
    for loads, share in enumerate(shares[1:], 1):
        time = unit_s(board[0], f"z[i] = {loads_of(loads, '3 * i')};", "x", lanes=4)
        assert time == pytest.approx(3 * 4 * ITEMS / board[1] / share, rel=1e-3), loads
    alone = unit_s(board[0], "z[i] = x[3 * i];", "x", lanes=4, ideal=True)
    assert alone == pytest.approx(3 * 4 * ITEMS / board[1] / shares[0], rel=1e-3)


@pytest.mark.parametrize(
    ("lanes", "gathered"),
    # Requests of 192, 96, 48 and 24 bytes; the last gather nothing: a word of 64 for each, 0.698 of the peak.
    [(16, 0.608), (8, 0.608), (4, 0.4079), (2, 0.2618)],
)
def test_narrow_requests_of_many_units_are_not_gathered(lanes: int, gathered: float) -> None:
    time = unit_s(KIT[0], f"z[i] = {loads_of(5, '3 * i')};", "x", lanes=lanes)
    assert time == pytest.approx(3 * 4 * ITEMS / KIT[1] / gathered, rel=1e-3)


@pytest.mark.parametrize(
    ("board", "word", "shares"),
    [
        (KIT, 64, (0.863, 0.599, 0.639, 0.685, 0.7, 0.698)),
        (KIT_B, 64, (0.863, 0.599, 0.639, 0.685, 0.685, 0.685)),
        (HBM2, 32, (0.247, 0.247)),
    ],
)
def test_words_that_lie_anywhere(board: tuple[str, float], word: int, shares: tuple[float, ...]) -> None:
    """A word for each element; the accesses of a bank count, the read of where to go among them."""
    for loads, share in enumerate(shares[1:]):
        time = unit_s(board[0], f"z[place[i]] = {loads_of(loads, 'place[i]')};", "z", lanes=4)
        assert time == pytest.approx(word * ITEMS / board[1] / share, rel=1e-3), loads
    alone = unit_s(board[0], "z[place[i]] = 1.0f;", "z", lanes=4, ideal=True)
    assert alone == pytest.approx(word * ITEMS / board[1] / shares[0], rel=1e-3)


@pytest.mark.parametrize("board", [KIT[0], KIT_B[0], CARD[0]])
def test_an_atomic_takes_325_ns(board: str) -> None:
    assert unit_s(board, "atomic_add(sum, place[i]);", "sum", lanes=4) == pytest.approx(ITEMS * 325e-9, rel=1e-3)
    assert unit_s(board, "atomic_add(sum, 1);", "sum", lanes=4) == pytest.approx(ITEMS * 325e-9 / 4, rel=1e-3)


TILES = """
#define T 16
__attribute__((reqd_work_group_size(T, T, 1)))
__attribute__((num_simd_work_items(T)))
__kernel void product(__global const float *restrict a, __global const float *restrict b, __global float *restrict c,
                      int n)
{
    __local float left[T][T], right[T][T];
    int x = get_local_id(0), y = get_local_id(1), row = get_global_id(1), column = get_global_id(0);
    float sum = 0.0f;
    for (int t = 0; t < n; t += T) {
        left[y][x] = a[row * n + t + x];
        right[y][x] = b[(t + y) * n + column];
        barrier(CLK_LOCAL_MEM_FENCE);
        #pragma unroll
        for (int k = 0; k < T; k++)
            sum += left[y][k] * right[k][x];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[row * n + column] = sum;
}
"""
STREAMS = """
__attribute__((reqd_work_group_size(256, 1, 1)))
__attribute__((num_simd_work_items(16)))
__kernel void add(__global const float *restrict a, __global const float *restrict b, __global float *restrict c)
{
    int i = get_global_id(0);
    c[i] = a[i] + b[i];
}
"""


def test_tiles_that_move_differently_do_not_meet_in_one_bank_all_the_time() -> None:
    """Streams of 2^k bytes over interleaved banks go in step; the two operands of a product do not."""
    (streams,) = assess(STREAMS, board="p385a", global_size=[1 << 24], f_max_mhz=300).kernels
    (tiles,) = assess(TILES, board="p385a", global_size=[1024, 1024], arguments={"n": 1024}, f_max_mhz=300).kernels
    assert streams.estimate.bandwidth_share == pytest.approx(0.562, abs=0.01)
    assert tiles.estimate.bandwidth_share is not None
    assert tiles.estimate.bandwidth_share > 0.7
