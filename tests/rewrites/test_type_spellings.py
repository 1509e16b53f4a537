"""A type that is written in several words is the one of its short name: the same edits, with the same results."""

from __future__ import annotations

import numpy as np
import pytest

from burstline_server.words.edits import title_text
from tests.rewrites.equality import Data, assessed, offered, tried

SPELLINGS = [
    ("uchar", "unsigned char", np.uint8), ("ushort", "unsigned short int", np.uint16), ("short", "short int", np.int16),
    ("uint", "unsigned int", np.uint32), ("char", "signed char", np.int8), ("ulong", "long unsigned", np.uint64),
]  # fmt: skip

WINDOW = """typedef TYPE value;
__attribute__((max_global_work_dim(0)))
__kernel void k(__global const value *restrict a, __global TYPE *restrict c, __global const int *restrict b, int n) {
    for (int i = 0; i < n; i++) {
        c[i] = (a[i] + a[i + 1] * 3 + a[i + 2]) / 4;
    }
    for (int i = 0; i < 40; i++) {
        c[b[i] & 63] = c[b[i] & 63] + a[i];
    }
}
"""


@pytest.mark.parametrize(("short", "words", "_number"), SPELLINGS)
def test_the_same_edits_are_offered(short: str, words: str, _number: type) -> None:
    titles = [[title_text(o.title) for o in offered(WINDOW.replace("TYPE", one))] for one in (short, words)]
    assert titles[0] == titles[1]
    assert any("window" in title for title in titles[1])
    types = {a.type for a in assessed(WINDOW.replace("TYPE", words)).kernels[0].facts.accesses}
    assert types == {short, "int"}


@pytest.mark.parametrize(("_short", "words", "number"), SPELLINGS)
def test_they_leave_the_same(_short: str, words: str, number: type) -> None:
    pytest.importorskip("pyopencl")
    rng = np.random.default_rng(3)
    arrays = {
        "a": rng.integers(0, 100, 96).astype(number),
        "c": rng.integers(0, 100, 96).astype(number),
        "b": rng.integers(0, 64, 96).astype(np.int32),
    }
    data = [Data(arrays, {"n": np.int32(n)}) for n in (0, 1, 2, 13, 64)]
    found = list(tried(WINDOW.replace("TYPE", words), data))
    assert found
    assert [one.why for one in found if one.unequal is not None] == []
