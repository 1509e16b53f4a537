"""Half precision is single precision everywhere but in memory: what a split sends is of the type that a load yields."""

from __future__ import annotations

from burstline_server.interpreter.verdicts import Equal
from burstline_server.rewrites.catalogue import offers_of
from burstline_server.rewrites.executed import execution
from tests.rewrites.equality import assessed

TEXT = """__kernel void k(__global const half *restrict x, __global float *restrict y, const int n) {
    for (int i = 0; i < n; i++) {
        float3 v = vload_half3(i, x);
        y[i] = v.x * v.y + v.z + vload_half(i + 9, x);
    }
}
"""


def test_half_precision_is_sent_as_what_its_load_yields() -> None:
    assessment = assessed(TEXT)
    offer = next(o for o in offers_of(assessment) if o.title.kind == "split_two_queues")
    after = offer.applied(TEXT.encode()).decode()
    assert "half" not in after.replace("__global const half *", "").replace("vload_half", "")
    assert after.count("const float3 x_0 = ") == 2
    assert after.count("const float x_1 = ") == 2
    found = execution(assessment.source, assessed(after).source, offer)
    assert isinstance(found, Equal)
    assert found.trials > 0
