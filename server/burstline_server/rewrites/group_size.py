"""The size of work-groups as an attribute."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from burstline_model.facts import Span
from burstline_server.assessment.assessor import Assessment
from burstline_server.assessment.costing import KernelAssessment
from burstline_server.rewrites.host_launches import Launched, launched_as, with_attribute
from burstline_server.rewrites.reasons import Title, TitleKind
from burstline_server.rewrites.rewrite import Candidate, NotOfferedError, Offer, Rewrite

_SIZES = {"local_size", "global_size"}


class GroupSize(Rewrite):
    """``reqd_work_group_size`` as the kernel is launched: by settings, a comment, or the host program next to it.

    Offered where barriers keep a work-group together, which the compiler else builds for groups of any size up to its
    default (Best Practices Guide 7.1), and where a size that addresses are made of aligns them. All launches of the
    nearest host program have to agree. The host must keep to that size; no result changes.
    """

    name = "group size"
    codes = ("BL101",)
    moves_nothing = True

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
    return with_attribute(
        assessment,
        kernel,
        f"reqd_work_group_size({text})",
        Title(kind, (text, *launched.found)),
        spans,
        GroupSize.codes if pays else (),
    )


def _listed(group: tuple[int, ...]) -> str:
    return ", ".join(map(str, (*group, 1, 1)[:3]))
