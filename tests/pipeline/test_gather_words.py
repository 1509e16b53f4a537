"""What a request at places that data decide asks for, what the memory moves for it, and that all parts say the same."""

import pytest

from burstline_model.estimate.changes import NoGather, Widen
from burstline_model.estimate.kernel_estimate import KernelEstimate
from burstline_server.diagnostics.catalogue import findings_of
from burstline_server.diagnostics.reasons import Pays
from burstline_server.words.changes import advice_text, change_text
from burstline_server.words.findings import message_text
from tests.assessing import assess

GATHER = """
__attribute__((reqd_work_group_size(64, 1, 1)))
__kernel void k(__global const int *restrict at, __global const float *restrict x, __global float *restrict y)
{
    int i = get_global_id(0);
    float s = 0.0f;
    #pragma unroll
    for (int k = 0; k < WIDE; k++)
        s += x[STEP * at[i] + k];
    y[i] = s;
}
"""


def gathers(estimate: KernelEstimate) -> list[NoGather]:
    return [o.change for u in estimate.units for o in u.observations if isinstance(o.change, NoGather)]


@pytest.mark.parametrize(
    ("wide", "step", "asked", "moved"),
    [(1, 1, 4, 64), (4, 4, 16, 64), (16, 16, 64, 64), (16, 1, 64, 128), (3, 3, 12, 64)],
)
def test_a_gather_says_what_its_requests_ask_for(wide: int, step: int, asked: int, moved: int) -> None:
    text = GATHER.replace("WIDE", str(wide)).replace("STEP", str(step))
    estimate = assess(text, global_size=[1 << 22], f_max_mhz=2000, board="p385a").kernels[0].estimate
    found = gathers(estimate)
    if moved > asked:
        assert found
    for one in found:
        assert (one.request_bytes, one.moved_bytes) == (asked, moved)
        assert f"{moved} B for each {asked} B" in advice_text(one) or moved == asked


TWO_WIDTHS = """
__attribute__((reqd_work_group_size(64, 1, 1), num_simd_work_items(2)))
__kernel void k(__global const float4 *restrict x, __global float *restrict y, __global float *restrict z)
{
    int i = get_global_id(0);
    float4 v = x[i];
    y[i] = v.x + v.y;
    z[i] = v.z + v.w;
}
"""


def test_advice_and_finding_name_the_same_request() -> None:
    done = assess(TWO_WIDTHS, global_size=[1 << 22], f_max_mhz=100, board="p385a")
    (kernel,) = done.kernels
    said = [lever.change for lever in kernel.estimate.levers if isinstance(lever.change, Widen)]
    assert len(said) == 1
    (reason,) = [f.reason for f in findings_of(done) if f.code == "BL106"]
    assert isinstance(reason, Pays)
    assert reason.change == said[0]


LOOKED_UP = """
__kernel void k(__global const int *restrict at, __global const float *restrict x, __global float *restrict y)
{
    int i = get_global_id(0);
    y[i] = x[at[i]]SELF;
}
"""


@pytest.mark.parametrize(("local", "most"), [((256,), "16.4 kB"), ((64,), "4.10 kB")])
def test_a_copy_pays_up_to_what_a_group_asks_for(local: tuple[int, ...], most: str) -> None:
    text = LOOKED_UP.replace("SELF", "")
    (kernel,) = assess(text, global_size=[1 << 20], local_size=[*local]).kernels
    (change,) = dict.fromkeys(gathers(kernel.estimate))
    assert change.copy_bytes == local[0] * 64  # a word for each work-item
    assert f"sort by place, or copy to the chip if ≤ {most}" in advice_text(change)


@pytest.mark.parametrize(("other", "local"), [(" - x[i]", 256), ("", 32)])
def test_no_copy_of_what_is_larger_than_a_group_asks_for(other: str, local: int) -> None:
    """The same array has an element for each work-item, or a group asks for less than a RAM block holds."""
    text = LOOKED_UP.replace("SELF", other)
    (kernel,) = assess(text, global_size=[1 << 20], local_size=[local]).kernels
    (change,) = dict.fromkeys(gathers(kernel.estimate))
    assert change.copy_bytes == 0
    assert "no copy saves requests" in advice_text(change)


OVER_A_GRAPH = """
__kernel void k(__global const int *restrict at, __global const float *restrict x, __global float *restrict y, int n)
{
    for (int i = 0; i < n; i++)
        y[i] = x[at[i]];
}
"""


def test_a_single_work_item_copies_what_the_device_holds() -> None:
    (kernel,) = assess(OVER_A_GRAPH, arguments={"n": 1 << 20}).kernels
    (change,) = dict.fromkeys(gathers(kernel.estimate))
    assert 10e6 < change.copy_bytes < 40e6  # the RAM blocks of a Stratix 10 GX 2800: 229 Mbit, 29 MB
    (unsized,) = assess(OVER_A_GRAPH).kernels
    assert unsized.at_assumed is not None
    assert "local copy if it fits" in advice_text(gathers(unsized.at_assumed.estimate)[0])


SEVERAL = """
__kernel void k(__global const int *restrict at, __global const float *restrict a, __global const float *restrict b,
                __global const float *restrict c, __global float *restrict y)
{
    int i = get_global_id(0);
    y[i] = a[at[i]] + b[at[i] + 3 * at[i + 1]] + c[at[i + 1]];
}
"""


def test_gathers_alike_are_one_thing_to_do() -> None:
    done = assess(SEVERAL, global_size=[1 << 20], local_size=[256])
    (kernel,) = done.kernels
    (change,) = dict.fromkeys(gathers(kernel.estimate))
    assert change.pointers == ("a", "b", "c")
    (lever,) = [one for one in kernel.estimate.levers if isinstance(one.change, NoGather)]
    assert lever.after_s is not None
    assert "copy each to the chip if ≤ 16.4 kB" in advice_text(lever.change)
    gathered_s = sum(u.time_s or 0.0 for u in kernel.estimate.units if u.observations)
    # None of the three is left over: a fourth of them at most stays, as what they use comes in order.
    assert (kernel.estimate.time_s or 0.0) - lever.after_s > 0.75 * gathered_s
    (found,) = [f for f in findings_of(done) if f.code == "BL102"]
    assert "3 buffers" in message_text(found)
    assert len(found.related) == 2


THROUGH_A_TABLE = """
__kernel void k(__global const INDEX *restrict at, __global const float *restrict x, __global float *restrict y)
{
    int i = get_global_id(0);
    y[i] = x[PLACE];
}
"""


@pytest.mark.parametrize(
    ("index", "place", "size"),
    [("uchar", "at[i]", 256 * 4), ("uint", "(at[i] & 511) + 8", 520 * 4), ("uint", "(at[i] >> 9) & 511", 512 * 4)],
)
def test_what_types_and_masks_bound_is_copied_whole(index: str, place: str, size: int) -> None:
    text = THROUGH_A_TABLE.replace("INDEX", index).replace("PLACE", place)
    (kernel,) = assess(text, global_size=[1 << 20], local_size=[256]).kernels
    (change,) = dict.fromkeys(gathers(kernel.estimate))
    assert (change.whole, change.copy_bytes) == (True, size)
    assert "sort" not in advice_text(change)
    assert "kB to the chip, all that indices reach" in advice_text(change)


@pytest.mark.parametrize(
    ("index", "place"),
    [("int", "at[i]"), ("uchar", "at[i] + at[i + 1] * get_group_id(0)"), ("uchar", "255 - at[i]"), ("uint", "at[i]")],
)
def test_what_nothing_bounds_is_not(index: str, place: str) -> None:
    text = THROUGH_A_TABLE.replace("INDEX", index).replace("PLACE", place)
    (kernel,) = assess(text, global_size=[1 << 20], local_size=[256]).kernels
    assert not any(change.whole for change in gathers(kernel.estimate))


def test_a_table_that_is_larger_than_what_a_group_asks_for_is_not_copied() -> None:
    text = THROUGH_A_TABLE.replace("INDEX", "ushort").replace("PLACE", "at[i]")
    (kernel,) = assess(text, global_size=[1 << 20], local_size=[256]).kernels
    (change,) = dict.fromkeys(gathers(kernel.estimate))
    assert (change.whole, change.copy_bytes) == (False, 0)


REVERSED = """
__kernel void k(__global const float *restrict x, __global float *restrict y)
{
    int i = get_global_id(0), r = 0, v = i & 1023;
    #pragma unroll
    for (int b = 0; b < 10; b++) {
        r = (r << 1) | (v & 1);
        v >>= 1;
    }
    PLACES;
}
"""


@pytest.mark.parametrize(
    ("places", "said"),
    [
        ("y[i] = x[(i & ~1023) | r]", "copy a block to local memory first"),
        ("y[(i & ~1023) | r] = x[i]", "collect a block in local memory first"),
    ],
)
def test_places_that_ids_choose_in_another_order_are_not_data_to_be_sorted(places: str, said: str) -> None:
    """Ten bits in reversed order: nothing that is loaded is in the place."""
    done = assess(REVERSED.replace("PLACES", places), global_size=1 << 20)
    lever = done.kernels[0].estimate.levers[0]
    assert change_text(lever.change).endswith(said)
    (message,) = {message_text(f) for f in findings_of(done) if f.code == "BL102"}
    assert "sort" not in message
    assert f"ids or counters jump, 64 B for each 4 B: {said}" in message
