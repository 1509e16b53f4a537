"""An address that is sent through a channel of values: nothing is loaded, which is said."""

from __future__ import annotations

import pytest

from burstline_server.words.unread import unread_text
from tests.assessing import assess

KERNEL = """#pragma OPENCL EXTENSION cl_intel_channels : enable
typedef struct {{ __global const int *from; }} Work;
channel {type} c;
__kernel void k(__global const int *restrict x, int n)
{{
    for (int i = 0; i < n; i++) {{ {body} }}
}}
"""


def said(type_: str, body: str) -> list[str]:
    (kernel,) = assess(KERNEL.format(type=type_, body=body)).kernels
    return [unread_text(r.kind, r.names) for r in kernel.facts.remarks if r.kind == "address_sent"]


@pytest.mark.parametrize(
    ("body", "value"),
    [("write_channel_intel(c, &x[i]);", "&x[i]"), ("if (!write_channel_nb_intel(c, x + i)) i--;", "x + i")],
)
def test_an_address_in_place_of_a_value_is_named(body: str, value: str) -> None:
    assert said("int", body) == [f"{value} is an address, and c carries values: what lies there is not loaded"]


@pytest.mark.parametrize(
    ("type_", "body"),
    [
        ("int", "write_channel_intel(c, x[i]);"),
        ("int", "write_channel_intel(c, *(x + i));"),
        ("int4", "write_channel_intel(c, vload4(i, x));"),
        ("Work", "Work w; w.from = &x[i]; write_channel_intel(c, w);"),
    ],
)
def test_values_are_sent_without_a_remark(type_: str, body: str) -> None:
    assert not said(type_, body)
