"""What the launch of a kernel says, as attributes: the size of its work-groups, or that it is one work-item."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from math import prod

from burstline_model.facts import Span
from burstline_server.assessment.assessor import Assessment
from burstline_server.assessment.costing import KernelAssessment
from burstline_server.rewrites.host_launches import Launched, launched_as
from burstline_server.rewrites.legality.effects import Effects
from burstline_server.rewrites.reasons import Title, TitleKind
from burstline_server.rewrites.rewrite import Candidate, NotOfferedError, Offer, Rewrite, TextEdit, line_end
from burstline_server.rewrites.simd import attributes_place
from burstline_server.rewrites.syntax import kernel_body

WORTH_FREEING = 0.01
"""Least share of what the board leaves free that an attribute is offered for where it saves no time."""
_SIZES = {"local_size", "global_size"}


class GroupSize(Rewrite):
    """``reqd_work_group_size`` as the kernel is launched: by settings, a comment, or the host program next to it.

    Offered where barriers keep a work-group together, which the compiler else builds for groups of any size up to its
    default (Best Practices Guide 7.1), and where a size that addresses are made of aligns them. All launches of the
    nearest host program have to agree. The host must keep to that size; no result changes.
    """

    name = "group size"
    codes = ("BL101",)

    def candidates(self, assessment: Assessment, kernel: KernelAssessment) -> Iterator[Candidate]:
        """One edit for a kernel without the attribute."""
        facts = kernel.facts
        unaligned = [facts.accesses[u.lsu.members[0]] for u in kernel.estimate.units if "non-aligned" in u.lsu.style]
        of_sizes = {n for n, s in facts.symbols.items() if s.kind in _SIZES}
        spans = [a.span for a in unaligned if a.offset is not None and of_sizes & a.offset.symbols]
        if facts.model == "ndrange" and facts.work_group_size is None and (facts.barriers or spans):
            launched = launched_as(assessment, kernel)
            if launched is not None and launched.group is not None:
                places = (facts.name_span, *(b.span for b in facts.barriers), *spans)
                title = Title("group_size", (_listed(launched.group),))
                yield Candidate(title, places, partial(_group_size, assessment, kernel, launched, places, bool(spans)))


def _group_size(
    assessment: Assessment, kernel: KernelAssessment, launched: Launched, spans: tuple[Span, ...], pays: bool
) -> Offer:  # fmt: skip
    group, items = launched.group or (), launched.items or ()
    if any(size % of for size, of in zip(items, group, strict=False)):
        raise NotOfferedError("group_not_whole", "×".join(map(str, group)), "×".join(map(str, items)))
    kind: TitleKind = "group_size_found" if launched.found else "group_size"
    text = _listed(group)
    return _with_attribute(
        assessment,
        kernel,
        f"reqd_work_group_size({text})",
        Title(kind, (text, *launched.found)),
        spans,
        GroupSize.codes if pays else (),
    )


class NoDispatch(Rewrite):
    """``max_global_work_dim(0)`` on a single work-item kernel: no logic that starts work-items and gives them ids.

    Vendor reports list that logic for every kernel but these. Offered where it is a hundredth or more of the logic that
    the board leaves free, for kernels that ask for no id, size or work-group anywhere (Programming Guide 11.3.1.1). The
    host launches the kernel as a task, which a kernel without ids is limited to as it is. No result changes, and no
    time.
    """

    name = "no dispatch"

    def candidates(self, assessment: Assessment, kernel: KernelAssessment) -> Iterator[Candidate]:
        """One edit for the kernel."""
        facts, use = kernel.facts, kernel.estimate.resources
        plain = facts.model == "single_work_item" and not facts.without_ids
        if not plain or use is None or use.reported:
            return
        for part in use.parts:
            if part.of == "dispatch" and max(use.shares_of(part.amounts).values()) >= WORTH_FREEING:
                make = partial(_no_dispatch, assessment, kernel, round(part.amounts.logic_alms))
                yield Candidate(Title("no_dispatch", (round(part.amounts.logic_alms),)), (facts.name_span,), make)


def _no_dispatch(assessment: Assessment, kernel: KernelAssessment, alms: int) -> Offer:
    facts, effects = kernel.facts, Effects(assessment.source)
    if facts.work_group_size is not None or facts.simd > 1 or facts.compute_units > 1:
        raise NotOfferedError("attributes_name_groups")
    body = kernel_body(assessment.source, facts.name_span)
    if body is None:
        raise NotOfferedError("no_line_for_attributes")
    asked = (asks for _, name in effects.calls(body) if (asks := effects.asks_for_work_item(name)) is not None)
    question = next(asked, None)
    if question is not None:
        raise NotOfferedError("asks_for_work_item", question)
    launched = launched_as(assessment, kernel)
    items = launched.items if launched is not None else None
    if items is not None and prod(items) > 1:
        raise NotOfferedError("launched_with", "×".join(map(str, items)))
    found = launched.found if launched is not None and items is not None else ()
    title = Title("no_dispatch_found" if found else "no_dispatch", (alms, *found))
    return _with_attribute(assessment, kernel, "max_global_work_dim(0)", title, (facts.name_span,), ())


def _with_attribute(
    assessment: Assessment,
    kernel: KernelAssessment,
    attribute: str,
    title: Title,
    spans: tuple[Span, ...],
    codes: tuple[str, ...],
) -> Offer:
    start, indent = attributes_place(assessment.source.original, kernel.facts)
    text = f"{indent}__attribute__(({attribute})){line_end(assessment.source.original)}"
    edits = (TextEdit(start, start, text),)
    return Offer(title=title, kind="host", kernel=kernel.facts.name, edits=edits, spans=spans, codes=codes)


def _listed(group: tuple[int, ...]) -> str:
    return ", ".join(map(str, (*group, 1, 1)[:3]))
