"""Loads and stores as the interpreter makes them: counted, next to Oclgrind's counts, and those that race."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from bench.accesses import THREE_LANES, Count, Counter, difference, simulated
from bench.interpreter_faults import outcomes
from bench.second_runtime import DRIVER
from bench.traces.oracle import HEADERS, build_plugin
from bench.unordered import AllRaces, watched

from bench import interpreter
from burstline_server.interpreter.program import Program
from burstline_server.interpreter.races import FinerError
from tests.rewrites.equality import assessed

INSTALLED = bool(shutil.which("g++")) and DRIVER.is_file() and all(Path(h).is_dir() for h in HEADERS)
HEAD = """typedef struct {{ int a; float b; char c; }} record;
typedef struct {{ float4 v; int n[4]; }} nested;
__constant int table[4] = {{1, 2, 3, 4}};
int sum(record one) {{ return one.a + one.c; }}
record made(int a) {{ record one; one.a = a; one.b = 1; one.c = 2; return one; }}
__global int *at(__global int *p, int i) {{ return p + i; }}
__attribute__((reqd_work_group_size(8, 1, 1)))
__kernel void {name}(__global int *x, __global int *y, __global int4 *v, __global record *r)
{{ int i = get_local_id(0); {body} }}
"""
Counts = dict[str, tuple[int, int, int, int]]
FORMS: dict[str, tuple[str, Counts]] = {
    "copy": ("x[i] = y[i];", {"x": (0, 16, 0, 64), "y": (16, 0, 64, 0)}),
    "sum": ("x[i] += y[i]; x[i]++;", {"x": (32, 32, 128, 128), "y": (16, 0, 64, 0)}),
    "chain": ("x[i] = x[i + 8] = y[i];", {"x": (0, 32, 0, 128), "y": (16, 0, 64, 0)}),
    "value": ("int t = (x[i] = 4) + 1; y[i] = t + x[i]++;", {"x": (16, 32, 64, 128), "y": (0, 16, 0, 64)}),
    "either": ("if (i > 8 && y[i] || i < 4) x[i] = 1;", {"x": (0, 8, 0, 32)}),
    "chosen": ("x[i] = i < 2 ? y[i] : 0;", {"x": (0, 16, 0, 64), "y": (4, 0, 16, 0)}),
    "unused": ("(void)y[i]; y[i] + 1; x[i];", {"x": (16, 0, 64, 0), "y": (32, 0, 128, 0)}),
    "size": ("x[i] = sizeof(y[i]);", {"x": (0, 16, 0, 64)}),
    "printed": ('printf("%d", y[i]);', {"y": (16, 0, 64, 0)}),
    "vector": ("v[i] += 1;", {"v": (16, 16, 256, 256)}),
    "component": ("v[i].y = v[i + 8].z;", {"v": (16, 16, 256, 64)}),
    "component_sum": ("v[i].y += 3;", {"v": (16, 16, 256, 64)}),
    "components": ("int2 t = v[i].zw; v[i + 8].xy = t;", {"v": (16, 32, 256, 128)}),
    "half": ("v[i].lo = v[i + 8].hi;", {"v": (16, 32, 256, 128)}),
    "inside": (
        "__global nested *n = (__global nested *)v; x[i] = n[i].v.y + n[i].n[2];",
        {"x": (0, 16, 0, 64), "v": (32, 0, 320, 0)},
    ),
    "loaded": ("vstore4(vload4(i, y), i, x);", {"x": (0, 16, 0, 256), "y": (16, 0, 256, 0)}),
    "loaded_three": ("vstore3(vload3(i, y), i, x);", {"x": (0, 16, 0, 192), "y": (16, 0, 192, 0)}),
    "structure": ("r[i] = r[i + 8];", {"r": (16, 16, 192, 192)}),
    "field": ("r[i].c = r[i].a;", {"r": (16, 16, 64, 16)}),
    "passed": ("x[i] = sum(r[i]);", {"x": (0, 16, 0, 64), "r": (16, 0, 192, 0)}),
    "returned": ("r[i] = made(y[i]);", {"y": (16, 0, 64, 0), "r": (0, 16, 0, 192)}),
    "atomic": (
        "atomic_add(&x[0], 1); atomic_max(x + 1, y[i]); atomic_cmpxchg(x + 2, -5, 4);",
        {"x": (48, 32, 192, 128), "y": (16, 0, 64, 0)},
    ),
    "volatile_place": ("volatile __global int *p = x; p[i] = p[i + 8] = 3;", {"x": (0, 32, 0, 128)}),
    "walked": ("__global int *p = at(x, i); *p++ = *y; *p = 3;", {"x": (0, 32, 0, 128), "y": (16, 0, 64, 0)}),
    "cast": ("((__global char *)x)[i] = ((__global short *)y)[i];", {"x": (0, 16, 0, 16), "y": (16, 0, 32, 0)}),
    "looked_up": ("x[i] = table[i & 3];", {"x": (0, 16, 0, 64)}),
    "looped": ("for (int j = 0; j < 4; j++) x[i] += y[j];", {"x": (64, 64, 256, 256), "y": (64, 0, 256, 0)}),
    "switched": (
        "switch (i) { case 1: x[i] = y[i]; case 2: x[i] = 2; break; default: ; }",
        {"x": (0, 6, 0, 24), "y": (2, 0, 8, 0)},
    ),
    "by_pointer": (
        "float whole = modf(1.5f, (__global float *)x + i); y[i] = whole;",
        {"x": (0, 16, 0, 64), "y": (0, 16, 0, 64)},
    ),
    "shared": (
        "__local int t[8]; t[i] = y[i]; barrier(CLK_LOCAL_MEM_FENCE); x[i] = t[7 - i];",
        {"x": (0, 16, 0, 64), "y": (16, 0, 64, 0)},
    ),
    "copied": (
        "__local int t[8]; event_t e = async_work_group_copy(t, (const __global int *)y, 8, 0);"
        " wait_group_events(1, &e); x[i] = t[i];",
        {"x": (0, 16, 0, 64), "y": (16, 0, 64, 0)},
    ),
}
"""Bodies of kernels, and what two groups of eight work-items load and store: loads, stores, and the bytes of each."""


def text_of(names: Any) -> str:
    """The text of some of the kernels, with what they use once."""
    head, _, kernel = HEAD.partition("__attribute__")
    return head.format() + "".join(
        f"__attribute__{kernel.format(name='the_' + name, body=FORMS[name][0])}" for name in names
    )


def launched(text: str, watch: Any) -> Any:
    """A text's only kernel, interpreted while it is watched; returns the watch."""
    assessment = assessed(text, arguments={})
    facts = assessment.kernels[0].facts
    data, group = interpreter.made_up(facts, interpreter.LENGTHS)
    if isinstance(watch, AllRaces):
        return watched(assessment.source, watch, facts, data, group)
    interpreter.interpreted(Program(assessment.source, watch), facts, data, group)
    return watch


@pytest.mark.parametrize("name", FORMS)
def test_loads_and_stores_are_those_of_the_text(name: str) -> None:
    found = launched(text_of([name]), Counter("xyvr")).counts
    assert {buffer: one for buffer, one in found.items() if one != Count()} == {
        buffer: Count(*one) for buffer, one in FORMS[name][1].items()
    }


@pytest.mark.slow
@pytest.mark.skipif(not INSTALLED, reason="needs oclgrind, liboclgrind-dev, opencl-c-headers and g++")
def test_oclgrind_counts_the_same(tmp_path: Path) -> None:
    pytest.importorskip("pyopencl")
    build_plugin(tmp_path)
    (tmp_path / "oclgrind.icd").write_text(f"{DRIVER}\n")
    file = tmp_path / "forms.cl"
    three = "__kernel void three(__global float3 *x, __global float3 *y) { x[get_global_id(0)] = y[0]; }\n"
    half = "__kernel void half_sum(__global half *x) { x[0] = x[1] * x[2]; }\n"
    racing = "__kernel void racing(__global int *x) { x[0] = get_global_id(0); }\n"
    pragma = "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"
    file.write_text(pragma + text_of(FORMS) + three + half + racing)
    found = {one["kernel"]: one for one in outcomes([file], tmp_path)}
    assert {name: found[f"the_{name}"].get("place") for name in FORMS} == dict.fromkeys(FORMS, "")
    assert found["three"]["why"] == THREE_LANES
    assert found["half_sum"]["skipped"] == "Oclgrind does not run it to its end"
    assert (found["racing"]["ours"], found["racing"]["theirs"]) == (["race"], ["race"])


def test_a_difference_names_the_buffer_and_what_explains_it() -> None:
    facts = assessed(text_of(["copy"]), arguments={}).kernels[0].facts
    same, other = {"x": Count(2, 0, 8, 0)}, {"x": Count(3, 1, 12, 4)}
    assert difference(facts, same, same, []) == ("", "")
    place, why = difference(facts, same, other, [])
    assert place == "x: 2 loads of 8 B and 0 stores of 0 B, not 3 loads of 12 B and 1 stores of 4 B"
    assert why == "nothing explains it"
    assert "depends on" in difference(facts, same, other, ["race"])[1]


def test_buffers_of_the_simulator_itself_are_left_out(tmp_path: Path) -> None:
    trace = tmp_path / "trace.json"
    seen = [
        {"op": "l", "buffer": 1, "executions": 9, "bytes": 9}, {"op": "a", "buffer": 2, "executions": 3, "bytes": 12},
        {"op": "b", "buffer": 2, "executions": 2, "bytes": 8}, {"op": "buffer", "buffer": 1, "bytes": 4},
        {"op": "buffer", "buffer": 2, "bytes": 64}, {"op": "buffer", "buffer": 3, "bytes": 32},
        {"op": "said", "begins": "Invalid read of size ", "times": 3}, {"op": "end", "errors": 3},
    ]  # fmt: skip
    trace.write_text("".join(json.dumps(one) + "\n" for one in seen))
    found = simulated(trace, {"x": 64, "y": 32})
    assert (found.counts, found.said) == ({"x": Count(3, 2, 12, 8), "y": Count()}, ["Invalid read of size "])


BARRIER = "barrier(CLK_LOCAL_MEM_FENCE);"


@pytest.mark.parametrize(
    ("body", "races"),
    [
        ("x[g] = g;", False),
        ("x[0] = g;", True),
        ("x[0] = 1;", False),
        ("x[g] = y[0]; y[g + 1] = 3;", False),
        ("x[g] = y[1]; y[g] = x[g];", True),
        ("atomic_add(x, 1);", False),
        ("atomic_add(x, 1); y[g] = x[0];", True),
        ("x[g / 8] = 1; y[g] = x[g / 8];", True),
        ("t[l] = g; x[g] = t[7 - l];", True),
        (f"t[l] = g; {BARRIER} x[g] = t[7 - l];", False),
        (f"t[l] = g; {BARRIER} x[g] = t[7 - l]; {BARRIER} t[7 - l] = 2; x[g] += t[7 - l];", False),
        (f"x[g] = g; {BARRIER} y[g] = x[g ^ 1];", False),
        (f"x[g] = g; {BARRIER} y[g] = x[15 - g];", True),
    ],
)
def test_accesses_that_nothing_orders_race(body: str, races: bool) -> None:
    text = (
        "__attribute__((reqd_work_group_size(8, 1, 1))) __kernel void k(__global int *x, __global int *y) "
        f"{{ int g = get_global_id(0), l = get_local_id(0); __local int t[8]; {body} }}"
    )
    assert launched(text, AllRaces("xy")).races() is races


@pytest.mark.parametrize(("body", "hidden"), [("t = g; x[g] = t;", True), ("x[g] = t; t = g;", False)])
def test_a_race_is_hidden_where_each_work_item_loads_its_own_value(body: str, hidden: bool) -> None:
    text = f"__kernel void k(__global int *x) {{ __local int t; int g = get_global_id(0); {body} }}"
    found = launched(text, AllRaces("x"))
    assert (found.races(), found.hidden()) == (True, hidden)


def test_places_are_bytes_where_accesses_are_less_than_a_word() -> None:
    text = "__kernel void k(__global uchar *x) { x[get_global_id(0)] = get_global_id(0); }"
    with pytest.raises(FinerError):
        launched(text, AllRaces("x"))
    assert not launched(text, AllRaces("x", 1)).races()
