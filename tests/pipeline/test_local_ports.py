"""Lanes and copies that store on the chip wherever data say take turns at the ports of its memory blocks."""

import pytest

from burstline_model.estimate.kernel_estimate import KernelEstimate
from burstline_server.assessment.assessor import Assessment, Assessor
from burstline_server.config.layers import Layer
from burstline_server.rewrites.catalogue import Fix, fixes_of
from burstline_server.words.changes import change_text
from burstline_server.words.edits import title_text
from burstline_server.words.verdict import limit_line

SORT = """ASKED
__kernel void sorted(__global int *restrict d)
{
    __local int part[512];
    int l = get_local_id(0);
    part[l] = d[get_global_id(0)];
    part[l + 256] = 0;
    for (int size = 2; size <= 256; size <<= 1)
        for (int stride = size / 2; stride > 0; stride >>= 1) {
            barrier(CLK_LOCAL_MEM_FENCE);
            int p = 2 * l - (l & (stride - 1));
            int a = part[p], b = part[p + stride];
            if (a > b) {
                part[p] = b;
                part[p + stride] = a;
            }
        }
    barrier(CLK_LOCAL_MEM_FENCE);
    d[get_global_id(0)] = part[l];
}
"""
WALK = """ASKED
__kernel void walk(__global const int *restrict s, __global int *restrict d)
{
    __local int a[1024];
    int l = get_local_id(0), g = get_global_id(0), at = s[g];
    PRAGMA
    for (int k = 0; k < 64; k++) {
        STEP
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    d[g] = a[l];
}
"""
ANYWHERE = "at = at * 7 + k; a[at & 1023] = at;"


def layers(board: str = "p520") -> list[Layer]:
    """What is known of the launch."""
    return [Layer("file", {"board": board, "global_size": [1 << 20], "f_max_mhz": 300})]


def written(text: str, lanes: int = 1) -> str:
    """A kernel with groups of 256 work-items and so many lanes."""
    asked = "reqd_work_group_size(256, 1, 1)" + (f", num_simd_work_items({lanes})" if lanes > 1 else "")
    return text.replace("ASKED", f"__attribute__(({asked}))")


def assessed(text: str, lanes: int = 1, board: str = "p520") -> Assessment:
    """What is known of it."""
    return Assessor().assess(written(text, lanes), "kernel.cl", layers(board))


def fixes(text: str) -> list[Fix]:
    """The edits of it that pay."""
    return fixes_of(Assessor(), assessed(text), layers())


def estimate(text: str, lanes: int = 1, board: str = "p520") -> KernelEstimate:
    """What is said of the kernel."""
    return assessed(text, lanes, board).kernels[0].estimate


def walk(step: str = ANYWHERE, pragma: str = "#pragma unroll 1") -> str:
    """Work-items that store 64 times each."""
    return WALK.replace("STEP", step).replace("PRAGMA", pragma)


def gain(before: KernelEstimate, after: KernelEstimate) -> float:
    """How many times as fast."""
    assert before.time_s is not None
    assert after.time_s is not None
    return before.time_s / after.time_s


@pytest.mark.parametrize(("board", "ports"), [("p520", 2), ("pac_a10", 4)])
def test_lanes_that_store_anywhere_gain_no_more_than_a_block_has_ports(board: str, ports: int) -> None:
    for changed in (estimate(walk(), 16, board), estimate(walk(pragma="#pragma unroll 16"), 1, board)):
        assert gain(estimate(walk(), 1, board), changed) == pytest.approx(ports, rel=0.05)


def test_two_stores_of_each_lane_fill_both_ports_of_a_block() -> None:
    assert gain(estimate(SORT), estimate(SORT, 16)) == pytest.approx(1, rel=0.05)


@pytest.mark.parametrize(
    "step",
    [
        "a[l] = at + k;",  # next to each other
        "a[(k * 256 + l) & 1023] = at;",
        "at += a[(at + k) & 1023];",  # replicas serve reads
    ],
)
def test_stores_with_banks_of_their_own_and_reads_take_no_turns(step: str) -> None:
    assert gain(estimate(walk(step)), estimate(walk(step), 16)) > 8


def test_of_stores_that_exclude_each_other_one_takes_a_port() -> None:
    either = "if (k & 1) a[at & 1023] = k; else a[(at * 5) & 1023] = k + 1; at += k;"
    both = "a[at & 1023] = k; a[(at * 5) & 1023] = k + 1; a[(at * 3) & 1023] = 0; at += k;"
    assert gain(estimate(walk(either)), estimate(walk(ANYWHERE))) == pytest.approx(1, rel=0.05)
    assert gain(estimate(walk(both)), estimate(walk(ANYWHERE))) == pytest.approx(1.5, rel=0.05)


def test_edits_promise_what_the_ports_let_through() -> None:
    found = [
        fix for fix in fixes(walk(pragma="")) if title_text(fix.offer.title).startswith(("Set num_simd", "Unroll"))
    ]
    assert found
    assert all(fix.speedup is not None and fix.speedup < 2.2 for fix in found)


def test_a_loop_with_a_barrier_is_not_unrolled() -> None:
    (kernel,) = assessed(SORT).kernels
    assert not any("unroll" in change_text(lever.change) for lever in kernel.estimate.levers)
    assert not any("nroll" in title_text(fix.offer.title) for fix in fixes(SORT))
    tiled = WALK.replace("STEP", "a[l] = at; barrier(CLK_LOCAL_MEM_FENCE); at += a[255 - l];").replace("PRAGMA", "")
    assert not any("nroll" in title_text(fix.offer.title) for fix in fixes(tiled))


COUNTED = """ASKED
__kernel void counted(__global const uchar *restrict s, __global int *restrict d)
{
    __local int bins[256];
    int l = get_local_id(0), g = get_global_id(0);
    bins[l] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    #pragma unroll
    for (int k = 0; k < 16; k++)
        STEP
    barrier(CLK_LOCAL_MEM_FENCE);
    d[g] = bins[l];
}
"""


def test_an_atomic_on_the_chip_takes_a_port_to_read_and_one_to_store() -> None:
    """Sixteen in an iteration, at places that data choose: each work-item takes 16 cycles at two ports, not one."""
    atomics = estimate(COUNTED.replace("STEP", "atomic_inc(&bins[s[16 * g + k]]);"))
    stores = estimate(COUNTED.replace("STEP", "bins[s[16 * g + k]] = k;"))
    assert gain(atomics, stores) == pytest.approx(33 / 17, rel=0.02)  # the store of 0 takes a port as well
    assert (atomics.time_s or 0.0) * 300e6 / (1 << 20) == pytest.approx(16.5, rel=0.02)


def test_what_takes_turns_at_the_ports_gains_nothing_by_vectors() -> None:
    done = assessed(COUNTED.replace("STEP", "atomic_inc(&bins[s[16 * g + k]]);"))
    (kernel,) = done.kernels
    assert "it starts one work-item every 16.5 cycles: " in limit_line(done, kernel)
    assert change_text(kernel.estimate.levers[0].change).startswith("num_compute_units(")
    assert not any("vectors" in change_text(lever.change) for lever in kernel.estimate.levers)
