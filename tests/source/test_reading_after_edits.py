"""After an edit only its surroundings are read again, and the reading is the same as of the whole text."""

from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from burstline_server.source.read import read_source

TOUR = (Path(__file__).parents[2] / "examples" / "tour.cl").read_text("utf-8")
CONDITIONS = "int a;\n#if 0\nint b;\n// c\n\n#else\nint d(int x) {\n  // e\n  return x;\n}\n#endif\n/* f\n*/\nint g;\n"
PIECES = st.sampled_from(
    [
        "", " ", "\n", ";\n", "}\n", "{\n", "/*", "*/", "//", "\\\n", '"', "'", "__global", "local ", "kernel ",
        "__attribute__((", "))", "channel int c;\n", "[[intel::ivdep]]", "#if 0\n", "#endif\n", "x[i]", "é", "\r\n",
        "__constant int t[2] = {1, 2};\n", "#define N 4\n", "N",
    ]
)  # fmt: skip


@st.composite
def edited(draw: st.DrawFn) -> tuple[str, list[str]]:
    """A text, and texts that each follow from the one before by an edit."""
    text = draw(st.sampled_from([TOUR, CONDITIONS, "__kernel void f(__global int *x) {\n  x[0] = 1;\n}\n", ""]))
    texts = []
    first = text
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(text)))
        end = min(len(text), start + draw(st.integers(0, 40)))
        text = text[:start] + "".join(draw(st.lists(PIECES, max_size=3))) + text[end:]
        texts.append(text)
    return first, texts


@pytest.mark.slow
@settings(max_examples=300, deadline=None)
@given(edited())
@example(("/* a;\n*/ __global int *p;\nlocal int q;\n", ["a;\n*/ __global int *p;\nlocal int q;\n"]))
@example(("int a;\n/* b;\n", ["int a;\n/* b;\n__constant int q[1] = {1};\n"]))
@example(("int a;\n#if 0\nint b;\n", ["int a;\n#if 0\nint b;\nint c;\n"]))
@example(("__attribute__((packed {;\nint a;\n", ["__attribute__((packed {;\nint a))\n;"]))
@example(("__kernel void f() {\n  g();kernel \n}\n", ["__kernel void f() {\n  g();kernel \n}\n"]))
@example(("__attribute__((a/*b))\nint c*/;\nint d;\n", ["__attribute__((a/*b))\nint c*/*/;\nint d;\n"]))
def test_reading_again_gives_what_reading_the_whole_gives(texts: tuple[str, list[str]]) -> None:
    first, rest = texts
    source = read_source(first)
    for text in rest:
        source = read_source(text, before=source)
        whole = read_source(text)
        assert source.text == whole.text
        for part in (
            "notes",
            "pragmas",
            "segments",
            "sections",
            "macros",
            "inactive",
            "includes",
            "remarks",
            "comments",
        ):
            assert list(getattr(source, part)) == list(getattr(whole, part)), part
        places = range(len(source.original) + 1)
        assert [source.lines.position(at) for at in places] == [whole.lines.position(at) for at in places]
