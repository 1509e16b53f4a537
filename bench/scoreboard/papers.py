"""The papers' whole-kernel stories, from kernels of our own in the papers' sizes, in the default mode.

WANG (Wang et al., HPCA 2016): optimisation steps of four applications on a DE5-Net. FFD (feed-forward design, PAC with
Arria 10): the gain of splitting ten kernels into a memory and a compute kernel, Table 2. TYTRA (Nabi and
Vanderbauwhede, 2018): cycles of an instance, Table 2. Kernels lie in ``examples/``. Clocks that a kernel's comment
names are left out where the paper prints none, so that the clock is ours as well.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from pathlib import Path
from statistics import median
from typing import Any, Literal

from bench.scoreboard.figure import Area, Figure, Miss, Sources, Table, interval

from burstline_server.assessment.assessor import Assessment, Assessor
from burstline_server.config.layers import Layer
from burstline_server.rewrites.catalogue import priced
from burstline_server.rewrites.split.split import Split

NAME = "The papers' stories"
EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
SAME = 1.02
"""Times that differ by less than this factor count as equal."""
WORTH = 1.1
"""From this gain on a split is worth a host change."""
WORST = 5


@dataclass(frozen=True)
class Step:
    """One optimisation: the versions before and after, and the printed gain; None where only its side is printed."""

    story: str
    what: str
    before: str
    after: str
    gain: float | None = None


# Versions of kernels: a file of the tuning stories, and the macros that it is built with.
MM = ("mm_baseline", "mm_local", "mm_local_unrolled", "mm_local_unrolled_simd")
KM = (
    "km_baseline", "km_local", "km_local_unrolled", "km_local_unrolled_rows", "km_local_unrolled_rows UNITS=4",
)  # fmt: skip
WC = ("wc_baseline", "wc_local", "wc_local_private", "wc_local_private_vector", "wc_local_private_vector UNITS=4")
SS = ("ss_baseline", "ss_vector", "ss_vector_unrolled")
CHAINS = {"MM": MM, "KM": KM, "WC": WC, "SS": SS}
"""Each application's versions, slowest first, as measured."""
STEPS = (
    Step("MM", "local memory", MM[0], MM[1]),
    Step("MM", "unroll", MM[1], MM[2], 63.0),
    Step("MM", "SIMD", MM[2], MM[3]),
    Step("MM", "all steps", MM[0], MM[3], 362.4),
    Step("MM", "the compiler's -O3", MM[0], "mm_o3", 0.7),
    Step("KM", "local memory", KM[0], KM[1]),
    Step("KM", "unroll", KM[1], KM[2]),
    Step("KM", "rows", KM[2], KM[3], 11.6),
    Step("KM", "compute units", KM[3], KM[4]),
    Step("KM", "all steps", KM[0], KM[4], 293.4),
    Step(
        "KM",
        "inner before outer loop",
        f"{KM[2]} FEATURES_AT_ONCE=2 CENTRES_AT_ONCE=16",
        f"{KM[2]} FEATURES_AT_ONCE=8 CENTRES_AT_ONCE=2",
        137 / 64.5,
    ),
    Step("WC", "local memory", WC[0], WC[1]),
    Step("WC", "private memory", WC[1], WC[2]),
    Step("WC", "vectors", WC[2], WC[3]),
    Step("WC", "compute units", WC[3], WC[4]),
    Step("WC", "all steps", WC[0], WC[4], 11.4),
    Step("SS", "vectors", SS[0], SS[1]),
    Step("SS", "unroll", SS[1], SS[2]),
    Step("SS", "all steps", SS[0], SS[2], 9.4),
)


@dataclass(frozen=True)
class Splitting:
    """A row of FFD's Table 2: the gain of the split; where the work is printed, the time before it, and the clock."""

    name: str
    kernel: str
    gain: float
    before_ms: float | None = None
    f_max_mhz: float | None = None
    arguments: Mapping[str, int] | None = None
    launches: int = 1


SPLITS = (
    Splitting("BFS", "bfs", 13.84),
    Splitting("HS", "hs", 0.85),
    Splitting("NN", "nn", 1.03),
    Splitting("HS-3D", "hs3d", 0.88),
    Splitting("NW", "nw_row", 50.95, 26_036, 267.23, {"width": 8193}, 8192),
    Splitting("BP", "bp", 44.54, 140_601, 275.7, {"inputs": 12_800_000, "outputs": 16}),
    Splitting("FW", "fw", 64.95, 41_760, 266.0, {"n": 512}, 512),
    Splitting("MIS", "mis", 6.47),
    Splitting("PR", "pr", 0.96),
    Splitting("GC", "gc", 1.02),
)
CYCLES = (("hotspot", "hotspot, 512 × 512", 262_100.0, 262_300.0), ("lavamd", "lavaMD, 100 particles", 115.0, 111.0))
"""TYTRA Table 2: kernel, measured cycles, the paper's own estimate. The size behind SOR's 308 cycles is not printed."""


@dataclass(frozen=True)
class Compared:
    """A printed ratio and ours."""

    group: str
    name: str
    printed: float | None
    ours: float
    as_printed: float | None = None
    """By the paper's own equations."""

    @property
    def off(self) -> float:
        """How far ours is from a printed figure, as a factor of 1 or more."""
        ratio = self.ours / self.printed if self.printed else 1.0
        return max(ratio, 1 / ratio)

    @property
    def right_side(self) -> bool:
        """Whether ours is on the printed side of no gain; a step without a printed figure gains."""
        return side(self.ours) == side(self.printed if self.printed is not None else 2.0)


def side(gain: float) -> int:
    """1: faster, -1: slower, 0: as fast as before."""
    return 0 if 1 / SAME < gain < SAME else 1 if gain > 1 else -1


def measure(_sources: Sources) -> Area:
    """The three papers' stories: they need nothing but our own kernels, and are the same in a quick run."""
    area = Area(NAME)
    if not EXAMPLES.is_dir():
        area.skipped = f"no kernels ({EXAMPLES})"
        return area
    steps, splits, cycles = list(_steps()), list(_splits()), list(_cycles())
    pairs, times = list(_pairs()), list(_times())
    area.figures = [*_wang(steps, pairs), *_ffd(splits, times), _tytra(cycles)]
    area.tables = [_steps_table(steps), _splits_table(splits), _whole_table(times, cycles)]
    return area


def assessed(folder: str, name: str, **settings: Any) -> tuple[Assessor, Assessment, list[Layer]]:
    """An example as a user would have it assessed, without the clock that its comment names."""
    path = EXAMPLES / folder / f"{name}.cl"
    text = re.sub(r" f_max_mhz=\S+", "", path.read_text("utf-8"))
    assessor, layers = Assessor(), [Layer("option", settings)]
    return assessor, assessor.assess(text, str(path), layers), layers


@cache
def seconds(version: str, **settings: str) -> float:
    """The time of a version of the tuning stories; not a number where none is printed."""
    name, *macros = version.split()
    defines = dict(macro.split("=") for macro in macros)
    _, done, _ = assessed("tuning", name, board="de5net", defines=defines, **settings)
    time = done.kernels[0].estimate.time_s
    return math.nan if time is None else time


def _steps() -> Iterator[Compared]:
    for step in STEPS:
        ours, own = (seconds(step.before, **how) / seconds(step.after, **how) for how in ({}, {"memory_part": "wang"}))
        yield Compared(step.story, step.what, step.gain, ours, own)


def _pairs() -> Iterator[tuple[str, bool]]:
    """Every two versions of an application, and whether the one measured faster is predicted faster."""
    for story, chain in CHAINS.items():
        times = [seconds(name) for name in chain]
        yield from ((story, earlier > SAME * later) for earlier, later in combinations(times, 2))


def split_gain(kernel: str) -> float | None:
    """What the split into one memory and one compute kernel is said to gain; None where it is not offered."""
    assessor, done, layers = assessed("feedforward", kernel)
    for offer in Split().offers(done, done.kernels[0]):
        fix = priced(assessor, done, layers, offer, every=True)
        if fix is not None and fix.speedup is not None:
            return fix.speedup
    return None


def _splits() -> Iterator[Compared]:
    for row in SPLITS:
        gain = split_gain(row.kernel)
        yield Compared(row.name, "not offered" if gain is None else "offered", row.gain, gain or 1.0)


def _times() -> Iterator[Compared]:
    for row in SPLITS:
        if row.before_ms is not None:
            launch = {row.kernel: {"arguments": dict(row.arguments or {})}}
            _, done, _ = assessed("feedforward", row.kernel, kernels=launch, f_max_mhz=row.f_max_mhz)
            time = done.kernels[0].estimate.time_s
            yield Compared(row.name, "ms before the split", row.before_ms, 1e3 * row.launches * (time or math.nan))


def _cycles() -> Iterator[Compared]:
    for kernel, name, measured, own in CYCLES:
        _, done, _ = assessed("roofline", kernel)
        estimate = done.kernels[0].estimate
        cycles = estimate.compute_s * estimate.f_max_hz if estimate.compute_s is not None else math.nan
        yield Compared(name, "cycles of an instance", measured, cycles, own)


def _figure(
    key: str, what: str, rows: Sequence[Any], groups: Sequence[Sequence[Any]],
    statistic: Callable[[Sequence[Any]], float], unit: Literal["%", "x"], held_out: str, **more: Any,
) -> Figure:  # fmt: skip
    low, high = interval(groups, statistic)
    return Figure(
        key=f"papers.{key}", area=NAME, what=what, rows=len(rows), ours=statistic(rows) if rows else None, unit=unit,
        better="higher" if unit == "%" else "lower", held_out=held_out, low=low, high=high, **more,
    )  # fmt: skip


def _share(rows: Sequence[bool]) -> float:
    return 100 * sum(rows) / len(rows)


def _median_off(rows: Sequence[Compared]) -> float:
    return median(row.off for row in rows)


def _grouped(rows: Sequence[Compared]) -> list[list[Compared]]:
    return [[row for row in rows if row.group == group] for group in dict.fromkeys(row.group for row in rows)]


def _misses(rows: Sequence[Compared]) -> tuple[Miss, ...]:
    ordered = sorted((row for row in rows if row.printed), key=lambda row: -row.off)[:WORST]
    return tuple(
        Miss(f"{row.group}: {row.name}", f"{row.printed:,.4g}", f"{row.ours:,.4g}", f"{row.off:.2f}× off")
        for row in ordered
    )


def _wang(steps: Sequence[Compared], pairs: Sequence[tuple[str, bool]]) -> list[Figure]:
    held = "operation latencies of Stratix V are the paper's Table 2; no gain is fitted"
    sized = [step for step in steps if step.printed]
    sides = [[step.right_side for step in group] for group in _grouped(steps)]
    orders = [[right for story, right in pairs if story == name] for name in CHAINS]
    printed_sides = [side(step.printed or 2.0) for step in steps]
    return [
        _figure(
            "wang.steps", "WANG: optimisation steps on the right side of no gain", steps, sides,
            lambda rows: _share([r if isinstance(r, bool) else r.right_side for r in rows]), "%", held,
            baseline=_share([one == 1 for one in printed_sides]), baseline_name="every step gains",
            worst=_misses(steps),
        ),
        _figure(
            "wang.order", "WANG: pairs of versions in the measured order", [right for _, right in pairs], orders,
            _share, "%", held, baseline=50.0, baseline_name="by chance",
        ),
        _figure(
            "wang.gain", "WANG: median factor between predicted and printed gain", sized, _grouped(sized),
            _median_off, "x", held, baseline=median(max(s.printed or 1.0, 1 / (s.printed or 1.0)) for s in sized),
            baseline_name="no step gains",
        ),
    ]  # fmt: skip


def _ffd(splits: Sequence[Compared], times: Sequence[Compared]) -> list[Figure]:
    held = "the latency of a loop through global memory on Arria 10 is near the paper's II of 285"
    chosen = [(row.ours >= WORTH) == ((row.printed or 1.0) >= WORTH) for row in splits]
    nothing = median(max(row.printed or 1.0, 1 / (row.printed or 1.0)) for row in splits)
    return [
        _figure(
            "ffd.gain", "FFD: median factor between predicted and measured gain of the split", splits,
            _grouped(splits), _median_off, "x", held, baseline=nothing, baseline_name="no split gains",
            worst=_misses(splits),
        ),
        _figure(
            "ffd.choice", "FFD: splits that pay are said to pay, others not", chosen, [chosen], _share, "%", held,
            baseline=_share([(row.printed or 1.0) < WORTH for row in splits]), baseline_name="no split pays",
        ),
        _figure(
            "ffd.time", "FFD: median factor of the time before the split, where the work is printed", times,
            _grouped(times), _median_off, "x", held, worst=_misses(times),
        ),
    ]  # fmt: skip


def _tytra(cycles: Sequence[Compared]) -> Figure:
    own = median(max(r, 1 / r) for row in cycles if (r := (row.as_printed or math.nan) / (row.printed or math.nan)))
    return _figure(
        "tytra.cycles", "TYTRA: factor between predicted and measured cycles", cycles, [list(cycles)], _median_off,
        "x", "nothing is fitted", baseline=own, baseline_name="the paper's own estimate", worst=_misses(cycles),
    )  # fmt: skip


def _times_text(value: float | None) -> str:
    return "" if value is None else f"{value:.3g}×"


def _steps_table(steps: Sequence[Compared]) -> Table:
    rows = [
        (step.group, step.name, _times_text(step.printed) or "faster", _times_text(step.ours),
         "yes" if step.right_side else "no", _times_text(step.as_printed))
        for step in steps
    ]  # fmt: skip
    return Table(
        "WANG: optimisation steps",
        ("application", "step", "paper", "ours", "right side", "by the paper's equations"),
        tuple(rows),
        "The paper prints neither the unroll factor behind SS nor the k-means configuration behind 293×: ours unroll "
        "as far as the device holds, which is where the paper stops, and the inner loop fully. Its -O3 figures for KM, "
        "WC and SS name no configuration and are left out.",
    )


def _splits_table(splits: Sequence[Compared]) -> Table:
    rows = [(row.group, _times_text(row.printed), _times_text(row.ours), row.name) for row in splits]
    return Table(
        "FFD: gain of the split into a memory and a compute kernel", ("kernel", "paper", "ours", ""), tuple(rows)
    )


def _whole_table(times: Sequence[Compared], cycles: Sequence[Compared]) -> Table:
    rows = [
        (row.group, row.name, f"{row.printed:,.0f}", f"{row.ours:,.0f}", f"{row.off:.2f}×",
         f"{row.as_printed:,.0f}" if row.as_printed else "")
        for row in (*times, *cycles)
    ]  # fmt: skip
    return Table(
        "FFD and TYTRA: times and cycles",
        ("kernel", "figure", "measured", "ours", "off", "the paper's own"),
        tuple(rows),
    )
