"""SIMD lanes ask for `reqd_work_group_size`: a kernel without it gets a message, and keeps its figures."""

import pytest

from burstline_server.diagnostics.catalogue import findings_of
from burstline_server.words.findings import message_text
from tests.assessing import assess

TEXT = """{}
__kernel void k(__global const float *restrict a, __global float *restrict b)
{{
    int i = get_global_id(0);
    b[i] = a[i];
}}
"""
SIMD, GROUP = "__attribute__((num_simd_work_items(4)))", "__attribute__((reqd_work_group_size(64, 1, 1)))"


def said(attributes: str) -> list[str]:
    done = assess(TEXT.format(attributes), board="p385a", global_size=[1 << 20])
    return [message_text(f) for f in findings_of(done) if "num_simd_work_items" in message_text(f)]


@pytest.mark.parametrize("attributes", [SIMD, f"{SIMD} __attribute__((max_work_group_size(256)))"])
def test_lanes_without_a_required_group_are_reported_once(attributes: str) -> None:
    (message,) = [text for text in said(attributes) if "needs" in text]
    assert "num_simd_work_items(4) needs reqd_work_group_size, a multiple of 4" in message


@pytest.mark.parametrize(
    "attributes", ["", GROUP, f"{SIMD}\r\n{GROUP}", f"{GROUP} {SIMD}", "__attribute__((num_simd_work_items(1)))"]
)
def test_kernels_with_both_or_without_lanes_are_not(attributes: str) -> None:
    assert not [text for text in said(attributes) if "needs" in text]


def test_lanes_that_are_not_built_anyway_need_no_group() -> None:
    assert [text for text in said("__attribute__((num_simd_work_items(3)))") if "has no effect" in text]
    assert not [text for text in said("__attribute__((num_simd_work_items(3)))") if "needs" in text]


def test_figures_count_the_lanes_all_the_same() -> None:
    alone, both = (
        assess(TEXT.format(a), board="p385a", global_size=[1 << 20]).kernels[0] for a in (SIMD, f"{SIMD} {GROUP}")
    )
    assert [u.width_bits for u in alone.lsus] == [u.width_bits for u in both.lsus] == [128, 128]
