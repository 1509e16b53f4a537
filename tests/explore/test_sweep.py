"""Every column of a sweep is what the scalar line says of the same variant."""

from functools import cache
from math import isnan, nan
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from burstline_model.compiler.infer import infer
from burstline_model.estimate import assembly
from burstline_model.estimate import kernel as line
from burstline_model.estimate.pipeline import through_blocks
from burstline_model.explore.grid import Grid
from burstline_model.explore.sweep import Plan, Sweep, sweep
from burstline_model.parallelism.knobs import Knobs
from burstline_model.parallelism.loop_copies import effective_unroll
from burstline_model.resources import resources_of
from burstline_server.assessment.assessor import Assessment
from burstline_server.assessment.costing import KernelAssessment
from burstline_server.words.refusals import refusal_text
from tests.assessing import assess

FIGURES = ("time_s", "moving_s", "cycles", "clock_mhz", "logic", "registers", "rams", "dsps")
TEXT = (Path(__file__).parent / "kernels.cl").read_text("utf-8")
NAMES = ("product", "tiled", "stencil", "sums", "in_place", "sender", "counted", "scattered", "merged", "unknown",
         "parted", "nothing", "led", "in_turn", "counts", "filled", "own_bins")  # fmt: skip
SIZES: dict[str, Any] = {"global_size": [256, 64], "arguments": {"n": 256, "width": 258, "bins": 64, "rows": 512}}
DEVICES: dict[str, dict[str, Any]] = {
    "one bank": {"board": "s10gx_ddr4_1866"},
    "interleaved": {"board": "p385a"},
    "four banks apart": {"board": "p520", "interleaving": False},
    "channels": {"board": "s10mx_hbm2"},
    "write-ack": {"board": "p385a", "aoc_version": "17.1"},
    "hoisting": {"board": "de5net", "aoc_version": "16.0", "device_family": "Stratix V"},
    "papers": {"board": "p520", "mode": "faithful"},
    "papers, channels": {"board": "s10mx_hbm2", "mode": "faithful"},
    "papers, compiler": {"board": "s10gx_ddr4_1866", "mode": "faithful", "aoc_version": "18.1"},
    "framework": {"board": "pac_a10", "memory_part": "wang"},
}


@cache
def assessed(device: str, **more: Any) -> Assessment:
    return assess(TEXT, **{**SIZES, **DEVICES[device], **more})


def read(name: str, device: str, **more: Any) -> tuple[Assessment, KernelAssessment]:
    done = assessed(device, **more)
    return done, next(k for k in done.kernels if k.facts.name == name)


def swept(name: str, device: str, knobs: Knobs, **how: Any) -> Sweep:
    done, kernel = read(name, device)
    return sweep(kernel.facts, done.target, done.board, kernel.launch, knobs, **how)


def scalar(done: Assessment, kernel: KernelAssessment, found: Sweep, row: int) -> dict[str, float]:
    """What the scalar line says of a row, the times that it does not hand out taken where they arise."""
    variant = found.variant(row)
    facts, launch = variant.facts(kernel.facts), variant.launch(kernel.launch)
    lsus = infer(facts, done.target)
    seen: dict[str, float | None] = {}

    def listening(*given: Any, **how: Any) -> Any:
        pipeline = through_blocks(*given, **how)
        whole = given[-2]
        # The kernel at its own clock comes first, the ends of its range afterwards.
        seen.setdefault("moving_s", whole.t_est_s if whole is not None else None)
        seen.setdefault("cycles", pipeline.total)
        return pipeline

    with (
        patch.object(assembly, "through_blocks", listening),
        # What changes would save is no part of a row, and takes as long as the rest.
        patch.object(line, "observe", lambda units, _: units),
        patch.object(line, "all_without_waiting", lambda _, loops: loops),
        patch.object(line, "levers_of", lambda *_: ()),
    ):
        estimated = line.estimate(facts, lsus, done.board, launch, target=done.target)
    seen |= {"time_s": estimated.time_s, "clock_mhz": estimated.f_max_hz / 1e6}
    shares = resources_of(facts, lsus, effective_unroll(facts), done.target, done.board).shares
    shown = {name: value if value is not None else nan for name, value in seen.items()}
    return {**shown, "logic": shares["logic_alms"], **{name: shares[name] for name in ("registers", "rams", "dsps")}}


@st.composite
def knobs_of(draw: st.DrawFn, name: str) -> Knobs:
    _, kernel = read(name, "one bank")
    facts = kernel.facts
    pointers = sorted({a.pointer for a in facts.accesses if a.space == "global" and a.pointer != "printf"})
    few = {"min_size": 0, "max_size": 3, "unique": True}
    placed = st.dictionaries(st.sampled_from(pointers), st.integers(0, 5)) if pointers else st.just({})
    return Knobs(
        simd=tuple(draw(st.lists(st.sampled_from([1, 2, 4, 8, 16]), **few))),
        compute_units=tuple(draw(st.lists(st.integers(1, 9), **few))),
        unroll={
            loop.id: tuple(draw(st.lists(st.sampled_from([0, 1, 2, 3, 4, 7, 8, 16, 64]), **few)))
            for loop in facts.loops
            if draw(st.booleans())
        },
        f_max_mhz=tuple(draw(st.lists(st.floats(60, 600), **few))),
        banks=tuple(draw(st.lists(placed, max_size=2))),
        local_size=tuple(draw(st.lists(st.sampled_from([None, (16, 16, 1), (64,), (4, 2), (5,)]), max_size=2))),
    )


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=3, deadline=None)
@given(data=st.data())
def test_every_column_is_the_scalar_lines_answer(name: str, device: str, data: st.DataObject) -> None:
    done, kernel = read(name, device)
    found = swept(name, device, data.draw(knobs_of(name)))
    assert len(found) == found.grid.size
    rows = data.draw(st.lists(st.integers(0, len(found) - 1), min_size=1, max_size=6, unique=True))
    for row in rows:
        expected = scalar(done, kernel, found, row)
        shown = {figure: getattr(found, figure)[row] for figure in FIGURES}
        assert shown == pytest.approx(expected, rel=1e-9, abs=1e-15, nan_ok=True), found.variant(row)


@pytest.mark.parametrize("path", sorted((Path(__file__).parents[2] / "examples").rglob("*.cl")), ids=lambda p: p.stem)
def test_examples_cost_what_the_scalar_line_says(path: Path) -> None:
    done = assess(path.read_text("utf-8"), str(path), assumed_trips=1000, **SIZES)
    for kernel in done.kernels:
        knobs = Knobs(
            simd=(1, 4) if kernel.facts.model == "ndrange" else (),
            unroll={loop.id: (1, 4) for loop in kernel.facts.loops[:5]},
            f_max_mhz=(200.0, 400.0),
        )
        found = sweep(kernel.facts, done.target, done.board, kernel.launch, knobs)
        for row in range(0, len(found), max(1, len(found) // 8)):
            expected = scalar(done, kernel, found, row)
            shown = {figure: getattr(found, figure)[row] for figure in FIGURES}
            assert shown == pytest.approx(expected, rel=1e-9, abs=1e-15, nan_ok=True), found.variant(row)


def test_weights_become_constants_in_the_variants_that_unroll_their_loops() -> None:
    done, kernel = read("weighted", "one bank")
    found = swept("weighted", "one bank", Knobs(unroll={1: (1, 3), 2: (1, 2, 4)}))
    for row in range(len(found)):
        facts = found.variant(row).facts(kernel.facts)
        use = resources_of(facts, infer(facts, done.target), effective_unroll(facts), done.target, done.board)
        shown = {n: getattr(found, c)[row] for n, c in (("logic_alms", "logic"), ("rams", "rams"), ("dsps", "dsps"))}
        assert shown == pytest.approx({name: use.shares[name] for name in shown}), found.variant(row)
    assert min(found.dsps) == 0 < max(found.dsps)


def test_without_knobs_there_is_the_kernel_as_it_is() -> None:
    _, kernel = read("tiled", "interleaved")
    found = swept("tiled", "interleaved", Knobs())
    assert len(found) == 1
    assert found.time_s[0] == pytest.approx(kernel.estimate.time_s)
    assert found.variant(0).facts(kernel.facts) == kernel.facts


def test_rows_are_the_product_of_all_knobs() -> None:
    knobs = Knobs(simd=(1, 2), compute_units=(1, 3), unroll={1: (1, 4, 0)}, f_max_mhz=(200.0, 300.0))
    found = swept("tiled", "interleaved", knobs)
    variants = [found.variant(row) for row in range(len(found))]
    shown = {(v.simd, v.compute_units, v.unroll[1], v.f_max_mhz) for v in variants}
    assert len(found) == len(shown) == 24
    for axis, values in (("simd", [v.simd for v in variants]), (1, [v.unroll[1] for v in variants])):
        assert list(found.column(axis)) == values
    with pytest.raises(IndexError):
        found.variant(24)


def test_small_parts_give_the_same_as_the_whole() -> None:
    done, kernel = read("product", "interleaved")
    knobs = Knobs(unroll={0: (1, 2), 1: (1, 2, 4), 2: (0, 1, 8)}, f_max_mhz=(150.0, 300.0, 450.0, 600.0))
    whole = swept("product", "interleaved", knobs)
    grid = Grid(kernel.facts, done.board, kernel.launch, knobs)
    parts = list(Plan(grid, done.target, done.board).parts(rows=5))
    assert max(len(part) for part in parts) <= 5
    assert [part.first for part in parts] == [sum(len(p) for p in parts[:i]) for i in range(len(parts))]
    for figure in FIGURES:
        together = [value for part in parts for value in getattr(part, figure)]
        assert together == pytest.approx(list(getattr(whole, figure)), rel=1e-12)
    assert parts[-1].variant(0) == whole.variant(parts[-1].first)


def test_what_cannot_be_built_says_why() -> None:
    def why(name: str, knobs: Knobs, device: str = "one bank") -> str:
        found = swept(name, device, knobs)
        assert found.feasible[-1] == (not found.why(len(found) - 1))
        why = found.why(len(found) - 1)
        return refusal_text(why) if why is not None else ""

    assert "NDRange" in why("product", Knobs(simd=(4,)))
    assert "powers of two" in why("tiled", Knobs(simd=(3,)))
    assert "does not divide" in why("stencil", Knobs(simd=(8,), local_size=((4, 4),)))
    assert "may differ" in why("unknown", Knobs(simd=(2,)))
    assert "one work-item" in why("product", Knobs(compute_units=(2,)))
    assert "not a constant" in why("product", Knobs(unroll={0: (0,)}))
    assert "only 64 trips" in why("product", Knobs(unroll={2: (65,)}))
    assert "stays rolled" in why("sender", Knobs(unroll={0: (4,)}))
    assert "16×16×1" in why("tiled", Knobs(local_size=((64,),)))
    assert "do not divide" in why("stencil", Knobs(local_size=((7,),)))
    assert "the memory has 1" in why("product", Knobs(banks=({"a": 3},)))
    assert "no atomics" in why("counted", Knobs(), device="channels")
    assert "more logic" in why("tiled", Knobs(simd=(16,), unroll={1: (0,)}, compute_units=(64,)))
    assert why("tiled", Knobs(simd=(4,), unroll={1: (4,)}, local_size=((16, 16),))) == ""


def test_knobs_that_make_no_sweep_are_reported() -> None:
    with pytest.raises(ValueError, match=r"no_loop.*7"):
        swept("product", "one bank", Knobs(unroll={7: (2,)}))
    with pytest.raises(ValueError, match=r"no_pointer.*nowhere"):
        swept("product", "one bank", Knobs(banks=({"nowhere": 1},)))
    with pytest.raises(ValueError, match="too_many"):
        swept("product", "one bank", Knobs(unroll=dict.fromkeys(range(3), tuple(range(1, 301)))))
    with pytest.raises(ValueError, match="greater than"):
        Knobs(f_max_mhz=(0.0,))


def test_variants_that_fill_the_device_run_at_a_lower_clock() -> None:
    found = swept("tiled", "one bank", Knobs(compute_units=(1, 8, 32)))
    assert found.clock_mhz[0] > found.clock_mhz[1] > found.clock_mhz[2]
    assert set(swept("tiled", "one bank", Knobs(compute_units=(1, 8), f_max_mhz=(200.0,))).clock_mhz) == {200.0}


def test_unknown_trips_give_no_time_but_resources() -> None:
    found = swept("unknown", "one bank", Knobs(compute_units=(1, 2), f_max_mhz=(200.0, 300.0)))
    assert all(isnan(value) for figure in ("time_s", "moving_s", "cycles") for value in getattr(found, figure))
    assert all(found.logic > 0)


def test_progress_is_reported_to_the_end_and_work_stops_when_asked() -> None:
    knobs = Knobs(unroll={0: tuple(range(1, 17)), 1: tuple(range(1, 17))}, f_max_mhz=tuple(range(100, 500)))
    shown: list[tuple[int, int]] = []
    whole = swept("product", "one bank", knobs, progress=lambda done, of: shown.append((done, of)))
    assert whole.complete
    assert shown[-1] == (len(whole), len(whole))
    assert [done for done, _ in shown] == sorted({done for done, _ in shown})
    some = swept("product", "one bank", knobs, progress=lambda *_: shown.clear(), stop=lambda: not shown)
    assert 0 < len(some) < len(whole)
    assert not some.complete
    assert list(some.time_s) == list(whole.time_s[: len(some)])
    assert len(swept("product", "one bank", knobs, stop=lambda: True)) == 0
