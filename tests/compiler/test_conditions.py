"""Pairs of kernels that differ in the one condition that decides a unit."""

import pytest

from burstline_model.compiler.infer import infer
from burstline_model.compiler.lsu_rules.rulebook import UNREFUTED
from burstline_server.words.assumptions import input_text
from burstline_server.words.units import why_text
from tests.assessing import assess

ITEMS = (
    "__attribute__((reqd_work_group_size(64, 1, 1)))\n"
    "__kernel void k(__global const float *x, __global {0}float *restrict z, int n)\n"
    "{{ const int i = get_global_id(0); {1} }}\n"
)
LANES = "__attribute__((num_simd_work_items(4)))\n"


def styles(text: str, op: str, family: str = "Stratix 10", version: str = "18.1") -> list[str]:
    """The styles of the units on the memory that do one thing, every row of the rules in force."""
    done = assess(text, device_family=family, aoc_version=version)
    (kernel,) = done.kernels
    return [u.style for u in infer(kernel.facts, done.target, UNREFUTED) if u.op == op]


@pytest.mark.parametrize(
    ("between", "within", "behind", "units"),
    [
        ("", "", "", 1),
        ("barrier(CLK_GLOBAL_MEM_FENCE);", "", "", 2),  # others may have changed it
        ("", "barrier(CLK_GLOBAL_MEM_FENCE);", "", 2),
        ("", "", "barrier(CLK_GLOBAL_MEM_FENCE);", 1),
    ],
)
def test_a_value_read_before_serves_a_loop_unless_a_barrier_comes_between(
    between: str, within: str, behind: str, units: int
) -> None:
    body = f"float s = x[i]; {between} for (int j = 0; j < n; j++) {{ if (j & 1) s += x[i] * j; {within} }} {behind}"
    assert len(styles(ITEMS.format("", f"{body} z[i] = s;"), "load")) == units


def test_lanes_an_unknown_number_of_elements_apart_share_no_unit() -> None:
    """Two copies lie side by side, four lanes lie n elements apart."""
    body = "float s = 0;\n#pragma unroll 2\nfor (int j = 0; j < 4096; j++) s += x[i * n + j]; z[i] = s;"
    (kernel,) = assess(LANES + ITEMS.format("", body)).kernels
    assert [u.count for u in kernel.lsus if u.op == "load"] in ([4], [8])


@pytest.mark.parametrize(("start", "aligned"), [("n", False), ("get_local_size(0) * n", True)])
def test_a_start_at_whole_work_groups_is_aligned(start: str, aligned: bool) -> None:
    (style,) = styles(LANES + ITEMS.format("", f"z[i] = x[i + {start}];"), "load")
    assert ("non-aligned" not in style) == aligned


@pytest.mark.parametrize(
    ("volatile", "body", "streaming"),
    [
        ("", "z[i] = 1.0f;", True),
        ("", "if (n > 3) z[i] = 1.0f;", False),
        ("", "for (int j = 0; j < n; j++) z[i] = j;", False),
        ("volatile ", "z[i] = 1.0f;", False),
    ],
)
def test_work_items_stream_unconditional_stores_up_to_17_1(volatile: str, body: str, streaming: bool) -> None:
    assert (styles(ITEMS.format(volatile, body), "store", "Arria 10", "17.1") == ["Streaming"]) == streaming


@pytest.mark.parametrize(("family", "kept"), [("Cyclone V", True), ("Stratix V", True), ("Arria 10", False)])
def test_work_items_stream_in_the_standard_edition_as_before(family: str, kept: bool) -> None:
    for body, streaming in (("z[i] = x[i];", kept), ("if (i >= n) return; z[i] = x[i];", False)):
        text = ITEMS.format("", body)
        for op in ("load", "store"):
            assert (styles(text, op, family, "18.1") == ["Streaming"]) == streaming


@pytest.mark.parametrize("pointer", ["const float *restrict", "const float *", "float *"])
@pytest.mark.parametrize(
    ("place", "cached"),
    [
        ("j", True),
        ("get_global_id(1) * n + j", True),
        ("i * n + j", False),
        ("(get_global_id(1) * n + i) * n + j", False),
    ],
)
def test_range_that_work_items_share_is_cached(place: str, cached: bool, pointer: str) -> None:
    """Whether or not the pointer is restrict: reports of 18.1 say so in the area view alone."""
    text = (
        f"__kernel void k(__global {pointer} x, __global float *restrict z, int n)\n"
        f"{{ int i = get_global_id(0); float s = 0; for (int j = 0; j < n; j++) s += x[{place}]; z[i] = s; }}"
    )
    (style,) = styles(text, "load", "Cyclone V", "18.1")
    assert ("cached" in style) == cached


@pytest.mark.parametrize(("index", "cached"), [("j", True), ("4 * j + i", True), ("j + n", False), ("n * j", False)])
def test_places_read_again_are_cached_at_strides_that_the_text_fixes(index: str, cached: bool) -> None:
    text = (
        "__kernel void k(__global const float *restrict x, __global float *restrict z, int n)\n{\n"
        "    for (int i = 0; i < n; i++) {\n        float s = 0;\n        for (int r = 0; r < n; r++)\n"
        f"            for (int j = 0; j < n; j++) s += x[{index}];\n        z[i] = s;\n    }}\n}}\n"
    )
    (style,) = styles(text, "load", version="19.4")
    assert ("cached" in style) == cached


@pytest.mark.parametrize(("index", "acknowledged"), [("j", True), ("64 * r + j", False)])
def test_a_store_is_acknowledged_where_a_later_round_of_an_outer_loop_reads_it(index: str, acknowledged: bool) -> None:
    text = (
        "__kernel void k(__global float *restrict y, int n)\n{\n    for (int r = 0; r < n; r++)\n"
        f"        for (int j = 0; j < 64; j++) y[{index}] = y[{index}] + 1.0f;\n}}\n"
    )
    (style,) = styles(text, "store", "Arria 10", "17.1")
    assert ("write-ack" in style) == acknowledged


@pytest.mark.parametrize(("between", "units"), [("", 1), ("z[i] = y[2 * i];", 2)])
def test_neighbours_are_written_together_unless_one_is_read_in_between(between: str, units: int) -> None:
    text = (
        "__kernel void k(__global int *restrict y, __global int *restrict z)\n"
        f"{{ const int i = get_global_id(0); y[2 * i] = 1; {between} y[2 * i + 1] = 2; }}\n"
    )
    (kernel,) = assess(text, device_family="Stratix 10", aoc_version="19.4").kernels
    pointers = [kernel.facts.accesses[u.members[0]].pointer for u in kernel.lsus if u.op == "store"]
    assert pointers.count("y") == units


@pytest.mark.parametrize(
    ("read", "acknowledged"), [("y[2 * i + 1]", False), ("y[2 * i + 1] + y[3 * i]", True), ("y[3 * i]", True)]
)
def test_a_store_is_acknowledged_where_a_load_behind_it_may_meet_it(read: str, acknowledged: bool) -> None:
    """Odd elements never do."""
    text = (
        "__kernel void k(__global int *restrict y, __global int *restrict z, int n)\n"
        f"{{ for (int i = 0; i < n; i++) {{ y[2 * i] = 1; z[i] = {read}; }} }}\n"
    )
    assert ("write-ack" in styles(text, "store", "Arria 10", "17.1")[0]) == acknowledged


@pytest.mark.parametrize(("place", "acknowledged"), [(2, True), (4, False)])
def test_bytes_of_a_wider_store_meet_a_narrow_load(place: int, acknowledged: bool) -> None:
    text = (
        "__kernel void k(__global char *restrict y, __global char *restrict z)\n"
        "{ const int i = get_global_id(0); *(__global int *)(y + 64 * i) = 7;"
        f" z[i] = y[64 * i + {place}]; }}\n"
    )
    assert ("write-ack" in styles(text, "store", "Arria 10", "17.1")[0]) == acknowledged


def test_copies_between_those_of_a_wider_step_share_its_unit() -> None:
    """Elements 0, 5, 10, 15; 1 to 4; 11 to 14: no gap of more than five."""
    text = (
        "__kernel void k(__global const float *restrict x, __global float *restrict z, int n)\n{\n"
        "    for (int i = 0; i < n; i++) {\n        float s = 0;\n        #pragma unroll\n"
        "        for (int j = 0; j < 4; j++) s += x[64 * i + 5 * j] + x[64 * i + j + 1] + x[64 * i + j + 11];\n"
        "        z[i] = s;\n    }\n}\n"
    )
    assert len(styles(text, "load")) == 1


@pytest.mark.parametrize(("settings", "shown"), [({}, []), ({"assumed_trips": 7}, ["7"])])
def test_trips_are_an_assumption_only_where_they_are_assumed(settings: dict[str, int], shown: list[str]) -> None:
    (kernel,) = assess(ITEMS.format("", "for (int j = 0; j < n; j++) z[j] = x[j];"), **settings).kernels
    assert [
        value for name, value in (input_text(a.of) for a in kernel.estimate.assumptions) if name == "trips not known"
    ] == shown


def test_time_of_an_item_in_the_papers_mode() -> None:
    """DDR4-1866, two units of four bytes: twice 480 MHz times four bytes a second each (M21 Eq. 6)."""
    (kernel,) = assess(ITEMS.format("", "z[i] = x[i];"), mode="faithful", board="s10gx_ddr4_1866").kernels
    assert [u.time_item_s for u in kernel.estimate.units] == [pytest.approx(4 / (2 * 480e6 * 4))] * 2


@pytest.mark.parametrize(("family", "version"), [("Arria 10", "17.1"), ("Cyclone V", "18.1")])
@pytest.mark.parametrize(("pitch", "acknowledged"), [("pitch", True), ("64", False)])
def test_rows_whose_pitch_the_host_gives_may_overlap(pitch: str, acknowledged: bool, family: str, version: str) -> None:
    text = (
        "__kernel void k(__global float *restrict z, int rows, int n, int pitch)\n"
        "{ for (int i = 0; i < rows; i++) for (int j = 0; j < n; j++)\n"
        f"    z[i * {pitch} + j] = z[i * {pitch} + j] + 1.0f; }}"
    )
    (style,) = styles(text, "store", family, version)
    assert ("write-ack" in style) == acknowledged


@pytest.mark.parametrize(("version", "style"), [("17.1", "Burst-coalesced write-ack"), ("19.3", "Burst-coalesced")])
def test_a_pair_of_stores_waits_for_a_load_of_any_place_behind_it(version: str, style: str) -> None:
    pair = "z[2 * i] = x[i]; z[2 * i + 1] = x[i + 1];"
    assert styles(ITEMS.format("", f"{pair} z[n + i] = z[(int)x[n - i]];"), "store", version=version)[0] == style
    assert "write-ack" not in styles(ITEMS.format("", pair), "store", version=version)[0]


@pytest.mark.parametrize(
    ("body", "confidence", "runner_up"),
    [
        ("z[i] = x[i];", "high", None),
        # A rule that one repository alone shows is off, and would make it cached.
        ("z[i] = x[get_group_id(0)];", "medium", "Burst-coalesced cached"),
        # Reports of SYCL designs show it as well as one repository.
        ("z[i] = x[i + 1];", "medium", "Burst-coalesced"),
        # Two repositories show that loads at places from memory are cached, and the guide states it.
        ("z[i] = x[(int)x[i]];", "medium", None),
        # A document alone states that loads which loaded values decide on are.
        ("z[i] = x[i] > 0 ? x[i + n] : 0;", "medium", "Burst-coalesced"),
    ],
)
def test_a_close_call_says_what_comes_closest(body: str, confidence: str, runner_up: str | None) -> None:
    (kernel,) = assess(ITEMS.format("", body), device_family="Arria 10", aoc_version="20.4").kernels
    last = [u for u in kernel.lsus if u.op == "load"][-1]
    assert (last.confidence, last.runner_up) == (confidence, runner_up)


@pytest.mark.parametrize(("call", "confidence"), [("sum(x, n)", "medium"), ("x[n]", "high")])
def test_a_close_call_asks_the_rules_in_the_code_as_well(call: str, confidence: str) -> None:
    """That helpers get no cache (17.1) is shown by one repository and is off: it makes what is in them less sure."""
    text = (
        "float sum(__global const float *restrict x, int n)\n"
        "{ float s = 0; for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) s += x[i * n + j]; return s; }\n"
        "__kernel void k(__global const float *restrict x, __global float *restrict z, int n)\n"
        f"{{ for (int m = 0; m < n; m++) z[m] = {call}; }}"
    )
    (kernel,) = assess(text, device_family="Arria 10", aoc_version="17.1").kernels
    (load,) = [u for u in kernel.lsus if u.op == "load"]
    assert load.confidence == confidence
    if confidence == "medium":
        assert (load.style, load.runner_up) == ("Burst-coalesced cached", "Burst-coalesced")


@pytest.mark.parametrize(
    ("first", "loads"),
    [
        ("if (i == n && x[i] > 0) { z[0] = 1.0f; return; }", 2),  # its value decides about the second one
        ("if (i == n) { z[0] = x[i]; return; }", 1),
        ("if (x[i] > 0) { z[0] = 1.0f; return; }", 1),  # made by every item
        ("if (i < n && x[i] > 0 && x[i] < 9) { z[0] = 1.0f; return; }", 2),
    ],
)
def test_a_load_whose_value_decides_about_another_one_is_not_that_one(first: str, loads: int) -> None:
    body = f"{first} z[i + 1] = x[i];"
    assert len(styles(ITEMS.format("", body), "load", "Arria 10", "20.4")) == loads


TASK = (
    "__kernel void k(__global const float *restrict x, __global float *restrict z, int n) { int at = 0;\n"
    "for (int i = 0; i < n; i++) {\n#pragma unroll\nfor (int j = 0; j < 4; j++) { %s } } }"
)


@pytest.mark.parametrize(
    ("body", "version", "confidence"),
    [
        # Copies at a counter of the kernel's own may be neighbours.
        ("at = (5 * at + 3) % n; z[i] += x[at];", "19.4", "low"),
        ("z[i] += x[n * j + i];", "19.4", "high"),
        # Copies of a store may wait for each other, where compilers let stores wait.
        ("z[n * j + i] = x[i];", "18.1", "low"),
        ("z[n * j + i] = x[i];", "19.4", "high"),
    ],
)
def test_copies_that_the_text_does_not_keep_apart_are_not_sure(body: str, version: str, confidence: str) -> None:
    (kernel,) = assess(TASK % body, device_family="Stratix 10", aoc_version=version).kernels
    assert {u.confidence for u in kernel.lsus if u.count > 1} == {confidence}


@pytest.mark.parametrize(("version", "confidence"), [("16.1", "medium"), ("17.1", "high")])
def test_compilers_before_17_are_never_called_sure(version: str, confidence: str) -> None:
    done = assess(ITEMS.format("", "z[i] = x[i];"), device_family="Arria 10", aoc_version=version)
    assert [u.confidence for u in done.kernels[0].lsus if u.op == "store"] == [confidence]


@pytest.mark.parametrize(("version", "confidence"), [("16.1", "low"), ("17.1", "high")])
def test_copies_of_an_unrolled_loop_are_a_guess_before_17(version: str, confidence: str) -> None:
    body = "#pragma unroll\nfor (int k = 0; k < 4; k++) z[4 * i + k] = x[4 * i + k];"
    done = assess(ITEMS.format("", body), device_family="Arria 10", aoc_version=version)
    assert {u.confidence for u in done.kernels[0].lsus if u.op == "store"} == {confidence}


@pytest.mark.parametrize(("pairs", "confidence"), [(15, "high"), (16, "medium")])
def test_no_unit_of_a_kernel_of_many_accesses_is_sure(pairs: int, confidence: str) -> None:
    body = " ".join(f"z[n * {k} + i] = x[n * {k} + i];" for k in range(pairs))
    done = assess(ITEMS.format("", body), device_family="Arria 10", aoc_version="20.4")
    assert {u.confidence for u in done.kernels[0].lsus if u.op == "store"} == {confidence}


@pytest.mark.parametrize(
    ("family", "version", "units"),
    [("Stratix V", "14.1", 1), ("Stratix V", "16.1", 3), ("Arria 10", "19.4", 3), ("Arria 10", "20.4", 1)],
)
def test_neighbours_under_conditions_of_their_own_share_a_unit_but_from_16_to_19(
    family: str, version: str, units: int
) -> None:
    body = "int s = x[3 * i]; if (n > 1) s += x[3 * i + 1]; if (n > 2) s += x[3 * i + 2]; z[i] = s;"
    assert len(styles(ITEMS.format("", body), "load", family, version)) == units


@pytest.mark.parametrize(
    ("index", "style"), [("base + at[i]", "Burst-coalesced cached"), ("base + i", "Prefetching")]
)  # fmt: skip
def test_one_part_of_an_address_that_is_loaded_again_makes_a_gather(index: str, style: str) -> None:
    text = f"""
#pragma OPENCL EXTENSION cl_intel_channels : enable
channel float values;
__attribute__((max_global_work_dim(0)))
__kernel void send(__global const int *restrict start, __global const int *restrict at,
                   __global const float *restrict x, int n) {{
    const int base = start[0];
    for (int i = 0; i < n; i++) write_channel_intel(values, x[{index}] + at[i]);
}}
"""
    assert style in styles(text, "load", "Stratix V", "16.1")


def test_a_cache_in_a_nest_is_explained_by_its_loops() -> None:
    text = """
__attribute__((max_global_work_dim(0)))
__kernel void k(__global const float *restrict x, __global float *restrict y, int n, int width)
{
    for (int row = 0; row < n; row++)
        for (int column = 0; column < width; column++)
            y[row * width + column] = x[row * width + column];
}
"""
    (kernel,) = assess(text).kernels
    (load,) = [u.lsu for u in kernel.estimate.units if u.lsu.op == "load"]
    assert load.style == "Burst-coalesced cached"
    assert "row and column around it are not unrolled" in " ".join(why_text(reason.why) for reason in load.reasons)
