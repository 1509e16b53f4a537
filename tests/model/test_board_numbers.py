"""M21's equations on every board, from kernel text, by the figures of its data sheets."""

from typing import NamedTuple

import pytest

from burstline_model.boards.board import boards
from tests.assessing import assess

ITEMS = 1 << 20


class Sheet(NamedTuple):
    """A memory as its data sheet and interface have it, and the clock that kernels are given on the board."""

    clock_mhz: float
    word_bytes: int
    row_ns: float
    """T_RCD + T_RP."""
    write_ns: float
    burst_bytes: int
    banks: int
    f_max_mhz: float
    bus_bytes: int = 8

    @property
    def peak_bytes_s(self) -> float:
        """Two beats a clock."""
        return self.bus_bytes * 2 * self.clock_mhz * 1e6

    def two_units_bytes_s(self, width: float) -> float:
        """Eq. 6: what two units or more ask for, up to the peak."""
        return min(self.peak_bytes_s, 2 * self.f_max_mhz * 1e6 * width)


# JEDEC: DDR3-800 6-6-6 and DDR3-1600 11-11-11; DDR4 13.5 ns in M21 Table 3; HBM2 14 ns there. Bursts: 16 words as the
# vendor's interface reports, 32 where M21 fitted them. HBM2: pointers that nobody places share pseudo-channel 0.
SHEETS = {
    "de1soc": Sheet(400, 32, 30, 15, 512, 1, 140, bus_bytes=4),
    "de10_nano": Sheet(400, 32, 30, 15, 512, 1, 140, bus_bytes=4),
    "de5net": Sheet(800, 64, 27.5, 15, 1024, 2, 250),
    "a10_ref": Sheet(1200, 64, 27, 15, 1024, 1, 240),
    "p385a": Sheet(1066.5, 64, 27, 15, 1024, 2, 300),
    "pac_a10": Sheet(1066.5, 64, 27, 15, 1024, 2, 240),
    "p520": Sheet(1200, 64, 27, 15, 1024, 4, 320),
    "pac_d5005": Sheet(1200, 64, 27, 15, 1024, 4, 300),
    "s10gx_ddr4_1866": Sheet(933.3, 64, 27, 15, 2048, 1, 480),
    "s10gx_ddr4_2666": Sheet(1333.3, 64, 27, 15, 2048, 1, 480),
    "iseries_dk": Sheet(1200, 64, 27, 15, 1024, 4, 400),
    "s10mx_hbm2": Sheet(800, 32, 28, 15, 1024, 1, 450),
    "p520mx": Sheet(800, 32, 28, 15, 1024, 1, 400),
    "n6001": Sheet(1200, 64, 27, 15, 1024, 4, 400, bus_bytes=4),
    "harp2": Sheet(296.875, 64, 0, 0, 256, 1, 225, bus_bytes=64),
}
MOST_REQUESTS = 64
"""max_th of the vendor's interface."""
every_board = pytest.mark.parametrize("board", SHEETS)


def seconds(board: str, statement: str, lanes: int) -> float:
    """The faithful time of one statement for each of 2^20 work-items."""
    text = (
        f"__attribute__((reqd_work_group_size(256, 1, 1))) __attribute__((num_simd_work_items({lanes})))\n"
        "__kernel void k(__global const float *restrict x, __global const float *restrict y,\n"
        "  __global float *restrict z, __global const int *restrict place, __global int *restrict sum)\n"
        f"{{ const int i = get_global_id(0); {statement} }}\n"
    )
    (kernel,) = assess(text, board=board, mode="faithful", global_size=[ITEMS]).kernels
    assert kernel.estimate.time_s is not None
    return kernel.estimate.time_s


def test_every_board_is_held_to_its_sheet() -> None:
    assert set(boards()) == set(SHEETS)


@every_board
def test_one_stream_is_issued_or_saturates_a_bank(board: str) -> None:
    """Eqs. 3 to 5: one unit of 16 bytes asks each of the banks for f_max · 16 bytes a second."""
    sheet = SHEETS[board]
    speed = min(sheet.peak_bytes_s, sheet.f_max_mhz * 1e6 * 16)
    assert seconds(board, "z[i] = 1.0f;", 4) == pytest.approx(4 * ITEMS / sheet.banks / speed, rel=1e-3)


@every_board
def test_two_streams_share_the_peak(board: str) -> None:
    """Eq. 6: twice f_max · 64 bytes is above the peak of most; Eq. 8: up to two units open no rows anew."""
    sheet = SHEETS[board]
    by_hand = 2 * 4 * ITEMS / sheet.banks / sheet.two_units_bytes_s(64)
    assert seconds(board, "z[i] = x[i];", 16) == pytest.approx(by_hand, rel=1e-3)


@every_board
def test_three_streams_open_a_row_for_each_burst(board: str) -> None:
    """Eqs. 9 and 10."""
    sheet = SHEETS[board]
    by_hand = 3 * 4 * ITEMS / sheet.banks * (1 / sheet.two_units_bytes_s(64) + sheet.row_ns * 1e-9 / sheet.burst_bytes)
    assert seconds(board, "z[i] = x[i] + y[i];", 16) == pytest.approx(by_hand, rel=1e-3)


@every_board
@pytest.mark.parametrize(("stride", "width"), [(5, 64), (7, 128)])
def test_requests_that_a_non_aligned_unit_joins(board: str, stride: int, width: int) -> None:
    """Eqs. 11 and 12: four lanes reach over 16 or 22 floats; 64 requests of that width make less than a page."""
    sheet = SHEETS[board]
    joined = min(MOST_REQUESTS * width / (stride + 1), sheet.burst_bytes) / stride
    burst = max(joined, sheet.word_bytes)
    speed = sheet.two_units_bytes_s(width / stride)
    loads = 2 * stride * 4 * ITEMS * (1 / speed + sheet.row_ns * 1e-9 / burst)
    stored = sheet.two_units_bytes_s(16)
    stores = 4 * ITEMS * (1 / stored + sheet.row_ns * 1e-9 / sheet.burst_bytes)
    time = seconds(board, f"z[i] = x[{stride} * i + 1] + y[{stride} * i + 1];", 4)
    assert time == pytest.approx((loads + stores) / sheet.banks, rel=1e-3)


@every_board
def test_a_write_ack_unit_recovers_from_each_write(board: str) -> None:
    """Eq. 13, and a word for each element: four lanes load and store at random, and read where to in a row."""
    sheet = SHEETS[board]
    row_s = (sheet.row_ns + sheet.write_ns) * 1e-9
    scattered = 2 * ITEMS * sheet.word_bytes * (1 / sheet.two_units_bytes_s(64) + row_s / sheet.burst_bytes)
    read = sheet.two_units_bytes_s(16)
    index = 4 * ITEMS * (1 / read + sheet.row_ns * 1e-9 / sheet.burst_bytes)
    time = seconds(board, "z[place[i]] = x[place[i]];", 4)
    assert time == pytest.approx((scattered + index) / sheet.banks, rel=1e-3)


@pytest.mark.parametrize("board", [name for name, sheet in SHEETS.items() if sheet.clock_mhz != 800 or sheet.banks > 1])
def test_an_atomic_opens_two_rows_and_writes(board: str) -> None:
    """Eq. 14 over four bytes: 2 (T_RCD + T_RP) + T_WR each, a fourth of it where four lanes add the same.

    Eqs. 3 and 6: four bytes a cycle, twice as many with a unit for each of four lanes.
    """
    sheet = SHEETS[board]
    once_s = (2 * sheet.row_ns + sheet.write_ns) * 1e-9
    for lanes, units in ((1, 1), (4, 2)):
        by_hand = 4 * ITEMS * (once_s / lanes + 1 / (units * sheet.f_max_mhz * 1e6 * 4)) / sheet.banks
        assert seconds(board, "atomic_add(sum, 1);", lanes) == pytest.approx(by_hand, rel=1e-3)
    if sheet.banks == 1:
        varying = seconds(board, "atomic_add(&sum[i & 15], i);", 4)
        assert varying == pytest.approx(4 * ITEMS * (once_s + 1 / (2 * sheet.f_max_mhz * 1e6 * 4)), rel=1e-3)


@pytest.mark.parametrize(("lanes", "f_max_mhz", "saturated"), [(16, 120, True), (16, 110, False), (32, 110, False)])
def test_two_units_saturate_from_half_the_clock_on_and_wide_requests_gain_nothing(
    lanes: int, f_max_mhz: float, saturated: bool
) -> None:
    """Eqs. 5 and 6 on DDR4-1866: 14.93 GB/s over 64 bytes is 233 MHz; half of it with two units in the bank."""
    text = (
        "__kernel void k(__global const float *restrict x, __global float *restrict z) {\n"
        f"#pragma unroll {lanes}\n for (int i = 0; i < 1048576; i++) z[i] = x[i]; }}\n"
    )
    (kernel,) = assess(text, board="s10gx_ddr4_1866", mode="faithful", f_max_mhz=f_max_mhz).kernels
    assert [u.saturated for u in kernel.estimate.units] == [saturated] * 2
    assert [u.f_min_hz for u in kernel.estimate.units] == [pytest.approx(233.3e6, rel=1e-3)] * 2
