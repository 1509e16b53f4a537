"""Arrays of items through channels: iterations stay as they are, and in their order; what they send goes together."""

from __future__ import annotations

import random
import re

import pytest

from burstline_server.assessment.assessor import Assessor
from burstline_server.config.layers import Layer
from burstline_server.interpreter.verdicts import Different, Equal
from burstline_server.rewrites.catalogue import fixes_of
from burstline_server.words.edits import title_text
from tests.rewrites.equality import Data, ran
from tests.rewrites.test_vector_items import applied, offers, refused, verdict

CHAIN = """#pragma OPENCL EXTENSION cl_intel_channels : enable

channel float raw __attribute__((depth(16)));
channel int kept __attribute__((depth(4)));

__kernel void load(__global const float *restrict x, const int n)
{
    for (int i = n - 1; i >= 0; --i) {
        float v = 0.0f;
        if (i % 7 < 5)
            v = x[i];
        write_channel_intel(raw, v);
    }
}

__kernel void scan(int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++) {
        float v = read_channel_intel(raw);
        sum += v > 3.0f ? (int)v : 1;
        write_channel_intel(kept, sum);
    }
}

__kernel void store(__global int *restrict y, int n)
{
    for (int i = 0; i < n; i++)
        y[i] = read_channel_intel(kept);
}
"""
PAIRS = CHAIN.replace("channel float raw", "typedef struct { float f; short s; } pair;\nchannel pair raw").replace(
    "write_channel_intel(raw, v)", "pair one = { v, i };\n        write_channel_intel(raw, one)"
).replace("float v = read_channel_intel(raw);", "float v = read_channel_intel(raw).f;")  # fmt: skip


def test_each_iteration_stays_as_it_is() -> None:
    after = applied(CHAIN)
    assert (
        after[after.index("typedef") : after.index("__kernel void store")]
        == """typedef struct { float item[16]; } raw_items;
channel raw_items raw __attribute__((depth(16)));
typedef struct { int item[16]; } kept_items;
channel kept_items kept __attribute__((depth(4)));

__kernel void load(__global const float *restrict x, const int n)
{
    for (long i_first = (n - 1); i_first >= 0; i_first -= 16) {
        raw_items raw_out;
        #pragma unroll
        for (int lane = 0; lane < 16; lane++) {
            if (i_first - lane >= 0) {
                const int i = i_first - lane;
                float v = 0.0f;
                if (i % 7 < 5)
                    v = x[i];
                raw_out.item[lane] = v;
            }
        }
        write_channel_intel(raw, raw_out);
    }
}

__kernel void scan(int n)
{
    int sum = 0;
    for (long i_first = 0; i_first < n; i_first += 16) {
        const raw_items raw_in = read_channel_intel(raw);
        kept_items kept_out;
        #pragma unroll
        for (int lane = 0; lane < 16; lane++) {
            if (i_first + lane < n) {
                float v = raw_in.item[lane];
                sum += v > 3.0f ? (int)v : 1;
                kept_out.item[lane] = sum;
            }
        }
        write_channel_intel(kept, kept_out);
    }
}

"""
    )


@pytest.mark.parametrize("text", [CHAIN, PAIRS, CHAIN.replace("\n", "\r\n")], ids=["scalars", "structures", "crlf"])
def test_kernels_leave_the_same(text: str) -> None:
    (offer,) = offers(text)
    after = offer.applied(text.encode()).decode()
    assert isinstance(verdict(text, after, offer), Equal)
    for old, new in (("kept_in.item[lane]", "kept_in.item[lane ^ 1]"), ("i_first - lane;", "i_first + lane;")):
        assert old in after
        assert isinstance(verdict(text, after.replace(old, new), offer), Different), old


@pytest.mark.parametrize("counter", ["int", "uint"])
def test_bounds_without_a_sign_are_counted_to(counter: str) -> None:
    text = CHAIN.replace("int n)", "uint n)").replace("for (int i = n - 1; i >= 0; --i)", "for (int i = 0; i < n; i++)")
    text = text.replace("for (int", f"for ({counter}")
    (offer,) = offers(text)
    after = offer.applied(text.encode()).decode()
    assert f"const {counter} i = i_first + lane;" in after
    assert isinstance(verdict(text, after, offer), Equal)


@pytest.mark.parametrize("n", [0, 1, 15, 16, 17, 100])
def test_a_real_runtime_leaves_the_same(n: int) -> None:
    np = pytest.importorskip("numpy")
    data = Data(
        {"x": np.arange(128, dtype=np.float32) % 11, "y": np.zeros(128, np.int32)},
        {"by": np.float32(3), "n": np.int32(n)},
    )
    assert ran(applied(CHAIN), data) == ran(CHAIN, data)


def test_title_and_gain_say_how_many_go_together() -> None:
    (offer,) = offers(CHAIN)
    assert title_text(offer.title).startswith("Send 16 items through raw, kept, at both ends (unsafe: you assert that")
    assessor, layers = Assessor(), [Layer("file", {"arguments": {"n": 1 << 20}})]
    done = assessor.assess(PAIRS, "k.cl", layers)
    (fix,) = fixes_of(assessor, done, layers, chosen=lambda one: one.title.kind == "vector_items_of")
    assert fix.speedup is not None
    assert fix.speedup > 1.5
    assert isinstance(fix.execution, Equal)


def test_a_count_that_fills_whole_arrays_asks_nothing() -> None:
    text = CHAIN.replace("int i = n - 1;", "int i = 4095;").replace("i < n", "i < 4096")
    (offer,) = offers(text)
    assert offer.kind == "proved"
    assert "i_first + lane <" not in offer.applied(text.encode()).decode()


def test_sizes_at_which_the_kernels_wait_for_ever_say_nothing_of_others() -> None:
    text = CHAIN.replace("int n)", "uint n)").replace(
        "for (int i = n - 1; i >= 0; --i)", "for (int i = 0; i < n - 1; i++)"
    )
    text = text.replace("for (int i = 0; i < n;", "for (int i = 1; i < n;")
    (offer,) = offers(text)
    assert isinstance(verdict(text, offer.applied(text.encode()).decode(), offer), Equal)


SEND, TAKE = "write_channel_intel(raw, v);", "float v = read_channel_intel(raw);"
NOT = {
    "a condition": (SEND, "if (v > 1) write_channel_intel(raw, v);"),
    "a choice": (TAKE, "float v = i > 3 ? read_channel_intel(raw) : 0;"),
    "an operator that may leave it out": (TAKE, "float v = n > 3 && read_channel_intel(raw) > 2;"),
    "a loop of its own": (SEND, "for (int k = 0; k < n; k++) write_channel_intel(raw, v);"),
    "an end": (TAKE, f"{TAKE} if (v == 9) break;"),
    "a return": (TAKE, f"{TAKE} if (v == 9) return;"),
    "an iteration that ends before it sends": (TAKE, f"{TAKE} if (v == 9) continue;"),
    "a bound that changes": (TAKE, f"{TAKE} if (sum > 99) n--;"),
    "a counter that changes": (TAKE, f"{TAKE} if (sum > 99) i++;"),
    "a bound of another type": ("void scan(int n)\n{\n    int sum = 0;\n    for (int i",
                                "void scan(int n)\n{\n    int sum = 0;\n    for (uint i"),
    "a counter in its bound": ("void scan(int n)\n{\n    int sum = 0;\n    for (int i = 0; i < n",
                               "void scan(int n)\n{\n    int sum = 0;\n    for (int i = 0; i < n - i"),
    "a pragma": ("    for (int i = n - 1", "    #pragma unroll 2\n    for (int i = n - 1"),
}  # fmt: skip


@pytest.mark.parametrize("name", NOT)
def test_what_may_not_go_together_stays(name: str) -> None:
    old, new = NOT[name]
    text = CHAIN.replace(old, new)
    assert text != CHAIN
    assert offers(text) == []


def test_what_is_sent_before_all_is_read_may_be_waited_for() -> None:
    text = CHAIN.replace(TAKE, "").replace("v > 3.0f ? (int)v : 1;", "1;").replace(
        "write_channel_intel(kept, sum);", "write_channel_intel(kept, sum);\n        sum += read_channel_intel(raw);"
    )  # fmt: skip
    assert offers(text) == []
    assert refused(text) == ["an iteration writes a channel before it has read all of its others"]


def test_an_end_that_is_not_here_is_said() -> None:
    alone = CHAIN[: CHAIN.index("__kernel void scan")].replace("channel int kept __attribute__((depth(4)));\n", "")
    assert refused(alone) == ["raw is not written in one place and read in one other"]
    behind = CHAIN.replace(
        "write_channel_intel(raw, v);\n    }", "write_channel_intel(raw, v);\n    }\n    int left = 3;"
    )
    behind = behind.replace(
        "        y[i] = read_channel_intel(kept);", "        y[i] = i;\n    y[0] = read_channel_intel(kept);"
    )
    assert refused(behind) == ["store works on channels outside of one loop, or may leave one early"]


TYPES = ("float", "int", "uchar", "long", "short", "pair", "int2")


def generated(seed: int) -> str:
    """A chain of kernels whose iterations do what vectors do not: conditions, sums, tables, jumps, structures."""
    draw = random.Random(seed)
    many = draw.randint(1, 3)
    types = [draw.choice(TYPES) for _ in range(many)]
    lines = ["#pragma OPENCL EXTENSION cl_intel_channels : enable", "typedef struct { int a; short b; } pair;"]
    lines += [f"channel {t} c{i} __attribute__((depth({draw.choice([0, 1, 7])})));" for i, t in enumerate(types)]
    lines += ["int odd(int v) { for (int i = 0; i < 2; i++) v = v * 3 - i; return v; }"]
    for at in range(many + 1):
        counter = draw.choice(["int", "int", "long"])
        head = draw.choice([
            f"for ({counter} i = 0; i < n; i++)", f"for ({counter} i = n - 1; i >= 0; i--)",
            f"for ({counter} i = 0; i < n; ++i)", f"for ({counter} i = 1; i <= n; i += 1)",
            f"for ({counter} i = 3 * n - 3; i >= 0; i -= 3)",
        ])  # fmt: skip
        at_i = "(i / 3)" if "3" in head else "(i - 1)" if "<= n" in head else "i"
        take = f"x[{at_i}]" if at == 0 else {
            "pair": f"read_channel_intel(c{at - 1}).a", "int2": f"read_channel_intel(c{at - 1}).y",
        }.get(types[at - 1], f"read_channel_intel(c{at - 1})")  # fmt: skip
        body = [f"int v = (int){take};"]
        body += draw.choice([
            [], ["sum += v; v = sum;"], ["if (v > 20) v -= i; else sum++;"], ["t[v & 7] += 1; v += t[3];"],
            ["for (int k = 0; k < 3; k++) { if (v > 40) break; v += k; }"], ["v = odd(v) + sum; sum ^= v;"],
            ["switch (v & 3) { case 0: v++; break; case 1: sum--; }"],
            ["#pragma unroll\n    for (int k = 0; k < 2; k++) v ^= k;"],
        ])  # fmt: skip
        if at < many:
            sent = {"pair": "one", "int2": "(int2)(sum, v)"}.get(types[at], "v")
            body += ["pair one = { v, sum };"] if sent == "one" else []
            body += [f"write_channel_intel(c{at}, {sent});"]
        else:
            body += draw.choice(
                [[f"y[{at_i}] = v;"], [f"if (v & 1) continue; y[{at_i}] += v;"], [f"y[{at_i}] = v - y[0];"]]
            )
        whole = draw.random() < 0.5
        inside = " ".join(body) if whole and not any("#" in b for b in body) else "\n        ".join(body)
        name = ("__global const int *restrict x, " if at == 0 else "") + (
            "__global int *restrict y, " if at == many else ""
        )
        lines += [f"__kernel void k{at}({name}int n)\n{{\n    int sum = {draw.randint(0, 3)}, t[8] = {{ 0 }};"]
        lines += [f"    {head} {{\n        {inside}\n    }}", "}"]
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("seed", range(8))
def test_generated_chains_leave_the_same_on_a_real_runtime(seed: int) -> None:
    np = pytest.importorskip("numpy")
    text = generated(seed)
    found = offers(text)
    assert len(found) == 1, refused(text)
    after = found[0].applied(text.encode()).decode()
    assert re.search(r"\.item\[lane\]|vload", after)
    assert isinstance(verdict(text, after, found[0]), Equal)
    for n in (0, 1, 2, 15, 16, 17, 70):
        arrays = {"x": np.arange(300, dtype=np.int32) % 61 - 9, "y": np.arange(300, dtype=np.int32)}
        data = Data(arrays, {"n": np.int32(n)})
        assert ran(after, data) == ran(text, data), n
