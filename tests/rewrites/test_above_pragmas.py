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
