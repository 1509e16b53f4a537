"""What the project wants of its speed, and why some of it is not reached."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from bench.performance.results import CHECK, HELD, PROTOCOL, SIZES, Results
from bench.servers.known import CLANGD, OURS


@dataclass(frozen=True)
class Goal:
    """A bound on a figure; `reason` is shown where it is missed."""

    words: str
    bound: float
    unit: str
    value: Callable[[Results], float | None]
    """None where it could not be measured."""
    reason: str
    least: bool = False
    """Whether the bound is the least that is required; else it is the most."""

    def met(self, results: Results) -> bool | None:
        """Whether a run reaches it."""
        value = self.value(results)
        return None if value is None else value >= self.bound if self.least else value <= self.bound


def times_faster(lines: int, theirs: str = "diagnostics") -> Callable[[Results], float | None]:
    """How often our diagnostics and hints fit into what clangd takes, both at their 95th percentiles."""

    def value(results: Results) -> float | None:
        ours, clangd = results.at(OURS.name, lines), results.at(CLANGD, lines)
        return None if ours is None or clangd is None else clangd.times[theirs].p95_s / ours.times["both"].p95_s

    return value


def edit_ms(lines: int) -> Callable[[Results], float | None]:
    """Our p95 from an edit to diagnostics and hints."""
    return lambda results: None if (m := results.at(OURS.name, lines)) is None else 1e3 * m.times["both"].p95_s


def hover_ms(lines: int) -> Callable[[Results], float | None]:
    """Our p95 of a hover."""
    return lambda results: None if (m := results.at(OURS.name, lines)) is None else 1e3 * m.times["hover"].p95_s


def memory_mb(lines: int) -> Callable[[Results], float | None]:
    """Our peak."""
    return lambda results: None if (m := results.at(OURS.name, lines)) is None else m.memory_mb["peak"]


def growth(results: Results) -> float | None:
    """How much dearer the middle edit of a ten times longer file is by our own clock."""
    small, large = results.own.get(1_000), results.own.get(10_000)
    return None if small is None or large is None else large.edits.p50_s / small.edits.p50_s


def start_ms(results: Results) -> float | None:
    """What the start takes over importing the protocol library."""
    return 1e3 * (results.starts[OURS.name].p50_s - results.starts[PROTOCOL].p50_s)


_PYTHON = (
    "Clangd is compiled code that pauses before it begins; ours begins at once, but what is done again for an edit is "
    "Python, save for the parser. Where its time goes is below."
)
_BUSY = (
    "What an edit takes of a processor is in the tables; the rest is the machine's other work, and the spikes are "
    "those of waiting for it."
)
_LARGE = "The text itself, and the lists of kernels, items and places, are still taken over as a whole."
_NAMES = (
    "A hover on any word but an access looks among the names of the file: the first one of all reads what each section "
    "declares (max in the first table), one after an edit what the edit touched."
)
_KEPT = (
    "The facts of every kernel and their estimates are kept as Python objects, so that an edit costs only what it "
    "touches."
)

GOALS = (
    *(
        Goal(f"edit → both, p95, {lines} lines: times faster than clangd's edit → diagnostics", 3, "×",
             times_faster(lines), f"{_PYTHON} {_BUSY}", least=True)
        for lines in SIZES
    ),
    Goal("edit → both, p95, 1000 lines", 16, "ms", edit_ms(1_000), _BUSY),
    Goal("edit by our own clock, lists of findings left out: 10 000 lines against 1 000", 1.3, "×", growth, _LARGE),
    *(Goal(f"hover, p95, {lines} lines", 2, "ms", hover_ms(lines), _NAMES) for lines in (1_000, 10_000)),
    *(
        Goal(f"memory, peak, {lines} lines", most, "MB", memory_mb(lines), _KEPT)
        for lines, most in zip(HELD, (100, 200), strict=True)
    ),
    Goal("start, p50, over importing the protocol library", 150, "ms", start_ms,
         "What the server itself imports is read from many files; see `python -X importtime`."),
    Goal("`burstline check` of one file, p50", 350, "ms", lambda results: 1e3 * results.starts[CHECK].p50_s,
         "Starting Python and reading our own modules is most of it."),
)  # fmt: skip
