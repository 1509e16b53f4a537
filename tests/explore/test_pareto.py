"""The front holds exactly what nothing else beats."""

from itertools import pairwise
from math import isnan, nan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from burstline_model.explore.pareto import pareto

FIGURE = st.one_of(st.integers(0, 6).map(float), st.just(nan))


@pytest.mark.parametrize("columns", [1, 2, 3, 4])
@given(data=st.data())
def test_the_front_is_what_nothing_else_beats(columns: int, data: st.DataObject) -> None:
    rows = data.draw(st.lists(st.tuples(*[FIGURE] * columns), max_size=40))

    def beaten(row: tuple[float, ...]) -> bool:
        return any(other != row and all(a <= b for a, b in zip(other, row, strict=True)) for other in rows)

    expected = [not any(map(isnan, row)) and not beaten(row) for row in rows]
    assert list(pareto(*np.array(rows, dtype=float).reshape(-1, columns).T)) == expected


def test_a_long_front_of_many_columns_is_whole() -> None:
    steps = np.linspace(0.0, np.pi / 2, 3000)
    front = [np.cos(steps), np.sin(steps), np.zeros(3000)]
    beaten = [column + 0.5 for column in front]
    mask = pareto(*(np.concatenate(pair) for pair in zip(beaten, front, strict=True)))
    assert mask[3000:].all()
    assert not mask[:3000].any()


def test_along_a_front_of_two_one_falls_as_the_other_rises() -> None:
    times, costs = np.random.default_rng(1).random((2, 200_000))
    order = np.argsort(times[mask := pareto(times, costs)])
    falling = costs[mask][order]
    assert len(falling) > 1
    assert all(b < a for a, b in pairwise(falling))
