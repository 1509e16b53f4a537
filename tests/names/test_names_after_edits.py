"""Names that follow edits are those of a fresh reading, and an edit reads what it touches."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from burstline_server.names.encoded_tokens import all_numbers
from burstline_server.names.name import Name
from burstline_server.names.name_table import NameTable, names_of
from burstline_server.names.tokens import tokens
from burstline_server.source.read import read_source
from tests.analysis.test_reuse import MACROS, PIECES, TEXT, TOUR
from tests.effort import EFFORT

NAMES = """#define TWICE(type, name) type name(type v) { return v + v; } type name##_more(type v) { return name(v); }
#define EACH(i, n, body) for (int i = 0; i < n; i++) { body; }
struct narrow { float data; int tag; };
typedef struct { float data[4]; int first; } wide;
channel float queue;
enum { FIRST, SECOND };
TWICE(int, grown) TWICE(float, larger)
static float shift(__global const float *v, int by);
__kernel void one(__global struct narrow *n, __global wide *w, int first)
{
    __local float tile[FIRST + 4];
    EACH(i, first, tile[i] = n[i].data + w[i].data[first])
#pragma unroll FIRST
    for (int i = 0; i < first; i++)
        w[i].data[i % 4] = shift(tile, grown(i)) + read_channel_intel(queue);
}
#ifdef NEVER
__kernel void two(__global wide *w) { w->first = shift(0, FIRST); }
#endif
static float shift(__global const float *v, int by) { return v[by] + larger(1.0f); }
"""
WORDS = ["shift", "FIRST", "narrow", "i", "queue", "TWICE(int, i)", "kernel", "__local", "#undef EACH\n", "int j;"]
TEXTS = [TEXT, TOUR, MACROS, NAMES]


def shown(name: Name) -> object:
    """What a name is."""
    return name.text, name.kind, name.place, name.whole, name.detail, name.space, name.declared


def answers(names: NameTable) -> dict[str, object]:
    """What is shown of a text's names."""
    every = range(0, len(names.source.original) + 1, 7)
    here = {place: names.at(place) for place in every}
    found = {name: None for name, _ in filter(None, here.values())}
    return {
        "at": {place: (shown(at[0]), at[1]) for place, at in here.items() if at is not None},
        "places": [(shown(name), names.places(name), names.macros_with(name)) for name in found],
        "calls": [[(shown(to), span) for to, span in names.calls(name)] for name in names.functions],
        "visible": [[shown(name) for name in names.visible(place)] for place in every[::9]],
        "tokens": tokens(names),
        "numbers": all_numbers(names, "utf-16"),
    }


@settings(max_examples=50 * EFFORT, deadline=None, derandomize=True)
@given(
    st.sampled_from(TEXTS),
    st.lists(
        st.tuples(st.floats(0, 1), st.integers(0, 12), st.one_of(PIECES, st.sampled_from(WORDS)), st.booleans()),
        min_size=1, max_size=6,
    ),
)  # fmt: skip
def test_after_any_edits_names_are_those_of_a_fresh_reading(
    text: str, edits: list[tuple[float, int, str, bool]]
) -> None:
    source = read_source(text)
    names = names_of(source)
    all_numbers(names, "utf-16")
    for part, removed, piece, asked in edits:
        at = round(part * len(text))
        text = text[:at] + piece + text[at + removed :]
        source = read_source(text, before=source)
        if asked:
            names = names_of(source, names)
            fresh = answers(names_of(read_source(text)))
            assert answers(names) == fresh


@pytest.mark.parametrize(
    ("before", "after", "read_again"),
    [
        ("float v = w;", "float v = w + 1;", {"second"}),
        ("kernel void third", "// a comment\n__kernel void third", {"third"}),
        ("float helper(float", "double helper(float", {"helper"}),
        # A macro changes what it is used in, wherever that is.
        ("#define WIDTH 4", "#define WIDTH 8", {"first", "helper"}),
    ],
)
def test_an_edit_reads_the_parts_that_it_touches(before: str, after: str, read_again: set[str]) -> None:
    text = """#define WIDTH 4
float helper(float v) { return v; }
__kernel void first(__global float *x) { x[WIDTH] = helper(1); }
__kernel void second(__global float *x, float w) { float v = w; x[0] = v; }
__kernel void third(__global float *x) { x[0] = helper(2); }
"""
    assert text.count(before) == 1
    source = read_source(text)
    names = names_of(source)
    all_numbers(names, "utf-16")
    edited = names_of(read_source(text.replace(before, after), before=source), names)
    known = {id(part) for part in names.parts.parts}
    new = [part for part in edited.parts.parts if id(part) not in known]
    assert {one.key[1] for part in new for one in part.declared} == read_again
    assert all(part.encoded is not None for part in edited.parts.parts if id(part) in known)


def test_what_is_edited_at_file_scope_colours_the_rest_anew() -> None:
    text = "float helper(float v) { return v; }\n__kernel void k(__global float *x) { x[0] = helper(x[1]); }\n"
    source = read_source(text)
    names = names_of(source)
    call = text.rindex("helper")
    assert "function" in {t.type for t in tokens(names) if t.start == call}
    before = all_numbers(names, "utf-16")
    renamed = names_of(read_source(text.replace("helper(float", "helped(float"), before=source), names)
    assert call not in {t.start for t in tokens(renamed)}
    assert len(all_numbers(renamed, "utf-16")) == len(before) - 5


def test_edits_that_nobody_asked_about_are_caught_up_with() -> None:
    text = "".join(f"__kernel void k{n}(__global float *x) {{ x[{n}] = 0; }}\n" for n in range(40))
    source = read_source(text)
    names = names_of(source)
    for n in range(100):  # more than are remembered
        text = text.replace(f"k{n % 40}(", f"k{n % 40}_{n}(").replace("= 0", f"= {n}", 1)
        source = read_source(text, before=source)
    assert answers(names_of(source, names)) == answers(names_of(read_source(text)))
