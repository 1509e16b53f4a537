"""Words and signs that a backslash at a line's end splits are read in one piece, and lead back to where they are."""

from __future__ import annotations

import pytest

from burstline_server.source.read import read_source
from tests.assessing import assess

PLAIN = """#define FACTOR 2
#define ADD(x, y) ((x) + (y))
__kernel void k(__global float *restrict a, __global const float *restrict b, int n) {
    float sum = 0.0f;
    for (int i = 0; i < 1024; i++) {
        sum += ADD(b[i], FACTOR) * 2.5e-3f;
        if (i >= 3 && n != 2) sum -= 1;
    }
    a[0] = sum;
}
"""
SPLIT = ("fl|oat", "su|m += AD", "10|24", "i+|+", "+|= A", "FACT|OR)", "A|DD(b", "2.|5e", "2.5e|-3", "2.5e-|3f",
         ">|= 3", "&|& n", "!|= 2", "-|= 1", "#def|ine", "#|define ADD", "FACT|OR 2", "(y)|)\n", "__ker|nel", "con|st",
         "i|nt n")  # fmt: skip


@pytest.mark.parametrize("split", SPLIT)
@pytest.mark.parametrize("end", ["\\\n", "\\\r\n", "\\\n\\\n"])
def test_a_split_word_changes_no_figure(split: str, end: str) -> None:
    whole = split.replace("|", "")
    text = PLAIN.replace(whole, split.replace("|", end), 1)
    before, after = assess(PLAIN).kernels[0].estimate, assess(text).kernels[0].estimate
    assert after.time_s == pytest.approx(before.time_s)
    assert len(after.loops) == len(before.loops)


def test_it_leads_back_to_the_whole_word() -> None:
    source = read_source("void f(int *x) { x[1\\\n0] = va\\\nl\\\nue + 3; }")
    start = source.text.index(b"value")
    origin = source.origin(start, start + 5)
    assert source.original[origin.start : origin.end] == b"va\\\nl\\\nue"
    behind = source.text.index(b"3;")
    assert source.original[source.origin(behind, behind + 1).start :].startswith(b"3; }")


@pytest.mark.parametrize(
    "text",
    [
        "// a comment that go\\\nes on\nint x;",
        "int a = b \\\n  + c;",
        "int a = b +\\\n c;",
        "int a = b -\\\n-c;",
        "/* a word\\\nword */ int y;",
        "#define LONG a\\\nb\nint z;",
    ],
)
def test_what_is_no_word_stays_as_it_is(text: str) -> None:
    source = read_source(text)
    assert len(source.text) == len(text)
    if not text.startswith(("//", "/*", "#")) and "-\\" not in text:
        assert source.text == text.encode()


def test_a_definition_goes_on_within_a_word() -> None:
    source = read_source("#define LENGTH 10\\\n24\nint z[LENGTH];")
    assert b"z[1024]" in source.text
