"""Many kernels run by one leave what each leaves by itself."""

from __future__ import annotations

import numpy as np
import pytest

from tests.rewrites.equality import Data, build_together, ran
from tests.rewrites.together import TOGETHER, joined

HEAD = "__kernel void k(__global int *restrict a, __global int *restrict c, int n, float part)\n{\n"
PLAIN = HEAD + "    for (int i = 0; i < n; i++) c[i] = a[i] * 2 + (int)part;\n}\n"
WIDE = HEAD + "    for (int i = 0; i < n; i += 16) vstore16(vload16(0, &a[i]) * 2 + (int)part, 0, &c[i]);\n}\n"
HELPED = "int twice(int v) { return v * 2; }\n" + PLAIN.replace("a[i] * 2", "twice(a[i])")
LOCAL = HEAD + "    __local int kept[4]; kept[0] = 2;\n    for (int i = 0; i < n; i++) c[i] = a[i] * kept[0] + 1;\n}\n"
CONSTANT = PLAIN.replace("__global int *restrict a", "__constant int *a")
TEXTS = (PLAIN, WIDE, HELPED, LOCAL, CONSTANT, PLAIN.replace("float part", "uint part"))


def test_kernels_that_one_runs_leave_what_each_leaves_alone() -> None:
    pytest.importorskip("pyopencl")
    arrays = {"a": np.arange(32, dtype=np.int32), "c": np.zeros(32, np.int32)}
    data = Data(arrays, {"n": np.int32(32), "part": np.float32(1.75)}, group=(1,))
    assert build_together(TEXTS)
    expected = (np.arange(32, dtype=np.int32) * 2 + 1).tobytes()
    assert [ran(text, data)["c"] == expected for text in TEXTS] == [True] * len(TEXTS)


def test_kernels_with_local_memory_are_launched_by_themselves_and_the_others_in_parts() -> None:
    _, places = joined([*TEXTS, *(PLAIN for _ in range(TOGETHER))])
    assert (TEXTS.index(LOCAL), "k") not in places
    assert {place.runs for place in places.values()} == {"any_of_them_0", "any_of_them_1"}
