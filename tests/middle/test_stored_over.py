"""A place that is loaded, and stored to by later iterations, is not the same in each of them."""

from __future__ import annotations

from burstline_model.facts import KernelFacts
from tests.assessing import assess

COUNTED = """
__kernel void k(__global int *restrict count, __global float *restrict y, int n)
{
    int g = get_global_id(0);
    BEFORE
    for (int i = 0; i < n; i++) {
        y[64 * count[g]] = i;
        CHANGE
    }
}
"""


def read(change: str, before: str = "") -> KernelFacts:
    (kernel,) = assess(COUNTED.replace("CHANGE", change).replace("BEFORE", before)).kernels
    return kernel.facts


def varies(facts: KernelFacts) -> bool:
    store = next(a for a in facts.accesses if a.op == "store" and a.pointer == "y" and a.loops)
    (name,) = store.offset.symbols if store.offset is not None else ("",)
    return facts.loops[0].counter in facts.symbols[name].depends_on


def test_a_place_that_the_loop_counts_on_varies_with_it() -> None:
    assert varies(read("count[g]++;"))
    assert varies(read("count[g] = count[g] + 2;"))


def test_a_value_loaded_before_the_loop_is_not_that_of_its_iterations() -> None:
    assert varies(read("count[g]++;", "count[g] = 0; y[0] = count[g];"))


def test_a_place_that_the_loop_leaves_alone_does_not() -> None:
    assert not varies(read(""))
    assert not varies(read("count[g + 1]++;"))
