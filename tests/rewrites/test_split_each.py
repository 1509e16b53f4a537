"""Splits of kernels whose outermost loop carries a dependence: the host launches them for each of its iterations."""

from __future__ import annotations

from pathlib import Path

import pytest

from burstline_server.assessment.assessor import Assessor
from burstline_server.cli.main import main
from burstline_server.config.layers import Layer
from burstline_server.interpreter.verdicts import Equal
from burstline_server.rewrites.catalogue import executed, fixes_of, offers_of, refusals_of
from burstline_server.rewrites.rewrite import Offer
from burstline_server.words.edits import fix_title, title_text
from burstline_server.words.obstacles import obstacle_text
from tests.assessing import once
from tests.rewrites.equality import Data, assessed, held_against, ran
from tests.rewrites.test_split import AGAIN, EXAMPLES, read

np = pytest.importorskip("numpy")

HEAD = """__kernel void k(__global int *restrict a, __global int *restrict b, __global int *restrict c, int n, int m)
{{
{}
}}
"""
ROWS = """    for (int j = 1; j < n - 1; ++j)
        for (int i = 1; i < n - 1; ++i) {
            int at = j * n + i;
            a[at] = max(a[at - 1 - n] + b[at], max(a[at - 1] - m, a[at - n] - m));
        }"""
STEPS = """    for (int t = 0; t < n; t++)
        for (int i = 1; i < 30; i++)
            a[(t + 1) * 32 + i] = a[t * 32 + i - 1] + a[t * 32 + i] + b[i];"""
SIZES = ((8, 6), (0, 0), (1, 1), (2, 2), (3, 5), (7, 3), (-2, 4))


def kernel(body: str) -> str:
    return HEAD.format(body)


def wrapped(line: str, body: str = ROWS) -> str:
    """The rows with a line more in each iteration of the outer loop."""
    return body.replace("++j)", f"++j) {{ {line}", 1) + " }"


def data(*names: str) -> list[Data]:
    """Launches of every size, zero trips among them."""
    found = []
    for seed, (n, m) in enumerate(SIZES):
        draw = np.random.default_rng(seed)
        arrays = {name: draw.integers(-3, 9, 400).astype(np.int32) for name in names}
        found.append(Data(arrays, {"n": np.int32(n), "m": np.int32(m)}))
    return found


@once
def splits(text: str) -> list[Offer]:
    return [o for o in offers_of(assessed(text)) if "plit into" in title_text(o.title)]


def reasons(text: str) -> list[str]:
    return [obstacle_text(r.reason) for r in refusals_of(assessed(text)) if title_text(r.title).startswith("Split")]


def equal_everywhere(text: str, offer: Offer) -> bool:
    """Whether the split computes the same on the runtime, and in the interpreter."""
    launched = data("a", "b", "c")
    tried = held_against(offer, offer.applied(text.encode()).decode(), launched, [ran(text, one) for one in launched])
    assert tried.launches == len(launched)
    verdict = executed(Assessor(), assessed(text), [], offer)
    return tried.unequal is None and isinstance(verdict, Equal)


LEGAL = {
    "rows": ROWS,
    "braces": ROWS.replace("++j)", "++j) {") + " }",
    "index of two variables": ROWS.replace("int at = j * n + i;", "int row = j * n, at = row + i;"),
    "unsigned index": ROWS.replace("int at", "uint at"),
    "closed bound": ROWS.replace("j < n - 1", "j <= n - 2"),
    "bound by a product": ROWS.replace("j < n - 1", "j < 2 * (n - 1) - n + 1"),
    "bound in a variable": "    int g = n, e = g - 1;\n" + ROWS.replace("j < n - 1", "j < e"),
    "counter outside": "    int i, j;\n" + ROWS.replace("int j = 1", "j = 1").replace("int i = 1", "i = 1"),
    "variable set first": "    int w, x = 3;\n"
    + ROWS.replace("int at =", "w = x * m; int at =").replace("- m,", "- w,"),
    "private table": "    int t[4] = {1, 2, 3, 4};\n" + ROWS.replace("- m, a", "- t[j & 3], a"),
    "another buffer": ROWS.replace("        }", "            c[at] = a[at - n] + 1;\n        }"),
    "a row that is read and written": ROWS.replace("        }", "            c[i] = c[i] + a[at - n];\n        }"),
    "two iterations before": ROWS.replace("a[at - 1] - m", "a[at - 2] - m"),
    "time steps": STEPS,
}


@pytest.mark.parametrize("name", LEGAL)
def test_rows_are_split_and_launched_one_after_the_other(name: str) -> None:
    text = kernel(LEGAL[name])
    offer = next(iter(splits(text)))
    assert f"launched for each {'t' if name == 'time steps' else 'j'}" in title_text(offer.title)
    assert offer.kind == "host"
    assert "unsafe" not in title_text(offer.title)
    assert equal_everywhere(text, offer)


REFUSED = {
    "index changes": ROWS.replace("            a[at] =", "            if (b[at] > 3) at += 0;\n            a[at] ="),
    "narrow index": ROWS.replace("int at", "short at"),
    "index of itself": ROWS.replace("int at = j * n + i;", "int row = j * n, at = at + row + i;"),
    "not equal": ROWS.replace("j < n - 1", "j != n - 1"),
    "unsigned counter": ROWS.replace("int j", "uint j"),
    "loaded bound": ROWS.replace("j < n - 1", "j < c[0]"),
    "divided bound": ROWS.replace("j < n - 1", "j < n / 2"),
    "octal bound": ROWS.replace("j < n - 1", "j < 010"),
    "unsigned bound": "    uint e = n - 1;\n" + ROWS.replace("j < n - 1", "j < e"),
    "bound that changes": "    int e = n - 1; e = e - 1;\n" + ROWS.replace("j < n - 1", "j < e"),
    "argument that changes": "    n = n - 1;\n" + ROWS,
    "break": wrapped("if (j > 3) break;"),
    "continue": wrapped("if (j == 2) continue;"),
    "continue within": ROWS.replace("            a[at] =", "            if (i == 2) continue;\n            a[at] ="),
    "return": wrapped("if (j == 3) return;"),
    "store after": ROWS + "\n    c[0] = n;",
    "store before": "    c[0] = n;\n" + ROWS,
    "load before": "    int w = c[0];\n" + ROWS.replace("- m,", "- w,"),
    "carried": "    int s = 0;\n" + wrapped("s += j;").replace("- m, a", "- s, a"),
    "carried on a condition": "    int s = 0;\n" + wrapped("if (j & 1) s = j;").replace("- m, a", "- s, a"),
    "counter read after": "    int j;\n" + ROWS.replace("int j", "j") + "\n    c[0] = j;",
    "private table that changes": "    int t[4] = {1, 2, 3};\n" + wrapped("t[j & 3] += 1;").replace("- m,", "- t[1],"),
    "local memory": "    __local int t[16];\n" + wrapped("t[j & 15] = j;").replace("- m, a", "- t[1], a"),
    "a store on a condition": ROWS.replace("            a[at] =", "            if (b[at] > 2) a[at] ="),
    "a second store": ROWS.replace("        }", "            a[at] += b[i];\n        }"),
    "a second loop": wrapped("").removesuffix(" }") + "\n  for (int i = 1; i < n - 1; i++) c[i] += a[j * n + i]; }",
    "carried in the row": ROWS.replace("        }", "            c[i + 1] = c[i] + b[i];\n        }"),
    "printf": wrapped('printf("x");'),
    "pragma": ROWS.replace("        for (int i", "#pragma ivdep\n        for (int i"),
    "one loop": "    for (int i = 1; i < n; i++)\n        if (b[i] > 2) a[i] = a[i - 1] + 1;",
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_others_are_refused_with_the_reason(name: str) -> None:
    text = kernel(REFUSED[name])
    assert splits(text) == []
    assert reasons(text)


def test_nothing_is_promised_that_rows_do_not_need() -> None:
    """Without restrict the user asserts that buffers keep apart; nothing is asserted of the rows."""
    text = kernel(ROWS).replace(" *restrict", " *")
    offer = next(iter(splits(text)))
    assert offer.kind == "assertion"
    assert "launched for each j" in title_text(offer.title)
    assert equal_everywhere(text, offer)


def test_time_steps_over_places_that_data_name_need_the_users_word() -> None:
    offer = next(iter(splits(AGAIN)))
    assert "launched for each t" in title_text(offer.title)
    assert "you assert that in each launch nothing is read after it was stored to x" in title_text(offer.title)


def test_the_host_gives_the_counter_and_waits(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "rows.cl"
    path.write_text(kernel(ROWS), "utf-8")
    assert main(["fix", str(path), "--host", "--aoc-version", "19.4", "--arg", "n=4096", "--diff"]) == 0
    shown = capsys.readouterr().out
    before, loop = shown.split("for (cl_int j = 1; j < n - 1; j += 1) {\n")
    inside = loop[: loop.index("\n}\n")].splitlines()
    assert "&j);" not in before
    assert [line.strip().split("(")[0] for line in inside] == [
        "clSetKernelArg", "clEnqueueTask", "clSetKernelArg", "clEnqueueTask", "clFinish", "clFinish",
    ]  # fmt: skip
    assert sum(line.endswith("sizeof(cl_int), &j);") for line in inside) == 2


def test_the_papers_alignment_gains_what_was_measured() -> None:
    """FFD, Table 2: 50.95 for NW, by launches for each row, which take their time."""
    path = EXAMPLES / "nw.cl"
    assessor = Assessor()
    found = fixes_of(assessor, assessor.assess(read("nw"), str(path), []), [], every=True)
    fix = next(f for f in found if "plit into a memory" in fix_title(f))
    assert fix.gain is not None
    assert fix.gain.speedup_range is not None
    least, most = fix.gain.speedup_range
    assert least < 50.95 < most
    assert fix.offer.kind == "host"


def test_launches_are_part_of_the_time() -> None:
    """Short rows do not pay: each launch takes longer than the row."""
    layers = [Layer("file", {"aoc_version": "19.4", "board": "pac_a10", "arguments": {"n": 64, "m": 1}})]
    assessor = Assessor()
    found = fixes_of(assessor, assessor.assess(kernel(ROWS), "k.cl", layers), layers, every=True)
    fix = next(f for f in found if "plit into a memory" in fix_title(f))
    assert fix.speedup is not None
    assert fix.speedup < 1
