"""The cycles that a loop's schedule keeps for global memory follow from the units that share the way there."""

from __future__ import annotations

import pytest

from burstline_model.compiler.infer import infer
from burstline_model.pipeline.global_latency import global_latency
from burstline_model.pipeline.latencies import operation_table
from burstline_server.assessment.assessor import Assessment
from tests.assessing import assess

COPY = "__kernel void copy(__global int *in, __global int *out, int n)\n"
PLAIN = COPY + "{ for (int i = 0; i < n; i++) out[i] = in[i]; }\n"
ARGUMENT = "__global {type} *restrict {name}"


def interval(text: str, family: str, version: str, *, kernel: int = 0) -> float | None:
    """II of the first loop of a kernel of one work-item."""
    return assess(text, device_family=family, aoc_version=version).kernels[kernel].estimate.loops[0].ii


@pytest.mark.parametrize(
    ("family", "version", "load", "store"),
    [
        ("Arria 10", "20.3", 127, 24),  # the vendor's tutorial: 144 + 42 + 1, with a second kernel that stores
        ("Stratix 10", "18.1", 185, 24),
        ("Cyclone V", "18.1", 117, 24),
    ],
)
def test_two_units_wait_for_a_burst_of_each_other(family: str, version: str, load: int, store: int) -> None:
    assert interval(PLAIN, family, version) == load + 16 + 1 + store + 16 + 1


@pytest.mark.parametrize(
    ("others", "wait", "stages", "stores"),
    [
        (0, 16, 1, 1),
        (1, 2 * 16, 1, 1),
        (3, 4 * 16, 2, 1),  # five units: the tree has a second stage
        (9, 128, 2, 1),  # eleven: no longer than eight bursts
    ],
)
def test_each_unit_as_wide_adds_a_burst(others: int, wait: int, stages: int, stores: int) -> None:
    names = [f"x{i}" for i in range(others)]
    arguments = "".join(f", {ARGUMENT.format(type='const int', name=name)}" for name in names)
    added = "".join(f" ^ {name}[(i * 7 + {k}) % n]" for k, name in enumerate(names))
    text = f"__kernel void k(__global int *in, __global int *out, int n{arguments})\n"
    text += f"{{ for (int i = 0; i < n; i++) out[i] = in[i]{added}; }}\n"
    turn = 127 + (stages - 1) + wait + 1 + 24 + 2 * (stores - 1) + wait + 1
    assert interval(text, "Arria 10", "20.3") == turn


def test_narrower_units_add_nothing_while_memory_keeps_up() -> None:
    """Two units of 128 bits and one of 32: 3 * 128 / 288 bursts of the other one, 21 cycles of 16 words."""
    text = (
        "__kernel void k(__global int4 *in, __global int4 *out, __global const int *restrict t, int n)\n"
        "{ for (int i = 0; i < n; i++) out[i] = in[i] ^ (int4)t[(i * 7) % n]; }\n"
    )
    assert interval(text, "Arria 10", "20.3") == 127 + 21 + 1 + 24 + 21 + 1


def test_units_that_ask_for_more_than_a_word_wait_for_what_memory_is_behind() -> None:
    """Eight units of 128 bits ask for two words of 512 in a cycle: one burst behind; on Cyclone V for four of 256."""
    names = [f"x{i}" for i in range(6)]
    arguments = "".join(f", {ARGUMENT.format(type='const int4', name=name)}" for name in names)
    added = "".join(f" + {name}[i]" for name in names)
    text = f"__kernel void k(__global int4 *in, __global int4 *out, int n{arguments})\n"
    text += f"{{ for (int i = 0; i < n; i++) out[i] = in[i]{added}; }}\n"
    assert interval(text, "Stratix 10", "19.4") == 185 + 1 + 16 + 1 + 24 + 16 + 1
    assert interval(text, "Cyclone V", "18.1") == 117 + 1 + 48 + 1 + 24 + 48 + 1


def test_a_plain_unit_off_alignment_takes_less_from_19_3_on() -> None:
    """Its neighbour's wait is the same; two of 64 bits on Arria 10."""
    text = (
        "__kernel void k(__global int *in, __global int *out, int n, int f)\n{ for (int i = 0; i < n; i++)\n"
        "    { int a = in[2 * i + f], b = in[2 * i + 1 + f]; out[2 * i + f] = a; out[2 * i + 1 + f] = b; } }\n"
    )
    before, after = (interval(text, "Arria 10", version) or 0 for version in ("19.1", "19.4"))
    assert before - after == 31


@pytest.mark.parametrize("version", ["16.0", "16.1"])
def test_up_to_16_units_do_not_matter(version: str) -> None:
    third = PLAIN.replace("int n)", "int n, __global const int *restrict t)").replace("in[i]", "in[i] + t[i]")
    assert interval(PLAIN, "Arria 10", version) == interval(third, "Arria 10", version)


def test_chains_side_by_side_run_as_fast_as_one() -> None:
    """The schedule keeps room for the requests of the others; as it runs, they come when they are asked for."""

    def followed(chains: int) -> str:
        places = "".join(f"int p{c} = n + {c}; " for c in range(chains))
        steps = " ".join(f"p{c} = x[p{c}];" for c in range(chains))
        stored = " ".join(f"y[{100 * c}] = p{c};" for c in range(chains))
        head = "__kernel void k(__global const int *restrict x, __global int *restrict y, int n)\n"
        return f"{head}{{ {places} for (int i = 0; i < n; i++) {{ {steps} }} {stored} }}\n"

    one, four = (
        assess(followed(chains), device_family="Arria 10", aoc_version="19.4").kernels[0].estimate.loops[0]
        for chains in (1, 4)
    )
    assert (four.ii or 0) > (one.ii or 0)
    assert four.ii_at_run == pytest.approx(one.ii_at_run, abs=2)


POINT = "__kernel void k(__global const float *restrict w, __global float *p, float re, float im, int n, int m)\n"


@pytest.mark.parametrize(
    ("body", "operations"),
    [
        ("p[i * m] += re;", 4),  # one addition
        (
            "float c = w[i * m] * im; p[i * m] += re * w[i * m + 1] - im * c;",
            4 + 8 + 4 + 1,
        ),  # the longest from any load
        ("p[i * m] += (float)i * re * im;", 4),  # known before the load begins
        ("p[(int)w[i * m]] += re * w[i * m + 1];", 4),  # where the place is loaded first, the others wait for nothing
    ],
)
def test_operations_begin_when_all_that_they_take_in_is_loaded(body: str, operations: int) -> None:
    """Reports of 17.1 print II 173 where a load of 129 cycles, 17 of operations and a store of 25 follow each other."""
    kernel = assess(
        f"{POINT}{{ for (int i = 0; i < n; i++) {{ {body} }} }}", device_family="Arria 10", aoc_version="17.1"
    )
    load, store = _latencies(kernel)
    assert kernel.kernels[0].estimate.loops[0].ii == load + 1 + operations + store + 1


def test_conversions_and_whole_sums_on_the_way_to_a_store_count() -> None:
    """A report of 17.0 prints II 200 around loads of 144 and a store of 46 cycles, two sums and a conversion."""
    text = "__kernel void k(__global int4 *v, __global float4 *mean, int n, int m, int w)\n{ int4 sum = (int4)0;\n"
    text += (
        "for (int i = w; i < n; i++) { sum = sum - v[(i - w) * m] + v[i * m]; mean[i * m] = convert_float4(sum); } }\n"
    )
    kernel = assess(text, device_family="Arria 10", aoc_version="17.0")
    load, store = _latencies(kernel)
    assert kernel.kernels[0].estimate.loops[0].ii == load + 1 + 8 + store + 1


def _latencies(kernel: Assessment) -> tuple[int, int]:
    """Cycles of the slowest load and store of a kernel's units."""
    facts, target = kernel.kernels[0].facts, kernel.target
    table = operation_table(target.family, target.aoc_version)
    found = global_latency(infer(facts, target), target, table)
    return max(found.loads.values()), max(found.stores.values())
