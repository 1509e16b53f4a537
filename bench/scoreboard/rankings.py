"""How well variants of a kernel are ranked before any compile, against measured design spaces.

By design space: Kendall's tau-b of predicted against measured time, and the regret: the measured time of our first
choice, and of the best of our first five, over the best there is. Where several variants are predicted alike, the
regret is what choosing among them by chance gives on average.
"""

from __future__ import annotations

import math
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import chain
from multiprocessing import get_context
from pathlib import Path
from statistics import fmean, geometric_mean

import numpy as np
from bench.scoreboard.apart import CONSTANTS, READ, without
from bench.scoreboard.figure import Area, Figure, Miss, Sources, Table, interval
from bench.scoreboard.repositories import git_dir
from bench.scoreboard.spaces import ASSUMED_TRIPS, BOYI, SPECTOR, Variant, boyi, spector

from burstline_model.devices.resource_use import RESOURCES, WORDS, Amounts
from burstline_server.assessment.assessor import Assessment, Assessor
from burstline_server.config.layers import Layer

NAME = "Ranking of variants"
QUICK_VARIANTS = 16
"""Designs of each space in a quick run."""
WORST = 5
MANY = 100
"""From so many variants on they are shared out to processes."""


@dataclass(frozen=True)
class Ranked:
    """A variant and what is foreseen of it: its time in seconds, and the resource that is said not to suffice."""

    variant: Variant
    predicted_s: float | None
    too_large: str = ""
    at_clock_s: float | None = None
    """The time at the clock that was reached."""

    @property
    def measured_ms(self) -> float:
        """Its measured time."""
        return self.variant.measured_ms


def measure(sources: Sources) -> Area:
    """Rank the variants of every design space at hand."""
    area = Area(NAME)
    rows = None if sources.truth is None else sources.truth / "boyi_train.jsonl"
    folder = None if sources.truth is None else sources.truth / "spector"
    if rows is None or folder is None or not rows.is_file() or not folder.is_dir():
        area.skipped = "no measured design spaces (spector, boyi_train.jsonl)"
        return area
    if sources.mirror is None or not all(git_dir(sources.mirror, name).is_dir() for name in (SPECTOR, BOYI)):
        area.skipped = f"no git directories of the kernels' repositories ({SPECTOR}, {BOYI})"
        return area
    spaces = by_space(chain(spector(folder, sources.mirror), boyi(rows, sources.mirror)))
    if sources.quick:
        spaces = {name: sample(variants, QUICK_VARIANTS) for name, variants in spaces.items()}
    ranked = {name: rank_all(variants) for name, variants in spaces.items()}
    apart = held_out(spaces)
    area.figures = figures(ranked, apart)
    area.tables = [_table(ranked, apart), _too_large_table(ranked), _read_table()]
    return area


def by_space(variants: Iterable[Variant]) -> dict[str, list[Variant]]:
    """The variants by their design space."""
    found: dict[str, list[Variant]] = {}
    for variant in variants:
        found.setdefault(variant.space, []).append(variant)
    return found


def sample(variants: Sequence[Variant], most: int) -> list[Variant]:
    """The same few of them every time, from the whole range of measured times."""
    ordered = sorted(variants, key=lambda v: v.measured_ms)
    step = (len(ordered) - 1) / max(most - 1, 1)
    return ordered if len(ordered) <= most else [ordered[round(i * step)] for i in range(most)]


def rank(variant: Variant) -> Ranked:
    """Assess a variant, and once more at the clock that its build reached."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for file, text in variant.texts.items():
            path = folder / file
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, "utf-8")
        main = folder / next(iter(variant.texts))
        layer = Layer("file", {**variant.settings, "assumed_trips": ASSUMED_TRIPS})
        clock = Layer("option", {"f_max_mhz": variant.f_max_mhz})
        assessor, text = Assessor([folder]), main.read_text("utf-8")
        done = assessor.assess(text, str(main), [layer])
        clocked = assessor.assess(text, str(main), [layer, clock]) if variant.f_max_mhz else None
    return Ranked(variant, _time_s(done), _scarce(done), _time_s(clocked) if clocked else None)


def rank_all(variants: Sequence[Variant]) -> list[Ranked]:
    """Assess some variants, many of them in processes that start as copies of this one, its constants with it."""
    if len(variants) < MANY:
        return [rank(v) for v in variants]
    with ProcessPoolExecutor(mp_context=get_context("fork")) as workers:
        return list(workers.map(rank, variants, chunksize=16))


def _time_s(done: Assessment) -> float | None:
    """Kernels that talk through channels run at once, the others one after the other."""
    times = [k.estimate.time_s for k in done.kernels]
    known = [t for t in times if t is not None]
    if len(known) < len(times) or not known:
        return None
    return max(known) if any(k.facts.channels for k in done.kernels) else sum(known)


def _scarce(done: Assessment) -> str:
    """What all kernels together are said to take more of than there is."""
    uses = [k.estimate.resources for k in done.kernels if k.estimate.resources is not None]
    if not uses:
        return ""
    used = Amounts()
    for use in uses:
        used = used.plus(use.kernel)
    whole = used.plus(uses[0].shell)
    return ", ".join(WORDS[r] for r in RESOURCES if 0 < uses[0].device.of(r) < whole.of(r))


def kendall_tau_b(first: Sequence[float], second: Sequence[float]) -> float:
    """Kendall's tau-b: agreement of two orders, ties accounted for; not a number where one has a single value."""
    a, b = (np.sign(np.subtract.outer(v, v)) for v in (np.asarray(first), np.asarray(second)))
    pairs = math.sqrt(float(np.abs(a).sum()) * float(np.abs(b).sum()))
    return float((a * b).sum()) / pairs if pairs else math.nan


def regret(predicted: Sequence[float], measured: Sequence[float], first: int) -> float:
    """The best measured time of the `first` choices over the best of all; among ties, what chance gives on average."""
    by_time: dict[float, list[float]] = {}
    for p, m in zip(predicted, measured, strict=True):
        by_time.setdefault(p, []).append(m)
    best, left = math.inf, first
    for p in sorted(by_time):
        some = sorted(by_time[p])
        if len(some) > left:
            every = math.comb(len(some), left)
            return sum(
                min(best, m) * math.comb(len(some) - i - 1, left - 1) / every for i, m in enumerate(some)
            ) / min(measured) if left else best / min(measured)  # fmt: skip
        best, left = min(best, some[0]), left - len(some)
    return best / min(measured)


@dataclass(frozen=True)
class Quality:
    """How well one order fits the measured one."""

    tau: float
    top1: float
    top5: float


def quality(rows: Sequence[Ranked], of: Callable[[Ranked], float | None]) -> Quality | None:
    """The order that something gives: tau 0 where all are equal, None where fewer than two variants have it."""
    known = [(value, row.measured_ms) for row in rows if (value := of(row)) is not None]
    if len(known) < 2:
        return None
    values, measured = [v for v, _ in known], [m for _, m in known]
    tau = kendall_tau_b(values, measured)
    return Quality(0.0 if math.isnan(tau) else tau, regret(values, measured, 1), regret(values, measured, 5))


def ours(row: Ranked) -> float | None:
    """What we rank by."""
    return row.predicted_s


def other(name: str) -> Callable[[Ranked], float | None]:
    """What else there is to rank by."""
    return lambda row: row.variant.others.get(name)


def figures(ranked: dict[str, list[Ranked]], apart: dict[str, Quality]) -> list[Figure]:
    """Means over the spaces, each space counting alike; `apart`: those ranked without what they gave."""
    found = {name: q for name, rows in ranked.items() if (q := quality(rows, ours))}
    simple = [q for rows in ranked.values() if (q := quality(rows, other("more parallel")))]
    count = sum(map(len, ranked.values()))
    low_to_high = sorted(found.items(), key=lambda one: one[1].tau)
    worst = tuple(_miss(name, q, ranked[name]) for name, q in low_to_high[:WORST])

    def figure(key: str, what: str, of: Mapping[str, Quality], get: Callable[[Quality], float]) -> Figure:
        tau = key.startswith("tau")
        mean = fmean if tau else geometric_mean
        values = [get(q) for q in of.values()]
        low, high = interval([[v] for v in values], mean)
        return Figure(
            key=f"rankings.{key}", area=NAME, what=what, rows=count, unit="tau" if tau else "x",
            better="higher" if tau else "lower", ours=mean(values) if values else None, low=low, high=high,
            baseline=mean([get(q) for q in simple]) if simple else None, baseline_name="more parallel first",
            held_out="mm, hist and HSTI without their constants; the rules that fir, mm, hist, dct and PS gave stay"
            if of is not found else "MM and PAD gave nothing; fir, mm, hist, dct, HSTI and PS did",
            worst=worst if key == "tau" else (),
        )  # fmt: skip

    known = [row for rows in ranked.values() for row in rows if row.predicted_s is not None]
    large = [row for row in known if row.too_large]
    low, high = interval([[r for r in rows if r.predicted_s] for rows in ranked.values()], _share_too_large)
    return [
        figure("tau", "mean of Kendall's tau-b over the design spaces", found, lambda q: q.tau),
        figure("tau_held_out", "the same, each space without what it gave", {**found, **apart}, lambda q: q.tau),
        figure("top1", "our first choice over the best measured, geometric mean", found, lambda q: q.top1),
        figure("top5", "the best of our first five over the best measured, the same", found, lambda q: q.top5),
        Figure(
            key="resources.too_large", area=NAME, what="designs that were built and ran, said not to fit the device",
            rows=len(known), ours=100 * len(large) / len(known) if known else None, unit="%", better="lower",
            low=low, high=high, baseline=0.0, baseline_name="say that everything fits",
            held_out="resource tables and fits come from other builds",
        ),
    ]  # fmt: skip


def _share_too_large(rows: Sequence[Ranked]) -> float:
    return 100 * sum(bool(row.too_large) for row in rows) / len(rows) if rows else math.nan


def _miss(name: str, found: Quality, rows: Sequence[Ranked]) -> Miss:
    known = sorted((row for row in rows if row.predicted_s), key=lambda row: row.predicted_s or 0.0)
    best = min(rows, key=lambda row: row.measured_ms)
    first = known[0]
    distinct = len({row.predicted_s for row in known})
    return Miss(
        f"{name}: τ {found.tau:.2f}",
        f"best: design {best.variant.name}, {best.measured_ms:.3g} ms",
        f"first choice: design {first.variant.name}, measured {first.measured_ms:.3g} ms, "
        f"predicted {1e3 * (first.predicted_s or 0.0):.3g} ms",
        f"{distinct} distinct predictions for {len(known)} designs",
    )


def held_out(spaces: dict[str, list[Variant]]) -> dict[str, Quality]:
    """The spaces that a constant was read from, ranked without it."""
    found: dict[str, Quality] = {}
    for space in dict.fromkeys(constant.space for constant in CONSTANTS):
        with ExitStack() as stack:
            withdrawn = [stack.enter_context(without(one)) for one in CONSTANTS if one.space == space]
            q = quality(rank_all(spaces.get(space, ())), ours) if any(withdrawn) else None
        if q is not None:
            found[space] = q
    return found


def _table(ranked: dict[str, list[Ranked]], apart: dict[str, Quality]) -> Table:
    rows = []
    for name, some in ranked.items():
        own = quality(some, ours)
        known = [row for row in some if row.predicted_s is not None]
        cells = [quality(some, other(which)) for which in ("more parallel", "compiler")]
        rows.append((
            name, str(len(some)), str(len(known)), f"{own.tau:.2f}" if own else "",
            *(f"{q.tau:.2f}" if q else "" for q in (apart.get(name), quality(some, lambda row: row.at_clock_s))),
            *(f"{q.tau:.2f}" if q else "" for q in cells),
            *((f"{own.top1:.2f}×", f"{own.top5:.2f}×") if own else ("", "")),
        ))  # fmt: skip
    return Table(
        "Design spaces",
        ("design space", "variants", "with a time", "τ", "τ without its own constants", "τ at the measured clock",
         "τ, more parallel", "τ, the compiler's estimate", "top-1", "top-5"),
        tuple(rows),
        "Lower-case spaces are Spector's (DE5-Net, aoc 14.1), upper-case ones Boyi's (Arria 10, aoc 16.1).",
    )  # fmt: skip


def _too_large_table(ranked: dict[str, list[Ranked]]) -> Table:
    rows = []
    for name, some in ranked.items():
        known = [row for row in some if row.predicted_s is not None]
        large = [row for row in known if row.too_large]
        words = sorted({word for row in large for word in row.too_large.split(", ")})
        shares = ", ".join(f"{w} {sum(w in row.too_large for row in large)}" for w in words)
        rows.append((name, str(len(known)), f"{_share_too_large(known):.1f} %", shares))
    return Table("Built designs that are said not to fit", ("design space", "variants", "too large", "by"), tuple(rows))


def _read_table() -> Table:
    return Table("What the model read from the design spaces", ("design space", "constants"), READ)
