"""Comments typed in a file that others include: each answer is that of a reading from scratch."""

import random
from pathlib import Path

import pytest

from burstline_server.assessment.assessor import Assessment, Assessor
from burstline_server.diagnostics.catalogue import findings_of
from burstline_server.source.edit import difference
from burstline_server.source.words import changes_gap

PART = """// Helpers of both files.
#define TWICE(a) ((a) * 2) // an argument
float at(__global const float *restrict x, int i)
{
    float sum = 0.0f; /* begins */
    for (int k = 0; k < 8; k++) {
        sum += x[TWICE(i) + k]; // a comment
    }
    return sum;
}

void put(__global float *restrict y, int i, float v)
{
    if (i > 0)
        y[i * 3] = v - 1.0f / 2.0f;
}
"""
WHOLE = """#define KERNEL {name}
#include "part.cl"
__kernel void KERNEL(__global const float *restrict x, __global float *restrict y, int n)
{{
    for (int i = 0; i < n; i++) put(y, i, at(x, i){fault});
}}
"""
TYPED = ("// a", " b", "/* c */", "\n", "\n    // d\n", "x", "/", "*", "*/", "/*", '"', "'", " ", "\\\n", "//")


def said(one: Assessment) -> object:
    """All of an answer that its user sees, with its places."""
    kernels = [(k.facts.model_dump_json(), repr(k.estimate), repr(k.lsus)) for k in one.kernels]
    return kernels, one.faults, one.withheld, [repr(f) for f in findings_of(one)]


@pytest.mark.parametrize("seed", range(3))
def test_random_edits_answer_as_from_scratch(tmp_path: Path, seed: int) -> None:
    for name in ("one", "other"):
        fault = "" if seed % 3 else " + lacks(i)"
        (tmp_path / f"{name}.cl").write_text(WHOLE.format(name=name, fault=fault))
    path = tmp_path / "part.cl"
    path.write_text(PART)
    text, rng, kept = PART, random.Random(seed), Assessor([tmp_path])
    kept.assess(text, str(path), [])
    for _ in range(8):
        place = rng.randrange(len(text) - 1)
        if rng.random() < 0.6:  # mostly in a comment, or between statements
            place = text.find("\n", place) % len(text)
        if rng.random() < 0.3:
            text = text[:place] + text[place + rng.randrange(4) :]
        else:
            text = text[:place] + rng.choice(TYPED[:6]) + text[place:]
        assert said(kept.assess(text, str(path), [])) == said(Assessor([tmp_path]).assess(text, str(path), [])), text
        if rng.random() < 0.3:
            text = PART


def test_a_comment_leaves_what_includers_say(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "one.cl").write_text(WHOLE.format(name="one", fault=""))
    path, kept = tmp_path / "part.cl", Assessor([tmp_path])
    path.write_text(PART)
    first = kept.assess(PART, str(path), [])
    monkeypatch.setattr("burstline_server.analysis.kernels._FileScope.read", lambda *_: pytest.fail("it is read again"))
    second = kept.assess(PART.replace("// a comment", "// a comment that goes on"), str(path), [])
    assert [k.facts.name for k in first.kernels] == [k.facts.name for k in second.kernels] == ["one"]


@pytest.mark.parametrize(
    ("old", "new", "gap"),
    [
        ("a; // b\nc;\n", "a; // bd\nc;\n", True),
        ("a;\n    c;\n", "a;\n    // d\n    c;\n", True),
        ("a; /* b */ c;\n", "a; /* bb */ c;\n", True),
        ("a; c;\n", "a;\nc;\n", False),
        ("a; // b\nc;\n", "a; // b\nxc;\n", False),
        ("a; // b\nc;\n", "a; b\nc;\n", False),
        ("a; /* b\n// c\nd;\n", "a; /* b\n// c */\nd;\n", False),
        ("a; // b \\\n/* c\nd; e; */\n", "a; // b \\\n/* c\nd; f; */\n", False),
        ('s = "//";\n', 's = "// a";\n', False),
        ("#include <a//b>\n", "#include <a//bc>\n", False),
        ("ab;\n", "a b;\n", False),
    ],
)
def test_what_changes_comments_and_blanks_alone(old: str, new: str, gap: bool) -> None:
    before, after = old.encode(), new.encode()
    assert changes_gap(before, after, difference(before, after)) is gap
