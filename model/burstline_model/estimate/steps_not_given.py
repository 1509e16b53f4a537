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

    A row's length is none of them: what moves by one element lies within the row, so that the next row lies apart.
    """
    found = dict[str, None]()
    for unit in lsus:
        access = facts.accesses[unit.members[0]]
        if unit.space == "global" and unit.stride is None and access.offset is not None:
            found |= dict.fromkeys(_distances(facts, access, access.offset))
    counts = {name for loop in facts.loops if loop.trip is not None for name in loop.trip.symbols}
    return [name for name in found if name not in launch.arguments and name not in counts]


def _distances(facts: KernelFacts, access: Access, offset: Polynomial) -> list[str]:
    """The arguments that each step of a counter or an id moves an access by; none where another one moves within."""
    moving = [name for name in offset.symbols if facts.symbols[name].kind in _MOVING]
    by = [step for name in moving if (step := offset.coefficient(name)) is not None]
    if len(by) < len(moving) or any(step.constant is not None for step in by):
        return []
    names = {name for step in by for name in step.symbols}
    plain = all(facts.symbols[n].kind == "argument" and facts.symbols[n].operation is None for n in names)
    single = all(len(step.terms) == 1 and abs(step.terms[0][1]) == access.element_bytes for step in by)
    return sorted(names) if plain and single else []


_MOVING = frozenset({"loop", "global_id", "local_id", "group_id", "carried"})
