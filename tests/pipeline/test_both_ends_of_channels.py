"""Channel operations under a condition that data decide, against how often the other end works on the channel."""

import pytest

from burstline_server.assessment.assessor import Assessment
from burstline_server.words.remarks import remark_text
from tests.assessing import assess

SELECTED = """
#pragma OPENCL EXTENSION cl_intel_channels : enable
channel int kept __attribute__((depth(8)));
__attribute__((max_global_work_dim(0)))
__kernel void pick(__global const int *restrict a, __global const float *restrict w, __global float *restrict log,
                   int n, int limit)
{
    int k = 0;
    for (int i = 0; i < n; i++) {
        int v = a[i];
        if (v > limit) {
            write_channel_intel(kept, v);
            log[k++] = w[v];
        } else
            log[n + i] = 0.0f;
    }
}
__attribute__((max_global_work_dim(0)))
__kernel void store(__global int *restrict b, int m)
{
    for (int i = 0; i < m; i++)
        b[i] = read_channel_intel(kept);
}
"""


def said(done: Assessment) -> list[str]:
    """What is said of all kernels."""
    return [remark_text(one) for kernel in done.kernels for one in kernel.estimate.remarks]


def moved(done: Assessment) -> dict[str, float]:
    """The elements that the accesses of the first kernel use."""
    kernel = done.kernels[0]
    walks = {kernel.facts.accesses[u.lsu.members[0]].index: u.walk for u in kernel.estimate.units}
    return {place: (walk.used_bytes or 0) / 4 for place, walk in walks.items() if walk is not None}


@pytest.mark.parametrize("m", [1000, 250_000])
def test_the_certain_end_says_how_often_a_condition_holds(m: int) -> None:
    done = assess(SELECTED, arguments={"n": 1_000_000, "m": m})
    found = moved(done)
    assert found["v"] == pytest.approx(m)
    assert found["n + i"] == pytest.approx(1_000_000 - m)
    assert any(one.startswith("v > limit holds") and "store moves as many" in one for one in said(done))
    assert not any("data decide" in one for one in said(done))


def test_a_share_that_is_given_goes_before_what_the_other_end_says() -> None:
    text = SELECTED.replace("if (v > limit) {", "if (v > limit) { // burstline: taken=0.5")
    assert moved(assess(text, arguments={"n": 1_000_000, "m": 1000}))["v"] == pytest.approx(500_000)


def test_an_end_that_is_not_counted_says_nothing() -> None:
    text = SELECTED.replace("i < m; i++", "; i++")
    assert any("data decide" in one for one in said(assess(text, arguments={"n": 1_000_000})))


@pytest.mark.parametrize(("n", "m", "hangs"), [(1000, 1001, True), (1000, 1000, False), (1000, 10, False)])
def test_a_kernel_that_takes_more_than_is_sent_at_most_waits_for_ever(n: int, m: int, hangs: bool) -> None:
    done = assess(SELECTED, arguments={"n": n, "m": m})
    waiting = [one for one in said(done) if one.startswith("it waits for ever")]
    assert bool(waiting) == hangs
    assert all("takes 1001 from kept, pick sends 1000 at most" in one for one in waiting)


def test_assumed_sizes_make_no_kernel_wait() -> None:
    assert not [one for one in said(assess(SELECTED)) if one.startswith("it waits for ever")]


PIPED = """
__kernel void first(__global const int *restrict in, write_only pipe int __attribute__((blocking)) p)
{
    for (int i = 0; i < 4096; i++) write_pipe(p, &in[i]);
}
__kernel void last(__global int *restrict out, read_only pipe int __attribute__((blocking)) p)
{
    for (int i = 0; i < 4096; i++) read_pipe(p, &out[i]);
}
"""


def test_what_pipes_take_from_global_memory_and_put_there_is_loaded_and_stored() -> None:
    first, last = assess(PIPED).kernels
    (load,), (store,) = first.estimate.units, last.estimate.units
    assert (load.lsu.op, store.lsu.op) == ("load", "store")
    for unit in (load, store):
        assert unit.walk is not None
        assert unit.walk.used_bytes == 4 * 4096


SHARED = """
#pragma OPENCL EXTENSION cl_intel_channels : enable
channel int c[2];
__kernel void first(__global const int *restrict in, int n)
{
    for (int i = 0; i < n; i++) {
        write_channel_intel(c[0], in[i]);
        write_channel_intel(c[1], in[i]);
    }
}
__kernel void one(__global int *restrict out, int n)
{
    for (int i = 0; i < n; i++) out[i] = read_channel_intel(c[0]);
}
__kernel void other(__global int *restrict out, int n)
{
    for (int i = 0; i < n; i++) out[i] = read_channel_intel(c[ELEMENT]);
}
"""


def test_two_kernels_that_read_one_channel_are_named() -> None:
    refused = "one and other read c[0]: the compiler refuses a channel read by several kernels"
    assert said(assess(SHARED.replace("ELEMENT", "0"))).count(refused) == 2


def test_each_element_of_an_array_of_channels_has_its_own_reader() -> None:
    assert not [one for one in said(assess(SHARED.replace("ELEMENT", "1"))) if "refuses" in one]


def test_pipes_of_one_parameter_name_may_be_different_ones() -> None:
    assert not [one for one in said(assess(PIPED + PIPED.replace(" last(", " again("))) if "refuses" in one]
