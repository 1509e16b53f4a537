"""Rows of vendor reports, from kernel text: what one operation, one unit and the board's own logic take."""

import pytest

from burstline_model.boards.board import boards
from burstline_model.devices.cost_tables import cost_table
from burstline_model.lsu import Lsu
from burstline_model.resources import ResourceUse, f_max_of
from burstline_model.resources.unit_parts import unit_cost
from burstline_model.target import Family
from burstline_server.words.resources import part_text
from tests.assessing import assess

KERNEL = (
    "__kernel void k(__global const {0} *restrict a, __global {0} *restrict b, {0} c)\n"
    "{{ const int i = get_global_id(0); b[i] = {1}; }}\n"
)
PLACED = {"de5net": (0.37, 0.331), "de1soc": (0.37, 0.331), "p385a": (0.37, 0.331), "p520": (0.63, 1.79)}
"""ALMs of an ALUT and registers of a register after place and route, by a board of each family."""


def used(text: str, board: str, **settings: object) -> ResourceUse:
    """The resources of the only kernel of a text."""
    (kernel,) = assess(text, board=board, **settings).kernels
    assert kernel.estimate.resources is not None
    return kernel.estimate.resources


def reported(use: ResourceUse, label: str, board: str) -> tuple[float, float, float, float]:
    """ALUTs, registers, RAM and DSP blocks of the parts of a label, as a report lists them before placement."""
    alms, registers = PLACED[board]
    parts = [p.amounts for p in use.parts if part_text(p.of)[0].startswith(label)]
    return (
        sum(p.logic_alms for p in parts) / alms, sum(p.registers for p in parts) / registers,
        sum(p.rams for p in parts), sum(p.dsps for p in parts),
    )  # fmt: skip


COMMON = {  # area views of 16.1 to 19.4; doubles and halves: by the width of the significand
    ("int", "a[i] + c"): (32, 0, 0, 0),
    ("int", "a[i] * c"): (32, 46, 0, 2),
    ("char", "(char)(a[i] * c)"): (0, 16, 0, 0.5),
    ("short", "(short)(a[i] * c)"): (8, 16, 0, 0.5),
    ("long", "a[i] * c"): (110, 99, 0, 4),
    ("int", "a[i] / c"): (2300, 500, 0, 0),
    ("int", "a[i] % c"): (4641, 32, 0, 0),
    ("int", "a[i] & c"): (16, 0, 0, 0),
    ("int", "a[i] << c"): (80, 0, 0, 0),
    ("int", "max(a[i], c)"): (32, 1, 0, 0),
    ("float", "a[i] + c"): (541, 320, 0, 0),
    ("float", "a[i] * c"): (134, 148, 0, 1),
    ("float", "a[i] / c"): (385, 609, 5, 5),
    ("float", "sqrt(a[i])"): (329, 446, 3, 2),
    ("float", "fmax(a[i], c)"): (63, 28, 0, 0),
    ("float", "(float)(int)a[i]"): (344, 514, 0, 0),
    ("float", "floor(a[i])"): (175, 160, 0, 0),
    ("float", "exp(a[i])"): (576, 497, 4, 9),
    ("float", "log(a[i])"): (700, 700, 4, 9),
    ("float", "sin(a[i])"): (2105, 3083, 3, 7),
    ("float", "pow(a[i], c)"): (1900, 2000, 12, 18),
    ("float", "erf(a[i])"): (1500, 1500, 6, 9),
    ("double", "a[i] + c"): (1100, 1000, 0, 0),
    ("double", "a[i] * c"): (500, 600, 0, 4),
    ("double", "a[i] / c"): (2000, 3000, 12, 14),
    ("double", "sqrt(a[i])"): (1400, 2000, 9, 9),
    ("double", "fmax(a[i], c)"): (126, 56, 0, 0),
    ("double", "floor(a[i])"): (350, 320, 0, 0),
    ("double", "erf(a[i])"): (4500, 5500, 20, 30),
    ("half", "a[i] + c"): (270, 160, 0, 0),
    ("half", "a[i] * c"): (100, 100, 0, 1),
    ("half", "a[i] / c"): (200, 300, 2, 2),
    ("half", "sqrt(a[i])"): (170, 220, 2, 1),
    ("half", "fmax(a[i], c)"): (32, 14, 0, 0),
    ("half", "floor(a[i])"): (90, 80, 0, 0),
    ("half", "erf(a[i])"): (700, 700, 3, 4),
}
FAMILIES = {
    "de5net": COMMON,
    "de1soc": {("int", "a[i] * c"): (0, 31, 0, 1)},
    "p385a": {
        ("int", "a[i] * c"): (16, 32, 0, 2),
        ("float", "a[i] + c"): (0, 0, 0, 1),
        ("float", "a[i] * c"): (0, 0, 0, 1),
        ("float", "a[i] / c"): (1014, 948, 3, 3.5),
        ("float", "sqrt(a[i])"): (531, 414, 3, 2.5),
        ("float", "fmax(a[i], c)"): (99, 10, 0, 0),
        ("float", "exp(a[i])"): (276, 211, 3, 6),
        ("float", "sin(a[i])"): (735, 2113, 4, 4.5),
    },
    "p520": {
        ("int", "a[i] * c"): (55, 46, 0, 1.5),
        ("int", "a[i] / c"): (634, 494, 4, 7),
        ("float", "fmax(a[i], c)"): (107, 8, 0, 0),
        ("float", "(float)(int)a[i]"): (764, 770, 0, 0),
        ("float", "sqrt(a[i])"): (1599, 2010, 9, 7.5),
    },
}


@pytest.mark.parametrize("board", FAMILIES)
def test_one_operation_takes_its_reports_row(board: str) -> None:
    for (type_, expression), row in FAMILIES[board].items():
        use = used(KERNEL.format(type_, expression), board)
        assert reported(use, "arithmetic", board) == pytest.approx(row, rel=1e-6), (type_, expression)


# ALMs, registers, RAM and DSP blocks of the device by its data sheet, then of the shell: what reports list, or what no
# kernel of published designs explains.
DEVICES = {
    "de5net": ((234720, 938880, 2560, 256), (40400, 50598, 288, 0)),
    "de10_nano": ((41910, 167640, 553, 112), (1080, 1908, 20, 0)),
    "de1soc": ((32070, 128280, 397, 87), (1080, 1908, 20, 0)),
    "a10_ref": ((427200, 1708800, 2713, 1518), (41000, 61800, 266, 0)),
    "p385a": ((427200, 1708800, 2713, 1518), (41000, 61800, 266, 0)),
    "pac_a10": ((427200, 1708800, 2713, 1518), (67250, 172452, 397, 0)),
    "s10gx_ddr4_1866": ((933120, 3732480, 11721, 5760), (6566, 20030, 112, 0)),
    "s10gx_ddr4_2666": ((933120, 3732480, 11721, 5760), (6566, 20030, 112, 0)),
    "p520": ((933120, 3732480, 11721, 5760), (240290, 961160, 2766, 1292)),
    "pac_d5005": ((933120, 3732480, 11721, 5760), (6566, 20030, 112, 0)),
    "s10mx_hbm2": ((702720, 2810880, 6847, 3960), (6566, 20030, 112, 0)),
    "p520mx": ((702720, 2810880, 6847, 3960), (6566, 20030, 112, 0)),
    "iseries_dk": ((912800, 3651200, 13272, 8528), (6566, 20030, 112, 0)),
    "n6001": ((487200, 1948800, 7110, 4510), (344709, 1249098, 4148, 2284)),
    "harp2": ((427200, 1708800, 2713, 1518), (41000, 61800, 266, 0)),
}


@pytest.mark.parametrize("board", DEVICES)
def test_kernel_and_shell_fill_the_device(board: str) -> None:
    device, shell = DEVICES[board]
    use = used(KERNEL.format("float", "a[i] * c"), board)
    kernel = (use.kernel.logic_alms, use.kernel.registers, use.kernel.rams, use.kernel.dsps)
    free = tuple(taken / share for taken, share in zip(kernel, use.shares.values(), strict=True))
    assert free == pytest.approx([whole - own for whole, own in zip(device, shell, strict=True)])
    filled = [share * whole for share, whole in zip(use.utilisation.values(), device, strict=True)]
    assert filled == pytest.approx([taken + own for taken, own in zip(kernel, shell, strict=True)])


def test_every_board_has_a_device() -> None:
    assert set(boards()) == set(DEVICES)


UNITS = {  # what a unit takes at any width, and for each bit of it: ALUTs, registers, RAM blocks
    ("global", "load", "Burst-coalesced"): ((450, 1750, 10), (0.4, 4.5, 0.02)),
    ("global", "store", "Burst-coalesced"): ((345, 2050, 11), (0.25, 3, 0.018)),
    ("global", "load", "Burst-coalesced non-aligned"): ((600, 2300, 9), (2.9, 2.3, 0.014)),
    ("global", "store", "Burst-coalesced non-aligned"): ((850, 2350, 14), (4.8, 7, 0.01)),
    ("global", "store", "Burst-coalesced write-ack"): ((380, 2200, 17), (0.02, 0.95, 0)),
    ("global", "store", "Burst-coalesced write-ack non-aligned"): ((990, 2450, 17), (3.45, 6.3, 0)),
    ("global", "load", "Prefetching"): ((320, 307, 13), (0.44, 0.97, 0)),
    ("global", "load", "Streaming"): ((320, 307, 13), (0.44, 0.97, 0)),
    ("global", "store", "Streaming"): ((345, 1000, 13), (0.25, 3, 0)),
    ("global", "load", "Semi-streaming"): ((270, 804, 13), (0.44, 0.97, 0)),
    ("global", "load", "Simple"): ((71, 68, 1), (0, 0, 0)),
    ("global", "store", "Simple"): ((71, 68, 1), (0, 0, 0)),
    ("global", "atomic", "Atomic-pipelined"): ((400, 1800, 8), (0, 0, 0)),
    ("global", "load", "Pipelined"): ((71, 68, 1), (0, 0, 0)),
    ("constant", "load", "Constant-pipelined"): ((71, 68, 1), (0, 0, 0)),
    ("local", "load", "Pipelined"): ((2, 2, 0), (0.3, 0.5, 0)),
    ("local", "load", "Pipelined never-stall"): ((2, 2, 0), (0.3, 0.5, 0)),
    ("local", "store", "Pipelined"): ((2, 8, 0), (1, 0.5, 0)),
    ("local", "store", "Pipelined never-stall"): ((2, 8, 0), (1, 0.5, 0)),
    ("local", "atomic", "Atomic-pipelined"): ((60, 80, 1), (1, 1, 0)),
    ("local", "load", "Burst-coalesced"): ((2, 2, 0), (0.3, 0.5, 0)),
    ("local", "store", "Burst-coalesced"): ((2, 8, 0), (1, 0.5, 0)),
}


def unit(space: str, op: str, style: str, width_bits: int) -> Lsu:
    """Two units of a style."""
    figures = {
        "members": (0,), "op": op, "space": space, "style": style, "width_bits": width_bits, "count": 2, "lanes": 1,
        "useful_bytes": 4, "stride": 1, "unfixed": None, "confidence": "high", "reasons": (),
    }  # fmt: skip
    return Lsu(**figures)  # type: ignore[arg-type]


@pytest.mark.parametrize(("space", "op", "style"), UNITS)
def test_units_take_their_style_s_row_by_width(space: str, op: str, style: str) -> None:
    base, per_bit = UNITS[space, op, style]
    cost, _ = unit_cost(unit(space, op, style, 512), cost_table("Stratix V"))
    assert cost[:3] == pytest.approx([2 * (a + 512 * b) for a, b in zip(base, per_bit, strict=True)])


@pytest.mark.parametrize(("family", "cache_bytes"), [("Stratix V", 65536), ("Cyclone V", 8192)])
def test_a_cache_takes_its_size_in_ram_above_its_unit(family: Family, cache_bytes: int) -> None:
    """The size that a family's compiler gives where nobody asks for one."""
    cost, _ = unit_cost(unit("global", "load", "Burst-coalesced cached", 32), cost_table(family))
    by_hand = (450 + 32 * 0.4 + 2550, 1750 + 32 * 4.5 + 2280, 10 + 0.64 + 4 + cache_bytes * 8 * 5e-5)
    assert cost[:3] == pytest.approx([2 * figure for figure in by_hand])


FABRIC = {  # ALMs, registers and RAM blocks of a loop, of a bit of it, of an item, unit and item's array, and of a unit
    "de5net": (
        (353, 1300, 0), (0.51, 2.06, 0.00259), (0, 0, 0.0114), (2.2, 5.89, 0.0258), (17.9, 47.1, 0.144),
        (760, 650, 0.773),
    ),
    "p520": (
        (0, 0, 0.174), (0.149, 0.974, 0.00113), (0, 1.82, 0), (0.839, 0.625, 0.00808), (7.2, 6.62, 0.137),
        (1210, 596, 0),
    ),
}  # fmt: skip
LOOP = (
    "__kernel void k(__global const float *restrict a, __global float *restrict b, float c)\n"
    "{ for (int i = 0; i < 1024; i++) b[i] = a[i] * c; }\n"
)


def placed(use: ResourceUse, label: str) -> list[float]:
    """ALMs, registers and RAM blocks of the part of a label."""
    (found,) = [p.amounts for p in use.parts if part_text(p.of)[0] == label]
    return [found.logic_alms, found.registers, found.rams]


@pytest.mark.parametrize("board", FABRIC)
def test_what_holds_the_pieces_together(board: str) -> None:
    """A product of 32 bits in many items, and in a loop whose counter adds 32; two units of 32 bits."""
    loop, loop_bit, item_bit, unit_bit, array_bit, way = FABRIC[board]
    many, one = used(KERNEL.format("float", "a[i] * c"), board), used(LOOP, board)
    assert placed(many, "pipeline") == pytest.approx([32 * i + 64 * u for i, u in zip(item_bit, unit_bit, strict=True)])
    assert placed(one, "pipeline") == pytest.approx([64 * i + 64 * u for i, u in zip(loop_bit, unit_bit, strict=True)])
    assert placed(one, "loop control") == pytest.approx(loop)
    assert placed(one, "interconnect") == pytest.approx([2 * w for w in way])
    assert reported(one, "dispatch", board)[:2] == pytest.approx((1463, 1467))
    filled = KERNEL.format("float", "a[i] * c").replace("b[i] =", "float t[LENGTH]; t[0] = c; b[i] = t[0] +")
    long, short = (placed(used(filled.replace("LENGTH", n), board), "pipeline") for n in ("16", "8"))
    assert [a - b for a, b in zip(long, short, strict=True)] == pytest.approx([8 * 32 * a for a in array_bit])


def test_channels_take_their_bits_at_both_ends() -> None:
    text = (
        "#pragma OPENCL EXTENSION cl_intel_channels : enable\nchannel float in, out;\n"
        "__attribute__((max_global_work_dim(0))) __attribute__((autorun))\n"
        "__kernel void k() { while (1) write_channel_intel(out, read_channel_intel(in)); }\n"
    )
    assert placed(used(text, "de5net"), "channels") == pytest.approx((64 * 0.5, 64 * 2, 0))


CLOCKS = {  # MHz of an empty device, what a full one lacks, the least; eight of ten builds between
    "de5net": (303, 183, 140, 0.76, 1.16),
    "de1soc": (170, 102, 78, 0.76, 1.16),
    "p385a": (315, 210, 184, 0.80, 1.23),
    "p520": (461, 335, 219, 0.71, 1.07),
}


@pytest.mark.parametrize("board", CLOCKS)
def test_clock_by_the_fullest_resource(board: str) -> None:
    empty, fall, floor, low, high = CLOCKS[board]
    use, family = used(LOOP, board), boards()[board].compiler.family
    by = ["logic_alms"] if board == "p385a" else ["logic_alms", "rams"]
    counts = use.of_device(use.kernel) if board == "p520" else use.utilisation
    fullest = max(share for name, share in counts.items() if name in by)
    found = f_max_of(use, family)
    typical = max(empty - fall * fullest, floor)
    assert (found.typical_mhz, found.low_mhz, found.high_mhz) == pytest.approx((typical, low * typical, high * typical))
    assert f_max_of(use.with_compute_units(9999), family).typical_mhz == max(floor, empty - fall)


ARRAY = (
    "__kernel __attribute__((reqd_work_group_size(64, 1, 1)))\n"
    "void k(__global const float *restrict a, __global const int *restrict at, __global float *restrict b)\n"
    "{{ {0} float t[{1}]; const int l = get_local_id(0); t[l] = a[get_global_id(0)]; barrier(CLK_LOCAL_MEM_FENCE);\n"
    "  float s = 0; for (int i = 0; i < 8; i++) s += t[{2}]; b[get_global_id(0)] = s; }}\n"
)


@pytest.mark.parametrize(
    ("board", "space", "length", "index", "rams"),
    [
        # M20K of 20480 bits: 8192 words, twice for the next group: 25.6 blocks; 8 reads at once: 3 replicas.
        ("p385a", "__local", 8192, "at[i] & 8191", 26 * 3),
        # M10K: 51.2 blocks.
        ("de1soc", "__local", 8192, "at[i] & 8191", 52 * 3),
        # Eight neighbours: words of 256 bits; 40 fit into the width of a block.
        ("p385a", "__local", 256, "i", 7),
        # Private: of 432 items in flight: 172.8 blocks.
        ("p385a", "", 256, "at[i] & 255", 173),
        # Up to 64 bytes: registers; 2048 bits here.
        ("p385a", "", 64, "at[i] & 63", 0),
        ("p385a", "", 65, "at[i] & 63", 44),
    ],
)
def test_ram_blocks_of_an_array(board: str, space: str, length: int, index: str, rams: int) -> None:
    use = used(ARRAY.format(space, length, index).replace("for (", "\n#pragma unroll\nfor ("), board)
    (found,) = [p.amounts.rams for p in use.parts if "array t" in part_text(p.of)[0]]
    assert found == rams
