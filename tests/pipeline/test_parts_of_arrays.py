"""Parts of a private array that do not wait for each other: elements by number, lanes and fields of each element."""

import pytest

from tests.assessing import assess

TEXT = """typedef struct { float re, im; } wave;
__kernel void k(__global const float *restrict x, __global float *restrict y, int n)
{
    DECLARED
    for (int i = 0; i < n; i++) {
        BODY
    }
    y[0] = ((float *)s)[0] + ((float *)s)[1];
}
"""
EACH = "#pragma unroll\n        for (int k = 0; k < 4; k++) { %s }"


def interval(declared: str, body: str) -> float | None:
    """The interval of the loop over `i` on Cyclone V, whose sums take several cycles."""
    text = TEXT.replace("DECLARED", declared).replace("BODY", body)
    (kernel,) = assess(text, device_family="Cyclone V").kernels
    loops = (one for one in kernel.estimate.loops if kernel.facts.loops[one.loop].variable == "i")
    return next(loops).ii


ONE = interval("float s[2] = {0};", "s[0] += x[i];")
TWO = interval("float s[2] = {0};", "s[0] += x[i]; s[0] += x[i + n];")


def test_one_sum_waits_for_itself_and_two_of_one_element_for_both() -> None:
    assert ONE is not None
    assert TWO is not None
    assert 1 < ONE < TWO


@pytest.mark.parametrize(
    ("declared", "body"),
    [
        ("float s[2] = {0};", "s[0] += x[i]; s[1] += x[i + n];"),
        ("float s[4][2] = {{0}};", EACH % "s[k][0] += x[4 * i + k]; s[k][1] += x[4 * i + k + n];"),
        ("float2 s[4] = {0};", EACH % "s[k].x += x[4 * i + k]; s[k].y += x[4 * i + k + n];"),
        ("float4 s[4] = {0};", EACH % "s[k].s0 += x[4 * i + k]; s[k].hi += (float2)(x[4 * i + k + n]);"),
        ("wave s[4] = {{0}};", EACH % "s[k].re += x[4 * i + k]; s[k].im += x[4 * i + k + n];"),
        ("float s[8] = {0};", EACH % "s[2 * k] += x[4 * i + k]; s[2 * k + 1] += x[4 * i + k + n];"),
    ],
)
def test_sums_in_other_parts_take_what_one_sum_takes(declared: str, body: str) -> None:
    assert interval(declared, body) == ONE


@pytest.mark.parametrize(
    ("declared", "body"),
    [
        ("float s[2] = {0};", "s[0] = s[1] + x[i]; s[1] = s[0] + x[i + n];"),
        ("float2 s[4] = {0};", EACH % "s[k].x = s[k].y + x[4 * i + k]; s[k].y = s[k].x + x[4 * i + k + n];"),
        ("float2 s[4] = {0};", EACH % "s[k].x += x[4 * i + k]; s[k] += x[4 * i + k + n];"),
        ("float2 s[4] = {0};", EACH % "s[k].y += x[4 * i + k]; s[k].hi += x[4 * i + k + n];"),
    ],
)
def test_sums_in_parts_that_meet_wait_for_both(declared: str, body: str) -> None:
    assert interval(declared, body) == TWO


def test_an_element_that_data_choose_may_be_any() -> None:
    body = "s[0] += x[i]; s[(int)x[i + 1] & 1] += x[i + n];"
    assert (interval("float s[2] = {0};", body) or 0) >= (TWO or 0)


def test_an_array_that_is_declared_anew_holds_nothing_of_the_iteration_before() -> None:
    text = """__kernel void k(__global const float *restrict x, __global float *restrict y, int n)
{
    for (int i = 0; i < n; i++) {
        float s[2] = {x[i], x[i + n]};
        s[0] += s[1];
        s[1] += s[0];
        y[i] = s[1];
    }
}
"""
    (kernel,) = assess(text, device_family="Cyclone V").kernels
    assert [one.ii for one in kernel.estimate.loops] == [1]
