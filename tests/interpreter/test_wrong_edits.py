"""Edits as rewriters get them wrong, written by hand: executing each one shows it."""

from __future__ import annotations

import pytest

from burstline_server.interpreter.equality import Edited, equal
from burstline_server.interpreter.verdicts import Different, Equal, NotExecuted
from burstline_server.source.read import read_source

APART = "__global const int *restrict x, __global int *restrict y, int n"
CASES = {
    "a sum of atomics in a variable, where both buffers may be one": (
        ("__global const int *x, __global int *y, int n",),
        "for (int i = 0; i < n; i++) atomic_add(&y[3], x[i]);",
        "int s = 0; for (int i = 0; i < n; i++) s += x[i]; if (n > 0) atomic_add(&y[3], s);",
        "value",
    ),
    "a sum of atomics in a variable of another type": (
        ("__global const float *restrict x, __global int *restrict y, int n",),
        "for (int i = 0; i < n; i++) atomic_add(&y[3], x[i] * 0.5f);",
        "float s = 0; for (int i = 0; i < n; i++) s += x[i] * 0.5f; if (n > 0) atomic_add(&y[3], s);",
        "value",
    ),
    "an atomic after a loop without turns": (
        (APART,),
        "for (int i = 0; i < n; i++) atomic_add(&y[n - 1], x[i]);",
        "int s = 0; for (int i = 0; i < n; i++) s += x[i]; atomic_add(&y[n - 1], s);",
        "bounds",
    ),
    "a first value whose type is lost in a condition": (
        ("__global const int *restrict x, __global int *restrict y, uint n",),
        "for (int i = n - 4; i >= 0; i--) y[i] = y[i + 3] / 2 + x[i];",
        "int a = (n - 4) >= 0 ? y[n - 1] : 0; for (int i = n - 4; i >= 0; i--) { y[i] = y[i + 3] / 2 + x[i]; }",
        "bounds",
    ),
    "a first value that counts, written twice": (
        (APART,),
        "int s = 1; for (int i = s++; i < n; i++) y[i] = x[i] + s;",
        "int s = 1; int first = x[s++]; for (int i = s++; i < n; i++) y[i] = x[i] + s;",
        "value",
    ),
    "a carried value where the buffers may be one": (
        ("__global const int *x, __global int *y, int n",),
        "for (int i = 1; i < n; i++) y[i] = y[i - 1] + x[0];",
        "int a = x[0]; for (int i = 1; i < n; i++) y[i] = y[i - 1] + a;",
        "value",
    ),
    "a window whose first values are loaded for no turn": (
        (APART,),
        "for (int i = 1; i < n; i++) y[i] = x[i - 1] + x[i];",
        "int last = x[n]; for (int i = 1; i < n; i++) y[i] = x[i - 1] + x[i];",
        "bounds",
    ),
    "a private copy that a negative remainder leaves": (
        (APART,),
        "for (int i = -3; i < n; i++) y[i + 3] = x[4 - i % 5];",
        "int t[5]; for (int k = 0; k < 5; k++) t[k] = x[k]; for (int i = -3; i < n; i++) y[i + 3] = t[4 - i % 5];",
        "bounds",
    ),
    "vectors without the rest of the elements": (
        (APART,),
        "for (int i = 0; i < n; i++) y[i] = 3 * x[i];",
        "for (int i = 0; i < n / 4 * 4; i += 4) vstore4(3 * vload4(0, x + i), 0, y + i);",
        "value",
    ),
    "vectors over the end": (
        (APART,),
        "for (int i = 0; i < n; i++) y[i] = 3 * x[i];",
        "for (int i = 0; i < n; i += 4) vstore4(3 * vload4(0, x + i), 0, y + i);",
        "bounds",
    ),
    "a store that is left out although it is read in between": (
        (APART,),
        "for (int i = 0; i < n; i++) { y[i] = x[i]; int a = y[i]; y[i] = a * 2; }",
        "for (int i = 0; i < n; i++) { int a = y[i]; y[i] = a * 2; }",
        "value",
    ),
    "a real sum in vectors": (
        ("__global const float *restrict x, __global float *restrict y, int n",),
        "float s = 0; for (int i = 0; i < n; i++) s += x[i] / 3; y[0] = s;",
        "float2 s = 0; int i = 0; for (; i + 1 < n; i += 2) s += vload2(0, x + i) / 3; "
        "if (i < n) s.x += x[i] / 3; y[0] = s.x + s.y;",
        "value",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_executing_a_wrong_edit_shows_that_it_is_wrong(name: str) -> None:
    (arguments,), before, after, how = CASES[name]
    texts = [f"__kernel void k({arguments}) {{ {body} }}" for body in (before, after)]
    one, other = (read_source(text, "k.cl") for text in texts)
    found = equal(one, "k", Edited(other, ("k",), {}))
    assert isinstance(found, Different)
    assert found.how == how


def test_a_split_that_loads_before_the_other_kernel_stored_is_different() -> None:
    before = f"""__kernel void k({APART}) {{
    for (int i = 0; i < n; i++) y[i] = x[i] * 2;
    for (int i = 0; i < n; i++) y[i] += 3;
}}"""
    after = """channel int a __attribute__((depth(64))); channel int b __attribute__((depth(64)));
__kernel void loads(__global const int *restrict x, __global int *restrict y, int n) {
    for (int i = 0; i < n; i++) write_channel_intel(a, x[i]);
    for (int i = 0; i < n; i++) write_channel_intel(b, y[i]);
}
__kernel void computes(__global int *restrict y, int n) {
    for (int i = 0; i < n; i++) y[i] = read_channel_intel(a) * 2;
    for (int i = 0; i < n; i++) y[i] = read_channel_intel(b) + 3;
}"""
    found = equal(read_source(before, "k.cl"), "k", Edited(read_source(after, "k.cl"), ("loads", "computes"), {}))
    assert isinstance(found, Different)
    assert found.how == "value"


def test_an_edited_text_names_nothing_that_is_not_declared_before() -> None:
    text = "__kernel void k({}) {{ for (int i = 0; i < n; i++) {{ {} }} }}"
    good = text.format(APART, "const int v = x[i]; const int w = v > 7 ? FACTOR : 0; y[i] = w;")
    bad = text.format(APART, "const int w = v > 7 ? FACTOR : 0; const int v = x[i]; y[i] = w;")
    one, other = (read_source(found, "k.cl") for found in (good, bad))
    assert isinstance(equal(one, "k", Edited(one, ("k",), {})), Equal)  # the command line may give FACTOR
    found = equal(one, "k", Edited(other, ("k",), {}))
    assert isinstance(found, NotExecuted)
    assert found.reason.name == "v"
