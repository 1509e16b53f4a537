"""Sizes: who gave them, what is assumed while nobody does, and what is said of it."""

import json
import re
from pathlib import Path

import pytest

from burstline_server.assessment.assessor import Assessor
from burstline_server.cli.main import main
from burstline_server.config.layers import Layer
from burstline_server.diagnostics.catalogue import findings_of
from burstline_server.presentation.card_text import plain
from burstline_server.presentation.cards import access_card, kernel_card
from burstline_server.presentation.view_build import file_view
from burstline_server.quantities import time_text
from burstline_server.rewrites.catalogue import fixes_of
from burstline_server.rewrites.sizes_comment import SizeError, sizes_comment
from burstline_server.words.assumptions import input_text
from burstline_server.words.findings import message_text
from burstline_server.words.verdict import headline, limit_line
from tests.assessing import assess

PRODUCT = """__kernel void product(__global const float *a, __global const float *b, __global float *c, int N)
{
    const int row = get_global_id(1), column = get_global_id(0);
    float sum = 0.0f;
    for (int k = 0; k < N; k++)
        sum += a[row * N + k] * b[k * N + column];
    c[row * N + column] = sum;
}
"""
SEARCH = """__kernel void length(__global const char *restrict text, __global int *restrict out)
{
    int i = 0;
    while (text[i] != 0)
        i++;
    out[0] = i;
}
"""
GIVEN = ("--global-size", "512,512", "--local-size", "16,16", "--arg", "N=512")


def printed(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    """What a check prints."""
    assert main(["check", *words]) == 0
    return capsys.readouterr().out


def test_inputs_say_who_gave_them(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "k.cl"
    path.write_text(PRODUCT)
    by_option = printed(capsys, str(path), *GIVEN)
    assert "work-items = 512 × 512 (option)" in by_option
    assert "N = 512 (option)" in by_option
    assert "mode = calibrated (default)" in by_option
    path.write_text(f"// burstline: global_size=(512,512) N=256 f_max=300\n{PRODUCT}")
    by_comment = printed(capsys, str(path), "--arg", "N=512")
    assert "work-items = 512 × 512 (comment)" in by_comment
    assert "N = 512 (option)" in by_comment
    assert "f_max = 300 MHz (comment)" in by_comment
    path.write_text(PRODUCT)
    (tmp_path / "burstline.toml").write_text(
        'mode = "faithful"\n[arguments]\nN = 64\n[kernels.product]\nglobal_size = [64, 64]\n'
    )
    by_file = printed(capsys, str(path))
    for shown in ("work-items = 64 × 64", "N = 64", "mode = faithful"):
        assert f"{shown} (burstline.toml)" in by_file


def test_a_kernels_own_settings_are_named_over_those_for_all(tmp_path: Path) -> None:
    text = f"// burstline: N=32\n{PRODUCT}"
    (kernel,) = assess(text, global_size=[64, 64], arguments={"N": 16}).kernels
    named = {name: (value, a.provenance) for a in kernel.estimate.assumptions for name, value in [input_text(a.of)]}
    assert named["N"] == ("32", "comment")
    assert named["work-items"] == ("64 × 64", "burstline.toml")


def test_a_time_at_assumed_sizes_is_marked_on_every_surface(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "k.cl"
    path.write_text(PRODUCT)
    shown = printed(capsys, str(path))
    sizes = "Assumed: 1 048 576 work-items and N = 1024."
    assert sizes in shown
    assert "time not known" not in shown
    assert "Give work-items and N: --global-size … --arg N=…" in shown
    assert "≈? time" in shown
    done = assess(PRODUCT)
    (kernel,) = done.kernels
    title = headline(done, kernel)
    assert title.startswith("≈? ")
    assert "at assumed sizes" in title
    assert "-bound: " in title
    assert sizes in plain(kernel_card(done, kernel))
    assert plain(kernel_card(done, kernel)).count("≈?") >= 3
    load = next(a for a in kernel.facts.accesses if a.pointer == "b")
    assert "≈?" in plain(access_card(done, kernel, load))
    (view,) = file_view(done, findings_of(done)).kernels
    assert (view.time_s, view.time.startswith("≈? ")) == (None, True)


def test_json_keeps_an_assumed_time_apart(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "k.cl"
    path.write_text(PRODUCT)
    (kernel,) = json.loads(printed(capsys, "--format", "json", str(path)))["files"][0]["kernels"]
    assert (kernel["time_ms"], kernel["bound"], kernel["loops"][0]["trip"]) == (None, "unknown", None)
    assert {a["time_ms"] for a in kernel["accesses"]} == {None}
    assumed = kernel["at_assumed_sizes"]
    assert (assumed["global_size"], assumed["loops"]) == ([1024, 1024], [{"line": 5, "trips": 1024}])
    assert assumed["time_low_ms"] <= assumed["time_ms"] <= assumed["time_high_ms"]
    assert {a["pointer"] for a in assumed["accesses"]} == {"a", "b", "c"}
    (given,) = json.loads(printed(capsys, "--format", "json", str(path), *GIVEN))["files"][0]["kernels"]
    assert given["at_assumed_sizes"] is None
    assert given["time_ms"] > 0


def test_what_is_assumed_is_what_the_same_sizes_give() -> None:
    """Of a kernel whose addresses do not hold what is missing."""
    text = PRODUCT.replace("row * N", "row * 1024").replace("k * N", "k * 1024")
    (assumed,) = (kernel.at_assumed for kernel in assess(text).kernels)
    (given,) = assess(text, global_size=[1024, 1024], arguments={"N": 1024}).kernels
    assert assumed is not None
    assert assumed.estimate.time_s == pytest.approx(given.estimate.time_s, rel=0.01)
    assert assumed.estimate.limit == given.estimate.limit


def test_a_loop_that_data_end_is_not_guessed() -> None:
    done = assess(SEARCH)
    (kernel,) = done.kernels
    assert kernel.estimate.at_assumed is None
    # An iteration, whose load says whether another follows.
    assert re.match(r"≈ 4\d\d ns per iteration · dependence-bound: loop on line 4 · ", headline(done, kernel))
    assert "--trip 4=…" in plain(kernel_card(done, kernel))


@pytest.mark.parametrize(
    ("attribute", "ids", "size"),
    [
        ("", (0,), (1 << 20,)),
        ("", (0, 1, 2), (128, 128, 64)),
        ("__attribute__((reqd_work_group_size(3, 1, 1)))", (0,), (1048578,)),
        ("__attribute__((reqd_work_group_size(16, 16, 1)))", (0,), (1024, 1024)),
    ],
)
def test_assumed_work_items_follow_the_dimensions_and_the_group(
    attribute: str, ids: tuple[int, ...], size: tuple[int, ...]
) -> None:
    at = " + ".join(f"get_global_id({one})" for one in ids)
    (kernel,) = assess(f"{attribute} __kernel void k(__global int *restrict y) {{ y[{at}] = 1; }}").kernels
    assert kernel.estimate.at_assumed is not None
    assert kernel.estimate.at_assumed.sizes.global_size == size


def test_known_work_items_leave_only_iterations_to_assume() -> None:
    done = assess(PRODUCT, global_size=[64, 64])
    (kernel,) = done.kernels
    line = limit_line(done, kernel)
    assert line.startswith("Assumed: N = 1024. ")
    assert "work-items" not in line.split(". ")[0]


NEST = """__kernel void k(__global const float *restrict x, __global float *restrict y, int n, int m)
{{
    float sum = 0.0f;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            sum += x[i * 64 + j + {first}];
    y[{first}] = sum;
}}
"""


@pytest.mark.parametrize(("first", "each"), [("0", 1024), ("get_global_id(0)", 32)])
def test_nested_loops_share_the_iterations_that_are_assumed(first: str, each: int) -> None:
    """So that 2^20 work-items with two loops each do not take a year."""
    done = assess(NEST.format(first=first))
    (kernel,) = done.kernels
    assert kernel.estimate.at_assumed is not None
    assert set(kernel.estimate.at_assumed.sizes.trips.values()) == {each}
    assert f"m = n = {each}. Limited" in limit_line(done, kernel)
    assert {f"{each} iterations assumed" in message_text(f) for f in findings_of(done) if f.code == "BL202"} == {True}


def test_the_first_line_names_time_limit_place_and_change() -> None:
    copy = """__kernel void copy(__global const float *restrict x, __global float *restrict y)
{
    for (int i = 0; i < 4096; i++)
        y[i] = x[i];
}
"""
    done = assess(copy)
    time, limit, change = headline(done, done.kernels[0]).split(" · ")
    lever = done.kernels[0].estimate.levers[0]
    assert time.startswith("≈ ")
    assert limit == "pipeline-bound: loop on line 3"
    assert lever.after_s is not None
    assert change == f"unroll the loop by 16 → {time_text(lever.after_s)}"


def test_bandwidth_is_named_where_the_memory_is_the_limit() -> None:
    copy = """__attribute__((reqd_work_group_size(256, 1, 1), num_simd_work_items(16)))
__kernel void copy(__global const float *restrict x, __global float *restrict y)
{
    y[get_global_id(0)] = x[get_global_id(0)];
}
"""
    fast = assess(copy, global_size=[1 << 24])
    assert "GB/s memory bandwidth used" in limit_line(fast, fast.kernels[0])
    slow = assess(PRODUCT, global_size=[512, 512], arguments={"N": 512})
    assert "GB/s" not in limit_line(slow, slow.kernels[0])


STRIDES = """
__kernel void strided(__global const float *restrict in, __global float *restrict out, int n)
{
    float sum = 0.0f;
    for (int i = get_global_id(0); i < n; i += %s)
        sum += in[i];
    out[get_global_id(0)] = sum;
}
"""


@pytest.mark.parametrize("step", ["get_global_size(0)", "get_local_size(0) * get_num_groups(0)"])
def test_a_loop_over_all_work_items_waits_for_their_number_alone(step: str) -> None:
    text = STRIDES % step
    (unsized,) = assess(text, arguments={"n": 1 << 20}).kernels
    assert "--global-size" in limit_line(assess(text, arguments={"n": 1 << 20}), unsized)
    assert [f.code for f in findings_of(assess(text, arguments={"n": 1 << 20})) if f.code == "BL202"] == []

    (sized,) = assess(text, arguments={"n": 1 << 20}, global_size=[4096]).kernels
    assert sized.estimate.loops[0].trip == 256


HALVING = """__kernel void k(__global float *restrict d, __global const float *restrict s, int n)
{{
    for (int i = 0; i < n; i++)
        {head}
            d[i * 64 + w] = s[i * 64 + w];
}}
"""


@pytest.mark.parametrize(
    ("head", "trips"),
    [
        ("for (int w = n >> 1; w > 0; w >>= 1)", 10),
        ("for (int w = n; w > 0; w /= 4)", 6),
        ("for (int w = 1; w < n; w *= 2)", 10),
        ("for (int w = s[i] > 0 ? n : n / 2; w; w >>= 1)", 11),  # what is loaded decides: this loop is named
    ],
)
def test_a_counter_that_halves_or_doubles_comes_from_or_to_what_is_assumed(head: str, trips: int) -> None:
    done = assess(HALVING.format(head=head))
    (kernel,) = done.kernels
    assumed = f"n = 1024 and {trips} iterations of line 4" if "?" in head else "n = 1024"
    assert f"Assumed: {assumed}. Limited" in limit_line(done, kernel)
    assert kernel.estimate.at_assumed is not None
    assert {one.trip for one in kernel.estimate.at_assumed.estimate.loops} == {1024, trips}
    (given,) = assess(HALVING.format(head=head), arguments={"n": 1024}).kernels
    if given.estimate.time_s is not None:
        assert kernel.estimate.at_assumed.estimate.time_s == pytest.approx(given.estimate.time_s)


def test_a_loop_whose_trips_follow_from_the_counter_around_it_is_not_asked_for() -> None:
    text = """__kernel void sort(__global int *restrict d, int n)
{
    for (int size = 2; size <= n; size <<= 1)
        for (int t = size >> 1; t > 0; t >>= 1)
            d[t] = d[t] + size;
}
"""
    done = assess(text)
    (kernel,) = done.kernels
    assert "Give n: " in limit_line(done, kernel)
    (asked,) = [message_text(f) for f in findings_of(done) if f.code == "BL202"]
    assert "it depends on n" in asked


def test_fewer_work_items_are_assumed_where_each_loops_over_all_of_them() -> None:
    text = """
__kernel void forces(__global const float *restrict x, __global float *restrict y)
{
    float sum = 0;
    for (int i = 0; i < get_global_size(0); i++)
        sum += x[i] * x[get_global_id(0)];
    y[get_global_id(0)] = sum;
}
"""
    (kernel,) = assess(text).kernels
    assert kernel.estimate.at_assumed
    assert kernel.estimate.at_assumed.sizes.global_size == (32768,)


def test_a_loop_that_the_id_makes_long_takes_what_is_assumed_of_any() -> None:
    text = """
__kernel void rows(__global const float *restrict x, __global float *restrict y, int rows, int size)
{
    int i = get_global_id(0);
    float sum = 0.0f;
    for (int k = 0; k < (i + 1) * rows - size; k++)
        sum += x[i * rows + k];
    y[i] = sum;
}
"""
    (kernel,) = assess(text).kernels
    at = kernel.estimate.at_assumed
    assert at is not None
    assert dict(at.sizes.trips) == {0: 1024}
    assert sum(unit.walk.used_bytes for unit in at.estimate.units if unit.walk is not None) <= (1 << 20) * 1025 * 4


GROUP_SUMS = """__kernel void sums(__global const float *restrict x, __global float *restrict y, __local float *kept)
{
    int place = get_local_id(0);
    kept[place] = x[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (place == 0) {
        float sum = 0.0f;
        for (int k = 0; k < get_local_size(0); k++)
            sum += kept[k];
        y[get_group_id(0)] = sum;
    }
}
"""


def test_the_size_of_work_groups_is_asked_for_where_it_alone_is_missing(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "k.cl"
    path.write_text(GROUP_SUMS)
    said = printed(capsys, str(path), "--global-size", "65536")
    assert "Assumed: work-groups of 256 work-items" in said
    assert "Give the size of work-groups: --local-size …, or a comment // burstline: local_size=…" in said
    assert "BL202" not in said  # no count of its own is missing
    assert "Give work-items: --global-size" in printed(capsys, str(path))
    uneven = printed(capsys, str(path), "--global-size", "1000")  # groups are whole ones, and said alike
    assert "Assumed: work-groups of 250 work-items" in uneven
    assert "doubt: work-groups of 250 work-items are assumed" in uneven
    (kernel,) = (assessment := assess(GROUP_SUMS, global_size=[65536])).kernels
    comment = sizes_comment(assessment, kernel)
    assert comment is not None
    (edit,) = comment.edits
    assert edit.text == "// burstline: local_size=(256)\n"
    path.write_text(edit.text + GROUP_SUMS)
    given = printed(capsys, str(path), "--global-size", "65536")
    assert "at assumed sizes" not in given
    with pytest.raises(SizeError, match="local_size"):
        sizes_comment(assessment, kernel, {"local_size": "none"})


def test_an_edit_is_priced_in_the_work_groups_that_are_assumed() -> None:
    """One group: a second compute unit has nothing to do."""
    text = """__kernel void strided(__global const float *restrict x, __global float *restrict y, const int n)
{
    float sum = 0.0f;
    for (int i = get_local_id(0); i < n; i += get_local_size(0))
        sum += x[i];
    y[get_local_id(0)] = sum;
}
"""
    layers = [Layer("option", {"global_size": (256,), "arguments": {"n": 1 << 20}})]
    assessor = Assessor()
    assessment = assessor.assess(text, "k.cl", layers)
    paying = [fix.title.kind for fix in fixes_of(assessor, assessment, layers)]
    assert "compute_units" not in paying


@pytest.mark.parametrize(
    ("body", "most"),
    [
        ("local float s[320]; EACH s[i] = x[i]; EACH y[i] = s[n-1-i];", 320),
        ("float s[640]; EACH s[2 * i] = x[i]; EACH y[i] = s[n - i];", 320),
        ("float s[320]; for (int i = 0; i <= n; i++) s[i] = x[i]; EACH y[i] = s[n - i];", 319),
        ("float s[320]; EACH s[i % 320] = x[i]; EACH y[i] = s[i & 7];", 1024),
    ],
)  # fmt: skip
def test_no_more_is_assumed_than_an_array_on_chip_has_places_for(body: str, most: int) -> None:
    text = "__kernel void k(__global const float *restrict x, __global float *restrict y, int n)\n"
    done = assess(f"{text}{{\n    {body.replace('EACH', 'for (int i = 0; i < n; i++)')}\n}}\n")
    assert limit_line(done, done.kernels[0]).startswith(f"Assumed: n = {most}. Limited")


def test_a_launch_has_the_dimensions_that_its_kernel_asks_for() -> None:
    text = """__kernel void k(__global int *restrict p)
{
    int size = 1;
    for (uint d = 0; d < get_work_dim(); d++)
        size *= get_global_size(d);
    p[get_global_id(1) * get_global_size(0) + get_global_id(0)] = size;
}
"""
    done = assess(text)
    assert "get_work_dim" not in limit_line(done, done.kernels[0])
    guess = done.kernels[0].at_assumed
    assert guess is not None
    assert guess.estimate.loops[0].trip == 2


@pytest.mark.parametrize(
    ("bound", "asked"),
    [
        ("1 << POWER", "Give POWER: -D POWER=…; nothing defines POWER"),
        ("n * WIDTH", "Give n and WIDTH: --arg n=… -D WIDTH=…; nothing defines WIDTH"),
        ("n", "Give n: --arg n=…, or a comment // burstline: n=…"),
        ("d.n", ""),
    ],
)
def test_what_nothing_defines_is_for_the_build_to_give(bound: str, asked: str) -> None:
    text = f"""typedef struct {{ int n; }} dims;
__kernel void k(__global const int *restrict x, __global int *restrict y, int n, dims d)
{{
    for (int i = 0; i < ({bound}); i++)
        y[i] = x[i];
}}
"""
    done = assess(text)
    said = limit_line(done, done.kernels[0])
    assert asked in said
    assert ("-D" in said) == ("-D" in asked)
    found = [message_text(one) for one in findings_of(done) if one.code == "BL202"]
    assert any("-D" in one for one in found) == ("-D" in asked)


def test_the_comment_to_copy_has_the_values_that_are_assumed() -> None:
    text = (
        "__kernel void k(__global const float *restrict x, __global float *restrict y, int n)\n{\n    float s[320];\n"
    )
    loops = "    for (int i = 0; i < n; i++) s[i] = x[i];\n    for (int i = 0; i < n; i++) y[i] = s[n - 1 - i];\n}\n"
    done = assess(text + loops)
    comment = sizes_comment(done, done.kernels[0])
    assert comment is not None
    assert [(one.setting, one.usual) for one in comment.given] == [("n", "320")]
