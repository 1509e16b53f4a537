"""What a memory reaches, fitted from microbenchmarks: medians of measured shares of the peak, nothing else."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from math import exp, log
from statistics import median

from burstline_model.boards.board import LONGEST_NS, Board
from burstline_model.boards.board_spec import quoted
from burstline_model.memory.calibrated import (
    CROWD,
    NEGLIGIBLE,
    BankSharing,
    Mix,
    Pattern,
    bound_s,
    company,
    demand_bytes,
    narrowness,
    pattern,
    traffic,
)
from burstline_model.memory.memory_units import MemoryUnit, Options
from burstline_model.validation.measurement import Measurement

BOUND_BY_KERNEL = 1.03
"""A run that takes less than this times what the kernel's clock allows says nothing of the memory."""
WIDE = 0.9
"""From this share of a bank's peak on, a unit's own requests count as wide."""
_NEXT_TO_EACH_OTHER = 1.1
"""Bytes fetched for each useful one, up to which a stream counts as plain."""
_SPARE = 0.97
"""A bank that explains this much of the time is taken for the one that set it."""
Shares = dict[str, list[float]]


class Fitted:
    """Measured figures of a board, with how many rows each rests on."""

    def __init__(self) -> None:
        self.figures: dict[str, object] = {}
        self.rows: dict[str, int] = {}

    def put(self, key: str, value: object, rows: int) -> None:
        """Keep a figure."""
        self.figures[key] = value
        self.rows[key] = rows


def fit(rows: Sequence[Measurement], board: Board) -> Fitted:
    """Fit a board's figures from runs on it; runs that the kernel's clock bounds are left out."""
    own = [_without_negligible(m) for m in rows if m.board == board.name]
    by_memory = [m for m in own if not _bound_by_kernel(m, board)]
    result = Fitted()
    streams = [m for m in by_memory if _is(m, "aligned")]
    shared = [m for m in streams if m.group == "interleaved"]
    steps = _grouped((_key(m.units), _share(m, board)) for m in shared)
    _put_table(result, "interleaved", steps)
    if steps:
        _put_counts(result, "in_step", _by_count(steps), board.measured.in_step)
    banked = _banked([m for m in streams if m.group == "banked" and _is_wide(m, board)], board)
    _put_table(result, "banked", banked)
    if banked:
        _put_counts(result, "aligned", _by_count(banked), board.measured.aligned)
    wide = {key: median(values) for key, values in banked.items()}
    narrow = [m for m in streams if m.group == "banked" and not _is_wide(m, board)]
    _put_narrow(result, narrow, wide, board)
    alone = _numbered([m for m in by_memory if _is(m, "scattered")], board, lambda mix: mix.accesses)
    if alone:
        _put_counts(result, "scattered", {n: [s for s, _ in v] for n, v in alone.items()}, board.measured.scattered)
    gathered = _numbered([m for m in by_memory if _is(m, "non_aligned")], board, lambda mix: mix.units)
    if gathered:
        _put_gathered(result, gathered, board)
    atomics = [_atomic_ns(m) for m in own if any(u.kind == "atomic" for u in m.units)]
    if atomics and median(atomics) <= LONGEST_NS:
        result.put("atomic_ns", round(median(atomics)), len(atomics))
    return result


def toml_of(fitted: Fitted, source: str) -> str:
    """The ``[measured]`` table of a board file."""
    lines = ["[measured]"]
    for key, value in fitted.figures.items():
        if isinstance(value, dict):
            inside = ", ".join(f'"{k}" = {v:g}' for k, v in value.items())
            lines.append(f"{key} = {{ {inside} }}  # {fitted.rows[key]} rows")
        elif isinstance(value, tuple):
            lines.append(f"{key} = [{', '.join(f'{v:g}' for v in value)}]  # {fitted.rows[key]} rows")
        else:
            lines.append(f"{key} = {value:g}  # {fitted.rows[key]} rows")
    lines.append(f"source = {quoted(source)}")
    return "\n".join(lines) + "\n"


def _is(m: Measurement, what: Pattern) -> bool:
    """Whether all units of a run have one pattern, streams one element after the other."""
    return all(
        u.kind != "atomic" and pattern(u) == what and (what == "scattered" or u.stride < _NEXT_TO_EACH_OTHER)
        for u in m.units
    )


def _without_negligible(m: Measurement) -> Measurement:
    """The run without what moves next to nothing, such as a store that runs once."""
    most = max(u.bytes for u in m.units)
    kept = tuple(u for u in m.units if u.kind == "atomic" or u.bytes >= NEGLIGIBLE * most)
    return m.model_copy(update={"units": kept})


def _bound_by_kernel(m: Measurement, board: Board) -> bool:
    kernel = Options(issue_bound=True, alignment_law=True, interconnect=True)
    return m.time_s < BOUND_BY_KERNEL * bound_s(m.units, board.memory, m.f_max_hz, kernel)


def _moved(units: Iterable[MemoryUnit], board: Board) -> float:
    """The bytes that the units move, words fetched for one element counted whole."""
    return sum(u.bytes * traffic(u, board.memory) for u in units)


def _share(m: Measurement, board: Board) -> float:
    """What the run reached of the peak of all banks it used."""
    banks = {b for u in m.units for b in u.banks}
    busiest = max(_moved((u for u in m.units if b in u.banks), board) / _spread(m, b) for b in banks)
    return busiest / m.time_s / board.memory.bandwidth_bytes_s


def _spread(m: Measurement, bank: int) -> int:
    return max(len(u.banks) for u in m.units if bank in u.banks)


def _is_wide(m: Measurement, board: Board) -> bool:
    return min(demand_bytes(u, board.memory) for u in m.units) * m.f_max_hz >= WIDE * board.memory.bandwidth_bytes_s


def _key(units: Iterable[MemoryUnit]) -> str:
    mix = Mix()
    for unit in units:
        mix.add(unit)
    return f"{mix.reads}+{mix.writes}"


def _grouped(pairs: Iterable[tuple[str, float]]) -> Shares:
    found: Shares = {}
    for key, share in pairs:
        found.setdefault(key, []).append(share)
    return found


def _banked(rows: Sequence[Measurement], board: Board) -> Shares:
    """Shares by what shares a bank. Which of several banks set the time follows from what is known of the others."""
    found: Shares = {}
    waiting = list(rows)
    while waiting:
        left = []
        for m in waiting:
            around = company(m.units)
            unknown = _unknown(m, around, found, board)
            if len(unknown) == 1:
                key, moved = unknown.popitem()
                found.setdefault(key, []).append(moved / m.time_s / board.memory.bandwidth_bytes_s)
            elif unknown:
                left.append(m)
        if len(left) == len(waiting):
            break
        waiting = left
    return found


def _unknown(m: Measurement, around: BankSharing, found: Shares, board: Board) -> dict[str, float]:
    """The mixes that may have set the time, each with the bytes of its bank; the one that did, once known."""
    open_: dict[str, float] = {}
    for bank, mix in around.banks.items():
        key = f"{mix.reads}+{mix.writes}"
        moved = sum(u.bytes for u in m.units if bank in u.banks)
        known = found.get(key)
        if known and moved / board.memory.bandwidth_bytes_s / median(known) >= _SPARE * m.time_s:
            return {key: moved}
        open_[key] = max(moved, open_.get(key, 0.0))
    most = max(open_.values())
    busy = {k: v for k, v in open_.items() if v >= 0.99 * most}
    fresh = {k: v for k, v in busy.items() if k not in found}
    return fresh or dict([next(iter(busy.items()))])


def _put_table(result: Fitted, key: str, shares: Shares) -> None:
    if shares:
        table = {k: round(median(v), 3) for k, v in sorted(shares.items())}
        result.put(key, table, sum(len(v) for v in shares.values()))


def _by_count(shares: Shares) -> dict[int, list[float]]:
    counts: dict[int, list[float]] = {}
    for key, values in shares.items():
        counts.setdefault(sum(int(n) for n in key.split("+")), []).append(median(values))
    return counts


def _put_counts(result: Fitted, key: str, counts: dict[int, list[float]], usual: tuple[float, ...]) -> None:
    """A list by the number of units; a number nobody ran keeps the figure the board had."""
    shares = [
        median(counts[n]) if n in counts else usual[min(n, len(usual)) - 1]
        for n in range(1, max(*counts, len(usual)) + 1)
    ]
    # More units in a bank never make it faster: what a fit of few rows says otherwise is noise.
    for n in range(1, len(shares)):
        if n + 1 not in counts:
            shares[n] = min(shares[n], shares[n - 1])
    result.put(key, tuple(round(s, 3) for s in shares), sum(len(v) for v in counts.values()))


def _put_narrow(result: Fitted, rows: Sequence[Measurement], wide: dict[str, float], board: Board) -> None:
    """How much less of its efficiency a shared bank keeps where each unit asks for a quarter or half of the peak."""
    factors: dict[str, list[float]] = {"quarter": [], "half": []}
    for m in rows:
        around = company(m.units)
        most = max(sum(u.bytes for u in m.units if b in u.banks) for b in around.banks)
        crowded = {
            f"{mix.reads}+{mix.writes}"
            for b, mix in around.banks.items()
            if mix.units > 1 and sum(u.bytes for u in m.units if b in u.banks) >= 0.99 * most
        }
        known = [wide[k] for k in sorted(crowded) if k in wide]
        demand = min(demand_bytes(u, board.memory) for u in m.units) * m.f_max_hz / board.memory.bandwidth_bytes_s
        if not known or not 0.18 <= demand <= 0.7:
            continue
        reached = most / m.time_s / board.memory.bandwidth_bytes_s / min(known)
        factors["quarter" if demand < 0.36 else "half"].append(min(1.0, reached))
    if factors["half"]:
        half = median(factors["half"])
        # A request that costs a fixed time more keeps 1 / (1 + c / demand - c), which half of the peak gives c for.
        quarter = median(factors["quarter"]) if factors["quarter"] else half / (3 - 2 * half)
        count = len(factors["half"]) + len(factors["quarter"])
        result.put("narrow", (round(quarter, 3), round(half, 3)), count)


def _numbered(
    rows: Sequence[Measurement], board: Board, number: Callable[[Mix], int]
) -> dict[int, list[tuple[float, Measurement]]]:
    """Shares by how many units there are in the fullest bank."""
    found: dict[int, list[tuple[float, Measurement]]] = {}
    for m in rows:
        found.setdefault(max(map(number, company(m.units).banks.values())), []).append((_share(m, board), m))
    return found


def _put_gathered(result: Fitted, rows: dict[int, list[tuple[float, Measurement]]], board: Board) -> None:
    """Shares of non-aligned units, and how fast they fall where many narrow ones share a bank.

    The fall is the median slope between runs of as many units and other widths.
    """
    crowds = {
        n: [(share, max(0, n - CROWD) * narrowness(m.units[0], board.memory), m) for share, m in of_number]
        for n, of_number in rows.items()
    }
    slopes = [
        log(one / other) / (more - less)
        for of_number in crowds.values()
        for one, less, _ in of_number
        for other, more, _ in of_number
        if more > less
    ]
    fall = max(0.0, median(slopes)) if slopes else 0.0
    wide = {
        n: [share * exp(fall * crowd) for share, crowd, m in of_number if _is_wide(m, board)]
        for n, of_number in crowds.items()
    }
    kept = {n: shares for n, shares in wide.items() if shares}
    if kept:
        _put_counts(result, "non_aligned", kept, board.measured.non_aligned)
    if fall:
        result.put("crowding", round(fall, 3), len(slopes))


def _atomic_ns(m: Measurement) -> float:
    operations = sum(
        u.bytes / u.access_bytes / (u.lanes if u.constant_operand else 1) for u in m.units if u.kind == "atomic"
    )
    return m.time_s / operations * 1e9
