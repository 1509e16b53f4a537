"""Stores that the loads of a split wait for, such as a constant put in front of a loop: they stay with the loads."""

from __future__ import annotations

import pytest

from burstline_server.assessment.assessor import Assessor
from burstline_server.interpreter.verdicts import Equal
from burstline_server.rewrites.catalogue import executed
from burstline_server.words.edits import title_text
from tests.rewrites.equality import Data, assessed, held_against, ran
from tests.rewrites.test_split_each import reasons, splits

np = pytest.importorskip("numpy")

HEAD = """__kernel void k(__global int *restrict a, __global int *restrict b, __global int *restrict c,
                __global int *restrict d, int n, int m)
{{
{}
}}
"""
LAYER = """    for (int j = 1; j <= m; j++)
        for (int i = 0; i <= n; i++) {
            int w = 3 * a[j] * b[i] + c[i * (m + 1) + j];
            d[i * (m + 1) + j] += w;
            c[i * (m + 1) + j] = w;
        }"""
SIZES = ((8, 6), (0, 0), (1, 1), (2, 2), (3, 5), (7, 3), (-2, 4), (6, -1))


def kernel(body: str) -> str:
    return HEAD.format(body)


def first(line: str) -> str:
    """The layer with a line in front of it."""
    return f"    {line}\n{LAYER}"


def within(line: str, body: str = LAYER) -> str:
    """The layer with a line more in each iteration of the outer loop."""
    return body.replace("j++)", f"j++) {{\n        {line}", 1) + " }"


def data(text: str) -> list[Data]:
    found = []
    for seed, (n, m) in enumerate(SIZES):
        draw = np.random.default_rng(seed)
        arrays = {name: draw.integers(-3, 9, 400).astype(np.int32) for name in "abcd" if f" *restrict {name}" in text}
        found.append(Data(arrays, {"n": np.int32(n), "m": np.int32(m)}))
    return found


LEGAL = {
    "constant": first("b[0] = 7;"),
    "through the pointer": first("*b = 7;"),
    "on a condition": first("if (n > 2) b[0] = 5;"),
    "of a variable": first("int t = n > 2 ? 4 : 5; b[0] = t;"),
    "of an array": first("int t[2]; t[0] = n; t[1] = 3; b[0] = t[1];"),
    "several at once": first("b[0] = b[1] = 5;"),
    "after a comma": first("b[0] = 5, b[1] = 6;"),
    "a chosen place": first("b[n > 2 ? 0 : 1] = 5;"),
    "a place that the host gives": first("b[n & 3] = 5;"),
    "a vector": first("vstore2((int2)(1, 2), 0, b);"),
    "before a return": first("b[0] = 5; if (n < 3) return;"),
    "a load before": "    int v = b[0];\n" + first("b[0] = 5;").replace("3 * a[j]", "v * a[j]"),
    "loads on both sides": "    int v = b[0]; b[0] = 5; int x = b[0];\n" + LAYER.replace("3 * a[j]", "(v + x) * a[j]"),
    "stored twice": "    b[0] = 5; int x = b[0]; b[0] = 6;\n" + LAYER.replace("3 * a[j]", "x * a[j]"),
    "in the outer loop": within("b[0] = j;"),
    "in the outer loop, on a condition": within("if (j > 1) b[0] = j;"),
    "in the outer loop, after a load": within("int t = b[0]; b[0] = j + 1;", LAYER.replace("3 *", "t *")),
    "in the outer loop, at places of its own": within("b[j & 3] = j;"),
    "in a while loop": first("b[0] = 5;").replace("for (int j = 1; j <= m; j++)", "int j = 0; while (j++ < m)"),
    "another place read": first("b[0] = 5;").replace("+= w;", "+= w + b[1];"),
    "no place that is read": first("c[0] = 9;"),
    "after the loop": LAYER + "\n    b[0] = 5;",
}


@pytest.mark.parametrize("name", LEGAL)
def test_what_is_stored_before_it_is_loaded_is_stored_by_the_kernel_that_loads(name: str) -> None:
    text = kernel(LEGAL[name])
    offer = next(iter(splits(text)))
    assert offer.kind == "host"
    assert "unsafe" not in title_text(offer.title)
    launched = data(text)
    tried = held_against(offer, offer.applied(text.encode()).decode(), launched, [ran(text, one) for one in launched])
    assert tried.launches == len(launched)
    assert tried.unequal is None, tried.why
    assert isinstance(executed(Assessor(), assessed(text), [], offer), Equal)


REFUSED = {
    "what was loaded": first("b[0] = a[1];"),
    "on what was loaded": first("if (a[2] > 2) b[0] = 5;"),
    "a place that is loaded and stored": first("b[0] += 5;"),
    "a step": first("b[0]++;"),
    "two buffers at once": first("b[0] = d[0] = 5;"),
    "a loop of stores": first("for (int q = 0; q < 4; q++) b[q] = q;"),
    "a buffer that the loop stores to": first("c[1] = 9;"),
    "what was loaded, in the outer loop": within("b[0] = a[j];"),
    "a bound that is stored": within("b[1] = j;", LAYER.replace("i <= n", "i <= b[1]")),
    "a bound that was stored before": first("b[0] = 2;").replace("i <= n", "i <= b[0]"),
    "a bound with a value that changed": "    int v = b[0]; b[0] = 5;\n" + LAYER.replace("i <= n", "i <= n + 0 * b[0]"),
    "a pointer": first("__global int *p = b; p[0] = 5;"),
    "an atomic": first("atomic_add(b, 5);"),
    "a barrier": first("b[0] = 5; barrier(CLK_GLOBAL_MEM_FENCE);"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_others_are_refused_with_the_reason(name: str) -> None:
    text = kernel(REFUSED[name])
    assert splits(text) == []
    assert reasons(text) or "barrier" in name


def test_other_buffers_must_not_overlap_where_nothing_says_so() -> None:
    text = kernel(first("b[0] = 7;")).replace(" *restrict", " *")
    (needs,) = [title_text(o.title) for o in splits(text)][:1]
    assert "you assert that nothing is read after it was stored to c, d and that b does not overlap c, d" in needs
