"""Conditions on work-items' ids that keep those behind the edge of the data out: what they are for any work-item."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from burstline_model.facts import Guard, KernelFacts
from burstline_model.polynomial import Polynomial
from burstline_server.rewrites.legality.expression_types import canonical
from burstline_server.rewrites.rewrite import NotOfferedError
from burstline_server.rewrites.tiles.shared import in_c, is_shared

MAX_DEPTH = 16
"""Deepest nesting of a condition that is looked through."""
_SIGNED = {"char", "uchar", "short", "ushort", "int", "long"}


@dataclass(frozen=True, slots=True)
class Limit:
    """``left < right`` (or ``left >= right``), with the one dimension whose global id takes part, None without any.

    `rises`: the condition holds for later work-items where it holds for earlier ones.
    """

    left: Polynomial
    right: Polynomial
    less: bool
    dimension: int | None
    rises: bool

    def text(self, facts: KernelFacts, ids: Mapping[int, str]) -> str:
        """The condition in C for a work-item with these global ids."""
        names = {s.name: ids[s.dimension] for s in facts.symbols.values() if s.kind == "global_id"}
        left, right = (in_c(facts, one, names) for one in (self.left, self.right))
        if left is None or right is None:
            raise NotOfferedError("condition_differs")
        return f"{left} {'<' if self.less else '>='} {right}"


def limits_of(facts: KernelFacts, guard: Guard) -> list[Limit]:
    """The limits that a condition is made of; raises `NotOfferedError` where it is anything else."""
    if guard.loaded or guard.condition is None:
        raise NotOfferedError("condition_differs")
    return [_limit(facts, *one) for one in _atoms(facts, guard.condition, holds=True, depth=0)]


def _atoms(
    facts: KernelFacts, value: Polynomial, *, holds: bool, depth: int
) -> Iterator[tuple[Polynomial, Polynomial, bool]]:
    """The comparisons that are all true where a condition holds (or, not `holds`, where it does not)."""
    if depth > MAX_DEPTH:
        raise NotOfferedError("condition_differs")
    if len(value.terms) == 2 and value.offset == 1 and value.terms[1][1] == -1:
        yield from _atoms(facts, Polynomial(((value.terms[1][0], 1),)), holds=not holds, depth=depth + 1)
        return
    name = value.terms[0][0] if len(value.terms) == 1 and value.terms[0][1] == 1 else ()
    symbol = facts.symbols.get(name[0]) if len(name) == 1 else None
    if len(name) > 1 and holds:
        # A product of conditions holds where each does.
        for factor in name:
            yield from _atoms(facts, Polynomial.symbol(factor), holds=True, depth=depth + 1)
        return
    operands = symbol.operands if symbol is not None else ()
    match symbol.operation if symbol is not None else None:
        case "less":
            yield operands[0], operands[1], holds
        case "equal" if operands[1].constant == 0:
            yield from _atoms(facts, operands[0], holds=not holds, depth=depth + 1)
        case "and" if holds:
            for one in operands:
                yield from _atoms(facts, one, holds=True, depth=depth + 1)
        case "or" if not holds:
            for one in operands:
                yield from _atoms(facts, one, holds=False, depth=depth + 1)
        case _:
            raise NotOfferedError("condition_differs")


def _limit(facts: KernelFacts, left: Polynomial, right: Polynomial, less: bool) -> Limit:
    own = [s for n in left.symbols | right.symbols if (s := facts.symbols[n]).kind == "global_id"]
    rest = [one.without([s.name for s in own]) for one in (left, right)]
    if len(own) > 1 or not all(is_shared(facts, one, ()) for one in rest):
        raise NotOfferedError("condition_differs")
    for side, one in zip((left, right), rest, strict=True):
        types = {canonical(a.type) for n in one.symbols if (a := facts.argument(n)) is not None}
        # Unsigned arithmetic may wrap, which a sum of other parts would not.
        if len(side.terms) > 1 and not types <= _SIGNED:
            raise NotOfferedError("condition_differs")
    if not own:
        return Limit(left, right, less, None, rises=False)
    step = (left - right).coefficient(own[0].name)
    if step is None or not step.constant:
        raise NotOfferedError("condition_differs")
    return Limit(left, right, less, own[0].dimension, rises=(step.constant < 0) == less)
