"""Kernels really run against what is said of them: the comparison, and, where Oclgrind is installed, a run."""

import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from bench.traces.__main__ import Job, run_file
from bench.traces.compare import compare
from bench.traces.kept import Kept
from bench.traces.launches import NoLaunchError, launch_for
from bench.traces.oracle import HEADERS, NoRunError, Trace, build_plugin
from bench.traces.report import Ran, report
from bench.traces.said import Said, said_of

from tests.assessing import assess

INSTALLED = all(map(shutil.which, ("clang-14", "opt-14", "llvm-as-14", "oclgrind-kernel", "g++"))) and all(
    Path(h).is_dir() for h in HEADERS
)

KERNELS = """__kernel __attribute__((reqd_work_group_size(2, 4, 1)))
void tiles(__global const float *restrict a, __global float *restrict b, uint2 size)
{
    uint x = get_global_id(0), y = get_global_id(1);
    if (x < size.x && y < size.y)
        b[x * size.y + y] = a[4 * get_group_id(0) + get_local_id(1)];
}

__kernel void triangle(__global const float *restrict a, __global float *restrict b, int n)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
            if (j > 3)
                b[i * n + j] = a[j * n + i] * 2.0f;
}

__kernel void halo(__global const float4 *restrict a, __global float *restrict b, int n)
{
    int i = get_global_id(0);
    if (i > 0 && i < n - 1)
        b[i] = a[i].x + a[i].y;
}

__kernel void gather(__global const int *restrict index, __global const float *restrict a, __global float *restrict b)
{
    int i = get_global_id(0);
    b[i] = a[index[i]];
}
"""


def trace(line: int, size: int, *, op: str = "l", buffer: int = 1) -> Trace:
    return Trace(op, buffer, size // 4, size, 1, True, (("k.cl", line, 1),), ((4, size // 4 - 1),), ())


def said(line: int, executions: float | None, *, op: str = "load", data: bool = False) -> Said:
    return Said(line, None, op, "a", 4, executions, data, "steady", 4.0)


def test_equal_bytes_and_steps_are_equal() -> None:
    (one,) = compare([trace(3, 64)], [said(3, 16.0)], ["a"])
    assert (one.result, one.walk) == ("equal", "equal")


@pytest.mark.parametrize(
    ("seen", "claimed", "results"),
    [
        ([trace(3, 64)], [said(3, 15.0)], {"differs"}),
        ([trace(3, 64)], [said(3, 15.0, data=True)], {"data"}),
        ([trace(3, 64)], [said(3, None)], {"not known"}),
        ([trace(3, 64)], [said(4, 16.0)], {"line"}),
        ([trace(3, 64)], [], {"not said"}),
        ([], [said(3, 16.0)], {"not seen"}),
    ],
)
def test_each_difference_has_its_class(seen: list[Trace], claimed: list[Said], results: set[str]) -> None:
    found = compare(seen, claimed, ["a"])
    assert {v.result for v in found} == results
    assert "o/r/k.cl" in report([Ran("o+r/k.cl", "k", verdicts=found)]) or results <= {"line", "data"}


def test_arguments_differ_so_that_none_is_taken_for_another() -> None:
    text = "__kernel void k(__global float *a, int n, int m, __local float *t, float f) { a[n] = m * f; }"
    launch = launch_for(assess(text).kernels[0].facts)
    assert launch.integers["n"] != launch.integers["m"]
    assert len(launch.described) == 5


def test_each_integer_of_a_vector_is_given() -> None:
    text = "__kernel void k(__global float *a, uint3 size, int n) { a[size.z * n] = size.x * size.y; }"
    launch = launch_for(assess(text).kernels[0].facts)
    assert launch.integers == {"size.x": 16, "size.y": 12, "size.z": 20, "n": 8}
    assert launch.described[1] == "<size=16 uint>\n16 12 20 1"


@pytest.mark.parametrize(
    ("kind", "step", "walk"), [("anywhere", 0.0, "data"), ("steady", 12.0, "data"), ("same", 0.0, "differs")]
)
def test_where_data_decide_the_place_the_step_is_not_judged(kind: str, step: float, walk: str) -> None:
    one = replace(said(3, 16.0), kind=kind, step_bytes=step)
    assert [v.walk for v in compare([trace(3, 64)], [one], ["a"])] == ["differs"]
    assert [v.walk for v in compare([trace(3, 64)], [replace(one, placed_by_data=True)], ["a"])] == [walk]


def test_what_is_neither_buffer_nor_number_is_refused() -> None:
    text = "typedef struct { int x; } pair;\n__kernel void k(__global int *a, pair p) { a[0] = p.x; }"
    with pytest.raises(NoLaunchError, match="argument p"):
        launch_for(assess(text).kernels[0].facts)


@pytest.mark.skipif(not INSTALLED, reason="needs clang-14, oclgrind, liboclgrind-dev, opencl-c-headers and g++")
def test_kernels_that_are_run_do_what_is_said(tmp_path: Path) -> None:
    file = tmp_path / "kernels.cl"
    file.write_text(KERNELS)
    found = {one.kernel: one for one in run_file(Job(tmp_path, file, build_plugin(tmp_path)))}
    assert [one.why for one in found.values()] == [""] * 4
    for name in ("tiles", "triangle", "halo"):
        assert {v.result for v in found[name].verdicts} == {"equal"}
        assert {v.walk for v in found[name].verdicts} == {"equal"}
    assert {v.pointer: v.walk for v in found["gather"].verdicts if v.pointer != "a"} == {"index": "equal", "b": "equal"}


def test_results_are_kept_and_made_once(tmp_path: Path) -> None:
    made: list[int] = []

    def make() -> list[int]:
        made.append(1)
        return [1, 2]

    for _ in range(2):
        assert Kept(tmp_path / "kept").result(("text", 1), make) == [1, 2]
    assert len(made) == 1
    assert Kept(tmp_path / "kept").result(("text", 2), make) == [1, 2]
    assert Kept().result(("text", 1), make) == [1, 2]
    assert len(made) == 3


def test_what_cannot_run_is_kept_and_what_fails_is_tried_again(tmp_path: Path) -> None:
    kept, tried = Kept(tmp_path), list[int]()

    def refuse() -> None:
        tried.append(1)
        raise NoRunError("does not compile: no")

    for _ in range(2):
        with pytest.raises(NoRunError, match="does not compile: no"):
            kept.result(("a",), refuse)
    assert len(tried) == 1
    assert kept.result(("b",), lambda: "raises", lambda found: found != "raises") == "raises"
    assert kept.result(("b",), lambda: "fine") == "fine"


def test_a_file_that_was_cut_short_is_made_again(tmp_path: Path) -> None:
    kept = Kept(tmp_path)

    def cut_short() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        kept.result(("a",), cut_short)
    assert kept.result(("a",), lambda: 1) == 1


@pytest.mark.parametrize(("bytes_", "result"), [(16, "exchanged"), (12, "differs")])
def test_pointers_that_a_loop_exchanges_are_compared_by_their_line(bytes_: int, result: str) -> None:
    seen = [trace(3, 4 * bytes_), trace(3, 64, buffer=2)]
    one = replace(said(3, 32.0), exchanged=True)
    found = compare(seen, [one], ["a", "b"])
    assert {v.result for v in found if v.pointer == "a"} == {result}
    assert {v.result for v in compare(seen, [replace(one, exchanged=False)], ["a", "b"])} == {"differs", "not said"}


def test_one_place_is_not_judged_where_work_items_begin_in_different_iterations() -> None:
    steps = replace(trace(3, 64), items=4, even=False)
    same = replace(said(3, 16.0), kind="same", step_bytes=0.0)
    assert [v.walk for v in compare([steps], [same], ["a"])] == [""]
    assert [v.walk for v in compare([replace(steps, even=True)], [same], ["a"])] == ["differs"]


@pytest.mark.skipif(not INSTALLED, reason="needs clang-14, oclgrind, liboclgrind-dev, opencl-c-headers and g++")
def test_kernels_that_are_kept_are_not_run_again(tmp_path: Path) -> None:
    folder, kept = tmp_path / "repository", Kept(tmp_path / "kept")
    folder.mkdir()
    (folder / "kernels.cl").write_text(KERNELS)
    job = Job(folder, folder / "kernels.cl", build_plugin(tmp_path), kept=kept)
    first = run_file(job)
    assert run_file(job._replace(plugin=tmp_path / "none")) == first
    # With the comparison gone, what the simulator saw is still there.
    for file in (tmp_path / "kept").glob("*.json"):
        if '"verdicts"' in file.read_text():
            file.unlink()
    assert run_file(job._replace(plugin=tmp_path / "none")) == first
    (folder / "kernels.cl").write_text(KERNELS.replace("j > 3", "j > 4"))
    assert run_file(job) != first


def test_what_iterations_hand_on_is_not_taken_for_data() -> None:
    text = """__kernel void k(__global const int *restrict x, __global int *restrict y, const int n)
{
    int state = 0;
    for (int i = 0; i < n; i++) {
        state = (state * 5 + 3) & 15;
        if (state > 7)
            y[i] = x[i];
    }
}
"""
    assessment = assess(text, arguments={"n": 64})
    (kernel,) = assessment.kernels
    assert [one.data for one in said_of(kernel, assessment.source, assessment.target)] == [False, False]
    by_data = assess(text.replace("state > 7", "x[i] > 7"), arguments={"n": 64})
    assert True in [one.data for one in said_of(by_data.kernels[0], by_data.source, by_data.target)]
