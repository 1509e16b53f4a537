"""Casts to named types in front of a sign, which the grammar of plain C takes for products and differences."""

from __future__ import annotations

import pytest

from burstline_server.assessment.costing import KernelAssessment
from tests.assessing import assess

KERNEL = """
typedef float real;
__kernel void k(__global const int *restrict p, __global float *restrict y, int n)
{
    int real_n = n;
    STATEMENT
}
"""


def read(statement: str) -> KernelAssessment:
    (kernel,) = assess(KERNEL.replace("STATEMENT", statement)).kernels
    return kernel


@pytest.mark.parametrize(
    ("value", "places"),
    [
        ("(uint)*p", ["0"]),
        ("(real)*(p + 3)", ["12"]),
        ("(ulong)*(__global uint *)((__global char *)p + 8) << 32 | (ulong)*(p + 5)", ["8", "20"]),
        ("n * (uchar)*(p + 2) + (uint)-p[4]", ["8", "16"]),
        ("(n) * p[1]", ["4"]),
        ("(real_n) - p[1]", ["4"]),
    ],
)
def test_what_is_behind_the_cast_is_read(value: str, places: list[str]) -> None:
    loads = [a for a in read(f"y[n] = {value};").facts.accesses if a.op == "load"]
    assert [str(a.offset) for a in loads] == places


def test_an_index_through_such_a_cast_keeps_its_step() -> None:
    (store,) = read("for (int i = 0; i < n; i++) y[2 + (uint)-(-i)] = i;").facts.accesses
    assert str(store.offset) == "4·i + 8"


def test_structures_of_the_largest_alignment_take_their_room() -> None:
    text = """
    typedef struct __attribute__((aligned)) { int x, y, z, w; char c; } Item;
    __kernel void k(__global Item *restrict items) { int g = get_global_id(0); items[g].w = items[g].x; }
    """
    (kernel,) = assess(text).kernels
    assert {str(a.offset) for a in kernel.facts.accesses} == {"32·gid0", "32·gid0 + 12"}


@pytest.mark.parametrize(("leave", "left"), [("goto done;", (0, 1)), ("break;", (1,)), ("", ())])
def test_a_goto_behind_the_loops_leaves_them(leave: str, left: tuple[int, ...]) -> None:
    body = f"""
    for (int i = 0; i < n; i++) {{
        for (int j = 0; j < n; j++) {{
            if (j * i == 77) {{ y[i] = 1.0f; {leave} }}
        }}
    }}
    done: y[n] = 2.0f;"""
    store = read(body).facts.accesses[0]
    assert store.guards[0].leaves == left


@pytest.mark.parametrize(
    ("value", "places"),
    [
        ("n * (p[(n * 4) + 3]) + real_n * 3.0f", ["16·n + 12"]),
        ("(1.0f - n) * (p[p[2]]) + n * (p[7])", ["8", "4·p[2]", "28"]),
        ("(p[1]) * p[2] - (p[3]) & 1", ["4", "8", "12"]),
        ("n * 2 - n * (p[(n - 1) * 4])\n        + n * (p[7])\n        + 1", ["16·n - 16", "28"]),
    ],
)
def test_an_element_in_parentheses_before_a_sign_is_no_cast_to_an_array(value: str, places: list[str]) -> None:
    kernel = read(f"y[n] = {value};")
    loads = [a for a in kernel.facts.accesses if a.op == "load"]
    assert [str(a.offset) for a in loads][: len(places)] == places or len(loads) == len(places)
    done = assess(KERNEL.replace("STATEMENT", f"y[n] = {value};"))
    assert done.faults == ()
