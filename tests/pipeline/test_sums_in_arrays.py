"""Sums in the elements of a small private array, on a device that adds to what a hard block holds in every cycle."""

import pytest

from burstline_server.words.changes import action_text
from tests.assessing import assess

HEAD = "__kernel void k(__global const float *restrict x, __global float *restrict y, int n, int m)\n{\n"
ADD = """    for (int i = 0; i < n; i++) {
        #pragma unroll
        for (int j = 0; j < 4; j++)
            s[j] += x[4 * i + j];
    }
"""
SUM = "    y[0] = s[0] + s[1] + s[2] + s[3];\n}\n"
RESET = """    #pragma unroll
    for (int j = 0; j < 4; j++)
        s[j] = 0.0f;
"""


def interval(body: str, counter: str = "i", helper: str = "", **settings: object) -> int | None:
    """The interval of the loop over `counter`."""
    (kernel,) = assess(helper + HEAD + body, board="p385a", **settings).kernels
    loops = (one for one in kernel.estimate.loops if kernel.facts.loops[one.loop].variable == counter)
    return next(loops).ii


def test_the_scalar_form_takes_a_cycle() -> None:
    assert interval("    float s = 0;\n    for (int i = 0; i < n; i++) s += x[i];\n    y[0] = s;\n}\n") == 1


@pytest.mark.parametrize(
    "reset",
    [
        "    float s[4] = {0};\n",
        "    float s[4] = {0.0f};\n",
        "    float s[4] = {0.0f, 0.0f, 0, 0};\n",
        "    float s[4] = {};\n",
        f"    float s[4];\n{RESET}",
        "    float s[4];\n    for (int j = 0; j < 4; j++) s[j] = 0;\n",
        "    float s[4];\n    for (int j = 3; j >= 0; j--) s[j] = 0;\n",
        "    float s[4];\n    s[0] = 0; s[1] = 0; s[2] = 0; s[3] = 0;\n",
        f"    float s[4] = {{1.0f}};\n    y[1] = s[0];\n{RESET}",
        "    float s[4];\n    for (int j = 0; j < 2; j++) { s[2 * j] = 0; s[2 * j + 1] = 0; }\n",
    ],
)
def test_elements_that_are_all_0_before_the_loop_are_sums_from_0(reset: str) -> None:
    assert interval(reset + ADD + SUM) == 1


@pytest.mark.parametrize(
    "before",
    [
        "    float s[4];\n",
        "    float s[4] = {1.0f};\n",
        "    float s[4] = {0.0f, 0.0f, 0.0f, 1.0f};\n",
        f"    float s[4];\n{RESET}    s[2] = x[9];\n",
        "    float s[4];\n    for (int j = 0; j < 3; j++) s[j] = 0;\n",
        "    float s[4];\n    for (int j = 0; j < m; j++) s[j] = 0;\n",
        "    float s[4];\n    for (int j = 0; j < 4; j++) if (x[j] > 0) s[j] = 0;\n",
        "    float s[4];\n    if (m > 2) {\n        for (int j = 0; j < 4; j++) s[j] = 0;\n    }\n",
        "    float s[4];\n    for (int j = 0; j < 4; j++) { if (j == m) break; s[j] = 0; }\n",
        "    float s[4];\n    for (int j = 0; j < 4; j++) s[j] = x[j];\n",
        "    float s[4];\n    for (int j = 0; j < 4; j++) s[m] = 0;\n",
    ],
)
def test_elements_that_may_hold_something_else_take_the_latency_of_an_addition(before: str) -> None:
    assert interval(before + ADD + SUM) == 3


def test_an_array_that_is_set_back_in_each_round_of_the_loop_around_starts_at_0_in_each() -> None:
    body = f"    for (int r = 0; r < m; r++) {{\n    float s[4];\n{RESET}{ADD}    y[r] = s[0] + s[1];\n}}}}\n"
    assert interval(body) == 1


def test_an_array_that_is_set_back_before_the_loop_around_alone_does_not() -> None:
    body = f"    float s[4];\n{RESET}    for (int r = 0; r < m; r++) {{\n{ADD}    y[r] = s[0] + s[1];\n}}}}\n"
    assert interval(body) == 3


@pytest.mark.parametrize(
    "statement",
    [
        "if (x[i] > 0) s[j] += x[4 * i + j];",
        "s[j] += x[4 * i + j]; if (i == 7) s[j] = 0;",
        "s[j] = s[j] * 0.5f + x[4 * i + j];",
        "s[j] += x[4 * i + j]; s[j] += x[4 * i + j + m];",
    ],
)
def test_a_hard_block_adds_once_in_each_iteration_and_does_nothing_else(statement: str) -> None:
    assert (
        interval("    float s[4] = {0};\n" + ADD.replace("s[j] += x[4 * i + j];", f"{{ {statement} }}") + SUM) or 0
    ) > 1


def test_an_array_whose_element_data_choose_is_no_sum_of_a_hard_block() -> None:
    add = "    for (int i = 0; i < n; i++) s[(int)x[i] & 3] += x[i + n];\n"
    assert (interval("    float s[4] = {0};\n" + add + SUM) or 0) > 1


def test_two_dimensions_and_a_helper_that_sets_them_back() -> None:
    helper = """void clear(float t[2][2])
{
    #pragma unroll
    for (int a = 0; a < 2; a++)
        #pragma unroll
        for (int b = 0; b < 2; b++)
            t[a][b] = 0.0f;
}
"""
    body = """    float s[2][2];
    clear(s);
    for (int i = 0; i < n; i++) {
        #pragma unroll
        for (int a = 0; a < 2; a++)
            #pragma unroll
            for (int b = 0; b < 2; b++)
                s[a][b] += x[4 * i + 2 * a + b];
    }
    y[0] = s[0][0] + s[0][1] + s[1][0] + s[1][1];
}
"""
    assert interval(body, helper=helper) == 1


def test_windows_line_ends_and_macros_change_nothing() -> None:
    text = "#define LANES 4\n#define CLEAR(a) for (int c = 0; c < LANES; c++) a[c] = 0.0f\n"
    body = "    float s[LANES];\n    CLEAR(s);\n" + ADD.replace("j < 4", "j < LANES") + SUM
    assert interval(body.replace("\n", "\r\n"), helper=text.replace("\n", "\r\n")) == 1


SHIFTED = """float r[LENGTH];
for (int i = 0; i < LENGTH; i++) r[i] = 0.0f;
for (int i = 0; i < n; i++) {
BODY
}
float s = 0.0f;
#pragma unroll
for (int i = 0; i < LENGTH; i++) s += r[i];
y[0] = s; }"""
DOWN = "\n#pragma unroll\nfor (int j = 0; j < {0}; j++) r[j] = r[j + {1}];\n"
UP = "\n#pragma unroll\nfor (int j = {0}; j > 0; j--) r[j] = r[j - 1];\n"
"""Values move on through a register by one or more places in each iteration."""


@pytest.mark.parametrize(
    ("length", "body", "expected"),
    [
        # The vendor's guide: one register more than the cycles that it takes.
        (5, f"r[4] = r[0] + x[i] * x[i + 1]; {DOWN.format(4, 1)}", 1),
        (4, f"r[3] = r[0] + x[i] * x[i + 1]; {DOWN.format(3, 1)}", 2),
        # Its other way: the sum begins anew where the register ends, once all have moved on.
        (4, f"float s = r[3] + x[i] * x[i + 1]; {UP.format(3)} r[0] = s;", 1),
        (3, f"float s = r[2] + x[i] * x[i + 1]; {UP.format(2)} r[0] = s;", 2),
        # A report (21.1): eight sums at a time in 32 registers come back after three iterations, II 2.
        (
            32,
            "".join(f"r[{31 - k}] = r[{k}] + x[8 * i + {k}] * x[8 * i + {k} + 7]; " for k in range(8))
            + DOWN.format(24, 8),
            2,
        ),
        (40, "".join(f"r[{39 - k}] = r[{k}] + x[8 * i + {k}] * x[i]; " for k in range(8)) + DOWN.format(32, 8), 1),
        # Two sums that change places.
        (10, f"r[9] = r[0] + x[i] * x[i]; r[8] = r[1] + x[i] * x[i + 1]; {DOWN.format(8, 2)}", 1),
        (8, f"r[7] = r[0] + x[i] * x[i]; r[6] = r[1] + x[i] * x[i + 1]; {DOWN.format(6, 2)}", 2),
    ],
)
def test_sums_that_move_on_come_back_after_as_many_iterations_as_they_move(
    length: int, body: str, expected: int
) -> None:
    text = HEAD + SHIFTED.replace("LENGTH", str(length)).replace("BODY", body)
    done = assess(text, device_family="Arria 10", aoc_version="21.1")
    assert [one.ii for one in done.kernels[0].estimate.loops if one.loop == 1] == [expected]


BEHIND = """
__attribute__((max_global_work_dim(0)))
__kernel void scan(__global const int *restrict x, __global int *restrict out)
{
    int m[2048];
    for (int i = 0; i < 2048; i++)
        m[i] = x[i];
    for (int j = 16; j < 2000; j++)
        m[j] = STORED;
    out[0] = m[5];
}
"""


@pytest.mark.parametrize(
    ("stored", "waits"),
    [
        ("m[j - 1] * 3 + x[j]", True),
        ("m[j - 1] * 3 + m[j - 16]", True),
        ("m[j - 16] * 3 + x[j]", False),
        ("x[j] * 3", False),
    ],
)
def test_an_element_made_of_one_that_an_iteration_before_wrote_comes_round(stored: str, waits: bool) -> None:
    (kernel,) = assess(BEHIND.replace("STORED", stored)).kernels
    assert ((kernel.estimate.loops[1].ii or 0) > 1) == waits


IN_MEMORY = """
__attribute__((max_global_work_dim(0)))
__kernel void sums(__global float *restrict out, __global const float *restrict in, __global const float *restrict w)
{
    for (int m = 0; m < 256; m++)
        for (int r = 0; r < 1024; r++) {
            #pragma unroll
            for (int x = 0; x < 7; x++) out[m * 7 + x] = out[m * 7 + x] + in[r * 7 + x] * w[m * 1024 + r];
        }
}
"""


def test_sums_of_a_row_in_memory_go_on_each_cycle_once_each_is_in_a_variable() -> None:
    # Seven chains of one addition each, and no chain of seven.
    (kernel,) = assess(IN_MEMORY, board="s10gx_ddr4_1866", f_max_mhz=400).kernels
    first = kernel.estimate.levers[0]
    assert action_text(first.change) == "keep the 7 elements out[m * 7 + x] in private variables"
    assert 256 * 1024 / 400e6 <= (first.after_s or 0.0) < 1.1 * 256 * 1024 / 400e6
