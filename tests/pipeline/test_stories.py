"""WANG's four stories as `check --advise` gives them in the default mode: what limits each version, and the next step.

What the paper has at each stage, and why ours is another where it is, is in `bench/papers/stages.py`, of which the
page of the papers has the table.
"""

from __future__ import annotations

import re

import pytest
from bench.papers.stages import STAGES, Stage
from bench.scoreboard.papers import CHAINS, assessed, seconds

from burstline_server.assessment.assessor import Assessment
from burstline_server.words.verdict import lever_lines

# By version: what limits it here, a part of the first thing to do, and whether the paper's step is that.
STORIES = {
    "mm_baseline": ("memory", "fill a tile in local memory", True),
    "mm_local": ("pipeline", "unroll the loop by 64", True),
    "mm_local_unrolled": ("pipeline", r"num_simd_work_items\(4\)", True),
    "mm_local_unrolled_simd": ("pipeline", None, True),  # the paper stops here: no DSP block is left
    "km_baseline": ("issue", r"num_simd_work_items\(16\)", False),  # local memory gains nothing here
    "km_local": ("issue", "vectors of 16", False),  # unroll: the second line here
    "km_local_unrolled": ("memory", "vectors of 8", True),  # wide requests: coalescing
    "km_local_unrolled_rows": ("issue", "unroll the loop by 32", False),  # compute units
    "wc_baseline": ("memory", "accumulate in a private or local copy", True),
    "wc_local": ("memory", "keep words in a private array of 32 elements", True),
    "wc_local_private": ("pipeline", "unroll the loop by 8, or use a vector type", True),
    "wc_local_private_vector": ("pipeline", "unroll the loop by 2", False),  # compute units: the second line
    "ss_baseline": ("issue", "unroll the loop by 16, or use a vector type", True),
    "ss_vector": ("issue", "unroll the loop by 4", True),
}


def advised(name: str) -> tuple[Assessment, list[str]]:
    """A version of a story on the paper's board, without the clock of its comment, and what to do about it."""
    _, done, _ = assessed("tuning", name, board="de5net")
    return done, lever_lines(done.kernels[0], 3)


@pytest.mark.parametrize("name", STORIES)
def test_what_limits_a_version_and_the_next_step(name: str) -> None:
    limit, step, _ = STORIES[name]
    done, lines = advised(name)
    assert done.kernels[0].estimate.limit == limit
    assert bool(lines) == (step is not None)
    assert step is None or re.search(step, lines[0])


def test_each_version_that_the_paper_goes_on_from_is_there() -> None:
    assert [name for chain in CHAINS.values() for name in chain[:-1] if " " not in name] == [
        name for name in STORIES if name != "mm_local_unrolled_simd"
    ]


@pytest.mark.parametrize("stage", STAGES, ids=lambda stage: stage.version)
def test_a_stage_has_the_papers_bottleneck_and_its_step_first_or_a_reason(stage: Stage) -> None:
    assert stage.same_limit
    assert stage.same_step == STORIES[stage.version][2] == (not stage.why)


def test_how_many_stages_are_as_in_the_paper() -> None:
    assert [stage.version for stage in STAGES] == list(STORIES)
    assert sum(stage.same_step for stage in STAGES) == 10


@pytest.mark.parametrize(
    "version",
    ["mm_baseline", "mm_local", "mm_local_unrolled", "wc_baseline", "wc_local", "wc_local_private", "ss_vector"],
)
def test_the_first_step_gains_what_the_kernel_that_takes_it_does(version: str) -> None:
    """Its clock is the kernel's now, where the change is to accesses: that is a few percent."""
    (stage,) = (stage for stage in STAGES if stage.version == version)
    after = stage.kernel.estimate.levers[0].after_s
    assert after == pytest.approx(seconds(stage.following), rel=0.06)


def test_compute_units_are_offered_where_another_step_gains_more() -> None:
    _, lines = advised("wc_local_private_vector")
    assert "num_compute_units(4): each unit takes a part of the work-groups: 1.09 s → 433 ms" in lines
    assert seconds("wc_local_private_vector UNITS=4") == pytest.approx(0.433, rel=0.01)
