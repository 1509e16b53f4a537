"""Initiation intervals and dependence classes, from source text."""

from __future__ import annotations

from pathlib import Path

import pytest

from burstline_model.pipeline.dependence import classes, dependences
from burstline_server.diagnostics.catalogue import findings_of
from burstline_server.presentation.card_text import plain
from burstline_server.presentation.cards import kernel_card
from burstline_server.presentation.report_build import file_report
from tests.assessing import assess

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
HEAD = "__kernel void k(__global const float *restrict x, __global float *restrict y, int n)\n"


def interval(body: str, family: str = "Stratix 10", version: str = "19.4", **more: object) -> list[float | None]:
    """The intervals of a kernel's loops."""
    done = assess(HEAD + body, device_family=family, aoc_version=version, **more)
    return [one.ii for one in done.kernels[0].estimate.loops]


SUM = "{ float s = 0.0f; for (int i = 0; i < n; i++) s += x[i]; y[0] = s; }"
EIGHT = "{ float s = 0.0f;\n#pragma unroll 8\nfor (int i = 0; i < n; i++) s += x[i];\ny[0] = s; }"
TURNS = """{ int s[8]; for (int i = 0; i < 8; i++) s[i] = 0;
#pragma unroll COPIES
for (int i = 0; i < n; i++) s[i & 7] += (int)x[i];
for (int i = 0; i < 8; i++) y[i] = s[i]; }"""
THREE = "{ float s = 0.0f; for (int i = 0; i < n; i++) { s += x[i]; s += 2.0f * x[i]; s += x[i + 1]; } y[0] = s; }"


@pytest.mark.parametrize(
    ("body", "family", "version", "expected"),
    [
        # Reports: a float added to in every iteration goes through a hard block on the newer families, 6 cycles on CV.
        (SUM, "Cyclone V", "16.1", 6),
        (SUM, "Arria 10", "17.1", 1),
        (SUM, "Stratix 10", "19.4", 1),
        # Eight adds, one after the other: 41 in the report.
        (EIGHT, "Stratix 10", "19.4", 41),
        # Two adds, and between them that of a product, which takes a cycle more: 13 in the report.
        (THREE, "Arria 10", "16.1", 13),
        # Another operation on the way closes the hard block's loop.
        ("{ float s = 1.0f; for (int i = 0; i < n; i++) s = s * x[i] + 1.0f; y[0] = s; }", "Stratix 10", "19.4", 6),
        # What a condition adds or sets back is no business of the hard block: 3 in the reports, 4 with a product.
        ("{ float s = 0.0f; for (int i = 0; i < n; i++) if (x[i] > 0) s += x[i]; y[0] = s; }", "Arria 10", "17.1", 3),
        (
            "{ float s = 0.0f; for (int i = 0; i < n; i++) { s += x[i] * x[i]; if (i == 9) { y[0] = s; s = 0; } } }",
            "Arria 10", "17.1", 4,
        ),
        # It starts at 0 (Programming Guide), and at nothing else: 4 in the reports of a value that steps into a range.
        ("{ float s = x[0]; for (int i = 1; i < n; i++) s += x[i]; y[0] = s; }", "Arria 10", "17.1", 3),
        ("{ float s = x[0]; while (s > 180.0f) s -= 180.0f; y[0] = s; }", "Arria 10", "16.1", 4),
        # It may add nothing, though.
        ("{ float s = 0.0f; for (int i = 0; i < n; i++) s += x[i] > 0 ? x[i] : 0; y[0] = s; }", "Arria 10", "17.1", 1),
        # A small private array is one register, whichever element an iteration changes: 7 in the report.
        (
            "{ float p[10]; for (int i = 0; i < n; i++) p[i] += 0.5f * (x[i] - p[i]); y[0] = p[0]; }",
            "Arria 10", "17.1", 7,
        ),
        # A large one is a memory.
        ("{ float p[99]; for (int i = 0; i < n; i++) p[i] += x[i]; y[0] = p[0]; }", "Arria 10", "17.1", 1),
        # Integers, comparisons, counters: a cycle holds them.
        ("{ int s = 0; for (int i = 0; i < n; i++) s += (int)x[i]; y[0] = s; }", "Stratix 10", "19.4", 1),
        ("{ float b = 0.0f; for (int i = 0; i < n; i++) if (x[i] > b) b = x[i]; y[0] = b; }", "Arria 10", "17.1", 1),
        # A value that each iteration makes anew comes from none before.
        ("{ for (int i = 0; i < n; i++) { float s = x[i]; s *= s; y[i] = s; } }", "Stratix 10", "19.4", 1),
        # A shift register: the sum comes back after nine iterations.
        (
            "{ float r[9]; for (int i = 0; i < n; i++) { r[8] = r[0] + x[i];\n"
            "#pragma unroll\nfor (int k = 0; k < 8; k++) r[k] = r[k + 1]; } y[0] = r[0]; }",
            "Stratix 10", "19.4", 1,
        ),
        # Partial sums, each with its own place.
        (
            "{ float p[4]; for (int i = 0; i < n; i++) {\n#pragma unroll\n"
            "for (int j = 0; j < 4; j++) p[j] += x[4 * i + j]; } y[0] = p[0]; }",
            "Stratix 10", "19.4", 6,
        ),
        # A place in memory that stays the same is kept in a register.
        ("{ for (int i = 0; i < n; i++) y[0] += x[i]; }", "Stratix 10", "19.4", 1),
        # In place, and with what is behind: nothing later reads it.
        ("{ for (int i = 0; i < n; i++) y[i] = y[i] * 2.0f; }", "Stratix 10", "19.4", 1),
        ("{ for (int i = 0; i < n; i++) y[i] = y[i + 1]; }", "Stratix 10", "19.4", 1),
        # What the next iteration reads, from memory.
        ("{ for (int i = 1; i < n; i++) y[i] = y[i - 1] + x[i]; }", "Stratix 10", "19.4", 280),
        ("{ for (int i = 4; i < n; i++) y[i] = y[i - 4] + x[i]; }", "Stratix 10", "19.4", 70),
        # Even and odd places never meet.
        ("{ for (int i = 0; i < n; i++) y[2 * i] = y[2 * i + 1]; }", "Stratix 10", "19.4", 1),
        ("{\n#pragma ivdep\nfor (int i = 1; i < n; i++) y[i] = y[i - 1] + x[i]; }", "Stratix 10", "19.4", 1),
        ("{\n#pragma ii 4\nfor (int i = 0; i < n; i++) y[i] = x[i]; }", "Stratix 10", "19.4", 4),
    ],
)  # fmt: skip
def test_interval_of_the_outer_loop(body: str, family: str, version: str, expected: int) -> None:
    assert (
        interval(body, family, version)[-1 if "float r[9]" not in body and "float p[4]" not in body else 0] == expected
    )


def test_relaxed_sums_are_added_in_a_tree() -> None:
    assert interval(EIGHT) == [41]
    assert interval(EIGHT, aoc_flags=["-fp-relaxed"]) == [1]


TILE = """void add(__private const float *a, float c{parameter})
{{
    #pragma unroll
    for (int y = 0; y < 4; y++)
        #pragma unroll
        for (int x = 0; x < 4; x++)
            c{element} += a[y * 4 + x];
}}
__kernel void k(__global const float *restrict p, __global float *restrict out, int n)
{{
    float a[16], c{size};
    #pragma unroll
    for (int y = 0; y < 4; y++)
        #pragma unroll
        for (int x = 0; x < 4; x++) {{
            a[y * 4 + x] = p[y * 4 + x];
            c{element} = 0.0f;
        }}
    for (int i = 0; i < n; i++)
        add(a, c);
    #pragma unroll
    for (int y = 0; y < 4; y++)
        #pragma unroll
        for (int x = 0; x < 4; x++)
            out[y * 4 + x] = c{element};
}}
"""


@pytest.mark.parametrize(("size", "element"), [("[16]", "[y * 4 + x]"), ("[4][4]", "[y][x]")])
@pytest.mark.parametrize(("start", "flags", "expected"), [
    ("0.0f", ["-fp-relaxed"], 1), ("0.0f", [], 1), ("p[x]", ["-fp-relaxed"], 1), ("p[x]", [], 4),
])  # fmt: skip
def test_elements_that_unrolled_loops_pick_are_variables(
    size: str, element: str, start: str, flags: list[str], expected: int
) -> None:
    # A hard block adds to each of them (pc2/hpcc_fpga_eval, copied_gemm_cannon_intel.cl, line 139: 1), from 0 on.
    text = TILE.format(parameter=size, size=size, element=element).replace("0.0f", start)
    (kernel,) = assess(text, arguments={"n": 1000}, aoc_flags=flags).kernels
    assert max(one.ii or 0 for one in kernel.estimate.loops) == expected


def test_a_condition_on_a_relaxed_sum_costs_one_add() -> None:
    """Reports: 3, however many products are added."""
    body = (
        "{ float s = 0.0f; for (int i = 0; i < n; i++) { if (x[i] > 0) {\n#pragma unroll\n"
        "for (int k = 0; k < 8; k++) s += x[k] * x[i + k]; } } y[0] = s; }"
    )
    assert interval(body, "Arria 10", "17.1", aoc_flags=["-fp-relaxed"])[0] == 3


def test_ivdep_says_nothing_of_an_array_in_registers() -> None:
    """Reports: a data dependence in spite of the pragma; it speaks of memory accesses."""
    body = (
        "{ float p[%d]; for (int i = 0; i < n; i++) {\n#pragma ivdep\n#pragma unroll 1\n"
        "for (int j = 0; j < 8; j++) p[j] += x[i] * p[j]; } y[0] = p[0]; }"
    )
    small, large = (interval(body % length, "Arria 10", "17.1")[1] for length in (8, 64))
    assert small is not None
    assert small > 1
    assert large == 1


def test_a_wave_through_an_array_is_handed_on_within_the_iteration() -> None:
    """Reports of generated systolic arrays: II 1, each element is made of its neighbours of the same iteration."""
    body = (
        "{ float w[32]; for (int i = 0; i < n; i++) {\n#pragma unroll\n"
        "for (int k = 0; k < 31; k++) { float v = x[i]; if (k > 0) v = w[k - 1] * v; w[k] = v; } y[i] = w[30]; } }"
    )
    assert interval(body)[0] == 1


def test_coalesced_nest_is_one_loop() -> None:
    body = (
        "{\n#pragma loop_coalesce 2\nfor (int i = 0; i < n; i++) { float s = 0.0f;\n#pragma unroll 1\n"
        "for (int j = 0; j < 10; j++) s += x[j] * x[j]; y[i] = s; } }"
    )
    assert interval(body, "Arria 10", "17.1") == [4, None]


def test_nest_that_stores_on_its_way_in_is_not_coalesced() -> None:
    """The report: "Fail to coalesce loop due to outer loop side-effecting instructions"."""
    body = (
        "{\n#pragma loop_coalesce 2\nfor (int i = 0; i < n; i++) { y[i] = 0.0f;\n#pragma unroll 1\n"
        "for (int j = 0; j < 10; j++) y[i] += x[j] * x[j]; } }"
    )
    assert interval(body, "Arria 10", "17.1") == [1, 1]


def test_work_items_interleave_instead() -> None:
    done = assess("__kernel void k(__global float *y) { for (int i = 0; i < 99; i++) y[get_global_id(0)] += i; }")
    (loop,) = file_report(done, ()).kernels[0].loops
    assert (loop.ii, loop.pipelined) == (None, False)


def test_loop_that_writes_a_channel_stays_rolled() -> None:
    head = "#pragma OPENCL EXTENSION cl_intel_channels : enable\nchannel float c; channel float many[4];\n"
    body = "{\n#pragma unroll\nfor (int i = 0; i < 4; i++) write_channel_intel(WHERE, x[i]); }"
    kernel = "__kernel void k(__global const float *restrict x)\n"
    one = assess(head + kernel + body.replace("WHERE", "c"), aoc_version="19.4").kernels[0]
    each = assess(head + kernel + body.replace("WHERE", "many[i]"), aoc_version="19.4").kernels[0]
    assert ([u.width_bits for u in one.lsus], [u.width_bits for u in each.lsus]) == ([32], [128])


@pytest.mark.parametrize(("copies", "expected"), [(8, 1), (4, 4)])
def test_copies_that_each_have_an_element_do_not_wait_for_each_other(copies: int, expected: int) -> None:
    """A report of 16.x: II 1 where eight copies add to eight elements."""
    found = interval(TURNS.replace("COPIES", str(copies)), "Stratix V", "16.1")
    assert max(ii for ii in found if ii is not None) == expected


@pytest.mark.parametrize(
    ("name", "carried", "serial"),
    [
        ("fw", "unsafe MLCD", True), ("bfs", "unsafe MLCD", True), ("nw", "unsafe MLCD", True),
        ("bp", "unsafe MLCD", True), ("hs", None, False),
    ],
)  # fmt: skip
def test_kernels_of_the_feed_forward_paper(name: str, carried: str | None, *, serial: bool) -> None:
    """FFD Table 2: main loops with II 285, 166, 283, 416 and 1 on an Arria 10."""
    path = EXAMPLES / "feedforward" / f"{name}.cl"
    done = assess(path.read_text("utf-8"), str(path))
    (kernel,) = done.kernels
    main = kernel.facts.loops[-1]
    ii = kernel.estimate.loops[-1].ii
    assert ii is not None
    assert (ii >= 150) if serial else (ii == 1)
    assert classes(kernel.facts, main) == ((carried,) if carried else ())
    assert file_report(done, ()).kernels[0].loops[-1].carries == ([carried] if carried else [])
    assert ("carries an unsafe memory dependence" in plain(kernel_card(done, kernel))) == serial
    shown = [f for f in findings_of(done) if f.code == "BL401"]
    assert bool(shown) == serial
    assert all(f.related for f in shown)


def test_only_the_true_dependence_is_proven() -> None:
    """Needleman-Wunsch reads what the iteration before stored; Floyd-Warshall only might."""
    proven = {}
    for name in ("nw", "fw"):
        path = EXAMPLES / "feedforward" / f"{name}.cl"
        (kernel,) = assess(path.read_text("utf-8"), str(path)).kernels
        found = dependences(kernel.facts, kernel.facts.loops[-1])
        proven[name] = [(d.distance, d.proven) for d in found if d.proven]
    assert proven == {"nw": [(1, True)], "fw": []}


def test_safe_and_private_dependences_have_their_classes() -> None:
    (kernel,) = assess(
        HEAD + "{ float s = 0.0f; for (int i = 0; i < n; i++) { s = s * 0.5f + x[i]; y[i] = y[i] + s; } }"
    ).kernels
    assert classes(kernel.facts, kernel.facts.loops[0]) == ("DLCD", "safe MLCD")


def test_a_shift_register_of_a_helper_is_one() -> None:
    text = """
#define LENGTH 16
float total(__global const float *restrict x, int n) {
    float register_of[LENGTH] = {0.0f};
    float sum = 0.0f;
    for (int i = 0; i < n; i++) {
        float oldest = register_of[0];
        #pragma unroll
        for (int j = 0; j < LENGTH - 1; j++) register_of[j] = register_of[j + 1];
        register_of[LENGTH - 1] = oldest + x[i];
    }
    #pragma unroll
    for (int i = 0; i < LENGTH; i++) sum += register_of[i];
    return sum;
}
__kernel void sums(__global const float *restrict x, __global float *restrict y, int n) { y[0] = total(x, n); }
"""
    (kernel,) = assess(text, arguments={"n": 1 << 16}).kernels
    assert kernel.estimate.loops[0].ii == 1


def test_a_loop_in_iterations_that_wait_runs_empty_each_time() -> None:
    text = """
__kernel void relax(__global const float *restrict x, __global float *restrict y, int n) {
    float row[256], next[256];
    for (int i = 0; i < 256; i++) row[i] = x[i];
    for (int r = 0; r < n; r++) {
        for (int i = 0; i < 48; i++) next[i] = sqrt(row[i + 1] / row[0]);
        for (int i = 0; i < 48; i++) row[i] = next[i];
    }
    for (int i = 0; i < 256; i++) y[i] = row[i];
}
"""
    few, many = (assess(text, arguments={"n": n}).kernels[0].estimate for n in (1000, 2000))
    assert few.loops[1].serial
    depth = next(block.depth for block in few.blocks if block.loop == 2)
    assert depth > 18  # a root
    assert few.time_s is not None
    assert many.time_s is not None
    cycles = (many.time_s - few.time_s) * few.f_max_hz / 1000
    assert cycles > 2 * 48 + depth


@pytest.mark.parametrize(("load", "waits"), [("i + 40", False), ("i + 39", True)])
def test_halves_of_a_buffer_that_do_not_meet_let_an_outer_loop_run(load: str, *, waits: bool) -> None:
    text = f"""
__kernel void halves(__global int *restrict y, int n) {{
    for (int r = 0; r < n; r++)
        for (int i = 0; i < 40; i++)
            y[i] = y[{load}] + 1;
}}
"""
    (kernel,) = assess(text, arguments={"n": 64}).kernels
    assert bool(kernel.estimate.loops[0].serialised_by) == waits


def test_loops_that_wait_for_each_other_run_one_after_the_other_whatever_else_is_carried() -> None:
    """The sums that `v` keeps would let an outer iteration begin every few cycles; `p` is ready after both loops."""
    text = """
__kernel void steps(__global const float *restrict x, __global float *restrict y, int n)
{
    float p[1024], v[1024];
    for (int i = 0; i < 1024; i++) { p[i] = x[i]; v[i] = 0.0f; }
    for (int t = 0; t < n; t++) {
        float s = 0.0f;
        for (int i = 0; i < 1024; i++) { v[i] += p[i] * 2.0f; s += v[i]; }
        for (int i = 0; i < 1024; i++) p[i] = v[i] + s * p[i];
    }
    for (int i = 0; i < 1024; i++) y[i] = p[i];
}
"""
    few, many = (assess(text, arguments={"n": n}).kernels[0].estimate for n in (100, 200))
    assert few.time_s is not None
    assert many.time_s is not None
    assert (many.time_s - few.time_s) * few.f_max_hz / 100 > 2 * 1024


@pytest.mark.parametrize(
    ("body", "advised"),
    [
        ("{ double s = 1; for (int i = 0; i < n; i++) s += x[i]; y[0] = s; }", True),
        ("{ double s = 1; for (int i = 0; i < n; i++) { s += x[i]; if (i == n - 1) y[0] = s; } }", True),
        # Each element of a running sum needs the whole sum so far.
        ("{ double s = 1; for (int i = 0; i < n; i++) { s += x[i]; y[i] = s; } }", False),
        ("{ double s = 1; for (int i = 0; i < n; i++) s = s * x[i] + 1; y[0] = s; }", False),
        # What the first inner loop makes of a row, the second begins with.
        (
            "{ float p[999]; for (int i = 0; i < 999; i++) p[i] = x[i]; for (int t = 0; t < n; t++) { float s = 0;\n"
            "for (int i = 0; i < 999; i++) s += p[i];\nfor (int i = 0; i < 999; i++) p[i] += s; } y[0] = p[9]; }",
            False,
        ),
    ],
)
def test_partial_results_are_advised_where_they_give_the_same(body: str, *, advised: bool) -> None:
    (kernel,) = assess(HEAD + body, arguments={"n": 100_000}).kernels
    assert any(lever.change == "partial_results" for lever in kernel.estimate.levers) == advised


def test_integers_follow_each_other_within_a_cycle() -> None:
    chain = """{ int best = 0;
#pragma unroll COPIES
for (int i = 0; i < n; i++) { int here = best - 1; best = (int)x[i] > here ? (int)x[i] : here; }
y[0] = best; }"""
    one, eight = (interval(chain.replace("COPIES", copies), "Stratix V", "16.1")[0] for copies in ("1", "8"))
    assert one == 1
    assert eight is not None
    assert 1 < eight < 8


MIXED = """
__kernel void mixed(__global uint *restrict out, uint seed, int n)
{
    uint a = seed;
    #pragma unroll COPIES
    for (int t = 0; t < n; t++) {
        uint x = (a ^ 0x5bd1e995u) + (a >> 7);
        uint y = (x ^ t) + (x >> 11);
        a = y + ((y >> 3) ^ x);
    }
    out[0] = a;
}
"""
SUMMED = MIXED.replace(
    "uint x = (a ^ 0x5bd1e995u) + (a >> 7);\n        uint y = (x ^ t) + (x >> 11);\n        a = y + ((y >> 3) ^ x);",
    "a += t + seed;",
)


@pytest.mark.parametrize("board", ["a10_ref", "s10gx_ddr4_1866", "de5net"])
def test_copies_lengthen_a_chain_of_integers(board: str) -> None:
    def interval(text: str, copies: int) -> int:
        found = assess(text.replace("COPIES", str(copies)), board=board, arguments={"n": 1 << 20})
        return int(found.kernels[0].estimate.loops[0].ii or 0)

    assert interval(MIXED, 1) == 1
    # Three additions of a copy, eight in a cycle.
    assert interval(MIXED, 16) >= 6
    # What is only added up is added in a tree, whatever the number of copies (vendor reports: an interval of 1).
    assert board == "de5net" or interval(SUMMED, 16) == 1


NEST = """// burstline: n=64
__kernel void sum(__global const float *restrict x, __global const float *restrict w, __global float *restrict y, int n)
{
    for (int i = 0; i < n; i++) {
        START
        for (int k = 0; k < 16; k++)
            for (int r = 0; r < 3; r++)
                for (int s = 0; s < 3; s++)
                    SUM = SUM + x[(k * n + r) * n + i + s] * w[(k * 3 + r) * 3 + s];
        END
    }
}
"""


@pytest.mark.parametrize("board", ["p520", "p385a"])
def test_a_sum_in_one_element_of_memory_waits_as_one_in_a_variable_does(board: str) -> None:
    """Nothing else reaches the element: it is kept in a register through all loops that leave it alone."""
    in_memory = NEST.replace("START", "y[i] = w[i];").replace("SUM", "y[i]").replace("END", "")
    in_variable = NEST.replace("START", "float v = w[i];").replace("SUM", "v").replace("END", "y[i] = v;")
    memory, variable = (
        assess(text, board=board, aoc_version="19.4").kernels[0].estimate for text in (in_memory, in_variable)
    )
    assert [one.ii for one in memory.loops] == [one.ii for one in variable.loops]
    assert memory.time_s == pytest.approx(variable.time_s, rel=0.05)
