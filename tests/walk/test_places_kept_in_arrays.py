"""Places that work-items keep in private arrays, as on a stack: what an iteration stores there, the next one reads."""

from __future__ import annotations

import pytest

from tests.walk.walking import MEGA, fetched, units

TREE = """__kernel void find(__global const int4 *restrict tree, __global const int *restrict key,
                   __global int *restrict out, int depth)
{
    int k = key[get_global_id(0)], at[8], last = 0;
    at[0] = 0;
    for (int d = 0; d < depth; d++) {
        int4 node = tree[READ];
        last = node.w;
        SET = NEXT;
    }
    out[get_global_id(0)] = last;
}
"""


@pytest.mark.parametrize(
    ("read", "put", "goes_on", "own"),
    [
        ("at[d & 7]", "at[(d + 1) & 7]", "k < node.x ? node.y : node.z", True),
        ("at[0]", "at[0]", "k < node.x ? node.y : node.z", True),
        ("at[d & 7]", "at[(d + 1) & 7]", "2 * d + 1", False),  # all work-items go the same way
    ],
)
def test_each_work_item_goes_its_own_way_where_what_it_loads_says_so(
    read: str, put: str, goes_on: str, *, own: bool
) -> None:
    text = TREE.replace("READ", read).replace("SET", put).replace("NEXT", goes_on)
    tree = units(text, global_size=MEGA, arguments={"depth": 20})["load tree"]
    assert (fetched(tree) > 16.0 * 20 * MEGA) == own
    assert any("NoGather" in type(o.change).__name__ for o in tree.observations) == own
