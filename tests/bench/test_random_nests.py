"""How often accesses in random nests of loops are made: the model against running each work-item."""

from __future__ import annotations

import pytest
from bench.random_nests import LARGE, Kernel, compared, made


@pytest.mark.parametrize("first", range(0, 40, 10))
def test_accesses_of_random_nests_are_counted_or_said_to_be_uncertain(first: int) -> None:
    differs = {
        seed: one for seed in range(first, first + 10) for one in compared(made(seed)) if one.result == "differs"
    }
    assert not differs


@pytest.mark.parametrize("seed", [7, 34, 47, 100, 104, 106])
def test_few_work_items_that_do_all_the_work_are_found_among_many(seed: int) -> None:
    """All accesses are made by the first 24 of 1500, or by those on a border."""
    assert {one.result for one in compared(made(seed), LARGE)} <= {"equal", "range", "data"}


def test_what_is_counted_is_what_a_work_item_does() -> None:
    """The same nest, run as another one: the comparison can fail."""
    nest = next(made(seed) for seed in range(40) if {one.result for one in compared(made(seed))} == {"equal"})

    def run_twice(state: dict[str, int]) -> None:
        nest.run(state)
        nest.run(state)

    results = {one.result for one in compared(Kernel(nest.text, run_twice, nest.dimensions, nest.buffers))}
    assert "equal" not in results


def test_a_condition_on_two_ids_and_two_counters_is_not_counted_together() -> None:
    """Today's answer: `l <= i2` in a triangle over `y`, under a condition on `x`, is made 1246 times."""
    (store,) = compared(made(144))
    assert (store.made, store.said, store.result) == (1246, 630, "differs")
