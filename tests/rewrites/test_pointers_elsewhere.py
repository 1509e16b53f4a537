"""Pointers that may lead to several buffers, or to variables that a loop reads: what is refused, and what stays."""

from __future__ import annotations

import pytest

from burstline_server.rewrites.catalogue import refusals_of
from burstline_server.words.obstacles import obstacle_text
from tests.rewrites.equality import Data, assessed, offered, tried

HELPERS = """__global int *chosen(__global int *p, __global int *q, int n) { if (n & 1) return p; return q; }
void pick(__global int **p, __global int *q, int n) { if (n & 1) *p = q; }
void change(int *v, int by) { int *w = v; *w = by & 7; }
"""
HEAD = """__kernel void k(__global int *restrict a, __global int *restrict b, __global int *restrict c,
                int n, uint lead)
{
"""
SEVERAL = {
    "a choice": "    __global int *p = lead ? a : c + 2;\n",
    "a branch": "    __global int *p = a;\n    if (n > 4) p = c + 1;\n",
    "an exchange in a loop": "    __global int *p = a, *q = c;\n"
    "    for (int r = 0; r < (n & 3); r++) { __global int *t = p; p = q; q = t; }\n",
    "a helper's result": "    __global int *p = chosen(a, c, n);\n",
    "a helper's address": "    __global int *p = a;\n    pick(&p, c, n);\n",
    "cases": "    __global int *p;\n"
    "    switch (n & 3) { case 0: p = a; break; case 1: p = c; break; default: p = b; }\n",
    "an array": "    __global int *box[2] = { a, c };\n    __global int *p = box[n & 1];\n",
    "a structure": "    struct { __global int *l, *r; } two = { a, c };\n"
    "    if (n & 1) two.l = two.r;\n    __global int *p = two.l;\n",
}
LOOPS = {
    "vectors": ("    for (int i = 0; i < n; i++) c[i + 2] = p[i] + p[i + 1];\n", "vectorise_by"),
    "a variable": ("    for (int i = 0; i < n; i++) c[3] += p[i];\n", "keep_in_variable"),
    "a histogram": ("    for (int i = 0; i < n; i++) c[p[i] & 15] += a[i];\n", "private_histogram"),
}
BEHIND = {
    "a scalar": ("    int m = 3;\n    int *q = &m;\n", "m & 15"),
    "either scalar": ("    int m = 3, s = 5;\n    int *q = n & 1 ? &m : &s;\n", "m & 15"),
    "an element": ("    int t[4] = { 1, 2, 3, 4 };\n    int *q = t + 1;\n", "t[2] & 15"),
    "a field": ("    struct { int k, l; } s = { 3, n };\n    int *q = &s.k;\n", "s.k & 15"),
    "a lane": ("    int4 v = (int4)(1, 2, 3, 4);\n    int *q = (int *)&v;\n", "v.x & 15"),
}
CHANGES = ("*q = b[i] & 7;", "q[1] ^= 1;", "change(q, a[i]);")
USES = {
    "kept": ("c[{}] += a[i];", "keep_in_variable"),
    "ahead": ("c[i + 9] = b[i] * a[{}];", "keep_in_variable"),
    "window": ("c[i] = a[i + ({0})] + a[i + 1 + ({0})];", "sliding_window"),
    "atomic": ("atomic_add(&c[{}], a[i]);", "private_atomic"),
}


def _data() -> list[Data]:
    np = pytest.importorskip("numpy")
    rng = np.random.default_rng(7)
    arrays = {name: rng.integers(0, 90, 192).astype(np.int32) for name in "abc"}
    lengths = (0, 1, 2, 3, 5, 13, 40)
    return [Data(arrays, {"n": np.int32(n), "lead": np.uint32(n % 3)}, group=(1,)) for n in lengths]


def _kinds(text: str) -> set[str]:
    return {offer.title.kind for offer in offered(text)}


@pytest.mark.parametrize("loop", LOOPS)
@pytest.mark.parametrize("several", SEVERAL)
def test_buffers_that_one_pointer_may_lead_to_may_be_one(several: str, loop: str) -> None:
    text, kind = LOOPS[loop]
    assert kind in _kinds(HELPERS + HEAD + "    __global int *p = a;\n" + text + "}\n")
    assert kind not in _kinds(HELPERS + HEAD + SEVERAL[several] + text + "}\n")


def test_two_variables_that_lead_to_a_buffer_each_stay_apart() -> None:
    pointers = "    __global int *p = a + 1, *q = c;\n    p = a;\n"
    assert "vectorise_by" in _kinds(HELPERS + HEAD + pointers + LOOPS["vectors"][0] + "}\n")
    twice = "    c[0] = *chosen(a, a, n) + *chosen(b, b, n);\n"
    assert "keep_in_variable" in _kinds(
        HELPERS + HEAD + "    __global int *p = a;\n" + twice + LOOPS["a variable"][0] + "}\n"
    )


def test_what_is_loaded_from_an_unknown_buffer_is_said() -> None:
    text = HELPERS + HEAD + SEVERAL["an array"] + LOOPS["a histogram"][0] + "}\n"
    reasons = {obstacle_text(one.reason) for one in refusals_of(assessed(text)) if hasattr(one.reason, "kind")}
    assert "part of what the kernel reads and writes is not known" in reasons


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("behind", BEHIND)
def test_a_variable_set_through_an_address_taken_before_counts_as_set(behind: str, use: str, change: str) -> None:
    declared, index = BEHIND[behind]
    statement, kind = USES[use]
    loop = f"    for (int i = 0; i < n; i++) {{ {statement.format(index)} {change} }}\n}}\n"
    assert kind not in _kinds(HELPERS + HEAD + declared + loop)


def test_an_address_that_nothing_in_the_loop_goes_through_changes_nothing() -> None:
    declared, index = BEHIND["a scalar"]
    loop = f"    for (int i = 0; i < n; i++) c[{index}] += a[i];\n    *q = 4;\n    c[20] = m;\n}}\n"
    assert "keep_in_variable" in _kinds(HELPERS + HEAD + declared + loop)


def test_what_a_moving_pointer_loads_is_no_place_of_its_buffer() -> None:
    pointers = "    __global int *q = c + 1;\n"
    moving = "    for (int i = 0; i < n; i++) { *q = a[i] + q[-1]; q++; }\n}\n"
    still = "    for (int i = 0; i < n; i++) q[i] = a[i] + q[i - 1];\n}\n"
    assert "forward_through_register" not in _kinds(HELPERS + HEAD + pointers + moving)
    assert "forward_through_register" not in _kinds(HELPERS + HEAD + pointers + still)
    assert "forward_through_register" in _kinds(
        HELPERS + HEAD + still.replace("q[i]", "c[i + 1]").replace("q[i - 1]", "c[i]")
    )


@pytest.mark.parametrize("several", SEVERAL)
def test_what_is_offered_computes_the_same(several: str) -> None:
    pytest.importorskip("pyopencl")
    loop = "    for (int i = 0; i < n; i++) c[i + 4] = c[i + 3] / 2 + p[i + 1];\n}\n"
    for one in tried(HELPERS + HEAD + SEVERAL[several] + loop, _data()):
        assert one.unequal is None, (one.offer.title, one.why)
