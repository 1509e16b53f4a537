"""WANG's four stories, stage by stage: what limits each version and what comes next, in the paper and in ours."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from bench.scoreboard.papers import CHAINS, assessed, seconds

from burstline_server.assessment.costing import KernelAssessment
from burstline_server.quantities import time_text
from burstline_server.words.verdict import LIMITS, lever_lines

ONE_LIMIT = 0.99
"""From this share of its cycles on, a loop asks the memory in each of them: requests and iterations are one limit."""


@dataclass(frozen=True)
class Stage:
    """A version, what the paper says limits it and does next, and where; `step` is that in our words.

    `why` says why ours begins with another step; empty where it begins with the paper's.
    """

    version: str
    limit: Literal["memory", "kernel"]
    paper: str
    place: str
    step: str
    why: str = ""

    @cached_property
    def kernel(self) -> KernelAssessment:
        """The version on the paper's board in the default mode, without the clock that its comment names."""
        name, *macros = self.version.split()
        defines = dict(macro.split("=") for macro in macros)
        return assessed("tuning", name, board="de5net", defines=defines)[1].kernels[0]

    @cached_property
    def first(self) -> str:
        """What to do first; empty where nothing is said."""
        return next(iter(lever_lines(self.kernel, 1)), "")

    @property
    def same_limit(self) -> bool:
        """Whether the same limits it: requests of a loop are the memory's and the kernel's."""
        ours = self.kernel.estimate.limit
        if self.limit == "memory":
            return ours in {"memory", "issue"} or (ours == "pipeline" and self.asks_each_cycle)
        return ours in {"pipeline", "issue"}

    @property
    def asks_each_cycle(self) -> bool:
        """Whether the loop that takes the time asks the memory in each of its cycles."""
        slowest = max(self.kernel.estimate.blocks, key=lambda b: b.cycles or 0.0)
        return (slowest.memory_cycles or 0.0) >= ONE_LIMIT * (slowest.cycles or 0.0)

    @property
    def same_step(self) -> bool:
        """Whether the first thing to do is the paper's."""
        return bool(re.search(self.step, self.first)) if self.step else not self.first

    @property
    def following(self) -> str:
        """The version that the paper's step leads to; empty where it stops."""
        (chain,) = (chain for chain in CHAINS.values() if self.version in chain)
        at = chain.index(self.version)
        return chain[at + 1] if self.step else ""


MM, KM, WC, SS = (CHAINS[name] for name in ("MM", "KM", "WC", "SS"))
STAGES = (
    Stage(MM[0], "memory", "B_mem very large → local memory", "6.3.3, step 1", "tile in local memory"),
    Stage(MM[1], "kernel", "B_comp, B_balance high → unroll", "6.3.3, step 2", "unroll the loop"),
    Stage(MM[2], "kernel", "B_comp high → SIMD", "6.3.3, step 3", "num_simd_work_items"),
    Stage(MM[3], "kernel", "no DSP block is left → stop", "6.3.3, step 3", ""),
    Stage(
        KM[0], "memory", "B_mem very large → local memory", "6.4.3, step 1", "local memory",
        "an iteration loads a feature and a centre, each once a cycle: without the second load it takes the same cycle",
    ),
    Stage(
        KM[1], "kernel", "B_balance, B_comp high → unroll", "6.4.3, step 2", "unroll the loop",
        "copies ask for columns far apart, as many requests of 4 B as before; it is the second line",
    ),
    Stage(KM[2], "memory", "B_mem high → coalescing", "6.4.3, step 3", r"vectors of \d"),
    Stage(
        KM[3], "kernel", "B_comp → compute units", "6.4.3, step 4", "num_compute_units",
        "each unit asks for the features of a point again; copies of the loop over centres share them",
    ),
    Stage(WC[0], "memory", "B_mem always high → local memory", "6.5.2", "local copy"),
    Stage(WC[1], "memory", "B_mem always high → private memory", "6.5.2", "private array"),
    Stage(WC[2], "memory", "B_mem always high → vectors", "6.5.2", "vector type"),
    Stage(
        WC[3], "kernel", "compute units, which answer B_comp; B_mem always high", "6.5.2", "num_compute_units",
        "copies of the loop that counts words gain more; compute units are the second line",
    ),
    Stage(SS[0], "memory", "vectors, which answer B_mem", "6.5.2", "vector type"),
    Stage(SS[1], "memory", "unroll, which answers B_mem and B_balance", "6.5.2", "unroll the loop"),
)  # fmt: skip


def stages_table() -> list[str]:
    """The stages as a table of the page."""
    lines = [
        "| version | the paper (section) | ours: limited by | ours: first to do | the paper's step | as in the paper |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for one in STAGES:
        limit = LIMITS[one.kernel.estimate.limit]
        after = f"{time_text(seconds(one.version))} → {time_text(seconds(one.following))}" if one.following else "–"
        same = _same(one)
        said = f"{same}: {one.why}" if one.why else same
        lines.append(
            f"| `{one.version}` | {one.paper} ({one.place}) | {limit} | {one.first or '–'} | {after} | {said} |"
        )
    return lines


def _same(one: Stage) -> str:
    same = [name for name, right in (("bottleneck", one.same_limit), ("step", one.same_step)) if right]
    return " and ".join(same) or "neither"
