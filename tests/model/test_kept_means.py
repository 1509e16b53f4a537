"""Mean trips of nests are kept over edits that leave the loops as they are, and only over those."""

import pytest

from burstline_model.launch import Launch
from burstline_model.parallelism import kept_means
from burstline_model.parallelism.extent import Extent
from tests.assessing import assess

TRIANGLE = """__kernel void k(__global float *restrict x, __global float *restrict y, int n)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < %s; j++)
            x[i * n + j] += %s;
}
"""


def trips(bound: str, value: str, **arguments: int) -> dict[int, float | None]:
    (kernel,) = assess(TRIANGLE % (bound, value)).kernels
    found = Extent(kernel.facts, Launch(arguments=arguments), {}).trips
    return {loop: float(count) if count is not None else None for loop, count in found.items()}


def test_another_statement_takes_the_means_over(monkeypatch: pytest.MonkeyPatch) -> None:
    # Rows of 0, 1, …, 9 iterations: 4.5 in the mean of 10.
    kept_means.forget_means()
    assert trips("i", "y[j]", n=10) == {0: 10.0, 1: 4.5}

    def never(*_arguments: object) -> None:
        raise AssertionError

    monkeypatch.setattr("burstline_model.parallelism.nest._Nest.means_of", never)
    assert trips("i", "2.0f * y[i] + 1.0f", n=10) == {0: 10.0, 1: 4.5}


@pytest.mark.parametrize(
    ("bound", "arguments", "mean"),
    [
        ("i", {"n": 20}, 9.5),  # rows of 0 to 19
        ("i + 1", {"n": 10}, 5.5),  # rows of 1 to 10
        ("2 * i", {"n": 10}, 9.0),  # rows of 0, 2, …, 18
        ("i", {}, None),
    ],
)
def test_other_bounds_and_sizes_do_not(bound: str, arguments: dict[str, int], mean: float | None) -> None:
    trips("i", "y[j]", n=10)
    assert trips(bound, "y[j]", **arguments)[1] == mean
