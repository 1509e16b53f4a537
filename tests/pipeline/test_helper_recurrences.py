"""What a helper changes behind a pointer is carried as if it were written out: compilers inline every call."""

import pytest

from tests.assessing import assess

KERNEL = """
void add(float *p, float v) { *p += v; }
void add_at(float *p, int k, float v) { float *q = p + k; *q = *q + v; }
void add_there(int k, float v, float *p) { add_at(p, k, v); }
void add_all(float *p, __global const float *x, __global const int *at, int n) {
    for (int i = 0; i < n; i++) p[at[i]] += x[i];
}
float look(float *p, int k) { return p[k]; }
__kernel void k(__global const float *restrict x, __global const int *restrict at, __global float *restrict y, int n)
{
    float bins[999], others[999];
    float s = x[0], t;
    BODY
    y[0] = bins[n] + others[n] + s;
}
"""
LOOP = "for (int i = 0; i < n; i++) "
WRITTEN_OUT = LOOP + "bins[at[i]] += x[i];"


def intervals(body: str) -> list[float | None]:
    """The intervals of a kernel's loops."""
    (kernel,) = assess(KERNEL.replace("BODY", body), board="p385a").kernels
    return [one.ii for one in kernel.estimate.loops]


@pytest.mark.parametrize(
    "body",
    [
        LOOP + "add(&bins[at[i]], x[i]);",
        LOOP + "add(bins + at[i], x[i]);",
        LOOP + "add_at(bins, at[i], x[i]);",
        LOOP + "add_there(at[i], x[i], bins);",
        LOOP + "if (x[i] > 1.0f) { add_there(at[i], x[i], bins); }",
        LOOP + "{ float *p = &bins[at[i]]; *p += x[i]; }",
        "float *p = bins; " + LOOP + "p[at[i]] += x[i];",
        "add_all(bins, x, at, n);",
    ],
)
def test_an_array_behind_a_pointer_is_carried(body: str) -> None:
    assert intervals(body) == intervals(WRITTEN_OUT)
    assert (intervals(body)[0] or 0) > 3


@pytest.mark.parametrize("body", [LOOP + "add(&s, x[i]);", "add(&s, x[1]); " + LOOP + "add(&s, x[i]);"])
def test_a_variable_behind_a_pointer_is_carried(body: str) -> None:
    assert intervals(body) == intervals(LOOP + "s += x[i];") == [3]


@pytest.mark.parametrize(
    "body",
    [
        LOOP + "bins[i] = look(others, at[i]) + x[i];",
        LOOP + "add_at(bins, i, x[i]);",
        LOOP + "{ t = 0.0f; add(&t, x[i]); bins[i] = t; }",
    ],
)
def test_what_no_iteration_hands_on_is_not_carried(body: str) -> None:
    assert intervals(body) == [1]
