"""The work-groups that load tiles: as the text or the launch fixes them, else of a size that tiles suit."""

from __future__ import annotations

from collections.abc import Sequence
from math import gcd

from burstline_model.facts import KernelFacts, Span
from burstline_model.record import fixed
from burstline_server.assessment.assessor import Assessment
from burstline_server.assessment.costing import KernelAssessment
from burstline_server.interpreter.host_side import NOTHING
from burstline_server.rewrites.host_launches import asks_for_group, attributes_place, launch_text, launched_as
from burstline_server.rewrites.legality.effects import Effects, inside
from burstline_server.rewrites.reasons import Name, Title, TitleKind
from burstline_server.rewrites.rewrite import NotOfferedError, Offer, TextEdit, line_end
from burstline_server.rewrites.syntax import kernel_body
from burstline_server.rewrites.tiles.layout import Group

TILE_BYTES = 16_384
"""Most that a tile takes, where its size is free: the compiler copies it for each group that is under way."""
MOST_BYTES = 65_536
"""Most that the tiles of a kernel take in all."""
SIDE = 16
"""Work-items in each direction of a group of two or three dimensions."""
LONGEST = 64
"""Most work-items of a group of one dimension; each row of a tile is as long."""
SHORTEST = 4
"""Fewest work-items in a direction that share a tile."""


@fixed
class WorkGroups:
    """Work-groups of a size: `in_text` fixes it, or the host program launches it at the path and line `launched`."""

    size: Group
    in_text: bool = False
    launched: tuple[Name, ...] = ()


def given_groups(assessment: Assessment, kernel: KernelAssessment, effects: Effects) -> WorkGroups | None:
    """The work-groups that the text or the launch gives; None where any will do."""
    facts = kernel.facts
    if facts.work_group_size is not None:
        return WorkGroups(facts.work_group_size, in_text=True)
    launched = launched_as(assessment, kernel)
    if launched is not None and launched.group is not None:
        first, second, third = (*launched.group, 1, 1)[:3]
        return WorkGroups((first, second, third), launched=launched.found)
    if asks_for_group(facts, effects):
        raise NotOfferedError("group_not_fixed")
    return None


def group_of(
    assessment: Assessment, kernel: KernelAssessment, effects: Effects, dimensions: int, element_bytes: Sequence[int]
) -> WorkGroups:  # fmt: skip
    """The work-groups for tiles of such elements: those that are given, or of a size that suits the tiles."""
    given = given_groups(assessment, kernel, effects)
    if given is not None:
        return given
    sizes = kernel.launch.global_size or ()
    common = [gcd(n, LONGEST) for n in ((*sizes, 1, 1) if sizes else (LONGEST,) * 3)[:3]]
    if dimensions == 1 or common[1] == 1:
        longest = LONGEST
        while longest > SHORTEST and longest * longest * max(element_bytes, default=4) > TILE_BYTES:
            longest //= 2
        return WorkGroups((min(longest, common[0]), 1, 1))
    first, second = (min(SIDE, one) for one in common[:2])
    return WorkGroups((first, second, 1))


def require_group(group: Group) -> None:
    """Raises `NotOfferedError` for a group that is too small to load what is side by side."""
    if group[0] < SHORTEST:
        raise NotOfferedError("group_too_small", "×".join(str(n) for n in group))


def require_structured(effects: Effects, facts: KernelFacts) -> None:
    """Raises `NotOfferedError` for a kernel with jumps that its conditions do not show."""
    body = kernel_body(effects.source, facts.name_span)
    if body is None or any(node.type in {"goto_statement", "labeled_statement"} for node in inside(body)):
        raise NotOfferedError("has_jumps")


def dimensions_of(facts: KernelFacts) -> int:
    """How many dimensions of ids a kernel uses."""
    used = {s.dimension + 1 for s in facts.symbols.values() if s.kind in {"global_id", "local_id", "group_id"}}
    return max(used, default=1)


def shared_out(
    assessment: Assessment, facts: KernelFacts, groups: WorkGroups, dimensions: int, edits: Sequence[TextEdit], *,
    kinds: tuple[TitleKind, TitleKind], names: tuple[str, ...], bytes_: int,
    spans: tuple[Span, ...], codes: tuple[str, ...],
) -> Offer:  # fmt: skip
    """The offer of tiles that a group fills; where neither text nor launches fix its size yet, the host has to.

    `kinds` are the titles for a size in the text, and for another one.
    """
    group, fixed = groups.size, groups.in_text or bool(groups.launched)
    said = "×".join(str(n) for n in group[:dimensions])
    made = list(edits)
    if not groups.in_text:
        start, indent = attributes_place(assessment.source.original, facts)
        line = f"{indent}__attribute__((reqd_work_group_size({', '.join(map(str, group))})))"
        made.append(TextEdit(start, start, line + line_end(assessment.source.original)))
    return Offer(
        title=Title(kinds[not groups.in_text], (names, -(-bytes_ // 128), said), launched=groups.launched),
        kind="proved" if fixed else "host",
        kernel=facts.name,
        edits=tuple(made),
        spans=spans,
        codes=codes,
        host="" if fixed else launch_text(facts.name, group[:dimensions]),
        host_side=None if fixed else NOTHING,
    )
