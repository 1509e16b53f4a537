"""Files that others include: what is wrong in them is found with what those files declare."""

from pathlib import Path

import pytest

from burstline_model.facts import KernelFacts
from burstline_server.analysis import kernels
from burstline_server.assessment.assessor import Assessment, Assessor

PART = """__kernel void part(__global const int *restrict x, __global int *restrict y)
{{
    cell one = read_channel_intel(ways[0]){0}
    y[0] = one.{1} + x[0];
}}
"""
WHOLE = """#pragma OPENCL EXTENSION cl_intel_channels : enable
typedef struct {{ int left; }} cell;
channel cell ways[2];
{0}#include "part.cl"
"""


def assessed(folder: Path, part: str, before: str = "") -> Assessment:
    """The part, next to the file that includes it."""
    (folder / "part.cl").write_text(part)
    (folder / "whole.cl").write_text(WHOLE.format(before))
    return Assessor(workspace=[folder]).assess(part, str(folder / "part.cl"), [])


def test_a_part_is_whole_with_what_its_includer_declares(tmp_path: Path) -> None:
    done = assessed(tmp_path, PART.format(";", "left"))
    assert not done.faults
    assert [k.facts.name for k in done.kernels] == ["part"]


@pytest.mark.parametrize(
    ("part", "line", "message"),
    [(PART.format("", "left"), 3, "expected ';' after ')'"), (PART.format(";", "right"), 4, "no member named 'right'")],
)
def test_what_is_wrong_with_a_type_of_the_includer_is_reported(
    tmp_path: Path, part: str, line: int, message: str
) -> None:
    done = assessed(tmp_path, part)
    (fault,) = done.faults
    assert fault.message.startswith(message)
    assert part.count("\n", 0, fault.span.start) + 1 == line
    assert fault.span.file is None
    assert [w.name for w in done.withheld] == ["part"]
    assert not done.kernels


def test_a_header_that_another_one_lacks_is_named(tmp_path: Path) -> None:
    (tmp_path / "found.h").write_text("#include <deeper.h>\n")
    text = '#include "found.h"\n__kernel void k(__global int *x) { x[0] = width(1); }\n'
    (fault,) = Assessor(workspace=[tmp_path]).assess(text, str(tmp_path / "k.cl"), []).faults
    assert fault.message.startswith('"deeper.h" not found, and nothing else declares width')


def test_a_helper_is_seen_in_the_kernels_that_call_it(tmp_path: Path) -> None:
    part = "float at(__global const float *restrict x, int i)\n{\n    return x[2 * i];\n}\n"
    whole = """#include "part.cl"
__kernel void calls(__global const float *restrict x, __global float *restrict y)
{
    for (int i = 0; i < 64; i++) y[i] = at(x, i);
}
__kernel void plain(__global const float *restrict x, __global float *restrict y)
{
    for (int i = 0; i < 64; i++) y[i] = x[i];
}
"""
    (tmp_path / "part.cl").write_text(part)
    (tmp_path / "whole.cl").write_text(whole)
    session = Assessor(workspace=[tmp_path])
    done = session.assess(part, str(tmp_path / "part.cl"), [])
    assert [k.facts.name for k in done.kernels] == ["calls"]
    (load,) = (a for a in done.kernels[0].facts.accesses if a.span.file is None)
    assert part[load.span.start : load.span.end] == "x[2 * i]"

    # All of the including file is read once it is opened itself.
    names = [k.facts.name for k in session.assess(whole, str(tmp_path / "whole.cl"), []).kernels]
    assert names == ["calls", "plain"]
    edited = part.replace("2 * i", "4 * i")
    (kernel,) = session.assess(edited, str(tmp_path / "part.cl"), []).kernels
    assert {a.span.file is None for a in kernel.facts.accesses} == {True, False}


def test_a_part_of_a_body_is_seen_in_its_kernel(tmp_path: Path) -> None:
    part = "y[i] = x[i];\n"
    whole = """__kernel void k(__global const float *restrict x, __global float *restrict y)
{
    for (int i = 0; i < 64; i++)
#include "part.cl"
}
"""
    (tmp_path / "part.cl").write_text(part)
    (tmp_path / "whole.cl").write_text(whole)
    (kernel,) = Assessor(workspace=[tmp_path]).assess(part, str(tmp_path / "part.cl"), []).kernels
    assert [part[a.span.start : a.span.end] for a in kernel.facts.accesses] == ["x[i]", "y[i]"]


def test_a_kernel_without_accesses_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    part = (
        "__kernel void passes(int n)\n{\n    for (int i = 0; i < SIZE; i++) write_channel_intel(there, i * {0});\n}\n"
    )
    whole = '#define SIZE 8\nchannel int there;\n#include "part.cl"\n'
    (tmp_path / "part.cl").write_text(part.replace("{0}", "n"))
    (tmp_path / "whole.cl").write_text(whole)
    session, path = Assessor(workspace=[tmp_path]), str(tmp_path / "part.cl")
    session.assess(part.replace("{0}", "n"), path, [])
    read = []

    def as_built(facts: KernelFacts) -> KernelFacts:
        read.append(facts.loops)
        return facts

    monkeypatch.setattr(kernels, "as_built", as_built)
    done = session.assess(part.replace("{0}", "2"), path, [])
    assert [k.facts.name for k in done.kernels] == ["passes"]
    assert len([loops for loops in read if loops]) == 1
