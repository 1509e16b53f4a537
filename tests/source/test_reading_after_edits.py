"""After an edit only its surroundings are read again, and the reading is the same as of the whole text."""

from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from burstline_server.analysis.kernels import Kernels, read_kernels
from burstline_server.analysis.reuse import SnapshotCache
from burstline_server.source.read import read_source
from tests.effort import EFFORT

TOUR = (Path(__file__).parents[2] / "examples" / "tour.cl").read_text("utf-8")
CONDITIONS = "int a;\n#if 0\nint b;\n// c\n\n#else\nint d(int x) {\n  // e\n  return x;\n}\n#endif\n/* f\n*/\nint g;\n"
HIDDEN = """#define N 4
/* one
 two; {
 three */
int a[N];
#ifdef X
 int b; /* c
 d */ int e;
#if 1
 q w e
#endif
 z
#else
int f(int x) { return N; }
#endif
 /* of
 more */
__kernel void k(__global int *x) {
  x[0] = 1;
#if N > 5
  x[1] = 2;
  // y \\n
#endif
  x[3] = N;
}
#ifdef Y
 rest "\\n"
 of it
"""
PIECES = st.sampled_from(
    [
        "", " ", "\n", ";\n", "}\n", "{\n", "/*", "*/", "//", "\\\n", '"', "'", "__global", "local ", "kernel ",
        "__attribute__((", "))", "channel int c;\n", "[[intel::ivdep]]", "#if 0\n", "#endif\n", "x[i]", "é", "\r\n",
        "__constant int t[2] = {1, 2};\n", "#define N 4\n", "N", "\\", "\\n",
    ]
)  # fmt: skip


@st.composite
def edited(draw: st.DrawFn) -> tuple[str, list[str]]:
    """A text, and texts that each follow from the one before by an edit."""
    text = draw(st.sampled_from([TOUR, CONDITIONS, HIDDEN, "__kernel void f(__global int *x) {\n  x[0] = 1;\n}\n", ""]))
    texts = []
    first = text
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(text)))
        end = min(len(text), start + draw(st.integers(0, 40)))
        text = text[:start] + "".join(draw(st.lists(PIECES, max_size=3))) + text[end:]
        texts.append(text)
    return first, texts


@pytest.mark.slow
@settings(max_examples=100 * EFFORT, deadline=None, derandomize=True)
@given(edited())
@example(("/* a;\n*/ __global int *p;\nlocal int q;\n", ["a;\n*/ __global int *p;\nlocal int q;\n"]))
@example(("int a;\n/* b;\n", ["int a;\n/* b;\n__constant int q[1] = {1};\n"]))
@example(("int a;\n#if 0\nint b;\n", ["int a;\n#if 0\nint b;\nint c;\n"]))
@example(("#if 0\nint b;\n#en a;\n\n", ["#if 0\nint b;\n#en a;\nint c;\n\n"]))
@example(("__attribute__((packed {;\nint a;\n", ["__attribute__((packed {;\nint a))\n;"]))
@example(("__kernel void f() {\n  g();kernel \n}\n", ["__kernel void f() {\n  g();kernel \n}\n"]))
@example(("x\\\ny;\nint a;\n", ["\\\ny;\nint a;\n"]))
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


@pytest.mark.parametrize("place", ["  x[1] = 2;\n", "x[0] = 1;\n"])
def test_a_comment_is_read_by_itself_whatever_backslashes_are_near(place: str) -> None:
    text = HIDDEN.replace(place, place + '  // puts("\\n")\n', 1)
    assert text != HIDDEN
    before = read_source(text)
    at = text.index("// puts") + 3
    after = read_source(f"{text[:at]}never: {text[at:]}", before=before)
    assert after.change is not None
    assert (
        read_source(f"{text[:at]}\\\n {text[at:]}", before=before).text
        == read_source(f"{text[:at]}\\\n {text[at:]}").text
    )


INCLUDER = """#define N 8
#include "types.h"
/* of */ #include "before.cl"
__kernel void own(__global cell *x) { x[0].a = N; }

#include "part.cl" // of two kernels
// what follows
#if N > 4
#include "part2.cl"
#endif
static int last(int a) { return a * N; }
"""
PART = """// a part

__kernel void first(__global cell *restrict x)
{
    x[N].a = 1;
    /* of
    some lines */
    x[2 * N].a = x[1].a;
}
__attribute__((max_global_work_dim(0)))
__kernel void second(__global cell *restrict x) { x[0].a = 1; }
// its end
"""


@pytest.mark.slow
@settings(max_examples=100 * EFFORT, deadline=None, derandomize=True)
@given(st.data())
def test_an_edited_include_is_read_as_the_whole_is(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    folder = tmp_path_factory.mktemp("included", numbered=True)
    path, part = str(folder / "whole.cl"), folder / "part.cl"
    for name in ("types.h", "before.cl", "part2.cl"):
        (folder / name).write_text("typedef struct { int a; } cell;\n" if name == "types.h" else "")
    text = PART
    part.write_text(text)
    source, kernels = read_source(INCLUDER, path), Kernels(SnapshotCache())
    kernels.of(source)
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(text)))
        end = min(len(text), start + data.draw(st.integers(0, 12)))
        text = text[:start] + "".join(data.draw(st.lists(PIECES, max_size=2))) + text[end:]
        edited = {part.resolve(): text.encode()}
        source = read_source(INCLUDER, path, before=source, edited=edited)
        whole = read_source(INCLUDER, path, edited=edited)
        assert source.text == whole.text
        for name in ("notes", "pragmas", "segments", "sections", "macros", "includes", "remarks", "inactive"):
            assert list(getattr(source, name)) == list(getattr(whole, name)), name
        assert source.files == whole.files
        looked_for = [[(a, b, c and c.text) for a, b, c in one.given.looked_for] for one in (source, whole)]
        assert looked_for[0] == looked_for[1]
        assert [k.facts for k in kernels.of(source)] == list(read_kernels(whole))
        place = data.draw(st.integers(0, len(source.text)))
        assert source.origin(place, place + 1) == whole.origin(place, place + 1)
