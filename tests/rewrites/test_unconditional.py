"""Stores without conditions into a zeroed buffer: what is offered, what is refused, and that results stay the same."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from burstline_server.assessment.assessor import Assessor
from burstline_server.config.layers import Layer
from burstline_server.rewrites.catalogue import fixes_of, offers_of
from burstline_server.rewrites.rewrite import Offer
from burstline_server.words.edits import fix_title, title_text
from tests.assessing import assess, once
from tests.rewrites.runtime import results

HEAD = "__kernel void k(__global const float *restrict x, __global float *restrict y, const int n, const float least)\n"
SIGNS = (
    HEAD
    + """{
    #pragma unroll 8
    for (int i = 0; i < n; i++) {
        if (x[i] > least)
            y[2 * i] = x[i]; // up
        if (x[i] < -least) {
            y[2 * i + 1] = -x[i]; // down
        }
    }
}
"""
)
EVERY_THIRD = (
    HEAD
    + """{
    for (int i = n - 1; i >= 0; i--)
        if (i % 3 < 2)
            y[i + 1] = x[i] + 1;
}
"""
)
NOISE = (
    HEAD
    + """{
    for (int r = 0; r < n; r++)
        for (int c = 0; c < 8; c++) {
            const float v = x[8 * r + c];
            if (fabs(v) > least && v != 3.0f)
                y[8 * r + c] = v;
        }
}
"""
)
ITEMS = (
    HEAD
    + """{
    const int i = get_global_id(0);
    if (i >= n) return;
    if (x[i] > least)
        y[i] = sqrt(x[i]);
}
"""
)
CASES = {"signs": SIGNS, "every third": EVERY_THIRD, "noise": NOISE, "items": ITEMS}


@once
def offered(text: str) -> list[Offer]:
    """The edits of this kind that are possible, whether they pay or not."""
    found = offers_of(assess(text, arguments={"n": 64}))
    return [o for o in found if title_text(o.title).startswith("Store to y without conditions")]


def applied(text: str) -> str:
    """The text with the edit made."""
    (offer,) = offered(text)
    assert offer.kind == "host"
    return offer.applied(text.encode()).decode()


def test_neighbours_under_conditions_of_their_own_become_one_wide_request() -> None:
    """Compilers before 20.0 keep stores under different conditions apart; later ones merge them by themselves."""
    assessor, layers = Assessor(), [Layer("file", {"arguments": {"n": 1 << 20}, "aoc_version": "16.1"})]
    fixes = [
        f
        for f in fixes_of(assessor, assessor.assess(SIGNS, "k.cl", layers), layers)
        if fix_title(f).startswith("Store to y")
    ]
    (fix,) = fixes
    assert "it holds all iterations, and is zeroed before each launch" in fix_title(fix)
    assert "clEnqueueFillBuffer(queue, y, " in fix.offer.host
    assert fix.speedup is not None
    assert fix.speedup > 1.5
    before, after = (
        [u for u in assess(t, aoc_version="16.1").kernels[0].lsus if u.op == "store"] for t in (SIGNS, applied(SIGNS))
    )
    assert [u.width_bits for u in before] == [512, 512]
    assert [u.width_bits for u in assess(SIGNS, aoc_version="20.4").kernels[0].lsus if u.op == "store"] == [512]
    assert [(u.style, u.width_bits, u.stride) for u in after] == [("Burst-coalesced", 512, 1)]


def test_copies_of_one_store_share_a_request_whatever_its_condition_says() -> None:
    text = SIGNS.replace("y[2 * i] =", "y[i] =").replace("        if (x[i] < -least) {\n", "        {\n")
    text = text.replace("            y[2 * i + 1] = -x[i]; // down\n", "")
    (unit,) = [u for u in assess(text).kernels[0].lsus if u.op == "store"]
    assert unit.width_bits == 256
    assessor = Assessor()
    titles = [fix_title(f) for f in fixes_of(assessor, assessor.assess(text, "k.cl", []), [])]
    assert offered(text)
    assert [t for t in titles if t.startswith("Store to y")] == []


def test_edit_reads_like_the_file() -> None:
    assert applied(SIGNS).splitlines()[4:7] == [
        "        y[2 * i] = (x[i] > least) ? x[i] : 0.0f; // up",
        "        // down",
        "        y[2 * i + 1] = (x[i] < -least) ? -x[i] : 0.0f;",
    ]


@pytest.mark.parametrize("text", CASES.values(), ids=CASES)
def test_applied_once_reads_clean_and_is_offered_no_more(text: str) -> None:
    after = applied(text)
    assert not assess(after).source.tree.root_node.has_error
    assert offered(after) == []
    crlf = text.replace("\n", "\r\n")
    assert applied(crlf) == after.replace("\n", "\r\n")


@pytest.mark.parametrize(
    "text",
    [
        EVERY_THIRD.replace("i % 3 < 2", "i < least"),
        EVERY_THIRD.replace("i % 3 < 2", "i % 3 < 2 && i < 40"),
        EVERY_THIRD.replace("i % 3 < 2", "x[i] > i"),
        EVERY_THIRD.replace("i % 3 < 2", "n > 3"),
        EVERY_THIRD.replace("y[i + 1]", "y[i / 2]"),
        EVERY_THIRD.replace("y[i + 1]", "y[7]"),
        EVERY_THIRD.replace("x[i] + 1;", "y[i] + 1;"),
        EVERY_THIRD.replace("restrict ", ""),
        EVERY_THIRD.replace("x[i] + 1;", "x[i] + 1; else y[i + 1] = 2;"),
        EVERY_THIRD.replace("y[i + 1] =", "y[i + 1] +="),
        EVERY_THIRD.replace("y[i + 1] = x[i] + 1;", "{ y[i + 1] = x[i]; n_of(x); }"),
        SIGNS.replace("y[2 * i + 1]", "y[2 * i + 2]"),
        SIGNS.replace("        if (x[i] < -least) {\n", "        {\n"),
        NOISE.replace("y[8 * r + c]", "y[7 * r + c]"),
        NOISE.replace("y[8 * r + c]", "y[8 * r]"),
        NOISE.replace("const float v", "int at = c; const float v").replace("v != 3.0f", "at < 7"),
        NOISE.replace("const float v = x[8 * r + c]", "const float v = 8 * r + c"),
        NOISE.replace("const float v = x[8 * r + c]", "float v = x[8 * r + c]; v = r"),
        ITEMS.replace("x[i] > least", "get_global_id(0) < x[0]"),
        ITEMS.replace("y[i] =", "y[i - get_local_id(0)] ="),
        ITEMS.replace("if (i >= n) return;\n    if (x[i] > least)", "if (i < n)"),
    ],
)
def test_not_offered_where_zeros_could_harm(text: str) -> None:
    assert offered(text) == []


def computed(text: str, n: int) -> list[float]:
    """What a kernel leaves in a buffer of zeros."""
    np = pytest.importorskip("numpy")
    x = np.random.default_rng(n).integers(-9, 9, 1024).astype(np.float32)
    items, group = (64, 8) if "get_global_id" in text else (1, 1)
    scalars = {"n": np.int32(n), "least": np.float32(2)}
    arrays: dict[str, Any] = {"x": x, "y": np.zeros(1024, np.float32)}
    left: list[float] = results(text, arrays, scalars, items, group)["y"].view(np.uint32).tolist()
    return left


@pytest.mark.parametrize("text", CASES.values(), ids=CASES)
@pytest.mark.parametrize("n", [0, 1, 2, 63, 64])
def test_edited_kernels_compute_the_same_on_a_real_runtime(text: str, n: int) -> None:
    assert computed(applied(text), n) == computed(text, n)


@st.composite
def guarded(draw: st.DrawFn) -> str:
    """A kernel of stores under conditions at places that may or may not be apart."""
    step = draw(st.integers(1, 4))
    lines = []
    for _ in range(draw(st.integers(1, 3))):
        place = f"{step} * i + {draw(st.integers(0, 5))}"
        parts = [f"x[i + {draw(st.integers(0, 3))}] > {draw(st.integers(-5, 5))}", f"i % {step + 1} == 1", "i < 40"]
        asked = draw(st.lists(st.sampled_from(parts), min_size=1, max_size=2))
        condition = f" {draw(st.sampled_from(['&&', '||']))} ".join(asked)
        value = draw(st.sampled_from(["x[i]", "i", "-x[i + 1]", "i & 3 ? x[i] : 2"]))
        lines.append(f"        if ({condition})\n            y[{place}] = {value};\n")
    return HEAD + "{\n    for (int i = 0; i < n; i++) {\n" + "".join(lines) + "    }\n}\n"


@given(text=guarded())
@settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
def test_generated_kernels_compute_the_same(text: str) -> None:
    found = offered(text)
    assume(found)
    assert "i < 40" not in text
    assert computed(applied(text), 50) == computed(text, 50)
