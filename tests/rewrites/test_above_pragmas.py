"""What edits put in front of a loop goes above its pragmas and attributes, however these are written."""

from __future__ import annotations

import pytest

from tests.rewrites.equality import Data, offered, tried

np = pytest.importorskip("numpy")

KERNEL = """#define SMALL 1
#define UNROLL _Pragma("unroll 2")
__kernel void total(__global const int *restrict x, __global int *restrict y, int n)
{{
    y[1] = 3;
{lines}
    for (int i = 0; i < n; i++)
        y[0] += x[i];
}}
"""
LINES = {
    "blank line": "    #pragma unroll 2\n",
    "comment": "    #pragma unroll 2  // some\n    /* two\n       lines */",
    "continued line": "    #pragma unroll \\\n        2",
    "spread attribute": "    __attribute__((opencl_unroll_hint\n                   (2)))",
    "attribute and comment": "    __attribute__((opencl_unroll_hint(2))) // some",
    "operator": '    _Pragma("unroll 2")',
    "macro": "    UNROLL\n",
    "several": "    #pragma max_concurrency 4\n\n    UNROLL\n    // last",
}


@pytest.mark.parametrize("lines", LINES.values(), ids=LINES)
def test_a_declaration_goes_above_them(lines: str) -> None:
    text = KERNEL.format(lines=lines)
    (offer,) = [one for one in offered(text) if one.title.kind == "keep_in_variable"]
    after = offer.applied(text.encode()).decode()
    assert f"    y[1] = 3;\n    int y_kept = 0 < n ? y[0] : 0;\n{lines}\n    for (" in after


@pytest.mark.parametrize("lines", LINES.values(), ids=LINES)
def test_the_edited_kernel_compiles_and_results_stay(lines: str) -> None:
    x = np.arange(64, dtype=np.int32)
    data = [Data({"x": x, "y": np.zeros(2, np.int32)}, {"n": np.int32(n)}) for n in (0, 1, 64)]
    found = list(tried(KERNEL.format(lines=lines), data, arguments={"n": 4000}))
    assert "keep_in_variable" in {one.offer.title.kind for one in found}
    assert [one.why for one in found if one.unequal is not None] == []


@pytest.mark.parametrize(
    "lines",
    [
        "#ifdef SMALL\n    #pragma unroll 2\n#endif",
        "#ifdef LARGE\n    #pragma unroll 2\n#endif",
        "#ifdef SMALL\n    #pragma unroll 2\n#else\n    #pragma unroll 4\n#endif\n",
        "    y[1] = 4; UNROLL",
    ],
    ids=["a condition that holds", "one that does not", "an alternative", "behind another statement"],
)
def test_nothing_is_put_where_a_build_or_a_line_has_no_place_for_it(lines: str) -> None:
    assert "keep_in_variable" not in {one.title.kind for one in offered(KERNEL.format(lines=lines))}


COUNT = """__kernel void count(__global const uchar *restrict x, __global int *restrict h, int n)
{
    #pragma unroll 1

    for (int i = get_global_id(0); i < n; i += get_global_size(0))
        atomic_inc(&h[x[i]]);
}
"""


def test_what_begins_a_kernel_goes_above_those_of_its_first_statement() -> None:
    (offer,) = [one for one in offered(COUNT, arguments={"n": 4000}) if one.title.kind == "local_histogram_groups"]
    after = offer.applied(COUNT.encode()).decode()
    assert "{\n    __local int h_copy[256];\n" in after
    assert "(CLK_LOCAL_MEM_FENCE);\n    #pragma unroll 1\n\n    for (" in after
    rng = np.random.default_rng(1)
    arrays = {"x": rng.integers(0, 256, 1000).astype(np.uint8), "h": np.zeros(256, np.int32)}
    data = [Data(arrays, {"n": np.int32(n)}, (512,), group=(256,)) for n in (0, 1, 1000)]
    found = [one for one in tried(COUNT, data, arguments={"n": 4000}) if one.offer.id == offer.id]
    assert [(one.why, one.launches) for one in found] == [("", 3)]


TWO = """__kernel void two(__global const int *restrict x, __global int *restrict y, __global int *restrict z, int n)
{{
    {line}
    for (int i = 0; i < n; i++)
        y[i] = x[i] * 3;
    int k = 4;
    for (int i = 0; i < n; i++)
        z[i] = x[i] * k;
}}
"""


@pytest.mark.parametrize("line", ["#pragma clang loop unroll(disable)", "#pragma max_interleaving 1"])
def test_a_pragma_that_edits_do_not_know_stays_with_its_loop(line: str) -> None:
    text, plain = TWO.format(line=line), TWO.format(line="")
    x, zeros = np.arange(64, dtype=np.int32), np.zeros(64, np.int32)
    data = [Data({"x": x, "y": zeros, "z": zeros}, {"n": np.int32(n)}) for n in (0, 1, 64)]
    found = list(tried(text, data, arguments={"n": 4000}))
    assert [one.why for one in found if one.unequal is not None] == []
    assert "fuse_loops_over" not in {one.offer.title.kind for one in found}
    assert "fuse_loops_over" in {one.title.kind for one in offered(plain, arguments={"n": 4000})}
    first = text.index("for (")
    moved = [one.offer for one in found if one.offer.title.kind.startswith("vectorise")]
    assert moved
    assert all(edit.start > first for offer in moved for edit in offer.edits)


def test_copies_are_not_asked_for_next_to_a_pragma_that_asks_for_none() -> None:
    text = TWO.format(line="#pragma clang loop unroll(disable)")
    unrolled = [one for one in offered(text, arguments={"n": 4000}) if one.title.kind == "unroll_by"]
    assert all(edit.start > text.index("int k") for one in unrolled for edit in one.edits)
