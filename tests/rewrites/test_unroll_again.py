"""Loops that a pragma unrolls by fewer copies than the advice names: the pragma is written anew."""

from __future__ import annotations

import re

import pytest

from burstline_server.interpreter.verdicts import Equal
from burstline_server.words.edits import fix_title
from tests.rewrites.equality import Data, tried
from tests.rewrites.test_unroll import DOT, SETTINGS, TAPS, fixes, refusals

np = pytest.importorskip("numpy")


def asked(text: str, *pragmas: str) -> str:
    """A text with lines in front of its innermost loop, which is the last one."""
    at = text.rindex("for (")
    line = text.rindex("\n", 0, at) + 1
    return text[:line] + "".join(f"{text[line:at]}{one}\n" for one in pragmas) + text[line:]


@pytest.mark.parametrize(
    ("written", "now"),
    [
        ("#pragma unroll 1", "#pragma unroll 1"),
        ("#pragma nounroll", "#pragma nounroll"),
        ("#  pragma  unroll (1)  // small", "# pragma unroll (1)"),
        ("#pragma unroll 1 /* small */", "#pragma unroll 1"),
        ("#pragma unroll 1u", "#pragma unroll 1u"),
        ("#pragma unroll 0x1 // one", "#pragma unroll 0x1"),
        ("#pragma unroll(1)\n", "#pragma unroll(1)"),
        ("#pragma /* few */ unroll 1\n        // as many as fit", "#pragma /* few */ unroll 1"),
        ("#pragma unroll \\\n 1\n\n", "#pragma unroll \\ 1"),
        ("#pragma unroll 1\n#pragma ivdep\n        /* all\n of them */", "#pragma unroll 1"),
    ],
)
def test_a_pragma_for_fewer_copies_is_written_anew(written: str, now: str) -> None:
    text = asked(TAPS, written)
    (fix,) = fixes(text)
    last = re.search(r"nounroll|unroll.*?\b(?:0x)?1u?\b\)?", written, re.DOTALL)
    assert last is not None
    comment = written[last.end() :]
    assert fix.offer.applied(text.encode()).decode() == asked(TAPS, f"#pragma unroll{comment}")
    assert fix_title(fix).startswith(f"Unroll the loop over k whole (3 iterations) in place of {now}: kernel ")
    assert isinstance(fix.execution, Equal)


def test_copies_are_counted_in_all() -> None:
    text = asked(DOT, "#pragma unroll 2")
    (fix,) = fixes(text)
    assert fix.offer.applied(text.encode()).decode() == asked(DOT, "#pragma unroll 16")
    assert fix_title(fix).startswith("Unroll the loop over k 16 times in place of #pragma unroll 2: kernel ")
    (plain,) = fixes(DOT)
    assert fix.gain is not None
    assert plain.gain is not None
    assert fix.gain.after_s == pytest.approx(plain.gain.after_s)
    assert fix.gain.speedup < plain.gain.speedup


def test_one_for_all_copies_of_no_constant_number_gets_a_number() -> None:
    (fix,) = fixes(asked(DOT, "#pragma unroll"))
    assert fix_title(fix).startswith("Unroll the loop over k 16 times in place of #pragma unroll: kernel ")


def test_as_many_copies_as_are_advised_are_left_alone() -> None:
    assert fixes(asked(DOT, "#pragma unroll 16")) == []
    assert all(fix.offer.title.names[0] == "j" for fix in fixes(asked(TAPS, "#pragma unroll 3")))


def test_other_pragmas_stay() -> None:
    text = asked(TAPS, "#pragma unroll 1", "#pragma ivdep")
    (fix,) = fixes(text)
    assert fix.offer.applied(text.encode()).decode() == asked(TAPS, "#pragma unroll", "#pragma ivdep")


@pytest.mark.parametrize(
    "lines",
    [
        ("#pragma unroll COPIES",),
        ("#pragma unroll (COPIES)",),
        ("#pragma unroll COPIES + 0",),
        ('_Pragma("unroll 1")',),
        ("#pragma unroll 1", "#if COPIES > 1", "#pragma ivdep", "#endif"),
        ("__attribute__((opencl_unroll_hint(1)))",),
        ("#pragma unroll 1", "__attribute__((opencl_unroll_hint(1)))"),
        ("#pragma unroll 1", "#pragma unroll 1"),
        ("#ifdef SMALL", "#pragma unroll 1", "#else", "#pragma unroll 1", "#endif"),
    ],
    ids=[
        "macro",
        "macro in parentheses",
        "sum",
        "operator",
        "condition behind",
        "attribute",
        "attribute as well",
        "twice",
        "condition",
    ],
)
def test_what_others_decide_stays(lines: tuple[str, ...]) -> None:
    text = "#define COPIES 1\n" + asked(TAPS, *lines)
    assert fixes(text) == []
    assert "a pragma already decides how it is built" in refusals(text)


@pytest.mark.parametrize("line", ["#pragma unroll 1", "#pragma unroll 1u /* small */\n\n"])
def test_results_stay(line: str) -> None:
    x = np.arange(8 * 1024, dtype=np.float32)
    data = [Data({"x": x, "y": np.zeros(8, np.float32)}, {"n": np.int32(n)}, (8,)) for n in (0, 1, 7, 64)]
    found = [one for one in tried(asked(TAPS, line), data, **SETTINGS) if "unroll" in one.offer.title.kind]
    assert found
    assert [one.why for one in found if one.unequal is not None] == []
