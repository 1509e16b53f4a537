"""Indexes that a narrow type takes part in, and so come round: no edit takes them for what they are made of."""

from __future__ import annotations

from dataclasses import replace

import pytest

from burstline_server.rewrites.catalogue import offers_of, refusals_of
from burstline_server.words.obstacles import obstacle_text
from tests.rewrites.equality import Data, assessed, tried

np = pytest.importorskip("numpy")

HEAD = """__kernel void k(__global const int *restrict a, __global int *restrict c, const int n, const int w)
{
"""
GROUPS = "__attribute__((reqd_work_group_size(16, 1, 1)))\n" + HEAD
PLANE = "__attribute__((reqd_work_group_size(8, 4, 1)))\n" + HEAD
ROWS = """    for (int r = 1; r < n - 1; r++)
        for (int i = 1; i < 299; i++)
            c[r * 300 + i] = a[(r - 1) * 300 + {}] + a[r * 300 + i] - a[(r + 1) * 300 + i];
}}
"""
TURNED = (
    PLANE.replace("8, 4, 1", "24, 3, 1")
    + """    int x = get_global_id(0), y = get_global_id(1);
    if (x < n) {
        c[x * 3 + y] = a[y * n + x];
    }
}
"""
)
TURNS = Data({}, {"n": 264, "w": 0}, (264, 3))
MANY = Data({}, {"n": 300, "w": 0})
ITEMS = Data({}, {"n": 512, "w": 260}, (512,))
FEW_ITEMS = replace(ITEMS, items=(16, 8))
NARROW = {
    "vector": (HEAD + "    for (int i = 0; i < n; i++)\n        c[i] = a[(uchar)(i + 3)] / 2 + a[i];\n}\n", MANY,
               {"vectorise_by", "sliding_window", "split_two_queues"}),
    "window": (HEAD + "    for (int i = 0; i < n; i++)\n        c[i] = a[(uchar)i] + a[i + 2];\n}\n", MANY,
               {"sliding_window"}),
    "store": (HEAD + "    for (int i = 0; i < n; i++) {\n        c[(uchar)i] = a[i];\n        if (a[i] > 3)\n"
              "            c[i] = 3;\n    }\n}\n", MANY, {"single_store_chosen"}),
    "variable": (HEAD + "    for (int i = 0; i < n; i++) {\n        uchar q = i;\n        c[i] = a[q] / 2 + a[i];\n"
                 "    }\n}\n", MANY, {"split_two_queues"}),
    "table": (GROUPS + "    int s = 0;\n    for (int i = 0; i < 300; i++)\n        s += a[(uchar)i] * i;\n"
              "    c[get_global_id(0)] = s;\n}\n", ITEMS, {"cache_in_local_memory"}),
    "tile": (GROUPS + "    int i = get_global_id(0), s = 0;\n    for (int j = 0; j < 8; j++)\n"
             "        s += a[(uchar)(i + 3) * 8 + j];\n    c[i] = s;\n}\n", ITEMS, {"row_tiles_kept"}),
    "halo": (GROUPS + "    uchar g = get_global_id(0);\n    c[get_global_id(0)] = a[g] + a[g + 1];\n}\n",
             ITEMS,
             {"halo_tile_kept"}),
    "condition": (GROUPS + "    int g = get_global_id(0);\n    if ((uchar)g < 200)\n"
                  "        c[g] = a[g] + a[g + 1];\n}\n", ITEMS, {"halo_tile_kept"}),
    "wider": (GROUPS + "    uint g = get_global_id(0);\n    long q = g - 3;\n    if (q < 200)\n"
              "        c[g] = a[q] + a[q + 1];\n}\n", ITEMS, {"halo_tile_kept"}),
    "row": (PLANE + "    int x = get_global_id(0), y = get_global_id(1);\n    uchar p = w;\n"
            "    c[y * 16 + x] = a[y * p + x] + a[y * p + x + 1];\n}\n", FEW_ITEMS, {"halo_tile_kept"}),
    "tile under a condition": (GROUPS + "    int i = get_global_id(0), s = 0;\n    uchar g = i;\n    if (g < 200) {\n"
                               "        for (int j = 0; j < 5; j++)\n            s += a[i * 5 + j];\n"
                               "        c[i] = s;\n    }\n}\n", ITEMS, {"row_tiles_kept"}),
    "turned": (TURNED.replace("int x", "uchar x"), TURNS, {"transpose_tile_kept"}),
    "turned under a condition": (TURNED.replace("x < n", "(uchar)x < 200"), TURNS, {"transpose_tile_kept"}),
    "rows": (HEAD + ROWS.format("(uchar)i"), replace(MANY, scalars={"n": 5, "w": 0}), {"row_buffers_of"}),
}  # fmt: skip


@pytest.mark.parametrize("name", NARROW)
def test_what_comes_round_is_not_taken_for_what_it_is_made_of(name: str) -> None:
    text, launch, kinds = NARROW[name]
    assert {o.title.kind for o in offers_of(assessed(text, arguments={"n": 1000, "w": 1000}))}.isdisjoint(kinds)
    draw = np.random.default_rng(3)
    arrays = {argument: draw.integers(-9, 9, 3000).astype(np.int32) for argument in "ac"}
    scalars = {argument: np.int32(value) for argument, value in launch.scalars.items()}
    data = replace(launch, arrays=arrays, scalars=scalars)
    assert [one.offer.title for one in tried(text, [data], arguments={"n": 1000, "w": 1000}) if one.unequal] == []


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (NARROW["vector"][0].replace("(uchar)(i + 3)", "(int)(uint)(i + 3)"), "vectorise_by"),
        (NARROW["window"][0].replace("(uchar)i", "i"), "sliding_window"),
        (NARROW["store"][0].replace("(uchar)i", "i"), "single_store_chosen"),
        # Narrow types that hold what they are given: a mask, an element of the same type, a counter up to its bound.
        (NARROW["variable"][0].replace("q = i", "q = i & 15"), "split_two_queues"),
        (NARROW["variable"][0].replace("q = i", "q = t[i]").replace("const int w", "__global const uchar *restrict t"),
         "split_two_queues"),
        (NARROW["table"][0].replace("int i = 0; i < 300", "uchar i = 0; i < 200").replace("(uchar)i", "i"),
         "cache_in_local_memory"),
        (NARROW["tile"][0].replace("(uchar)(i + 3)", "(i + 3)"), "row_tiles_kept"),
        (NARROW["halo"][0].replace("uchar g", "int g"), "halo_tile_kept"),
        (NARROW["condition"][0].replace("(uchar)g", "g"), "halo_tile_kept"),
        (NARROW["row"][0].replace("uchar p = w", "ushort p = 300"), "halo_tile_kept"),
        (NARROW["tile under a condition"][0].replace("uchar g", "int g"), "row_tiles_kept"),
        (TURNED, "transpose_tile_kept"),
        (HEAD + ROWS.format("i"), "row_buffers_of"),
    ],
)  # fmt: skip
def test_what_holds_its_values_stays_offered(text: str, kind: str) -> None:
    assert kind in {o.title.kind for o in offers_of(assessed(text, arguments={"n": 1000, "w": 1000}))}


def test_the_reason_names_the_index() -> None:
    text = NARROW["window"][0]
    reasons = [obstacle_text(one.reason) for one in refusals_of(assessed(text, arguments={"n": 1000, "w": 1000}))]
    assert "a narrow type takes part in the index of a[(uchar)i], which may come round" in reasons
