"""What LLVM says of kernels, from their text: accesses that are left, how they move, trip counts, requests."""

import time
from collections import Counter
from pathlib import Path

import pytest

from burstline_server.llvm import invocation
from burstline_server.llvm.llvm_text import question, user_line
from burstline_server.llvm.optimised_facts import LlvmKernel
from burstline_server.llvm.provider import Llvm, LlvmFile
from burstline_server.llvm.requests import units_of
from burstline_server.llvm.tools import tools
from burstline_server.source.read import read_source
from burstline_server.source.source import Source

needs_llvm = pytest.mark.skipif(tools() is None, reason="there is no clang from version 14 on with its opt")


def read(text: str, folder: Path | None = None, **defines: str) -> Source:
    path = (folder or Path()) / "kernel.cl"
    return read_source(text.encode(), str(path), defines, [folder] if folder else [], [folder] if folder else [])


def asked(text: str, **defines: str) -> tuple[LlvmFile, Source]:
    source = read(text, **defines)
    answer = Llvm().about(source, patience_s=60)
    assert not answer.why, answer.said
    return answer, source


def kernel(text: str, **defines: str) -> LlvmKernel:
    return asked(text, **defines)[0].rolled["k"]


def lines(text: str, **defines: str) -> Counter[tuple[int, str, str]]:
    answer, source = asked(text, **defines)
    return Counter(
        (user_line(source, a.place)[1] if a.place >= 0 else 0, a.op, a.pointer) for a in answer.rolled["k"].accesses
    )


@needs_llvm
def test_dead_repeated_and_invariant_loads_are_gone() -> None:
    found = lines("""
__kernel void k(__global const int *restrict a, __global int *restrict out, int n) {
  int unused = a[7];
  for (int i = 0; i < n; i++)
    out[i] = a[i] + a[i] + a[0];
}
""")
    moved = (0, "load", "a")  # what comes in front of the loop has no line of its own any more
    assert found == {(5, "load", "a"): 1, moved: 1, (5, "store", "out"): 1}


@needs_llvm
def test_an_address_moves_by_a_constant_even_where_data_say_where_it_starts() -> None:
    found = kernel("""
__kernel void k(__global const int *restrict rows, __global const float *restrict x, __global float *restrict out) {
  int g = get_global_id(0);
  float sum = 0;
  for (int i = rows[g]; i < rows[g + 1]; i++) sum += x[i];
  out[g] = sum;
}
""")
    x = next(a for a in found.accesses if a.pointer == "x")
    assert (x.loop_steps, x.item_steps) == ((4,), {"get_global_id:0": None})
    out = next(a for a in found.accesses if a.pointer == "out")
    assert (out.loops, out.item_steps) == ((), {"get_global_id:0": 4})


@needs_llvm
def test_trip_counts_are_numbers_or_formulas() -> None:
    found = kernel("""
__kernel void k(__global float *restrict a, int n) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < 12; j += 3)
      a[12 * i + j] = 1;
}
""")
    assert sorted(str(loop.trip) for loop in found.loops) == ["4", "n"]


@needs_llvm
def test_a_guard_in_the_loop_is_known() -> None:
    found = kernel("""
__kernel void k(__global const int *restrict a, __global int *restrict out, int n) {
  for (int i = 0; i < n; i++)
    if (a[i] > 3) out[i] = 1;
}
""")
    assert {(a.pointer, a.guarded) for a in found.accesses} == {("a", False), ("out", True)}


@needs_llvm
def test_requests_of_unrolled_loops_are_as_wide_as_their_pragma_asks() -> None:
    text = """
__kernel void k(__global const float *restrict a, __global float *restrict out, int n) {
  for (int i = 0; i < n; i++) {
    float sum = 0;
    #pragma unroll WIDE
    for (int j = 0; j < 16; j++) sum += a[16 * i + j];
    out[i] = sum;
  }
}
"""
    answer, _ = asked(text, WIDE="8")
    assert answer.built is not None
    assert [(u.pointer, u.width_bytes) for u in units_of(answer.built["k"])] == [("a", 32), ("out", 4)]


@needs_llvm
def test_neighbours_that_the_next_work_item_reaches_as_well_stay_apart() -> None:
    answer, _ = asked("""
__kernel void k(__global const float *restrict a, __global const float *restrict b, __global float *restrict out) {
  int g = get_global_id(0);
  out[g] = a[g] + a[g + 1] + b[2 * g] + b[2 * g + 1];
}
""")
    assert answer.built is not None
    found = Counter((u.pointer, u.width_bytes) for u in units_of(answer.built["k"]))
    assert found == {("a", 4): 2, ("b", 8): 1, ("out", 4): 1}


@needs_llvm
def test_channels_neither_move_nor_join_nor_count_as_global_memory() -> None:
    found = lines("""
#pragma OPENCL EXTENSION cl_intel_channels : enable
channel int numbers __attribute__((depth(8)));
channel int results;
__kernel void k(__global const int *restrict a, int n) {
  for (int i = 0; i < n; i++) {
    int first = read_channel_intel(numbers);
    int second = read_channel_intel(numbers);
    write_channel_intel(results, a[first] + a[second]);
  }
}
""")
    assert found == {(9, "load", "a"): 2}


@needs_llvm
def test_vectors_and_packed_structures_are_read_as_they_lie_in_memory() -> None:
    found = kernel("""
typedef struct __attribute__((packed)) { char tag; int value; } item;
__kernel void k(__global const item *restrict items, __global const float *restrict v, __global float *restrict out) {
  int g = get_global_id(0);
  vstore4(vload4(g, v) * items[g].value, g, out);
}
""")
    steps = {a.pointer: (a.size_bytes, a.item_steps["get_global_id:0"]) for a in found.accesses}
    assert steps == {"items": (4, 5), "v": (16, 16), "out": (16, 16)}


@needs_llvm
def test_headers_and_macros_are_those_of_the_build(tmp_path: Path) -> None:
    (tmp_path / "sizes.h").write_text("#define AT(i) (ROW * (i))\n")
    source = read(
        '#include "sizes.h"\n__kernel void k(__global int *restrict a) { a[AT(get_global_id(0))] = 1; }\n',
        tmp_path, ROW="6",
    )  # fmt: skip
    answer = Llvm().about(source, patience_s=60)
    (access,) = answer.rolled["k"].accesses
    assert (user_line(source, access.place), access.item_steps) == ((None, 2), {"get_global_id:0": 24})


@needs_llvm
def test_a_text_with_errors_has_no_answer_but_the_reason() -> None:
    answer = Llvm().about(read("__kernel void k(__global int *a) { a[0] = nobody; }\n"), patience_s=60)
    assert not answer.rolled
    assert "nobody" in answer.said


@needs_llvm
def test_what_takes_too_long_is_ended() -> None:
    assert Llvm().about(read("__kernel void k(__global int *a) { a[0] = 1; }\n"), patience_s=0.001).why == "too_slow"


@needs_llvm
def test_a_text_is_asked_about_once(monkeypatch: pytest.MonkeyPatch) -> None:
    llvm, source = Llvm(), read("__kernel void k(__global int *a) { a[0] = 1; }\n")
    first = llvm.about(source, patience_s=60)
    monkeypatch.setattr(invocation.subprocess, "run", None)
    assert llvm.about(source) is first


def test_without_llvm_there_is_no_answer(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("BURSTLINE_LLVM", str(tmp_path))
    tools.cache_clear()
    try:
        assert not Llvm().present
        assert Llvm().about(read("__kernel void k(__global int *a) { a[0] = 1; }\n")).why
    finally:
        tools.cache_clear()


def test_a_long_gap_behind_a_request_to_unroll_costs_no_time() -> None:
    source = read("__kernel void k(__global int *a) {\n#pragma unroll\n" + " \n" * 4000 + "  a[0] = 1;\n}\n")
    begin = time.monotonic()
    assert question(source, unrolled=True) is not None
    assert time.monotonic() - begin < 5


@needs_llvm
def test_structures_are_packed_as_the_text_asks() -> None:
    text = """
%s
typedef struct { long id; uint kind; float2 at; long next; uint last; } item;
__kernel void k(__global item *items) { items[get_global_id(0)].last = 1; }
"""
    packed, plain = (kernel(text % line).accesses[0] for line in ("#pragma pack(push, 4)", ""))
    assert (packed.item_steps, plain.item_steps) == ({"get_global_id:0": 32}, {"get_global_id:0": 40})


@needs_llvm
def test_an_access_that_arms_have_in_common_names_the_buffers_of_each() -> None:
    found = kernel("""
__kernel void k(__global const int *restrict a, __global const int *restrict b, __global int *restrict out, int n) {
  for (int i = 0; i < n; i++) {
    __global const int *from = out[i] & 1 ? a : b;
    out[i] = from[i];
  }
}
""")
    loads = [a for a in found.accesses if a.op == "load" and a.pointer != "out"]
    assert [(a.pointer, a.arms) for a in loads] == [("", ("a", "b"))]


@needs_llvm
def test_a_pointer_that_moves_unevenly_is_one_into_its_buffer_and_one_of_memory_has_none() -> None:
    found = kernel("""
__kernel void k(__global int *restrict a, __global const int *restrict by, int n) {
  __global int *at = a;
  __global int *volatile kept = a + 1;
  for (int i = 0; i < n; i++) {
    if (by[i] > 0) at += by[i];
    *at = i;
    kept[i] = 2;
  }
}
""")
    assert sorted((a.pointer, a.arms) for a in found.accesses if a.op == "store") == [("", ()), ("a", ())]


@needs_llvm
def test_arguments_behind_a_structure_that_is_passed_whole_are_read() -> None:
    found = kernel("""
typedef struct { int count; float scale[20]; } settings;
__kernel void k(settings how, __global const float *restrict a, __global float *restrict out) {
  int i = get_global_id(0);
  if (i < how.count) out[i] = a[i] * how.scale[i % 20];
}
""")
    assert sorted((a.op, a.pointer) for a in found.accesses) == [("load", "a"), ("store", "out")]
