"""What the preprocessor and the mask make of a file, and the way back to what the user wrote."""

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from burstline_server.analysis.kernels import read_kernels
from burstline_server.assessment.assessor import Assessor
from burstline_server.source.preprocessed import SourceRemark
from burstline_server.source.read import read_source
from burstline_server.source.source import Source
from tests.assessing import assess


def written(source: Source, expected: str) -> str:
    """What the user wrote for a piece of the parsed text."""
    start = source.text.index(expected.encode())
    origin = source.origin(start, start + len(expected.encode()))
    return source.text_of(origin.file)[origin.start : origin.end].decode()


def test_text_without_macros_keeps_every_offset() -> None:
    text = "#pragma unroll 4\n__kernel void f(__global float *x) { /* ☺ */ x[0] = 1; }\n#if 0\nbroken(\n#endif\n"
    source = read_source(text)
    assert len(source.text) == len(text.encode())
    assert not source.tree.root_node.has_error
    assert [n.text for n in source.notes] == ["__kernel", "__global"]
    assert [p.text for p in source.pragmas] == ["unroll 4"]
    start = source.text.index(b"x[0]")
    assert text.encode()[start : start + 4] == b"x[0]"


@pytest.mark.parametrize(
    ("text", "parsed", "user"),
    [
        ("#define N 8\nint a[N];", "8", "N"),
        ("#define AT(i) x[(i) + 1]\nint b = AT(k);", "x[(k) + 1]", "AT(k)"),
        ("#define AT(i) x[i]\nint b = AT(y[2]);", "y[2]", "y[2]"),
        ("#define CAT(a, b) a##b\nint CAT(lo, op) = 1;", "loop", "CAT(lo, op)"),
        ("#define TEXT(a) #a\nchar *s = TEXT(a + b);", '"a + b"', "TEXT(a + b)"),
        ("#define CALL(f, ...) f(__VA_ARGS__)\nint b = CALL(g, 1, 2);", "g(1, 2)", "CALL(g, 1, 2)"),
        ("#define A B\n#define B A + 1\nint b = A;", "A + 1", "A"),
        ("int line = __LINE__;\n", "1", "__LINE__"),
        ("#define LOOP(i) for (int i = 0; i < 4; i++)\nvoid f() { LOOP(k) { g(); } }", "for", "LOOP(k)"),
    ],
)
def test_macros_are_expanded_and_map_back(text: str, parsed: str, user: str) -> None:
    assert written(read_source(text), parsed) == user


@pytest.mark.parametrize(
    ("condition", "kept"),
    [
        ("#if defined(A) && B > 2", True),
        ("#if !defined A || (B == 1)", False),
        ("#ifdef C", False),
        ("#if UNKNOWN", False),
        ("#if B * 2 - 6 ? 0 : 1", True),
        ("#if 0x10 >> 2 == 4", True),
        ("#if INTELFPGA_CL", True),
    ],
)
def test_conditions(condition: str, kept: bool) -> None:
    source = read_source(f"{condition}\nint yes;\n#else\nint no;\n#endif\n", defines={"A": "1", "B": "3"})
    assert (b"yes" in source.text, b"no" in source.text) == (kept, not kept)


def test_includes_stay_inside_the_allowed_folders(tmp_path: Path) -> None:
    inside = tmp_path / "project"
    inside.mkdir()
    (tmp_path / "secret.h").write_text("int secret;")
    (inside / "good.h").write_text("int good;\n")
    (inside / "link.h").symlink_to(tmp_path / "secret.h")
    text = '#include "good.h"\n#include "../secret.h"\n#include "link.h"\n#include "/dev/zero"\nint after;\n'
    source = read_source(text, str(inside / "k.cl"))
    assert b"good" in source.text
    assert b"int secret" not in source.text
    assert b"after" in source.text
    assert len(source.remarks) == 3
    assert written(source, "int good") == "int good"


@pytest.mark.parametrize(
    ("text", "header"),
    [
        ('#import "type.h"\n#import "type.h"\n', ""),
        ('#import "type.h"\n#include "type.h"\n', ""),
        ('#include "type.h"\n#include "other.h"\n', "#pragma once\n"),
    ],
)
def test_a_header_that_is_read_once_declares_its_types_once(tmp_path: Path, text: str, header: str) -> None:
    (tmp_path / "type.h").write_text(
        f"{header}typedef struct {{ float v; }} cell;\nfloat v(cell c) {{ return c.v; }}\n"
    )
    (tmp_path / "other.h").write_text('#include "type.h"\n')
    text += "__kernel void k(__global cell *x) { x[0].v = v(x[1]); }\n"
    done = Assessor(workspace=[tmp_path]).assess(text, str(tmp_path / "k.cl"), [])
    assert [k.facts.name for k in done.kernels] == ["k"]
    assert not done.faults
    assert done.source.text.count(b"typedef") == 1


BOMB = "#define A0 x\n" + "".join(f"#define A{i} A{i - 1} A{i - 1} A{i - 1} A{i - 1}\n" for i in range(1, 40))


@pytest.mark.parametrize(
    "text",
    [
        BOMB + "int a = A39;\nint after;\n",
        '#include "self.cl"\nint after;\n',
        "#if 1\n#else\n#elif\n#endif\n#endif\nint after;\n",
        "#define F(a\n#define\nint after;\n",
        "int a = " + "(" * 100_000 + "1" + ")" * 100_000 + ";\nint after;\n",
        "\x00\x01\x02 int after;\x00",
        "/* no end int after;",
        '"no end int after;',
        "#define G(x) G(x) G(x)\nint a = G(G(G(G(1))));\nint after;\n",
        "#if (((((((((1\n#endif\nint after;\n",
    ],
    ids=[
        "bomb",
        "include loop",
        "conditions",
        "definitions",
        "parentheses",
        "nul",
        "comment",
        "string",
        "self",
        "condition",
    ],
)
def test_hostile_text_is_read_to_its_end(tmp_path: Path, text: str) -> None:
    path = tmp_path / "self.cl"
    path.write_text(text)
    source = read_source(text, str(path))
    assert b"after" in source.text
    assert read_kernels(source) == ()


@pytest.mark.slow
def test_ten_megabytes_are_read() -> None:
    line = "int value = 1; // some text to fill the line with characters of no interest at all\n"
    source = read_source(line * (10_000_000 // len(line)) + "__kernel void k(__global int *x) { x[0] = 1; }\n")
    assert [k.name for k in read_kernels(source)] == ["k"]


PIECES = st.sampled_from(
    ["x[i]", "N", "ADD(i, 2)", " + ", "(", ")", "{", "}", ";", "\n", "\r\n", "é", "🚀", "// c\n", "/* c */",
     "#define N 3\n", "#if N\n", "#endif\n", "for (int i = 0; i < N; i++) ", "__kernel void k(__global int *x) ",
     "x[0] = ", "\\\n", '"', "'"]
)  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(st.lists(PIECES, max_size=30))
def test_any_text_is_read_and_every_verbatim_token_maps_back_to_its_spelling(pieces: list[str]) -> None:
    text = "#define ADD(a, b) ((a) + (b))\n" + "".join(pieces)
    source = read_source(text)
    read_kernels(source)
    waiting = [source.tree.root_node]
    while waiting:
        node = waiting.pop()
        waiting.extend(node.children)
        origin = source.origin(node.start_byte, node.end_byte)
        assert 0 <= origin.start <= origin.end <= len(source.original)
        token = source.text[node.start_byte : node.end_byte]
        if node.children or not token.isalnum():
            continue
        written = source.original[origin.start : origin.end]
        if origin.macro is None:
            assert written.replace(b"\\\n", b"") == token  # a line's end may split it
        else:
            assert written.startswith(origin.macro.encode())


KERNEL = (
    "__kernel void k(__global float *restrict x, int n)\n{\n  for (int i = 0; i < n; i++) {\n"
    "    if (x[i] > 1)\n      x[2 * i + 1] = 0;\n  }\n}\n"
)


def shape(text: str) -> list[tuple[object, ...]]:
    """What is known of the accesses of a text, names and places aside."""
    return [
        (a.op, a.pointer, a.element_bytes, str(a.offset), a.loops, [g.text for g in a.guards])
        for k in read_kernels(read_source(text))
        for a in k.accesses
    ]


@pytest.mark.parametrize(
    "changed",
    [
        KERNEL.replace("\n", "\r\n"),
        KERNEL.replace("\n", "\n\n// é🚀 comment\n"),
        KERNEL.replace(" ", "  /* a */ ").replace("x[i]", "x /* b */ [ i ]"),
    ],
    ids=["crlf", "blank lines", "comments"],
)
def test_blank_lines_comments_and_line_ends_change_nothing(changed: str) -> None:
    assert [s[:-1] for s in shape(changed)] == [s[:-1] for s in shape(KERNEL)]


def test_renaming_changes_nothing_but_names() -> None:
    names = {"x": "field", "i": "step", "n": "count", "k": "kernel_name"}

    def rename(text: str) -> str:
        return re.sub(r"\b[xink]\b", lambda m: names[m[0]], text)

    before = [
        (op, rename(pointer), size, rename(offset), loops) for op, pointer, size, offset, loops, _ in shape(KERNEL)
    ]
    assert [s[:-1] for s in shape(rename(KERNEL))] == before


def test_a_macro_is_not_found_inside_a_number() -> None:
    source = read_source("#define f 3\n#define e5 4\nfloat x = 1.0f + 1e5 + 0x1f;\nint y = f;\n")
    assert source.text.endswith(b"float x = 1.0f + 1e5 + 0x1f;\nint y = 3;\n")


BOMB = "#define A0 1 +\n" + "".join(f"#define A{i} A{i - 1} A{i - 1}\n" for i in range(1, 30))


@pytest.mark.parametrize(
    "use", ["x[A29 1] = 1;", "\n#pragma unroll A29\n", "\n#if A29 1\n#endif\n", "\n#include A29\n"]
)
def test_a_macro_that_grows_without_bounds_costs_its_own_use(use: str) -> None:
    text = BOMB + "__kernel void f(__global int *x) { " + use + " x[A0 1] = 2; }\n"
    (kernel,) = read_kernels(read_source(text))
    assert [str(a.offset) for a in kernel.accesses][-1] == "8"


def test_after_too_much_is_expanded_the_rest_is_as_written() -> None:
    text = BOMB + "__kernel void f(__global int *x) { " + "x[A12 1] = 1; " * 40 + "}\n"
    source = read_source(text)
    assert source.text.endswith(b"x[A12 1] = 1; }\n")
    assert [(r.kind, r.names) for r in source.remarks if isinstance(r, SourceRemark)] == [("long_use", ("A12",))]
    again = text.replace("; }\n", "; x[0] = 1; }\n")
    assert read_source(again, before=source).text == read_source(again).text


def test_strings_that_double_are_too_much_text() -> None:
    text = "#define S(a) #a\n#define F(a) S(a a)\nint x = " + "F(" * 20 + "n" + ")" * 20 + ";\n"
    source = read_source(text)
    assert [(r.kind, r.names) for r in source.remarks if isinstance(r, SourceRemark)] == [("long_use", ("F",))]
    assert len(source.text) == len(text)


UNCLOSED = """__kernel void first(__global float *restrict x, __global float *restrict y, int n)
{{
    int i = get_global_id(0);
    for (int j = 0; j < n; j++) {{
        y[i] += x[i * n + j];{typed}

// What the second one is.
__attribute__((num_simd_work_items(4))) // four lanes
__attribute__((reqd_work_group_size(64, 1, 1))) __kernel void second(__global float *restrict x)
{{
    x[get_global_id(0)] = 1;
}}
"""


@pytest.mark.parametrize(
    "typed", ["\n    }\n}", "\n    }", "", "\n        y[3", "\n        if (i > 3) {\n            y[i] = 1;"]
)
def test_a_kernel_that_does_not_end_yet_has_no_figures_and_leaves_the_next_one_its_attributes(typed: str) -> None:
    done = assess(UNCLOSED.format(typed=typed))
    second = done.kernels[-1]
    whole = typed.endswith("    }\n}")
    assert [k.facts.name for k in done.kernels] == ["first", "second"][not whole :]
    assert [w.name for w in done.withheld] == ["first"][whole:]
    assert (second.facts.simd, second.facts.work_group_size) == (4, (64, 1, 1))


def test_a_line_may_end_in_a_carriage_return_alone() -> None:
    text = (
        "// What it is for.\n#define STEP 3 // three\n"
        "__kernel void k(__global float *restrict x) // a head\n{\n    x[STEP * get_global_id(0)] = 1; // a store\n}\n"
    )
    expected = assess(text)
    assert [u.stride for k in expected.kernels for u in k.lsus] == [3]
    for end in ("\r", "\r\n"):
        done = assess(text.replace("\n", end))
        assert [k.lsus for k in done.kernels] == [k.lsus for k in expected.kernels]
        (access,) = done.kernels[0].facts.accesses
        assert done.source.lines.line_of(access.span.start) == 4
