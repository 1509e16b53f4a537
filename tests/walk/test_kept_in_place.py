"""An element that a loop reads and writes in place is loaded before it and stored behind it, where nothing else can."""

import pytest

from tests.assessing import assess

KERNEL = """
__kernel void k(__global const float *RESTRICT x, __global float *RESTRICT y, int n)
{
    int i = get_global_id(0);
    BEFORE
    PRAGMA
    for (int j = 0; j < n; j++)
        BODY
    AFTER
}
"""


def time_of(body: str, before: str = "", after: str = "", restrict: str = "restrict", pragma: str = "") -> float:
    text = KERNEL.replace("BODY", body).replace("BEFORE", before).replace("AFTER", after).replace("RESTRICT", restrict)
    text = text.replace("PRAGMA", pragma)
    found = assess(text, arguments={"n": 1024}, global_size=4096).kernels[0].estimate.time_s
    assert found is not None
    return found


@pytest.fixture(scope="module")
def variable_s() -> float:
    """The time with a variable for the sum."""
    return time_of("s += x[j * 4096 + i];", "float s = y[i];", "y[i] = s;")


@pytest.mark.parametrize("body", ["y[i] += x[j * 4096 + i];", "{ float v = y[i] + x[j * 4096 + i]; y[i] = v; }"])
def test_a_sum_in_memory_takes_as_long_as_one_in_a_variable(body: str, variable_s: float) -> None:
    assert time_of(body) == pytest.approx(variable_s, rel=0.02)


@pytest.mark.parametrize("factor", [2, 4, 8])
def test_copies_of_the_loop_keep_it_as_well(factor: int) -> None:
    pragma = f"#pragma unroll {factor}"
    kept = time_of("y[i] += x[j * 4096 + i];", pragma=pragma)
    variable = time_of("s += x[j * 4096 + i];", "float s = y[i];", "y[i] = s;", pragma=pragma)
    assert kept == pytest.approx(variable, rel=0.02)


@pytest.mark.parametrize(
    ("body", "restrict"),
    [
        ("y[i] += x[j * 4096 + i];", ""),  # a store to y may change x
        ("{ y[i] += x[j * 4096 + i]; y[i + 1] = 0; }", "restrict"),
        ("if (x[j * 4096 + i] > 0) y[i] += x[j * 4096 + i];", "restrict"),
        ("y[i + j] += x[j * 4096 + i];", "restrict"),
    ],
)
def test_an_element_that_others_may_reach_goes_through_the_memory(body: str, restrict: str, variable_s: float) -> None:
    assert time_of(body, restrict=restrict) > 1.5 * variable_s
