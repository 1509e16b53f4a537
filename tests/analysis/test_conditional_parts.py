"""What an expression sets in a part that may not run is one of two values after it."""

from __future__ import annotations

import pytest

from tests.rewrites.equality import Data, assessed, offered, tried

HEAD = """__kernel void k(__global int *restrict a, __global int *restrict b, __global int *restrict c, int n)
{
    int m = 1;
"""
SETS = {
    "and": "    (n & 1) && (m = 2);\n",
    "or": "    (n & 1) || (m = 2);\n",
    "both": "    n & 1 ? (m = 2) : (m = 3);\n",
    "one": "    c[80] = n & 1 ? (m = 2) : 7;\n",
    "inner": "    (n & 1) && ((n & 2) || (m = 2));\n",
    "step": "    (n & 1) && m++;\n",
}
LOOPS = {
    "forward_through_register": "    for (int i = 0; i < n; i++) c[i + 3] = c[i + m] / 2 + a[i];\n",
    "sliding_window": "    for (int i = 0; i < n; i++) b[i] = a[i + m] + a[i + 1] - a[i + 2];\n",
}


def _index(text: str) -> str:
    facts = assessed(HEAD + text + "    c[m] = a[0];\n}\n").kernels[0].facts
    return str(next(a.offset for a in reversed(facts.accesses) if a.op == "store"))


@pytest.mark.parametrize("said", SETS)
def test_either_value_is_left(said: str) -> None:
    assert _index("") == "4"
    assert _index("    m = 2;\n") == "8"
    assert not _index(SETS[said]).isdecimal()


def test_a_part_that_certainly_runs_leaves_its_value() -> None:
    assert _index("    1 && (m = 2);\n") == "8"
    assert _index("    0 ? (m = 2) : (m = 3);\n") == "12"


def test_arms_that_leave_the_same_leave_one_value() -> None:
    assert _index("    n & 1 ? (m = 2) : (m = 2);\n") == "8"


@pytest.mark.parametrize("edit", LOOPS)
@pytest.mark.parametrize("said", SETS)
def test_edits_do_not_take_one_for_certain(said: str, edit: str) -> None:
    pytest.importorskip("pyopencl")
    np = pytest.importorskip("numpy")
    rng = np.random.default_rng(5)
    arrays = {name: rng.integers(0, 90, 128).astype(np.int32) for name in "abc"}
    data = [Data(arrays, {"n": np.int32(n)}, group=(1,)) for n in (0, 1, 2, 5, 13)]
    assert edit in {one.title.kind for one in offered(HEAD + "    m = 2;\n" + LOOPS[edit] + "}\n")}
    for one in tried(HEAD + SETS[said] + LOOPS[edit] + "}\n", data):
        assert one.unequal is None, (one.offer.title, one.why)
