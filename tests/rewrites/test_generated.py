"""Generated kernels: whatever edit is offered for them, they compute the same after it on a real OpenCL runtime."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from burstline_server.assessment.assessor import Assessor
from burstline_server.config.layers import Layer
from burstline_server.rewrites.catalogue import offers_of
from burstline_server.words.edits import title_text
from tests.effort import EFFORT
from tests.rewrites.queues import ran

ITEMS = 24
HEAD = (
    "__kernel void k(__global const int *restrict a, __global const int *restrict from, __global int *{}out,\n"
    "                __global int *restrict y, int n)"
)
STORES = (
    "out[i] += sum;", "out[i] = sum;", "if (sum > 9) out[i] = a[i];", "y[n + 30] = sum; if (i > 3) y[n + 30] = i;",
    "if (sum > i) out[i] = a[i]; else out[i] = 3;", "y[i] = i;", "y[i + 1] = y[i] + sum;",
    "atomic_add(&y[3], sum);", "if (a[i] > 3) atomic_inc(y + i / 30);",
)  # fmt: skip


class _Writer:
    """Draws statements over the counters and variables in reach. What is stored to out[i] is not loaded elsewhere:
    other loads of out are behind its first n elements."""

    def __init__(self, draw: st.DrawFn) -> None:
        self.draw, self.count = draw, 0

    def _one(self, *what: str) -> str:
        return self.draw(st.sampled_from(what))

    def value(self, names: tuple[str, ...], depth: int = 2) -> str:
        kind = self._one("number", "name", "a", "out") if depth == 0 else self._one("a", "out", "sum", "chosen", "name")
        if kind == "number":
            return str(self.draw(st.integers(0, 9)))
        if kind == "name":
            return self._one(*names)
        if kind == "a":
            return f"a[{self.index(names)}]"
        if kind == "out":
            return f"out[n + {self.index(names)}]"
        left, right = self.value(names, depth - 1), self.value(names, depth - 1)
        operator = self._one("+", "-", "^", "<")
        return f"({left} {operator} {right})" if kind == "sum" else f"({left} > 3 ? {right} : {self._one(*names)})"

    def index(self, names: tuple[str, ...]) -> str:
        return self._one("i", "from[i]", "a[from[i]]", "(n - 1 - i)", f"from[({self._one(*names)} & 15)]")

    def block(self, names: tuple[str, ...], indent: str, depth: int) -> str:
        lines: list[str] = []
        for _ in range(self.draw(st.integers(1, 3))):
            kind = self._one("declare", "sum", "store", "add", *(("if", "either", "skip", "loop") if depth else ()))
            if kind == "declare":
                self.count += 1
                lines.append(f"{indent}const int v{self.count} = {self.value(names)};")
                names = (*names, f"v{self.count}")
            elif kind == "sum":
                lines.append(f"{indent}sum {self._one('+', '-', '^')}= {self.value(names)};")
            elif kind == "store":
                lines.append(f"{indent}out[i] = {self.value(names)};")
            elif kind == "add":
                lines.append(f"{indent}out[i] += {self.value(names)};")
            elif kind == "skip":
                lines.append(f"{indent}if ({self.value(names)} == 2)\n{indent}    continue;")
            elif kind == "loop":
                inner = self.block((*names, "j"), f"{indent}    ", 0)
                lines.append(f"{indent}for (int j = 0; j < 3; j++) {{\n{inner}\n{indent}}}")
            else:
                lines.append(f"{indent}if ({self.value(names)} > 1) {{")
                lines.append(self.block(names, f"{indent}    ", depth - 1))
                if kind == "either":
                    lines.append(f"{indent}}} else {{")
                    lines.append(self.block(names, f"{indent}    ", depth - 1))
                lines.append(f"{indent}}}")
        return "\n".join(lines)


@st.composite
def kernels(draw: st.DrawFn) -> str:
    """A single work-item kernel over i < n."""
    writer = _Writer(draw)
    head = HEAD.format(draw(st.sampled_from(["", "restrict "])))
    body = writer.block(("i", "sum"), "        ", 2)
    loop = f"    for (int i = 0; i < n; i++) {{\n{body}\n        {draw(st.sampled_from(STORES))}\n    }}"
    return f"{head}\n{{\n    int sum = 0;\n{loop}\n}}\n"


@pytest.mark.slow
@given(text=kernels())
@settings(max_examples=20 * EFFORT, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
def test_offered_edits_compute_the_same(text: str) -> None:
    layers = [Layer("file", {"arguments": {"n": ITEMS}, "aoc_version": "18.1"})]
    # Assertions about buffers that overlap hold here: no two buffers overlap. Other layouts have tests of their own.
    offers = [one for one in offers_of(Assessor().assess(text, "k.cl", layers)) if not one.subjects]
    assume(offers)
    expected = computed(text)
    for offer in offers:
        after = offer.applied(text.encode()).decode()
        assert not Assessor().assess(after, "k.cl", layers).source.tree.root_node.has_error
        assert computed(after) == expected, f"{title_text(offer.title)}\n{after}"


def computed(text: str) -> list[int]:
    """What a text's kernels, one after the other, leave in out and y."""
    import numpy as np  # noqa: PLC0415

    rng = np.random.default_rng(5)
    values = {name: rng.integers(0, ITEMS, 8 * ITEMS).astype(np.int32) for name in ("a", "from", "out", "y")}
    left = ran(text, values, {"n": ITEMS})
    return [int(v) for name in ("out", "y") for v in left[name]]
