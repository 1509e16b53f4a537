"""Values for arguments that only choose between parts of a kernel, where nobody gives them: those that take longest."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from burstline_model.estimate.after_change import WORTH_REPORTING
from burstline_model.estimate.kernel_estimate import KernelEstimate, UnitEstimate
from burstline_model.estimate.remark_kinds import ArgumentsChosen, Remark
from burstline_model.estimate.row_ranges import within
from burstline_model.facts import Guard, KernelFacts, Symbol
from burstline_model.launch import Launch
from burstline_model.parallelism.made_of import made_of
from burstline_model.record import fixed

MOST_ARGUMENTS, MOST_VALUES = 3, 8
"""How many such arguments are looked at, and how many values each may be compared with."""
Seconds = tuple[float, float]
"""A time, and the least that it may be."""


@fixed
class Chosen:
    """A launch with the values that take longest (`values`, by argument), and the least time with any other."""

    launch: Launch
    values: dict[str, int]
    least_s: float


def slowest(facts: KernelFacts, launch: Launch, seconds: Callable[[Launch], Seconds | None]) -> Chosen | None:
    """The slowest choice, by the time in seconds under a launch; None where nothing is left to choose, or it is known.

    Parts that exclude each other are not counted together then. An argument that makes no difference is left out.
    """
    values, least = dict[str, int](), float("inf")
    if launch.mode == "faithful":
        return None
    for name, choices in list(choices_of(facts, launch).items())[:MOST_ARGUMENTS]:
        now = seconds(launch)
        tried = [(time, one) for one in choices if (time := seconds(_with(launch, name, one))) is not None]
        if now is None or len(tried) < len(choices):
            continue
        (longest, _), value = max(tried, key=lambda t: t[0][0])
        low = min(low for (_, low), _ in tried)
        if longest > (1 - WORTH_REPORTING) * now[0] and low > (1 - WORTH_REPORTING) * now[1]:
            continue
        launch, values[name], least = _with(launch, name, value), value, min(least, low)
    return Chosen(launch, values, least) if values else None


def _with(launch: Launch, name: str, value: int) -> Launch:
    arguments, given_by = {**launch.arguments, name: value}, {**launch.given_by, f"arguments.{name}": "default"}
    return launch.model_copy(update={"arguments": arguments, "given_by": given_by})


def choices_of(facts: KernelFacts, launch: Launch) -> dict[str, tuple[int, ...]]:
    """The values that differ of each argument that nobody gives and that conditions alone ask for.

    They are those that it is compared with, and one that it is not. Numbers that anything else follows from (trips,
    addresses, other comparisons) are no choices.
    """
    conditions = [g.condition for g in _guards(facts) if g.condition is not None]
    asked = {s.name for s in made_of(facts, conditions)}
    compared: dict[str, set[int]] = {}
    otherwise = {n for a in facts.accesses if a.offset is not None for n in a.offset.symbols}
    otherwise |= {n for loop in facts.loops if loop.trip is not None for n in loop.trip.symbols}
    for symbol in facts.symbols.values():
        one = _equal_to(facts, symbol)
        if one is None:
            otherwise |= {n for operand in symbol.operands for n in operand.symbols}
        elif symbol.name in asked:
            compared.setdefault(one[0], set()).add(one[1])
    found = dict[str, tuple[int, ...]]()
    for name, values in compared.items():
        of_host = facts.argument(name.partition(".")[0]) is not None and name not in launch.arguments
        if of_host and name not in otherwise and len(values) <= MOST_VALUES:
            other = next(n for n in range(len(values) + 1) if n not in values)
            found[name] = (*sorted(values), other)
    return found


def _guards(facts: KernelFacts) -> Iterator[Guard]:
    """The conditions around accesses and loops."""
    for guards in (*(a.guards for a in facts.accesses), *(loop.guards for loop in facts.loops)):
        yield from guards


def _equal_to(facts: KernelFacts, symbol: Symbol) -> tuple[str, int] | None:
    """The argument and the number that a comparison takes for equal; None for any other value."""
    if symbol.operation != "equal":
        return None
    distance = symbol.operands[0] - symbol.operands[1]
    name = next(iter(distance.symbols), "")
    own = facts.symbols.get(name)
    if own is None or own.kind != "argument" or own.operation is not None:
        return None
    share, rest = distance.coefficient(name), distance.without([name]).constant
    times = share.constant if share is not None else None
    return (name, -rest * times) if times in {1, -1} and rest is not None and times is not None else None


def with_choice(
    answer: KernelEstimate, chosen: Chosen, units: Sequence[UnitEstimate], assumed: Sequence[UnitEstimate]
) -> KernelEstimate:
    """The answer with what was chosen, and the least time of any other choice.

    `units` are those on the external memory without a choice, `assumed` the same at assumed sizes, if there are such:
    what each may move and take at least, and at most.
    """
    said = ArgumentsChosen(values=tuple(chosen.values.items()))
    likely = answer.at_assumed
    if likely is not None:
        likely = likely.model_copy(update={"estimate": _widened(likely.estimate, chosen, assumed, said)})
    return _widened(answer, chosen, units, said).model_copy(update={"at_assumed": likely})


def _widened(
    answer: KernelEstimate, chosen: Chosen, any_choice: Sequence[UnitEstimate], said: ArgumentsChosen
) -> KernelEstimate:
    if any_choice:
        every, most_s = iter(any_choice), answer.time_high_s
        units = tuple(_with_range(u, next(every), most_s) if u.lsu.space == "global" else u for u in answer.units)
        answer = answer.model_copy(update={"units": units})
    return _at_least(answer, chosen.least_s, said)


def with_least(answer: KernelEstimate, least_s: float, said: Remark) -> KernelEstimate:
    """The answer, which may be as short as this; at assumed sizes, too."""
    likely = answer.at_assumed
    if likely is not None:
        likely = likely.model_copy(update={"estimate": _at_least(likely.estimate, least_s, said)})
    return _at_least(answer, least_s, said).model_copy(update={"at_assumed": likely})


def _at_least(answer: KernelEstimate, least_s: float, said: Remark) -> KernelEstimate:
    low, own = answer.time_low_s, answer.time_by_data_s
    least = min(low, least_s) if low is not None else None
    by_data = (min(own[0], least_s), own[1]) if own is not None else None
    changed = {"remarks": (*answer.remarks, said), "time_low_s": least, "time_by_data_s": by_data}
    units = within(answer.units, least) if least is not None else answer.units
    return answer.model_copy(update={**changed, "units": units, "by_data_at_clocks_s": None})


def _with_range(unit: UnitEstimate, any_choice: UnitEstimate, most_s: float | None) -> UnitEstimate:
    """A unit of which another choice may move less, or more, in a kernel that takes `most_s` seconds at most."""
    own, other = unit.walk, any_choice.walk
    if own is not None and other is not None:
        low, high = _known(own.low_bytes, other.low_bytes), _known(own.high_bytes, other.high_bytes)
        walk = replace(own, low_bytes=min(low, default=None), high_bytes=max(high, default=None))
        unit = replace(unit, walk=walk)
    low_s, high_s = _known(unit.time_low_s, any_choice.time_low_s), _known(unit.time_high_s, any_choice.time_high_s)
    if most_s is None or unit.time_high_s is None:
        return unit
    return replace(unit, time_low_s=min(low_s), time_high_s=max(unit.time_high_s, min(max(high_s), most_s)))


def _known(*sizes: float | None) -> list[float]:
    return [one for one in sizes if one is not None]
