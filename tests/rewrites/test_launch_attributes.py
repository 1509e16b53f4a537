"""Attributes that the launch of a kernel says: the size of its work-groups, and that it is one work-item."""

from __future__ import annotations

from pathlib import Path

import pytest

from burstline_server.assessment.assessor import Assessment, Assessor
from burstline_server.config.layers import Layer
from burstline_server.interpreter.verdicts import Equal
from burstline_server.rewrites.catalogue import Fix, fixes_of, most_useful_first, offers_of, refusals_of
from burstline_server.rewrites.rewrite import Offer
from burstline_server.words.edits import fix_title, title_text
from burstline_server.words.obstacles import obstacle_text

ADD = """__kernel void add(__global const float *restrict a, __global float *restrict b, int n)
{
    for (int i = 0; i < n; i++)
        b[i] = a[i] + 1;
}
"""
TURN = """__kernel
void turn(__global const float *restrict a, __global float *restrict b)
{
    __local float t[64];
    int l = get_local_id(0);
    t[l] = a[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    b[get_global_id(0)] = t[63 - l];
}
"""
HOST = """#include <CL/cl.h>
int main() {
    cl_kernel add = clCreateKernel(program, "add", &status);
    cl_kernel turn = clCreateKernel(program, "turn", &status);
    size_t global = 4096, local = 64;
    clEnqueueTask(queue, add, 0, NULL, NULL);
    clEnqueueNDRangeKernel(queue, turn, 1, NULL, &global, &local, 0, NULL, NULL);
}
"""
KINDS = {"group_size", "group_size_found", "no_dispatch", "no_dispatch_found"}


def assessed(text: str, path: str | Path = "k.cl", board: str = "de1soc") -> Assessment:
    """A text on a small board."""
    return Assessor().assess(text, str(path), [Layer("file", {"board": board})])


def offered(text: str, path: str | Path = "k.cl", board: str = "de1soc") -> list[Offer]:
    """The edits of these kinds for a text."""
    return [o for o in offers_of(assessed(text, path, board)) if o.title.kind in KINDS]


def test_a_single_work_item_needs_no_dispatch_logic() -> None:
    (offer,) = offered(ADD)
    assert offer.kind == "host"
    assert offer.applied(ADD.encode()).decode() == f"__attribute__((max_global_work_dim(0)))\n{ADD}"
    assert title_text(offer.title) == (
        "Set max_global_work_dim(0): no dispatch logic, 541 ALMs free (needs a host change: launch it as a task)"
    )
    windows = ADD.replace("\n", "\r\n")
    assert offered(windows)[0].applied(windows.encode()).startswith(b"__attribute__((max_global_work_dim(0)))\r\n")
    assert offered(offer.applied(ADD.encode()).decode()) == []


def test_the_logic_that_it_frees_is_gone_from_the_estimate() -> None:
    after = offered(ADD)[0].applied(ADD.encode()).decode()
    before, now = (assessed(text).kernels[0].estimate.resources for text in (ADD, after))
    assert before is not None
    assert now is not None
    assert before.logic_alms - now.logic_alms == pytest.approx(541, abs=1)
    assert [part.of for part in now.parts if part.of == "dispatch"] == []


def test_it_is_listed_last_and_not_where_the_board_has_logic_to_spare() -> None:
    assert offered(ADD, board="p520") == []
    assessor, layers = Assessor(), [Layer("file", {"board": "de1soc", "arguments": {"n": 4096}})]
    fixes = most_useful_first(fixes_of(assessor, assessor.assess(ADD, "k.cl", layers), layers))
    assert [fix.gain is None for fix in fixes][:1] == [False]
    assert fix_title(fixes[-1]).startswith("Set max_global_work_dim(0)")


def test_the_group_of_a_comment_becomes_an_attribute() -> None:
    text = "// burstline: global_size=4096 local_size=(32,2)\n" + TURN
    (offer,) = offered(text)
    assert "\n__attribute__((reqd_work_group_size(32, 2, 1)))\n__kernel\nvoid turn" in offer.applied(
        text.encode()
    ).decode().replace("//", "\n//", 1)
    assert "it must launch work-groups of that size alone)" in title_text(offer.title)
    assert offered(TURN) == []


def test_the_launch_in_the_host_program_is_named(tmp_path: Path) -> None:
    (tmp_path / "device").mkdir()
    (tmp_path / "main.c").write_text(HOST)
    kernels = tmp_path / "device" / "k.cl"
    kernels.write_text(ADD + TURN)
    assessor = Assessor()
    assessor.workspace = (tmp_path,)
    found = assessor.assess(ADD + TURN, str(kernels), [Layer("file", {"board": "de1soc"})])
    titles = [title_text(o.title) for o in offers_of(found)]
    assert any("(the host must launch it as a task, as main.c does already in line 6)" in title for title in titles)
    assert any(
        "Set reqd_work_group_size(64, 1, 1) (the host must launch work-groups of that size alone, "
        "as main.c does already in line 7)" in title
        for title in titles
    )
    simd = [o for o in offers_of(found) if o.title.kind == "simd_groups" and o.kernel == "turn"]
    assert all("reqd_work_group_size(64, 1, 1)" in o.edits[0].text for o in simd)
    # Two launches that differ say nothing.
    other = "clEnqueueNDRangeKernel(queue, turn, 1, NULL, &global, &global, 0, NULL, NULL);\n}\n"
    (tmp_path / "main.c").write_text(HOST.replace("}\n", other))
    assert not [o for o in offers_of(found) if o.title.kind == "group_size_found"]


SCALE = """__kernel
void scale(__global const float *restrict a, __global float *restrict b)
{
    b[get_global_id(0)] = 2.0f * a[get_global_id(0)];
}
"""
PRODUCT = """__kernel
void product(__global const float *restrict a, __global const float *restrict b, __global float *restrict c, int n)
{
    int row = get_global_id(1), column = get_global_id(0);
    float sum = 0.0f;
    for (int k = 0; k < n; k++)
        sum += a[row * n + k] * b[k * n + column];
    c[row * n + column] = sum;
}
"""
COUNT = """__kernel
void count(__global const uchar *restrict data, __global uint *restrict bins)
{
    atomic_inc(&bins[data[get_global_id(0)]]);
}
"""
LAUNCH = """int main() {{
    cl_kernel kernel = clCreateKernel(program, "{0}", &status);
    size_t global[] = {{4096, 4096}}, local[] = {{{1}}};
    clEnqueueNDRangeKernel(queue, kernel, {2}, NULL, global, local, 0, NULL, NULL);
}}
"""


@pytest.mark.parametrize(
    ("text", "name", "group", "kind"),
    [
        (SCALE, "scale", (64,), "simd_groups"),
        (PRODUCT, "product", (16, 16), "row_tiles_groups"),
        (COUNT, "count", (64,), "local_histogram_groups"),
    ],
)
def test_a_size_that_every_launch_has_asks_nothing_of_the_host(
    tmp_path: Path, text: str, name: str, group: tuple[int, ...], kind: str
) -> None:
    """The host program launches such groups as it is: the edit is right without any other change."""
    kernels, host = tmp_path / "k.cl", tmp_path / "main.c"
    kernels.write_text(text)
    said = ", ".join(map(str, group))
    host.write_text(LAUNCH.format(name, said, len(group)))
    layers = [Layer("file", {"arguments": {"n": 4096}} if name == "product" else {})]

    def found() -> list[Fix]:
        assessor = Assessor()
        now = assessor.assess(text, str(kernels), layers)
        return [f for f in fixes_of(assessor, now, layers, every=True) if f.offer.title.kind == kind]

    (fix,) = found()
    assert fix.offer.kind == "proved"
    assert isinstance(fix.execution, Equal)
    assert fix.offer.host == ""
    sizes = ", ".join(map(str, (*group, 1, 1)[:3]))
    assert f"reqd_work_group_size({sizes})" in fix.offer.applied(text.encode()).decode()
    launched = "×".join(map(str, group))
    assert f"reqd_work_group_size is added, main.c launches work-groups of {launched} in line 4" in fix_title(fix)
    assert "host change" not in fix_title(fix)
    # Where the runtime chooses the size of one launch, the host has to change; a histogram is not made then.
    other = "    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, global, NULL, 0, NULL, NULL);\n}\n"
    host.write_text(LAUNCH.format(name, said, len(group)).replace("}\n", other))
    changing = found()
    assert [f.offer.kind for f in changing] == ["host"] * (text != COUNT)
    assert all("host change: reqd_work_group_size is added, the host must launch" in fix_title(f) for f in changing)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("// burstline: global_size=64\n" + ADD, "launched with 64 work-items"),
        ("__attribute__((reqd_work_group_size(1, 1, 1)))\n" + ADD, "name work-groups"),
        (ADD.replace("    for", "    int unused = get_global_id(0);\n    for"), "asks get_global_id"),
        ("// burstline: global_size=100 local_size=64\n" + TURN, "do not divide"),
    ],
)
def test_refused_with_the_reason(text: str, reason: str) -> None:
    assert offered(text) == []
    refusals = [r for r in refusals_of(assessed(text)) if r.title.kind in KINDS]
    assert [r for r in refusals if reason in obstacle_text(r.reason)], refusals


def test_lanes_need_the_size_of_groups_that_the_kernel_asks_for() -> None:
    given = Layer("file", {"global_size": [1 << 20]})
    found = Assessor().assess(TURN, "k.cl", [given])
    assert not [o for o in offers_of(found) if o.title.kind.startswith("simd")]
    said = [obstacle_text(r.reason) for r in refusals_of(found) if r.title.kind == "simd"]
    assert said == ["no one size of its work-groups is known"]
    group = Layer("file", {"global_size": [1 << 20], "local_size": [64]})
    sized = [o for o in offers_of(Assessor().assess(TURN, "k.cl", [group])) if o.title.kind.startswith("simd")]
    assert ["reqd_work_group_size(64, 1, 1)" in o.edits[0].text for o in sized] == [True]
