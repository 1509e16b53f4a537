"""Elements of an array in a structure that is passed by value: as fixed as any other argument."""

import pytest

from tests.assessing import assess

KERNEL = """typedef struct {{ int w[4]; float f; int at; }} how_t;
__kernel void shifted(__global const float *restrict a, __global float *restrict b, how_t how, int q)
{{
    int i = get_global_id(0);
    {before}
    float s = 0.0f;
    {loop} s += a[i + how.w[{index}]];
    b[i] = s * how.f;
}}
"""
WORD = 64


def fetched(index: str, before: str = "", loop: str = "") -> float:
    """Bytes that are fetched for each that is used."""
    text = KERNEL.format(index=index, before=before, loop=loop)
    (kernel,) = assess(text, global_size=[1 << 20]).kernels
    loads = [u.walk for u in kernel.estimate.units if kernel.facts.accesses[u.lsu.members[0]].pointer == "a"]
    return max(walk.factor for walk in loads if walk is not None)


@pytest.mark.parametrize(
    ("index", "loop"),
    [("2", ""), ("q", ""), ("q + 1", ""), ("k", "for (int k = 0; k < 4; k++)")],
)
def test_neighbours_stay_neighbours_from_a_place_that_an_argument_gives(index: str, loop: str) -> None:
    assert fetched(index, loop=loop) == pytest.approx(1.0, rel=0.01)


@pytest.mark.parametrize(("index", "before"), [("i & 3", ""), ("2", "how.w[2] = i * 17;")])
def test_what_differs_between_work_items_lies_anywhere(index: str, before: str) -> None:
    assert fetched(index, before) == pytest.approx(WORD / 4, rel=0.01)
