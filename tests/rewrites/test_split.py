"""The feed-forward split: the two kernels, what stays in one piece and why, and that the halves compute the same."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from burstline_server.assess import Assessment, Assessor
from burstline_server.rewrites.catalogue import fixes_of, offers_of, refusals_of
from burstline_server.rewrites.rewrite import Offer
from tests.rewrites.runtime import runtime

EXAMPLES = Path(__file__).parents[2] / "examples" / "feedforward"
NESTED = """__kernel void pick(__global const int *a, __global const int *from, __global int *out, const int n)
{
    for (int i = 0; i < n; i++) {
        if (a[i] > 0) {
            const int at = from[i];
            if (a[at] != out[n + at]) // two conditions deep
                out[i] += a[at];
        } else
            out[i] = a[from[i]] - 1;
    }
}
"""
FAR = """__kernel void far(__global int *x, __global const int *at, const int n)
{
    int c = 0;
    for (int i = 0; i < n; i++) {
        const int v = x[n + at[i]];
        x[i] = v + c;
    }
}
"""
SKIPPED = """__kernel void walk(__global const int *a, __global int *out, const int n)
{
    int seen = 0;
    for (int i = 0; i < n; i++) {
        if (a[i] < 0)
            continue;
        if (seen > 90)
            break;
        seen = seen + 1;
        out[i] = out[n + i] + seen;
    }
}
"""


def read(name: str) -> str:
    return (EXAMPLES / f"{name}.cl").read_text()


def assessed(text: str) -> Assessment:
    return Assessor().assess(text, "k.cl", [])


def split(text: str) -> Offer:
    """The one split that is possible in a text."""
    (offer,) = [o for o in offers_of(assessed(text)) if o.title.startswith("Split into")]
    return offer


def halves(text: str) -> tuple[str, str]:
    """The memory and the compute kernel."""
    after = split(text).applied(text.encode()).decode()
    first, second = re.split(r"(?=__kernel void \w+_compute)", after)
    return first, second


def lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines()]


def test_memory_kernel_loads_and_compute_kernel_stores() -> None:
    memory, compute = halves(read("fw"))
    assert "channel int fw_distances_2 __attribute__((depth(16)));" in memory
    assert "__kernel void fw_memory(__global int *distances, const int n, const int k)" in memory
    assert "const int distances_1 = distances[k * n + j];" in memory
    assert "write_channel_intel(fw_distances_1, distances_1);" in memory
    assert not re.search(r"distances\[[^]]*\] = ", memory)
    assert "__kernel void fw_compute(__global int *distances, const int n)" in compute
    assert "if (through < distances_2)" in compute
    assert "read_channel_intel(fw_distances_2)" in compute
    assert compute.count("distances[") == 1


def test_loads_that_only_lead_to_other_loads_are_not_sent() -> None:
    memory, compute = halves("""__kernel void g(__global const int *at, __global const int *x, __global int *y, int n)
{
    for (int i = 0; i < n; i++)
        y[i] = x[at[i]] + 1;
}
""")
    assert re.findall(r"write_channel_intel\((\w+)", memory) == ["g_x_1"]
    assert "x[at_0]" in memory
    assert "at" not in re.findall(r"\w+", compute.partition("{")[0])


def test_names_in_use_and_commented_arguments_stay() -> None:
    memory, compute = halves(re.sub(r"\bc\b", "x_1", FAR).replace("int *x,", "int *x, /* a, b */"))
    assert "const int x_1_ = x[n + at_0];" in memory
    assert "const int v = x_1_;" in compute
    for half in (memory, compute):
        assert "(__global int *x, /* a, b */ __global" in half


def test_compound_assignment_becomes_a_plain_one() -> None:
    memory, compute = halves(read("bp"))
    assert "weights[i * outputs + o] = weights_3 + step;" in compute
    assert "+= step" not in memory + compute
    assert "__global const float *layer" not in compute
    assert [line for line in (memory + compute).splitlines() if line and not line.strip()] == []


@pytest.mark.parametrize(("name", "least"), [("fw", 50), ("bfs", 50), ("bp", 50)])
def test_predicted_to_be_many_times_as_fast(name: str, least: float) -> None:
    assessor = Assessor()
    path = str(EXAMPLES / f"{name}.cl")
    (fix,) = [
        f for f in fixes_of(assessor, assessor.assess(read(name), path, []), []) if f.title.startswith("Split into")
    ]
    assert fix.speedup is not None
    assert fix.speedup > least
    assert "needs a host change" in fix.title
    assert fix.offer.kind == "assertion"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (read("nw"), "an unsafe dependence, to be kept in a variable first"),
        (NESTED.replace("if (a[i] > 0)", "if (i > 3 && a[i] > 0)"), "a load stands behind &&"),
        (NESTED.replace("i < n;", "i < out[i];"), "a load decides in a loop's head how long it runs"),
        (NESTED.replace("a[at] != out[n + at]", "i > 3 ? a[at] : out[n + at]"), "one arm of a conditional expression"),
        ("#define A(i) a[i]\n" + NESTED.replace("= a[from[i]]", "= A(from[i])"), "macros or includes make up"),
        (NESTED.replace("if (a[at]", "goto end; end: if (a[at]"), "a do, a goto or a switch"),
        (
            FAR.replace("int c = 0;", "__global int *q = x + n;").replace("x[n + at", "q[at").replace("+ c", "+ 1"),
            "pointer",
        ),
        (FAR.replace("        x[i]", "#ifndef A\n        x[i]").replace("c;\n", "c;\n#endif\n"), "preprocessor"),
        (FAR.replace("at[i]", "at[c++]"), "the index of a load changes a variable"),
        (FAR.replace("x[i] = v + c;", "x[at[i]]++;"), "a load stands in a step"),
        (FAR.replace("int v =", "int a = at[i], v =").replace("at[i]];", "a];"), "declared in one line"),
    ],
)
def test_refused_with_the_reason(text: str, reason: str) -> None:
    assessment = assessed(text)
    assert [o.title for o in offers_of(assessment) if o.title.startswith("Split")] == []
    assert [r for r in refusals_of(assessment) if r.title.startswith("Split") and reason in r.reason]


@pytest.mark.parametrize("text", [read("hs"), NESTED.replace("*out", "*restrict out").replace("out[n + at]", "3")])
def test_not_offered_where_no_loop_waits(text: str) -> None:
    assessment = assessed(text)
    titles = [o.title for o in offers_of(assessment)] + [r.title for r in refusals_of(assessment)]
    assert [t for t in titles if t.startswith("Split")] == []


@pytest.mark.parametrize("text", [read("fw"), read("bfs"), read("bp"), NESTED, SKIPPED])
def test_reads_clean_and_starts_every_cycle(text: str) -> None:
    after = split(text).applied(text.encode()).decode()
    assessment = assessed(after)
    assert not assessment.source.tree.root_node.has_error
    assert len(assessment.kernels) == 2
    waiting = [o for k in assessment.kernels for o in k.estimate.loops if o.store is not None and (o.ii or 1) > 1]
    assert waiting == []
    assert [o.title for o in offers_of(assessment) if o.title.startswith("Split")] == []
    crlf = text.replace("\n", "\r\n")
    assert split(crlf).applied(crlf.encode()).decode() == after.replace("\n", "\r\n")


def queued(text: str) -> tuple[str, list[str]]:
    """A text whose channels are buffers that one kernel fills and the next one empties; the channels' names."""
    names = re.findall(r"^channel \w+ (\w+)", text, re.MULTILINE)
    types = dict(re.findall(r"^channel (?P<t>\w+) (?P<n>\w+)", text, re.MULTILINE)[i][::-1] for i in range(len(names)))
    text = re.sub(r"^(channel|#pragma OPENCL).*\n", "", text, flags=re.MULTILINE)
    text = re.sub(r"write_channel_intel\((\w+), (\w+)\)", r"\1[\1_at++] = \2", text)
    text = re.sub(r"read_channel_intel\((\w+)\)", r"\1[\1_at++]", text)
    buffers = "".join(f", __global {types[n]} *{n}" for n in names)
    places = " ".join(f"int {n}_at = 0;" for n in names)
    text = re.sub(r"(__kernel void \w+\([^)]*)\)\s*\{", rf"\1{buffers}) {{ {places}", text)
    return text, names


CASES = {
    "fw": (read("fw"), ["int:graph"], {"n": 12, "k": 3}),
    "bfs": (
        read("bfs"),
        ["int:starts", "int:other", "char:flags", "char:zero", "int:costs"],
        {"nodes": 24},
    ),
    "bp": (read("bp"), ["float:any", "float:any", "float:any", "float:any"], {"inputs": 9, "outputs": 16}),
    "pick": (NESTED, ["int:other", "int:other", "int:flags"], {"n": 24}),
    "walk": (SKIPPED, ["int:costs", "int:other"], {"n": 12}),
}


@pytest.mark.parametrize("empty", [False, True], ids=["sizes", "empty"])
@pytest.mark.parametrize("name", CASES)
def test_halves_compute_the_same_on_a_real_runtime(name: str, empty: bool) -> None:
    cl, context, queue = runtime()
    np = pytest.importorskip("numpy")

    text, kinds, scalars = CASES[name]
    rng = np.random.default_rng(11)
    values = []
    for kind in kinds:
        type_, _, what = kind.partition(":")
        made = {
            "graph": lambda: (rng.integers(1, 60, (12, 12)) * (1 - np.eye(12))).reshape(-1),
            "starts": lambda: np.arange(257) * 2,
            "other": lambda: rng.integers(0, 24, 256),
            "flags": lambda: np.arange(256) // 3 % 2,
            "zero": lambda: np.zeros(256),
            # The nodes of this level (those flagged) cost 3; those not seen yet cost less than nothing.
            "costs": lambda: np.where(np.arange(256) // 3 % 2 > 0, 3, -1),
            "any": lambda: rng.integers(-9, 9, 256),
        }[what]()
        values.append(np.resize(made, 256).astype({"int": np.int32, "char": np.int8, "float": np.float32}[type_]))
    sizes = {key: 0 if empty else value for key, value in scalars.items()}

    def run(source: str, channels: list[str]) -> list[Any]:
        flags = cl.mem_flags
        buffers = [cl.Buffer(context, flags.READ_WRITE | flags.COPY_HOST_PTR, hostbuf=v.copy()) for v in values]
        queues = [cl.Buffer(context, flags.READ_WRITE, 1 << 16) for _ in channels]
        pointers = re.findall(r"\*(?:restrict )?(\w+)", re.search(r"__kernel[^{]*", text).group())  # type: ignore[union-attr]
        given = dict(zip(pointers, buffers, strict=True)) | {k: np.int32(v) for k, v in sizes.items()}
        given |= dict(zip(channels, queues, strict=True))
        program = cl.Program(context, source).build(options=["-w", "-cl-opt-disable"])
        for head in re.findall(r"__kernel void (\w+)\(([^)]*)\)", source):
            arguments = [given[re.findall(r"\w+", a)[-1]] for a in head[1].split(",")]
            getattr(program, head[0])(queue, (1,), (1,), *arguments)
        out = [np.empty_like(v) for v in values]
        for host, buffer in zip(out, buffers, strict=True):
            cl.enqueue_copy(queue, host, buffer)
        return out

    after = split(text).applied(text.encode()).decode()
    expected, got = run(text, []), run(*queued(after))
    assert all(np.array_equal(a, b) for a, b in zip(expected, got, strict=True))
    if not empty:
        assert any(not np.array_equal(a, b) for a, b in zip(expected, values, strict=True))
