"""Sizes that a kernel's time waits for: what is missing, and what is assumed until it is given."""

from __future__ import annotations

from typing import Literal

from burstline_model.estimate.assumed_sizes import ASSUMED_TRIPS, assumed_global_size
from burstline_model.facts import KernelFacts, Symbol
from burstline_model.record import fixed
from burstline_server.assessment.assessor import Assessment
from burstline_server.assessment.costing import KernelAssessment
from burstline_server.source.locate import place_of


@fixed
class Missing:
    """A size that nobody gives: as an option, as a setting of a comment, and a usual value of it.

    `name` is an argument's, that of a pointer whose data lie in a bank, or the line (from one) of a loop's iterations;
    empty for work-items and the size of their groups. `loop` is the id of a loop whose count is missing itself; `host`
    the path (`path_from`) and line (from one) of the launch that the value was read from.
    """

    of: Literal["work_items", "work_group", "argument", "iterations", "bank"]
    name: str
    option: str
    setting: str
    usual: str
    loop: int | None = None
    host: tuple[str, int] | None = None


def missing_sizes(assessment: Assessment, kernel: KernelAssessment) -> list[Missing]:
    """What has to be given for a kernel's time; nothing where that does not help."""
    facts, found, each = kernel.facts, list[Missing](), str(assumed_trips(kernel))
    if facts.model == "ndrange" and kernel.launch.global_size is None:
        guess = kernel.estimate.at_assumed
        size = guess.sizes.global_size if guess is not None else None
        usual = ",".join(map(str, size or assumed_global_size(facts, kernel.launch)))
        found.append(Missing("work_items", "", "--global-size", "global_size", f"({usual})"))
        if (group := kernel.launch.likely_group) is not None:
            usual = ",".join(map(str, group))
            found.append(Missing("work_group", "", "--local-size", "local_size", f"({usual})"))
    for one in kernel.estimate.loops:
        undefined = undefined_of(kernel, one.loop)
        arguments = tuple(name for name in arguments_of(kernel, one.loop) if name not in undefined)
        group = _group(kernel, one.loop) if one.trip is None and not arguments else None
        if group is not None and kernel.launch.likely_group is None:
            usual = ",".join(map(str, group))
            found.append(Missing("work_group", "", "--local-size", "local_size", f"({usual})"))
        if one.trip is not None or follows(kernel, one.loop):
            continue
        if not arguments and endless(facts, one.loop):
            return []
        said = kernel.estimate.at_assumed.sizes.arguments if kernel.estimate.at_assumed is not None else {}
        found += [Missing("argument", name, f"--arg {name}", name, str(said.get(name, each))) for name in arguments]
        if not arguments and not undefined:
            found += _iterations(assessment, kernel, one.loop)
    return list({one.setting: one for one in found}.values())


def _iterations(assessment: Assessment, kernel: KernelAssessment, loop: int) -> list[Missing]:
    """The count of a loop itself, where it is in the kernel's own file."""
    place = place_of(assessment.source, kernel.facts.loops[loop].span)
    line, usual = str(place.line + 1), str(assumed_trips(kernel, loop))
    return [] if place.file else [Missing("iterations", line, f"--trip {line}", f"trip[{line}]", usual, loop)]


def as_assumed(assessment: Assessment, kernel: KernelAssessment, missing: list[Missing]) -> list[Missing]:
    """Missing sizes, with counts of loops in place of arguments that do not leave the loops what is assumed of them.

    As of ``k / 64`` iterations, where fewer than 64 are assumed of values. An argument that has another value than the
    usual one stays.
    """
    guess = kernel.estimate.at_assumed
    usual = {one.setting: one.usual for one in missing_sizes(assessment, kernel)}
    own = {one.name for one in missing if one.of == "argument" and one.usual == usual.get(one.setting)}
    of_loops = {one.loop: arguments_of(kernel, one.loop) for one in kernel.estimate.loops if one.trip is None}
    alone = [i for i in guess.sizes.alone if own.issuperset(of_loops.get(i, ()))] if guess is not None else []
    counted = [one for i in alone if of_loops.get(i) for one in _iterations(assessment, kernel, i)]
    loops = {one.loop for one in counted}
    spare = {name for i in loops if i is not None for name in of_loops[i]}
    spare -= {name for i, names in of_loops.items() if i not in loops for name in names}
    return [*(one for one in missing if one.name not in spare), *counted]


def _group(kernel: KernelAssessment, loop: int) -> tuple[int, ...] | None:
    """The size of work-groups that is assumed, where that alone is missing for the trip count of a loop."""
    found = kernel.estimate.at_assumed
    by_groups = any(s.kind in {"local_size", "num_groups"} for s in _counting(kernel.facts, loop))
    if found is None or not by_groups or found.sizes.global_size is not None or loop in found.sizes.trips:
        return None
    return found.launch.local_size if kernel.launch.local_size is None else None


def assumed_trips(kernel: KernelAssessment, loop: int | None = None) -> int:
    """The iterations that are assumed of a loop that nobody counts, or of each of them that counts one by one."""
    found = kernel.estimate.at_assumed
    if found is None:
        return ASSUMED_TRIPS
    each = found.launch.assumed_trips or ASSUMED_TRIPS
    return each if loop is None else found.sizes.trips.get(loop, each)


def arguments_of(kernel: KernelAssessment, loop: int) -> tuple[str, ...]:
    """The arguments that the trip count of a loop follows from and that nobody gives, by name."""
    known = {*kernel.launch.arguments, _DIMENSIONS}
    symbols = _counting(kernel.facts, loop)
    return tuple(sorted(s.name for s in symbols if s.kind == "argument" and s.name not in known))


def undefined_of(kernel: KernelAssessment, loop: int) -> tuple[str, ...]:
    """Those of `arguments_of` that nothing in the text defines: the build has to, as nobody can pass them."""
    undefined = {one.names[0] for one in kernel.facts.remarks if one.kind == "undefined_name"}
    return tuple(name for name in arguments_of(kernel, loop) if name in undefined)


def undefined_names(kernel: KernelAssessment) -> tuple[str, ...]:
    """What the build has to define for a kernel's time to be known."""
    waiting = (one.loop for one in kernel.estimate.loops if one.trip is None)
    return tuple(dict.fromkeys(name for loop in waiting for name in undefined_of(kernel, loop)))


def follows(kernel: KernelAssessment, loop: int) -> bool:
    """Whether the trip count of a loop is known as soon as work-items, their groups or trips around it are."""
    symbols = _counting(kernel.facts, loop)
    given = {s.name for s in symbols if s.kind == "argument" and s.name in kernel.launch.arguments}
    others = [s for s in symbols if s.name not in given and s.operation is None]
    of_launch = [s for s in others if s.kind in _OF_LAUNCH or s.name == _DIMENSIONS]
    if not others or not all(s in of_launch or s.kind == "loop" for s in others):
        return False
    if kernel.launch.global_size is None and of_launch:
        return True
    if kernel.launch.local_size is None and any(s.kind in {"local_size", "num_groups"} for s in others):
        return True
    around = {s.loop for s in others if s.loop is not None}
    return any(kernel.estimate.loops[one].trip is None for one in around)


_DIMENSIONS = "get_work_dim"
"""What the number of a launch's dimensions is called: they are known with the work-items."""
_OF_LAUNCH = {"global_size", "local_size", "num_groups", "global_id", "local_id", "group_id", "global_offset"}


def _counting(facts: KernelFacts, loop: int) -> list[Symbol]:
    """The symbols that the trip count of a loop follows from."""
    found: dict[str, Symbol] = {}
    trip = facts.loops[loop].trip
    waiting = [*trip.symbols] if trip is not None else []
    while waiting:
        symbol = facts.symbols.get(waiting.pop())
        if symbol is not None and symbol.name not in found:
            found[symbol.name] = symbol
            waiting += [name for operand in symbol.operands for name in operand.symbols]
    return list(found.values())


def endless(facts: KernelFacts, loop: int) -> bool:
    """Whether a loop runs as long as data come: nothing counts it, and it works on channels.

    A channel that the kernel itself fills, a queue of its own, brings it nothing that it has not counted. What a loop
    only sends ends by something of its own, unless nothing ends it.
    """
    inside = [c for c in facts.channels if loop in c.loops]
    read = {c.name for c in inside if c.op == "read"}
    filled = {c.name for c in facts.channels if c.op == "write"}
    own = facts.loops[loop]
    for_ever = own.trip_why is not None and own.trip_why.kind in _FOR_EVER and not own.early_exit
    return own.trip is None and bool(inside) and (for_ever if not read else not read <= filled)


_FOR_EVER = frozenset({"endless", "no_condition"})
