"""Vectors through channels: all kernels that they join change at once, and leave what they left."""

from __future__ import annotations

import random
import re
from dataclasses import replace

import pytest

from burstline_model.facts import Span
from burstline_server.assessment.assessor import Assessment, Assessor
from burstline_server.config.layers import Layer
from burstline_server.interpreter.equality import Edited, equal
from burstline_server.interpreter.host_side import NOTHING
from burstline_server.interpreter.verdicts import Different, Equal, Verdict
from burstline_server.rewrites.catalogue import fixes_of, offers_of
from burstline_server.rewrites.rewrite import Offer
from burstline_server.rewrites.vector_items import VectorItems
from burstline_server.words.edits import title_text
from burstline_server.words.obstacles import obstacle_text
from tests.assessing import once
from tests.rewrites.equality import Data, assessed, ran

STREAM = """#pragma OPENCL EXTENSION cl_intel_channels : enable

channel float raw __attribute__((depth(16)));
channel float scaled __attribute__((depth(16)));

__kernel void load(__global const float *restrict x, int n)
{
    for (int i = 0; i < n; i++)
        write_channel_intel(raw, x[i]);
}

__kernel void scale(float by, int n)
{
    for (int i = 0; i < n; i++) {
        float v = read_channel_intel(raw);
        write_channel_intel(scaled, v * by + 1.0f);
    }
}

__kernel void store(__global float *restrict y, int n)
{
    for (int i = 0; i < n; i++)
        y[i] = read_channel_intel(scaled);
}
"""
FIXED = STREAM.replace("i < n", "i < 4096")
LOAD, STORE = STREAM.index("__kernel void load"), STREAM.index("__kernel void store")
TWO = STREAM[:LOAD] + STREAM[LOAD : STREAM.index("__kernel void scale")] + STREAM[STORE:].replace("scaled", "raw")


@once
def offers(text: str) -> list[Offer]:
    """The edits of this kind that a text gets."""
    assessment = assessed(text)
    return [one for kernel in assessment.kernels for one in VectorItems().offers(assessment, kernel)]


def applied(text: str) -> str:
    """The text with its one edit made."""
    (offer,) = offers(text)
    return offer.applied(text.encode()).decode()


def verdict(text: str, after: str, offer: Offer) -> Verdict:
    """What executing the kernels shows."""
    before = assessed(text)
    edited = Edited(_source(after), offer.replaced_by, {}, offer.host_side or NOTHING, offer.joined)
    return equal(before.source, offer.kernel, edited)


def _source(text: str) -> object:
    return assessed(text).source


@once
def refused(text: str) -> list[str]:
    """Why a text gets none."""
    assessment = assessed(text)
    found = [one for kernel in assessment.kernels for one in VectorItems().refusals(assessment, kernel)]
    return [obstacle_text(one.reason) for one in found]


def test_all_kernels_take_vectors_and_what_is_left_over_goes_one_by_one() -> None:
    assert (
        applied(STREAM)[STREAM.index("channel float") :]
        == """channel float16 raw __attribute__((depth(16)));
channel float16 scaled __attribute__((depth(16)));

__kernel void load(__global const float *restrict x, int n)
{
    const int whole = n - n % 16;
    for (int i = 0; i < whole; i += 16)
        write_channel_intel(raw, vload16(0, &x[i]));
    for (int i = whole; i < n; i++)
        write_channel_intel(raw, (float16)(x[i]));
}

__kernel void scale(float by, int n)
{
    const int whole = n - n % 16;
    for (int i = 0; i < whole; i += 16) {
        float16 v = read_channel_intel(raw);
        write_channel_intel(scaled, v * by + 1.0f);
    }
    for (int i = whole; i < n; i++) {
        float v = read_channel_intel(raw).s0;
        write_channel_intel(scaled, (float16)(v * by + 1.0f));
    }
}

__kernel void store(__global float *restrict y, int n)
{
    const int whole = n - n % 16;
    for (int i = 0; i < whole; i += 16)
        vstore16(read_channel_intel(scaled), 0, &y[i]);
    for (int i = whole; i < n; i++)
        y[i] = read_channel_intel(scaled).s0;
}
"""
    )


def test_the_user_asserts_that_all_loops_run_equally_often() -> None:
    (offer,) = offers(STREAM)
    assert offer.kind == "assertion"
    assert title_text(offer.title) == (
        "Send float16 through raw, scaled, at both ends "
        "(unsafe: you assert that the loops of load, scale, store run equally often in each launch)"
    )


def test_constant_counts_need_no_assertion() -> None:
    (offer,) = offers(FIXED)
    assert offer.kind == "proved"
    after = offer.applied(FIXED.encode()).decode()
    assert "i < 4096; i += 16" in after
    assert "whole" not in after
    assert isinstance(verdict(FIXED, after, offer), Equal)


def test_long_loops_of_all_kernels_are_executed_with_shorter_ones() -> None:
    assessor, text = Assessor(), STREAM.replace("i < n", "i < 1048576")
    done = assessor.assess(text, "k.cl", [])
    (fix,) = fixes_of(assessor, done, [], chosen=lambda one: one.title.kind == "vector_items_of")
    assert isinstance(fix.execution, Equal)
    assert fix.execution.shorter


@pytest.mark.parametrize("n", [0, 1, 15, 16, 17, 100])
def test_a_real_runtime_leaves_the_same(n: int) -> None:
    np = pytest.importorskip("numpy")
    x = np.arange(128, dtype=np.float32)
    data = Data({"x": x, "y": np.zeros(128, np.float32)}, {"by": np.float32(3), "n": np.int32(n)})
    assert ran(applied(STREAM), data) == ran(STREAM, data)


def test_the_interpreter_runs_all_kernels_before_and_after() -> None:
    (offer,) = offers(STREAM)
    after = applied(STREAM)
    assert isinstance(verdict(STREAM, after, offer), Equal)
    for one, other in (
        ("read_channel_intel(scaled).s0", "read_channel_intel(scaled).s1 + 1"),
        ("0, &y[i]", "0, &y[0]"),
    ):
        assert one in after
        assert isinstance(verdict(STREAM, after.replace(one, other), offer), Different), one


def test_it_is_priced_by_all_of_them() -> None:
    assessor, layers = Assessor(), [Layer("file", {"arguments": {"n": 1 << 20}})]
    done: Assessment = assessor.assess(STREAM, "k.cl", layers)
    (fix,) = fixes_of(assessor, done, layers, chosen=lambda one: one.title.kind == "vector_items_of")
    assert fix.speedup is not None
    assert 3 < fix.speedup < 5
    assert isinstance(fix.execution, Equal)


def test_kernels_without_sizes_are_priced_at_assumed_ones() -> None:
    assessor = Assessor()
    done = assessor.assess(STREAM, "k.cl", [])
    (fix,) = fixes_of(assessor, done, [], chosen=lambda one: one.title.kind == "vector_items_of")
    assert fix.gain is not None
    assert fix.gain.assumed


def test_arguments_of_other_names_count_as_well() -> None:
    text = TWO.replace("restrict y, int n", "restrict y, int m").replace(
        "i < n; i++)\n        y", "i < m; i++)\n        y"
    )
    (offer,) = offers(text)
    assert offer.host_side is not None
    assert offer.host_side.alike == (("load.n", "store.m"),)
    after = offer.applied(text.encode()).decode()
    alike, drawn_apart = verdict(text, after, offer), verdict(text, after, replace(offer, host_side=None))
    assert isinstance(alike, Equal)
    assert isinstance(drawn_apart, Equal)
    # Sizes at which the kernels wait for each other as they are say nothing of the edit.
    assert alike.trials > drawn_apart.trials


def test_a_variable_declared_before_the_loop_and_a_bound_without_a_sign_are_no_matter() -> None:
    text = STREAM.replace(
        "{\n    for (int i = 0; i < n; i++)\n        y[i] = read_channel_intel(scaled);",
        """{
    float v = 0;
    for (int i = 0; i < n; i++) {
        v = read_channel_intel(scaled);
        y[i] = v;
    }""",
    ).replace("int n)", "uint n)")
    (offer,) = offers(text)
    after = offer.applied(text.encode()).decode()
    assert "float16 v = read_channel_intel(scaled);" in after
    assert isinstance(verdict(text, after, offer), Equal)


ROWS = (
    STREAM.replace("int n)", "int rows, int n)")
    .replace("\n{\n", "\n{\n    for (int r = 0; r < rows; r++) {\n")
    .replace("\n}\n", "\n    }\n}\n")
)


def test_loops_around_run_equally_often_as_well() -> None:
    (offer,) = offers(ROWS)
    assert offer.host_side is not None
    assert [one[0] for one in offer.host_side.alike] == ["load.rows", "load.n"]
    assert isinstance(verdict(ROWS, offer.applied(ROWS.encode()).decode(), offer), Equal)
    *start, last = ROWS.split("r < rows")
    assert offers("r < rows".join(start) + "r < 3" + last) == []
    assert offers(ROWS.replace("i < n", "i < r")) == []
    assert offers(ROWS.replace("by + 1.0f);", "by + 1.0f); if (r == 2) break;")) == []


READ = "y[i] = read_channel_intel(scaled);"
NOT = {
    "another bound": ("for (int i = 0; i < n; i++)\n        y", "for (int i = 0; i < 2 * n; i++)\n        y"),
    "a condition": ("        write_channel_intel(raw", "        if (x[i] > 0) write_channel_intel(raw"),
    "two places": (READ, "y[i] = read_channel_intel(scaled) + read_channel_intel(scaled);"),
    "no waiting": (READ, "{ bool valid; y[i] = read_channel_nb_intel(scaled, &valid); }"),
    "in the order of data": (READ, "y[(int)x[i] & 7] = read_channel_intel(scaled);"),
    "work-items": ("    for (int i = 0; i < n; i++)\n        y[i]", "    int i = get_global_id(0);\n        y[i]"),
    "an array": ("raw __attribute__", "raw[2] __attribute__"),
    "nested": (
        "    for (int i = 0; i < n; i++)\n        y[i]",
        "    for (int r = 0; r < n; r++)\n    for (int i = 0; i < n; i++)\n        y[i]",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", NOT)
def test_what_is_not_one_stream_stays_as_it_is(name: str) -> None:
    old, new = NOT[name]
    text = STREAM.replace(old, new)
    assert text != STREAM
    assert offers(text) == []


def test_a_kernel_by_itself_knows_the_others() -> None:
    assessment = assessed(STREAM)
    place = STREAM.index("y[i]")
    near = assessment.near(Span(start=place, end=place + 1))
    assert [one.facts.name for one in near.kernels] == ["store"]
    (offer,) = (one for one in offers_of(near) if one.title.kind == "vector_items_of")
    assert offer.edits == offers(STREAM)[0].edits


def test_a_third_place_in_a_kernel_that_is_not_read_is_seen() -> None:
    other = "\n__kernel void more(__global float *z) { z[0] = read_channel_intel(scaled) + undeclared; }\n"
    assert offers(STREAM + other) == []
    assert offers(STREAM + "float help(void) { return read_channel_intel(scaled); }\n") == []


def test_reasons_are_said() -> None:
    assert refused(STREAM.replace(*NOT["nested"])) == [
        "the loops at both ends do not run equally often, as far as their heads show"
    ]
    assert refused(STREAM.replace(*NOT["two places"])) == ["scaled is not written in one place and read in one other"]
    assert refused(STREAM.replace(*NOT["another bound"])) == [
        "the loops at both ends do not run equally often, as far as their heads show"
    ]


def test_a_loop_that_carries_a_value_gets_arrays_of_items() -> None:
    text = STREAM.replace(
        "{\n    for (int i = 0; i < n; i++) {\n        float v",
        "{\n    float s = 0;\n    for (int i = 0; i < n; i++) {\n        float v",
    )
    text = text.replace("v * by + 1.0f);", "s);\n        s += v;")
    (offer,) = offers(text)
    after = offer.applied(text.encode()).decode()
    assert "s += v" in after
    assert "float16" not in after
    assert isinstance(verdict(text, after, offer), Equal)


TYPES = {"float": "float32", "int": "int32", "uint": "uint32", "long": "int64"}


def generated(seed: int) -> str:
    """A chain of kernels, joined by one or two channels at each place, with arithmetic on what comes through."""
    draw = random.Random(seed)
    type_ = draw.choice(["float", "int", "uint", "long"])
    counter, bound = draw.choice([("int", "int"), ("int", "uint"), ("uint", "uint"), ("long", "long")])
    first = draw.choice(["0", "0", "2"]) if counter == bound == "int" else "0"
    wide = [draw.choice([1, 1, 2]) for _ in range(draw.randint(1, 3))]
    names = [[f"c{at}_{n}" for n in range(many)] for at, many in enumerate(wide)]
    lines = ["#pragma OPENCL EXTENSION cl_intel_channels : enable"]
    lines += [f"channel {type_} {name} __attribute__((depth({draw.choice([0, 1, 7])})));" for n in names for name in n]

    def term(value: str) -> str:
        return draw.choice([value, f"{value} * by", f"({value} + 3)", f"-{value}", f"({value} - by) * {value}"])

    around = draw.choice(["", "", "    for (int r = 0; r < 2; r++) {\n"])
    for at in range(len(wide) + 1):
        here, there = names[at - 1] if at else [], names[at] if at < len(wide) else []
        takes = [f"{type_} v{n} = read_channel_intel({name});" for n, name in enumerate(here)] or [
            f"{type_} v0 = x[i];"
        ]
        if draw.random() < 0.3 and here:
            takes[0] = takes[0].removeprefix(f"{type_} ")
        value = " + ".join(term(f"v{n}") for n in range(len(takes)))
        gives = [f"write_channel_intel({name}, {term('v0') if n else value});" for n, name in enumerate(there)]
        gives = gives or [f"y[i] {draw.choice(['=', '+='])} {value};"]
        own = "".join(f"    {type_} v0;\n" for one in takes if one.startswith("v0"))
        arguments = ["__global const TYPE *restrict x"] * (not here) + ["__global TYPE *restrict y"] * (not there)
        head = ", ".join([*arguments, f"const {type_} by", f"const {bound} n"]).replace("TYPE", type_)
        end = "    }\n" if around else ""
        inside = "".join(f"        {one}\n" for one in (*takes, *gives))
        loop = f"    for ({counter} i = {first}; i < n; i++) {{\n{inside}    }}\n"
        lines += [f"__kernel void k{at}({head})\n{{\n{own}{around}{loop}{end}}}"]
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("seed", range(6))
def test_generated_chains_compute_the_same_on_a_real_runtime(seed: int) -> None:
    np = pytest.importorskip("numpy")
    text = generated(seed)
    found = offers(text)
    assert len(found) == 1, refused(text)
    after = found[0].applied(text.encode()).decode()
    assert isinstance(verdict(text, after, found[0]), Equal)
    type_ = np.dtype(
        {"float": "float32", "int": "int32", "uint": "uint32", "long": "int64"}[re.findall(r"channel (\w+)", text)[0]]
    )
    for n in (0, 1, 2, 7, 16, 17, 18, 70):
        given = np.dtype(TYPES[text[: text.index(" n)")].split()[-1]])
        arrays = {name: (np.arange(100) % 9).astype(type_) for name in ("x", "y")}
        data = Data(arrays, {"by": type_.type(3), "n": given.type(n)})
        assert ran(after, data) == ran(text, data), n
