"""Numbers with units, three significant digits, the same on every surface; and lists within a sentence."""

from __future__ import annotations

from collections.abc import Sequence

ASSUMED = "≈?"
"""Marks a time that rests on assumed sizes."""
AT_WORST = " at worst"
"""Behind times that are the most that data, or the order of work-items, make of them."""

_ABBREVIATIONS = {
    "Burst-coalesced": "BCA", "Burst-coalesced non-aligned": "BCNA", "Burst-coalesced cached": "BCA cached",
    "Burst-coalesced non-aligned cached": "BCNA cached", "Burst-coalesced write-ack": "ACK",
    "Burst-coalesced write-ack non-aligned": "ACK non-aligned", "Prefetching": "PREF", "Streaming": "STREAM",
    "Semi-streaming": "SEMI", "Simple": "SIMPLE", "Atomic-pipelined": "ATOMIC", "Constant-pipelined": "CONST",
    "Pipelined": "PIPE", "Pipelined never-stall": "PIPE never-stall",
}  # fmt: skip


def three_digits(value: float) -> str:
    """Three significant digits, no exponent."""
    if value == 0:
        return "0"
    size = abs(value)
    decimals = 0 if size >= 100 else 1 if size >= 10 else 2 if size >= 1 else 3
    return f"{value:.{decimals}f}"


def time_text(seconds: float) -> str:
    """Seconds in s, ms, µs or ns."""
    for factor, unit in ((1.0, "s"), (1e3, "ms"), (1e6, "µs")):
        if seconds * factor >= 1:
            return f"{three_digits(seconds * factor)} {unit}"
    return f"{three_digits(seconds * 1e9)} ns"


def times_text(low_s: float, high_s: float) -> str:
    """A range of times, with one unit where both have the same."""
    low, high = time_text(low_s), time_text(high_s)
    if low == high:
        return low
    unit = high.rpartition(" ")[2]
    return f"{low.removesuffix(f' {unit}') if low.endswith(f' {unit}') else low}–{high}"


def cost_text(whole_s: float | None, each_s: float | None, per: str) -> str | None:
    """A time in all, or as far as that is known for each work-item or iteration (`per`); None where neither is."""
    if whole_s is not None:
        return time_text(whole_s)
    return f"{time_text(each_s)}/{_EACH.get(per, per)}" if each_s is not None else None


_EACH = {"work-item": "item"}


def gain_text(now_s: float | None, after_s: float | None, *, at_worst: bool = False) -> str:
    """What a change makes of a kernel's time, in brackets; empty where that is not known."""
    if now_s is None or after_s is None:
        return ""
    return f" (kernel {time_text(now_s)} → {time_text(after_s)}{AT_WORST if at_worst else ''})"


def interval_text(ii: float, at_run: float | None) -> str:
    """How often a loop starts an iteration: as it runs, and as it is scheduled where that is not the same."""
    if at_run is None or at_run >= ii:
        return f"every {ii:g} cycles"
    return f"every {at_run:.0f} cycles (scheduled: {ii:g})"


def count_text(count: float) -> str:
    """A number; from a million on with M or G."""
    for factor, unit in ((1e9, " G"), (1e6, " M")):
        if count >= factor:
            return f"{three_digits(count / factor)}{unit}"
    return whole_text(round(count))


def whole_text(count: int) -> str:
    """A whole number, in groups of three digits from five digits on."""
    return f"{count:,}".replace(",", " ") if count >= FEWEST_GROUPED else str(count)


FEWEST_GROUPED = 10_000


def bytes_text(count: float) -> str:
    """Bytes in B, kB, MB or GB; a share of one, as of an access that rarely runs, is less than one."""
    for factor, unit in ((1e9, "GB"), (1e6, "MB"), (1e3, "kB")):
        if count >= factor:
            return f"{three_digits(count / factor)} {unit}"
    return f"{count:.0f} B" if count >= 1 or not count else "< 1 B"


def bandwidth_text(bytes_s: float) -> str:
    """Bytes per second in GB/s."""
    return f"{three_digits(bytes_s / 1e9)} GB/s"


def frequency_text(hertz: float) -> str:
    """Hertz in MHz."""
    return f"{hertz / 1e6:.0f} MHz"


def factor_text(factor: float) -> str:
    """How many times faster, or more."""
    return f"{factor:.0f}×" if factor >= ROUND_FROM else f"{factor:.2g}×" if factor >= NEAR_ONE else f"{factor:.3g}×"


ROUND_FROM = 10.0
NEAR_ONE = 1.05
"""Below it, a factor has a digit more, so that it does not read as 1."""


def clock_range_text(low_hz: float, high_hz: float) -> str:
    """A range of clocks, in MHz."""
    return f"{low_hz / 1e6:.0f}–{high_hz / 1e6:.0f} MHz"


def share_text(share: float) -> str:
    """A share in percent."""
    return f"{share * 100:.0f} %"


def width_text(width_bits: int) -> str:
    """A request's width in bytes (bits below one byte's worth cannot occur)."""
    return f"{width_bits // 8} B"


def abbreviation(style: str) -> str:
    """The short name of a unit's style."""
    return _ABBREVIATIONS.get(style, style)


def in_words(names: Sequence[str]) -> str:
    """Names as an enumeration in a sentence."""
    return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else "".join(names)
