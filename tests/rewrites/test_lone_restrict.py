"""``restrict`` on the only pointer of a kernel: where it is read again, the compiler gives it a cache."""

from __future__ import annotations

from burstline_server.assessment.assessor import Assessor
from burstline_server.rewrites.catalogue import fixes_of
from burstline_server.words.edits import fix_title

AGAIN = """#pragma OPENCL EXTENSION cl_intel_channels : enable
channel float16 c __attribute__((depth(2)));
__kernel void feed(__global float16 *w)
{
    for (int i = 0; i < 64; i++)
        for (int j = 0; j < 576; j++)
            write_channel_intel(c, w[j]);
}
"""
ONCE = AGAIN.replace("w[j]", "w[576 * i + j]")


def titles(text: str) -> list[str]:
    assessor = Assessor()
    found = fixes_of(assessor, assessor.assess(text, "k.cl", []), [], chosen=lambda one: one.title.kind == "restrict")
    return [fix_title(one) for one in found]


def test_lone_pointer_is_declared_restrict_where_a_cache_spares_what_is_read_again() -> None:
    (title,) = titles(AGAIN)
    assert title.startswith("Declare w restrict: kernel ")


def test_lone_pointer_stays_where_restrict_changes_nothing() -> None:
    assert titles(ONCE) == []
