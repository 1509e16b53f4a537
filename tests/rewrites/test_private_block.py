"""Blocks of a buffer in private arrays: what is copied, what is stored first, what is refused, that results stay."""

from __future__ import annotations

from typing import Any

import pytest

from burstline_server.rewrites.private_block import PrivateBlock
from burstline_server.rewrites.rewrite import Offer
from burstline_server.words.edits import title_text
from burstline_server.words.obstacles import obstacle_text
from tests.assessing import assess, once
from tests.rewrites.runtime import results

HEAD = """__kernel void k(__global const int *restrict x, __global int *restrict t, __global int *restrict y, int n)
{
"""
LOADED = (
    HEAD
    + """    const int i = get_global_id(0);
    int s = 0;
    for (int r = 0; r < 6; r++)
        for (int j = 0; j < 16; j++)
            s += x[i * 16 + j] * x[i * 16 + (j * r & 15)];
    y[i] = s;
}
"""
)
STORED = (
    HEAD
    + """    const int i = get_global_id(0);
    for (int j = 0; j < 16; j++)
        t[i * 16 + j] = x[i * 16 + j] * 2; // all of the row
    int s = 0;
    for (int r = 1; r < 6; r++)
        for (int j = 0; j < 16; j++) {
            s += t[i * 16 + (j * r & 15)];
            if (s > 40)
                t[i * 16 + j] += s;
        }
    y[i] = s;
}
"""
)
ROWS = (
    HEAD
    + """    for (int i = 0; i < n; i++)
        for (int r = 0; r < 4; r++)
            for (int j = 0; j < 12; j++)
                y[i * 4 + r] += x[i * 12 + 11 - j] + x[j + 1 + i * 12] * r;
}
"""
)
STEPS = (
    HEAD
    + """    for (int i = 0; i < n; i++) {
        for (int j = 0; j < 8; j++) {
            t[i * 8 + j]++;
            --t[i * 8 + 7 - j];
        }
        y[i] = t[i * 8 + (x[i] & 7)];
    }
}
"""
)
TABLE = (
    HEAD
    + """    for (int i = 0; i < n; i++) {
        t[x[i] & 31] = t[x[i] >> 3 & 31] * 2 + i;
        y[i] = t[i & 15];
    }
}
"""
)
WAITING = LOADED.replace("            s += ", "        {\n            s += ").replace(
    "& 15)];\n    y",
    "& 15)];\n            barrier(CLK_GLOBAL_MEM_FENCE);\n            atomic_add(&y[i], s);\n        }\n    y",
)
SENT = "channel int start;\n" + LOADED.replace("    int s = 0;", "    int s = read_channel_intel(start);")
BYTES = """__kernel void k(__global const uchar *restrict data, __global int *restrict t, int n)
{
    for (int i = 0; i < n; i++)
        t[data[i]] += i;
}
"""
CASES = {
    "loaded": (LOADED, "x"),
    "stored": (STORED, "t"),
    "rows": (ROWS, "x"),
    "steps": (STEPS, "t"),
    "table": (TABLE, "t"),
    "waiting": (WAITING, "x"),
}


@once
def offers(text: str, name: str) -> list[Offer]:
    """The edits of a buffer."""
    assessment = assess(text)
    (kernel,) = assessment.kernels
    return [o for o in PrivateBlock().offers(assessment, kernel) if o.title.names[0] == name]


def applied(text: str, name: str) -> str:
    """The text with the one edit of a buffer made."""
    (offer,) = offers(text, name)
    return offer.applied(text.encode()).decode()


def refusal(text: str, name: str) -> str:
    """Why a buffer is not copied."""
    assessment = assess(text)
    (kernel,) = assessment.kernels
    found = [r for r in PrivateBlock().refusals(assessment, kernel) if r.title.names == (name,)]
    return obstacle_text(found[0].reason) if found else ""


def test_a_row_is_copied_by_requests_of_whole_words() -> None:
    (offer,) = offers(LOADED, "x")
    assert offer.kind == "proved"
    assert title_text(offer.title) == (
        "Copy 16 elements of x to a private array first, in wide requests (1 kbit on the chip)"
    )
    assert applied(LOADED, "x").splitlines()[4:11] == [
        "    int x_block[16];",
        "    #pragma unroll",
        "    for (int k_ = 0; k_ < 16; k_++)",
        "        x_block[k_] = x[i * 16 + k_];",
        "    for (int r = 0; r < 6; r++)",
        "        for (int j = 0; j < 16; j++)",
        "            s += x_block[j] * x_block[j * r & 15];",
    ]
    (after,) = assess(applied(LOADED, "x"), global_size=[1 << 16]).kernels
    widths = {
        unit.lsu.width_bits for unit in after.estimate.units if after.facts.accesses[unit.lsu.members[0]].pointer == "x"
    }
    assert widths == {512}
    (before,) = assess(LOADED, global_size=[1 << 16]).kernels
    assert (before.estimate.time_s or 0) > 4 * (after.estimate.time_s or 1)


def test_lines_are_indented_as_the_file_is() -> None:
    text = LOADED.replace("    ", "  ").replace("int n)\n{", "int n) {")
    assert applied(text, "x").splitlines()[3:8] == [
        "  int x_block[16];",
        "  #pragma unroll",
        "  for (int k_ = 0; k_ < 16; k_++)",
        "    x_block[k_] = x[i * 16 + k_];",
        "  for (int r = 0; r < 6; r++)",
    ]


def test_what_the_kernel_stores_first_is_not_loaded() -> None:
    after = applied(STORED, "t")
    assert after.splitlines()[3:6] == [
        "    int t_block[16];",
        "    for (int j = 0; j < 16; j++)",
        "        t[i * 16 + j] = t_block[j] = x[i * 16 + j] * 2; // all of the row",
    ]
    assert "                t[i * 16 + j] = t_block[j] += s;" in after.splitlines()
    (kernel,) = assess(after).kernels
    assert {a.op for a in kernel.facts.accesses if a.pointer == "t"} == {"store"}


def test_an_iteration_of_a_loop_has_a_block_of_its_own() -> None:
    after = applied(ROWS, "x").splitlines()
    assert after[2:7] == [
        "    for (int i = 0; i < n; i++) {",
        "        int x_block[13];",
        "        #pragma unroll",
        "        for (int k_ = 0; k_ < 13; k_++)",
        "            x_block[k_] = x[i * 12 + k_];",
    ]
    assert "y[i * 4 + r] += x_block[11 - j] + x_block[j + 1] * r;" in after[9]


@pytest.mark.parametrize(
    ("text", "name", "why"),
    [
        (LOADED.replace("j < 16", "j < n"), "x", "bounds the index"),
        (LOADED.replace("x[i * 16 + j]", "x[i * 16 + (s & 15)]"), "x", "may lie outside its buffer"),
        (LOADED.replace("            s +=", "            if (s < n) s +="), "x", "may lie outside its buffer"),
        (LOADED.replace("  s +=", "  if (j > n) break; else s +="), "x", "may lie outside its buffer"),
        (STORED.replace("    y[i] = s;", "    barrier(CLK_GLOBAL_MEM_FENCE); y[i] = s;"), "t", "may store to t"),
        (STORED.replace("    y[i] = s;", "    y[i] = s; atomic_inc(&y[i]);"), "t", "may store to t meanwhile"),
        (SENT.replace("restrict x", "x"), "x", "others may store to x meanwhile"),
        (LOADED.replace("j * r & 15", "s & 4095"), "x", "too much for registers"),
        (LOADED.replace("(j * r & 15)", "(j * r & 15) - 1"), "x", "negative"),
        (LOADED.replace("s += x", "s += *(x + 1) * x"), "x", "other than as one element"),
        (LOADED.replace("int j", "uchar j").replace("j < 16", "j != 16"), "x", "may come round"),
        (STORED.replace("t[i * 16 + j] += s", "s += t[i * 16 + j]++"), "t", "the store is not a plain assignment"),
        (STORED.replace("+ j] += s", "+ (s++ & 15)] = s"), "t", "changes a variable"),
        (STORED.replace("16; j++)\n        t", "15; j++)\n        t"), "t", "may lie outside its buffer"),
        (ROWS.replace("y[i * 4", "next: y[i * 4"), "x", "do/goto/switch"),
        (LOADED.replace("const int *restrict x", "volatile const int *restrict x"), "x", ""),
    ],
)  # fmt: skip
def test_refused_with_the_reason(text: str, name: str, why: str) -> None:
    assert offers(text, name) == []
    assert why in refusal(text, name)


def test_a_step_counts_in_both() -> None:
    after = applied(STEPS, "t").splitlines()
    assert after[8:10] == [
        "            t[i * 8 + j] = ++t_block[j];",
        "            t[i * 8 + 7 - j] = --t_block[7 - j];",
    ]


def test_that_a_table_has_all_its_elements_is_the_users_word() -> None:
    (offer,) = offers(TABLE, "t")
    assert offer.kind == "assertion"
    assert "you assert that t holds 32 elements" in title_text(offer.title)


def test_buffers_that_may_overlap_are_asserted_not_to() -> None:
    text = STORED.replace("*restrict ", "*")
    (offer,) = offers(text, "t")
    assert offer.kind == "assertion"
    assert "you assert that t does not overlap y" in title_text(offer.title)


def test_what_is_only_loaded_may_be_waited_for() -> None:
    """No work-item stores to it; another kernel, which sends what it stored, would break `restrict`."""
    for text in (WAITING, WAITING.replace("restrict x", "x").replace("restrict y", "y"), SENT):
        (offer,) = offers(text, "x")
        overlaps = "restrict x" not in text
        assert offer.kind == ("assertion" if overlaps else "proved")
        assert ("x does not overlap y" in title_text(offer.title)) == overlaps
        assert "x_block[k_] = x[i * 16 + k_];" in offer.applied(text.encode()).decode()


@pytest.mark.parametrize("n", [0, 1, 2, 7])
@pytest.mark.parametrize("name", CASES)
def test_computes_the_same_on_a_real_runtime(name: str, n: int) -> None:
    np = pytest.importorskip("numpy")
    text, buffer = CASES[name]
    rng = np.random.default_rng(n)
    arrays: dict[str, Any] = {key: rng.integers(-99, 99, 400).astype(np.int32) for key in ("x", "t", "y")}
    items = (16, 4) if name in {"loaded", "stored", "waiting"} else (1, 1)
    expected = results(text, arrays, {"n": np.int32(n)}, *items)
    for ends in ("\n", "\r\n"):
        got = results(applied(text.replace("\n", ends), buffer), arrays, {"n": np.int32(n)}, *items)
        assert all(np.array_equal(expected[key], got[key]) for key in arrays)
    assert n == 0 or not np.array_equal(expected["y"], arrays["y"])


def test_a_block_that_bytes_index_is_counted_in_int() -> None:
    np = pytest.importorskip("numpy")
    after = applied(BYTES, "t")
    assert "for (int k_ = 0; k_ < 256; k_++)" in after or "for (int k = 0; k < 256; k++)" in after
    rng = np.random.default_rng(3)
    arrays = {"data": rng.integers(0, 256, 400).astype(np.uint8), "t": rng.integers(-99, 99, 400).astype(np.int32)}
    one, two = (results(text, arrays, {"n": np.int32(300)}) for text in (BYTES, after))
    assert np.array_equal(one["t"], two["t"])


@pytest.mark.parametrize("split", ["", "\\\n"])
def test_a_statement_alone_under_its_head_gets_braces_or_no_block(split: str) -> None:
    """Words that go on in the next line hide where it ends: no declaration takes its place as the loop's body."""
    body = f"        total = (x[i + 2] - x[i + 3]) * to{split}tal * x[i + 3];\n"
    text = f"{HEAD}    int total = 1;\n    for (int i = 0; i < n; i += 2)\n{body}    y[0] = total;\n}}\n"
    if split:
        assert offers(text, "x") == []
        assert "declar" in refusal(text, "x")
    else:
        assert "i += 2) {\n        int x_block[2];" in applied(text, "x")
