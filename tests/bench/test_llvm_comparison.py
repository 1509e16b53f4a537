"""How LLVM's accesses are compared with ours: arms, pieces of one access, and what others serve."""

from pathlib import Path

import pytest
from bench.llvm.__main__ import read_file

from burstline_server.llvm.tools import tools

pytestmark = pytest.mark.skipif(tools() is None, reason="there is no clang from version 14 on with its opt")


def kinds(folder: Path, text: str, what: str = "accesses") -> list[tuple[str, str]]:
    """The verdicts on a kernel, each with its line."""
    path = folder / "kernel.cl"
    path.write_text(text)
    (read,) = read_file((folder, path, ""))
    assert not read.why
    return sorted((v.kind, v.place.partition(" ")[0]) for v in read.verdicts if v.what == what)


def test_arms_that_load_from_two_buffers_are_one_load_of_each(tmp_path: Path) -> None:
    text = """__kernel void k(__global const int *restrict a, __global const int *restrict b, __global int *y, int n)
{
    for (int i = 0; i < n; i++)
        if (y[i] & 1) y[i] = a[3 * i];
        else
            y[i] = b[5 * i];
}
"""
    assert ("gone in LLVM", ":4") not in kinds(tmp_path, text)
    assert [k for k in kinds(tmp_path, text) if k[1] == ":6"] in ([("equal", ":6")], [("equal", ":6")] * 2)


def test_a_load_of_a_buffer_that_is_in_no_arm_is_missed(tmp_path: Path) -> None:
    text = """__kernel void k(__global const int *restrict a, __global const int *restrict b, __global int *y, int n)
{
    for (int i = 0; i < n; i++) {
        __global const int *from = y[i] & 1 ? a : b;
        y[i] = from[i];
        if (n < 0 && n > 5) y[i] = b[7 * i + 1];
    }
}
"""
    assert ("gone in LLVM", ":6") in kinds(tmp_path, text)


def test_a_structure_that_llvm_takes_apart_is_one_access(tmp_path: Path) -> None:
    text = """typedef struct { float x, y, z; int n; } item;
__kernel void k(__global const item *restrict a, __global float *restrict y, int n)
{
    for (int i = 0; i < n; i++) {
        item one = a[i];
        y[i] = one.x * one.n + one.z;
    }
}
"""
    assert kinds(tmp_path, text) == [("equal", ":5"), ("equal", ":6")]


def test_two_loads_on_one_line_are_two(tmp_path: Path) -> None:
    text = """__kernel void k(__global const int *restrict a, __global int *restrict y, int n)
{
    for (int i = 0; i < n; i++)
        y[i] = a[i] + a[2 * i];
}
"""
    assert kinds(tmp_path, text) == [("equal", ":4")] * 2
    assert ("equal", ":4") in kinds(tmp_path, text, "steps")


def test_equal_addresses_in_arms_are_served_by_one(tmp_path: Path) -> None:
    text = """__kernel void k(__global const int *restrict a, __global int *restrict y, int n)
{
    for (int i = 0; i < n; i++)
        if (i == 0)
            y[i] = a[i];
        else
            y[i] = a[i] + a[i - 1] * 3;
}
"""
    assert {kind for kind, _ in kinds(tmp_path, text)} <= {"equal", "served in ours"}
