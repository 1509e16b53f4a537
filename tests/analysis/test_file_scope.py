"""Variables at file scope that kernels store to: OpenCL 1.2 has constants there, and nothing is said in silence."""

from __future__ import annotations

from burstline_server.words.kernel_times import time_line
from burstline_server.words.unread import left_out_text, unread_text
from tests.assessing import assess

TEXT = """
global float kept[4096];
constant float weights[4] = {1, 2, 3, 4};
__kernel void keep(__global const float *restrict in)
{
    int at = get_global_id(0);
    kept[at] = in[at] * weights[at & 3];
}
"""


def test_a_global_array_at_file_scope_counts_as_a_buffer() -> None:
    (kernel,) = assess(TEXT, global_size=4096).kernels
    (remark,) = kernel.facts.remarks
    assert unread_text(remark.kind, remark.names) == (
        "kept is a global array at file scope, which OpenCL 1.2 lacks: it counts as a buffer"
    )
    (store,) = [a for a in kernel.facts.accesses if a.op == "store"]
    assert (store.pointer, store.space) == ("kept", "global")
    assert left_out_text(kernel.facts.remarks) == ""


def test_what_is_stored_in_a_constant_at_file_scope_is_said_to_be_left_out() -> None:
    (kernel,) = assess(TEXT.replace("global float kept", "float kept"), global_size=4096).kernels
    assert left_out_text(kernel.facts.remarks) == (
        "kept is stored to at file scope, where OpenCL 1.2 has constants: its accesses are not counted"
    )
    assert time_line(kernel).startswith("at least ")


def test_constants_at_file_scope_leave_nothing_out() -> None:
    text = TEXT.replace("kept[at]", "out[at]").replace("restrict in)", "restrict in, __global float *restrict out)")
    (kernel,) = assess(text, global_size=4096).kernels
    assert left_out_text(kernel.facts.remarks) == ""
