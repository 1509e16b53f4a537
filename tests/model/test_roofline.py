"""Rooflines from source text: cycles of an instance, copies until the roofs cross, the scarcest resource."""

import json
from pathlib import Path

import pytest

from burstline_model.devices.resource_use import Array, InBlocks, Resource
from burstline_model.estimate.roofline import Form, Roofline, replicas_of, roofline_of, sent_bytes
from burstline_server.assessment.assessor import Assessment
from burstline_server.cli.main import main
from burstline_server.words.roofline import roof_text
from tests.assessing import assess

EXAMPLES = Path(__file__).parents[2] / "examples" / "roofline"


def example(name: str) -> Assessment:
    return assess((EXAMPLES / f"{name}.cl").read_text("utf-8"))


def cycles(assessment: Assessment) -> float:
    estimate = assessment.kernels[0].estimate
    assert estimate.compute_s is not None
    return estimate.compute_s * estimate.f_max_hz


def roofline(
    assessment: Assessment,
    fit: float = 20.0,
    scarcest: Resource = "logic_alms",
    form: Form = "B",
    host_gb_s: float | None = None,
) -> Roofline:
    kernel = assessment.kernels[0]
    board, launch = assessment.board, kernel.launch
    more = replicas_of(kernel.facts, assessment.target, board, launch)
    found = roofline_of(
        kernel.facts, kernel.estimate, board, launch, fit, scarcest, replicas=more, form=form, host_gb_s=host_gb_s
    )
    assert found is not None
    return found


def test_hotspot_takes_the_cycles_that_were_measured_for_512_by_512() -> None:
    """TYTRA Table 2: 262.3 thousand estimated, 262.1 measured."""
    assert cycles(example("hotspot")) == pytest.approx(262_300, rel=0.005)


def test_relaxation_takes_the_cycles_that_were_measured_for_a_plane_of_150_cells() -> None:
    """TYTRA Table 2: 308 measured; its RAM holds the 300 cells around the one at work: planes of 150."""
    assert cycles(example("sor_window")) == pytest.approx(308, rel=0.052)


def test_the_window_of_the_plate_takes_the_bits_that_are_printed() -> None:
    """TYTRA Table 2: 32.8 Kbit for hotspot, two rows of 512 cells and one more."""
    use = example("hotspot").kernels[0].estimate.resources
    assert use is not None
    (array,) = (part.of for part in use.parts if isinstance(part.of, Array))
    assert isinstance(array.size, InBlocks)
    assert array.size.bits == pytest.approx(32_800, abs=50)


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
    found = roofline(example("sor"), fit=1.0, scarcest="dsps")
    assert found.replication_limit == 1
    assert found.limited_by == "dsps"
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
    args = (kernel.facts, kernel.estimate, assessment.board, kernel.launch, 20.0, "logic_alms")
    with pytest.raises(ValueError, match="speed of the link"):
        roofline_of(*args, form="A")
    slow = roofline_of(*args, form="A", host_gb_s=1.0)
    fast, on_chip = roofline_of(*args), roofline_of(*args, form="C")
    assert slow is not None
    assert fast is not None
    assert on_chip is not None
    assert slow.attainable < fast.attainable <= on_chip.attainable
    assert [r.kind for r in on_chip.roofs] == ["compute", "compute"]


def roof(found: Roofline, label: str) -> float:
    (value,) = [r.value for r in found.roofs if roof_text(r.of)[0] == label]
    return value


def test_forms_by_hand() -> None:
    """TYTRA, Section 2.3: A sends all data and then moves it again, so the times of a byte add up; C moves none.

    Eight operations on reals for each of 2^24 items.
    """
    board_memory, on_chip = (roofline(example("sor"), form=form) for form in ("B", "C"))
    intensity = board_memory.operations / board_memory.bytes
    assert board_memory.attainable == pytest.approx(max(p.performance for p in board_memory.points))
    # What the memory delivers grows with the copies that ask for it, until its roof.
    reached = [p.performance / intensity for p in board_memory.points]
    memory = roof(board_memory, "this access pattern")
    assert memory == pytest.approx(reached[0], rel=0.02)
    for link in (1.0, memory):
        sent = roofline(example("sor"), form="A", host_gb_s=link)
        # Three arrays are sent; the kernel moves five words a cell.
        by_hand = [intensity / (1 / one + 3 / 5 / link) for one in reached]
        assert [p.performance for p in sent.points] == pytest.approx(by_hand, rel=1e-3)
        # Copies do not widen the link.
        assert sent.attainable == pytest.approx(max(by_hand), rel=1e-3)
        assert sent.attainable < intensity * link * 5 / 3
    estimate = example("sor").kernels[0].estimate
    depth = sum(b.depth for b in estimate.blocks)
    # Eqs. 4 and 5: an item a cycle after the first has come through.
    assert on_chip.cp_pe_endless == pytest.approx(8 * estimate.f_max_hz / 1e9, rel=1e-6)
    assert on_chip.cp_pe == pytest.approx(on_chip.cp_pe_endless / (1 + (depth - 1) / (1 << 24)), rel=1e-7)
    assert on_chip.attainable == pytest.approx(20 * on_chip.cp_pe)
    # On the chip, a copy more is an item a cycle more; the clock falls with them.
    assert [p.performance / on_chip.cp_pe for p in on_chip.points[:3]] == pytest.approx([1, 2, 4], rel=0.08)


def test_the_host_sends_arrays_once_however_often_they_are_read() -> None:
    text = """
__attribute__((reqd_work_group_size(16, 16, 1)))
__kernel void product(__global const float *restrict a, __global const float *restrict b, __global float *restrict c,
                      const int n)
{
    const int row = get_global_id(1), column = get_global_id(0);
    float sum = 0.0f;
    for (int k = 0; k < n; k++)
        sum += a[row * n + k] * b[k * n + column];
    c[row * n + column] = sum;
}
"""
    (kernel,) = assess(text, arguments={"n": 1024}, global_size=[1024, 1024]).kernels
    assert sent_bytes(kernel.facts, kernel.launch, kernel.estimate) == 3 * 4 * 1024 * 1024


def test_no_roofline_without_sizes() -> None:
    text = "__kernel void k(__global float *x, int n)\n{\n    for (int i = 0; i < n; i++)\n        x[i] *= 2.0f;\n}\n"
    kernel = assess(text).kernels[0]
    assert roofline_of(kernel.facts, kernel.estimate, assess(text).board, kernel.launch, 1.0, "logic_alms") is None


@pytest.mark.parametrize(("form", "more_ms", "copies", "ceiling"), [("A", 67.1, 2, "1.29"), ("B", 0.0, 2, "3.67")])
def test_forms_on_the_command_line(
    form: str, more_ms: float, copies: int, ceiling: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """The relaxation's three arrays are sent: 201.3 MB, at 3 GB/s from the host."""
    path = str(EXAMPLES / "sor.cl")
    assert main(["check", path, "--form", form, "--host-gb-s", "3"]) == 0
    (line,) = [o for o in capsys.readouterr().out.splitlines() if f"form {form}" in o]
    assert f"more than {copies} gain nothing; ceiling {ceiling} GFLOP/s" in line
    rows = explored(path, capsys, "--form", form, "--host-gb-s", "3")
    on_board = explored(path, capsys)
    assert [row - own for row, own in zip(rows, on_board, strict=True)] == pytest.approx([more_ms] * 3, abs=0.1)


def explored(path: str, capsys: pytest.CaptureFixture[str], *options: str) -> list[float]:
    """The times of one, two and four compute units in ms, fastest first."""
    assert main(["explore", path, "--compute-units", "1,2,4", "--format", "json", *options]) == 0
    return [row["time_ms"] for row in json.loads(capsys.readouterr().out)["variants"]]


def test_on_the_chip_each_copy_is_an_item_a_cycle_more(capsys: pytest.CaptureFixture[str]) -> None:
    path = str(EXAMPLES / "sor.cl")
    four, two, one = explored(path, capsys, "--form", "C")
    assert (one / two, one / four) == pytest.approx((2, 4), rel=0.08)


@pytest.mark.parametrize(
    "speed", [(), ("--host-gb-s=0",), ("--host-gb-s=-3",), ("--host-gb-s=nan",), ("--host-gb-s=inf",)]
)
def test_form_a_needs_the_links_speed(capsys: pytest.CaptureFixture[str], speed: tuple[str, ...]) -> None:
    for command in ("check", "explore", "view"):
        assert main([command, str(EXAMPLES / "sor.cl"), "--form", "A", *speed]) == 2
        assert (
            "--form A needs the speed of the link to the host, more than 0 GB/s: --host-gb-s 6"
            in capsys.readouterr().err
        )
