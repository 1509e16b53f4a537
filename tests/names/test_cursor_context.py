"""What can be written at a mark in a text, and what can be renamed there."""

import pytest

from burstline_server.names.name_table import NameTable, names_of
from burstline_server.names.renaming import CannotRenameError, renamed
from burstline_server.presentation.completions import suggestions
from burstline_server.presentation.signatures import signature_at
from burstline_server.source.read import read_source
from burstline_server.words.renames import cannot_rename_text

HEAD = """typedef struct { float mass; float3 place; } body;
channel float queue;
float helper(float first, __global float *second);
__kernel void k(__global body *bodies, float4 colour, int count) {
    int inner = 0;
    /* 🚀é */ """


def named(text: str) -> tuple[NameTable, int]:
    """The names of a text without its mark, and the byte where the mark was."""
    before, _, after = text.partition("‸")
    return names_of(read_source(before + after)), len(before.encode())


@pytest.mark.parametrize(
    ("text", "some", "none"),
    [
        (HEAD + "‸", {"inner", "count", "helper"}, {"unroll"}),
        (HEAD + "x = get_‸", {"get_global_id", "helper", "inner", "count", "__local", "float16", "for"}, {"unroll"}),
        (HEAD + "bodies[0].mass = 1; bodies->‸", {"mass", "place"}, {"inner", "get_global_id"}),
        (HEAD + "colour.‸", {"x", "w", "s3", "hi"}, {"s4", "mass"}),
        (HEAD + "\n#pragma ‸", {"unroll", "ivdep"}, {"get_global_id", "inner"}),
        (HEAD + "\n#pra‸", {"pragma", "define"}, {"unroll"}),
        ("__attribute__((num_‸)) __kernel void k() {}", {"num_simd_work_items", "autorun"}, {"get_global_id"}),
        (HEAD + "/* a comment get_‸", set(), {"get_global_id"}),
        (HEAD + 'printf("get_‸', set(), {"get_global_id"}),
        (HEAD + "}\n__kernel void other() { ‸", {"k", "queue"}, {"inner", "bodies"}),
        ("‸", {"__kernel", "float4"}, {"unroll"}),
    ],
    ids=[
        "typing",
        "code",
        "member",
        "vector",
        "pragma",
        "directive",
        "attribute",
        "comment",
        "string",
        "scope",
        "empty",
    ],
)
def test_what_is_offered(text: str, some: set[str], none: set[str]) -> None:
    names, place = named(text)
    labels = {one.text for one in suggestions(names, names.source.original, place)}
    assert some <= labels
    assert not none & labels


@pytest.mark.parametrize(
    ("call", "label", "active"),
    [
        ("vload4(‸", "gentype4 vload4(size_t offset, const gentype *p)", 0),
        ("vload4(i[0, 1], ‸", "gentype4 vload4(size_t offset, const gentype *p)", 1),
        ("helper(max(1, 2), ‸", "float helper(float first, __global float *second)", 1),
        ("helper(max(‸", "gentype max(gentype x, gentype y)", 0),
        ("write_channel_intel(queue, (‸", "void write_channel_intel(channel T c, T value)", 1),
        ("helper(1, bodies); ‸", None, None),
        ("unheard_of(‸", None, None),
    ],
)
def test_signatures(call: str, label: str | None, active: int | None) -> None:
    names, place = named(HEAD + call)
    shown = signature_at(names, names.source.original, place)
    assert (shown.label if shown else None) == label
    assert (shown.active if shown else None) == active
    if shown:
        assert all(parameter in shown.label for parameter in shown.parameters)


@pytest.mark.parametrize(
    ("text", "new", "why"),
    [
        ("float f(float ‸v) { return v; }", "2v", "is no name"),
        ("float f(float ‸v) { return v; }", "get_global_id", "a name of the language"),
        ("float f(float ‸v) { float w = v; return w; }", "w", "written in this file already"),
        ("#define TWICE (2 * v)\nfloat f(float ‸v) { return TWICE; }", "w", "used in the macro TWICE"),
        ("#define TWICE (2 * v)\nfloat f(float ‸v) { return v; }", "w", "in the directive in line 1"),
        ("struct s { int ‸m; };", "w", "Members are not followed"),
    ],
)
def test_a_rename_that_cannot_be_made_says_why(text: str, new: str, why: str) -> None:
    names, place = named(text)
    found = names.at(place)
    assert found is not None
    with pytest.raises(CannotRenameError) as caught:
        renamed(names, found[0], new)
    assert why in cannot_rename_text(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        "__kernel void f(__global float *x, ‸)\n{ x[0] = 1.0f; }\n",
        "__kernel void f(‸)\n",
        "float twice(float a, ‸)\n{ return a + a; }\n",
        "float twice(‸);\n",
    ],
)
def test_what_is_being_declared_is_not_called(text: str) -> None:
    names, place = named(text)
    assert signature_at(names, names.source.original, place) is None
