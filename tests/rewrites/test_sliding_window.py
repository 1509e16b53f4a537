"""A window instead of loads again and again, padding instead of a constant offset: the edits, and equal results."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from burstline_server.assessment.assessor import Assessor
from burstline_server.cli.main import main
from burstline_server.config.layers import Layer
from burstline_server.rewrites.catalogue import Fix, fixes_of, offers_of, refusals_of
from burstline_server.rewrites.chain import Chain
from burstline_server.rewrites.rewrite import Offer
from burstline_server.words.edits import fix_title, title_text
from burstline_server.words.obstacles import obstacle_text
from tests.assessing import assess, once
from tests.rewrites.runtime import results

HEAD = "__kernel void k(__global const {t} *restrict x, __global {t} *restrict y, const int n)\n"
THREE = (
    HEAD.format(t="int")
    + """{
    for (int i = 1; i < n; i++)
        y[i] = x[i - 1] + 2 * x[i] + x[i + 1]; // three taps
}
"""
)
ROWS = (
    HEAD.format(t="int")
    + """{
    for (int r = 1; r < 5; r++) {
        #pragma ii 1
        for (int c = 1; c < 15; c++) { // a row
            if (x[r * 16 + c] == n)
                continue;
            y[r * 16 + c] = x[r * 16 + c - 16] + n;
        }
    }
}
"""
).replace("x[r * 16 + c] == n", "x[r * 16 + c - 1] + x[r * 16 + c + 3] > n")
VECTORS = (
    HEAD.format(t="float4")
    + """{
    for (int i = 0; i < n; i++) { y[i] = x[i + 2] - x[i]; }
}
"""
)
MACROS = "#define LINE 16\n#define LAST (4 + 1)\n#define LIMIT (LINE - 1)\n" + ROWS.replace("16", "LINE").replace(
    "r < 5", "r < LAST"
).replace("c < 15", "c < LIMIT")
BARE = (
    HEAD.format(t="int")
    + """{
    for (int r = 1; r < 5; r++)
        for (int c = 1; c < 15; c++) // columns {
            y[r * 16 + c] = x[r * 16 + c - 1] + /* and */ x[r * 16 + c + 1];
}
"""
)
CASES = {"three": THREE, "rows": ROWS, "vectors": VECTORS, "macros": MACROS, "bare": BARE}
LANES = "__attribute__((reqd_work_group_size(16, 1, 1)))\n__attribute__((num_simd_work_items(16)))\n"
SHIFTED = (
    LANES
    + HEAD.format(t="int")
    + """{
    const int i = get_global_id(0);
    y[i] = x[i + 3] + n * x[n > 2 ? i + 4099 : i + 4099];
}
"""
)


@once
def offers(text: str, word: str) -> list[Offer]:
    """The edits of a kind that are possible."""
    layers = [Layer("file", {"arguments": {"n": 100_000}, "global_size": 1 << 20})]
    return [o for o in offers_of(Assessor().assess(text, "k.cl", layers)) if title_text(o.title).startswith(word)]


def applied(text: str, word: str = "Keep") -> str:
    """The text with the one edit of this kind made."""
    (offer,) = offers(text, word)
    assert offer.kind == ("host" if word == "Pad" else "proved")
    return offer.applied(text.encode()).decode()


def test_one_load_an_iteration_and_the_first_ones_only_if_the_loop_runs() -> None:
    assert applied(THREE).splitlines()[2:-1] == [
        "    int x_0;",
        "    int x_1 = 1 < n ? x[1 - 1] : 0;",
        "    int x_2 = 1 < n ? x[1] : 0;",
        "    for (int i = 1; i < n; i++) {",
        "        x_0 = x_1;",
        "        x_1 = x_2;",
        "        x_2 = x[i + 1];",
        "        y[i] = x_0 + 2 * x_1 + x_2; // three taps",
        "    }",
    ]
    loads = [a for a in assess(applied(THREE)).kernels[0].facts.accesses if a.pointer == "x" and a.loops]
    assert [a.index for a in loads] == ["i + 1"]


def test_elements_between_are_carried_too() -> None:
    after = applied(ROWS)
    assert "        int x_1 = x[r * 16 + 1 - 1];\n        int x_2 = x[r * 16 + 1 + 3 - 3];\n" in after
    assert "        #pragma ii 1\n        for" in after
    assert "(x_0 + x_4 > n)" in after
    assert "x[r * 16 + c - 16]" in after


def test_wide_neighbourhoods_are_predicted_to_gain() -> None:
    text = ROWS.replace("16", "1024").replace("c < 15", "c < 1023").replace("r < 5", "r < 1023")
    layers, assessor = [Layer("file", {"arguments": {"n": 7}})], Assessor()
    fixes = fixes_of(assessor, assessor.assess(text, "k.cl", layers), layers, every=True)
    (fix,) = [f for f in fixes if fix_title(f).startswith("Keep")]
    before, after = (assess(t, arguments={"n": 7}).kernels[0].estimate for t in (text, applied(text)))
    assert before.time_s is not None
    assert after.time_s is not None
    assert fix.speedup == before.time_s / after.time_s


@pytest.mark.parametrize(
    "text",
    [
        THREE.replace("x[i - 1] + 2 * x[i]", "(i > 1 ? x[i - 1] + x[i] : 0)"),
        THREE.replace("y[i] =", "if (i > 3) y[i] ="),
        THREE.replace("*restrict x", "*x").replace("*restrict y", "*y"),
        THREE.replace("x[i - 1] + 2 * x[i] + x[i + 1]", "x[3 * i] + x[3 * i + 1]"),
        THREE.replace("i < n", "i < n && n > 3"),
        THREE.replace("x[i + 1]", "x[i + 99]").replace("x[i - 1]", "x[i + 50]"),
        THREE.replace("        y[i] =", "    {\n int at = i;\n y[i] = x[at + 1] +").replace("taps\n", "taps\n    }\n"),
        THREE.replace("    for", "    #pragma unroll 4\n    for"),
        THREE.replace("    for", "    if (n > 2) for"),
        THREE.replace("y[i] =", "if (x[i] == 0) break; y[i] =")
        .replace("        if", "    {    if")
        .replace("taps", "}\n}"),
        THREE.replace("const int *", "volatile int *"),
    ],
)
def test_no_window_where_it_is_not_proved(text: str) -> None:
    assert [title_text(o.title) for o in offers(text, "Keep")] == []


def test_a_loop_that_a_pragma_leaves_rolled_gets_a_window_above_it() -> None:
    after = applied(THREE.replace("    for", "    #pragma unroll 1\n    for"))
    assert "    int x_2 = 1 < n ? x[1] : 0;\n    #pragma unroll 1\n    for (int i = 1; i < n; i++) {\n" in after


def test_a_comment_that_goes_on_in_the_next_line_stays_behind_the_block() -> None:
    text = THREE.replace("// three taps", "// three \\\n   taps")
    assert "x_2; // three \\\n" not in applied(text)
    assert applied(text).count("\n    } // three \\\n   taps\n") == 1
    lines = text.replace("\n", "\r\n")
    assert applied(lines).count("\r\n    } // three \\\r\n   taps\r\n") == 1


@pytest.mark.parametrize("text", [*CASES.values(), SHIFTED], ids=[*CASES, "shifted"])
def test_reads_clean_and_is_offered_once(text: str) -> None:
    word = "Pad" if text == SHIFTED else "Keep"
    after = applied(text, word)
    assert not assess(after).source.tree.root_node.has_error
    assert offers(after, word) == []
    assert applied(text.replace("\n", "\r\n"), word) == after.replace("\n", "\r\n")


@pytest.mark.parametrize("n", [-3, 0, 1, 2, 3, 64])
@pytest.mark.parametrize("name", CASES)
def test_window_computes_the_same_on_a_real_runtime(name: str, n: int) -> None:
    np = pytest.importorskip("numpy")
    rng = np.random.default_rng(n + 3)
    type_ = np.float32 if name == "vectors" else np.int32
    arrays: dict[str, Any] = {key: rng.integers(-50, 50, 512).astype(type_) for key in ("x", "y")}
    expected, got = (results(t, arrays, {"n": np.int32(n)}) for t in (CASES[name], applied(CASES[name])))
    assert all(np.array_equal(expected[key], got[key]) for key in arrays)
    assert n < 2 or not np.array_equal(expected["y"], arrays["y"])


def test_padding_aligns_a_constant_offset() -> None:
    after = applied(SHIFTED, "Pad")
    assert "y[i] = x[i + 16] + n * x[(n > 2 ? i + 4099 : i + 4099) + 13];" in after
    (offer,) = offers(SHIFTED, "Pad")
    assert title_text(offer.title) == "Pad x (needs a host change: 13 elements in front of its data)"
    only = SHIFTED.replace(" + n * x[n > 2 ? i + 4099 : i + 4099]", "")
    styles = [{u.style for u in assess(t, global_size=1 << 20).kernels[0].lsus} for t in (only, applied(only, "Pad"))]
    assert styles == [{"Burst-coalesced non-aligned", "Burst-coalesced"}, {"Burst-coalesced"}]
    assert offers(only.replace("i + 3]", "i + 32]"), "Pad") == []
    # An octal number counts in eights, and a sign binds closer than a sum.
    assert "y[i] = x[i + 011 + 7]" in applied(only.replace("i + 3]", "i + 011]"), "Pad")
    assert "y[i] = x[i * + 1 + 16]" in applied(only.replace("i + 3]", "i * + 1 + 1]"), "Pad")
    assert offers(only.replace("i + 3]", "i + 3] + *(x - 0)"), "Pad") == []


@pytest.mark.parametrize("items", [16, 48, 256])
def test_padded_data_gives_the_same_on_a_real_runtime(items: int) -> None:
    np = pytest.importorskip("numpy")
    rng = np.random.default_rng(items)
    arrays: dict[str, Any] = {key: rng.integers(-50, 50, 8192).astype(np.int32) for key in ("x", "y")}
    padded = arrays | {"x": np.concatenate([np.full(13, 999, np.int32), arrays["x"]])}
    expected = results(SHIFTED, arrays, {"n": np.int32(3)}, items, 16)
    got = results(applied(SHIFTED, "Pad"), padded, {"n": np.int32(3)}, items, 16)
    assert np.array_equal(expected["y"], got["y"])


TWO_READS = """#define P 2561
__kernel void shifted(__global const uchar *restrict in, __global uchar *restrict out, const int n)
{
    uchar reg[P];
    #pragma unroll
    for (int m = 0; m < P; m++) reg[m] = in[m];
    for (int i = 0; i < n; i++) {
        #pragma unroll
        for (int k = 0; k < 32; k++) {
            out[i * 32 + k] = reg[0] + reg[P - 1];
            #pragma unroll
            for (int s = 0; s < P - 1; s++) reg[s] = reg[s + 1];
            reg[P - 1] = in[P + i * 32 + k];
        }
    }
}
"""


def test_padding_that_takes_another_request_off_its_word_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "shifted.cl"
    path.write_text(TWO_READS)
    said = [obstacle_text(r.reason) for r in refusals_of(assess(TWO_READS)) if r.title.kind == "pad"]
    assert said == ["31 elements in front of the data of in take another request off its word"]
    assert main(["fix", str(path), "--all", "--host", "--diff"]) == 0
    assert capsys.readouterr().out == ""


def test_a_buffer_is_laid_out_once_in_a_run() -> None:
    """What was padded in one run of edits is not padded again, whatever the text asks for by then."""
    assessor, layers = Assessor(), [Layer("file", {"global_size": [1 << 20, 1, 1]})]
    now = assessor.assess(SHIFTED, "k.cl", layers)

    def padding(text: str) -> list[Fix]:
        return fixes_of(assessor, assessor.assess(text, "k.cl", layers), layers, every=True, chosen=_pads)

    chain = Chain(SHIFTED, now, layers)
    assert chain.advance(padding(SHIFTED))
    again = SHIFTED.replace("i + 3]", "i + 5]").replace("4099", "4101")
    assert padding(again)
    assert not chain.advance(padding(again))


def _pads(offer: Offer) -> bool:
    return offer.title.kind == "pad_by"
