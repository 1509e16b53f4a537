"""M20's Table I: nine access patterns, as the table classifies them and as the compiler really builds them."""

import pytest

from burstline_server.assessment.assessor import Assessment
from tests.assessing import assess

KERNEL = """
#define N 1024
__constant int random_vector[N] = {{5, 1023, 450, 100}};
__kernel void patterns(__global int *restrict x, __global int *restrict z, __constant int *restrict cn)
{{
    int i = get_global_id(0);
    int j = random_vector[i];
    int out = 0;
    __local int lmem[1024];
    int li = get_local_id(0);
    {snippet}
    z[0] = out;
}}
"""
PATTERNS = {
    "aligned": ("out = x[i];", "x"),
    "non-aligned": ("out = x[3 * i + 1];", "x"),
    "write-ack": ("out = x[j];", "x"),
    "cached": ("for (uint k = 0; k < N; k++) z[N * i + k] = x[k];", "x"),
    "prefetching": ("out = x[i];", "x"),
    "constant": ("z[i] = cn[i];", "cn"),
    "pipelined": ("out = lmem[li - i];", "lmem"),
    "never-stall": ("lmem[li] = x[i];", "lmem"),
    "atomic": ("atomic_add(&x[0], 1);", "x"),
}


def style_of(assessment: Assessment, pointer: str) -> str:
    """The style of the one unit on a pointer."""
    (kernel,) = assessment.kernels
    styles = {u.style for u in kernel.lsus if kernel.facts.accesses[u.members[0]].pointer == pointer}
    assert len(styles) == 1
    return styles.pop()


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("aligned", "Burst-coalesced"),
        ("non-aligned", "Burst-coalesced non-aligned"),
        # Reports show write-ack on stores only; the papers' table has it on this load.
        ("write-ack", "Burst-coalesced write-ack"),
        ("cached", "Burst-coalesced cached"),
        # "Compiled as burst-coalesced aligned" on the papers' device.
        ("prefetching", "Burst-coalesced"),
        ("constant", "Constant-pipelined"),
        ("pipelined", "Pipelined"),
        ("never-stall", "Pipelined never-stall"),
        ("atomic", "Atomic-pipelined"),
    ],
)
def test_as_the_papers_classify(pattern: str, expected: str) -> None:
    snippet, pointer = PATTERNS[pattern]
    assert style_of(assess(KERNEL.format(snippet=snippet), mode="faithful"), pointer) == expected


@pytest.mark.parametrize("version", ["18.1", "19.4"])
@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("aligned", "Burst-coalesced"),
        # One element per request is never non-aligned, and a load never waits for an acknowledgement.
        ("non-aligned", "Burst-coalesced"),
        ("write-ack", "Burst-coalesced"),
        ("cached", "Burst-coalesced cached"),
        # Stratix 10 has no prefetching unit.
        ("prefetching", "Burst-coalesced"),
        # Reports list reads of __constant arguments as pipelined.
        ("constant", "Pipelined"),
        ("pipelined", "Pipelined never-stall"),
        ("never-stall", "Pipelined never-stall"),
        ("atomic", "Atomic-pipelined"),
    ],
)
def test_as_the_compiler_builds_for_stratix_10(pattern: str, expected: str, version: str) -> None:
    snippet, pointer = PATTERNS[pattern]
    for mode in ("faithful", "calibrated"):
        assessment = assess(KERNEL.format(snippet=snippet), mode=mode, aoc_version=version)
        assert style_of(assessment, pointer) == expected


def test_older_devices_and_versions_build_other_units() -> None:
    """Prefetching on Arria 10, streaming up to 17.1, write-ack from 17.1 to 18.1 only."""
    copy = "__kernel void k(__global const int *restrict x, __global int *restrict y, int n)\n"
    single = copy + "{ for (int i = 0; i < n; i++) y[i] = x[i]; }"
    items = copy + "{ int i = get_global_id(0); y[i] = x[i]; }"
    arria = {"board": "pac_a10"}
    assert style_of(assess(single, **arria, aoc_version="17.1"), "x") == "Prefetching"
    assert style_of(assess(single, **arria, aoc_version="19.4"), "y") == "Burst-coalesced"
    assert style_of(assess(items, **arria, aoc_version="16.1"), "x") == "Streaming"
    assert style_of(assess(items, **arria, aoc_version="19.4"), "x") == "Burst-coalesced"
    scatter = (
        "__kernel void k(__global const int *restrict i, __global float *restrict y, int n)\n"
        "{ for (int k = 0; k < n; k++) y[i[k]] += 1.0f; }"
    )
    by_version = {}
    for version in ("18.1", "19.3"):
        (kernel,) = assess(scatter, aoc_version=version).kernels
        by_version[version] = [u.style for u in kernel.lsus if u.op == "store"]
    assert by_version == {"18.1": ["Burst-coalesced write-ack"], "19.3": ["Burst-coalesced"]}


@pytest.mark.parametrize(
    ("index", "expected"),
    [
        ("i", "Burst-coalesced"),
        ("2 * i", "Burst-coalesced"),
        ("i + 16", "Burst-coalesced"),
        ("i + 1", "Burst-coalesced non-aligned"),
        ("i + n", "Burst-coalesced non-aligned"),
        ("3 * i", "Burst-coalesced non-aligned"),
    ],
)
def test_alignment_as_the_papers_mean_it(index: str, expected: str) -> None:
    kernel = (
        "__attribute__((reqd_work_group_size(64, 1, 1), num_simd_work_items(4)))\n"
        "__kernel void k(__global const float *restrict x, __global float *restrict z, int n)\n"
        f"{{ int i = get_global_id(0); z[i] = x[{index}]; }}"
    )
    assert style_of(assess(kernel, mode="faithful"), "x") == expected


@pytest.mark.parametrize(
    ("index", "expected"),
    [
        ("64 * i + k", "Burst-coalesced cached"),  # j alone does not move it: the range is walked again
        ("64 * i + 8 * j + k", "Burst-coalesced"),
    ],
)
def test_one_outer_loop_that_does_not_move_a_range_is_enough_for_a_cache(index: str, expected: str) -> None:
    text = f"""
__kernel void sums(__global const float *restrict x, __global float *restrict y, int n) {{
    float sum = 0.0f;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int k = 0; k < n; k++)
                sum += x[{index}];
    y[0] = sum;
}}
"""
    assert style_of(assess(text, mode="faithful"), "x") == expected
