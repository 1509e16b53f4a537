"""Generated kernels over neighbours, tables and structures: every edit of their layout computes the same."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from burstline_server.assessment.assessor import Assessor
from burstline_server.config.layers import Layer
from burstline_server.rewrites.catalogue import offers_of
from burstline_server.rewrites.rewrite import Offer
from burstline_server.words.edits import title_text
from tests.effort import EFFORT
from tests.rewrites.runtime import results

LENGTH = 1024
HEAD = """typedef struct {{
    int a, b;
    uchar c;
}} item;

{attributes}__kernel void k(__global const int *restrict x, __global const int *restrict w,
    __global const uchar *restrict u, __global const item *restrict p,
    __global int *{restrict}y, __global int *{restrict}z, const int n)
{{
"""
GROUP = 8
LAYERS = [Layer("file", {"arguments": {"n": 100_000}, "global_size": 1 << 20})]


class _Writer:
    """Draws the statements for one value of `i`; `single` work-item kernels may also read what they stored."""

    def __init__(self, draw: st.DrawFn, *, single: bool) -> None:
        self.draw, self.single, self.names = draw, single, list[str]()

    def one(self, *what: str) -> str:
        return self.draw(st.sampled_from(what))

    def value(self, depth: int = 2) -> str:
        kind = self.one("place", "table", "sum", "sum", "call", "name", "number") if depth else "place"
        if kind == "place":
            far = self.draw(st.integers(0, 3))
            places = [
                f"x[i + {far}]",
                f"x[i + {far}]",
                "x[i]",
                f"w[i + {far}]",
                "u[i]",
                "p[i].a",
                "p[i].b",
                "x[i + 16]",
                "y[i]",
            ]
            return self.one(*places, *(["z[i]"] if self.single else []))
        if kind == "table":
            return self.one("w[x[i] & 15]", "w[u[i]]", "w[3]", "w[i % 4 * 2]", "x[p[i].c & 7]")
        if kind == "name":
            return self.one("n", *self.names)
        if kind == "number":
            return str(self.draw(st.integers(0, 40)))
        left, right = self.value(depth - 1), self.value(depth - 1)
        if kind == "call":
            return f"{self.one('max', 'min')}({left}, {right})" if "u[" not in left + right else f"({left} | {right})"
        return f"({left} {self.one('+', '-', '*', '^', '&')} {right})"

    def block(self, indent: str) -> str:
        lines: list[str] = []
        for number in range(self.draw(st.integers(1, 4))):
            kind = self.one("declare", "store", "store", "add", "far", "if", "inner")
            if kind == "declare":
                lines.append(f"{indent}const int v{number} = {self.value()};")
                self.names.append(f"v{number}")
            elif kind == "inner":
                lines.append(f"{indent}int s{number} = 0;")
                lines.append(f"{indent}for (int j = 0; j < 6; j++)")
                lines.append(
                    f"{indent}    s{number} += {self.one('x[i + j]', 'u[i]', 'p[j].b')} * {self.one('w[j]', 'x[j]')};"
                )
                self.names.append(f"s{number}")
            elif kind == "if":
                lines.append(f"{indent}if ({self.value()} > 3)\n{indent}    y[i] = {self.value()};")
            else:
                place = {"store": "y[i] =", "add": "y[i] +=", "far": f"z[i + {int(self.single)}] ="}[kind]
                lines.append(f"{indent}{place} {self.value()};")
        return "\n".join(lines)


@st.composite
def kernels(draw: st.DrawFn) -> str:
    """A kernel over i, as a loop of one work-item or in work-groups of a known size."""
    single = draw(st.booleans())
    writer = _Writer(draw, single=single)
    fixed = f"__attribute__((reqd_work_group_size({GROUP}, 1, 1)))\n"
    head = HEAD.format(attributes="" if single else fixed, restrict=draw(st.sampled_from(["", "restrict "])))
    if single:
        first, bound = draw(st.integers(0, 2)), writer.one("n", "n", "n - 2", "64", "61")
        body = writer.block("        ")
        return f"{head}    for (int i = {first}; i < {bound}; i++) {{\n{body}\n    }}\n}}\n"
    start = "    const int i = get_global_id(0);\n"
    start += writer.one("", "    if (i >= n)\n        return;\n")
    return f"{head}{start}{writer.block('    ')}\n}}\n"


@pytest.mark.slow
@given(text=kernels(), n=st.sampled_from([0, 1, 2, 15, 17, 40]))
@settings(max_examples=15 * EFFORT, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
def test_offered_layouts_compute_the_same(text: str, n: int) -> None:
    np = pytest.importorskip("numpy")
    # Kernels that run at the same time have separate tests, and so have stores whose output the host zeroes.
    offers = [
        o
        for o in offers_of(Assessor().assess(text, "k.cl", LAYERS))
        if not o.replaced_by and not title_text(o.title).startswith("Store to")
    ]
    assume(offers)
    rng = np.random.default_rng(n)
    arrays: dict[str, Any] = {name: rng.integers(-99, 99, LENGTH).astype(np.int32) for name in ("x", "w", "y", "z")}
    arrays["u"] = rng.integers(0, 256, LENGTH).astype(np.uint8)
    arrays["p"] = np.zeros(LENGTH, np.dtype([("a", "i4"), ("b", "i4"), ("c", "u1")], align=True))
    for field in "abc":
        arrays["p"][field] = rng.integers(0, 99, LENGTH)
    items, group = (1, 1) if "for (int i" in text else (-(-max(n, 1) // GROUP) * GROUP, GROUP)
    expected = results(text, arrays, {"n": np.int32(n)}, items, group)
    for offer in offers:
        after = offer.applied(text.encode()).decode()
        assert not Assessor().assess(after, "k.cl", LAYERS).source.tree.root_node.has_error
        left = results(after, arrays | laid_out(offer, after, arrays), {"n": np.int32(n)}, items, group)
        for name in ("y", "z"):
            got = left["records"][name] if name not in left else left[name]
            assert np.array_equal(got[len(got) - LENGTH :], expected[name]), f"{title_text(offer.title)}\n{after}"


def laid_out(offer: Offer, after: str, arrays: dict[str, Any]) -> dict[str, Any]:
    """The buffers that the host makes for an edit."""
    import numpy as np  # noqa: PLC0415

    made = {f"p_{field}": np.ascontiguousarray(arrays["p"][field]) for field in "abc"}
    if padded := re.match(r"Pad (\w) \(needs a host change: (\d+) elements", title_text(offer.title)):
        buffer = arrays[padded[1]]
        made[padded[1]] = np.concatenate([np.full(int(padded[2]), 77, buffer.dtype), buffer])
    if record := re.search(r"typedef struct \{([^}]*)\} record;", after):
        names = re.findall(r"\b(\w)\b", record[1])
        records = np.zeros(LENGTH, np.dtype([(name, arrays[name].dtype) for name in names], align=True))
        for name in names:
            records[name] = arrays[name]
        made["records"] = records
    return made


@pytest.mark.slow
def test_every_layout_is_drawn() -> None:
    drawn: set[str] = set()
    expected = {"Vectoris", "Copy w t", "Copy x t", "Declare ", "Keep x[i", "Keep x, ", "Pad x (n", "Give eac"}

    @given(text=kernels())
    @settings(max_examples=400, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True, database=None)
    def draw(text: str) -> None:
        if expected <= drawn:
            return
        drawn.update(
            re.sub(r"\d+ ", "", title_text(o.title))[:8] for o in offers_of(Assessor().assess(text, "k.cl", LAYERS))
        )

    draw()
    assert expected - drawn == set()
