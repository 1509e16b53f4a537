"""What the calibrated mode promises, whatever its figures are."""

import math
from typing import Literal, get_type_hints

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from burstline_model.boards.board import Board, Memory, boards, find_board
from burstline_model.memory.estimate import estimate_memory
from burstline_model.memory.memory_units import FAITHFUL, MemoryTime, MemoryUnit, Options, UnitTime, options_for

MIB = 2.0**20
BOARDS = st.sampled_from(sorted(boards()))


@st.composite
def kernels(draw: st.DrawFn) -> tuple[MemoryUnit, ...]:
    """A few units on a board's first banks."""
    return tuple(
        MemoryUnit(
            kind=draw(st.sampled_from(["aligned", "non_aligned", "write_ack", "cached", "prefetching"])),
            op=draw(st.sampled_from(["load", "store"])),
            width_bytes=draw(st.sampled_from([4, 16, 64, 128])),
            bytes=draw(st.floats(1e3, 1e9)),
            access_bytes=4,
            stride=draw(st.sampled_from([1, 2, 3, 16])),
            lanes=draw(st.sampled_from([1, 4, 16])),
            banks=(draw(st.integers(0, 0)),),
        )
        for _ in range(draw(st.integers(1, 5)))
    )


def stream(
    op: Literal["load", "store"], size: float, width_bytes: float, banks: tuple[int, ...], *,
    in_step: bool = False, misaligned: bool = False,
) -> MemoryUnit:  # fmt: skip
    """A unit that moves `size` bytes one after the other."""
    return MemoryUnit(
        kind="non_aligned" if misaligned else "aligned", op=op, width_bytes=width_bytes, bytes=size, access_bytes=4,
        lanes=max(1, round(width_bytes / 4)), banks=banks, in_step=in_step, misaligned=misaligned,
    )  # fmt: skip


def calibrated(units: tuple[MemoryUnit, ...], board: Board, f_max_hz: float) -> MemoryTime:
    """The estimate of the default mode."""
    return estimate_memory(units, board.memory, f_max_hz, options_for("calibrated", board))


def scaled(units: tuple[MemoryUnit, ...], by: float) -> tuple[MemoryUnit, ...]:
    """The same kernel over more or less data."""
    return tuple(u.model_copy(update={"bytes": u.bytes * by}) for u in units)


@settings(max_examples=200, deadline=None)
@given(kernels(), BOARDS, st.floats(50e6, 900e6))
def test_twice_the_data_takes_twice_as_long(units: tuple[MemoryUnit, ...], name: str, f_max_hz: float) -> None:
    board = find_board(name)
    once, twice = (calibrated(scaled(units, n), board, f_max_hz) for n in (1, 2))
    assert twice.t_est_s == pytest.approx(2 * once.t_est_s)
    for a, b in zip(once.units, twice.units, strict=True):
        assert b.t_ideal_s == pytest.approx(2 * a.t_ideal_s)


@settings(max_examples=200, deadline=None)
@given(kernels(), BOARDS, st.floats(50e6, 900e6), st.integers(0, 4), st.floats(1, 10))
def test_more_bytes_are_never_faster(
    units: tuple[MemoryUnit, ...], name: str, f_max_hz: float, which: int, more: float
) -> None:
    board = find_board(name)
    # A unit of next to nothing is not counted as company: grow units that are.
    big = tuple(u.model_copy(update={"bytes": max(u.bytes, 1e8)}) for u in units)
    grown = tuple(
        u.model_copy(update={"bytes": u.bytes * more}) if i == which % len(big) else u for i, u in enumerate(big)
    )
    before, after = (calibrated(u, board, f_max_hz).t_est_s for u in (big, grown))
    assert after >= before * (1 - 1e-9)


@settings(max_examples=200, deadline=None)
@given(kernels(), BOARDS, st.floats(50e6, 450e6), st.floats(1, 2), st.floats(1, 2))
def test_a_faster_memory_or_kernel_is_never_slower(
    units: tuple[MemoryUnit, ...], name: str, f_max_hz: float, memory: float, kernel: float
) -> None:
    board = find_board(name)
    better = board.model_copy(
        update={
            "memory": Memory.model_validate(
                {
                    **board.memory.model_dump(),
                    "clock_mhz": board.memory.clock_mhz * memory,
                    "peak_mb_s": board.memory.peak_mb_s * memory,
                }
            )
        }
    )
    now = calibrated(units, board, f_max_hz).t_est_s
    assert calibrated(units, better, f_max_hz).t_est_s <= now * (1 + 1e-9)
    assert calibrated(units, board, f_max_hz * kernel).t_est_s <= now * (1 + 1e-9)


@settings(max_examples=100, deadline=None)
@given(kernels(), BOARDS, st.floats(50e6, 900e6))
def test_with_every_option_off_the_model_is_the_faithful_one(
    units: tuple[MemoryUnit, ...], name: str, f_max_hz: float
) -> None:
    board = find_board(name)
    off = Options(issue_bound=False, alignment_law=False, interconnect=False, measured=None)
    assert options_for("faithful", board) == FAITHFUL == off
    done = estimate_memory(units, board.memory, f_max_hz, off)
    assert done.t_est_s == max(done.bank_s.values())


@settings(max_examples=100, deadline=None)
@given(kernels(), BOARDS, st.floats(50e6, 900e6))
def test_no_estimate_beats_the_memorys_peak(units: tuple[MemoryUnit, ...], name: str, f_max_hz: float) -> None:
    board = find_board(name)
    least = sum(u.bytes for u in units) / board.memory.bandwidth_bytes_s
    done = calibrated(units, board, f_max_hz)
    assert done.t_est_s >= least * (1 - 1e-9)
    assert all(math.isfinite(u.time_s) and u.t_ideal_s >= 0 and u.t_ovh_s >= 0 for u in done.units)


@pytest.mark.parametrize(("width", "factor"), [(8, 9 / 8), (16, 5 / 4), (32, 3 / 2), (64, 2)])
def test_the_alignment_law(width: int, factor: float) -> None:
    """Off its alignment, a request of w bytes takes (k+1)/k cycles, k = 64/w: 8/9, 4/5, 2/3 and 1/2 of the rate."""
    board = find_board("p385a")
    aligned, off = (
        calibrated((stream("load", 1024 * MIB, width, (0,), misaligned=bad),), board, 100e6).t_est_s
        for bad in (False, True)
    )
    assert off / aligned == pytest.approx(factor)


def test_reads_of_one_bank_share_a_port_and_stores_share_a_ring() -> None:
    board = find_board("p385a")
    slow = 50e6

    def cycles(*units: MemoryUnit) -> float:
        return calibrated(units, board, slow).t_est_s * slow / (1024 * MIB / 64)

    read, other = (stream("load", 1024 * MIB, 64, (bank,)) for bank in (0, 1))
    store = stream("store", 1024 * MIB, 64, (1,))
    assert cycles(read) == pytest.approx(1)
    assert cycles(read, read) == pytest.approx(2)
    assert cycles(read, other) == pytest.approx(1)
    assert cycles(read, store) == pytest.approx(1)
    assert cycles(store, store.model_copy(update={"banks": (0,)})) == pytest.approx(2 / 0.95)


def test_interleaved_streams_in_step_lose_to_streams_on_banks_of_their_own() -> None:
    board = find_board("p385a")
    placed = (stream("load", 1024 * MIB, 64, (0,)), stream("store", 1024 * MIB, 64, (1,)))
    shared = tuple(stream(u.op, 1024 * MIB, 64, (0, 1), in_step=True) for u in placed if u.op != "atomic")
    by_hand, interleaved = (calibrated(u, board, 266.67e6).t_est_s for u in (placed, shared))
    # FPGAMemBench: 32.6 against 23.2 GB/s.
    assert interleaved / by_hand == pytest.approx(32.6 / 23.2, rel=0.05)


def test_every_public_quantity_says_its_unit() -> None:
    units = ("_s", "_hz", "_mb_s", "_mhz", "_ns", "bytes")
    for record in (MemoryUnit, UnitTime, MemoryTime, Memory):
        quantities = [n for n, type_ in get_type_hints(record).items() if type_ is float and n != "stride"]
        assert quantities
        assert [n for n in quantities if not n.endswith(units)] == []


@pytest.mark.parametrize("name", ["s10gx_ddr4_1866", "p385a"])
def test_a_request_that_takes_whole_words_is_not_narrow(name: str) -> None:
    # Lanes 16 elements apart have units of their own: each of their requests takes a word of which 4 B are used.
    board = find_board(name)
    apart = tuple(
        stream("load", 64 * MIB, 4, (0,)).model_copy(update={"stride": 16.0, "access": lane}) for lane in range(4)
    )
    wide = tuple(stream("load", 16 * 64 * MIB, 64, (0,)) for _ in range(4))
    assert calibrated(apart, board, 400e6).bank_s[0] == pytest.approx(
        calibrated(wide, board, 400e6).bank_s[0], rel=0.01
    )
