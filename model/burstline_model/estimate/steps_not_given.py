"""Arguments that nobody gives and that neighbours lie apart by: next to each other, the kernel takes less."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from burstline_model.estimate.after_change import WORTH_REPORTING
from burstline_model.estimate.chosen_values import Seconds, with_least
from burstline_model.estimate.kernel_estimate import KernelEstimate
from burstline_model.estimate.remark_kinds import StepsNotGiven
from burstline_model.facts import Access, KernelFacts
from burstline_model.launch import Launch
from burstline_model.lsu import Lsu
from burstline_model.parallelism.made_of import made_of
from burstline_model.pipeline.blocks import Blocks
from burstline_model.polynomial import Polynomial

NEXT_TO_EACH_OTHER = 1
"""The least distance that an argument names, as `incx` of a vector does as a rule."""


def with_steps(
    answer: KernelEstimate, blocks: Blocks, launch: Launch, seconds: Callable[[Launch], Seconds | None]
) -> KernelEstimate:
    """The answer, with the time of neighbours that lie next to each other as the least where nobody gives the distance.

    Distances that are not given count as large: that is the most. `seconds` is the time under a launch.
    """
    names = [] if launch.mode == "faithful" else steps_not_given(blocks.facts, blocks.lsus, launch)
    now = seconds(launch) if names else None
    if now is None:
        return answer
    together = launch.model_copy(update={"arguments": {**launch.arguments, **dict.fromkeys(names, NEXT_TO_EACH_OTHER)}})
    least = seconds(together)
    if least is None or least[0] > (1 - WORTH_REPORTING) * now[0]:
        return answer
    return with_least(answer, least[1], StepsNotGiven(arguments=tuple(names), time_s=least[0]))


def steps_not_given(facts: KernelFacts, lsus: Iterable[Lsu], launch: Launch) -> list[str]:
    """The arguments that nobody gives, and that nothing but a distance between neighbours follows from.

    A row's length is none of them, as neighbours in a column lie that far apart; neither is what bounds a count or an
    id.
    """
    far = [u for u in lsus if u.space == "global" and u.stride is None]
    found = dict.fromkeys(name for unit in far for name in _distances(facts, facts.accesses[unit.members[0]]))
    if not found:
        return []
    bounds = [loop.trip for loop in facts.loops if loop.trip is not None]
    conditions = [g.condition for a in facts.accesses for g in a.guards if g.condition is not None]
    counts = {symbol.name for symbol in made_of(facts, [*bounds, *conditions])}
    rows = {name for a in facts.accesses if a.offset is not None for name in _rows(facts, a.offset)}
    return [name for name in found if name not in {*launch.arguments, *counts, *rows}]


def _distances(facts: KernelFacts, access: Access) -> list[str]:
    """The arguments that each step of a counter or an id moves an access by; none where another one moves within."""
    offset = access.offset or Polynomial()
    by = [offset.coefficient(name) for name in _moving(facts, offset)]
    steps = [step for step in by if step is not None and step.constant is None]
    each = [frozenset(step.symbols) for step in steps]
    # What has a factor more moves by a row of the other.
    names = {name for own in each if not any(other < own for other in each) for name in own}
    plain = all(facts.symbols[n].kind == "argument" and facts.symbols[n].operation is None for n in names)
    single = all(len(step.terms) == 1 and abs(step.terms[0][1]) == access.element_bytes for step in steps)
    return sorted(names) if plain and single and len(steps) == len(by) else []


def _rows(facts: KernelFacts, offset: Polynomial) -> set[str]:
    """What is multiplied in a place where something else moves by a number, or has another factor there."""
    moving = set(_moving(facts, offset))
    by = [offset.coefficient(name) for name in moving]
    found = {n for step in by if step is not None for n in step.symbols} if _by_numbers(by) else set[str]()
    products = [names for names, _ in offset.terms if len(names) > 1 and moving.isdisjoint(names)]
    return found | {name for names in products for name in names}


def _by_numbers(steps: Iterable[Polynomial | None]) -> bool:
    return any(step is not None and step.constant is not None for step in steps)


def _moving(facts: KernelFacts, offset: Polynomial) -> list[str]:
    return [name for name in offset.symbols if facts.symbols[name].kind in _MOVING]


_MOVING = frozenset({"loop", "global_id", "local_id", "group_id", "carried"})
