"""Facts kept from before an edit are the facts of the text after it."""

from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from burstline_model.facts import KernelFacts, Span
from burstline_server.analysis.kernels import Kernels, read_kernels, readings_of
from burstline_server.analysis.reuse import SnapshotCache
from burstline_server.source.read import read_source
from tests.effort import EFFORT

FOLDER = Path(__file__).parent / "fixtures"
TEXT = """#define N 8
#define AT(i) x[(i) * N]
typedef struct { float a, b; } pair;
__constant int table[2] = {3, 5};
static float first(__global const float *p) { return p[N]; }
static float other(__global const float *p) { return first(p) + p[table[1]]; }

__kernel void one(__global const float *restrict x, __global float *restrict y)
{
    int i = get_global_id(0);
    if (x[i] > 1) y[i] = AT(i);
    y[i + undefined] = other(x);
}

#pragma pack(1)
__kernel void two(__global pair *restrict p, __global float *restrict y)
{
    #pragma unroll 2
    for (int k = 0; k < N; k++)
        y[k] += p[k].b;
}
"""
TOUR = (Path(__file__).parents[2] / "examples" / "tour.cl").read_text("utf-8")
MACROS = """#define SQUARE(a) ((a) * (a))
#define KERNEL __kernel void
KERNEL first(__global int *restrict x) { x[SQUARE(2)] = 1; }
static int shared(__global int *x, int i) { return x[SQUARE(i)]; }

KERNEL second(__global int *restrict x, __global int *restrict y)
{
    int i = get_global_id(0);
    y[i] = shared(x, i);
}
#ifdef LATER
KERNEL third(__global int *x) { x[0] = 2; }
#endif
KERNEL fourth(__global int *restrict x, __global int *restrict y) { y[0] = shared(x, 3); }
"""
PIECES = st.sampled_from(
    ["", "\n", " ", "// note\n", "\n\n\n", ";", "}", "{", "2", "#define N 16\n", "x", "__constant int q[1] = {1};\n",
     "/*", "*/", "é", "#pragma unroll 4\n", "static float more(__global float *p) { return p[1]; }\n"]
)  # fmt: skip


@pytest.mark.slow
@settings(max_examples=50 * EFFORT, deadline=None, derandomize=True)
@given(st.lists(st.tuples(st.integers(0, len(TEXT)), st.integers(0, 12), PIECES), min_size=1, max_size=5))
@example([(262, 0, "/*"), (0, 0, "\n")])
def test_after_any_edits_the_facts_are_those_of_a_fresh_reading(edits: list[tuple[int, int, str]]) -> None:
    known, text = SnapshotCache(), TEXT
    readings_of(read_source(text), known)
    for at, removed, piece in edits:
        text = text[:at] + piece + text[at + removed :]
        source = read_source(text)
        assert [r.facts for r in readings_of(source, known)] == list(read_kernels(source))


@pytest.mark.slow
@settings(max_examples=60 * EFFORT, deadline=None, derandomize=True)
@given(
    st.sampled_from([TEXT, TOUR, MACROS]),
    st.lists(st.tuples(st.floats(0, 1), st.integers(0, 12), PIECES), min_size=1, max_size=6),
)
@example(MACROS, [(0.28125, 0, "\n")])
@example(MACROS, [(0.951171875, 7, "2"), (0.0, 0, "\n")])
@example(TEXT, [(0.0, 0, "\n"), (0.25, 0, ";"), (0.0, 1, ""), (0.25, 0, "\n")])
@example(MACROS, [(0.0, 5, ""), (0.802734375, 1, "*/"), (0.5, 3, "")])
@example(TOUR, [(0.5, 0, "*/"), (0.140625, 0, "/*"), (0.5, 0, "*/")])
def test_following_edits_gives_what_a_fresh_reading_gives(text: str, edits: list[tuple[float, int, str]]) -> None:
    source = read_source(text)
    kernels = Kernels(SnapshotCache())
    kernels.of(source)
    for part, removed, piece in edits:
        at = round(part * len(text))
        text = text[:at] + piece + text[at + removed :]
        source = read_source(text, before=source)
        found = kernels.of(source)
        fresh = readings_of(read_source(text), SnapshotCache())
        assert [r.facts for r in found] == [r.facts for r in fresh]
        for start in range(0, len(source.original), 97):
            assert found.touching(start, start + 60) == fresh.touching(start, start + 60)


INCLUDED = '#include "body.h"\n#define DO(name) __kernel void name(__global int *x) { x[BOTH(1)] = PLACE(x, 2); }\n'
MANY = (
    INCLUDED
    + """#define BOTH(a) ((a) + (a))
#define PLACE(p, i) \\
    p[BOTH(i)]
DO(one) DO(two)
__kernel void \\
three(__global int *x) {
#if 1
    x[PLACE(x, BOTH(3))] = SHIFT(x);
#else
    x[1] = 2;
#endif
}
"""
)


@pytest.mark.parametrize("text", [TEXT, TOUR, MACROS, MANY])
def test_what_has_text_at_a_place_is_found_there(text: str, tmp_path: Path) -> None:
    (tmp_path / "body.h").write_text("#define SHIFT(p) p[7 * BOTH(2)]\nint seven(__global int *x) { return x[7]; }\n")
    source = read_source(text, str(tmp_path / "typed.cl"))
    found = readings_of(source, SnapshotCache())
    assert found
    for place in range(len(source.original) + 1):
        there = [n for n, r in enumerate(found) if any(s.start <= place < s.end for s in spans(r.facts))]
        assert set(there) <= set(found.touching(place, place)), place


def spans(facts: KernelFacts) -> list[Span]:
    """What a kernel shows in the user's file."""
    places = [facts.name_span, *(a.span for a in facts.accesses), *(loop.span for loop in facts.loops)]
    return [s for s in places if s.file is None]


@pytest.mark.parametrize(
    ("before", "after", "read_again"),
    [
        ("AT(i);", "AT(i + 1);", {"one"}),
        ("p[k].b", "p[k].a", {"two"}),
        ("return p[N];", "return p[1];", {"one"}),
        ("{3, 5}", "{3, 6}", {"one", "two"}),
        ("#define N 8", "#define N 4", {"one", "two"}),
        ("unroll 2", "unroll 4", {"two"}),
        ("static float first", "// a comment that moves all that follows\nstatic float first", {"one"}),
        ("\n__kernel void one", "\n\n\n__kernel void one", {"one"}),
    ],
)
def test_an_edit_costs_the_kernels_that_it_touches(before: str, after: str, read_again: set[str]) -> None:
    known = SnapshotCache()
    old = {r.facts.name: r for r in readings_of(read_source(TEXT), known)}
    new = {r.facts.name: r for r in readings_of(read_source(TEXT.replace(before, after)), known)}
    assert {name for name in new if new[name].key != old[name].key} == read_again


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.cl")), ids=lambda p: p.stem)
def test_text_that_moves_keeps_its_facts_and_moves_their_places(path: Path) -> None:
    text = path.read_text("utf-8")
    known = SnapshotCache()
    keys = [r.key for r in readings_of(read_source(text), known)]
    lower = read_source("// é\n\n" + text)
    moved = readings_of(lower, known)
    assert [r.facts for r in moved] == list(read_kernels(lower))
    # What is first in the file has the comment in front of it as its own text now.
    assert [r.key for r in moved][1:] == keys[1:]


def test_what_a_kernel_assigns_to_a_name_of_the_file_is_its_own() -> None:
    # Such a name is no OpenCL, but is there while a kernel's head is being typed.
    loop = "for ({0} = 0; {0} < n; {0} += 2) x[{0}] = 1; {0} = x[3];"
    first = f"__kernel void one(__global int *restrict x, int n) {{{{ {loop} }}}}\n"
    second = "__kernel void two(__global int *restrict x, int n) { for (int k = 0; k < n; k++) x[i] = x[k]; }\n"
    alone, after = (read_kernels(read_source(f"int i, j;\n{first.format(name)}{second}"))[1] for name in "ji")
    assert after == alone
    assert len(after.accesses) == 2
    assert not after.remarks
