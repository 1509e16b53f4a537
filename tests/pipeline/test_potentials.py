"""The whole-kernel framework on kernels of our own: the paper's tuning stories, and the work-items a pipeline needs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from burstline_server.assessment.assessor import Assessment
from burstline_server.assessment.costing import KernelAssessment
from burstline_server.cli.main import main
from burstline_server.diagnostics.catalogue import findings_of
from burstline_server.presentation.card_text import plain
from burstline_server.presentation.cards import kernel_card
from burstline_server.words.findings import message_text
from tests.assessing import assess

TUNING = Path(__file__).resolve().parents[2] / "examples" / "tuning"


def tuned(name: str, memory_part: str = "wang") -> KernelAssessment:
    """A kernel of the stories on the paper's board, memory as the paper counts it."""
    (kernel,) = done(name, memory_part).kernels
    return kernel


def done(name: str, memory_part: str = "wang") -> Assessment:
    """The file of a kernel of the stories."""
    path = TUNING / f"{name}.cl"
    return assess(path.read_text("utf-8"), str(path), board="de5net", memory_part=memory_part)


def seconds(name: str) -> float:
    """Its predicted time."""
    time = tuned(name).estimate.time_s
    assert time is not None
    return time


@pytest.mark.parametrize(
    ("name", "wall", "first"),
    [
        ("mm_baseline", "memory", "b_mem"),  # then: local memory
        ("mm_local", "balance", "b_balance"),  # then: unroll
        ("mm_local_unrolled", "kernel", "b_comp"),  # then: SIMD
        pytest.param(  # then: local memory
            "km_baseline",
            "memory",
            "b_mem",
            marks=pytest.mark.xfail(
                reason="Eq. 5 averages the bursts of columns with those of centres: a quarter of a transaction",
                strict=True,
            ),
        ),
        ("km_local", "balance", "b_balance"),  # then: unroll
        ("km_local_unrolled", "memory", "b_mem"),  # then: the features of a point side by side
        ("km_local_unrolled_rows", "kernel", "b_comp"),  # then: compute units
    ],
)
def test_leading_potential_is_the_one_the_paper_acts_on(name: str, wall: str, first: str) -> None:
    estimate = tuned(name).estimate
    assert (estimate.bound, estimate.advice[0].potential) == (wall, first)


def test_variants_rank_as_measured() -> None:
    """WANG Table 4: tuned MM 362x and k-means 293x over their baselines, the compiler's own choice for MM 0.7x."""
    steps = ["mm_local", "mm_local_unrolled", "mm_local_unrolled_simd"]
    times = [seconds(name) for name in steps]
    assert times == sorted(times, reverse=True)
    assert seconds("mm_o3") > seconds("mm_baseline") > times[1]
    assert 100 < seconds("mm_baseline") / times[-1] < 500
    means = ["km_local_unrolled", "km_local_unrolled_rows"]
    times = [seconds(name) for name in means]
    assert times == sorted(times, reverse=True)
    assert seconds("km_baseline") > times[0]


def test_resources_run_out_where_the_paper_says() -> None:
    """SIMD 4 of a 64-fold product takes every DSP block of the device."""
    assert (tuned("mm_local_unrolled_simd").estimate.potentials.b_comp or 0.0) < 0.05
    assert (tuned("mm_local").estimate.potentials.b_comp or 0.0) > 0.9


ADD = """__kernel void add(__global const int *restrict x, __global const int *restrict y, __global int *restrict z)
{
    const int i = get_global_id(0);
    z[i] = x[i] + y[i];
}
"""


@pytest.mark.parametrize("memory_part", ["wang", "m21"])
def test_few_work_items_leave_the_pipeline_empty(memory_part: str) -> None:
    """B_itpp falls with more work-items; from about 128 on the time per item stays, but for the first data's way."""
    each, potential = {}, {}
    for items in (1, 16, 64, 128, 256, 4096):
        (kernel,) = assess(ADD, board="de5net", global_size=items, memory_part=memory_part).kernels
        assert kernel.estimate.time_item_s is not None
        each[items] = kernel.estimate.time_item_s
        potential[items] = kernel.estimate.potentials.b_itpp or 0.0
    assert potential[1] > 0.9
    assert sorted(potential.values(), reverse=True) == list(potential.values())
    assert potential[256] < 0.1
    assert each[1] > 50 * each[128]
    first_s = {"wang": 0.0, "m21": 2 * 240e-9}[memory_part]  # the way to the memory and back, for a load and a store
    assert each[128] - first_s / 128 < 1.2 * each[4096]


def test_few_work_items_are_reported_with_numbers() -> None:
    shown = [f for f in findings_of(assess(ADD, board="de5net", global_size=8)) if f.code == "BL403"]
    assert len(shown) == 1
    assert "(8 work-items; 94 % of the time is waiting)" in message_text(shown[0])
    assert [f for f in findings_of(assess(ADD, board="de5net", global_size=1 << 20)) if f.code == "BL403"] == []


def test_potentials_stay_unknown_without_sizes() -> None:
    (kernel,) = assess(ADD, board="de5net").kernels
    potentials = kernel.estimate.potentials
    assert (potentials.b_balance, potentials.b_itpp) == (None, None)
    assert potentials.b_comp is not None


def test_serialised_loop_sets_the_time() -> None:
    """An iteration waits for the memory's answer, 240 ns, and one sum; the schedule keeps 270 cycles for it."""
    text = "__kernel void k(__global float *restrict y, int n)\n{ for (int i = 1; i < n; i++) y[i] = y[i - 1] + 1.0f; }"
    (kernel,) = assess(text, arguments={"n": 1_000_000}, f_max_mhz=250, aoc_version="19.4").kernels
    estimate = kernel.estimate
    assert estimate.bound == "kernel"
    assert estimate.loops[0].ii == pytest.approx(270, rel=0.1)
    assert estimate.time_s == pytest.approx((240e-9 + 5 / 250e6) * 999_999, rel=1e-3)


def test_story_on_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    path = str(TUNING / "mm_local.cl")
    assert main(["check", path, "--board", "de5net", "--advise"]) == 0
    text = capsys.readouterr().out
    assert "Limited by the kernel's own pipeline: the loop on line 18" in text
    assert re.search(r"do: unroll the loop by \d+: [\d.]+ m?s → ", text)
    assert "fix at hand: " in text
    assert re.search(r"BL402  imbalance between blocks: .*\(kernel [\d.]+ m?s → ", text)


def test_kernel_card_says_what_to_do_and_where_resources_come_from() -> None:
    card = plain(kernel_card(done("mm_local"), tuned("mm_local")))
    assert "Do: unroll the loop by" in card
    assert "balance of blocks (B_balance) 0.98" in card
    assert re.search(r"Resources: ≈ \d % logic, \d % RAM, \d % DSP; scarcest: \w+; \d+ compute units fit", card)
    assert "(estimate; median error on unseen kernels: logic" in card
