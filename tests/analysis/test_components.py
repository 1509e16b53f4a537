"""Vectors and structures of integers: each lane and field is followed as a variable of its own."""

from __future__ import annotations

import pytest

from burstline_server.assessment.assessor import Assessment
from burstline_server.words.walks import moves_text
from tests.assessing import assess

HEAD = """
typedef struct { int x, y; float weight; } place;
typedef struct { uint2 size; __global float *data; } image;
uint2 transposed(uint2 p) { return (uint2)(p.y, p.x); }
int row_of(place p, int w) { return p.y * w; }
float at(image m, int i, int j) { return m.data[i + m.size.x * j]; }
void step(place *p) { p->x += 7; }
"""


def moves(body: str, **settings: object) -> list[str]:
    """How the loads of `x` move from request to request, in a kernel of 640 × 480 work-items with this body."""
    text = f"{HEAD}__kernel void k(__global float *restrict x, __global float *restrict y, int w) {{\n{body}\n}}"
    done: Assessment = assess(text, **{"global_size": [640, 480], "arguments": {"w": 640}} | settings)
    kernel = done.kernels[0]
    first = [kernel.facts.accesses[u.lsu.members[0]] for u in kernel.estimate.units]
    walks = [u.walk for a, u in zip(first, kernel.estimate.units, strict=True) if (a.op, a.pointer) == ("load", "x")]
    return [moves_text(walk) for walk in walks if walk is not None]


IDS = "get_global_id(0), get_global_id(1)"


@pytest.mark.parametrize(
    "body",
    [
        f"uint2 p = (uint2)({IDS}); y[p.x + w * p.y] = x[p.x + w * p.y];",
        f"uint2 p = (uint2)({IDS}); y[0] = x[p.s0 + w * p.s1];",
        f"const int4 p = (int4)({IDS}, 1, 2); int2 q = p.xy; y[0] = x[q.x + w * q.y];",
        "int2 p; p.x = get_global_id(0); p.y = get_global_id(1); y[0] = x[p.x + w * p.y];",
        f"int2 p = (int2)({IDS}) + (int2)(3, 1); y[0] = x[p.x + w * p.y];",
        f"int2 p = 2 * (int2)({IDS}) - (int2)({IDS}); y[0] = x[p.x + w * p.y];",
        f"uint2 p = transposed((uint2)({IDS})); y[0] = x[p.y + w * p.x];",
        f"int3 p = (int3)((int2)({IDS}), 0); y[0] = x[p.x + w * p.y + p.z];",
        f"place p = {{{IDS}, 1.0f}}; y[0] = x[p.x + row_of(p, w)];",
        "place p; p.x = get_global_id(0); p.y = get_global_id(1); place q = p; y[0] = x[q.x + w * q.y];",
        f"int2 p = clamp((int2)({IDS}), (int2)(0, 0), (int2)(w - 1, 479)); y[0] = x[p.x + w * p.y];",
        f"int2 p = convert_int2((uint2)({IDS})); y[0] = x[p.x + w * p.y];",
        "int i = get_global_id(0); y[0] = x[select(0, i, i > 0)];",
        "image m; m.data = x; m.size = (uint2)(w, 480); y[0] = m.data[get_global_id(0) + m.size.x * get_global_id(1)];",
        f"int2 p = (int2)({IDS}); if (p.x > 3) p.x = p.x; y[0] = x[p.x + w * p.y];",
        f"image m = {{(uint2)(w, 480), x}}; y[0] = at(m, {IDS});",  # a vector in a structure that a helper takes
    ],
)
def test_lanes_and_fields_that_follow_the_ids_are_read_in_order(body: str) -> None:
    assert moves(body) == ["+4 B"]


@pytest.mark.parametrize(
    "other", ["const int2 q = p;", "int2 q; q = p;", "place m = {p.x, p.y}; int2 q = (int2)(m.x, m.y);"]
)
def test_copies_of_lanes_that_are_not_known_are_the_same(other: str) -> None:
    first = "int2 p = convert_int2(floor(vload2(get_global_id(0), y)));"
    assert len(moves(f"{first} {other} y[9] = x[p.x + w * p.y] + x[q.x + w * q.y];")) == 1


@pytest.mark.parametrize(
    "step", ["p += (int2)(1, 0)", "p -= (int2)(-1, 0)", "p += d", "p.x += d.x", "p += d.yx * (int2)(0, 4) + d"]
)
def test_a_vector_that_moves_by_another_one_moves_each_lane(step: str) -> None:
    body = f"""
    int2 p = (int2)({IDS}); const int2 d = (int2)(1, 0); float sum = 0.0f;
    for (int i = 0; i < 16; i++) {{ {step}; sum += x[p.x + w * p.y]; }}
    y[0] = sum;
    """
    assert moves(body) == ["+4 B"]


def test_a_lane_that_moves_by_what_is_loaded_is_not_followed() -> None:
    body = f"""
    int2 p = (int2)({IDS}); float sum = 0.0f;
    for (int i = 0; i < 16; i++) {{ p += (int2)((int)y[i], 1); sum += x[p.x + w * p.y]; }}
    y[0] = sum;
    """
    assert moves(body) == ["anywhere (data decide)"]


def test_a_lane_counts_a_loop() -> None:
    body = f"""
    uint3 p = (uint3)({IDS}, 0); float sum = 0.0f;
    for (p.z = 0; p.z < 16; ++p.z) sum += x[p.x + w * (p.y + 480 * p.z)];
    y[p.x + w * p.y] = sum;
    """
    kernel = assess(
        f"__kernel void k(__global float *restrict x, __global float *restrict y, int w) {{{body}}}",
        global_size=[640, 480],
        arguments={"w": 640},
    ).kernels[0]
    (loop,) = kernel.facts.loops
    assert loop.trip is not None
    assert loop.trip.constant == 16
    assert moves(body) == ["+4 B"]


@pytest.mark.parametrize(
    "body",
    [
        f"place p = {{{IDS}, 1.0f}}; step(&p); y[0] = x[p.x];",  # behind its address anything may have changed
        f"int2 p = (int2)({IDS}); for (int i = 0; i < w; i++) p.x = (p.x * 5) % 77; y[0] = x[p.x];",
        f"int2 p = (int2)({IDS}); p.xy = convert_int2((float2)(y[p.x], y[p.y])); y[0] = x[p.x];",
        "union { int i; float f; } u; u.i = get_global_id(0); u.f = y[1]; y[0] = x[u.i];",
    ],
)
def test_what_is_lost_is_not_followed(body: str) -> None:
    assert moves(body) != ["+4 B"]


def test_lanes_of_lanes_are_those_of_the_vector() -> None:
    assert moves(f"int2 p = (int2)({IDS}); y[0] = x[640 * p.yx.x + p.yx.y];") == ["+4 B"]
    assert moves(f"int2 p = (int2)({IDS}); y[0] = x[640 * p.yx.y + p.yx.x];") == ["+2560 B"]


def test_a_lane_changed_in_one_arm_is_one_of_two_values() -> None:
    body = f"int2 p = (int2)({IDS}); if (w > 7) p.y += 1; y[0] = x[p.x + 640 * p.y];"
    assert moves(body) == ["+4 B"]


SIZED = """
__kernel void scale(__global float *restrict x, const uint2 size, const uint2 pitch)
{ for (uint j = 0; j < size.y; j++) for (uint i = 0; i < size.x; i++) x[i + j * size.x] *= 2.0f; }
"""


@pytest.mark.parametrize(
    ("above", "settings"),
    [
        ("", {"arguments": {"size.x": 64, "size.y": 32}}),
        ("", {"arguments": {"size": {"x": 64, "y": 32}}}),  # as TOML reads size.x = 64
        ("", {"kernels": {"scale": {"arguments": {"size": {"x": 64, "y": 32}}}}}),
        ("// burstline: size.x=64 size.y=32\n", {}),
        ("", {"arguments": {"size.x": 64, "size.y": 32, "pitch.x": 7}}),  # a field that nobody reads
    ],
)
def test_fields_of_an_argument_are_given_by_their_path(above: str, settings: dict[str, object]) -> None:
    done = assess(above + SIZED, **settings)
    (kernel,) = done.kernels
    assert done.problems == ()
    assert kernel.estimate.time_s is not None
    assert [u.walk.used_bytes for u in kernel.estimate.units if u.walk] == [8192, 8192]


def test_fields_that_nobody_gives_are_asked_for_by_their_path() -> None:
    (kernel,) = assess(SIZED).kernels
    assert kernel.estimate.time_s is None
    assert kernel.estimate.at_assumed is not None
    assert len(kernel.estimate.at_assumed.sizes.trips) == 2


@pytest.mark.parametrize(
    "types",
    [
        "typedef struct whole Whole; typedef struct part Part; struct part { int a; float b; };"
        " struct whole { int n[4]; Part parts[8]; };",
        "typedef const struct part Part; struct part { int a; float b; };"
        " typedef struct whole { int n[4]; Part parts[8]; } Whole;",
    ],
)
def test_members_may_come_after_the_name_of_their_structure(types: str) -> None:
    text = types + (
        "__kernel void k(__global const Whole *restrict x, __global int *restrict y)"
        "{ int i = get_global_id(0); y[i] = x[i].parts[3].b + x->n[i]; }"
    )
    found = assess(text).kernels[0].facts.accesses
    assert [(a.element_bytes, str(a.offset)) for a in found if a.op == "load"] == [(4, "80·gid0 + 44"), (4, "4·gid0")]


SUMS = """
typedef struct {{ float re, im; }} complex;
__attribute__((max_global_work_dim(0)))
__kernel void k(__global const float *restrict x, __global {type} *restrict y, int n)
{{
    {type} s = {zero};
    for (int i = 0; i < n; i++) {{
        {body}
    }}
    y[0] = s;
}}
"""


@pytest.mark.parametrize(
    ("type_", "body"),
    [
        ("float2", "s.x += x[i]; s.y += x[i] * 2.0f;"),
        ("float4", "s.x += x[i]; s.y += x[i]; s.z += x[i]; s.w += x[i];"),
        ("float16", "s.s0 += x[i]; s.s7 += x[i]; s.sf += x[i];"),
        ("complex", "s.re += x[i]; s.im -= x[i];"),
        ("float4", "s += (float4)(x[i]);"),
    ],
)
def test_sums_in_the_lanes_of_a_vector_do_not_wait_for_each_other(type_: str, body: str) -> None:
    zero = "{0, 0}" if type_ == "complex" else f"({type_})(0)"
    several, one = (
        assess(SUMS.format(type=kind, body=text, zero=first), arguments={"n": 4096}).kernels[0].estimate.loops[0].ii
        for kind, text, first in ((type_, body, zero), ("float", "s += x[i];", "0"))
    )
    assert several == one


def test_lanes_that_take_from_each_other_wait() -> None:
    chained = "s.x += x[i]; s.y += s.x; s.x += s.y;"
    (kernel,) = assess(SUMS.format(type="float2", body=chained, zero="(float2)(0)"), arguments={"n": 4096}).kernels
    (alone,) = assess(SUMS.format(type="float", body="s += x[i];", zero="0"), arguments={"n": 4096}).kernels
    assert kernel.estimate.loops[0].ii >= 2 * alone.estimate.loops[0].ii - 1
