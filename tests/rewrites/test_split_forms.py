"""Forms of the split: four kernels, pipes, values loaded again, a dependence resolved first, the host's part."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from burstline_server.assessment.assessor import Assessor
from burstline_server.cli.main import main
from burstline_server.config.layers import Layer
from burstline_server.interpreter.verdicts import Different
from burstline_server.rewrites.catalogue import contradicted, fixes_of, offers_of, refusals_of
from burstline_server.rewrites.rewrite import NotOfferedError, Offer
from burstline_server.rewrites.split.split import Split
from burstline_server.words.edits import fix_title, title_text
from burstline_server.words.obstacles import obstacle_text
from tests.assessing import once
from tests.rewrites.equality import Data, tried
from tests.rewrites.queues import ran, same
from tests.rewrites.test_split import EXAMPLES, REDUCE, TWICE, assessed, lines, read

np = pytest.importorskip("numpy")
FOUR = "Split into two memory and two compute kernels"
EIGHT = "Split into four memory and four compute kernels"
HEAD = "__kernel void k(__global const int *restrict x, __global int *y, const int n, const uint m)\n"
# Nobody knows where x leads, so the loop waits; halves touch different places as long as x does.
SPREAD = (
    HEAD
    + """{
    for (int i = 0; i < n; i++)
        y[x[i]] = y[n + 64 + i] + 3;
}
"""
)
# Each value needs the one before it: an unsafe dependence over one iteration.
PRODUCT = """__kernel void product(__global const int *x, __global int *y, const int n)
{
    for (int i = 1; i < n; i++) {
        const int before = y[i - 1];
        y[i] = before * 3 + x[i];
    }
}
"""


@once
def offered(text: str, title: str, **settings: Any) -> list[Offer]:
    """The edits whose title holds this."""
    return [o for o in offers_of(assessed(text, **settings)) if title in title_text(o.title)]


def after(text: str, title: str, **settings: Any) -> str:
    """The text with the one edit of this title made."""
    (offer,) = offered(text, title, **settings)
    return offer.applied(text.encode()).decode()


def test_a_value_loaded_again_shares_a_channel() -> None:
    text = after(TWICE, "plit into a memory")
    assert len(re.findall(r"= a\[i\]", text)) == 1
    assert text.count("write_channel_intel(twice_a_0, a_0)") == text.count("read_channel_intel(twice_a_0)") == 1
    assert "        z[i] = z_13 * (a_0 + v);" in text.splitlines()


def test_a_value_that_changed_in_between_is_loaded_again() -> None:
    moved = SPREAD.replace("y[x[i]] = y[n + 64 + i] + 3;", "{ y[x[i]] = x[i]; i++; y[x[i]] = x[i]; }")
    text = after(moved, "plit into a memory")
    assert len(set(re.findall(r"write_channel_intel\((\w+)", text))) == 2


def test_loads_behind_conditions_run_under_them_alone() -> None:
    result = lines(after(TWICE, "plit into a memory"))
    assert "const int a_9 = (a_0 > at_7) && !(v > 3) ? a[at_8] : 0;" in result
    assert "if (a_0 > at_7 && (v > 3 || a_9 > 4)) { // loads behind && and ||" in result


def test_a_value_that_a_condition_asks_for_first_is_loaded_first() -> None:
    text = """__kernel void k(__global const int *restrict x, __global const int *restrict y,
                __global int *restrict z, int n)
{
    int held[32];
    for (int i = 0; i < 32; i++)
        held[i] = i;
    for (int i = 0; i < n; i++)
        held[x[i] > 7 ? y[i] & 31 : 9] = held[x[i] > 7 ? y[i] & 15 : 9] - i;
    for (int i = 0; i < 32; i++)
        z[i] = held[i];
}
"""
    (offer,) = offered(text, "Split into a memory and a compute kernel")
    rows = [row.strip() for row in offer.applied(text.encode()).decode().splitlines()]
    used = [n for n, row in enumerate(rows) if row.startswith("const int y") and "x_" in row]
    assert rows.index(next(row for row in rows if row.startswith("const int x_"))) < used[0]


def test_a_sum_stays_with_the_computation() -> None:
    text = after(REDUCE, "plit into a memory")
    memory, compute = re.split(r"(?=__kernel void reduce_compute)", text)
    assert "sum" not in memory
    assert "sum += x_0;" in compute
    kernels = {k.facts.name: k for k in assessed(text, arguments={"n": 4096}).kernels}
    assert not any(loop.recurrences for loop in kernels["reduce_memory"].facts.loops)


def test_four_kernels_take_half_of_the_outermost_loop_each() -> None:
    text = after(SPREAD, FOUR)
    heads = [line for line in lines(text) if line.startswith("for (")]
    low, high = "for (int i = 0; i < n / 2; i++) {", "for (int i = n / 2; i < n; i++) {"
    assert [h.removesuffix(" {") + " {" for h in heads] == [low, low, high, high]
    assert re.findall(r"__kernel void (\w+)", text) == [
        "k_memory_low",
        "k_compute_low",
        "k_memory_high",
        "k_compute_high",
    ]
    assert len(set(re.findall(r"^channel int (\w+)", text, re.MULTILINE))) == 4


def test_eight_kernels_take_a_quarter_of_the_outermost_loop_each() -> None:
    """FFD, Steps 11 and 12 with four of each kind; the last block has what is left over."""
    text = after(SPREAD, EIGHT)
    heads = [line.removesuffix(" {") for line in lines(text) if line.startswith("for (")]
    assert heads[::2] == heads[1::2]
    assert heads[::2] == [
        "for (int i = 0; i < n / 4; i++)",
        "for (int i = n / 4; i < n / 4 * 2; i++)",
        "for (int i = n / 4 * 2; i < n / 4 * 3; i++)",
        "for (int i = n / 4 * 3; i < n; i++)",
    ]
    assert [name for name in re.findall(r"__kernel void (\w+)", text) if "memory" in name] == [
        f"k_memory_{n}" for n in range(4)
    ]


@pytest.mark.parametrize("n", [0, 1, 2, 7, 8, 9, 30])
@pytest.mark.parametrize(
    "head",
    ["int i = 0; i < n; i++", "int i = 0; i <= n; i += 3", "int i = 2; i < n; i += 2", "uint i = 0; i < m; ++i",
     "int i = 5; i < n - 1; i++"],
)  # fmt: skip
@pytest.mark.parametrize("title", [FOUR, EIGHT])
def test_blocks_are_the_whole_for_every_bound(title: str, head: str, n: int) -> None:
    np = pytest.importorskip("numpy")
    text = SPREAD.replace("int i = 0; i < n; i++", head)
    arrays = {"x": np.arange(64, dtype=np.int32)[::-1].copy(), "y": np.arange(256, dtype=np.int32) * 7}
    scalars = {"n": n, "m": np.uint32(n)}
    assert same(ran(after(text, title), arrays, scalars), ran(text, arrays, scalars))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (
            SPREAD.replace("    for", "    int last = 0;\n    for")
            .replace("+ 3;", "+ last; last = i; }")
            .replace("        y", "        { y"),
            "last goes from one iteration of the outermost loop to the next",
        ),
        (SPREAD.replace("        y", "        { y[0] = x[i]; y").replace("3;", "3; }"), "the blocks would race"),
        (SPREAD.replace("i < n; i++", "i != n; i++"), "does not count up to a bound"),
        (SPREAD.replace("i < n; i++", "i < n; i += m"), "by a fixed step"),
        (SPREAD.replace("int i = 0; i < n", "uint i = 1; i < m"), "may count in unsigned numbers"),
        (SPREAD.replace("        y", "        if (x[i] < 0) break; else y"), "can end early"),
        (SPREAD + SPREAD.replace("void k", "void l"), ""),
    ],
)  # fmt: skip
def test_four_kernels_are_refused_with_the_reason(text: str, reason: str) -> None:
    refused = [obstacle_text(r.reason) for r in refusals_of(assessed(text)) if title_text(r.title).startswith(FOUR)]
    assert bool(offered(text, FOUR)) != bool(refused)
    assert (not reason and not refused) or reason in refused[0]


def test_pipes_by_setting() -> None:
    text = after(read("fw"), "plit into a memory", pipes=True)
    assert "write_only pipe int __attribute__((blocking)) __attribute__((depth(16))) fw_distances_2)" in text
    assert "write_pipe(fw_distances_1, &distances_1);" in text
    assert "read_pipe(fw_distances_1, &distances_1);" in text
    assert "channel" not in text
    assert {k.facts.name: len(k.facts.channels) for k in assessed(text).kernels} == {"fw_memory": 3, "fw_compute": 3}


def test_an_unsafe_dependence_is_kept_in_a_variable_first() -> None:
    np = pytest.importorskip("numpy")
    text = after(PRODUCT, "Keep carried values in variables, then split into a memory")
    assert "y_before = " in text
    assert not re.search(r"= y\[i - 1\]", text)
    arrays = {"x": np.arange(64, dtype=np.int32), "y": np.arange(64, dtype=np.int32) * 3}
    for n in (0, 1, 2, 64):
        assert same(ran(text, arrays, {"n": n}), ran(PRODUCT, arrays, {"n": n}))
    (refused,) = [r for r in refusals_of(assessed(PRODUCT)) if title_text(r.title).startswith(FOUR)]
    assert "y_before goes from one iteration of the outermost loop to the next" in obstacle_text(refused.reason)
    guarded = PRODUCT.replace("        y[i]", "        if (before > 9) y[i]")
    assert offered(guarded, "plit into") == []
    assert [
        r
        for r in refusals_of(assessed(guarded))
        if "an unsafe dependence" in obstacle_text(r.reason) and title_text(r.title).startswith("Split")
    ]


def test_a_shift_register_comes_first_where_the_distance_is_longer() -> None:
    np = pytest.importorskip("numpy")
    before = PRODUCT.replace("int i = 1", "int i = 4").replace("y[i - 1]", "y[i - 4]")
    text = after(before, "Keep carried values in variables, then split into a memory")
    memory, compute = re.split(r"(?=__kernel void product_compute)", text)
    assert "y_before[4]" not in memory
    assert "y[i] = y_before[4] = before * 3 + x_4;" in compute
    arrays = {"x": np.arange(64, dtype=np.int32), "y": np.arange(64, dtype=np.int32) * 3}
    for n in (0, 5, 7, 64):
        assert same(ran(text, arrays, {"n": n}), ran(before, arrays, {"n": n}))


def test_what_is_loaded_before_a_loop_stays_clear_of_its_pragma() -> None:
    spread = SPREAD.replace("        y", "        #pragma unroll 1\n        for (int j = x[n + i]; j < 3; j++) y")
    result = lines(after(spread.replace("i++)", "i++) {").replace("3;\n}", "3;\n    }\n}"), "plit into a memory"))
    assert result.count("#pragma unroll 1") == 2
    assert all(
        result[i + 1].startswith("for (int j = x_0;") for i, line in enumerate(result) if line.startswith("#pragma u")
    )


def test_a_loop_without_braces_goes_with_its_pragma() -> None:
    inner = (
        "    int p = 1;\n    for (int i = 0; i < n; i++)\n        #pragma unroll\n        for (int k = 0; k < 3; k++)"
    )
    text = SPREAD.replace("{\n", "{\n" + inner + "\n            p *= i ^ 5;\n", 1).replace("+ 3;", "+ p;")
    memory, compute = re.split(r"(?=__kernel void \w+_compute)", after(text, "plit into a memory"))
    assert "#pragma unroll" not in memory
    assert inner + "\n            p *= i ^ 5;" in compute
    loaded = text.replace("k < 3;", "k < x[i];")
    memory = re.split(r"(?=__kernel void \w+_compute)", after(loaded, "plit into a memory"))[0]
    assert re.search(r"#pragma unroll\s*(?!\s|for)", memory) is None


def test_rows_above_are_an_unsafe_dependence_however_long_rows_are() -> None:
    text = read("nw").replace("{\n    for", "{\n    scores[0] = reference[0];\n    for")
    (reason,) = [
        obstacle_text(r.reason) for r in refusals_of(assessed(text)) if title_text(r.title).startswith("Split")
    ]
    assert reason.startswith(
        "a later iteration over i reads scores[(i - 1) * width + j - 1] after scores[i * width + j] was stored"
    )


def test_the_hosts_part_names_every_argument_and_queue() -> None:
    (offer,) = offered(read("bfs"), "plit into a memory")
    result = offer.host.splitlines()
    assert 'cl_kernel bfs_compute = clCreateKernel(program, "bfs_compute", &status);' in result
    text = offer.applied(read("bfs").encode()).decode()
    for name in ("bfs_memory", "bfs_compute"):
        head = re.search(rf"void {name}\(([^)]*)\)", text)
        assert head is not None
        taken = [part.split()[-1].lstrip("*") for part in head[1].split(",")]
        given = re.findall(rf"clSetKernelArg\({name}, (\d+), sizeof\(\w+\), &(\w+)\);", offer.host)
        assert given == [(str(i), a) for i, a in enumerate(taken)]
        assert f"clEnqueueTask({name}_queue, {name}, 0, NULL, NULL);" in result
    assert "clSetKernelArg(bfs_memory, 4, sizeof(cl_int), &nodes);" in result
    (piped,) = offered(read("bfs"), FOUR, pipes=True)
    assert len(re.findall(r"clCreatePipe\(", piped.host)) == len(set(re.findall(r"clSetKernelArg\(bfs_memory_\w+, \d+, "
        r"sizeof\(cl_mem\), &(bfs_\w+)\)", piped.host)))  # fmt: skip


def test_the_command_shows_the_hosts_part_before_the_patch(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "bfs.cl"
    path.write_bytes((EXAMPLES / "bfs.cl").read_bytes())
    assert main(["fix", str(path), "--unsafe", "--diff", "--pipes"]) == 0
    shown = capsys.readouterr().out
    host, _, patch = shown.partition("--- ")
    assert "clCreatePipe(context" in host
    assert " write_pipe(" in patch
    assert main(["fix", str(path), "--unsafe", "--apply"]) == 0
    assert "clEnqueueTask(" in capsys.readouterr().out
    assert b"write_channel_intel" in path.read_bytes()


@pytest.mark.parametrize("name", ["hs", "nn", "pr", "gc"])
def test_nothing_is_gained_where_no_loop_waits(name: str) -> None:
    # The paper measured 0.85, 1.03, 0.96 and 1.02: both kernels together move what the whole one did.
    assessor = Assessor()
    assessment = assessor.assess(read(name), f"{name}.cl", [])
    (fix,) = [f for f in fixes_of(assessor, assessment, [], every=True) if "plit into" in fix_title(f)]
    assert fix.offer.kind == "host"
    assert fix.speedup is not None
    assert 0.9 < fix.speedup < 1.01


def test_the_first_listing_comes_out() -> None:
    """FFD, Listing 1: the memory kernel loads and sends two values, the compute kernel squares and adds them."""
    text = (
        "__kernel void k(__global const float *restrict input0, __global const float *restrict input1,\n"
        "                __global float *restrict output0, const int n)\n{\n"
        "    for (int tid = 0; tid < n; tid++) {\n"
        "        float a = input0[tid];\n        float b = input1[tid];\n"
        "        float c = a * a + b * b;\n        output0[tid] = c;\n    }\n}\n"
    )
    memory, compute = re.split(r"(?=__kernel void k_compute)", after(text, "plit into a memory"))
    assert [line for line in lines(memory) if "write_channel" in line or "= input" in line] == [
        "const float input0_0 = input0[tid];", "write_channel_intel(k_input0_0, input0_0);",
        "const float input1_1 = input1[tid];", "write_channel_intel(k_input1_1, input1_1);",
    ]  # fmt: skip
    assert "float c = a * a + b * b;" in lines(compute)
    assert "output0[tid] = c;" in lines(compute)
    assert "output0" not in memory
    assert "input0[" not in compute


ROWS = """__kernel void rows(__global const int *restrict starts, __global const int *restrict edges,
                   __global int *restrict out, const int n)
{
    for (int i = 0; i < n; i++) {
        int r = 0;
        for (int j = starts[i]; j < starts[i + 1]; j++)
            r += edges[j];
        out[i] = r + out[n + i];
    }
}
"""


def test_loads_in_the_bounds_of_a_loop_come_before_it() -> None:
    """FFD, Step 3: a bound that the loop does not change is loaded once, and sent."""
    text = after(ROWS, "plit into a memory")
    memory, compute = re.split(r"(?=__kernel void rows_compute)", text)
    for part in (memory, compute):
        assert "for (int j = starts_0; j < starts_1; j++)" in " ".join(lines(part))
    assert [line for line in lines(memory) if "starts[" in line] == [
        "const int starts_0 = starts[i];", "const int starts_1 = starts[i + 1];",
    ]  # fmt: skip
    assert "starts[" not in compute


@pytest.mark.parametrize("title", ["plit into a memory", FOUR, EIGHT])
def test_bounds_from_memory_keep_what_is_computed(title: str) -> None:
    np = pytest.importorskip("numpy")
    text = ROWS.replace("restrict out", "out")  # a loop that waits for memory is given more kernels
    starts = np.cumsum(np.arange(21) % 4).astype(np.int32)
    arrays = {"starts": starts, "edges": np.arange(64, dtype=np.int32) * 3, "out": np.arange(64, dtype=np.int32)}
    offers = offered(text, title)
    for offer in offers:
        assert same(ran(offer.applied(text.encode()).decode(), arrays, {"n": 20}), ran(text, arrays, {"n": 20}))
    assert offers


@pytest.mark.parametrize("bound", ["starts[i + j]", "starts[r]", "n && edges[j] > 0"])
def test_bounds_that_a_loop_changes_are_refused(bound: str) -> None:
    assert offered(ROWS.replace("j < starts[i + 1]", f"j < {bound}"), "plit into a memory") == []


def test_a_bound_that_the_loop_may_store_to_is_to_be_asserted() -> None:
    text = ROWS.replace("            r += edges[j];", "            out[j] = edges[j];").replace(
        "starts[i + 1]", "out[n]"
    )
    (offer,) = offered(text, "plit into a memory")
    assert "nothing is read after it was stored to out" in title_text(offer.title)


QUALIFIED = """__kernel void q(__global const int *restrict x, __global const int *restrict ends,
                __global int *restrict y, const int n)
{
    DECLARED
    for (int i = 0; i < 16; i++)
        kept[i] = x[i];
    for (int i = 0; i < n; i++) {
        int sum = FIRST;
        ATTRIBUTE
        for (int j = 0; j < ends[i]; j++)
            sum += kept[j & 15];
        if (i > 2) ATTRIBUTE for (int j = 0; j < ends[i + 1]; j++) sum -= kept[j + 3 & 15];
        y[i] = sum;
    }
}
"""
UNROLLED_ONCE = "__attribute__((opencl_unroll_hint(1)))"


@pytest.mark.parametrize(
    ("declared", "first"),
    [
        ("__local int kept[16];", "kept[1]"),
        ("local int kept[16];", "kept[1]"),
        ("__local  /* all of them */\tint kept[16]; // to the end", "kept[1]"),
        ("__local // as others have it\n    int\n    kept[16];", "kept[1]"),
        ("__private int kept[16];", "kept[1]"),
        ("private int kept[16]; const int more = 3;", "more"),
        ("int kept[16]; __private const int more = 3; __private int least = 2;", "more + least"),
        ("int kept[16];\n    __constant int table[2] = {4, 5};", "table[1]"),
        ("volatile __local int kept[16];", "kept[1]"),
        ("__local volatile int kept[16];", "kept[1]"),
        ('__local int __attribute__((annotate("banks"))) kept[16];', "kept[1]"),
        ('__attribute__((annotate("one"))) __local int kept[16];', "kept[1]"),
        ('__attribute__((annotate("one")))\n    __attribute__((annotate("two")))\n    int kept[16];', "kept[1]"),
        ("int kept[16]\n    __attribute__((aligned(64)));", "kept[1]"),
    ],
)
@pytest.mark.parametrize("attribute", ["", UNROLLED_ONCE, "#pragma unroll 1"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_qualifiers_and_attributes_go_with_their_statement(declared: str, first: str, attribute: str, end: str) -> None:
    """What the grammar reads as blanks must not be left in front of the statement that follows."""
    np = pytest.importorskip("numpy")
    text = QUALIFIED.replace("DECLARED", declared).replace("FIRST", first)
    text = text.replace("(i > 2) ATTRIBUTE", f"(i > 2) {attribute}" if "#" not in attribute else "(i > 2)")
    text = text.replace("ATTRIBUTE", attribute).replace("\n", end)
    made = after(text, "plit into a memory")
    memory = made[made.index("q_memory") : made.index("__kernel void q_compute")].partition("{")[2]
    assert not re.search(r"attribute|#|local|private|constant|volatile|const int (?!x_|ends_)|kept", memory)
    assert made[made.index("q_compute") :].count("__attribute__") == text.count("__attribute__")
    arrays = {
        "x": np.arange(16, dtype=np.int32) * 7,
        "ends": np.arange(24, dtype=np.int32) % 5,
        "y": np.zeros(20, dtype=np.int32),
    }
    assert same(ran(made, arrays, {"n": 20}), ran(text, arrays, {"n": 20}))


def test_what_is_received_comes_before_the_qualifiers_of_the_statement_that_needs_it() -> None:
    text = HEAD + "{\n    for (int i = 0; i < n; i++) {\n        __private int v = x[i];\n        y[i] = v;\n    }\n}\n"
    compute = after(text, "plit into a memory").partition("k_compute")[2]
    assert lines(compute)[3:5] == ["const int x_0 = read_channel_intel(k_x_0);", "__private int v = x_0;"]


def test_a_qualifier_written_by_a_macro_is_written_out() -> None:
    text = "#define NEAR __local\n" + QUALIFIED.replace("DECLARED", "NEAR int kept[16];").replace("FIRST", "kept[1]")
    text = text.replace("ATTRIBUTE", "")
    (split, *_) = offered(text, "plit into a memory")
    compute = split.applied(text.encode()).decode().partition("q_compute")[2]
    assert lines(compute)[2] == "__local int kept[16];"


def test_macros_in_a_kernel_are_replaced_by_their_text() -> None:
    plain = """__kernel void k(__global const int *restrict a, __global int *restrict c, int n)
{
    for (int i = 0; i < n; i++)
        c[i] = a[i & 31] * 3 + a[(i + 1) & 31];
}
"""
    macros = "#define WHERE(i) ((i) & 31)\n#define A(at) a[WHERE(at)]\n#define IN __global const int *restrict\n"
    text = macros + plain.replace("a[i & 31]", "A(i)").replace("a[(i + 1) & 31]", "A(i + 1)")
    text = text.replace("__global const int *restrict a,", "IN a,")
    data = [
        Data({"a": np.arange(32, dtype=np.int32), "c": np.zeros(40, np.int32)}, {"n": np.int32(n)}) for n in (0, 40)
    ]
    found = [one for one in tried(text, data) if one.offer.title.kind == "split_two_queues"]
    assert [(one.unequal, one.why, one.launches) for one in found] == [(None, "", 2)]


def test_a_patch_of_all_edits_leaves_no_qualifier_behind(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "conv.cl"
    path.write_text(
        QUALIFIED.replace("DECLARED", "__local  int kept[16];").replace("FIRST", "kept[1]").replace("ATTRIBUTE", "")
    )
    assert main(["fix", str(path), "--host", "--all", "--apply"]) == 0
    assert "plit into" in capsys.readouterr().out
    assert not re.search(r"\b__local\b(?!\s+int kept\[16\];)", path.read_text())


@pytest.mark.parametrize("moved", ["a = a + 1;", "a++;", "a += n;"])
def test_an_argument_that_points_elsewhere_later_is_not_split(moved: str) -> None:
    text = f"""__kernel void k(__global const int *restrict a, __global int *restrict c, int n)
{{
    for (int i = 0; i < n; i++) {{
        c[i] = a[i] * 2;
        if (i == 77) {{ {moved} }}
    }}
}}
"""
    assessment = assessed(text)
    candidate = next(iter(Split().candidates(assessment, assessment.kernels[0])))
    with pytest.raises(NotOfferedError) as refused:
        candidate.make()
    assert obstacle_text(refused.value.reason) == "the kernel gives a another value, or its address away"


CLEARED = """__kernel void count(__global const uint *restrict u, __global uint *restrict bins, int n)
{
    for (int b = 0; b < 256; b++)
        bins[b] = 0;
    for (int i = 0; i < n; i++)
        bins[u[i]] = bins[u[i]] + 1;
}
"""
CLEARED_BY_MACROS = "#define BIN(i) bins[(i)]\n" + CLEARED.replace("bins[u[i]]", "BIN(u[i])").replace(
    "bins[b]", "BIN(b)"
)


@pytest.mark.parametrize("text", [CLEARED, CLEARED_BY_MACROS])
def test_nothing_is_asserted_that_holds_in_an_empty_launch_alone(text: str) -> None:
    assessor, layers = Assessor(), [Layer("file", {"arguments": {"n": 1 << 20}})]
    done = assessor.assess(text, "k.cl", layers)
    splits = [o for o in offers_of(done) if o.title.kind.startswith("split_two")]
    assert [[a.kind for a in o.title.asserts] for o in splits] == [["not_read_later"]]
    (found,) = contradicted(assessor, done, layers, lambda o: o in splits)
    assert isinstance(found.reason, Different)
    assert (found.reason.how, found.reason.buffer) == ("not_read_later", "bins")
