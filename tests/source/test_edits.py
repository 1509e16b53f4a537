"""After an edit only its surroundings are read again, and the reading is the same as of the whole text."""

from pathlib import Path

from hypothesis import example, given, settings
from hypothesis import strategies as st

from burstline_server.source.mask import mask, remask
from burstline_server.source.source import read_source

TOUR = (Path(__file__).parents[2] / "examples" / "tour.cl").read_text("utf-8")
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
    text = draw(st.sampled_from([TOUR, "__kernel void f(__global int *x) {\n  x[0] = 1;\n}\n", ""]))
    texts = []
    first = text
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(text)))
        end = min(len(text), start + draw(st.integers(0, 40)))
        text = text[:start] + "".join(draw(st.lists(PIECES, max_size=3))) + text[end:]
        texts.append(text)
    return first, texts


@settings(max_examples=300, deadline=None)
@given(edited())
@example(("/* a;\n*/ __global int *p;\nlocal int q;\n", ["a;\n*/ __global int *p;\nlocal int q;\n"]))
@example(("__attribute__((packed {;\nint a;\n", ["__attribute__((packed {;\nint a))\n;"]))
def test_masking_again_is_masking(texts: tuple[str, list[str]]) -> None:
    first, rest = texts
    masked = mask(first.encode())
    for text in rest:
        masked = remask(masked, text.encode())
        whole = mask(text.encode())
        assert (masked.text, masked.notes) == (whole.text, whole.notes)


@settings(max_examples=60, deadline=None)
@given(edited())
def test_reading_again_gives_the_tree_of_the_whole_text(texts: tuple[str, list[str]]) -> None:
    first, rest = texts
    source = read_source(first)
    for text in rest:
        source = read_source(text, before=source)
        whole = read_source(text)
        assert source.text == whole.text
        if not whole.tree.root_node.has_error:
            assert str(source.tree.root_node) == str(whole.tree.root_node)
