"""Splits of kernels that store by atomics and in helper functions: both stay with the computation."""

from __future__ import annotations

import pytest

from burstline_server.assessment.assessor import Assessor
from burstline_server.interpreter.verdicts import Equal
from burstline_server.rewrites.catalogue import executed
from burstline_server.rewrites.rewrite import NotOfferedError
from burstline_server.rewrites.split.split import Split
from burstline_server.words.edits import title_text
from burstline_server.words.obstacles import obstacle_text
from tests.rewrites.equality import assessed, held_against, ran
from tests.rewrites.test_split_each import splits
from tests.rewrites.test_split_early_stores import data, kernel

HELPERS = """void put(__global int *p, int at, int v) { p[at] = v; }
int set(__global int *p, int at, int v) { p[at] = v; return v & 7; }
int more(__global int *p, int v) { int o = *p; *p = o + v; return o; }
void swap(__global int *p, __global int *q) { int t = *p; *p = *q; *q = t; }
void next(__global int *p, int at, int *v) { p[at] = *v; *v = (*v + 1) & 7; }
void copy(__global int *p, __global const int *q, int at) { p[at] = q[at] + 1; }
void fill(__global int *p, int from, int v) { for (int q = 0; q < 4; q++) p[from + q] += v + q; }
void both(__global int *p, __global int *q, int at, int v) { p[at] = v; q[at] = v + 1; }
void locked(__global int *p, int v)
{
    int o = *p, s;
    while ((s = atomic_cmpxchg(p, o, o + v)) != o)
        o = s;
}
int get(__global const int *p, int i) { return p[i]; }
void onchip(__local int *p, int at, int v) { p[at] = v; }
"""


def loop(line: str) -> str:
    return HELPERS + kernel(f"    for (int i = 0; i < n; i++) {{\n        {line}\n    }}")


LEGAL = {
    "histogram": "atomic_add(&a[b[i] & 7], c[i]);",
    "by pointer": "atomic_inc(a + (b[i] & 7));",
    "its result": "int o = atomic_add(&a[b[i] & 7], 1); d[i] = o;",
    "its result, as a place": "int o = atomic_add(&a[0], 1); d[o] = b[i];",
    "its result, on a condition": "int o = atomic_add(&a[0], b[i]); if (o > 3) d[i] = 1;",
    "a load before": "int v = a[i]; atomic_add(&a[i], c[i]); d[i] = v;",
    "a load of a later place": "atomic_add(&a[i], c[i]); d[i] = a[i + 1];",
    "what it adds": "atomic_add(&a[i], a[i]);",
    "one in another": "atomic_add(&a[atomic_inc(&d[0]) & 7], c[i]);",
    "a store after": "atomic_add(&a[i & 3], c[i]); a[i & 3] = 2;",
    "on a condition": "if (c[i] > 2) atomic_add(&a[i & 3], c[i]);",
    "chosen": "d[i] = c[i] > 2 ? atomic_add(&a[i & 3], c[i]) : 4;",
    "exchanged": "d[i] = atomic_xchg(&a[0], c[i]);",
    "helper": "put(a, b[i] & 7, c[i]);",
    "helper that loads": "more(&a[b[i] & 7], c[i]);",
    "helper that loads what was stored": "a[i & 7] = c[i]; more(&a[b[i] & 7], c[i]);",
    "helper that loads what the kernel stores": "b[i] = c[i]; copy(a, b, i);",
    "helper with a result": "d[i] = c[i] > 2 && more(&a[b[i] & 7], c[i]) > 1;",
    "helper with an atomic": "if (c[i] > 2) locked(&a[b[i] & 7], c[i]);",
    "helper with a loop": "fill(a, i, b[i]);",
    "helper for two buffers": "both(a, d, i, b[i]);",
    "helper that exchanges": "swap(&a[i], &a[i + 5]); c[i] = b[i];",
    "a place that is added to": "const int at = 2 * i; d[at] += b[i];",
    "loads ahead of a helper": "swap(&a[i], &d[i]); c[i] = a[i + 1];",
}


@pytest.mark.parametrize("name", LEGAL)
def test_the_computation_keeps_what_it_stores_elsewhere(name: str) -> None:
    text = loop(LEGAL[name])
    offer = next(iter(splits(text)))
    assert offer.kind == "host"
    assert "unsafe" not in title_text(offer.title)
    after = offer.applied(text.encode()).decode()
    memory = after[after.index("k_memory(") : after.index("k_compute(")]
    assert not any(
        word in memory for word in ("atomic", "put(", "more(", "locked(", "swap(", "fill(", "both(", "copy(")
    )
    launched = data(text)
    tried = held_against(offer, after, launched, [ran(text, one) for one in launched])
    assert tried.launches == len(launched)
    assert tried.unequal is None, tried.why
    assert isinstance(executed(Assessor(), assessed(text), [], offer), Equal)


SETS, ASKS, AGAIN = (
    "a statement stores, and sets what loads need",
    "what a condition or a loop's head asks for",
    "again",
)
REFUSED = {
    "a load by its result": ("int o = atomic_add(&a[0], 1); d[i] = b[o & 7];", SETS),
    "a load on its result": ("int o = atomic_add(&a[0], 1); if (o > 3) d[i] = b[i];", SETS),
    "a condition": ("if (atomic_add(&a[0], 1) > 3) d[i] = b[i];", "atomics read and write in one step"),
    "a loop of them": ("int o = b[i]; while (atomic_cmpxchg(&a[0], o, o + 1) != o) o++;", "atomics read and write"),
    "a load after": ("atomic_add(&a[i], c[i]); d[i] = a[i];", AGAIN),
    "a load in the next iteration": ("d[i] = a[i]; atomic_add(&a[i + 1], c[i]);", "unsafe dependence"),
    "helper, a load after": ("put(a, i, b[i]); d[i] = a[i];", AGAIN),
    "helper, a load in the next iteration": ("put(a, i + 1, a[i] + b[i]);", "unsafe dependence"),
    "helper, a load by its result": ("d[i] = c[set(a, i, b[i])];", "the index of a load changes a variable"),
    "helper, a load on its result": ("int r = set(a, i, b[i]); if (r > 3) d[i] = c[i];", SETS),
    "helper in a condition": ("if (more(&a[b[i] & 7], c[i]) > 3) d[i] = c[i + 1];", ASKS),
    "helper in a loop's head": ("while (more(&a[b[i] & 7], 1) < 9) d[i] = c[i];", ASKS),
    "helper in a first value": ("for (int z = more(&a[b[i] & 7], 1) & 3; z < 4; z++) d[i + z] = c[i + z];", SETS),
    "helper in a step": ("for (int z = 0; z < 4; z++, more(&a[b[i] & 7], 2)) d[i + z] = c[i + z];", "step"),
    "helper that sets a place": ("int v = b[i]; next(a, i, &v); d[i] = c[v];", SETS),
    "helper that only loads": ("put(a, i, get(b, i));", "helper functions or macros hold some of its loads"),
    "a store in a condition": ("if ((a[i] = b[i]) > 3) d[i] = c[i];", ASKS),
    "local memory": ("__local int t[64]; onchip(t, i & 63, b[i]); d[i] = t[i & 63];", "a helper function stores to t"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_others_are_refused_with_the_reason(name: str) -> None:
    line, reason = REFUSED[name]
    text = loop(line)
    assert splits(text) == []
    done = assessed(text)
    candidate = next(iter(Split.all_candidates(done, done.kernels[0])))
    with pytest.raises(NotOfferedError) as refused:
        Split().made(candidate, done.kernels[0].facts, done)
    assert reason in obstacle_text(refused.value.reason)
