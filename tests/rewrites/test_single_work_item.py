"""NDRange kernels as loops: ids, sizes and returns, what is refused, and that the loop computes the same."""

from __future__ import annotations

from typing import Any

import pytest

from burstline_server.assessment.assessor import Assessor
from burstline_server.config.layers import Layer
from burstline_server.rewrites.catalogue import fixes_of, offers_of, refusals_of
from burstline_server.rewrites.rewrite import Offer
from burstline_server.words.edits import fix_title, title_text
from burstline_server.words.obstacles import obstacle_text
from tests.assessing import once
from tests.rewrites.queues import ran, same

TITLE = "Make it one work-item that loops"
HEAD = "__kernel void k(__global const int *x, __global int *y, const int n)\n"
GUARDED = (
    HEAD
    + """{
    const int i = get_global_id(0); // of n and more
    if (i >= n)
        return;
    if (x[i] < 0) { y[i] = -1; return; }
    for (int j = 0; j < 3; j++)
        y[i] += x[(i + j) % n] + get_global_size(0);
}
"""
)
PLANE = (
    HEAD
    + """{
\tint item_x = get_global_id( 0 ), r = get_global_id(1);

\t/* every second
\t   one stays */
\tif ((item_x + r) & 1)
\t\treturn;
\ty[r * get_global_size(0) + item_x] = x[item_x] - r;
}
"""
)
SHORT = HEAD + "{ y[get_global_id(0)] += n; }\n"
WHO = "int who() {\n    return get_global_id(1);\n}\n"
FEW = "// burstline: global_size=16\n" + SHORT


@once
def offered(text: str) -> list[Offer]:
    """The edits of this kind for a text."""
    return [o for o in offers_of(Assessor().assess(text, "k.cl", [])) if title_text(o.title).startswith(TITLE)]


def after(text: str) -> str:
    """The text with the loop."""
    (offer,) = offered(text)
    assert offer.kind == "host"
    return offer.applied(text.encode()).decode()


def test_the_loop_reads_like_the_file() -> None:
    assert after(GUARDED).startswith(
        """__attribute__((max_global_work_dim(0)))
__kernel void k(__global const int *x, __global int *y, const int n, const int items)
{
    for (size_t item = 0; item < items; item++) {
        const int i = item; // of n and more
        if (i >= n)
            continue;
        if (x[i] < 0) { y[i] = -1; continue; }
"""
    )
    plane = after(PLANE).splitlines()
    assert "\tfor (size_t item_y = 0; item_y < items_y; item_y++)" in plane
    assert "\t\tfor (size_t item_x_ = 0; item_x_ < items_x; item_x_++) {" in plane
    assert "\t\t\tint item_x = item_x_, r = item_y;" in plane
    assert plane[-2:] == ["\t\t}", "}"]


@pytest.mark.parametrize("text", [GUARDED, PLANE, SHORT], ids=["guarded", "plane", "short"])
def test_reads_clean_once_with_its_line_ends(text: str) -> None:
    loop = after(text)
    assessment = Assessor().assess(loop, "k.cl", [])
    assert not assessment.source.tree.root_node.has_error
    assert [k.facts.model for k in assessment.kernels] == ["single_work_item"]
    assert offered(loop) == []
    assert after(text.replace("\n", "\r\n")) == loop.replace("\n", "\r\n")


@pytest.mark.parametrize(
    ("text", "items", "sizes"),
    [
        *((GUARDED, (size,), {"items": size}) for size in (1, 2, 31, 48)),
        *((PLANE, (size, 3), {"items_x": size, "items_y": 3}) for size in (1, 2, 17)),
        *((SHORT, (size,), {"items": size}) for size in (1, 64)),
    ],
)
def test_the_loop_computes_the_same_on_a_real_runtime(text: str, items: tuple[int, ...], sizes: dict[str, Any]) -> None:
    np = pytest.importorskip("numpy")
    rng = np.random.default_rng(len(text))
    arrays = {name: rng.integers(-9, 99, 128).astype(np.int32) for name in ("x", "y")}
    expected = ran(text, arrays, {"n": 30}, items=items)
    assert same(ran(after(text), arrays, {"n": 30, **sizes}), expected)
    assert not same(expected, arrays)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (FEW.replace("y[", "barrier(CLK_GLOBAL_MEM_FENCE); y["), "wait for each other"),
        (FEW.replace("{ y[", "{ __local int l[4]; l[0] = n; y["), "share local memory"),
        (FEW.replace("+= n", "+= get_local_id(0)"), "it asks get_local_id"),
        (FEW.replace("y[", "y += n; y["), "it gives argument y another value"),
        (FEW.replace("const int n", "int n").replace("y[", "n++; y["), "it gives argument n another value"),
        (FEW.replace("get_global_id(0)", "get_global_id(n)"), "it asks get_global_id"),
        (FEW.replace("y[", "for (int j = 0; j < 3; j++) { if (x[j]) return; } y["), "a return leaves a loop"),
        (FEW.replace("__kernel", "__attribute__((reqd_work_group_size(4, 1, 1)))\n__kernel"), "name work-groups"),
        (WHO + FEW.replace("+= n", "+= who()"), "who() asks get_global_id, which only work-items have"),
        (FEW.replace("__kernel", "#define ITEM get_global_id(0)\n__kernel").replace("[get_global_id(0)]", "[ITEM]"),
         "macros or includes"),
    ],
)  # fmt: skip
def test_refused_with_the_reason(text: str, reason: str) -> None:
    assert offered(text) == []
    assert [
        r
        for r in refusals_of(Assessor().assess(text, "k.cl", []))
        if title_text(r.title) == TITLE and reason in obstacle_text(r.reason)
    ]


def test_not_offered_without_arguments() -> None:
    assert offered('__kernel void k(void) { printf("%d", (int)get_global_id(0)); }') == []


def test_priced_with_the_size_that_the_host_gives() -> None:
    assessor, layers = Assessor(), [Layer("file", {"global_size": 16, "arguments": {"n": 3}})]
    fixes = fixes_of(assessor, assessor.assess(SHORT, "k.cl", layers), layers, every=True)
    (fix,) = [f for f in fixes if fix_title(f).startswith(TITLE)]
    assert "kernel " in fix_title(fix)
    assert fix.offer.arguments == {"items": 16}
    assert "clSetKernelArg(k, 3, sizeof(cl_int), &items);\nclEnqueueTask(queue, k, 0, NULL, NULL);" in fix.offer.host
