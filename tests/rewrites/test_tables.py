"""Tables on the chip: copied once, or in the constant cache; what is only asserted; that results stay the same."""

from __future__ import annotations

from typing import Any

import pytest

from burstline_server.assessment.assessor import Assessor
from burstline_server.config.layers import Layer
from burstline_server.rewrites.catalogue import fixes_of, offers_of
from burstline_server.rewrites.rewrite import Offer
from burstline_server.words.edits import fix_title, title_text
from tests.assessing import assess, once
from tests.rewrites.runtime import results

HEAD = """__kernel void fill(__global const int *restrict x, __global const uchar *restrict u,
                   __global const int *restrict w, __global int *restrict y, const int n)
{
"""
FILTER = (
    HEAD
    + """    // a filter
    #pragma ii 1
    for (int i = 2; i < n; i++) {
        int sum = 0;
        for (int j = 0; j < 8; j++)
            sum += x[i + j] * w[j];
        y[i] = sum + w[3];
    }
}
"""
)
LOOK_UP = (
    HEAD
    + """    for (int i = 0; i < n; i++)
        y[i] = w[u[i]] - w[255 - u[i]];
}
"""
)
MASKED = (
    HEAD
    + """    for (int i = 0; i < n; i++)
        y[i] = w[(x[i] & 15) * 3 + i % 3];
}
"""
)
GROUP = "__attribute__((reqd_work_group_size(16, 1, 1)))\n"
HALO = (
    GROUP
    + HEAD
    + """    const int i = get_global_id(0) + 1; // its own place
    y[i] = x[i - 1] + x[i] * 3 + x[i + 1];
}
"""
)
WEIGHTS = (
    GROUP
    + HEAD
    + """    const int i = get_global_id(0);
    if (i >= n)
        return;
    int sum = 0;
    for (int j = 0; j < 24; j++)
        sum += x[(i + j) & 127] * w[j];
    y[i] = sum;
}
"""
)
FEW = WEIGHTS.replace("j < 24", "j < 12").replace("    if (i >= n)\n        return;\n", "")
MACROS = "#define TAPS 8\n#define LAST w[3]\n" + FILTER.replace("j < 8", "j < TAPS").replace("w[3]", "w[TAPS / 2]")
SINGLE = {"Copy w 8": MACROS, "Copy w 1": FILTER, "Copy w 2": LOOK_UP, "Copy w 3": MASKED}
ITEMS = {"Copy x 4": HALO, "Copy w 5": WEIGHTS, "Copy w 6": FEW, "Copy x 7": FEW}
CASES = SINGLE | ITEMS


@once
def offers(text: str, word: str) -> list[Offer]:
    """The edits of a kind that are possible."""
    layers = [Layer("file", {"arguments": {"n": 100_000}, "global_size": 1 << 20})]
    every = offers_of(Assessor().assess(text, "k.cl", layers))
    return [o for o in every if title_text(o.title).startswith(word) and not o.title.kind.startswith("private_block")]


def applied(text: str, word: str) -> str:
    """The text with the one edit of this kind made."""
    (offer,) = offers(text, word)
    return offer.applied(text.encode()).decode()


def test_private_copy_reads_nothing_that_the_loop_would_not() -> None:
    (offer,) = offers(FILTER, "Copy w")
    assert offer.kind == "proved"
    assert applied(FILTER, "Copy w").splitlines()[3:9] == [
        "    // a filter",
        "    int w_copy[8];",
        "    if (2 < n)",
        "        for (int k = 0; k < 8; k++)",
        "            w_copy[k] = w[k];",
        "    #pragma ii 1",
    ]
    assert "y[i] = sum + w_copy[3];" in applied(FILTER, "Copy w")
    fixed = applied(FILTER.replace("i < n", "i < 90"), "Copy w").splitlines()
    assert [line for line in fixed if "if (" in line] == []


@pytest.mark.parametrize(("text", "length"), [(LOOK_UP, 256), (MASKED, 48), (WEIGHTS, 24)])
def test_length_is_the_users_word_where_the_last_element_may_not_be_read(text: str, length: int) -> None:
    (offer,) = offers(text, "Copy w")
    assert offer.kind == "assertion"
    assert f"unsafe: you assert that w holds {length} elements" in title_text(offer.title)
    assert f"w_copy[{length}];" in applied(text, "Copy w")


def test_what_a_loop_or_a_condition_may_not_read_is_the_users_word() -> None:
    """The compiler loads ``x[i]`` before the loop, which may not run: a copy would read it all the same."""
    text = (
        GROUP + HEAD + "    const int i = get_global_id(0);\n    int s = 0;\n"
        "    for (int k = 0; k < n; k++)\n        s += x[i] + k;\n"
        "    if (n > 9)\n        s += x[i] * 2;\n    y[i] = s;\n}\n"
    )
    (offer,) = offers(text, "Copy x")
    assert offer.kind == "assertion"
    assert "you assert that x holds an element for each work-item" in title_text(offer.title)
    (offer,) = offers(text.replace("k < n", "k < 9"), "Copy x")
    assert offer.kind == "proved"


def test_work_group_fills_a_tile_with_its_halo() -> None:
    (offer,) = offers(HALO, "Copy x")
    assert offer.kind == "proved"
    lines = applied(HALO, "Copy x").splitlines()
    assert lines[4:9] == [
        "    __local int x_copy[18];",
        "    const int x_first = get_global_id(0) - get_local_id(0);",
        "    for (int k = get_local_id(0); k < 18; k += 16)",
        "        x_copy[k] = x[x_first + k];",
        "    barrier(CLK_LOCAL_MEM_FENCE);",
    ]
    assert "x_copy[(i - 1) - x_first] + x_copy[i - x_first] * 3 + x_copy[i + 1 - x_first]" in lines[-2]
    # All work-items reach the barrier: it is before any of them returns.
    after = applied(WEIGHTS, "Copy w")
    assert after.index("barrier(") < after.index("return;")
    assert "if (get_local_id(0) < 12)\n        w_copy[get_local_id(0)] = w[get_local_id(0)];" in applied(FEW, "Copy w")


def test_constant_needs_the_host() -> None:
    for text in (FILTER, LOOK_UP, MASKED, WEIGHTS):
        (offer,) = offers(text, "Declare w __constant")
        assert offer.kind == "host"
        assert "__constant const int *restrict w," in offer.applied(text.encode()).decode()


def test_random_look_up_is_predicted_to_gain() -> None:
    layers, assessor = [Layer("file", {"arguments": {"n": 100_000}})], Assessor()
    fixes = fixes_of(assessor, assessor.assess(LOOK_UP, "k.cl", layers), layers)
    for word in ("Copy w", "Declare w __constant"):
        (fix,) = [f for f in fixes if fix_title(f).startswith(word)]
        assert fix.speedup is not None
        assert fix.speedup > 2
    after = assess(applied(LOOK_UP, "Copy w"), arguments={"n": 100_000}).kernels[0].facts
    assert {a.pointer for a in after.accesses if a.space == "global" and len(a.loops) == 1} == {"u", "w", "y"}
    assert sum(a.pointer == "w" for a in after.accesses) == 1


@pytest.mark.parametrize(
    "text",
    [
        FILTER.replace("*restrict w", "*w").replace("*restrict y", "*y"),
        FILTER.replace("j < 8", "j < n"),
        FILTER.replace("w[3]", "w[i]"),
        MACROS.replace("w[TAPS / 2]", "LAST"),
        FILTER.replace("int sum = 0;", "int sum = 0; __global const int *p = w + 1;"),
        FILTER.replace("j < 8", "j < 80000"),
        FILTER.replace("w[3]", "w[-1]"),
        FILTER.replace("const int *restrict w", "int *restrict w").replace("y[i] = sum", "w[9] = sum"),
        FILTER.replace("*restrict w", "*restrict volatile w").replace("const int *restrict volatile", "volatile int *"),
        LOOK_UP.replace("uchar", "int"),
        WEIGHTS.replace(GROUP, ""),
        WEIGHTS.replace("16, 1, 1", "4, 4, 1"),
        HALO.replace("x[i - 1] + x[i] * 3 + x[i + 1]", "x[i]"),
        HALO.replace("x[i - 1]", "x[2 * i]"),
    ],
)
def test_not_copied_where_size_or_use_is_not_known(text: str) -> None:
    assert [title_text(o.title) for o in offers(text, "Copy") if "Copy u" not in title_text(o.title)] == []


@pytest.mark.parametrize("name", CASES)
def test_reads_clean_and_is_offered_once(name: str) -> None:
    text, word = CASES[name], name[:6]
    after = applied(text, word)
    assert not assess(after).source.tree.root_node.has_error
    assert offers(after, word) == []
    assert applied(text.replace("\n", "\r\n"), word) == after.replace("\n", "\r\n")


@pytest.mark.parametrize("n", [0, 1, 2, 3, 31, 64])
@pytest.mark.parametrize("name", CASES)
def test_computes_the_same_on_a_real_runtime(name: str, n: int) -> None:
    np = pytest.importorskip("numpy")
    text, word = CASES[name], name[:6]
    rng = np.random.default_rng(n)
    arrays: dict[str, Any] = {key: rng.integers(-99, 99, 256).astype(np.int32) for key in ("x", "w", "y")}
    arrays["u"] = rng.integers(0, 256, 256).astype(np.uint8)
    items, group = (1, 1) if name in SINGLE else (max(n // 16, 1) * 16, 16)
    expected = results(text, arrays, {"n": np.int32(n)}, items, group)
    edited = [applied(text, word)]
    if name in {"Copy w 1", "Copy w 2", "Copy w 3", "Copy w 5", "Copy w 8"}:
        edited.append(applied(text, "Declare w __constant"))
    for after in edited:
        got = results(after, arrays, {"n": np.int32(n)}, items, group)
        assert all(np.array_equal(expected[key], got[key]) for key in arrays)
    assert n < 3 or not np.array_equal(expected["y"], arrays["y"])
