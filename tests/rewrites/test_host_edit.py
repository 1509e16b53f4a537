"""What an edit asks of the host program, as edits of the file that launches the kernel."""

from __future__ import annotations

from pathlib import Path

import pytest

from burstline_server.assessment.assessor import Assessor
from burstline_server.cli.main import main
from burstline_server.config.layers import Layer
from burstline_server.rewrites.catalogue import offers_of
from burstline_server.rewrites.host_edit import host_edit

TURN = """__kernel void turn(__global const float *restrict in, __global float *restrict out, int w, int h)
{
    int x = get_global_id(0), y = get_global_id(1);
    if (x < w && y < h)
        out[x * h + y] = in[y * w + x];
}
"""
SWAPPED = """__kernel void turn(__global const float *restrict in, __global float *restrict out, int w, int h)
{
    int y = get_global_id(0), x = get_global_id(1);
    out[y * w + x] = in[y * w + x];
}
"""
HOST = """#include <CL/cl.h>
int run(cl_command_queue queue, cl_program program, cl_mem in, cl_mem out, int w, int h)
{
    cl_int err;
    size_t sizes[2] = {1024, 2048};
    cl_kernel k = clCreateKernel(program, "turn", &err);
    clSetKernelArg(k, 0, sizeof(cl_mem), &in);
    clSetKernelArg(k, 1, sizeof(cl_mem), &out);
    clSetKernelArg(k, 2, sizeof(int), &w);
    clSetKernelArg(k, 3, sizeof(int), &h);
    err = clEnqueueNDRangeKernel(queue, k, 2, NULL, sizes, NULL, 0, NULL, NULL);
    return err;
}
"""
LAUNCH = "    err = clEnqueueNDRangeKernel(queue, k, 2, NULL, sizes, NULL, 0, NULL, NULL);\n"


def _hosts_after(folder: Path, kernel: str, host: str, kind: str, name: str = "host.c") -> str | None:
    """The host program after the kernel's edit of a kind; None where nothing is changed in it."""
    (folder / name).write_text(host)
    (folder / "turn.cl").write_text(kernel)
    assessor = Assessor(workspace=[folder])
    assessment = assessor.assess(kernel, str(folder / "turn.cl"), [Layer("file", {"aoc_version": "19.4"})])
    offer = next(o for o in offers_of(assessment) if o.title.kind == kind)
    found = host_edit(assessment, offer)
    return found.after.decode() if found is not None else None


def test_groups_of_another_size_are_launched(tmp_path: Path) -> None:
    after = _hosts_after(tmp_path, TURN, HOST, "transpose_tile_groups")
    launched = LAUNCH.replace("sizes, NULL", "sizes, turn_local_size")
    assert after == HOST.replace(LAUNCH, f"    const size_t turn_local_size[] = {{ 16, 16 }};\n{launched}")


def test_a_task_gets_the_sizes_that_were_launched(tmp_path: Path) -> None:
    after = _hosts_after(tmp_path, TURN, HOST, "single_work_item_over")
    assert after == HOST.replace(
        LAUNCH,
        "    const cl_int items_x = (cl_int)(sizes)[0];\n"
        "    clSetKernelArg(k, 4, sizeof(cl_int), &items_x);\n"
        "    const cl_int items_y = (cl_int)(sizes)[1];\n"
        "    clSetKernelArg(k, 5, sizeof(cl_int), &items_y);\n"
        "    err = clEnqueueTask(queue, k, 0, NULL, NULL);\n",
    )


def test_exchanged_sizes_are_arrays_of_their_own(tmp_path: Path) -> None:
    host = HOST.replace("sizes, NULL", "sizes, group").replace(
        "cl_int err;", "cl_int err;\n    size_t group[2] = {8, 4};"
    )
    after = _hosts_after(tmp_path, SWAPPED, host, "exchange_ids")
    assert after is not None
    assert "const size_t turn_global_size[] = { (sizes)[1], (sizes)[0] };" in after
    assert "const size_t turn_local_size[] = { (group)[1], (group)[0] };" in after
    assert "k, 2, NULL, turn_global_size, turn_local_size, 0, NULL, NULL);" in after


def test_each_launch_is_changed(tmp_path: Path) -> None:
    after = _hosts_after(tmp_path, TURN, HOST.replace(LAUNCH, LAUNCH * 2), "transpose_tile_groups")
    assert after is not None
    assert "sizes, turn_local_size, 0" in after
    assert "sizes, turn_local_size_2, 0" in after


@pytest.mark.parametrize(
    ("host", "kind"),
    [
        # Other buffers, and other queues, are more than a launch: the reader gets the text where it belongs.
        (HOST, "soa_to_aos_host"),
        # An offset, and dimensions that the kernel does not ask for, would not be kept.
        (HOST.replace("2, NULL, sizes", "2, offset, sizes"), "single_work_item_over"),
        (HOST.replace("k, 2, NULL", "k, 3, NULL").replace("sizes[2] = {", "sizes[3] = {4, "), "exchange_ids"),
    ],
)  # fmt: skip
def test_what_is_no_matter_of_the_launch_is_a_comment_in_front_of_it(tmp_path: Path, host: str, kind: str) -> None:
    kernel = SWAPPED if kind == "exchange_ids" else TURN
    if kind == "soa_to_aos_host":
        kernel = TURN.replace("in,", "in, __global const float *restrict more,").replace(
            "+ x];", "+ x] + more[y * w + x];"
        )
    after = _hosts_after(tmp_path, kernel, host, kind)
    assert after is not None
    added = [line for line in after.splitlines() if line not in host.splitlines()]
    assert added
    assert all(line.startswith("    //") for line in added)


def test_a_launch_that_is_no_statement_of_a_block_leaves_the_program_as_it_is(tmp_path: Path) -> None:
    host = HOST.replace(LAUNCH, f"    if (w)\n    {LAUNCH}")
    assert _hosts_after(tmp_path, TURN, host, "transpose_tile_groups") is None


def test_bindings_of_cpp_get_a_comment(tmp_path: Path) -> None:
    host = """#include <CL/cl.hpp>
void run(cl::CommandQueue &queue, cl::Program &program)
{
    cl::Kernel k(program, "turn");
    queue.enqueueNDRangeKernel(k, cl::NullRange, cl::NDRange(64, 64));
}
"""
    after = _hosts_after(tmp_path, TURN, host, "transpose_tile_groups", "host.cpp")
    assert after is not None
    assert "    // const size_t local_size[] = { 16, 16 };\n    // clEnqueue" in after


def test_the_command_line_shows_and_makes_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "turn.cl").write_text(TURN)
    (tmp_path / "host.c").write_text(HOST)
    (tmp_path / "burstline.toml").write_text('aoc_version = "19.4"\n')
    sizes = ["--global-size", "1024,2048", "--arg", "w=1024", "--arg", "h=2048", "--code", "BL102"]
    assert main(["fix", "--host", "--diff", *sizes, str(tmp_path / "turn.cl")]) == 0
    shown = capsys.readouterr().out
    assert "+    const size_t turn_local_size[] = { 16, 16 };" in shown
    assert (tmp_path / "host.c").read_text() == HOST
    assert main(["fix", "--host", "--apply", *sizes, str(tmp_path / "turn.cl")]) == 0
    assert "sizes, turn_local_size, 0" in (tmp_path / "host.c").read_text()
    assert f"{tmp_path / 'host.c'}: changed where it launches the kernel" in capsys.readouterr().out


SCALE = """__kernel void turn(__global const float *restrict in, __global float *restrict out)
{
    const int i = get_global_id(0);
    out[i] = 2.0f * in[i];
}
"""


def test_lanes_are_launched_in_the_groups_that_they_need(tmp_path: Path) -> None:
    launch = "    err = clEnqueueNDRangeKernel(queue, k, 1, NULL, sizes, NULL, 0, NULL, NULL);\n"
    after = _hosts_after(tmp_path, SCALE, HOST.replace(LAUNCH, launch), "simd_groups")
    launched = launch.replace("sizes, NULL", "sizes, turn_local_size")
    assert after == HOST.replace(LAUNCH, f"    const size_t turn_local_size[] = {{ 256 }};\n{launched}")


def test_lanes_ask_a_host_that_launches_such_groups_for_nothing(tmp_path: Path) -> None:
    launch = (
        "    size_t own[] = {64};\n    err = clEnqueueNDRangeKernel(queue, k, 1, NULL, sizes, own, 0, NULL, NULL);\n"
    )
    assert _hosts_after(tmp_path, SCALE, HOST.replace(LAUNCH, launch), "simd_groups") is None
