"""WANG's four stories as `check --advise` gives them in the default mode: what limits each version, and the next step.

The paper's step follows from the potential that leads there; where ours is another one, the row says which.
"""

from __future__ import annotations

import re

import pytest
from bench.scoreboard.papers import CHAINS, assessed

from burstline_server.assessment.assessor import Assessment
from burstline_server.words.verdict import lever_lines

# By version: what limits it here, a part of the first thing to do, whether the paper's bottleneck and step are these.
# Where each iteration asks for one word, requests and the pipeline are one limit ("issue").
STORIES = {
    "mm_baseline": ("memory", "fill a tile in local memory", "both"),
    "mm_local": ("pipeline", "unroll the loop by 16", "both"),
    "mm_local_unrolled": ("pipeline", r"num_simd_work_items\(2\)", "both"),
    "mm_local_unrolled_simd": ("pipeline", None, "both"),  # the paper stops here: no DSP block is left
    "km_baseline": ("issue", r"num_simd_work_items\(16\)", "bottleneck"),  # local memory gains nothing here
    "km_local": ("issue", "vectors of 16", "bottleneck"),  # unroll: the second line here
    "km_local_unrolled": ("memory", "load features.* once, before the loop", "bottleneck"),  # coalescing: rows
    "km_local_unrolled_rows": ("issue", "unroll the loop by 16", "bottleneck"),  # more hardware: compute units
    "wc_baseline": ("memory", "accumulate in a private or local copy", "both"),
    "wc_local": ("memory", "fill a tile in local memory row by row: neighbours in words", "bottleneck"),  # private
    "wc_local_private": ("pipeline", None, "neither"),  # memory: vectors
    "wc_local_private_vector": ("pipeline", "unroll the loop by 4", "neither"),  # memory: compute units
    "ss_baseline": ("issue", "unroll the loop by 8", "bottleneck"),  # vectors: the same requests
    "ss_vector": ("issue", "unroll the loop by 4", "both"),
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


def test_how_many_stages_are_as_in_the_paper() -> None:
    right = [verdict for _, _, verdict in STORIES.values()]
    assert (right.count("both"), right.count("bottleneck"), right.count("neither")) == (6, 6, 2)


def test_the_advised_step_of_the_matrix_product_is_as_fast_as_it_says() -> None:
    """Copies of a loop over local memory take a cycle together; the advice has its time from the edited kernel."""
    done, (line, *_) = advised("mm_local")
    now, after = done.kernels[0].estimate.time_s, done.kernels[0].estimate.levers[0].after_s
    assert now is not None
    assert after is not None
    assert now / after > 14
    assert "unroll the loop by 16: 32.1 s → 2.04 s" in line
