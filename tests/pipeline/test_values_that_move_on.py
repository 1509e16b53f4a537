"""Values that move through an array of registers and never come back do not hold a loop up."""

import pytest

from burstline_server.words.verdict import limit_line
from tests.assessing import assess

KERNEL = """
__kernel void fir(__global const float *restrict x, __global float *restrict y, int n)
{
    float s[33];
    #pragma unroll
    for (int k = 0; k < 33; k++) s[k] = 0.0f;
    for (int i = 0; i < n; i++) {
        float v = x[i];
        BODY
    }
    y[n] = s[0];
}
"""
UNROLL = "\n#pragma unroll\n"
UP = UNROLL + "for (int k = 0; k < 32; k++) "
TAP = "(float)(k + 1) * v;\n"


def interval(body: str) -> float | None:
    """The interval of the loop over samples."""
    (kernel,) = assess(KERNEL.replace("BODY", body), board="p385a").kernels
    return kernel.estimate.loops[1].ii


@pytest.mark.parametrize(
    "body",
    [
        UP + "s[k] = s[k + 1] + " + TAP + "y[i] = s[0];",
        "y[i] = s[0];" + UP + "s[k] = s[k + 1] + " + TAP,
        UP + "s[k] = s[k + 1] + " + TAP + "s[32] = v * 2.0f; y[i] = s[0];",
        UNROLL + "for (int k = 32; k > 0; k--) s[k] = s[k - 1] + " + TAP + "s[0] = v; y[i] = s[32];",
        UP + "{ float before = s[k + 1]; s[k] = before + " + TAP + "}",
        "s[0] = s[1] + 3.0f * v; s[1] = s[2] + 5.0f * v; s[2] = 7.0f * v; y[i] = s[0];",
    ],
)
def test_a_transposed_filter_takes_a_sample_a_cycle(body: str) -> None:
    assert interval(body) == 1


@pytest.mark.parametrize(
    "body",
    [
        UP + "s[k] = s[k + 1] + " + TAP + "s[32] = s[0] * 2.0f;",  # back to the start
        UP + "s[k] = s[k + 1] + (float)(k + 1) * s[k];",  # what it was itself
        UNROLL + "for (int k = 1; k < 32; k++) s[k] = s[k + 1] + s[k - 1] * v;",  # both neighbours
        "s[i + 1] = s[i] + 3.0f * v;",  # what the iteration before stored
        "s[i] = s[i + 1] + 3.0f * v; s[i + 2] = s[i] * v;",  # by way of another element
        UP + "s[k] = s[i] + " + TAP,
    ],
)
def test_what_may_come_back_holds_the_loop_up(body: str) -> None:
    assert (interval(body) or 0) > 3


@pytest.mark.parametrize("body", ["s[i] = s[i + 1] + 3.0f * v;", "s[2 * i] = s[2 * i + 1] * v;"])
def test_what_no_earlier_iteration_stored_does_not(body: str) -> None:
    assert interval(body) == 1


def test_an_array_in_registers_comes_back_as_a_whole() -> None:
    (kernel,) = assess(KERNEL.replace("33", "9").replace("BODY", "s[i] = s[i + 1] + 3.0f * v;"), board="p385a").kernels
    assert (kernel.estimate.loops[1].ii or 0) > 3


def test_a_filter_in_a_loop_that_stays_waits_for_all_of_it() -> None:
    body = "\n#pragma unroll 1\nfor (int k = 0; k < 32; k++) s[k] = s[k + 1] + " + TAP
    (kernel,) = assess(KERNEL.replace("BODY", body), board="p385a").kernels
    assert kernel.estimate.loops[1].serial


WAVE = """
__kernel void wave(__global const int *restrict x, __global int *restrict y, int n)
{
    int s[128], e[128], most = 0;
    #pragma unroll
    for (int k = 0; k < 128; k++) { s[k] = 0; e[k] = 0; }
    for (int i = 0; i < n; i++) {
        BODY
        y[i] = s[127];
    }
    y[n] = most;
}
"""
CELLS = """int before = 0, f = 0;
        #pragma unroll
        for (int k = 1; k < 128; k++) {
            e[k] = max(e[k] - 1, s[k] - 3);
            f = max(f - 1, s[k - 1] - 3);
            int here = max(max(0, before + x[i]), max(e[k], f));
            before = s[k];
            s[k] = here;
        }
"""
ALONG = "\n#pragma unroll\nfor (int k = 1; k < 128; k++) s[k] = max(s[k] - 1, s[k - 1]);"


def of_wave(body: str) -> float | None:
    """The interval of the loop whose iterations run through all elements."""
    (kernel,) = assess(WAVE.replace("BODY", body), board="p385a").kernels
    return kernel.estimate.loops[1].ii


@pytest.mark.parametrize("body", ["s[0] += x[i];" + ALONG, CELLS], ids=["one array", "two arrays and variables"])
def test_an_element_of_a_wave_waits_for_itself_alone(body: str) -> None:
    """Each is made of itself and of those before it, which never wait for it: the copies start one after the other."""
    assert of_wave(body) == 1


@pytest.mark.parametrize(
    "body",
    [
        "s[0] = s[127] + x[i];" + ALONG,  # the end leads back to the begin
        "s[0] = most + x[i];" + ALONG + "most = s[127];",  # by way of a variable
        CELLS.replace("f = 0", "f = s[127]"),
        "s[0] += x[i];" + ALONG.replace("unroll", "unroll 1"),  # the elements are in one memory
    ],
)
def test_what_leads_back_to_the_begin_of_a_wave_holds_it_up(body: str) -> None:
    assert (of_wave(body) or 0) > 3 or assess(WAVE.replace("BODY", body)).kernels[0].estimate.loops[1].serial


FIELDS = """
typedef struct { float re, im; } pair;
__kernel void bins(__global const float *restrict x, __global float *restrict y, int n)
{
    pair b[16];
    #pragma unroll
    for (int k = 0; k < 16; k++) { b[k].re = 0.0f; b[k].im = 1.0f; }
    for (int i = 0; i < n; i++) {
        #pragma unroll
        for (int k = FIRST; k < 16; k++) {
            float re = b[k].re + x[i], im = b[OTHER].im;
            b[k].re = re * 0.5f - im * 0.25f;
            b[k].im = re * 0.25f + im * 0.5f;
        }
        y[i] = b[15].re;
    }
}
"""


@pytest.mark.parametrize("other", ["k", "k - 1"])
def test_fields_of_one_element_wait_for_each_other_once_in_all_copies(other: str) -> None:
    first = "0" if other == "k" else "1"
    own = FIELDS.replace("FIRST", first).replace("OTHER", other)
    (kernel,) = assess(own, board="p385a").kernels
    (one,) = assess(own.replace("16", "2"), board="p385a").kernels
    assert kernel.estimate.loops[1].ii is not None
    assert 3 < (kernel.estimate.loops[1].ii or 0) <= 2 * (one.estimate.loops[1].ii or 0)


def test_operations_of_one_kind_are_said_once_whichever_loops_they_are_in() -> None:
    body = """s[0] += x[i];
        #pragma unroll
        for (int k = 2; k < 32; k += 2) {
            s[k] = max(s[k] - 1, s[k - 1]);
            s[k - 1] = max(s[k - 1], s[k - 2]) + s[k + 1];
        }
"""
    done = assess(WAVE.replace("BODY", body), arguments={"n": 1 << 20}, board="p385a")
    said = limit_line(done, done.kernels[0])
    assert said.endswith("s carried to the next iteration through 3 int adds, 2 int compares")
