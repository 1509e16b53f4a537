"""Rows on chip whose distance is an argument: offered where the corners of what is read are read, for any distance."""

from __future__ import annotations

import pytest

from burstline_server.rewrites.catalogue import refusals_of
from burstline_server.words.obstacles import obstacle_text
from tests.assessing import assess
from tests.rewrites.equality import Data, offered, tried

np = pytest.importorskip("numpy")

KERNEL = """__kernel void k(__global const int *restrict x, __global int *restrict y, int n, int pitch)
{{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < 16; j++) {{
            int s = 0;
            {sum}
            y[i * 16 + j] = s;
        }}
}}
"""
COLUMN = KERNEL.format(sum="s = x[i * pitch + j] - 3 * x[(i + 1) * pitch + j] + x[(i + 2) * pitch + j] / 2;")
BOX = KERNEL.format(
    sum="""#pragma unroll
            for (int a = 0; a < 3; a++)
                #pragma unroll
                for (int b = 0; b < 3; b++)
                    s = s * 5 + x[(i + a) * pitch + j + b];"""
)
CORNERS = KERNEL.format(
    sum="s = x[i * pitch + j] * x[i * pitch + j + 2] - x[(i + 1) * pitch + j + 2] * x[(i + 1) * pitch + j];"
)
CROSS = KERNEL.format(
    sum="s = x[i * pitch + j + 1] + x[(i + 1) * pitch + j] + x[(i + 1) * pitch + j + 2] - x[(i + 2) * pitch + j + 1];"
)
TWICE = KERNEL.format(sum="s = x[i * pitch + j] + x[(2 * i + 1) * pitch + j];")


@pytest.mark.parametrize("text", [COLUMN, BOX, CORNERS], ids=["column", "box", "corners"])
def test_rows_are_kept_and_results_stay_for_any_distance(text: str) -> None:
    data = []
    for n, pitch in ((0, 18), (1, 18), (7, 18), (7, 40), (5, 3), (4, 1), (4, 0)):
        size = (n + 2 - (text is CORNERS)) * pitch + 16 + 2 * (text is not COLUMN)
        x = np.random.default_rng(n).integers(-99, 99, size).astype(np.int32)
        y = np.zeros(16 * max(n, 1), np.int32)
        data.append(Data({"x": x, "y": y}, {"n": np.int32(n), "pitch": np.int32(pitch)}))
    found = [one for one in tried(text, data, arguments={"n": 4000}) if one.offer.title.kind == "row_buffers_of"]
    assert [(one.offer.kind, one.why, one.launches) for one in found] == [("proved", "", 7)]


def test_not_where_a_corner_may_be_outside_the_buffer() -> None:
    found = refusals_of(assess(CROSS, arguments={"n": 4000}))
    said = [obstacle_text(one.reason) for one in found if one.title.kind == "row_buffers"]
    assert said == ["rows are as long as pitch says: give the width as a constant"]


def test_not_where_rows_lie_apart_by_more_than_their_number() -> None:
    assert "row_buffers_of" not in {one.title.kind for one in offered(TWICE, arguments={"n": 4000})}
