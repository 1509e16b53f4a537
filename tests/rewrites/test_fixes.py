"""Fixes: what is offered, what it changes, and that what is offered computes the same on a real OpenCL runtime."""

import re
from dataclasses import replace
from typing import Any

import pytest

from burstline_server.assessment.assessor import Assessor
from burstline_server.config.layers import Layer
from burstline_server.rewrites.catalogue import Fix, fixes_of, offers_of
from burstline_server.rewrites.reasons import Title
from burstline_server.words.edits import fix_title, title_text
from tests.assessing import once
from tests.rewrites.runtime import runtime

LOOP = """__kernel void scale(__global const float *restrict x, __global float *restrict y)
{
    for (int i = 0; i < 4096; i++)
        y[i] = 2.0f * x[i] + 1.0f;
}
"""
ITEMS = """
__kernel void add(__global const float *x, __global float* y)
{
    const int i = get_global_id(0);
    y[i] += 3.0f * x[i];
}
"""
TABS = LOOP.replace("    for", "\tfor").replace("y[i] = 2", "y[i] = y[i] * 2")
CARRIED = """__kernel void running(__global const float *restrict x, __global float *restrict y)
{
    float sum = 0.0f;
\tfor (int i = 0; i < 4096; i++) {
        sum += x[i];
        y[i] = sum;
    }
}
"""
SIDE_BY_SIDE = "Set num_simd_work_items(16): kernel "
LANES = "__attribute__((num_simd_work_items(16)))"
ODD = LOOP.replace("4096", "4090")
BACK = LOOP.replace("y[i] = 2.0f * x[i] + 1.0f", "if (i > 0) y[i] = x[i] - x[i - 1]")


@once
def fixes(text: str, **settings: Any) -> list[Fix]:
    """The fixes of a text, for a launch of 4096 work-items."""
    assessor, layers = Assessor(), [Layer("file", {"global_size": 4096, **settings})]
    return fixes_of(assessor, assessor.assess(text, "k.cl", layers), layers)


def applied(text: str, fix: Fix) -> str:
    """The text with the fix made."""
    return fix.offer.applied(text.encode()).decode()


@pytest.mark.parametrize(
    ("text", "settings", "title", "line"),
    [
        (LOOP, {}, "Unroll the loop over i 16 times: kernel ", "    #pragma unroll 16\n    for (int i"),
        (LOOP, {"board": "s10mx_hbm2"}, "Unroll the loop over i 8 times: kernel ", "    #pragma unroll 8\n"),
        (ODD, {}, "Unroll the loop over i 10 times: kernel ", "    #pragma unroll 10\n    for (int i"),
        (TABS, {}, "Unroll the loop over i 16 times: kernel ", "\t#pragma unroll 16\n\tfor (int i"),
        (
            ITEMS, {},
            SIDE_BY_SIDE,
            f"__attribute__((reqd_work_group_size(256, 1, 1)))\n{LANES}\n__kernel void add",
        ),
        (
            ITEMS, {"local_size": 64},
            SIDE_BY_SIDE,
            f"__attribute__((reqd_work_group_size(64, 1, 1)))\n{LANES}\n__kernel void add",
        ),
    ],
)  # fmt: skip
def test_offered_with_the_gain_in_the_title(text: str, settings: dict[str, Any], title: str, line: str) -> None:
    fix = next(f for f in fixes(text, **settings) if fix_title(f).startswith(title))
    assert fix.speedup is not None
    assert fix.speedup > 1
    assert fix.gain is not None
    assert fix.gain.speedup_range is not None
    least, most = fix.gain.speedup_range
    assert least <= fix.speedup <= most
    assert least < most
    # A range where both ends pay, one value else.
    said = f"{least:.2g}–" if least > 1.1 else f"{fix.speedup:.2g}×"
    assert said in fix_title(fix) or f"{least:.0f}–" in fix_title(fix)
    assert line in applied(text, fix)


def test_line_ends_stay_as_they_are() -> None:
    text = LOOP.replace("\n", "\r\n")
    fix = next(f for f in fixes(text) if fix_title(f).startswith("Unroll"))
    assert applied(text, fix) == text.replace("    for", "    #pragma unroll 16\r\n    for")


def test_restrict_is_an_assertion_of_the_user() -> None:
    text = """__kernel void k(__global const float *x, __global float* y, __global int * restrict z, const int n)
    { for (int i = 0; i < n; i++) { y[i] = x[i]; y[z[i]] = 0; } }"""
    assessor, layers = Assessor(), [Layer("file", {"arguments": {"n": 4096}, "aoc_version": "18.1"})]
    offer = next(o for o in offers_of(assessor.assess(text, "k.cl", layers)) if o.kind == "assertion")
    assert title_text(offer.title) == "Declare x, y restrict (you assert that no two buffers overlap)"
    after = offer.applied(text.encode()).decode()
    assert "const float *restrict x, __global float* restrict y, __global int * restrict z" in after


def test_pointers_get_a_channel_each() -> None:
    text = """__attribute__((reqd_work_group_size(64, 1, 1)))
__attribute__((num_simd_work_items(8)))
__kernel void k(__global const float *restrict x, __global __attribute__((buffer_location("HBM1"))) float *restrict y,
                __global float *restrict z)
{ int i = get_global_id(0); z[i] = x[i] + y[i]; }"""
    fix = next(f for f in fixes(text, board="s10mx_hbm2") if "BL107" in f.offer.codes)
    after = applied(text, fix)
    assert '__global __attribute__((buffer_location("HBM0"))) const float *restrict x' in after
    assert '__global __attribute__((buffer_location("HBM2"))) float *restrict z' in after
    assert fix_title(fix).startswith("Give x, z a channel each: kernel ")
    assert fix_title(fix).endswith(" (needs a host change: buffers in those channels)")


def test_old_vendor_names_become_the_present_ones() -> None:
    text = """#pragma OPENCL EXTENSION cl_altera_channels : enable
channel int c;
// read_channel_altera stays in a comment
__kernel void k(__global int *restrict x) { x[0] = read_channel_altera(c); }"""
    (fix,) = [f for f in fixes(text) if not f.offer.codes]
    after = applied(text, fix)
    assert "cl_intel_channels" in after
    assert "x[0] = read_channel_intel(c)" in after
    assert "// read_channel_altera stays" in after
    assert [f for f in fixes(text, aoc_version="16.1") if not f.offer.codes] == []


@pytest.mark.parametrize(
    ("text", "word"),
    [
        (LOOP.replace("    for", "    #pragma unroll COPIES\n    for"), "Unroll"),
        (LOOP.replace("y[i] =", "if (x[i] < 0) break; y[i] ="), "Unroll"),
        (LOOP.replace("4096", "4093"), "Unroll"),
        # What one iteration hands to the next is a chain that unrolling only makes longer.
        (CARRIED, "Unroll"),
        (BACK.replace("x[i - 1]", "y[i - 1]"), "Unroll"),
        (LOOP.replace("restrict ", ""), "Unroll"),
        (LOOP.replace("y[i] =", "y[0] = y[0] +"), "Unroll"),
        (ITEMS.replace("y[i] +=", "for (int k = 0; k < i; k++) y[i] +="), "Run"),
        (ITEMS.replace("y[i] += 3.0f * x[i];", "atomic_add((__global int *)y, i);"), "Run"),
        ("__attribute__((reqd_work_group_size(7, 1, 1)))" + ITEMS, "Run"),
        ("#define KERNEL __kernel void add\n" + ITEMS.replace("__kernel void add", "KERNEL"), "Run"),
    ],
)  # fmt: skip
def test_not_offered_where_the_precondition_does_not_hold(text: str, word: str) -> None:
    assert [fix_title(f) for f in fixes(text) if fix_title(f).startswith(word)] == []


@pytest.mark.parametrize("text", [LOOP, TABS, ODD, ITEMS, BACK], ids=["loop", "tabs", "odd", "items", "back"])
def test_applying_twice_changes_nothing_more(text: str) -> None:
    for fix in fixes(text):
        again = [fix_title(f).partition(":")[0] for f in fixes(applied(text, fix))]
        assert fix_title(fix).partition(":")[0] not in again


@pytest.mark.parametrize("text", [LOOP, TABS, ODD, ITEMS, BACK], ids=["loop", "tabs", "odd", "items", "back"])
def test_rewritten_kernels_compute_the_same_on_a_real_runtime(text: str) -> None:
    cl, context, queue = runtime()
    np = pytest.importorskip("numpy")

    flags = cl.mem_flags
    rng = np.random.default_rng(7)
    x, y = (rng.integers(-1000, 1000, 4096).astype(np.float32) for _ in range(2))

    def run(source: str) -> Any:
        (kernel,) = cl.Program(context, source).build(options=["-w"]).all_kernels()
        a = cl.Buffer(context, flags.READ_ONLY | flags.COPY_HOST_PTR, hostbuf=x)
        b = cl.Buffer(context, flags.READ_WRITE | flags.COPY_HOST_PTR, hostbuf=y)
        items = "get_global_id" in source
        kernel(queue, (4096,) if items else (1,), (256,) if items else (1,), a, b)
        out = np.empty_like(y)
        cl.enqueue_copy(queue, out, b)
        return out

    expected = run(text)
    offered = fixes(text)
    assert offered
    for fix in offered:
        assert np.array_equal(run(applied(text, fix)), expected)


COSTLY = """__kernel void heavy(__global const float *restrict x, __global float *restrict y)
{
    for (int i = 0; i < 1048576; i++)
        y[i] = sqrt(x[i]) * exp(x[i]) + sin(x[i]) / (1.0f + log(x[i]));
}
"""


def test_what_an_edit_takes_of_the_board_is_reported_where_it_is_not_small() -> None:
    (fix,) = fixes(COSTLY, board="p385a")
    assert re.search(r"× for \d+ % more of the board's DSP(?: \(not executed: .*\))?$", fix_title(fix))
    assert "more of the board" not in fix_title(fixes(LOOP)[0])


def test_an_edit_that_no_longer_fits_the_device_is_not_offered() -> None:
    terms = (
        f"sqrt(x[i] + {k}) * exp(x[i] + {k}) + sin(x[i] + {k}) / log(x[i] + {k})" for k in ("1.0f", "2.0f", "3.0f")
    )
    costlier = f"{COSTLY.partition('sqrt')[0]}{' + '.join(terms)};\n}}\n"
    assert fixes(costlier, board="p385a")
    assert fixes(costlier, board="de10_nano") == []


def test_an_edit_makes_no_more_copies_than_fit_the_device() -> None:
    (fix,) = fixes(COSTLY, board="de10_nano")
    assert fix_title(fix).startswith("Unroll the loop over i 2 times")


GROUPED = """{}__kernel void k(__global const float *restrict x, __global float *restrict y)
{{
    int i = get_global_id(0);
    y[i] = 2.0f * x[i];
}}
"""


@pytest.mark.parametrize(
    ("attribute", "settings", "lanes", "size"),
    [
        ("__attribute__((reqd_work_group_size(24, 1, 1)))\n", {}, 8, None),
        ("", {"local_size": [24]}, 8, "24, 1, 1"),
        ("", {"local_size": [64]}, 16, "64, 1, 1"),
    ],
)
def test_lanes_divide_the_group_and_name_it(
    attribute: str, settings: dict[str, Any], lanes: int, size: str | None
) -> None:  # fmt: skip
    text = GROUPED.format(attribute)
    fix = next(f for f in fixes(text, global_size=[96000], **settings) if "num_simd" in fix_title(f))
    after = applied(text, fix)
    assert f"num_simd_work_items({lanes})" in after
    assert after.count("reqd_work_group_size") == 1
    assert size is None or f"reqd_work_group_size({size})" in after


def test_a_group_that_no_lanes_divide_says_so() -> None:
    text = GROUPED.format("__attribute__((reqd_work_group_size(25, 1, 1)))\n")
    assert not [f for f in fixes(text, global_size=[100000]) if "num_simd" in fix_title(f)]


def test_a_kernel_whose_name_is_a_variable_elsewhere_is_edited_and_a_called_one_is_not() -> None:
    other = "__kernel void paint(__global float *restrict y, const float scale)\n{\n    y[0] = scale;\n}\n"
    caller = other.replace("const float scale", "__global const float *restrict x").replace(
        "y[0] = scale", "scale(x, y)"
    )
    kernels = [{o.kernel for o in offers_of(Assessor().assess(LOOP + text, "k.cl", []))} for text in (other, caller)]
    assert ["scale" in names for names in kernels] == [True, False]


def test_a_loop_without_a_counter_and_one_of_several_are_named_plainly() -> None:
    counted = Title("vectorise_by", ("i", 16, "float16"))
    assert title_text(counted) == "Vectorise the loop over i by 16 (float16)"
    assert title_text(replace(counted, line=7)) == "Vectorise the loop over i by 16 (float16, line 7)"
    assert title_text(Title("unroll_by", ("i", 4), line=7)) == "Unroll the loop over i 4 times (line 7)"
    assert title_text(Title("unroll_by", ("", 4), line=7)) == "Unroll the loop 4 times (line 7)"
    assert title_text(Title("compute_units", (2,), line=7)) == "Set num_compute_units(2) (line 7)"


HANDED_ON = """__kernel void k(__global const float *restrict x, __global float *restrict y, const int n)
{
    for (int i = 2; i < 4096; i++)
        y[i] = y[i - FAR] * 0.5f + x[i];
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            y[8192] += x[j * 64 + i];
}
"""


@pytest.mark.parametrize(
    ("far", "lines"),
    [
        ("1", ["float y_before = y[2 - 1];"]),
        ("2", ["y_before[0] = y[2 - 2];", "y_before[1] = y[(2 + 1) - 2];"]),
    ],
)
def test_first_values_of_a_loop_that_certainly_runs_are_loaded_without_a_condition(far: str, lines: list[str]) -> None:
    text = HANDED_ON.replace("FAR", far)
    found = offers_of(Assessor().assess(text, "k.cl", [Layer("file", {"arguments": {"n": 64}})]))
    kinds = {"forward_through_register", "shift_register_for"}
    (after,) = [one.applied(text.encode()).decode() for one in found if one.title.kind in kinds]
    said = [line.strip() for line in after.splitlines()]
    assert all(line in said for line in lines)
    (kept,) = [one.applied(text.encode()).decode() for one in found if one.title.kind == "keep_in_variable"]
    assert "float y_kept = 0 < n ? y[8192] : 0;" in kept
