"""Copies of an array on the chip that a loop adds to in turn: offered, refused, and the same results."""

from __future__ import annotations

from typing import Any

import pytest

from burstline_server.assessment.assessor import Assessor
from burstline_server.config.layers import Layer
from burstline_server.interpreter.verdicts import Equal
from burstline_server.rewrites.catalogue import offers_of, refusals_of, tried
from burstline_server.rewrites.rewrite import Offer
from burstline_server.words.edits import title_text
from burstline_server.words.obstacles import obstacle_text
from tests.assessing import once
from tests.rewrites.runtime import runtime

KINDS = {"bins_in_turn", "bins_in_turn_of"}
COUNT = """__kernel void h(__global const int *restrict d, __global const float *restrict f,
                __global uint *restrict out, int n)
{
    uint bins[256];
    for (int k = 0; k < 256; k++)
        bins[k] = k * 3;
    for (int i = 0; i < n; i++)
        bins[d[i] & 255]++; // one more
    for (int k = 0; k < 256; k++)
        out[k] = bins[k];
}
"""
COUNT_IN_TURN = (
    COUNT.partition("    for (int i")[0]
    + """    uint bins_turns[2][256];
    for (int k_ = 0; k_ < 256; k_++) {
        #pragma unroll
        for (int turn = 0; turn < 2; turn++)
            bins_turns[turn][k_] = 0;
    }
    #pragma ivdep array(bins_turns) safelen(2)
    for (int i = 0; i < n; i++)
        bins_turns[i & 1][d[i] & 255]++; // one more
    for (int k_ = 0; k_ < 256; k_++) {
        #pragma unroll
        for (int turn = 0; turn < 2; turn++)
            bins[k_] += bins_turns[turn][k_];
    }
"""
    + COUNT.partition("one more\n")[2]
)
TWICE = COUNT.replace("uint", "int").replace(
    "bins[d[i] & 255]++; // one more",
    "{\n        const int at = (d[i] >> 3) & 255;\n        bins[at] = bins[at] - d[i];\n        if (f[i] > 9)\n"
    "            continue;\n        bins[255 - at] += at * i;\n    }",
)
SHORT = COUNT.replace("uint bins", "__local ushort bins").replace(
    "int i = 0; i < n; i++", "long i = n - 1; i >= 0; --i"
)
REALS = COUNT.replace("uint", "float").replace("++;", " += f[i];")
MINUS = REALS.replace("bins[d[i] & 255] += f[i];", "bins[d[i] & 255] = bins[d[i] & 255] - f[i] * 0.5f;")
ROLLED = COUNT.replace("    for (int i", "    #pragma unroll 1\n    for (int i")
INNER = COUNT.replace(
    "bins[d[i] & 255]++; // one more",
    "{\n        #pragma unroll\n        for (int r = 0; r < 2; r++)\n"
    "            bins[(d[i] >> r * 8) & 255] += r;\n    }",
)
NAMED = "typedef unsigned int word;\ntypedef word place;\n" + COUNT.replace(
    "int i = 0; i < n", "place i = 0; i < (place)n"
)
STEPS = COUNT.replace("i = 0; i < n; i++", "i = 2; i < n; i += 12")
COMES = ("int i = 0; i < n; i++", "int i = 0; i < n; i += (n & 1) + 1")
WAITS = COUNT.replace("for (int i = 0; i < n; i++)\n        bins[d[i] & 255]++; // one more",
                      "int i = 0;\n    while (i < n) {\n        bins[d[i] & 255]++;\n        i++;\n    }")  # fmt: skip
CASES = {
    "waits": WAITS,
    "comes": COUNT.replace(*COMES),
    "apart": COUNT.replace(*COMES).replace(" // one more", ""),
    "named": NAMED,
    "steps": STEPS,
    "rolled": ROLLED,
    "inner": INNER,
    "count": COUNT,
    "twice": TWICE,
    "short": SHORT,
    "reals": REALS,
    "minus": MINUS,
}


@once
def assessed(text: str) -> Any:
    layers = [Layer("file", {"aoc_version": "18.1", "arguments": {"n": 100_000}})]
    return Assessor().assess(text, "k.cl", layers), layers


@once
def offers(text: str) -> list[Offer]:
    return [o for o in offers_of(assessed(text)[0]) if o.title.kind in KINDS]


def reasons(text: str) -> list[str]:
    return [obstacle_text(r.reason) for r in refusals_of(assessed(text)[0]) if r.title.kind in KINDS]


def test_the_edit_reads_like_the_file() -> None:
    (offer,) = offers(COUNT)
    after = offer.applied(COUNT.encode()).decode()
    assert after == COUNT_IN_TURN
    assert offers(after) == []
    windows = COUNT.replace("\n", "\r\n")
    assert offers(windows)[0].applied(windows.encode()).decode() == after.replace("\n", "\r\n")


def test_a_loop_without_a_counter_that_steps_evenly_gets_one() -> None:
    (offer,) = offers(WAITS)
    after = offer.applied(WAITS.encode()).decode()
    assert "    uint bins_turn = 0;\n    uint bins_turns[2][256];\n" in after
    assert "{\n        bins_turn++;\n        bins_turns[bins_turn & 1][d[i] & 255]++;\n        i++;" in after
    came = COUNT.replace(*COMES)
    (offer,) = offers(came)
    assert (
        "{ bins_turn++; bins_turns[bins_turn & 1][d[i] & 255]++; } // one more" in offer.applied(came.encode()).decode()
    )


@pytest.mark.parametrize(("old", "new"), [
    ("bins[d[i] & 255]++;", "{ int i = 3; bins[d[i] & 255]++; }"),
    ("bins[d[i] & 255]++;",
     "{\n    #pragma unroll\n    for (int i = 0; i < 2; i++) bins[d[i] & 255]++;\n    bins[d[i] & 7]++; }"),
    ("int i = 0; i < n; i++", "int i = 1; i < n; i *= 2"),
])  # fmt: skip
def test_a_counter_that_is_another_ones_in_the_loop_does_not_take_turns(old: str, new: str) -> None:
    text = COUNT.replace(old, new)
    assert text != COUNT
    (offer,) = offers(text)
    assert "bins_turns[bins_turn & " in offer.applied(text.encode()).decode()
    assessment, layers = assessed(text)
    fix = tried(Assessor(), assessment, layers, offer, every=True)
    assert fix is not None
    assert isinstance(fix.execution, Equal)


def test_a_name_that_goes_on_in_the_next_line_is_in_use() -> None:
    text = COUNT.replace("    for (int i", "    int bins_tu\\\nrns = 3;\n    for (int i").replace("k * 3", "k")
    (offer,) = offers(text)
    assert "bins_turns_[i & 1]" in offer.applied(text.encode()).decode()


def test_steps_of_even_numbers_take_turns_by_the_counters_higher_bits() -> None:
    (offer,) = offers(STEPS)
    assert "bins_turns[(i >> 2) & 1][d[i] & 255]++;" in offer.applied(STEPS.encode()).decode()


@pytest.mark.parametrize(
    "name", ["typedef float place;\n", "typedef int *place;\n", "typedef int place;\ntypedef long place;\n"]
)
def test_a_counter_of_no_one_known_type_is_not_what_takes_turns(name: str) -> None:
    text = name + COUNT.replace("int i = 0", "place i = 0")
    for offer in offers(text):
        assert "bins_turns[bins_turn & 1]" in offer.applied(text.encode()).decode()


@pytest.mark.parametrize("name", CASES)
def test_iterations_wait_no_more(name: str) -> None:
    assessment, layers = assessed(CASES[name])
    (offer,) = offers(CASES[name])
    fix = tried(Assessor(), assessment, layers, offer)
    assert fix is not None
    assert isinstance(fix.execution, Equal)
    assert (fix.speedup or 0) > (1.1 if name == "steps" else 1.5)  # the copies are added up as well
    assert offer.kind == ("assertion" if name in {"reals", "minus"} else "proved")
    assert ("in another order" in title_text(offer.title)) == (offer.kind == "assertion")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (COUNT.replace("++;", " ^= 3;"), "more with bins"),
        (COUNT.replace("++;", " += 0.5f * d[i];"), "whole numbers"),
        (COUNT.replace("bins[d[i] & 255]++;", "out[bins[d[i] & 255]++] = i;"), "more with bins"),
        (COUNT.replace("bins[d[i] & 255]++;", "bins[d[i] & 255] += bins[i & 7];"), "more with bins"),
        (COUNT.replace("bins[d[i] & 255]++;", "{ uint *p = bins; p[d[i] & 255]++; }"), "address"),
        (COUNT.replace("    for (int i", "    uint *p = bins;\n    for (int i").replace("++;", " += p[3];"), "address"),
        (
            COUNT.replace("    for (int i", "    uint *p = &bins[2];\n    for (int i").replace("++;", " += *p;"),
            "address",
        ),
        (COUNT.replace("bins[d[i] & 255]++;", "bins[d[i] & 255] = 3 - bins[d[i] & 255];"), "more with bins"),
        (COUNT.replace("bins[d[i] & 255]++;", "{ switch (d[i] & 1) { case 0: bins[d[i] & 255]++; } }"), "goto"),
        (COUNT.replace("256", "32768").replace("255", "32767"), "64 kB"),
        (COUNT.replace("    for (int i", "    #pragma unroll 2\n    for (int i"), "pragma"),
        ("#define UP(b) bins[b]++\n" + COUNT.replace("bins[d[i] & 255]++", "UP(d[i] & 255)"), "macro"),
    ],
)
def test_refused_with_the_reason(text: str, why: str) -> None:
    assert offers(text) == []
    assert [one for one in reasons(text) if why in one], reasons(text)


@pytest.mark.parametrize(
    "text",
    [
        COUNT.replace("#pragma", "").replace("    for (int i", "    #pragma ivdep\n    for (int i"),
        COUNT.replace("d[i] & 255", "i & 255"),
        COUNT.replace("int n)", "int n) {")
        .replace("{\n{", "{")
        .replace("int i = 0; i < n; i++", "int i = 0; i < 1; i++"),
    ],
)
def test_loops_that_do_not_wait_are_left_alone(text: str) -> None:
    assert offers(text) == []


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("n", [0, 1, 5, 1000])
def test_edited_kernels_compute_the_same_on_a_real_runtime(name: str, n: int) -> None:
    cl, context, queue = runtime()
    np = pytest.importorskip("numpy")
    rng = np.random.default_rng(n)
    data = rng.integers(-(2**31), 2**31, 4096).astype(np.int32)
    reals = rng.integers(-64, 64, 4096).astype(np.float32)  # sums of them are exact

    def run(source: str) -> Any:
        (kernel,) = cl.Program(context, source).build(options=["-w"]).all_kernels()
        flags = cl.mem_flags
        given = [cl.Buffer(context, flags.READ_ONLY | flags.COPY_HOST_PTR, hostbuf=one) for one in (data, reals)]
        found = np.zeros(256, np.uint32)
        out = cl.Buffer(context, flags.READ_WRITE | flags.COPY_HOST_PTR, hostbuf=found)
        kernel(queue, (1,), (1,), *given, out, np.int32(n))
        cl.enqueue_copy(queue, found, out)
        return found

    (offer,) = offers(CASES[name])
    assert np.array_equal(run(offer.applied(CASES[name].encode()).decode()), run(CASES[name]))
