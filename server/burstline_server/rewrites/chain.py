"""Edits made one after the other: the safe ones first, none that undoes another one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from burstline_server.assessment.assessor import Assessment, Assessor
from burstline_server.config.layers import Layer
from burstline_server.interpreter.verdicts import Equal
from burstline_server.rewrites.catalogue import Fix, fixes_of, most_useful_first
from burstline_server.rewrites.line_settings import following
from burstline_server.rewrites.pricing_budget import MOST_WORK, Budget

CHAIN_WORK = 5 * MOST_WORK
"""Work of pricing edits that are made one after the other."""
MAX_ROUNDS = 50
"""Most edits made one after the other."""


class Chain:
    """The edits made of a text so far. It ends: no edit is made twice, and no text comes back.

    `layers` are the settings of the text as it is now: those that name lines follow them.
    """

    def __init__(self, text: str, assessment: Assessment, layers: Sequence[Layer]) -> None:
        self.text, self.made, self.layers = text, list[Fix](), layers
        self._arguments = {a.name for kernel in assessment.kernels for a in kernel.facts.arguments}
        self._texts = {text}

    def advance(self, fixes: Sequence[Fix]) -> bool:
        """Make the first of these edits of the present text that may be made; False where there is none."""
        if len(self.made) >= MAX_ROUNDS:
            return False
        made = {one.offer.id for one in self.made}
        moved = {name for one in self.made for name in _moved(one)}
        for fix in _without_units(most_useful_first(fixes)):
            # What an edit of this chain laid out stays as it is.
            if fix.offer.id in made or not self._arguments.issuperset(fix.offer.subjects):
                continue
            if not moved.isdisjoint(_moved(fix)):
                continue
            text = fix.offer.applied(self.text.encode()).decode()
            if text not in self._texts:
                self._texts.add(text)
                self.layers = following(self.layers, self.text.encode(), fix.offer.edits)
                self.text = text
                self.made.append(fix)
                return True
        return False


def _without_units(fixes: Sequence[Fix]) -> list[Fix]:
    """Without units of a kernel whose lanes, which take less of the device for as much, are among the edits."""
    lanes = {fix.offer.kernel: fix.speedup or 0.0 for fix in fixes if fix.offer.title.kind == "simd_groups"}
    return [
        fix
        for fix in fixes
        if fix.offer.title.kind != "compute_units" or (fix.speedup or 0.0) > lanes.get(fix.offer.kernel, 0.0)
    ]


def _moved(fix: Fix) -> set[str]:
    """The buffers whose data an edit has the host lay out, as they were and as they become."""
    side = fix.offer.host_side
    return {name for one in side.moved for name in (one.buffer, one.to)} if side is not None else set()


def safe_text(assessor: Assessor, text: str, path: str, layers: Sequence[Layer]) -> str:
    """A file's text with every proved edit that pays made, one after the other, each priced on what the others left.

    Only those are made that leave the same in all buffers when they are executed.
    """
    now = assessor.assess(text, path, layers)
    chain = Chain(text, now, layers)
    budget = Budget(CHAIN_WORK)

    def proved() -> list[Fix]:
        return fixes_of(assessor, now, chain.layers, chosen=lambda o: o.kind == "proved", budget=budget)

    while chain.advance(_equal(proved())):
        now = assessor.assess(chain.text, path, chain.layers)
    return chain.text


def _equal(fixes: Iterable[Fix]) -> list[Fix]:
    return [fix for fix in fixes if isinstance(fix.execution, Equal)]
