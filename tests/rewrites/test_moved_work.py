"""Edits that move loads, stores and sums: what is offered, what is refused, and that results stay the same."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from burstline_server.assessment.assessor import Assessor
from burstline_server.cli.main import main
from burstline_server.config.layers import Layer
from burstline_server.diagnostics.catalogue import findings_of
from burstline_server.quantities import time_text, times_text
from burstline_server.rewrites.catalogue import fixes_of, offers_of, refusals_of
from burstline_server.rewrites.rewrite import Offer
from burstline_server.words.edits import fix_title, title_text
from burstline_server.words.obstacles import obstacle_text
from tests.assessing import assess, once
from tests.rewrites.runtime import runtime

HEAD = "__kernel void k(__global const {t} *restrict x, __global {t} *restrict y, const int n)\n"
CHAIN = (
    HEAD.format(t="float")
    + """{
    for (int i = 1; i < n; i++)
        y[i] = x[i] + 0.5f * y[i - 1]; // the one before
}
"""
)
ROWS = (
    HEAD.format(t="int")
    + """{
    for (int r = 0; r < 8; r++) {
        for (int c = 1; c < n / 8; c++) {
            const int left = y[r * (n / 8) + c - 1];
            y[r * (n / 8) + c] = left + x[r * (n / 8) + c];
        }
    }
}
"""
)
BARE = (
    ROWS.replace("r++) {", "r++)")
    .replace("        }\n    }\n", "        }\n")
    .replace("+ x[r * (n / 8) + c]", "+ x[r * (n / 8) + c] + y[(7 - r) * (n / 8) + c]")
)
LAG = CHAIN.replace("int i = 1", "uint i = 3").replace("y[i - 1]", "y[i - 3]")
PAIRS = (
    HEAD.format(t="int")
    + """{
    for (int r = 0; r < 8; r++) {
        #pragma ivdep array(x)
        for (int c = n / 8 - 1; c >= 4; c -= 2) {
            const int right = y[r * (n / 8) + c];
            y[r * (n / 8) + c - 4] = right * 3 + x[c]; /* two iterations on */
        }
    }
}
"""
)
COUNT = (
    HEAD.format(t="int")
    + """{
    for (int i = 0; i < n; i++) {
        atomic_add(&y[3], x[i]);
    }
}
"""
)
STEPS = (
    HEAD.format(t="int")
    + """{
    for (int i = 0; i < n; i++)
        atomic_inc(y);
}
"""
)
CHOICE = (
    HEAD.format(t="float")
    + """{
    for (int i = 0; i < n; i++) {
        y[i] = 1.0f;
        if (x[i] > 0.0f) {
            y[i] = x[i] * 3.0f;
        }
    }
}
"""
)
GUIDE = (
    HEAD.format(t="int")
    + """{
    for (int i = 0; i < n; i++) {
        if (i < 2)
            y[i] = 7;
        y[i] = x[i];
    }
}
"""
)
CACHED = """__kernel void k(__global const float *restrict x, __global float *restrict y, const int n)
{
    for (int i = 0; i < 16; i++)
        for (int j = 0; j < 256; j++)
            y[256 * i + j] = x[256 * i + j];
}
"""
CASES = {
    "Keep y[i] in a variable": CHAIN, "Keep y[r * (n / 8) + c] in a variable": ROWS, "Gather y in a variable": COUNT,
    "Gather y in a variable, one atomic_add": STEPS,
    "Keep y[r * (n / 8) + c] in a variable for": BARE,
    "Keep y[at] in a variable": CHAIN.replace(
        "        y[i] = x[i] + 0.5f * y[i - 1];", "{ int at = i; y[at] = x[at] + 0.5f * y[at - 1]; }"
    ),
    "Keep y[i] in a shift register for 3": LAG,
    "Keep y[r * (n / 8) + c - 4] in a shift register for 2": PAIRS,
    "Write y once": CHOICE,
    "Leave out the store to y": GUIDE,
    "Declare x volatile": CACHED,
}  # fmt: skip


@once
def offers(text: str, **settings: Any) -> list[Offer]:
    """Every edit that is possible, whether it pays or not."""
    layers = [Layer("file", {"arguments": {"n": 4096}, "aoc_version": "18.1", **settings})]
    return list(offers_of(Assessor().assess(text, "k.cl", layers)))


def applied(text: str, title: str) -> str:
    """The text with the edit of this title made."""
    (offer,) = [o for o in offers(text) if title_text(o.title).startswith(title)]
    assert offer.kind == "proved"
    return offer.applied(text.encode()).decode()


@pytest.mark.parametrize(
    ("title", "lines"),
    [
        (
            "Keep y[i] in a variable",
            [
                "    float y_before = 1 < n ? y[1 - 1] : 0;",
                "        y[i] = y_before = x[i] + 0.5f * y_before; // the one before",
            ],
        ),
        (
            "Keep y[i] in a shift register for 3",
            [
                "    float y_before[4];",
                "    y_before[1] = ((uint)3 < n) && (((uint)3 + 1) < n) ? y[((uint)3 + 1) - 3] : 0;",
                "        y[i] = y_before[3] = x[i] + 0.5f * y_before[0]; // the one before",
                "        y_before[2] = y_before[3];",
            ],
        ),
        (
            "Gather y in a variable",
            ["    int y_sum = 0;", "        y_sum += x[i];", "    if (y_sum)", "        atomic_add(&y[3], y_sum);"],
        ),
        ("Gather y in a variable, one atomic_add", ["        y_sum += 1;", "        atomic_add(y, y_sum);"]),
        ("Write y once", ["        y[i] = (x[i] > 0.0f) ? (float)(x[i] * 3.0f) : 1.0f;"]),
        ("Declare x volatile", [CACHED.splitlines()[0].replace("__global const", "__global volatile const")]),
    ],
)  # fmt: skip
def test_edit_reads_like_the_file(title: str, lines: list[str]) -> None:
    after = applied(CASES[title], title).splitlines()
    assert [line for line in lines if line not in after] == []


def test_constants_by_name_stay_in_the_edited_text() -> None:
    text = "#define FIRST 1\n#define HALF 0.5f\n" + CHAIN.replace("i = 1", "i = FIRST").replace("0.5f", "HALF")
    after = applied(text, "Keep y[i]")
    assert "    float y_before = FIRST < n ? y[FIRST - 1] : 0;\n" in after
    assert "y[i] = y_before = x[i] + HALF * y_before;" in after
    hidden = "#define NEXT i++\n" + CHAIN.replace("i++", "NEXT")
    assert [title_text(o.title) for o in offers(hidden) if title_text(o.title).startswith("Keep y")] == []


def test_overwritten_store_goes_with_its_condition() -> None:
    after = applied(GUIDE, "Leave out the store to y")
    assert "if (i < 2)" not in after
    assert after.count("y[i] =") == 1


@pytest.mark.parametrize("title", CASES, ids=[t.split()[0] + str(i) for i, t in enumerate(CASES)])
def test_applied_once_reads_clean_and_is_offered_no_more(title: str) -> None:
    text = CASES[title]
    after = applied(text, title)
    assert not Assessor().assess(after, "k.cl", []).source.tree.root_node.has_error
    assert [title_text(o.title) for o in offers(after) if title_text(o.title).startswith(title)] == []
    crlf = text.replace("\n", "\r\n")
    (offer,) = [o for o in offers(crlf) if title_text(o.title).startswith(title)]
    assert offer.applied(crlf.encode()).decode() == after.replace("\n", "\r\n")


def test_a_pragma_stays_right_before_its_loop() -> None:
    after = applied(PAIRS, "Keep y[r * (n / 8) + c - 4] in a shift register").splitlines()
    at = after.index("        #pragma ivdep array(x)")
    assert after[at + 1].startswith("        for (int c")
    assert after[at - 1].startswith("        y_before[1] = ")


def test_predicted_units_and_intervals_are_those_of_the_edited_text() -> None:
    settings = {"arguments": {"n": 4096}, "aoc_version": "18.1"}
    before, after = (assess(t, **settings).kernels[0] for t in (CHAIN, applied(CHAIN, "Keep y[i]")))
    assert (before.estimate.loops[0].ii or 0) > 100
    assert after.estimate.loops[0].ii == 5  # a product and a sum on Stratix 10 up to 19.2
    written = assess(applied(CHOICE, "Write y once"), **settings).kernels[0]
    assert {u.style for u in written.lsus} == {"Burst-coalesced"}
    kept = assess(applied(CACHED, "Declare x volatile"), **settings).kernels[0]
    assert all("cached" not in u.style for u in kept.lsus)


@pytest.mark.parametrize(
    "text",
    [
        CHAIN.replace("y[i - 1]", "y[i - 9]"),
        CHAIN.replace("y[i - 1]", "(i > 1 ? y[i - 1] : 2.0f)"),
        CHAIN.replace("y[i] =", "if (x[i] > 0) y[i] ="),
        CHAIN.replace("    for", "    if (n > 2) for"),
        COUNT.replace("    for", "    if (n > 2) for"),
        COUNT.replace("&y[3]", "&y[i & 3]"),
        COUNT.replace("atomic_add(&y[3], x[i]);", "int old = atomic_add(&y[3], x[i]); if (old > 9) y[0] = old;"),
        COUNT.replace("atomic_add", "if (x[i] > 0) atomic_add"),
        COUNT.replace("atomic_add(&y[3], x[i]);", "int b = 3; atomic_add(&y[b], x[i]);"),
        COUNT.replace("atomic_add(&y[3], x[i]);", "if (x[i] < 0) break; atomic_add(&y[3], x[i]);"),
        CHOICE.replace("x[i] > 0.0f", "y[i] > 0.0f"),
        CHOICE.replace("if (x[i] > 0.0f) {", "if (x[i] > 0.0f) { y[0] = 2.0f;"),
        CHOICE.replace("y[i] = 1.0f;", "y[i] = 1.0f; y[i + 1] = 2.0f;"),
        CHOICE.replace("restrict ", ""),
        CHOICE.replace("x[i] * 3.0f;", "x[i] * 3.0f, f(i);"),
        GUIDE.replace("y[i] = x[i]", "y[i + 1] = x[i]"),
        CACHED.replace("x[256 * i + j]", "x[j]"),
        CACHED.replace("x[256 * i + j]", "x[255 * i + j]"),
    ],
)
def test_not_offered_where_it_is_not_proved(text: str) -> None:
    proved = [title_text(o.title) for o in offers(text) if o.kind == "proved"]
    assert [title for title in proved if title.split()[0] in {"Keep", "Gather", "Write", "Leave", "Declare"}] == []


def test_ivdep_is_the_users_word_and_refused_against_proof() -> None:
    text = """__kernel void k(__global int *d, const int n, const int k)
{
    for (int j = 0; j < n; j++)
        d[j] = d[j] + d[k * n + j];
}
"""
    (offer,) = [o for o in offers(text) if "ivdep" in title_text(o.title)]
    assert offer.kind == "assertion"
    assert "unsafe" in title_text(offer.title)
    assert "    #pragma ivdep\n    for (int j" in offer.applied(text.encode()).decode()
    assert [o for o in offers(CHAIN) if "ivdep" in title_text(o.title)] == []
    refused = list(refusals_of(assess(CHAIN, arguments={"n": 4096})))
    assert [obstacle_text(r.reason) for r in refused if "ivdep" in title_text(r.title)] == [
        "a loop-carried dependence is proven"
    ]


def test_a_comment_ignores_a_finding_on_its_line() -> None:
    found = {f.code for f in findings_of(assess(CHAIN, arguments={"n": 4096}))}
    assert "BL401" in found
    above = CHAIN.replace("    for", "    // burstline: ignore BL401\n    for")
    assert "BL401" not in {f.code for f in findings_of(assess(above, arguments={"n": 4096}))}
    ignored = CHAIN.replace("i++)", "i++) // burstline: ignore BL401, BL106")
    assert "BL401" not in {f.code for f in findings_of(assess(ignored, arguments={"n": 4096}))}
    other = CHAIN.replace("    for", "    // burstline: ignore BL106\n    for")
    assert "BL401" in {f.code for f in findings_of(assess(other, arguments={"n": 4096}))}


def test_command_lists_shows_and_makes_edits(tmp_path: Any, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "k.cl"
    path.write_bytes(CHAIN.replace("\n", "\r\n").encode())
    options = ["--arg", "n=4096", "--aoc-version", "18.1"]
    assert main(["fix", str(path), *options]) == 0
    assert "Keep y[i] in a variable for the next iteration: kernel " in capsys.readouterr().out
    assert main(["fix", str(path), *options, "--diff"]) == 0
    patch = capsys.readouterr().out
    assert patch.startswith("--- ")
    assert "+    float y_before" in patch
    assert main(["fix", str(path), *options, "--code", "BL101"]) == 0
    assert "no edit pays" in capsys.readouterr().out
    assert main(["fix", str(path), "--code", "BL101"]) == 0
    # What is assumed says that none pays, as far as anybody knows.
    assert ": no edit pays at assumed sizes. Give n: --arg n=…" in capsys.readouterr().out
    assert path.read_bytes() == CHAIN.replace("\n", "\r\n").encode()
    assert main(["fix", str(path), *options, "--apply"]) == 0
    assert path.read_bytes().decode() == applied(CHAIN, "Keep y[i]").replace("\n", "\r\n")
    capsys.readouterr()
    assert main(["fix", str(tmp_path / "none.cl")]) == 2
    assert "no such file" in capsys.readouterr().err


@pytest.mark.parametrize("title", CASES, ids=[t.split()[0] + str(i) for i, t in enumerate(CASES)])
@pytest.mark.parametrize("n", [0, 1, 2, 64, 4096])
def test_edited_kernels_compute_the_same_on_a_real_runtime(title: str, n: int) -> None:
    cl, context, queue = runtime()
    np = pytest.importorskip("numpy")

    text = CASES[title]
    kind = np.float32 if "float *" in text else np.int32
    rng = np.random.default_rng(n)
    x, y = (rng.integers(-1000, 1000, 4096).astype(kind) for _ in range(2))

    def run(source: str) -> Any:
        (kernel,) = cl.Program(context, source).build(options=["-w"]).all_kernels()
        flags = cl.mem_flags
        a = cl.Buffer(context, flags.READ_ONLY | flags.COPY_HOST_PTR, hostbuf=x)
        b = cl.Buffer(context, flags.READ_WRITE | flags.COPY_HOST_PTR, hostbuf=y)
        kernel(queue, (1,), (1,), a, b, np.int32(n))
        out = np.empty_like(y)
        cl.enqueue_copy(queue, out, b)
        return out

    assert np.array_equal(run(applied(text, title)), run(text))


TWICE = """// burstline: n=1048576
__kernel void first(__global const float *restrict x, __global float *restrict y, const int n)
{
    for (int i = 0; i < n; i++)
        y[i] = x[i];
    for (int i = 1; i < n; i++)
        y[n + i] = x[i];
}

__kernel void second(__global const float *restrict x, __global float *restrict y, const int n)
{
    // burstline: n=2097152
    for (int i = 0; i < n; i++)
        y[i] = x[i];
}
"""


def test_lines_distinguish_edits_of_one_title(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    unrolled = {title_text(o.title): o for o in offers(TWICE, arguments={}) if title_text(o.title).startswith("Unroll")}
    assert list(unrolled) == [f"Unroll the loop over i 16 times (line {line})" for line in (4, 6, 13)]
    for title, offer in unrolled.items():
        after = offer.applied(TWICE.encode()).decode().splitlines()
        assert f"(line {after.index('    #pragma unroll 16') + 1})" in title
    path = tmp_path / "k.cl"
    path.write_text(TWICE)
    assert main(["fix", str(path), "--apply"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 3
    assert path.read_text().count("vload16") + path.read_text().count("#pragma unroll 16") == 3


def test_an_edit_is_priced_under_the_settings_of_its_own_kernel() -> None:
    assessor = Assessor()
    fixes = fixes_of(assessor, assessor.assess(TWICE, "k.cl", []), [])
    now = {fix.offer.kernel: fix_title(fix).partition(": kernel ")[2].partition(" →")[0] for fix in fixes}
    whole = assess(TWICE)
    ranges = {k.facts.name: (k.estimate.time_low_s or 0, k.estimate.time_high_s or 0) for k in whole.kernels}
    assert now == {name: times_text(*ends) for name, ends in ranges.items()}
    (widest,) = [f for f in fixes if f.offer.kernel == "second" and "Unroll" in fix_title(f)]
    alone = assess(widest.offer.applied(TWICE.encode()).decode()).kernels[1]
    assert f" → {time_text(alone.estimate.time_s or 0)}, " in fix_title(widest)


def test_an_edit_of_a_loop_that_nobody_counts_has_its_gain_at_an_assumed_count(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kernel = tmp_path / "k.cl"
    kernel.write_text("""__kernel void sum(__global const int *restrict ends, __global int *restrict y)
{
    int s = 0;
    for (int i = 0; i < ends[0]; i++)
        s += i;
    y[0] = s;
}
""")
    assert main(["fix", str(kernel)]) == 0
    shown = capsys.readouterr().out
    assert "Unroll the loop over i 16 times: kernel ≈? " in shown
    assert "no edit pays" not in shown
