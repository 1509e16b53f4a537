"""Loops as compilers of different versions build them, from source text: unrolled unasked, coalesced, in doubles."""

from __future__ import annotations

import pytest

from burstline_model.body_operations import StepCount
from burstline_model.pipeline.latencies import operation_table
from burstline_server.diagnostics.catalogue import findings_of
from burstline_server.presentation.cards import kernel_card
from burstline_server.words.findings import message_text
from burstline_server.words.verdict import lever_lines
from tests.assessing import assess

FLOATS = "__kernel void k(__global const float *restrict x, __global float *restrict y, int n)\n"
DOUBLES = FLOATS.replace("float", "double")
HALVES = FLOATS.replace("float", "half")
ROW = FLOATS + "{ for (int r = 0; r < n; r++) for (int j = 0; j < 8; j++) y[8 * r + j] = 2.0f * x[8 * r + j]; }"


def intervals(text: str, version: str, family: str = "Stratix 10") -> list[float | None]:
    """The intervals of a kernel's loops."""
    return [one.ii for one in assess(text, device_family=family, aoc_version=version).kernels[0].estimate.loops]


@pytest.mark.parametrize(
    ("version", "left", "bits"), [("17.1", [1, None], 256), ("18.1", [1, None], 256), ("19.2", [1, 1], 32)]
)
@pytest.mark.parametrize("family", ["Arria 10", "Stratix 10"])
def test_short_loops_are_unrolled_unasked_before_19(
    version: str, left: list[float | None], bits: int, family: str
) -> None:
    kernel = assess(ROW, device_family=family, aoc_version=version).kernels[0]
    assert [one.ii for one in kernel.estimate.loops] == left
    assert {unit.width_bits for unit in kernel.lsus} == {bits}


def test_short_loops_are_unrolled_by_the_standard_edition() -> None:
    assert intervals(ROW, "19.1", "Cyclone V") == intervals(ROW, "18.1", "Cyclone V") == [1, None]


POOLED = (
    FLOATS
    + """{
    for (int r = 0; r < n; r++) {
        float most = 0.0f;
        for (int a = 0; a < 2; a++)
            for (int c = 0; c < 1; c++) {
                float sum = 0.0f;
                #pragma unroll 1
                for (int k = 0; k < 3; k++)
                    for (int j = 0; j < 3; j++)
                        sum += x[r + a + c + n * k + j];
                most = max(most, sum);
            }
        y[r] = most;
    }
}"""
)


def test_a_loop_of_one_trip_does_not_hide_the_loop_in_it() -> None:
    """A build that names what it unrolls unasked (Cyclone V) names the innermost loop of such a nest alone."""
    kernel = assess(POOLED, device_family="Cyclone V", aoc_version="18.1").kernels[0]
    assert [one.ii is None for one in kernel.estimate.loops] == [False, False, True, False, True]
    bare = assess(POOLED.replace("#pragma unroll 1", ""), device_family="Cyclone V", aoc_version="18.1").kernels[0]
    assert [one.ii is None for one in bare.estimate.loops] == [False, True, True, True, True]


def test_a_pragma_unrolls_whatever_the_version() -> None:
    asked = ROW.replace("for (int j", "\n#pragma unroll\nfor (int j")
    assert intervals(asked, "19.4") == intervals(asked, "18.1") == [1, None]


def test_rolled_short_loop_takes_its_iterations() -> None:
    """What is not unrolled takes a cycle an iteration: eight times as many as before."""
    ends = {}
    for version in ("18.1", "19.4"):
        kernel = assess(ROW, device_family="Stratix 10", aoc_version=version, arguments={"n": 1 << 20}).kernels[0]
        assert kernel.estimate.time_s is not None
        ends[version] = kernel.estimate.time_s
    assert ends["19.4"] > 2 * ends["18.1"]


def test_doubles_add_slowly_on_stratix_10() -> None:
    """The reports: 30 around one addition, 86 around three, 3 where twelve sums take turns."""
    one = DOUBLES + "{ double s = 0.0; for (int i = 0; i < n; i++) s += x[i] * x[i + 1]; y[0] = s; }"
    three = DOUBLES + (
        "{ double s = 0.0; for (int i = 0; i < n; i++) { s += x[i]; s += x[i + 7]; s += x[i + 9]; } y[0] = s; }"
    )
    turns = DOUBLES + (
        "{ double s[12], all = 0.0;\nfor (int i = 0; i < 12; i++) s[i] = 0.0;\n"
        "for (int i = 0; i < n; i++) { double now = s[11] + x[i];\n#pragma unroll\n"
        "for (int j = 11; j > 0; j--) s[j] = s[j - 1];\ns[0] = now; }\n"
        "#pragma unroll\nfor (int i = 0; i < 12; i++) all += s[i];\ny[0] = all; }"
    )
    assert intervals(one, "20.2") == [30]
    assert intervals(three, "20.2") == [86]
    assert intervals(turns, "20.2") == [1, 3, None, None]
    assert intervals(one.replace("double", "float"), "20.2") == [1]


def test_doubles_are_known_from_one_repository() -> None:
    known, held_out = operation_table("Stratix 10"), operation_table("Stratix 10", without="MartinKarp/Nekbone")
    assert held_out.latency("double add") == operation_table("Arria 10").latency("double add")
    assert held_out.latency("double add") < known.latency("double add")
    assert held_out.latency("float add") == known.latency("float add")
    assert known.around([StepCount(operation="float add", loops=(), count=1)]) == known.feedback


NEST = (
    DOUBLES
    + """{ double tile[64];
for (int b = 0; b < n; b++) {
#pragma loop_coalesce LEVELS
for (int k = 0; k < 8; k++) { for (int j = 0; j < 8; j++) {
  double s = 0.0; BEFORE
  for (int l = 0; l < 8; l++) s += x[b + 8 * k + l] * x[b + 8 * l + j];
  AFTER
} }
for (int e = 0; e < 64; e++) y[64 * b + e] = tile[e]; } }"""
)


def nest(*, before: str = "", after: str = "tile[8 * k + j] = s;", levels: str = "") -> str:
    """A product of two matrices by blocks; its nest is coalesced."""
    return NEST.replace("BEFORE", before).replace("AFTER", after).replace("LEVELS", levels)


def test_nests_are_coalesced_down_to_the_first_loop_that_stores_next_to_an_inner_one() -> None:
    """The report (20.2): k and j become one loop, and l, behind which they store, is kept apart."""
    assert intervals(nest(), "20.2") == [1, 1, None, 30, 1]
    assert intervals(nest(levels="3"), "20.2") == [1, 1, None, 30, 1]
    assert intervals(nest(before="tile[0] = s;", after="tile[8 * k + j] = s;"), "20.2") == [1, 1, None, 30, 1]


def test_what_is_not_stored_on_the_way_leaves_a_nest_whole() -> None:
    kept = nest(after="if (s > 1.0) hits++; ").replace("double tile[64];", "double tile[64]; int hits = 0;")
    kept = kept.replace("= tile[e]", "= tile[e] + hits")
    assert intervals(kept, "20.2")[1:4] == [30, None, None]


def test_a_store_behind_the_inner_loop_is_taken_in_by_17_1() -> None:
    """The report (17.1): a nest whose inner loop sums up what is stored behind it is one loop."""
    floats = FLOATS + (
        "{\n#pragma loop_coalesce 2\nfor (int i = 0; i < n; i++) { float s = 0.0f;\n#pragma unroll 1\n"
        "for (int j = 0; j < 10; j++) s += x[j] * x[j]; y[i] = s; } }"
    )
    assert intervals(floats, "17.1", "Arria 10") == [4, None]
    assert intervals(floats, "19.4", "Arria 10") == [1, 1]


@pytest.mark.parametrize(
    ("family", "version", "cycles"),
    [("Cyclone V", "16.1", 14), ("Cyclone V", "17.0", 2), ("Arria 10", "17.1", 2), ("Stratix 10", "19.4", 2)],
)
def test_a_count_in_local_memory_takes_two_cycles_since_17(family: str, version: str, cycles: int) -> None:
    """The reports: a cycle for the load, and one for the store."""
    text = FLOATS + (
        "{ __local int bins[256]; for (int i = 0; i < 256; i++) bins[i] = 0;\n"
        "for (int i = 0; i < n; i++) bins[(int)x[i] & 255]++;\n"
        "for (int i = 0; i < 256; i++) y[i] = bins[i]; }"
    )
    assert intervals(text, version, family) == [1, cycles, 1]


def test_halves_are_converted_around_a_sum_of_floats() -> None:
    """The reports (Cyclone V, 18.0 and 18.1): the loop waits for both conversions, too."""
    plain = HALVES + "{ float s = 0.0f; for (int i = 0; i < n; i++) s += vload_half(i, x); vstore_half(s, 0, y); }"
    narrow = plain.replace("float s", "half s")
    assert intervals(plain, "18.0", "Cyclone V") == [4]
    assert intervals(narrow, "18.0", "Cyclone V") == [18]
    whole = HALVES + "{ half s = 0; for (int i = 0; i < n; i++) s += x[i]; y[0] = s; }"
    assert intervals(whole, "18.0", "Cyclone V") == [4]


@pytest.mark.parametrize(
    ("family", "version", "cycles"),
    [("Stratix 10", "18.1", [49, 5]), ("Stratix 10", "19.2", [49, 5]), ("Stratix 10", "19.4", [81, 6])],
)
def test_copies_of_a_product_sum_add_up_one_by_one(family: str, version: str, cycles: list[int]) -> None:
    """The reports (Stratix 10): an addition takes three cycles up to 19.2, five in 19.4; products are made ahead."""
    copies = "float s = 1.0f; for (int i = 0; i < n; i++) {\n#pragma unroll\nfor (int k = 0; k < 16; k++)\n"
    found = [
        intervals(FLOATS + f"{{ {text} s += x[16 * i] * x[16 * i + 7]; {end} y[0] = s; }}", version, family)
        for text, end in ((copies, "}"), ("float s = 1.0f; for (int i = 0; i < n; i++)", ""))
    ]
    assert [one[0] for one in found] == cycles


@pytest.mark.parametrize(
    ("family", "version", "cycles"), [("Stratix 10", "19.2", 14), ("Arria 10", "19.4", 12), ("Arria 10", "16.1", 16)]
)
@pytest.mark.parametrize(
    "update",
    [
        "s += x[i] * x[i + 7]",
        "s = (char)((float)s + x[i] * x[i + 7])",
        "s = convert_char(convert_float(s) + x[i] * x[i + 7])",
    ],
)
def test_a_sum_kept_in_an_integer_is_converted_twice(family: str, version: str, cycles: int, update: str) -> None:
    """The report (Stratix 10, 19.2): 6 cycles to a float, 4 for the sum, 3 back; the loop has II 17."""
    text = FLOATS + f"{{ char s = 0; for (int i = 0; i < n; i++) {update}; y[0] = s; }}"
    assert intervals(text, version, family) == [cycles]


def test_a_sum_of_doubles_waits_as_long_as_the_vendor_guide_says() -> None:
    """The guide's own example, of no family: 11 cycles. A report of it (Arria 10, 21.1) has 10."""
    text = DOUBLES + "{ double s = 0; for (int i = 0; i < n; i++) s += x[i]; y[0] = s; }"
    assert intervals(text, "16.1", "Stratix V") == [11]
    assert intervals(text, "21.1", "Arria 10") == [10]
    left_out = operation_table("Arria 10", without="JoeRock1298/TFM")
    assert left_out.latency("double add") == operation_table("Stratix V").latency("double add")


@pytest.mark.parametrize("version", ["16.1", "17.1"])
def test_a_generator_of_random_numbers_waits_for_its_product(version: str) -> None:
    """The reports (Arria 10, 16.1): three cycles, nine tenths of them the multiplication."""
    head = "__kernel void k(__global uint *restrict y, uint n, uint a, uint c)\n"
    text = head + "{ uint s = n; for (uint i = 0; i < n; i++) { s = a * s + c; y[i] = s; } }"
    assert intervals(text, version, "Arria 10") == [3]
    helper = "uint next(uint *s, uint a, uint c) { *s = a * *s + c; return *s / 7u; }\n"
    nest = "for (uint r = 0; r < n; r++) { y[r] = next(&s, a, c); for (uint i = 0; i < n; i++) y[i] = next(&s, a, c); }"
    assert intervals(f"{helper}{head}{{ uint s = n; {nest} y[n] = s; }}", version, "Arria 10") == [1, 3]


def test_what_is_converted_before_it_is_added_does_not_come_back() -> None:
    text = FLOATS + "{ int s = 0; for (int i = 0; i < n; i++) s += (int)x[i]; y[0] = s; }"
    assert intervals(text, "19.2", "Stratix 10") == [1]


@pytest.mark.parametrize(
    ("body", "interval"),
    [
        ("for (int i = 0; i < n; i++) { if (x[i] < 0.0f) break; y[i] = x[i]; }", 144 + 5),
        ("int i = 0; while (x[i] > 0.0f) { y[i] = 1.0f; i++; }", 144 + 5),
        ("int f = 0; for (int i = 0; i < n && !f; i++) { f = x[i] > 2.0f; y[i] = 1.0f; }", 144 + 5),
        ("int f = 0; for (int i = 0; i < n && !f; i++) f = x[(int)x[i]] > 2.0f; y[0] = f;", 2 * 160 + 7),
        ("for (int i = 0; i < n; i++) { y[i] = i; if (y[i] > 9.0f) break; }", 1),  # it knows what it has stored
        ("for (int i = 0; i < (int)x[0]; i++) y[i] = 1.0f;", 1),  # loaded once, before the loop
        ("for (int i = 0; i < n; i++) { switch (i) { case 3: break; default: y[i] = x[i]; } }", 1),
    ],
)
def test_a_loop_that_a_loaded_value_ends_waits_for_it(body: str, interval: int) -> None:
    """Two reports (Arria 10, 19.4 and 20.4): II 134 of a loop that one load ends, 413 of one that three in a row do.

    A load takes 127 + 1 cycles, and 16 for each other unit of the kernel; the condition 2 more for each, and 3.
    """
    assert intervals(f"{FLOATS}{{ {body} }}", "19.4", "Arria 10") == [interval]
    (older,) = intervals(f"{FLOATS}{{ {body} }}", "17.1", "Arria 10")
    assert older is not None
    assert (older > 100) == (interval > 100)


def test_rows_that_copies_shift_apart_are_no_longer_chain() -> None:
    """A report (Cyclone V, 16.1): II 1 of four sums, each in a row of six registers of its own."""
    text = (
        FLOATS
        + """{ float s[4][6];
for (int l = 0; l < 4; l++) for (int p = 0; p < 6; p++) s[l][p] = 0.0f;
for (int i = 0; i < n; i++) {
#pragma unroll
  for (int l = 0; l < 4; l++) {
    float t = s[l][5] + x[4 * i + l];
#pragma unroll
    for (int p = 5; p > 0; p--) s[l][p] = s[l][p - 1];
    s[l][0] = t; } }
for (int l = 0; l < 4; l++) for (int p = 0; p < 6; p++) y[l] += s[l][p]; }"""
    )
    assert next(ii for ii in intervals(text, "16.1", "Cyclone V") if ii is not None) == 1


TURNED = """__attribute__((max_global_work_dim(0)))
__kernel void turned(__global const float *restrict x, __global float *restrict y, int n)
{{
    {pragma}
    for (int r = 0; r < n; r++) {{
        float row[512];
        for (int i = 0; i < 512; i++) row[i] = x[512 * r + i];
        for (int i = 0; i < 512; i++) y[512 * r + i] = row[511 - i] * 2.0f;
    }}
}}
"""


def test_a_pragma_for_one_iteration_at_a_time_keeps_its_loops_from_overlapping() -> None:
    """Two loops of 512 iterations in each of 10 000: one after the other they take 10.2 million cycles, else half."""

    def cycles(pragma: str) -> float:
        (kernel,) = assess(TURNED.format(pragma=pragma), board="p520", f_max_mhz=100, arguments={"n": 10_000}).kernels
        return (kernel.estimate.time_s or 0.0) * 100e6

    assert cycles("") == pytest.approx(5.12e6, rel=0.05)
    assert cycles("#pragma max_concurrency 4") == pytest.approx(5.12e6, rel=0.05)
    assert cycles("#pragma max_concurrency 1") == pytest.approx(10.24e6, rel=0.05)
    done = assess(
        TURNED.format(pragma="#pragma max_concurrency 1"), board="p520", f_max_mhz=100, arguments={"n": 10_000}
    )
    first = lever_lines(done.kernels[0], 1)[0]
    assert first.startswith("raise #pragma max_concurrency")
    assert first.endswith("106 ms → 51.2 ms")  # with an answer of the memory in each
    assert any("#pragma max_concurrency 1" in message_text(f) for f in findings_of(done) if f.code == "BL401")


def test_banks_lie_at_any_bits_of_the_address() -> None:
    """Vendor reports 18.1 and 19.4: 16 banks by bits 8 to 11, 9 to 12, 10 to 13 of an array, all free of stalls."""
    text = (
        FLOATS
        + """{
    local float tile[4096];
    for (int i = 0; i < n; i++) {
        #pragma unroll
        for (int m = 0; m < 16; m++)
            tile[(16 * (i >> 6 & 3) + m) * 64 + (i & 63)] = x[16 * i + m];
    }
    for (int i = 0; i < n; i++) y[i] = tile[i & 4095];
}"""
    )
    assert [one for one in intervals(text, "18.1") if one is not None] == [1, 1]


DIGITS = """
__attribute__((max_global_work_dim(0)))
__kernel void digits(__global const uint *restrict keys, __global uint *restrict counts, int n)
{
    for (int i = 0; i < n; i++) {
        %s
        for (int d = 0; d < 8; d++)
            counts[16 * d + ((keys[i] >> 4 * d) & 15)]++;
    }
}
"""


@pytest.mark.parametrize(
    ("pragma", "version", "said"),
    [("", "18.1", True), ("", "19.4", False), ("#pragma unroll", "18.1", False), ("#pragma unroll 1", "18.1", False)],
)
def test_it_is_said_that_a_loop_is_unrolled_without_a_pragma(pragma: str, version: str, *, said: bool) -> None:
    assessment = assess(DIGITS % pragma, aoc_version=version, arguments={"n": 1024})
    details = kernel_card(assessment, assessment.kernels[0]).details
    doubts = [one.text for one in details if one.topic == "doubt"]
    text = (
        "the loop on line 7 counts as unrolled, as aoc 18.1 builds it without a pragma (19.0 and later do not): "
        "#pragma unroll or #pragma unroll 1 settles it"
    )
    assert (text in doubts) == said
    assert len(doubts) == said


@pytest.mark.parametrize(("version", "outer"), [("15.0", 2), ("16.0", 2), ("16.1", 1), ("18.1", 1)])
@pytest.mark.parametrize("family", ["Stratix V", "Cyclone V"])
def test_compilers_before_16_1_begin_loops_around_others_every_other_cycle(
    family: str, version: str, outer: int
) -> None:
    rolled = "for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) y[i * n + j] = x[i * n + j];"
    assert intervals(f"{FLOATS}{{ {rolled} }}", version, family) == [outer, 1]
    unrolled = (
        "for (int i = 0; i < n; i++)\n{\n#pragma unroll\nfor (int j = 0; j < 4; j++) y[i * 4 + j] = x[i * 4 + j]; }"
    )
    assert intervals(f"{FLOATS}{{ {unrolled} }}", version, family)[0] == 1


def test_sums_and_maxima_on_cyclone_v_take_as_long_under_15_1_as_from_18_0_on() -> None:
    """A compiled kernel of 15.1 lists 3 for the maximum of an array and 4 for a sum."""
    text = FLOATS + "{ float m = x[0]; float s = 0.0f;\n for (int i = 1; i < n; i++) m = m > x[i] ? m : x[i];\n"
    text += "for (int i = 0; i < n; i++) { float e = exp(x[i] - m); s += e; y[i] = e; } y[0] = s; }"
    assert intervals(text, "15.1", "Cyclone V") == [3, 4] == intervals(text, "18.0", "Cyclone V")
