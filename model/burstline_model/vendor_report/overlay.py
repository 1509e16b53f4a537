"""A report laid over what was inferred: where it speaks of a place, it wins, and each disagreement is kept."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace

from burstline_model.facts import Access, KernelFacts
from burstline_model.lsu import Lsu, Reason, ReportDiffers, ReportedKind
from burstline_model.record import Record
from burstline_model.vendor_report.records import ReportedUnit

Place = tuple[str, int]
"""A file's base name and a line in it."""


class Disagreement(Record):
    """A place where report and inference differ: units by kind, empty for none.

    `access` is the id of an access there, None where no access was found at all.
    """

    access: int | None
    file: str
    line: int
    op: str
    reported: tuple[ReportedKind, ...]
    inferred: tuple[ReportedKind, ...]


class Overlay(Record):
    """A kernel's units with a report's word laid over them."""

    lsus: tuple[Lsu, ...]
    disagreements: tuple[Disagreement, ...]
    agreed: int
    """Places where both say the same."""


def lay_over(
    facts: KernelFacts, lsus: Sequence[Lsu], reported: Sequence[ReportedUnit], places: Mapping[int, Place]
) -> Overlay:
    """The units of a kernel as its report has them; `places` has where each access is (by access id).

    A reported unit belongs to the accesses of its operation at its place. Where several pointers are accessed
    there and counts differ, units go to them in program order: reports name no pointers. Units of ours at places that
    the report does not list go to a neighbour on the same pointer, or are left out: the compiler found them not needed.
    """
    by_place: dict[tuple[Place, str], list[ReportedUnit]] = defaultdict(list)
    for unit in reported:
        by_place[(unit.file, unit.line), unit.op].append(unit)
    own: dict[tuple[Place, str], list[Lsu]] = defaultdict(list)
    here: dict[tuple[Place, str], list[Access]] = defaultdict(list)
    for lsu in lsus:
        if lsu.space == "global" and lsu.members[0] in places:
            own[places[lsu.members[0]], lsu.op].append(lsu)
    for access in facts.accesses:
        if access.space == "global" and access.id in places:
            here[places[access.id], access.op].append(access)
    made: list[Lsu] = [lsu for lsu in lsus if lsu.space != "global" or lsu.members[0] not in places]
    disagreements: list[Disagreement] = []
    agreed = 0
    homeless: list[Lsu] = []
    for key in dict.fromkeys([*own, *by_place]):
        mine, theirs = own.get(key, []), by_place.get(key, [])
        if _counted(mine) == _counted(theirs):
            agreed += 1
            made += [_agreed(lsu) for lsu in mine]
            continue
        (file, line), op = key
        accesses = here.get(key, [])
        disagreements.append(
            Disagreement(
                access=accesses[0].id if accesses else None, file=file, line=line, op=op,
                reported=_kinds(theirs), inferred=_kinds(mine),
            )
        )  # fmt: skip
        if theirs and accesses:
            made += _rebuilt(theirs, mine, accesses, lsus)
        else:
            homeless += mine
    return Overlay(lsus=_housed(facts, made, homeless), disagreements=tuple(disagreements), agreed=agreed)


def _counted(units: Sequence[Lsu | ReportedUnit]) -> Counter[tuple[str, int | None]]:
    silent = any(u.width_bits is None for u in units)
    found: Counter[tuple[str, int | None]] = Counter()
    for unit in units:
        found[unit.style, None if silent else unit.width_bits] += unit.count
    return found


def _kinds(units: Sequence[Lsu | ReportedUnit]) -> tuple[ReportedKind, ...]:
    return tuple((style, width, n) for (style, width), n in sorted(_counted(units).items(), key=str))


def _agreed(lsu: Lsu) -> Lsu:
    reason = Reason(rule="report", why="report_agrees")
    return replace(lsu, reported=True, confidence="high", reasons=(*lsu.reasons, reason))


def _rebuilt(
    theirs: Sequence[ReportedUnit], mine: Sequence[Lsu], accesses: Sequence[Access], every: Sequence[Lsu]
) -> list[Lsu]:
    """Reported units on the accesses at their place, each like our unit there but for what the report says."""
    serving = {m: lsu for lsu in every for m in lsu.members}
    models = list(mine) or [serving[a.id] for a in accesses if a.id in serving]
    inferred = _kinds(mine)
    made: list[Lsu] = []
    for number, unit in enumerate(sorted(theirs, key=lambda u: (-(u.width_bits or 0), u.style))):
        model = models[min(number, len(models) - 1)] if models else None
        if model is None:
            continue
        leads = model in mine and number < len(mine)
        access = accesses[min(number, len(accesses) - 1)]
        members = model.members if leads else (access.id,)
        width = unit.width_bits or model.width_bits
        reason = Reason(rule="report", why=ReportDiffers(listed=_kinds([unit])[0], inferred=inferred))
        made.append(
            replace(
                model,
                members=members,
                style=unit.style,
                width_bits=width,
                count=unit.count,
                useful_bytes=_useful(model, unit, width),
                reported=True,
                confidence="high",
                reasons=(*model.reasons, reason),
                cache_bytes=_kept(model, unit),
            )
        )
    return made


DEFAULT_CACHE_BYTES = 65536


def _kept(model: Lsu, unit: ReportedUnit) -> int | None:
    """The bytes that a unit of a report keeps on the chip; it does not say how many."""
    if "cached" in unit.style:
        return model.cache_bytes or DEFAULT_CACHE_BYTES
    return model.cache_bytes if unit.style == model.style else None


def _useful(model: Lsu, unit: ReportedUnit, width: int) -> int:
    """Useful bytes of an execution: what ours moved, as far as the reported widths can carry it."""
    return max(1, min(model.useful_bytes, width // 8 * unit.count))


def _housed(facts: KernelFacts, made: Sequence[Lsu], homeless: Sequence[Lsu]) -> tuple[Lsu, ...]:
    """The units, with the accesses of unlisted places as members of one that the report has on the same pointer."""
    done = list(made)
    for lsu in homeless:
        covered = {m for u in done for m in u.members}
        left = tuple(m for m in lsu.members if m not in covered)
        pointer = facts.accesses[lsu.members[0]].pointer
        index = next(
            (
                i
                for i, u in enumerate(done)
                if u.reported and u.op == lsu.op and facts.accesses[u.members[0]].pointer == pointer
            ),
            None,
        )
        if left and index is not None:
            host = done[index]
            useful = min(host.useful_bytes + lsu.useful_bytes, host.width_bits // 8 * host.count)
            done[index] = replace(host, members=(*host.members, *left), useful_bytes=useful)
    return tuple(sorted(done, key=lambda u: u.members[0]))
