"""Loops unrolled by as many copies as the advice names: where, where not, and that results stay."""

from __future__ import annotations

from typing import Any

import pytest

from burstline_server.assessment.assessor import Assessor
from burstline_server.config.layers import Layer
from burstline_server.diagnostics.catalogue import findings_of
from burstline_server.interpreter.verdicts import Equal
from burstline_server.rewrites.catalogue import Fix, fixes_of, refusals_of
from burstline_server.words.edits import fix_title
from burstline_server.words.findings import message_text
from burstline_server.words.obstacles import obstacle_text
from burstline_server.words.verdict import lever_lines
from tests.assessing import once
from tests.rewrites.equality import Data, tried

np = pytest.importorskip("numpy")

TAPS = """#define TAPS 3
__kernel void taps(__global const float *restrict x, __global float *restrict y, int n)
{
    int at = get_global_id(0);
    float sum = 0.0f;
    for (int j = 0; j < n; j++)
        for (int k = 0; k < TAPS; k++)
            sum += x[at * 7 + j * 3 + k] * k;
    y[at] = sum;
}
"""
DOT = """__kernel void dot_rows(__global const float *restrict a, __global const float *restrict b,
                       __global float *restrict y, int n)
{
    int row = get_global_id(0);
    float sum = 0.0f;
    for (int k = 0; k < n; k++)
        sum += a[row * n + k] * b[k];
    y[row] = sum;
}
"""
COUNT = """__kernel void count(__global const int *restrict x, __global int *restrict y, int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += x[i] > 3 ? x[i] : 1;
    y[0] = sum;
}
"""
WHILE = """\tint k = 0;
\twhile (k < n) {
\t    sum += a[row * n + k] * b[k];
\t    k++;
\t}"""
SETTINGS = {"arguments": {"n": 1024}, "global_size": 65536, "board": "pac_a10"}


@once
def fixes(text: str, **settings: Any) -> list[Fix]:
    """The unrollings of a text."""
    assessor, layers = Assessor(), [Layer("file", {**SETTINGS, **settings})]
    assessment = assessor.assess(text, "k.cl", layers)
    return fixes_of(assessor, assessment, layers, chosen=lambda one: one.title.kind.startswith("unroll"))


@once
def refusals(text: str) -> list[str]:
    """Why loops of a text are not unrolled."""
    found = refusals_of(Assessor().assess(text, "k.cl", [Layer("file", SETTINGS)]))
    return [obstacle_text(r.reason) for r in found if r.title.kind == "unroll"]


def test_a_sum_of_work_items_is_unrolled_as_the_advice_says() -> None:
    assessment = Assessor().assess(DOT, "k.cl", [Layer("file", SETTINGS)])
    advised = {lever.copies: lever.after_s for lever in assessment.kernels[0].estimate.levers if lever.copies > 1}
    (fix,) = fixes(DOT)
    ((copies, after_s),) = advised.items()
    assert fix.offer.applied(DOT.encode()).decode() == DOT.replace("    for", f"    #pragma unroll {copies}\n    for")
    assert fix.gain is not None
    assert fix.gain.after_s == pytest.approx(after_s)
    assert isinstance(fix.execution, Equal)
    assert fix.offer.codes == ("BL106", "BL402")


def test_a_loop_of_constant_trips_is_unrolled_whole() -> None:
    (fix,) = fixes(TAPS)
    after = fix.offer.applied(TAPS.encode()).decode()
    assert after == TAPS.replace("        for", "        #pragma unroll\n        for")
    assert fix_title(fix).startswith("Unroll the loop over k whole (3 iterations): kernel ")


def test_a_sum_of_whole_numbers_is_an_adder_tree() -> None:
    (fix,) = fixes(COUNT, global_size=1)
    assert fix_title(fix).startswith("Unroll the loop over i 16 times: kernel ")
    assert isinstance(fix.execution, Equal)


def test_line_ends_tabs_and_loops_without_a_for_are_kept() -> None:
    text = DOT.replace("    for (int k = 0; k < n; k++)\n        sum += a[row * n + k] * b[k];", WHILE).replace(
        "\n", "\r\n"
    )
    (fix,) = fixes(text)
    assert fix.offer.applied(text.encode()).decode() == text.replace("\twhile", "\t#pragma unroll 16\r\n\twhile")


@pytest.mark.parametrize("text", [TAPS, DOT, COUNT], ids=["taps", "dot", "count"])
def test_the_kernel_computes_the_same(text: str) -> None:
    rng = np.random.default_rng(3)
    real = np.int32 if text is COUNT else np.float32
    x, b = (rng.integers(-8, 9, 4096).astype(real) for _ in range(2))
    names = {"a": x, "b": b} if text is DOT else {"x": x}
    lengths = (0, 1, 5, 16, 37)
    data = [Data({**names, "y": np.zeros(64, real)}, {"n": np.int32(n)}, (64,)) for n in lengths]
    settings = {**SETTINGS, "global_size": 1} if text is COUNT else SETTINGS
    found = [one for one in tried(text, data, **settings) if one.offer.title.kind.startswith("unroll")]
    assert found
    assert [one.why for one in found if one.unequal is not None] == []


HELPED = """float row_sum(__global const float *x, int n)
{
    float sum = 0.0f;
    for (int k = 0; k < n; k++)
        sum += x[k];
    return sum;
}
__kernel void helped(__global const float *restrict x, __global float *restrict y, int n)
{
    y[get_global_id(0)] = row_sum(x + get_global_id(0), n);
}
"""
SHARED = f"""{HELPED}
__kernel void other(__global const float *restrict x, __global float *restrict y)
{{
    y[get_global_id(0)] = row_sum(x, 3);
}}
"""
ALIKE = """__attribute__((reqd_work_group_size(64, 1, 1)))
__kernel void alike(__global const float *restrict x, __global float *restrict y)
{
    __local float t[64][8];
    int l = get_local_id(0), g = get_global_id(0);
    float a[8], b[8];
    #pragma unroll
    for (int i = 0; i < 8; i++)
        t[l][i] = x[g * 8 + i];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 0; i < 8; i++)
        a[i] = t[63 - l][i];
    float s = 0.0f;
    #pragma unroll
    for (int i = 0; i < 8; i++)
        s += a[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int j = 0; j < 8; j++) b[j] = t[l ^ 1][j] * s;
    #pragma unroll
    for (int i = 0; i < 8; i++)
        y[g * 8 + i] = b[i];
}
"""
TWICE = """void flip(float b[8][8])
{
    for (int i = 0; i < 8; i++)
        for (int j = i + 1; j < 8; j++) {
            float t = b[i][j];
            b[i][j] = b[j][i];
            b[j][i] = t;
        }
}
__attribute__((reqd_work_group_size(64, 1, 1)))
__kernel void twice(__global const float *restrict x, __global float *restrict y)
{
    int g = get_global_id(0);
    float b[8][8];
    #pragma unroll
    for (int i = 0; i < 64; i++) b[i / 8][i % 8] = x[g * 64 + i];
    flip(b);
    b[0][1] += 1.0f;
    flip(b);
    #pragma unroll
    for (int i = 0; i < 64; i++) y[g * 64 + i] = b[i / 8][i % 8];
}
"""
SUM = COUNT.replace("int sum = 0", "float sum = 0").replace("int *", "float *").replace("x[i] > 3 ? x[i] : 1", "x[i]")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (SHARED, "its accesses are in a helper function"),
        (
            DOT.replace("    for (int k = 0; k < n; k++)", "    EACH(k)").replace(
                "__kernel", "#define EACH(k) for (int k = 0; k < n; k++)\n__kernel"
            ),
            "a macro that is not a constant makes up a part of its head",
        ),
        (SUM, "sum goes from one iteration to the next: unrolling makes the chain longer"),
    ],
    ids=["shared helper", "macro", "float sum of one work-item"],
)
def test_not_where_the_pragma_has_no_place_or_helps_nothing(text: str, why: str) -> None:
    assert fixes(text) == []
    assert any(why in said for said in refusals(text)), refusals(text)


def _alike(fix: Fix, text: str) -> str:
    assert fix.gain is not None
    assert fix.gain.speedup > 1.5
    assert isinstance(fix.execution, Equal)
    return fix.offer.applied(text.encode()).decode()


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_loops_that_take_alike_are_unrolled_together(end: str) -> None:
    text = ALIKE.replace("\n", end)
    (fix,) = fixes(text)
    after = text
    for head in (f"    for (int i = 0; i < 8; i++){end}        a[i]", "    for (int j"):
        after = after.replace(head, f"    #pragma unroll{end}{head}")
    assert _alike(fix, text) == after
    assert fix_title(fix).startswith("Unroll the 2 slowest loops by 8: kernel ")
    (kernel,) = Assessor().assess(text, "k.cl", [Layer("file", SETTINGS)]).kernels
    (line,) = [line for line in lever_lines(kernel, 9) if "unroll" in line]
    assert line.startswith("unroll the 2 slowest loops by 8, together: one alone saves little (lines 11 and 18): ")
    assert fix.gain is not None
    assert kernel.estimate.levers[0].after_s == pytest.approx(fix.gain.after_s)


def test_loops_of_different_trips_get_what_divides_each() -> None:
    text = ALIKE.replace("[8]", "[206]").replace("i < 8; i++)\n        a", "i < 206; i++)\n        a")
    text = text.replace("j < 8", "j < 201")
    (fix,) = fixes(text)
    assert fix_title(fix).startswith("Unroll the 2 slowest loops by 2 to 3: kernel ")
    after = _alike(fix, text)
    assert "#pragma unroll 3\n    for (int j" in after
    assert "#pragma unroll 2\n    for (int i = 0; i < 206" in after


def test_one_of_them_with_a_pragma_gets_another() -> None:
    text = ALIKE.replace("    for (int j", "    #pragma unroll 1\n    for (int j")
    (fix,) = fixes(text)
    assert _alike(fix, text) == fixes(ALIKE)[0].offer.applied(ALIKE.encode()).decode()
    (fix,) = fixes(ALIKE.replace("    for (int j", "    #pragma unroll 2\n    for (int j"))
    assert fix_title(fix).startswith("Unroll the loop over i 2 times: kernel ")


@pytest.mark.parametrize("text", [ALIKE, TWICE], ids=["alike", "twice"])
def test_loops_together_compute_the_same(text: str) -> None:
    x = np.arange(4096, dtype=np.float32)
    data = [Data({"x": x, "y": np.zeros(4096, np.float32)}, {}, (64,))]
    found = [one for one in tried(text, data, **SETTINGS) if one.offer.title.kind.startswith("unroll")]
    assert found
    assert [one.why for one in found if one.unequal is not None] == []


def test_a_loop_of_a_helper_is_unrolled_for_all_its_calls() -> None:
    (fix,) = fixes(TWICE)
    head = "        for (int j"
    assert _alike(fix, TWICE) == TWICE.replace(head, f"        #pragma unroll 2\n{head}")
    (fix,) = fixes(HELPED)
    assert _alike(fix, HELPED) == HELPED.replace("    for", "    #pragma unroll 16\n    for")
    assert fixes(TWICE.replace("__attr", "void unused(float b[8][8]) { flip(b); }\n__attr", 1)) == []


def test_nothing_is_said_where_copies_are_no_advice() -> None:
    waits = "if (b[k] < 0) atomic_inc((__global int *)y); barrier(CLK_LOCAL_MEM_FENCE); sum +="
    assert fixes(DOT.replace("sum +=", waits)) == []


def test_the_edit_makes_as_many_copies_as_the_advice_says() -> None:
    text = """
__kernel void filter(__global const uchar *restrict image, __global const short *restrict w, __global int *restrict y,
                     int size, int count)
{
    for (int f = 0; f < count; f++) {
        int sum = 0;
        for (int c = 0; c < size; c++)
            sum += w[f * size + c] * image[f * size + c];
        y[f] = sum;
    }
}
"""
    sizes = {"arguments": {"size": 1024, "count": 1024}}
    (fix,) = fixes(text, **sizes)
    (kernel,) = Assessor().assess(text, "k.cl", [Layer("file", {**SETTINGS, **sizes})]).kernels
    assert any("unroll the loop by 16" in line for line in lever_lines(kernel, 9))
    assert fix_title(fix).startswith("Unroll the loop over c 16 times: kernel ")


NETWORK = """
#pragma OPENCL EXTENSION cl_intel_channels : enable
channel int c;
__attribute__((max_global_work_dim(0)))
__kernel void feed(__global const char *restrict x, int r, int m)
{
    for (int i = 0; i < r; i++)
        for (int o = 0; o < r; o++) {
            int sum = 0;
            for (int j = 0; j < m; j++)
                for (int l = 0; l < m; l++)
                    sum += x[j * m + l] ^ o;
            write_channel_intel(c, sum);
        }
}
__attribute__((max_global_work_dim(0)))
__kernel void drain(__global const char *restrict w, __global int *restrict y, int q, int k)
{
    for (int i = 0; i < q; i++)
        for (int o = 0; o < q; o++) {
            int sum = read_channel_intel(c);
            for (int j = 0; j < k; j++)
                sum += w[j] & i;
            y[i] = sum;
        }
}
"""


def test_an_edit_in_a_network_is_priced_at_the_sizes_that_each_of_its_kernels_is_assumed_to_have() -> None:
    """128 trips of each loop of `feed`, which is the slowest once `drain` is 16 times as fast."""
    (fix,) = fixes(NETWORK)
    assert fix.offer.kernel == "drain"
    assert fix.gain is not None
    assert fix.gain.assumed
    assert fix.gain.after_range_s is not None
    assert fix.gain.after_range_s[0] > 128**4 / 500e6


NESTED = """#define DEEP 4
__attribute__((reqd_work_group_size(12, 12, 1)))
__kernel void filter(__global const float *restrict image, __global const float *restrict weights,
                     __global float *restrict out, int width, int planes)
{
    __local float tile[14][14];
    __local float taps[DEEP][9];
    int x = get_local_id(0), y = get_local_id(1), gx = get_global_id(0), gy = get_global_id(1);
    float sums[DEEP] = {0.0f};
    for (int p = 0; p < planes; p++) {
        tile[y][x] = image[p * width * width + gy * width + gx];
        if (y < DEEP && x < 9)
            taps[y][x] = weights[(p * DEEP + y) * 9 + x];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int d = 0; d < DEEP; d++)
            for (int j = 0; j < 3; j++)
                for (int k = 0; k < 3; k++)
                    sums[d] += taps[d][3 * j + k] * tile[y + j][x + k];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int d = 0; d < DEEP; d++)
        out[(d * width + gy) * width + gx] = sums[d];
}
"""
LAUNCH = {"global_size": [1020, 1020], "arguments": {"width": 1020, "planes": 16}, "f_max": 300}


def _of_nest(text: str) -> list[Fix]:
    layers = [Layer("file", SETTINGS | LAUNCH)]
    assessor = Assessor()
    every = fixes_of(assessor, assessor.assess(text, "k.cl", layers), layers)
    return [fix for fix in every if fix_title(fix).startswith("Unroll")]


def test_loops_of_few_iterations_in_each_other_are_unrolled_together() -> None:
    (fix,) = _of_nest(NESTED)
    assert fix_title(fix).startswith("Unroll 3 nested loops whole: kernel ")
    after = _alike(fix, NESTED)
    for head in (
        "        for (int d = 0; d < DEEP; d++)\n            for",
        "            for (int j",
        "                for (int k",
    ):
        assert f"{head[: len(head) - len(head.lstrip())]}#pragma unroll\n{head.splitlines()[0]}" in after
    (kernel,) = Assessor().assess(NESTED, "k.cl", [Layer("file", SETTINGS | LAUNCH)]).kernels
    # 4 x 9 products for each work-item and plane; a compiler may unroll the middle loop unasked.
    assert kernel.estimate.time_s is not None
    assert kernel.estimate.time_s > 1020 * 1020 * 16 * 4 * 3 / 300e6
    (line,) = [line for line in lever_lines(kernel, 9) if "unroll" in line]
    assert line.startswith("unroll 3 nested loops whole (lines 15, 16 and 17): ")
    assert fix.gain is not None
    assert fix.gain.after_s < kernel.estimate.time_s / 10
    (finding,) = [
        f
        for f in findings_of(Assessor().assess(NESTED, "k.cl", [Layer("file", SETTINGS | LAUNCH)]))
        if f.code == "BL402"
    ]
    assert "unroll 3 nested loops whole" in message_text(finding)


@pytest.mark.parametrize(
    ("was", "now"),
    [
        ("for (int j = 0; j < 3; j++)", "for (int j = 0; j < width - 1017; j++)"),
        ("            for (int j", "            #pragma unroll 1\n            for (int j"),
    ],
    ids=["no constant", "asked to stay"],
)
def test_a_nest_ends_at_a_loop_that_cannot_be_whole(was: str, now: str) -> None:
    assert not [fix for fix in _of_nest(NESTED.replace(was, now)) if "nested" in fix_title(fix)]


ELEMENT = """#pragma OPENCL EXTENSION cl_intel_channels : enable
channel int in; channel int out;
__attribute__((max_global_work_dim(0))) __attribute__((autorun)) __kernel void element()
{
    int weights[64];
    while (1) {
        int x = read_channel_intel(in);
        int sum = 0;
        for (int i = 0; i < 64; i++)
            sum += weights[i] * x;
        write_channel_intel(out, sum);
    }
}
"""


def test_a_loop_in_one_that_channels_keep_going_gains_in_each_iteration() -> None:
    assessor, layers = Assessor(), [Layer("file", {})]
    done = assessor.assess(ELEMENT, "kernel.cl", layers)
    (fix,) = fixes_of(assessor, done, layers)
    assert fix.gain is not None
    # 64 cycles for an item, then 4: 16 copies.
    assert (fix.gain.per, fix.offer.edits[0].text.strip()) == ("iteration", "#pragma unroll 16")
    assert fix.gain.speedup == pytest.approx(16, rel=0.05)
