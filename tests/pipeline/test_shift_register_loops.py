"""What a shift register hands on comes back after as many iterations as there are shifts from its write to its read."""

import pytest

from burstline_model.estimate.kernel_estimate import KernelEstimate
from burstline_server.words.changes import change_text
from tests.assessing import assess
from tests.rewrites.test_fixes import applied, fixes

KERNEL = """
__attribute__((max_global_work_dim(0)))
__kernel void k(__global const TYPE *restrict s, __global TYPE *restrict d, int n)
{
    TYPE line[64];
    #pragma unroll
    for (int i = 0; i < 64; i++)
        line[i] = 0;
    ASKED
    for (int t = 0; t < n; t++) {
        BODY
    }
    d[n] = line[0] + line[1];
}
"""
UNROLL = "\n#pragma unroll\n"
UP = UNROLL + "for (int i = 63; i > 0; i--) line[i] = line[i - 1];\n"
DOWN = UNROLL + "for (int i = 0; i < 63; i++) line[i] = line[i + 1];\n"
"""To the last element, and to the first one."""
FILTER = "float v = s[t] + line[0] * 0.5f; d[t] = v;" + UP + "line[0] = v;"
ONE_WAY_BACK = 6
"""Cycles of a product and a sum on a Stratix 10."""
DITHER = """int v = s[t] + line[1]; int q = v > 127 ? 255 : 0; d[t] = q;
line[2] += (v - q) >> 1; line[1] = (v - q) >> 2;"""


def estimate(body: str, type_: str = "float", asked: str = "") -> KernelEstimate:
    """What is said of a kernel with this body of its loop."""
    text = KERNEL.replace("BODY", body).replace("TYPE", type_).replace("ASKED", asked)
    return assess(text, board="p520", arguments={"n": 1_000_000}, f_max_mhz=300).kernels[0].estimate


@pytest.mark.parametrize(
    ("body", "cycles"),
    [
        (FILTER, ONE_WAY_BACK),
        ("float v = s[t] + line[2] * 0.5f; d[t] = v;" + UP + "line[0] = v;", ONE_WAY_BACK / 3),
        # Written before the shift, it is one further on in the next iteration.
        ("line[0] = s[t] + line[2] * 0.5f; d[t] = line[0];" + UP, ONE_WAY_BACK / 2),
        (UP + "line[0] = s[t] + line[2] * 0.5f; d[t] = line[0];", ONE_WAY_BACK / 2),
        ("line[63] = s[t] + line[63] * 0.5f; d[t] = line[0];" + DOWN, ONE_WAY_BACK),  # nothing is shifted to its place
        ("line[62] = s[t] + line[62] * 0.5f; d[t] = line[0];" + DOWN, 1),
        ("line[63] = s[t] + line[62] * 0.5f; d[t] = line[0];" + DOWN, ONE_WAY_BACK),
        ("line[63] = s[t] + line[0] * 0.5f; d[t] = line[0];" + DOWN, 1),
        ("line[8] = s[t] + line[9] * 0.5f; d[t] = line[0];" + DOWN, 1),  # it goes the other way
        ("float old = line[60];" + DOWN + "line[63] = s[t] + old * 0.5f; d[t] = line[63];", ONE_WAY_BACK / 4),
        # Several taps: the nearest decides, and what is added after it is on its way.
        ("float v = s[t] + line[9] * 0.3f + line[1] * 0.5f; d[t] = v;" + UP + "line[0] = v;", 11 / 2),
        ("float v = s[t] + line[1] * 0.5f; d[t] = v; line[2] = line[1]; line[1] = line[0]; line[0] = v;", 3),
        # Four samples an iteration, none of which takes what another one of them wrote.
        (
            UNROLL + "for (int k = 0; k < 4; k++) d[4 * t + k] = line[52 + k];" + UNROLL
            + "for (int i = 0; i < 60; i++) line[i] = line[i + 4];" + UNROLL
            + "for (int k = 0; k < 4; k++) line[60 + k] = s[4 * t + k] + line[52 + k] * 0.5f;",
            ONE_WAY_BACK / 2,
        ),
    ],
)  # fmt: skip
def test_a_value_comes_back_after_the_shifts_between_its_write_and_its_read(body: str, cycles: float) -> None:
    assert estimate(body).loops[1].ii == -(-cycles // 1)


LANES = """
#define LANES 32
__attribute__((max_global_work_dim(0)))
__kernel void lanes(__global const float *restrict s, __global float *restrict d, int n)
{
    float best[LANES][3];
    #pragma unroll
    for (int i = 0; i < LANES * 3; i++)
        best[i / 3][i % 3] = 0;
    for (int t = 0; t < n; t++) {
        #pragma unroll
        for (int i = 0; i < LANES; i++)
            #pragma unroll
            for (int j = 0; j < 2; j++)
                best[i][j] = best[i][j + 1];
        #pragma unroll
        for (int i = LANES - 1; i >= 0; i--) {
            float left = i == 0 ? s[t] : best[i - 1][1];
            best[i][2] = left + best[i][1] * 0.5f;
        }
        d[t] = best[LANES - 1][0];
    }
}
"""


def test_lanes_that_take_what_others_made_an_iteration_before_do_not_follow_each_other() -> None:
    assert assess(LANES, board="p520", arguments={"n": 1000}).kernels[0].estimate.loops[1].ii == ONE_WAY_BACK


def test_no_unrolling_is_advised_where_each_sample_waits_for_the_one_before() -> None:
    found = estimate(FILTER)
    assert not [lever for lever in found.levers if "unroll" in change_text(lever.change)]
    copied = estimate(FILTER, asked="#pragma unroll 4")
    assert copied.time_s > 0.8 * found.time_s


def test_unrolled_taps_are_all_on_the_way() -> None:
    taps = "float v = s[t];" + UNROLL + "for (int i = 0; i < 8; i++) v += 0.1f * i * line[i];\n"
    assert estimate(taps + UP + "line[0] = v; d[t] = v;").loops[1].ii > 8 * 4


@pytest.mark.parametrize("taps", [4, 8, 32])
def test_taps_read_from_the_oldest_have_as_many_iterations_as_sums(taps: int) -> None:
    """The oldest element goes through all sums, and was put in as many iterations ago; the newest goes through one."""
    body = f"float v = s[t];{UNROLL}for (int i = {taps - 1}; i >= 0; i--) v += 0.1f * line[i];\n"
    assert estimate(body + UP + "line[0] = v; d[t] = v;").loops[1].ii == ONE_WAY_BACK


def test_an_element_that_comes_before_all_taps_goes_through_all_of_them() -> None:
    body = f"float v = s[t] + line[0];{UNROLL}for (int i = 7; i >= 1; i--) v += line[i];\n"
    assert estimate(body + UP + "line[0] = v; d[t] = v;").loops[1].ii > 8 * 2


def test_errors_that_go_to_the_next_pixel_hold_copies_of_the_loop_up() -> None:
    """Each pixel waits for the error of the one before: sixteen copies take turns."""
    one, copied = (estimate(DITHER + DOWN, "int", asked) for asked in ("", "#pragma unroll 16"))
    assert one.loops[1].ii == 1
    assert copied.time_s > one.time_s / 3


PARTIAL = "keep several partial results"


@pytest.mark.parametrize(
    ("body", "advised"),
    [
        ("line[0] = s[t] * line[0];", True),
        ("line[63] = line[61] + s[t];" + DOWN, True),
        ("line[0] = s[t] * line[0]; d[t] = line[0];", False),  # every value is stored
        ("line[0] = s[t] + line[0] * 0.5f;", False),  # no sum: what came before weighs less
        (FILTER, False),
    ],
)
def test_partial_results_are_advised_for_sums_that_no_iteration_stores(body: str, advised: bool) -> None:
    said = [change_text(lever.change) for lever in estimate(body).levers]
    assert any(text.startswith(PARTIAL) for text in said) == advised


ROLLED = """
__attribute__((max_global_work_dim(0)))
__kernel void filtered(__global const float *restrict in, __global float *restrict out, int n)
{
    float line[ROWS];
    for (int t = 0; t < n; t++) {
        for (int k = ROWS - 1; k > 0; k--) line[k] = line[k - 1];
        line[0] = in[t];
        out[t] = line[0] + line[ROWS / 2] + line[ROWS - 1];
    }
}
"""


@pytest.mark.parametrize("rows", [131, 451, 3857])
def test_the_moves_of_a_shift_register_are_to_be_unrolled_whole_however_many(rows: int) -> None:
    (kernel,) = assess(ROLLED.replace("ROWS", str(rows)), arguments={"n": 1_000_000}, f_max_mhz=400).kernels
    first = kernel.estimate.levers[0]
    moves = f"its {rows - 1} moves make a shift register then, all in one cycle"
    assert change_text(first.change) == f"unroll the whole loop: {moves}"
    assert first.after_s == pytest.approx(1_000_000 / 400e6, rel=0.02)  # an iteration a cycle
    text = ROLLED.replace("ROWS", str(rows))
    fix = fixes(text, arguments={"n": 1_000_000})[0]
    assert "#pragma unroll\n        for (int k" in applied(text, fix)


CLEARED = """
__attribute__((max_global_work_dim(0)))
__kernel void counted(__global const uchar *restrict in, __global int *restrict out, int n)
{
    for (int t = 0; t < n; t++) {
        int bins[256];
        for (int k = 0; k < 256; k++) bins[k] = 0;
        for (int i = 0; i < 16; i++) bins[in[16 * t + i]]++;
        out[t] = bins[0] + bins[n & 255];
    }
}
"""


def test_an_array_that_is_cleared_and_picked_by_data_is_no_shift_register() -> None:
    (kernel,) = assess(CLEARED, arguments={"n": 100_000}, f_max_mhz=400).kernels
    assert not [one for one in kernel.estimate.levers if "shift register then" in change_text(one.change)]
