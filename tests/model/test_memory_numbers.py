"""The printed numbers of M21's Table 4 that its equations reproduce, from the parameters alone."""

import pytest

from burstline_model.boards.board import find_board
from burstline_model.memory.estimate import estimate_memory
from burstline_model.memory.memory_units import MemoryUnit

N = 32_768_000
DDR, HBM = "s10gx_ddr4_1866", "s10mx_hbm2"


def stream(op: str, elements: int, size: int = 4, *, v: int = 16, stride: int = 1, bank: int = 0) -> MemoryUnit:
    """An aligned unit that moves `elements` of `size` bytes, v lanes wide."""
    return MemoryUnit.model_validate(
        {
            "kind": "aligned", "op": op, "width_bytes": v * size * stride, "bytes": elements * size,
            "access_bytes": size, "stride": stride, "lanes": v, "banks": (bank,),
        }
    )  # fmt: skip


def milliseconds(board_name: str, units: list[MemoryUnit], *, spread: bool = True) -> float:
    """T_est in ms at the board's default clock; on HBM2 every unit in its own channel if `spread`."""
    board = find_board(board_name)
    if board.memory.separate_channels and spread:
        units = [u.model_copy(update={"banks": (i,)}) for i, u in enumerate(units)]
    return estimate_memory(units, board.memory, board.compiler.f_max_mhz * 1e6).t_est_s * 1e3


VECTOR_ADD = [stream("load", N), stream("load", N), stream("store", N)]
STRIDED = [stream("load", N, stride=2), stream("load", N, stride=2), stream("store", N, stride=2)]
IAMAX = [stream("load", N), stream("store", 1)]
FFT = [stream("load", 8_192_000, 8, v=8), stream("store", 8_192_000, 8, v=8)]
NEAREST = [stream("load", 12_800_000, 8, v=8), stream("store", 12_800_000, 4)]
PREFIX = [stream("load", 16_777_216), stream("store", 16_777_216)]
HISTOGRAM = [stream("load", 31_457_280)]
WM = [stream("load", 104_200_000), stream("store", 104_200_000)]
SOBEL = [stream(op, 1920 * 1080, v=4) for op in ("load", "load", "store")]


@pytest.mark.parametrize(
    ("board", "units", "printed"),
    [
        (DDR, VECTOR_ADD, "31.5"),
        (HBM, VECTOR_ADD, "10.24"),
        (DDR, STRIDED, "63.0"),
        (HBM, STRIDED, "81.9"),
        (DDR, IAMAX, "8.8"),
        (HBM, IAMAX, "10.2"),
        (DDR, FFT, "8.8"),
        (HBM, FFT, "5.1"),
        (DDR, NEAREST, "10.3"),
        (HBM, NEAREST, "8.0"),
        (DDR, PREFIX, "9.0"),
        (HBM, PREFIX, "5.24"),
        (DDR, HISTOGRAM, "8.4"),
        (HBM, HISTOGRAM, "9.8"),
        (DDR, WM, "55.8"),
        (HBM, WM, "32.6"),
        (DDR, SOBEL, "2.0"),
    ],
)
def test_printed_times(board: str, units: list[MemoryUnit], printed: str) -> None:
    digits = len(printed.split(".")[1])
    assert f"{milliseconds(board, units):.{digits}f}" == printed


def test_axpy_in_place_shares_a_channel_on_hbm2() -> None:
    units = [stream("load", N), stream("load", N, bank=1), stream("store", N, bank=1)]
    assert f"{milliseconds(HBM, units, spread=False):.1f}" == "20.5"


def test_sobel_does_not_saturate_hbm2() -> None:
    board = find_board(HBM)
    units = [u.model_copy(update={"banks": (i,)}) for i, u in enumerate(SOBEL)]
    assert not any(u.saturated for u in estimate_memory(units, board.memory, 450e6).units)


def test_overhead_begins_with_the_third_unit_in_a_bank() -> None:
    memory = find_board(DDR).memory
    two, three = (estimate_memory([stream("load", N)] * n, memory, 480e6) for n in (2, 3))
    assert all(u.t_ovh_s == 0 for u in two.units)
    # 2048 B bursts, 27 ns to open a row each.
    assert three.units[0].t_ovh_s == pytest.approx(N * 4 / 2048 * 27e-9)


def test_non_aligned_threshold_is_the_papers_349_mhz() -> None:
    # v = 4 and δ = 3 on a 64 B unit: half of f_min where several units share the bank.
    memory = find_board(DDR).memory
    unit = MemoryUnit(kind="non_aligned", op="load", width_bytes=64, bytes=1e6, access_bytes=4, stride=3, lanes=4)
    assert estimate_memory([unit] * 3, memory, 480e6).units[0].f_min_hz / 2 == pytest.approx(349.99e6, rel=1e-3)


@pytest.mark.parametrize(("board", "mhz"), [(DDR, 233.3), (HBM, 400.0)])
def test_write_ack_threshold_is_one_burst_per_request(board: str, mhz: float) -> None:
    unit = MemoryUnit(kind="write_ack", op="store", width_bytes=4, bytes=4e6, access_bytes=4)
    assert estimate_memory([unit], find_board(board).memory, 1e9).units[0].f_min_hz / 1e6 == pytest.approx(
        mhz, rel=1e-3
    )


def test_write_ack_pays_a_whole_word_for_each_element() -> None:
    memory = find_board(DDR).memory
    unit = MemoryUnit(kind="write_ack", op="store", width_bytes=4, bytes=N * 4, access_bytes=4)
    plain = stream("store", N)
    slow, fast = (estimate_memory([u], memory, 480e6).t_est_s for u in (unit, plain))
    assert slow / fast == pytest.approx(16)


def test_atomic_costs_a_read_and_a_write_row_each_and_a_constant_operand_shares_them() -> None:
    memory = find_board(DDR).memory
    unit = MemoryUnit(kind="atomic", op="atomic", width_bytes=4, bytes=N * 4, access_bytes=4, lanes=4)
    constant = unit.model_copy(update={"constant_operand": True})
    one, shared = (estimate_memory([u], memory, 480e6).units[0].t_ovh_s for u in (unit, constant))
    assert one == pytest.approx(N * 4 * 69e-9)
    assert one / shared == pytest.approx(4)


def test_atomics_are_refused_on_hbm2_with_the_reason() -> None:
    unit = MemoryUnit(kind="atomic", op="atomic", width_bytes=4, bytes=4, access_bytes=4)
    assert estimate_memory([unit], find_board(HBM).memory, 450e6).units[0].impossible
