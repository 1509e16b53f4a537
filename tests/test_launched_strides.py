"""The stride that is shown is the one in the order in which a launch's groups issue their items."""

from typing import Any

import pytest

from burstline_server.presentation.report_build import file_report
from tests.assessing import assess

TEXT = """__kernel void k(__global const float *restrict a, __global float *restrict b, int n)
{
    int x = get_global_id(0), y = get_global_id(1);
    b[y * 1024 + x] = a[x * 1024 + y];
}
"""


def strides(text: str = TEXT, **settings: Any) -> dict[str, int | str | None]:
    """The stride of each access of the only kernel, by pointer."""
    done = assess(text, board="p385a", global_size=[1024, 1024], arguments={"n": 1024}, **settings)
    (kernel,) = file_report(done, [], []).kernels
    return {access.pointer: access.stride for access in kernel.accesses}


@pytest.mark.parametrize(
    ("group", "a", "b"),
    [((256, 1), 1024, 1), ((64, 4), 1024, 1), ((1, 256), 1, 1024), ((1, 1, 64), 0, 0), ((1, 4, 64), 1, 1024)],
)
def test_strides_follow_the_launched_group(group: tuple[int, ...], a: int, b: int) -> None:
    assert strides(local_size=list(group)) == {"a": a, "b": b}


def test_without_a_launched_group_they_follow_dimension_0() -> None:
    assert strides() == {"a": 1024, "b": 1}


def test_a_required_group_gives_the_same_as_a_launched_one() -> None:
    required = "__attribute__((reqd_work_group_size(1, 256, 1)))\n" + TEXT
    assert strides(required) == strides(local_size=[1, 256]) == {"a": 1, "b": 1024}
