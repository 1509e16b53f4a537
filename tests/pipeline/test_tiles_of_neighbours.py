"""Work-items that load what their neighbours load: a tile in local memory, and what it leaves of the time."""

from __future__ import annotations

import pytest

from burstline_server.words.verdict import lever_lines
from tests.assessing import assess

TILE = "keep a tile of a with its border in local memory, read by the whole group"
HEAD = "__kernel void k(__global const float *restrict a, __global float *restrict b, int w, int h)\n{\n"
PLACE = "int x = get_global_id(0), y = get_global_id(1);\n"
INSIDE = "if (x < 1 || y < 1 || x >= w - 1 || y >= h - 1) return;\n"
SHARED = {
    "cross": PLACE + INSIDE + "b[y * w + x] = a[y * w + x - 1] + a[y * w + x + 1] + a[(y - 1) * w + x] + "
    "a[(y + 1) * w + x];",
    "square with clamped borders": PLACE + "float s = 0.0f;\n"
    "for (int j = -2; j <= 2; j++) for (int i = -2; i <= 2; i++)\n"
    "    s += a[clamp(y + j, 0, h - 1) * w + clamp(x + i, 0, w - 1)];\nb[y * w + x] = s;",
    "square with borders by choices and conditions": PLACE + "float s = 0.0f;\n"
    "for (int j = -2; j <= 2; j++) {\n"
    "    int v = y + j; v = v < 0 ? 0 : v; v = v >= h ? h - 1 : v;\n"
    "    for (int i = -2; i <= 2; i++) {\n"
    "        int u = x + i; if (u < 0) u = 0; if (u >= w) u = w - 1;\n"
    "        s += a[v * w + u];\n    }\n}\nb[y * w + x] = s;",
}
APART = {
    "planes": "int x = get_global_id(0);\nb[x] = a[x] + a[x + w] + a[x + 2 * w] + a[x + 3 * w];",
    "a work-item's own row": "int x = get_global_id(0);\nb[x] = a[8 * x] + a[8 * x + 3] + a[8 * x + 5] + a[8 * x + 7];",
    "places that data give": "int x = get_global_id(0);\nint p = (int)a[x];\nb[x] = a[p - 1] + a[p + 1] + a[p - w];",
}


def advice(body: str, **sizes: object) -> list[str]:
    return lever_lines(assess(f"{HEAD}{body}\n}}", **sizes).kernels[0], 9)


@pytest.mark.parametrize("body", SHARED.values(), ids=SHARED)
def test_neighbours_that_a_group_shares_are_advised_a_tile(body: str) -> None:
    (tile,) = (line for line in advice(body) if line.startswith(TILE))
    assert "→" in tile


@pytest.mark.parametrize("body", APART.values(), ids=APART)
def test_no_tile_is_advised_where_no_work_item_loads_what_another_one_does(body: str) -> None:
    assert not [line for line in advice(body) if line.startswith(TILE)]


def test_rows_of_other_groups_are_not_shared() -> None:
    body = PLACE + "b[y * w + x] = a[(y + 1) * w + x] + a[(y + 2) * w + x] + a[(y + 3) * w + x];"
    sizes = {"arguments": {"w": 1024, "h": 1024}, "global_size": [1024, 1008]}
    assert [line for line in advice(body, local_size=[16, 16], **sizes) if line.startswith(TILE)]
    assert not [line for line in advice(body, local_size=[256, 1], **sizes) if line.startswith(TILE)]
