"""What a loop does on its way out, it does once: a search that stores what it found."""

import pytest

from burstline_server.words.remarks import remark_text
from tests.assessing import assess
from tests.walk.walking import units

ITEMS, TRIPS = 1024, 40
KERNEL = """int find(__global const int *restrict k, __global int *restrict y, int x, int n)
{{
    for (int i = 0; i < n; i++) {{ if (k[i] == x) {{ y[x] = i; return i; }} }}
    return -1;
}}
__kernel void search(__global const int *restrict k, __global int *restrict y, __global int *restrict z, int n)
{{
    int x = get_global_id(0);
    {body}
}}
"""
LOOP = "for (int i = 0; i < n; i++) {{ {} }}"
TWO = "for (int j = 0; j < 8; j++) {{ for (int i = 0; i < n; i++) {{ {} }} }}"


@pytest.mark.parametrize(
    ("body", "stores"),
    [
        (LOOP.format("if (k[i] == x) { y[x] = i; break; }"), ITEMS),
        (LOOP.format("if (k[i] == x) { y[x] = i; return; }"), ITEMS),
        (LOOP.format("if (k[i] != x) continue; y[x] = i; break;"), ITEMS),
        (LOOP.format("if (k[i] != x) { z[x] = i; } else { y[x] = i; break; }"), ITEMS),
        (LOOP.format("if (k[i] == x) { for (int j = 0; j < 4; j++) y[x * 4 + j] = i; break; }"), 4 * ITEMS),
        (LOOP.format("if (k[i] == x) { if (x > 1) y[x] = i; break; }"), ITEMS - 2),
        (TWO.format("if (k[i] == x) { y[x + j] = i; break; }"), 8 * ITEMS),
        (TWO.format("if (k[i] == x) { y[x + j] = i; return; }"), ITEMS),
        ("for (int j = 0; j < 8; j++) find(k, y, x + j, n);", 8 * ITEMS),
        # These leave no loop.
        (LOOP.format("if (k[i] == x) { y[x] = i; }"), TRIPS * ITEMS),
        (LOOP.format("if (k[i] == x) { y[x] = i; continue; }"), TRIPS * ITEMS),
        (LOOP.format("do { if (k[i] == x) { y[x] = i; break; } } while (0);"), TRIPS * ITEMS),
        (LOOP.format("switch (n) { case 3: break; default: if (k[i] == x) { y[x] = i; break; } }"), TRIPS * ITEMS),
    ],
)
def test_what_is_done_on_the_way_out_of_a_loop_is_done_once(body: str, stores: int) -> None:
    walk = units(KERNEL.format(body=body), global_size=ITEMS, arguments={"n": TRIPS})["store y"].walk
    assert walk is not None
    assert walk.requests == pytest.approx(stores)


def test_a_search_is_as_slow_as_its_loop_and_says_what_it_counts() -> None:
    text = KERNEL.format(body=LOOP.format("if (k[i] == x) { y[x] = i; break; }"))
    kernel = assess(text, global_size=ITEMS, arguments={"n": TRIPS}).kernels[-1]
    assert kernel.estimate.bound == "kernel"
    doubt = " ".join(remark_text(r) for r in kernel.estimate.remarks)
    assert "k[i] == x: it leaves the loop, and is counted as true once, in the last iteration" in doubt
