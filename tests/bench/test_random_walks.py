"""Words of memory that random addresses fetch: the model against issuing each request."""

from __future__ import annotations

from collections import Counter

import pytest
from bench.random_walks import Kernel, compared, made, words_of

LOOP = """__attribute__((max_global_work_dim(0)))
__kernel void walk(__global int *restrict b, int n, int m)
{
#pragma unroll 1
    for (int i = 0; i < 4096; i++)
        b[%s] = 1;
}
"""
INDICES = {
    "(i / 8) * 1024": lambda i: i // 8 * 1024,
    "(i / 8) * 1024 + i % 8": lambda i: i // 8 * 1024 + i % 8,
    "(i >> 5) * 100 + (i & 31)": lambda i: (i >> 5) * 100 + (i & 31),
    "(i / 3) * 100": lambda i: i // 3 * 100,
    "i % 10": lambda i: i % 10,
    "i % 16 + 7": lambda i: i % 16 + 7,
    "i ^ 1": lambda i: i ^ 1,
    "(i / 64) * 64 + (i % 8) * 8 + (i / 8) % 8": lambda i: i // 64 * 64 + i % 8 * 8 + i // 8 % 8,
}


@pytest.mark.parametrize("index", INDICES)
def test_addresses_that_take_a_counter_apart_fetch_what_their_requests_do(index: str) -> None:
    of = INDICES[index]
    found = compared(Kernel(LOOP % index, {"arguments": {"n": 1, "m": 1}}, [4 * of(i) for i in range(4096)], 4))
    assert found is not None
    assert found.said == pytest.approx(found.fetched, rel=0.07)


def test_most_random_addresses_fetch_the_words_that_are_said() -> None:
    """Today's share: of long walks some requests are made, and what these miss are the others."""
    results = Counter(found.result for seed in range(150) if (found := compared(made(seed))) is not None)
    assert results["equal"] + results["range"] > 0.92 * results.total()


def test_words_are_counted_in_the_order_of_requests() -> None:
    kernel = Kernel("", {}, [0, 4, 64, 0, 60], 8)
    assert words_of(kernel, cached=False) == 4
    assert words_of(kernel, cached=True) == 2
