"""Pointers that structures and arrays hold: from lists in braces, through copies, calls and branches."""

from __future__ import annotations

import pytest

from tests.assessing import assess

TYPES = """
typedef struct { int n; __global const float *p; } S;
typedef struct { float scale; S in; __global const float *q[2]; } D;
float get(S s, int i) { return s.p[i]; }
float at(const S *s, int i) { return s->p[i]; }
float through(S s, int i) { return at(&s, i); }
float reset(S s, __global const float *p, int i) { s.p = p; return s.p[i]; }
S made(__global const float *p, int n) { S s = { n, p }; return s; }
"""

ONE = {
    "list": "S s = { n, a }; LOOP s.p[i]",
    "names": "S s = { .p = a + 16, .n = n }; LOOP s.p[i]",
    "names out of order": "S s = { .p = a, .n = n }, u = s; LOOP u.p[i]",
    "after a name": "D d = { .in = { n, a }, { a, a } }; LOOP d.q[1][i]",
    "path of names": "D d = { .in.p = a }; LOOP d.in.p[i]",
    "position": "__global const float *t[4] = { [2] = a }; LOOP t[2][i]",
    "copy": "S s = { n, a }; S u; u = s; LOOP u.p[i]",
    "copy of a member": "D d = { 1.0f, { n, a }, { a, a } }; S u = d.in; LOOP u.p[i]",
    "copy to a member": "S s = { n, a }; D d; d.in = s; LOOP d.in.p[i]",
    "literal": "S s = (S){ n, a }; LOOP s.p[i]",
    "by value": "S s = { n, a }; LOOP get(s, i)",
    "literal by value": "LOOP get((S){ n, a }, i)",
    "member by value": "D d = { 1.0f, { n, a }, { a, a } }; LOOP get(d.in, i)",
    "address of a parameter": "S s = { n, a }; LOOP through(s, i)",
    "parameter set": "S s = { n, o }; LOOP reset(s, a, i)",
    "returned": "S s = made(a, n); LOOP s.p[i]",
    "array of structures": "S s[2] = { { n, o }, { n, a } }; LOOP s[1].p[i]",
    "chosen, both the same": "S s = { n, a }, u = { n, a }; S v = n > 3 ? s : u; LOOP v.p[i]",
    "anew in each iteration": "for (int i = 0; i < 1024; i++) { S s = { n, a + i }; o[i] = s.p[0]; }",
    "in local memory": "__local S s; s.p = a; barrier(CLK_LOCAL_MEM_FENCE); LOOP s.p[i]",
    "through a pointer to local memory": "__local S s; __local S *u = &s; u->p = a; LOOP u->p[i]",
    "list for one pointer": "__global const float *p = { a }; LOOP p[i]",
}


def kernel_with(body: str) -> str:
    body = body.replace("LOOP", "for (int i = 0; i < 1024; i++) o[i] =")
    return f"{TYPES}__kernel void k(__global const float *restrict a, __global float *restrict o, int n) {{ {body}; }}"


@pytest.mark.parametrize("body", ONE.values(), ids=ONE)
def test_a_pointer_held_in_a_structure_or_array_leads_to_its_buffer(body: str) -> None:
    (kernel,) = assess(kernel_with(body)).kernels
    (load,) = [a for a in kernel.facts.accesses if a.op == "load" and a.space == "global"]
    assert load.pointer == "a"
    assert load.offset is not None
    assert {r.kind for r in kernel.facts.remarks}.isdisjoint({"unknown_origin"})


def test_each_pointer_of_an_array_is_its_own() -> None:
    text = kernel_with("__global const float *t[2] = { a, o }; LOOP t[0][i] + t[1][i]")
    (kernel,) = assess(text).kernels
    assert [a.pointer for a in kernel.facts.accesses if a.op == "load"] == ["a", "o"]


@pytest.mark.parametrize(
    "body",
    [
        "__global const float *t[2] = { a, o }; LOOP t[i & 1][i]",
        "S s; LOOP s.p[i]",
        "S s = { n, a }; S u; s = u; LOOP s.p[i]",
        "D d = { 1.0f, n, a }; LOOP d.in.p[i]",
    ],
    ids=["position not constant", "never set", "overwritten by what is not known", "inner braces left out"],
)
def test_a_pointer_that_is_not_known_is_remarked(body: str) -> None:
    (kernel,) = assess(kernel_with(body)).kernels
    assert "unknown_origin" in {r.kind for r in kernel.facts.remarks}


def test_integers_by_designators_are_known() -> None:
    text = kernel_with("S s = { .p = a, .n = 16 }; for (int i = 0; i < s.n; i++) o[i] = s.p[i]")
    (kernel,) = assess(text).kernels
    assert [loop.trip.constant for loop in kernel.facts.loops if loop.trip is not None] == [16]


CHOSEN = """
__kernel void k(__global const float *restrict a, __global const float *restrict b, __global float *restrict y,
                __global const int *restrict flags, int n, int which)
{
    for (int i = 0; i < n; i++) { BODY }
}
"""


@pytest.mark.parametrize(
    ("choice", "stride"),
    [
        ("__global const float *p = which ? a : b; y[i] = p[i];", 1),
        ("__global const float *p; if (which > 2) p = a; else p = b + 16; y[i] = p[i];", 1),
        ("__global const float *p = which ? a + i : b + i; y[i] = p[i];", 2),
        ("__global const float *p; switch (which) { case 0: p = a; break; default: p = b; } y[i] = p[i];", 1),
        ("__global const float *p = i & 1 ? a : b; y[i] = p[i];", None),
        ("__global const float *p = flags[0] ? a : b; y[i] = p[i];", None),
        ("__global const float *p = which ? a : b + i; y[i] = p[i];", None),
        (
            "__global const float *p = which ? a : (__global const float *)((__global const char *)b + 2);"
            " y[i] = p[i];",
            None,
        ),
    ],
)
def test_a_buffer_that_the_launch_decides_is_walked_in_order(choice: str, stride: int | None) -> None:
    (kernel,) = assess(CHOSEN.replace("BODY", choice), arguments={"n": 4096, "which": 1}).kernels
    (load,) = [a for a in kernel.facts.accesses if a.pointer in "ab" and a.op == "load"]
    moves = None
    if load.offset is not None and (by := load.offset.coefficient("i")) is not None and by.constant is not None:
        moves = by.constant // 4
    assert moves == stride


def test_unrolled_loads_of_a_chosen_buffer_are_one_aligned_unit() -> None:
    text = CHOSEN.replace("BODY", "y[i] = p[i];").replace(
        "for (int", "__global const float *p = which ? a : b;\n    #pragma unroll 16\n    for (int"
    )
    (kernel,) = assess(text, arguments={"n": 4096, "which": 1}).kernels
    assert [(u.style, u.width_bits, u.count) for u in kernel.lsus if u.op == "load"] == [("Burst-coalesced", 512, 1)]


GRAPH = """
typedef struct { int rank; float value; } Node;
typedef struct { int count; __global Node *nodes; __global int *first; } Graph;
void laid(__local Graph *g, __global int *data) {
    g->count = data[0];
    g->nodes = (__global Node *)&data[4];
    g->first = &data[4 + 2 * data[0]];
}
"""


def test_a_pointer_held_in_local_memory_leads_to_its_buffer() -> None:
    text = f"""{GRAPH}
    __kernel void k(__global int *data, __global float *restrict o) {{
        __local Graph own;
        laid(&own, data);
        __local Graph *g = &own;
        int i = get_global_id(0);
        if (i < g->count) o[i] = g->nodes[g->first[i]].value;
    }}"""
    (kernel,) = assess(text).kernels
    loads = [a for a in kernel.facts.accesses if a.op == "load" and a.space == "global"]
    assert {a.pointer for a in loads} == {"data"}
    assert "i" in {a.index for a in loads if a.offset is not None}
    assert "unknown_origin" not in {r.kind for r in kernel.facts.remarks}


def test_a_pointer_of_each_work_item_in_local_memory_may_be_anothers() -> None:
    text = f"""{GRAPH}
    __kernel void k(__global int *data, __global float *restrict o) {{
        __local Graph g;
        int i = get_global_id(0);
        g.first = &data[i];
        o[i] = g.first[1];
    }}"""
    (kernel,) = assess(text).kernels
    (load,) = [a for a in kernel.facts.accesses if a.op == "load" and a.space == "global"]
    assert (load.pointer, load.offset) == ("data", None)


def test_what_a_pointer_in_global_memory_leads_to_is_a_buffer_of_its_own() -> None:
    text = f"""{GRAPH}
    __kernel void k(__global const Graph *restrict graph, __global int *restrict o) {{
        int i = get_global_id(0);
        o[i] = graph->first[i] + graph->first[i + 1] + graph->nodes[i].rank;
    }}"""
    (kernel,) = assess(text).kernels
    loads = [a for a in kernel.facts.accesses if a.op == "load" and a.space == "global"]
    assert [a.pointer for a in loads if a.element_bytes == 4] == ["graph.first", "graph.first", "graph.nodes"]
    (walk,) = {u.walk for u in kernel.estimate.units if loads[1].id in u.lsu.members}
    assert walk is not None
    assert (walk.kind, walk.step_bytes) == ("steady", 4.0)
