"""What is alike is said once, what is many is counted, and of sentences that differ in a name alone each has it."""

from pathlib import Path

import pytest

from burstline_server.cli.main import main

SEARCHED = """
int place(__global const int *restrict keys, __global const int *restrict ends, int key)
{
    int found = -1;
    for (int i = 0; i < ends[key]; i++)
        if (keys[i] == key)
            found = i;
    return found;
}
__kernel void k(__global const int *restrict keys, __global const int *restrict ends, __global int *restrict y)
{
    int g = get_global_id(0);
    y[g] = place(keys, ends, g) + place(keys, ends, g + 1) + place(keys, ends, 2 * g);
}
"""
MANY = "__kernel void k(__global const int *restrict x, __global int *restrict y)\n{\n    int i = get_global_id(0);\n"
GATHERS = """
__kernel void k(__global const int *restrict at, __global const float *restrict near,
                __global const float *restrict far, __global float *restrict y)
{
    int i = get_global_id(0);
    y[i] = near[at[i]] + far[at[i] * 3 + 1];
}
"""


def said(capsys: pytest.CaptureFixture[str], tmp_path: Path, text: str, *words: str) -> list[str]:
    path = tmp_path / "k.cl"
    path.write_text(text)
    main(["check", "--advise", str(path), *words])
    return capsys.readouterr().out.splitlines()


def test_a_loop_of_a_function_is_asked_for_once_for_all_its_calls(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    lines = said(capsys, tmp_path, SEARCHED)
    assert len([line for line in lines if "BL202" in line]) == 1


@pytest.mark.parametrize(("number", "more"), [(4, ""), (5, " and 2 more"), (40, " and 37 more")])
def test_of_many_conditions_that_data_decide_the_first_are_shown(
    number: int, more: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    text = MANY + "".join(f"    if (x[i] == {7 * n})\n        y[i + {n}] = {n};\n" for n in range(number)) + "}\n"
    (doubt,) = [line for line in said(capsys, tmp_path, text, "--global-size", "65536") if "data decide" in line]
    assert doubt.count("==") == (number if not more else 3)
    assert f"{more}: counted as always true" in doubt
    assert "x[i] == 0, x[i] == 7" in doubt


def test_a_gather_says_of_what(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    lines = [line for line in said(capsys, tmp_path, GATHERS, "--global-size", "1048576") if "do: gather" in line]
    assert lines
    assert all("(near" in line or "far)" in line for line in lines)


def test_a_work_group_size_without_a_number_is_no_number_of_copies(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    lines = said(
        capsys, tmp_path, MANY.replace("__kernel", "__attribute__((reqd_work_group_size(SIDE, 1, 1))) __kernel") + "}"
    )
    assert any(
        "SIDE is not defined here, and must be a number in the build: give it with -D SIDE=…" in line for line in lines
    )


QUEUE = """#pragma OPENCL EXTENSION cl_intel_channels : enable
channel int work __attribute__((depth(64)));
__attribute__((max_global_work_dim(0)))
__kernel void visit(__global const int *restrict left, __global int *restrict y, int root)
{
    int at = root, visited = 0;
    do {
        %s
        at = read_channel_intel(work);
        visited++;
    } while (at != 0);
    y[0] = visited;
}
"""
SENDS = "write_channel_intel(work, left[at]);"


def test_a_queue_of_its_own_keeps_no_loop_going(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    own = "\n".join(said(capsys, tmp_path, QUEUE % SENDS))
    assert "--trip 7=…" in own
    assert "as long as its channels bring data" not in own
    fed = "\n".join(said(capsys, tmp_path, QUEUE % ""))
    assert "as long as its channels bring data" in fed
