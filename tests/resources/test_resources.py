"""From kernel text to what it takes of a device."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from burstline_model.devices.cost_tables import cost_table
from burstline_model.devices.resource_use import RESOURCES, Amounts
from burstline_model.resources import ResourceUse, f_max_of
from burstline_model.target import FAMILIES
from burstline_model.vendor_report.built_resources import reported_use
from burstline_model.vendor_report.records import ReportedKernel, Usage, VendorReport
from burstline_server.assessment.assessor import Assessor
from burstline_server.cli.main import main
from burstline_server.presentation.report_build import file_report
from burstline_server.words.resources import part_text
from tests.assessing import assess

ROOT = Path(__file__).resolve().parents[2]

MAP = """__kernel void k(__global const TYPE *restrict a, __global TYPE *restrict b)
{
    const int i = get_global_id(0);
    b[i] = EXPRESSION;
}
"""


def used(text: str, board: str = "p385a", **settings: object) -> ResourceUse:
    """The resources of the only kernel of a text."""
    (kernel,) = assess(text, board=board, **settings).kernels
    assert kernel.estimate.resources is not None
    return kernel.estimate.resources


def mapped(expression: str, type_: str = "float", board: str = "p385a", before: str = "") -> ResourceUse:
    """The resources of a kernel that computes one expression of ``a[i]``."""
    return used(before + MAP.replace("TYPE", type_).replace("EXPRESSION", expression), board)


def part(use: ResourceUse, label: str) -> Amounts:
    """The one part whose label begins so."""
    (found,) = [p.amounts for p in use.parts if part_text(p.of)[0].startswith(label)]
    return found


def test_double_product_takes_more_dsps_than_a_float_one_and_half_no_more() -> None:
    wide, usual, narrow = (mapped("a[i] * a[i]", t).dsps for t in ("double", "float", "half"))
    assert wide > usual >= narrow > 0


@pytest.mark.parametrize(("board", "dsps"), [("p385a", 1.0), ("s10gx_ddr4_1866", 1.0), ("de5net", 1.0)])
def test_product_and_its_sum_share_a_block_where_the_family_adds_floats_in_dsps(board: str, dsps: float) -> None:
    """Stratix V has one block for the product and adds in logic: more of that than the others."""
    both = mapped("a[i] * 3.0f + a[i]", board=board)
    assert both.dsps == dsps
    assert (part(both, "arithmetic").logic_alms > 100) == (board == "de5net")


def test_constants_cost_nothing() -> None:
    plain = mapped("a[i]", "int")
    assert mapped("a[i] * 8", "int").dsps == plain.dsps == 0
    assert mapped("a[i] << 3", "int").logic_alms == plain.logic_alms
    assert mapped("a[i] * 7", "int").logic_alms > plain.logic_alms
    assert mapped("a[i] / 8", "int").logic_alms == plain.logic_alms
    assert mapped("a[i] / 7", "int").logic_alms > plain.logic_alms + 500
    assert mapped("a[i] * (2.0f * 3.0f)").dsps == mapped("a[i] * 6.0f").dsps


def test_same_integers_are_combined_once() -> None:
    product = "__kernel void k(__global int *restrict b, int n, int m) {{ const int i = get_global_id(0); {} }}"
    once = used(product.format("b[i] = n * m;"))
    assert used(product.format("b[i] = n * m + (n * m << 1);")).dsps == once.dsps > 0
    assert used(product.format("b[i] = n * m + n * n;")).dsps == 2 * once.dsps


def test_narrow_integers_take_less_than_wide_ones() -> None:
    sizes = [part(mapped("a[i] + a[i + 1]", t), "arithmetic").logic_alms for t in ("char", "short", "int", "long")]
    assert sizes == sorted(sizes)
    assert sizes[-1] > 2 * sizes[0]


def test_functions_cost_more_than_products_and_unknown_ones_are_counted() -> None:
    cheap, costly, other = (mapped(e) for e in ("a[i] * 2.0f", "exp(a[i])", "erf(a[i])"))
    assert costly.logic_alms > cheap.logic_alms
    assert costly.dsps > cheap.dsps
    assert other.dsps > cheap.dsps


SUM = """__kernel void k(__global const float *restrict a, __global float *restrict b, int n)
{
    float s = 0;
    UNROLL
    for (int i = 0; i < n; i++) s += a[i] * a[i];
    b[0] = s;
}
"""


def test_unrolling_multiplies_arithmetic_but_not_index_arithmetic() -> None:
    once, eight = (used(SUM.replace("UNROLL", u)) for u in ("", "#pragma unroll 8"))
    assert (once.dsps, eight.dsps) == (1, 8)
    indexed = "__kernel void k(__global const int *restrict a, __global int *restrict b, int n, int m)\n"
    indexed += "{ for (int i = 0; i < n; i++)\n{\nUNROLL\nfor (int j = 0; j < 64; j++) b[i * m + j] = a[j * m + i]; } }"
    once, eight = (used(indexed.replace("UNROLL", u)) for u in ("#pragma unroll 1", "#pragma unroll 8"))
    # i * m is one product whatever j is copied; j * m is one for each copy of j.
    assert once.dsps == 4
    assert eight.dsps == 2 + 8 * 2


def test_simd_lanes_and_compute_units_multiply() -> None:
    asked = "__attribute__((reqd_work_group_size(64, 1, 1)))\n"
    one, lanes, units = (
        mapped("a[i] * a[i]", before=asked + extra)
        for extra in ("", "__attribute__((num_simd_work_items(4)))\n", "__attribute__((num_compute_units(3)))\n")
    )
    assert lanes.dsps == 4 * one.dsps
    assert units.compute_units == 3
    for name in RESOURCES:
        assert units.kernel.of(name) == pytest.approx(3 * one.kernel.of(name))
        assert one.with_compute_units(3).kernel.of(name) == pytest.approx(units.kernel.of(name))


LOCAL = """__kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void k(__global const float *restrict a, __global const int *restrict at, __global float *restrict b)
{
    __local float t[LENGTH];
    const int l = get_local_id(0);
    t[l] = a[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    float s = 0;
    #pragma unroll
    for (int i = 0; i < 8; i++) s += INDEX;
    b[get_global_id(0)] = s;
}
"""


def test_local_array_is_replicated_for_reads_that_nothing_joins() -> None:
    kernels = {index: LOCAL.replace("LENGTH", "8192").replace("INDEX", index) for index in ("t[at[i] & 8191]", "t[i]")}
    scattered, neighbours = (part(used(text), "local array t") for text in kernels.values())
    assert scattered.rams >= 2 * neighbours.rams
    (array,) = [p for p in used(kernels["t[at[i] & 8191]"]).parts if part_text(p.of)[0].startswith("local array")]
    assert "3 replicas for 8 reads in a cycle" in part_text(array.of)[1]


def test_reads_side_by_side_make_one_wide_memory_and_apart_make_banks() -> None:
    wide = [
        p for p in used(LOCAL.replace("LENGTH", "256").replace("INDEX", "t[i]")).parts if "array" in part_text(p.of)[0]
    ]
    apart = [
        p
        for p in used(LOCAL.replace("LENGTH", "256").replace("INDEX", "t[32 * i]")).parts
        if "array" in part_text(p.of)[0]
    ]
    assert "256 bit wide" in part_text(wide[0].of)[1]
    assert "replicas" not in part_text(wide[0].of)[1]
    assert "8 banks" in part_text(apart[0].of)[1]


def test_array_of_unknown_length_is_not_guessed() -> None:
    text = LOCAL.replace("LENGTH", "SIZE").replace("INDEX", "t[i]")
    (array,) = [p for p in used(text).parts if part_text(p.of)[0] == "local array t"]
    assert array.amounts == Amounts()
    assert "not known" in part_text(array.of)[1]


PRIVATE = """__kernel void k(__global const int *restrict a, __global int *restrict b, int n)
{
    int seen[256];
    WHERE
    for (int i = 0; i < n; i++) seen[a[i] & 255] += 1;
    b[0] = seen[n];
}
"""


def test_private_array_is_kept_for_each_work_item_in_flight() -> None:
    single = part(used(PRIVATE.replace("WHERE", "")), "private array")
    many = part(used(PRIVATE.replace("WHERE", "n += get_global_id(0);")), "private array")
    assert 1 <= single.rams < 5
    assert many.rams > 50 * single.rams
    table = "const " + PRIVATE.split("{")[1].strip().split(";")[0] + " = { 1, 2, 3 };"
    read_only = "__kernel void k(__global int *restrict b)\n{\n" + table + "\nb[get_global_id(0)] = seen[b[0]];\n}"
    assert part(used(read_only), "private array").rams < 5


def test_cached_unit_takes_ram_for_its_cache() -> None:
    again = """__kernel void k(__global const float *restrict a, __global float *restrict b, int n)
    { for (int j = 0; j < n; j++) { float s = 0; for (int i = 0; i < n; i++) s += a[i QUALIFIED]; b[j] = s; } }"""
    cached = used(again.replace("QUALIFIED", ""), "s10gx_ddr4_1866")
    plain = used(again.replace("QUALIFIED", "").replace("const float", "volatile const float"), "s10gx_ddr4_1866")
    (unit,) = [p for p in cached.parts if "cached load of a" in part_text(p.of)[0]]
    assert "512 kbit" in part_text(unit.of)[1]
    assert cached.rams > plain.rams + 20


def test_autorun_kernel_has_no_dispatch_and_channels_count_by_width() -> None:
    text = """#pragma OPENCL EXTENSION cl_intel_channels : enable
    channel TYPE in, out;
    __attribute__((max_global_work_dim(0))) __attribute__((autorun))
    __kernel void k() { while (1) write_channel_intel(out, read_channel_intel(in)); }"""
    narrow, wide = (used(text.replace("TYPE", t)) for t in ("float", "float16"))
    assert not [p for p in narrow.parts if part_text(p.of)[0] == "dispatch"]
    assert part(wide, "channels").registers == 16 * part(narrow, "channels").registers > 0


def test_products_that_find_no_dsp_block_are_made_of_logic() -> None:
    whole = SUM.replace("i < n", "i < 8192")
    some, full, over = (used(whole.replace("UNROLL", f"#pragma unroll {n}"), "de5net") for n in (128, 256, 320))
    assert [u.shares["dsps"] for u in (some, full, over)] == [0.5, 1, 1]
    each = (full.logic_alms - some.logic_alms) / 128
    assert over.logic_alms - full.logic_alms > 64 * (each + 300)


def test_scarcest_resource_b_comp_and_copies_agree() -> None:
    text = SUM.replace("UNROLL", "#pragma unroll 512").replace("int n", "int n").replace("i < n", "i < 4096")
    use = used(text, "de5net")
    assert use.shares_of(use.asked)["dsps"] == pytest.approx(512 / 256)
    assert use.shares["dsps"] == 1
    assert use.b_comp == 0
    assert use.copies_that_fit() == 0
    small = used(SUM.replace("UNROLL", ""), "de5net")
    fit = small.copies_that_fit()
    assert max(small.with_compute_units(fit).utilisation.values()) <= 0.8
    assert max(small.with_compute_units(fit + 1).utilisation.values()) > 0.8


def test_board_decides_device_and_shell() -> None:
    on_kit, on_card = (used(SUM.replace("UNROLL", ""), board) for board in ("s10gx_ddr4_1866", "p520"))
    assert on_kit.kernel == on_card.kernel
    assert on_kit.device == on_card.device
    assert on_kit.shell.logic_alms < 0.1 * on_card.shell.logic_alms
    elsewhere = used(SUM.replace("UNROLL", ""), "p520", device_family="Arria 10")
    assert elsewhere.device.dsps == cost_table("Arria 10").device.dsps


@pytest.mark.parametrize("family", FAMILIES)
def test_clock_falls_as_the_device_fills(family: str) -> None:
    name = next(f for f in FAMILIES if f == family)
    use = used(SUM.replace("UNROLL", "#pragma unroll 4"))
    ranges = [f_max_of(use.with_compute_units(n), name) for n in (1, 10, 30, 1000)]
    assert all(r.low_mhz < r.typical_mhz < r.high_mhz for r in ranges)
    typical = [r.typical_mhz for r in ranges]
    assert typical == sorted(typical, reverse=True)
    assert typical[0] > typical[-1] > 50


@pytest.mark.parametrize("family", FAMILIES)
def test_cost_tables_are_sane(family: str) -> None:
    table = cost_table(next(f for f in FAMILIES if f == family))
    device = table.device
    shells = (device.shell_alms, device.shell_registers, device.shell_rams, device.shell_dsps)
    for shell, whole in zip(shells, (device.alms, device.registers, device.rams, device.dsps), strict=True):
        assert 0 <= shell < whole / 2
    assert table.family == family
    assert all(figure >= 0 for row in table.operations.values() for figure in row)
    for base in ("int", "float", "double", "half"):
        assert f"{base} function" in table.operations
        assert sum(table.operations[f"{base} div"]) > sum(table.operations[f"{base} compare"])
    assert all(block.source for block in (device, table.memory, table.fabric, table.clock))
    assert set(table.errors) == set(RESOURCES)


def test_errors_are_those_that_were_recorded_on_kernels_kept_out_of_the_fits() -> None:
    recorded = json.loads((ROOT / "docs" / "accuracy.json").read_text("utf-8"))
    figures = {f["key"]: f["ours"] / 100 for area in recorded["areas"] for f in area["figures"]}
    errors = cost_table("Stratix 10").errors
    for resource in ("logic_alms", "rams", "dsps"):
        assert errors[resource] == pytest.approx(figures[f"resources.{resource}"], abs=5e-4)


def test_answer_gives_resources_with_their_error(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "k.cl"
    path.write_text(SUM.replace("UNROLL", "#pragma unroll 8"))
    assert main(["check", str(path), "--board", "p385a"]) == 0
    shown = capsys.readouterr().out
    assert "resources: ≈ 1 % logic" in shown
    errors = cost_table("Arria 10").errors
    assert f"(estimate; median error on unseen kernels: logic {errors['logic_alms']:.0%}".replace("%", " %") in shown
    assert main(["check", str(path), "--board", "p385a", "--format", "json"]) == 0
    reported = json.loads(capsys.readouterr().out)["files"][0]["kernels"][0]["resources"]
    assert reported["kernel"]["dsps"] == 8
    assert reported["limiting"] in RESOURCES
    assert reported["f_max"]["low_mhz"] < reported["f_max"]["typical_mhz"] < reported["f_max"]["high_mhz"]
    assert {p["line"] for p in reported["parts"] if p["label"] == "arithmetic"} == {5}
    assert sum(p["dsps"] for p in reported["parts"]) == reported["kernel"]["dsps"]


def test_build_gives_what_was_placed_for_each_compute_unit() -> None:
    placed = ReportedKernel(
        name="k", usage=Usage(aluts=100, ffs=9, rams=8, dsps=4), fitted=Usage(alms=30, rams=6, dsps=4)
    )
    device = Usage(aluts=1000, ffs=2000, rams=100, dsps=50)
    report = VendorReport(path="report_data.js", kernels=(placed,), available=device, shell=Usage(aluts=200, rams=10))
    use = reported_use(report, "k", 2)
    assert use is not None
    assert (use.kernel.logic_alms, use.unit.logic_alms, use.rams) == (30, 15, 6)
    assert use.shares["logic_alms"] == pytest.approx(30 / (500 - 100))
    assert reported_use(report, "other", 1) is None
    estimated = report.model_copy(update={"kernels": (placed.model_copy(update={"fitted": Usage()}),)})
    again = reported_use(estimated, "k", 2)
    assert again is not None
    assert (again.kernel.logic_alms, again.rams) == (50, 8)


def test_parts_stay_with_their_lines_when_the_kernel_moves() -> None:
    assessor, text = Assessor(), SUM.replace("UNROLL", "")
    lines = []
    for blank in ("", "\n\n\n"):
        done = assessor.assess(blank + text, "k.cl", [])
        (kernel,) = file_report(done, ()).kernels
        assert kernel.resources is not None
        lines.append([p.line for p in kernel.resources.parts if p.line is not None])
    assert lines[0]
    assert lines[1] == [line + 3 for line in lines[0]]
