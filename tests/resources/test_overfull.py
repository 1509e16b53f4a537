"""From the text of a kernel that no device holds to what says so, and to the arrays that have to be smaller."""

from __future__ import annotations

import re
from math import inf

import pytest

from burstline_model.devices.resource_use import RESOURCES
from burstline_model.estimate.changes import LessHardware, SmallerArrays
from burstline_model.estimate.kernel_estimate import KernelEstimate
from burstline_model.estimate.overfull import SURELY_FULL
from burstline_server.presentation.card_text import plain
from burstline_server.presentation.cards import kernel_card
from burstline_server.rewrites.gains import extra_use
from burstline_server.words.changes import action_text, change_text
from burstline_server.words.remarks import remark_text
from burstline_server.words.resources import resources_line
from burstline_server.words.verdict import headline
from tests.assessing import assess

ONE = """__kernel void one(__global const float *restrict a, __global float *restrict c, int n)
{
    float t[ROWS][2048];
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < ROWS * 2048; i++)
            t[i / 2048][i % 2048] = a[(long)j * ROWS * 2048 + i];
        for (int i = 0; i < ROWS * 2048; i++)
            c[(long)j * ROWS * 2048 + i] = t[ROWS - 1 - i / 2048][i % 2048];
    }
}
"""


def estimated(text: str, **settings: object) -> KernelEstimate:
    (kernel,) = assess(text, board="p385a", **settings).kernels
    return kernel.estimate


def smaller(found: KernelEstimate) -> list[SmallerArrays]:
    return [lever.change for lever in found.levers if isinstance(lever.change, SmallerArrays)]


def test_the_array_that_fills_the_device_is_named_with_its_factor() -> None:
    found = estimated(ONE.replace("ROWS", "1024"), arguments={"n": 4})
    assert found.levers
    change = found.levers[0].change
    assert isinstance(change, SmallerArrays)
    assert change.names == ("t",)
    factor = float(re.search(r"([\d.]+)× smaller", change_text(change)).group(1))  # type: ignore[union-attr]
    assert "global memory" in change_text(change)
    assert action_text(change) == f"make t {factor:g}× smaller"
    rows = int(1024 / factor)
    assert not smaller(estimated(ONE.replace("ROWS", str(rows)), arguments={"n": 4}))
    assert not any("fit" in remark_text(r) for r in estimated(ONE.replace("ROWS", str(rows))).remarks)


def test_what_is_too_large_has_one_percentage_everywhere() -> None:
    found = estimated(ONE.replace("ROWS", "1024"), arguments={"n": 4})
    (doubt,) = [remark_text(remark) for remark in found.remarks if "fit" in remark_text(remark)]
    share = re.search(r"(\d+ %) of the RAM", doubt)
    assert share is not None
    assert found.resources is not None
    assert f"{share.group(1)} RAM" in resources_line(found.resources, "Arria 10", clock=False)
    # Its bits alone are more than the device has: no error of the estimate can make it fit.
    assert doubt.startswith("it does not fit")


def test_arrays_of_a_size_are_named_together() -> None:
    text = """
    float row(__global const float *restrict x, int n) {
        float u[1 << 20], v[1 << 20], w[16384];
        float s = 0;
        for (int i = 0; i < n; i++) { u[i] = x[i]; v[i] = 2 * x[i]; w[i & 16383] = x[i]; }
        for (int i = 0; i < n; i++) s += u[n - i] * v[i ^ 5] * w[i & 255];
        return s;
    }
    __kernel void two(__global const float *restrict x, __global float *restrict y, int n) { y[0] = row(x, n); }
    """
    (change,) = smaller(estimated(text, arguments={"n": 1 << 20}))
    assert change.names == ("row.u", "row.v")
    assert 1 < change.times < 2
    assert "row.u and row.v" in change_text(change)
    assert "them" in change_text(change)


@pytest.mark.parametrize("rows", [16, 256])
def test_arrays_that_fit_are_no_advice(rows: int) -> None:
    assert not smaller(estimated(ONE.replace("ROWS", str(rows)), arguments={"n": 4}))


def test_reads_in_one_cycle_that_copy_an_array_are_said() -> None:
    change = SmallerArrays(names=("t",), share=1.8, times=2.0, copies=6, surely=True)
    assert "fewer places in a cycle (6 copies" in change_text(change)
    # A small array that is copied for its reads gets no smaller: the reads have to be fewer.
    change = SmallerArrays(names=("t",), share=1.8, times=2.0, copies=6)
    assert action_text(change) == "read t at fewer places in a cycle"
    assert "smaller" not in change_text(change)
    assert action_text(SmallerArrays(names=("t",), share=9.0, times=8.0, copies=6)) == "make t 8× smaller"
    assert change_text(SmallerArrays(names=("t",), share=1.2, times=inf)).startswith("keep t in global memory")


def test_work_that_fills_the_device_is_no_fault_of_its_arrays() -> None:
    sums = " + ".join(f"native_sqrt(a[i] * {n}.5f)" for n in range(1200))
    text = f"__kernel void k(__global const float *restrict a, __global float *restrict b)\n{{\n    float s[64];\n    int i = get_global_id(0);\n    s[i & 63] = a[i];\n    b[i] = s[63 - (i & 63)] + {sums};\n}}\n"  # noqa: E501
    found = estimated(text, global_size=[1 << 20])
    assert any(isinstance(lever.change, LessHardware) for lever in found.levers)
    assert not smaller(found)


def test_bins_that_many_copies_count_in_are_read_at_fewer_places() -> None:
    text = """
    __attribute__((max_global_work_dim(0)))
    __kernel void tally(__global const uint *restrict x, __global uint *restrict y, int n)
    {
        __local uint bins[131072];
        for (int i = 0; i < n; i++) {
            #pragma unroll
            for (int k = 0; k < 96; k++) bins[x[96 * i + k] & 131071] += 1;
        }
        for (int k = 0; k < 131072; k++) y[k] = bins[k];
    }
    """
    found = estimated(text, arguments={"n": 1 << 20})
    assert action_text(found.levers[0].change) == "read bins at fewer places in a cycle"


FULL = """__attribute__((max_global_work_dim(0)))
__kernel void filter(__global const float *restrict x, __global float *restrict y, int n)
{
    float line[TAPS];
    for (int i = 0; i < n; i++) {
        #pragma unroll
        for (int k = TAPS - 1; k > 0; k--) line[k] = line[k - 1];
        line[0] = x[i];
        float sum = 0.0f;
        #pragma unroll
        for (int k = 0; k < TAPS; k++) sum += line[k] * (k + 0.3f);
        y[i] = sum;
    }
}
"""


def test_products_that_neither_dsp_blocks_nor_logic_hold_are_said_first() -> None:
    few, many = (estimated(FULL.replace("TAPS", taps), arguments={"n": 1 << 20}) for taps in ("500", "1130"))
    assert many.resources is not None
    assert many.resources.shares["logic_alms"] > 1 == many.resources.shares["dsps"]
    assert many.resources.copies_that_fit(SURELY_FULL) == 1
    assert isinstance(many.levers[0].change, LessHardware)
    assert not any(isinstance(lever.change, LessHardware) for lever in few.levers)


@pytest.mark.parametrize(("taps", "said"), [(16, " compute units fit"), (700, "no second compute unit fits")])
def test_a_kernel_that_fills_the_device_is_not_said_to_fit_no_time(taps: int, said: str) -> None:
    use = estimated(FULL.replace("TAPS", str(taps))).resources
    assert use is not None
    line = resources_line(use, "Arria 10", clock=False)
    assert said in line
    assert " 0 compute units" not in line


@pytest.mark.parametrize(("item", "said"), [("get_global_id(0)", True), ("0", False)])
def test_compute_units_are_counted_where_work_groups_can_be_shared_out(item: str, said: bool) -> None:
    head = "__kernel void k(__global const float *restrict x, __global float *restrict y, int n)"
    done = assess(f"{head} {{ for (int i = {item}; i < n; i++) y[i] = x[i]; }}", board="p385a")
    assert ("compute units fit" in plain(kernel_card(done, done.kernels[0]))) is said


SHARED = """{attributes}
__kernel void shared(__global const float *restrict a, __global float *restrict c)
{{
    int i = get_global_id(0);
    float s = 0.0f;
    #pragma unroll {by}
    for (int k = 0; k < 1024; k++) s += sqrt(a[i * 1024 + k]) / (1.0f + a[i * 1024 + k]);
    c[i] = s;
}}
"""
GROUP = "__attribute__((reqd_work_group_size(256, 1, 1)))"


@pytest.mark.parametrize(
    ("attributes", "by", "verdict", "action", "advice"),
    [
        (f"{GROUP} __attribute__((num_compute_units(100)))", 8, "does not fit", r"num_compute_units\(\d+\)", "does"),
        (
            f"{GROUP} __attribute__((num_simd_work_items(16)))",
            128,
            "does not fit",
            "use less",
            "unroll less or use fewer",
        ),
        (GROUP, 1024, "does not fit", "use less", "unroll less"),
        (GROUP, 8, None, None, None),
    ],
)
def test_that_a_kernel_does_not_fit_is_its_verdict(
    attributes: str, by: int, verdict: str | None, action: str | None, advice: str | None
) -> None:
    done = assess(SHARED.format(attributes=attributes, by=by), board="p385a", global_size=[1 << 16])
    (kernel,) = done.kernels
    first = headline(done, kernel)
    if verdict is None:
        assert first.startswith("≈ ")
        return
    assert re.match(rf"{verdict} the device: \d+ % of its \w+; if it did, ≈ ", first)
    change = kernel.estimate.levers[0].change
    assert isinstance(change, LessHardware)
    assert re.match(action or "", action_text(change))
    assert (advice or "") in change_text(change)
    if change.units:
        fewer = attributes.replace("100", str(change.units))
        again = assess(SHARED.format(attributes=fewer, by=by), board="p385a", global_size=[1 << 16])
        assert headline(again, again.kernels[0]).startswith("≈ ")


@pytest.mark.parametrize(("now", "then", "fits"), [(2.0, 2.0, False), (2.0, 1.6, True), (1.2, 1.2, True)])
def test_an_edit_of_what_does_not_fit_makes_it_smaller(now: float, then: float, fits: bool) -> None:
    before, after = dict.fromkeys(RESOURCES, 0.5), dict.fromkeys(RESOURCES, 0.5)
    assert extra_use(before | {"logic_alms": now}, after | {"logic_alms": then})[1] is fits
