"""Another reading next to units: it makes none surer, and one less sure where it sees another number or width."""

import pytest

from burstline_model.compiler.infer import infer
from burstline_model.compiler.other_readings import compared
from burstline_model.facts import KernelFacts
from burstline_model.lsu import Lsu, ReadBy
from burstline_model.read_elsewhere import OtherReading
from tests.assessing import assess

KERNEL = """
__kernel void k(__global const float *restrict a, __global float *restrict out) {
  int g = get_global_id(0);
  out[g] = a[g];
}
"""


def seen(*requests: tuple[int, int]) -> tuple[Lsu, ...]:
    done = assess(KERNEL)
    facts: KernelFacts = done.kernels[0].facts
    load = next(a.id for a in facts.accesses if a.op == "load")
    facts = facts.model_copy(
        update={"others": (OtherReading(by="LLVM 15", accesses=(load,), requests=requests),)} if requests else {}
    )
    return compared(facts, infer(facts, done.target))


@pytest.mark.parametrize(
    ("requests", "confidence", "same"),
    [(((32, 1),), "high", True), (((32, 2),), "medium", False), (((64, 1),), "medium", False)],
)
def test_only_the_unit_that_is_seen_otherwise_is_less_sure(
    requests: tuple[tuple[int, int], ...], confidence: str, same: bool
) -> None:
    load, store = sorted(seen(*requests), key=lambda unit: unit.op)
    assert (load.confidence, store.confidence) == (confidence, "high")
    assert [r.why.same for r in load.reasons if isinstance(r.why, ReadBy)] == [same]
    assert not [r for r in store.reasons if isinstance(r.why, ReadBy)]


def test_without_another_reading_units_are_as_they_were() -> None:
    assert all(not isinstance(r.why, ReadBy) for unit in seen() for r in unit.reasons)
