"""What a reader has to know of a kernel's figures: said where it holds, and nowhere else."""

import pytest

from burstline_server.words.remarks import remark_text
from tests.assessing import assess

LAYER = """
__kernel void layer(__constant float *restrict weights, __global const float *restrict in, __global float *restrict out)
{
    int i = get_global_id(0);
    float sum = 0.0f;
    for (int k = 0; k < TERMS; k++)
        sum += weights[k] * in[i];
    out[i] = sum;
}
"""


@pytest.mark.parametrize(("terms", "said"), [(64, False), (4096, False), (8192, True)])
def test_what_the_constant_cache_cannot_hold_is_said(terms: int, said: bool) -> None:
    (kernel,) = assess(LAYER.replace("TERMS", str(terms)), global_size=[1024]).kernels
    assert (
        any("weights" in text and "constant cache" in text for text in map(remark_text, kernel.estimate.remarks))
        == said
    )


def test_arguments_that_only_together_exceed_the_constant_cache_are_counted_together() -> None:
    text = LAYER.replace("TERMS", "3072").replace("__global const float *restrict in", "__constant float *restrict in")
    (kernel,) = assess(text.replace("in[i]", "in[k]"), global_size=[1024]).kernels
    said = [text for text in map(remark_text, kernel.estimate.remarks) if "constant cache" in text]
    assert [text.partition(" are read")[0] for text in said] == ["weights and 1 more: 24.6 kB of them"]


BY_GROUPS = """
__kernel void first(__global char *restrict out, int line)
{
    out[get_group_id(0) * line] = 1;
}
"""
BY_ITEMS = BY_GROUPS.replace("get_group_id(0) * line", "get_group_id(0) * get_local_size(0) + get_local_id(0)")


@pytest.mark.parametrize(
    ("text", "sizes", "said"),
    [
        (BY_GROUPS, {}, True),
        (BY_GROUPS, {"local_size": [64]}, False),
        (BY_GROUPS.replace("__kernel", "__attribute__((reqd_work_group_size(64, 1, 1))) __kernel"), {}, False),
        (BY_ITEMS, {}, False),
    ],
    ids=["by groups", "size given", "size required", "all work-items in order"],
)
def test_a_size_of_groups_that_nobody_gives_is_named(text: str, sizes: dict[str, list[int]], said: bool) -> None:
    (kernel,) = assess(text, global_size=[1 << 16], arguments={"line": 64}, **sizes).kernels
    assert any("work-groups of 256" in remark_text(one) for one in kernel.estimate.remarks) == said
