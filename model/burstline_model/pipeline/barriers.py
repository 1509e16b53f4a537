"""What barriers cost: the parts of a kernel between them, and a group's way through a loop that has one.

Work-groups follow each other through the parts of a kernel, so that these overlap; a group alone has nothing to overlap
with: it comes one work-item a cycle to each barrier, and none goes on before the last has come (OpenCL C, 6.12.8). In
a loop with a barrier every pass ends when the last work-item of the group has come. Measured on Stratix V (opencl-4all,
compiler 16.1): the two such loops of Needleman-Wunsch take the sum of both, 21 cycles a pass for groups
of 16 requests and 9 for groups of 4; the depth of the pipeline does not show in the one of backprop, whose groups have
256; the two parts of lud's single group add up.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from math import prod

from burstline_model.facts import Access, KernelFacts, Loop
from burstline_model.parallelism.loop_copies import still_loops
from burstline_model.parallelism.simd_limits import diverges, is_kept
from burstline_model.record import fixed

IN_PASS = 2.0
"""Groups that share a loop with a barrier: one fills the pipeline that the other leaves empty. It fits the above."""
FEW = 0.125
"""Share of the work-items up to which few of them run a loop."""
ITEMS_TOGETHER = 256.0
"""Work-items of small groups that are on their way to a barrier at the same time, which are more than two groups then:
as many as a loop holds (a few hundred stages)."""


def groups_together(groups: float, group: float) -> float:
    """Of so many groups, of so many work-items each, those on their way to one barrier at the same time."""
    return min(max(groups, 1.0), max(IN_PASS, ITEMS_TOGETHER / group))


@fixed
class Barriers:
    """Where the barriers of an NDRange kernel lie among its loops; none in any other kernel."""

    facts: KernelFacts

    @cached_property
    def loops(self) -> frozenset[int]:
        """The loops with a barrier in them, however deep, whose passes read what the pass before left on the chip.

        Where each pass fills its local arrays again, groups follow each other without a gap (Spector's matrix products,
        14.1: tiles of 2 × 2 work-items take 4 cycles a pass, whatever the depth of the pipeline).
        """
        if self.facts.model != "ndrange":
            return frozenset()
        around = {i for barrier in self.facts.barriers for i in barrier.loops}
        return frozenset(i for i in around if self._hands_on(self.facts.loops[i]))

    def _hands_on(self, loop: Loop) -> bool:
        """Whether a local array that is written in a loop is read there first, at another place."""
        inside = [a for a in self.facts.accesses_in(loop) if a.space == "local"]
        places = {(a.pointer, a.offset) for a in inside if a.op != "load"}
        written = {name for name, _ in places}
        for access in inside:
            if access.op != "load":
                written.discard(access.pointer)
            elif access.pointer in written and (access.pointer, access.offset) not in places:
                return True
        return False

    @property
    def any(self) -> bool:
        """Whether there are any."""
        return self.facts.model == "ndrange" and bool(self.facts.barriers)

    @cached_property
    def children(self) -> dict[int | None, tuple[int, ...]]:
        """The loops directly in each loop, in the order of the text; None: in none."""
        found: dict[int | None, list[int]] = {None: [], **{loop.id: [] for loop in self.facts.loops}}
        for loop in self.facts.loops:
            found[loop.parent].append(loop.id)
        return {parent: tuple(inner) for parent, inner in found.items()}

    def stops(
        self, copies: Mapping[int, int], trips: Mapping[int, float | None], entered: Mapping[int, float]
    ) -> float:
        """How often a work-item comes to a barrier in no loop of the hardware: of an unrolled one, in each copy.

        `entered`: the share of work-items that reach a loop, where that is less than 1.
        """
        if self.facts.model != "ndrange":
            return 0.0
        outside = (b for b in self.facts.barriers if not still_loops(self.facts, b.loops, copies))
        return sum(prod((trips[i] or 0.0) * entered.get(i, 1.0) for i in barrier.loops) for barrier in outside)

    def phases(self, parent: int | None) -> list[list[int]]:
        """The loops directly in a loop, those between the same two barriers together; one with a barrier is alone."""
        ends = [b.span.start for b in self.facts.barriers if (b.loops[-1] if b.loops else None) == parent]
        around = {i for barrier in self.facts.barriers for i in barrier.loops}
        found: list[list[int]] = []
        last: int | None = None
        for child in self.children[parent]:
            before = sum(end < self.facts.loops[child].span.start for end in ends)
            if before != last or child in around:
                found.append([])
            found[-1].append(child)
            last = None if child in around else before
        return found

    def phase_of(self, access: Access) -> int:
        """How many fences of global memory, in the loops of an access, come before it."""
        fences = (b for b in self.facts.barriers if b.fences_global and b.loops == access.loops)
        return sum(fence.span.start < access.span.start for fence in fences)

    def innermost(self, loops: Sequence[int]) -> int:
        """How many of these loops, from the outermost, reach to the innermost one with a barrier; 0: none has one."""
        return max((n + 1 for n, i in enumerate(loops) if i in self.loops), default=0)


def one_group_at_a_time(facts: KernelFacts, copies: Mapping[int, int]) -> bool:
    """Whether a loop finishes a work-group before it takes up the next.

    Barriers need the work-items of a group together, and a loop that some have returned before loses their order.
    Without such a loop groups follow each other closely (Spector, aoc 14.1: transforms with loops behind an early
    return take as long for a group of 8 work-items as for one of 32; those without loops, and the tiles of matrix
    products, do not).
    """
    left = (loop for loop in facts.loops if is_kept(loop, copies))
    return bool(facts.barriers) and any(diverges(facts, loop, leaving=True) for loop in left)
