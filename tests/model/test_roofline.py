"""Rooflines from source text: cycles of an instance, copies until the roofs cross, the scarcest resource."""

from pathlib import Path

import pytest

from burstline_model.roofline import Roofline, replicas_of, roofline_of
from burstline_server.assess import Assessment
from tests.assessing import assess

EXAMPLES = Path(__file__).parents[2] / "examples" / "roofline"


def example(name: str) -> Assessment:
    return assess((EXAMPLES / f"{name}.cl").read_text("utf-8"))


def cycles(assessment: Assessment) -> float:
    estimate = assessment.kernels[0].estimate
    assert estimate.compute_s is not None
    return estimate.compute_s * estimate.f_max_hz


def roofline(assessment: Assessment, fit: float = 20.0, scarcest: str = "logic") -> Roofline:
    kernel = assessment.kernels[0]
    board, launch = assessment.board, kernel.launch
    more = replicas_of(kernel.facts, assessment.target, board, launch)
    found = roofline_of(kernel.facts, kernel.estimate, board, launch, fit, scarcest, replicas=more)
    assert found is not None
    return found


def test_hotspot_takes_the_cycles_that_were_measured_for_512_by_512() -> None:
    """TYTRA Table 2: 262.3 thousand estimated, 262.1 measured."""
    assert cycles(example("hotspot")) == pytest.approx(262_300, rel=0.005)


@pytest.mark.parametrize(("name", "items"), [("lavamd", 100), ("sor", 1 << 24)])
def test_one_item_a_cycle_and_the_pipelines_depth(name: str, items: int) -> None:
    depth = sum(b.depth for b in example(name).kernels[0].estimate.blocks)
    assert cycles(example(name)) == pytest.approx(items + depth, abs=2)


def test_copies_of_the_relaxation_pay_until_the_roofs_cross() -> None:
    found = roofline(example("sor"))
    assert found.replication_limit in {2, 4}
    reached = [p.performance for p in found.points]
    assert reached[1] > 1.2 * reached[0]
    assert reached[-1] < 1.05 * reached[-2]
    assert found.limited_by == "memory"
    assert found.attainable == pytest.approx(max(reached), rel=0.05)


def test_copies_end_where_the_device_does() -> None:
    found = roofline(example("sor"), fit=1.0, scarcest="DSP")
    assert found.replication_limit == 1
    assert found.limited_by == "DSP"
    assert found.attainable == pytest.approx(found.cp_pe)


def test_endless_work_is_a_little_faster_than_work_that_fills_its_pipeline() -> None:
    found = roofline(example("lavamd"))
    assert found.cp_pe < found.cp_pe_endless < 3 * found.cp_pe


def test_intensity_counts_operations_on_real_numbers_and_useful_bytes() -> None:
    found = roofline(example("sor"))
    assert found.unit == "FLOP"
    assert found.operations == 8 * (1 << 24)
    assert found.points[0].intensity == pytest.approx(found.operations / found.bytes)


def test_data_from_the_host_add_a_roof_and_need_the_links_speed() -> None:
    assessment = example("sor")
    kernel = assessment.kernels[0]
    args = (kernel.facts, kernel.estimate, assessment.board, kernel.launch, 20.0, "logic")
    with pytest.raises(ValueError, match="speed of the link"):
        roofline_of(*args, form="A")
    slow = roofline_of(*args, form="A", host_gb_s=1.0)
    fast, on_chip = roofline_of(*args), roofline_of(*args, form="C")
    assert slow is not None
    assert fast is not None
    assert on_chip is not None
    assert slow.attainable < fast.attainable <= on_chip.attainable
    assert [r.kind for r in on_chip.roofs] == ["compute", "compute"]


def test_no_roofline_without_sizes() -> None:
    text = "__kernel void k(__global float *x, int n)\n{\n    for (int i = 0; i < n; i++)\n        x[i] *= 2.0f;\n}\n"
    kernel = assess(text).kernels[0]
    assert roofline_of(kernel.facts, kernel.estimate, assess(text).board, kernel.launch, 1.0, "logic") is None
