"""Add up in several partial sums in turn, so that no iteration waits for the addition of the one before."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from math import ceil, prod

from burstline_model.body_operations import Recurrence
from burstline_model.estimate.waiting_loops import in_any_order
from burstline_model.facts import Loop
from burstline_model.parallelism.loop_copies import effective_unroll, fully_unrolled
from burstline_model.pipeline.latencies import OperationTable, operation_table
from burstline_model.pipeline.waits import Carried
from burstline_model.record import fixed
from burstline_server.assessment.assessor import Assessment
from burstline_server.assessment.costing import KernelAssessment
from burstline_server.interpreter.host_side import HostSide
from burstline_server.interpreter.promises import Promise
from burstline_server.rewrites.legality.reductions import REALS, Reduction, reduction_of
from burstline_server.rewrites.loop_bodies import Body
from burstline_server.rewrites.reasons import Assertion, Title
from burstline_server.rewrites.rewrite import (
    Candidate,
    NotOfferedError,
    Offer,
    Rewrite,
    TextEdit,
    in_front_of,
    line_end,
)
from burstline_server.rewrites.syntax import above_pragmas, every, free_name, head_at

FEWEST_PARTIALS, MOST_PARTIALS = 8, 64
"""Fewest and most partial sums of a variable: each is a register, and an addition after the loop.

With fewer, a compiler that schedules an addition a cycle or two longer would wait again.
"""
_JUMPS = {"break_statement", "continue_statement"}


class PartialSums(Rewrite):
    """As many partial sums as an addition takes cycles, in a shift register, added up after the loop.

    Offered for a loop of a single work-item kernel that waits for a sum or a product of `float`, `double` or whole
    numbers, and holds no loop that is still one in hardware: each iteration adds to what one so many iterations
    before left, and an iteration starts every cycle. Each use of the variable in the loop has to add a term to it (or
    multiply it with one): nothing else may read or change it there, and nobody may have its address. Where an
    iteration adds more than once, it adds up its own terms first. The number is a power of two, 8 at
    least, which leaves room for compilers that schedule an operation longer.

    For whole numbers no result changes. For reals it is an assertion: the terms may be added, or multiplied, in
    another order. Then the rounding may differ, and a result on the way may overflow (or, in a product, underflow) in
    one order alone; terms that are infinite or no numbers make the result so in any order. Partial sums start at -0,
    which no sum shows. It is executed with data of which every such result is exact, and has to be equal bit for bit.
    """

    name = "partial sums"
    codes = ("BL401",)

    def candidates(self, assessment: Assessment, kernel: KernelAssessment) -> Iterable[Candidate]:
        """One edit for each loop that waits for its own sums."""
        facts = kernel.facts
        for one in kernel.estimate.loops:
            loop = facts.loops[one.loop]
            waits = isinstance(one.serialised_by, Carried) and one.store is None and (one.ii or 1) > 1
            found = waiting(kernel, loop) if waits and not one.serial else []
            if found:
                names = tuple(r.names[0] for r in found)
                yield Candidate(
                    Title("partial_sums", (names,)),
                    (loop.span,),
                    partial(_offer, assessment, kernel, loop, found),
                )


def waiting(kernel: KernelAssessment, loop: Loop) -> list[Recurrence]:
    """The variables of a loop that several partial results help; none where another one keeps it waiting as well."""
    table, copies = _table(kernel), effective_unroll(kernel.facts)
    found = [r for r in loop.recurrences if _cycles(table, r, copies) > 1]
    plain = all(len(r.names) == 1 and not r.array and not r.observed and in_any_order(r) for r in found)
    return found if plain else []


def _table(kernel: KernelAssessment) -> OperationTable:
    return operation_table(kernel.cost.target.family, kernel.cost.target.aoc_version)


def _cycles(table: OperationTable, one: Recurrence, copies: Mapping[int, int]) -> int:
    """Cycles from one iteration to the next through a value, all copies of its steps one after the other."""
    total = sum(table.latency(s.operation) * s.count * prod(copies.get(i, 1) for i in s.loops) for s in one.steps)
    return ceil(total + table.around(one.steps)) if total else 0


def _offer(assessment: Assessment, kernel: KernelAssessment, loop: Loop, found: Sequence[Recurrence]) -> Offer:
    source, facts, copies = assessment.source, kernel.facts, effective_unroll(kernel.facts)
    if not facts.span.start <= loop.span.start < facts.span.end:
        raise NotOfferedError("in_helper")
    if loop.coalesce is not None:
        raise NotOfferedError("pragma_says")
    if any(o.parent == loop.id and not fully_unrolled(o, copies) for o in facts.loops):
        raise NotOfferedError("holds_loop")
    node, at = head_at(source, loop.span), source.offset_of(loop.span.start)
    if node is None or at is None or node.type == "do_statement":
        raise NotOfferedError("macro_in_head" if node is None else "not_a_for_loop")
    place = in_front_of(source.original, loop.span.start)
    if place is None or node.parent is None or node.parent.type != "compound_statement":
        raise NotOfferedError("no_line_for_declaration")
    sums = tuple(reduction_of(source, node, r.names[0]) for r in found)
    if any(n.type == "goto_statement" for n in every(node)):
        raise NotOfferedError("has_jumps")
    apart = any(s.several for s in sums)
    if apart and any(n.type in _JUMPS for n in every(node)):
        raise NotOfferedError("has_jumps")
    body = Body.of(source, node, place[1])
    parts = Parts(source.original, sums, count_of(kernel, loop, found, sums, apart=apart), apart, body.unit)
    end, above = line_end(source.original), above_pragmas(source, place[0])
    after = "".join(f"{end}{place[1]}{line}" for line in parts.after())
    edits = [TextEdit(above, above, "".join(f"{place[1]}{line}{end}" for line in parts.before()))]
    edits += body.around(parts.first(), parts.last(), after)
    edits += [TextEdit(n.start, n.end, parts.inside[s.name]) for s in sums for n in s.uses]
    reals = tuple(s for s in sums if s.type in REALS)
    promises = tuple(Promise("exact_terms", frozenset(), at, frozenset(s.terms)) for s in reals)
    return Offer(
        title=Title("partial_sums_of", (tuple(s.name for s in sums), parts.count), asserted(reals)),
        kind="assertion" if reals else "proved",
        kernel=facts.name,
        edits=tuple(edits),
        spans=(loop.span,),
        codes=PartialSums.codes,
        host_side=HostSide(promises=promises) if reals else None,
    )


def asserted(reals: Sequence[Reduction]) -> tuple[Assertion, ...]:
    """What is asserted of sums and products of reals."""
    added = tuple(s.name for s in reals if not s.product)
    multiplied = tuple(s.name for s in reals if s.product)
    found = [Assertion("added_in_any_order", (added,))] if added else []
    return (*found, Assertion("multiplied_in_any_order", (multiplied,))) if multiplied else tuple(found)


def count_of(
    kernel: KernelAssessment, loop: Loop, found: Sequence[Recurrence], sums: Sequence[Reduction], *, apart: bool
) -> int:
    """How many partial results each variable takes: a power of two, no less than the cycles that one waits."""
    table, copies = _table(kernel), effective_unroll(kernel.facts)
    if apart:
        # What an iteration adds up by itself goes into the partial results by one operation.
        each = [table.latency(f"{s.type if s.type in REALS else 'int'} {'mul' if s.product else 'add'}") for s in sums]
        around = max(table.around(r.steps) for r in found)
        cycles = ceil(max(each) * copies.get(loop.id, 1) + around)
    else:
        cycles = max(_cycles(table, r, copies) for r in found)
    count = max(FEWEST_PARTIALS, 1 << (cycles - 1).bit_length())
    if count > MOST_PARTIALS:
        raise NotOfferedError("too_many_partials", cycles)
    return count


@fixed
class Parts:
    """The statements that keep partial results; `apart`: an iteration adds up its own terms first."""

    text: bytes
    sums: Sequence[Reduction]
    count: int
    apart: bool
    unit: str

    @property
    def inside(self) -> dict[str, str]:
        """What takes each variable's place in the loop."""
        last = self.count - 1
        return {s.name: self._own(s) if self.apart else f"{self._part(s)}[{last}]" for s in self.sums}

    def before(self) -> list[str]:
        """In front of the loop: the register and its first values."""
        declared = [f"{s.type} {self._part(s)}[{self.count}];" for s in self.sums]
        at = self._at
        return [*declared, *self._each(self.count, [f"{self._part(s)}[{at}] = {s.identity};" for s in self.sums])]

    def first(self) -> list[str]:
        """At the start of an iteration."""
        if self.apart:
            return [f"{s.type} {self._own(s)} = {s.identity};" for s in self.sums]
        return self._turned({s.name: f"{self._part(s)}[0]" for s in self.sums})

    def last(self) -> list[str]:
        """At the end of an iteration."""
        if not self.apart:
            return []
        return self._turned({s.name: f"{self._part(s)}[0] {s.sign} {self._own(s)}" for s in self.sums})

    def after(self) -> list[str]:
        """Behind the loop: the partial results are put together."""
        return self._each(self.count, [f"{s.name} {s.sign}= {self._part(s)}[{self._at}];" for s in self.sums])

    def _turned(self, values: Mapping[str, str]) -> list[str]:
        """The register moves on by one element, with new values at its end."""
        taken = [f"{s.type} {self._next(s)} = {values[s.name]};" for s in self.sums]
        at, last = self._at, self.count - 1
        moved = [f"{self._part(s)}[{at}] = {self._part(s)}[{at} + 1];" for s in self.sums]
        return [*taken, *self._each(last, moved), *(f"{self._part(s)}[{last}] = {self._next(s)};" for s in self.sums)]

    def _each(self, count: int, statements: Sequence[str]) -> list[str]:
        at, several = self._at, len(statements) > 1
        head = f"for (int {at} = 0; {at} < {count}; {at}++){' {' if several else ''}"
        return ["#pragma unroll", head, *(self.unit + s for s in statements), *(["}"] if several else [])]

    @property
    def _at(self) -> str:
        return free_name(self.text, "part")

    def _part(self, one: Reduction) -> str:
        return free_name(self.text, f"{one.name}_parts")

    def _next(self, one: Reduction) -> str:
        return free_name(self.text, f"{one.name}_next")

    def _own(self, one: Reduction) -> str:
        return free_name(self.text, f"{one.name}_own")
