"""Fits of the resource model: non-negative, relative, robust; and of the clock over utilisation."""

from __future__ import annotations

import csv
import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import numpy as np
from bench.scoreboard.builds import SPECTOR, Build

from burstline_model.devices.cost import Cost
from burstline_model.devices.cost_tables import cost_table
from burstline_model.devices.resource_use import Amounts, Resource
from burstline_model.resources.kernel_parts import fabric_counts
from burstline_model.resources.memories import array_cost
from burstline_model.resources.operations import bodies
from burstline_model.resources.unit_parts import unit_cost
from burstline_model.target import FAMILIES, Family

Vector = np.ndarray[tuple[int, ...], np.dtype[np.float64]]
FABRIC = ("loop", "loop_bit", "item_bit", "unit_bit", "item_array_bit", "channel_bit", "interconnect")
FITTED: tuple[Resource, ...] = ("logic_alms", "registers", "rams")
TRUTH: dict[Resource, str] = {"logic_alms": "alms", "registers": "ffs", "rams": "rams", "dsps": "dsps"}
FLOOR: dict[Resource, float] = {"logic_alms": 500, "registers": 500, "rams": 10, "dsps": 2}
"""Kernels smaller than this count as this large: an error of two RAM blocks of three says little."""
SEPARATE = {"interconnect", "channel_bit"}
"""What reports without placed figures list apart from the kernels."""
ROUNDS, SWEEPS, NEAR = 15, 150, 0.1
_ONE_COPY = re.compile(r"(_\d+){3}$")


@dataclass(frozen=True)
class Pieces:
    """A build as the model counts it: pieces as reports list them, and how often each row of the fabric is taken."""

    build: Build
    known: Cost
    counts: dict[str, float]
    units: int
    """Load/store units on global memory."""


def family_of(build: Build) -> Family:
    """The family of a build."""
    return next(f for f in FAMILIES if f == build.family)


def pieces_of(build: Build) -> Pieces:
    """The pieces of all kernels and compute units of a build."""
    table = cost_table(family_of(build))
    known, outside = Cost(), 0
    counts: dict[str, float] = defaultdict(float)
    for k in build.kernels:
        units = 1 if _ONE_COPY.search(build.name) else k.facts.compute_units
        levels = bodies(k.facts, k.copies, table)
        own = [level.cost for level in levels] + [unit_cost(lsu, table)[0] for lsu in k.lsus]
        own += [cost[0] for a in k.facts.arrays if (cost := array_cost(a, k.facts, k.copies, table)) is not None]
        if k.facts.model != "autorun":
            own.append(Cost(*table.fabric.dispatch))
        for cost in own:
            known = known.plus(cost.times(units))
        for name, count in fabric_counts(k.facts, k.lsus, k.copies, levels, table).items():
            counts[name] += 0 if name in SEPARATE and build.fitted is None else count * units
        outside += units * sum(lsu.count for lsu in k.lsus if lsu.space == "global")
    return Pieces(build, known, counts, outside)


def shell(build: Build) -> Amounts:
    """What the board's logic takes of a whole design."""
    if not build.whole:
        return Amounts()
    device = cost_table(family_of(build)).device
    return Amounts(
        logic_alms=device.shell_alms, registers=device.shell_registers, rams=device.shell_rams, dsps=device.shell_dsps
    )


def placed_truth(build: Build, resource: Resource) -> float | None:
    """What place and route made of the kernels alone; RAM and DSP blocks as the compiler estimates where it did not."""
    usage = build.fitted or (build.estimated if resource in {"rams", "dsps"} else None)
    value = getattr(usage, TRUTH[resource]) if usage is not None else None
    return value - shell(build).of(resource) if value is not None else None


def predicted_by(factors: Sequence[float], pieces: Pieces, resource: Resource) -> float:
    """A resource under factors: that of the pieces first, then the rows of `FABRIC`."""
    known = getattr(pieces.known, {"logic_alms": "aluts"}.get(resource, resource))
    return float(known * factors[0] + sum(f * pieces.counts[n] for f, n in zip(factors[1:], FABRIC, strict=True)))


def fit(pieces: Sequence[Pieces], resource: Resource) -> list[float]:
    """The factor of the pieces (fitted for logic, measured for registers, 1 for RAM) and of each row of the fabric.

    Errors count relative to the larger of truth and prediction, large ones by their root; a group counts by the root of
    how many builds it has.
    """
    placed = [(p, t) for p in pieces if (t := placed_truth(p.build, resource)) is not None and p.build.fitted]
    if not placed:
        return [1.0, *(0.0 for _ in FABRIC)]
    name = {"logic_alms": "aluts"}.get(resource, resource)
    known = np.array([getattr(p.known, name) for p, _ in placed])
    rows = np.array([[p.counts[n] for n in FABRIC] for p, _ in placed])
    truth = np.array([t for _, t in placed])
    sizes = Counter(p.build.group for p, _ in placed)
    weight = np.array([sizes[p.build.group] ** -0.25 for p, _ in placed])
    free = resource == "logic_alms"
    kept = _registers_kept(pieces) if resource == "registers" else 1.0
    matrix = np.column_stack([known, rows]) if free else rows
    fixed = np.zeros_like(known) if free else known * kept
    factors = np.zeros(matrix.shape[1])
    loose = np.ones_like(truth)
    for _ in range(ROUNDS):
        predicted = fixed + matrix @ factors
        size = np.maximum(np.maximum(truth, predicted), FLOOR[resource])
        scale = weight * loose / size
        factors = _non_negative(matrix * scale[:, None], (truth - fixed) * scale)
        error = np.abs(fixed + matrix @ factors - truth) / size
        loose = 1 / np.sqrt(np.maximum(error, NEAR))
    return [float(f) for f in factors] if free else [kept, *(float(f) for f in factors)]


def _registers_kept(pieces: Sequence[Pieces]) -> float:
    """Registers after place and route of each that the compiler counts: the median over kernels that give both."""
    ratios = [
        fitted.ffs / estimated.ffs
        for p in pieces
        if (fitted := p.build.fitted) is not None and (estimated := p.build.estimated) is not None
        if fitted.ffs and estimated.ffs
    ]
    return median(ratios) if ratios else 1.0


def _non_negative(matrix: Vector, target: Vector) -> Vector:
    """Least squares with no factor below zero, one factor after the other."""
    norm = np.linalg.norm(matrix, axis=0)
    norm[norm == 0] = 1
    scaled = matrix / norm
    gram, right = scaled.T @ scaled, scaled.T @ target
    factors = np.zeros(matrix.shape[1])
    for _ in range(SWEEPS):
        for j in range(len(factors)):
            if gram[j, j] > 0:
                factors[j] = max(0.0, factors[j] + (right[j] - gram[j] @ factors) / gram[j, j])
    return np.asarray(factors / norm)


@dataclass(frozen=True)
class Clocked:
    """A build's clock, and the shares of the device that it took."""

    group: str
    family: str
    shares: dict[str, float]
    f_max_mhz: float


def clocked(builds: Sequence[Build], truth: Path) -> list[Clocked]:
    """Every build whose clock is known; of the large design spaces all rows."""
    found = []
    for b in builds:
        if b.f_max_mhz and b.fitted is not None and not b.group.startswith(SPECTOR):
            device = cost_table(family_of(b)).device
            shells = 0 if b.whole else 1
            logic = ((b.fitted.alms or 0) + shells * device.shell_alms) / device.alms
            rams = ((b.fitted.rams or 0) + shells * device.shell_rams) / device.rams
            group = f"{b.group} {b.name.split('/')[1]}" if b.whole else b.group
            found.append(Clocked(group, b.family, {"logic_alms": logic, "rams": rams}, b.f_max_mhz))
    device = cost_table("Stratix V").device
    for name in ("mm", "fir", "hist"):
        with (truth / "spector" / f"{name}.csv").open(encoding="utf-8") as file:
            for row in csv.DictReader(file):
                shares = {
                    "logic_alms": float(row["logic_alms"]) / device.alms,
                    "rams": float(row["ram_blocks"]) / device.rams,
                }
                found.append(Clocked(f"{SPECTOR} {name}", "Stratix V", shares, float(row["fmax_mhz"])))
    return found


def fit_clock(points: Sequence[Clocked], by: Sequence[str]) -> tuple[float, float]:
    """f_max of an empty device and how far it falls to a full one, by least absolute errors; it never rises."""
    sizes = Counter(p.group for p in points)
    fullest = np.array([max(p.shares[n] for n in by) for p in points])
    speeds = np.array([p.f_max_mhz for p in points])
    base = np.array([sizes[p.group] ** -0.5 for p in points])
    matrix = np.column_stack([np.ones_like(fullest), -fullest])
    weight, line = base, np.zeros(2)
    for _ in range(60):
        root = np.sqrt(weight)
        line = np.linalg.lstsq(matrix * root[:, None], speeds * root, rcond=None)[0]
        weight = base / np.maximum(np.abs(speeds - matrix @ line), 2.0)
    if line[1] < 0:
        return float(np.median(speeds)), 0.0
    return float(line[0]), float(line[1])
