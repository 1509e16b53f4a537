"""M21's equations from kernel text, against values worked out by hand from the printed equations and parameters."""

import pytest

from tests.assessing import assess

ITEMS = 1 << 24
DDR4_1866, DDR4_2666, HBM2 = "s10gx_ddr4_1866", "s10gx_ddr4_2666", "s10mx_hbm2"
LOADS = "__global const {0} *restrict x, __global const {0} *restrict y, __global const {0} *restrict u, " \
    "__global const {0} *restrict v, __global {0} *restrict z"  # fmt: skip
CHANNELS = {"x": 0, "y": 1, "u": 2, "v": 3, "z": 4}


def milliseconds(board: str, statement: str, *, lanes: int = 16, element: str = "float", apart: bool = True) -> float:
    """The faithful time of one statement for each of 2^24 work-items, on HBM2 with a channel for each pointer."""
    simd = f"__attribute__((num_simd_work_items({lanes})))\n" if lanes > 1 else ""
    text = (
        f"__attribute__((reqd_work_group_size(256, 1, 1)))\n{simd}"
        f"__kernel void k({LOADS.format(element)}, __global const int *restrict place)\n"
        f"{{ const int i = get_global_id(0); {statement} }}\n"
    )
    banks = {**CHANNELS, "place": 5} if board == HBM2 and apart else {}
    (kernel,) = assess(text, board=board, mode="faithful", global_size=[ITEMS], banks=banks).kernels
    assert kernel.estimate.time_s is not None
    return kernel.estimate.time_s * 1e3


@pytest.mark.parametrize(
    ("statement", "options", "by_hand"),
    [
        ("z[i] = x[i];", {}, (8.988, 6.292, 5.243)),
        ("z[i] = x[i] + y[i] + u[i] + v[i];", {}, (26.89, 20.15, 5.243)),
        ("z[i] = x[3 * i];", {}, (17.98, 12.58, 15.73)),
        ("z[3 * i + 1] = x[3 * i + 1];", {}, (26.96, 18.87, 15.73)),
        ("z[2 * i] = x[i];", {}, (13.48, 9.437, 41.94)),
        ("z[i] = x[5 * i + 1] + y[5 * i + 1];", {}, (94.56, 79.73, 26.21)),
        ("z[i] = x[7 * i + 1] + y[7 * i + 1];", {}, (155.0, 134.8, 36.7)),
        ("z[i] = x[4 * i] + y[4 * i];", {}, (48.41, 46.06, 74.57)),
        ("z[i] = x[i];", {"lanes": 1, "element": "float4"}, (35.95, 34.95, 37.28)),
        ("z[i] = x[i] + y[i];", {"lanes": 8, "element": "double"}, (32.27, 24.18, 10.49)),
        ("z[i] = x[i];", {"element": "uchar"}, (2.247, 2.185, 2.330)),
    ],
)
def test_values_by_hand(statement: str, options: dict[str, object], by_hand: tuple[float, float, float]) -> None:
    for board, expected in zip((DDR4_1866, DDR4_2666, HBM2), by_hand, strict=True):
        assert milliseconds(board, statement, **options) == pytest.approx(expected, rel=1e-3), board  # type: ignore[arg-type]


def test_three_units_in_one_pseudo_channel_open_rows_for_each_burst_of_1024_bytes() -> None:
    ideal_s = 4 * ITEMS / 12.8e9
    rows_s = 4 * ITEMS / 1024 * 28e-9
    time = milliseconds(HBM2, "z[i] = x[i] + y[i];", apart=False)
    assert time == pytest.approx(3 * (ideal_s + rows_s) * 1e3, rel=1e-3)


def test_a_write_ack_unit_pays_a_word_and_the_write_recovery_for_each_element() -> None:
    """Four lanes load and store at random: eight units, T_row = T_RCD + T_RP + T_WR (Eq. 13), and the index as read."""
    word, page, row_s, bandwidth = 64, 2048, 42e-9, 14.9328e9
    scattered_s = 2 * ITEMS * word * (1 / bandwidth + row_s / page)
    index_s = ITEMS * 4 * (1 / bandwidth + 27e-9 / page)
    time = milliseconds(DDR4_1866, "z[place[i]] = x[place[i]];", lanes=4)
    assert time == pytest.approx((scattered_s + index_s) * 1e3, rel=1e-3)


def test_a_burst_is_a_memory_word_at_least() -> None:
    """Lanes 17 elements apart: each element its own word, and its own row."""
    word_s = 64 / 14.9328e9 + 27e-9
    time = milliseconds(DDR4_1866, "z[i] = x[17 * i + 1];", lanes=16)
    words_s = time / 1e3 - ITEMS * 4 * (1 / 14.9328e9 + 27e-9 / 2048)
    assert words_s / ITEMS >= word_s


@pytest.mark.parametrize(("stride", "units"), [(5, 1), (6, 1), (7, 1), (8, 1), (16, 1), (17, 16)])
def test_one_access_has_one_unit_while_lanes_touch_neighbouring_words(stride: int, units: int) -> None:
    text = (
        "__attribute__((num_simd_work_items(16))) __attribute__((reqd_work_group_size(256, 1, 1)))\n"
        "__kernel void k(__global const float *restrict x, __global float *restrict z)\n"
        f"{{ const int i = get_global_id(0); z[i] = x[{stride} * i + 1]; }}\n"
    )
    (kernel,) = assess(text, mode="faithful").kernels
    assert [u.count for u in kernel.lsus if u.op == "load"] == [units]


def test_a_counter_that_starts_over_is_no_data_dependent_address() -> None:
    text = (
        "__kernel void k(__global const float *restrict x, __global float *restrict z, const int n)\n"
        "{ int c = 0; int row = 0; for (int s = 0; s < n; s++) { z[row + c] = x[row + c]; c = (c + 1) & 1023;\n"
        "  if (c == 0) row += 1024; } }\n"
    )
    (kernel,) = assess(text, mode="faithful").kernels
    assert not [u.style for u in kernel.lsus if "write-ack" in u.style]


def test_an_address_from_a_long_table_is_data_dependent() -> None:
    numbers = ", ".join(str(n * 1237 % 2048) for n in range(2048))
    text = (
        "__kernel void k(__global const float *restrict x, __global float *restrict z)\n"
        f"{{ const int t[2048] = {{{numbers}}}; const int i = t[get_global_id(0) & 2047]; z[i] = x[i]; }}\n"
    )
    (kernel,) = assess(text, mode="faithful").kernels
    assert {u.style for u in kernel.lsus if u.space == "global"} == {"Burst-coalesced write-ack"}
