"""Kernels in awkward forms: every edit offered as proved, or with a host change, computes the same after it.

`python -m bench.awkward_rewrites` runs as many as one likes.
"""

from __future__ import annotations

import pytest
from bench.awkward_rewrites import counted

from tests.effort import EFFORT

SEEDS = 32 * EFFORT
FEWEST = 6 * EFFORT
"""Edits that are to be applied at least."""


@pytest.mark.slow
def test_offers_on_awkward_kernels_compute_the_same() -> None:
    pytest.importorskip("pyopencl")
    counts = counted(range(SEEDS))
    assert counts.unequal == []
    assert counts.disagreeing == []
    assert counts.crashed == []
    assert counts.applied > FEWEST
