"""Move a buffer's data so that a constant offset meets a memory word."""

from __future__ import annotations

import re
from collections.abc import Iterable

from burstline_model.compiler.lsu import Lsu
from burstline_model.facts import KernelFacts
from burstline_server.assess import Assessment
from burstline_server.costing import KernelAssessment
from burstline_server.rewrites.rewrite import Offer, Rewrite, TextEdit
from burstline_server.rewrites.syntax import kernel_body
from burstline_server.rewrites.table import places_of

_SUM = re.compile(r"(?P<start>[\w\s*+\-]+)\+ (?P<number>\d+)")


class Pad(Rewrite):
    """Unused elements in front of a buffer's data, where a constant in the index keeps wide requests off word bounds.

    Every index of the buffer in the kernel grows by their number. Offered where all non-aligned units lack the same to
    a multiple of their width. Needs the host to make the buffer that much longer and to put the data
    behind the padding.
    """

    name = "pad"
    codes = ("BL101",)

    def offers(self, assessment: Assessment, kernel: KernelAssessment) -> Iterable[Offer]:
        """One edit for each buffer."""
        facts = kernel.facts
        body = kernel_body(assessment.source, facts.name_span)
        for argument in facts.arguments if body is not None else ():
            accesses = [a for a in facts.accesses if a.pointer == argument.name]
            units = [u.lsu for u in kernel.estimate.units if facts.accesses[u.lsu.members[0]].pointer == argument.name]
            needed = {_padding(facts, u) for u in units if "non-aligned" in u.style}
            if body is None or len(needed) != 1 or not argument.element_bytes or argument.span.file is not None:
                continue
            padding = needed.pop()
            places = places_of(assessment, accesses, argument.name, body)
            if not padding or padding % argument.element_bytes or places is None:
                continue
            elements = padding // argument.element_bytes
            indexes = [index for place in places if (index := place.child("index")) is not None]
            yield Offer(
                title=f"Pad {argument.name} (needs a host change: {elements} elements in front of its data)",
                kind="host",
                kernel=facts.name,
                edits=tuple(TextEdit(i.start, i.end, _grown(i.text, elements)) for i in indexes),
                spans=(argument.span, *(a.span for a in accesses)),
                codes=Pad.codes,
                host=f"/* {argument.name} is created {padding} bytes longer, its data written behind them. */\n"
                f"clEnqueueWriteBuffer(queue, {argument.name}, CL_TRUE, {padding}, bytes, data, 0, NULL, NULL);\n",
            )


def _padding(facts: KernelFacts, unit: Lsu) -> int:
    """Bytes by which a unit's constant offset falls short of a multiple of its width."""
    offsets = [o.offset for m in unit.members if (o := facts.accesses[m].offset) is not None]
    return -min(offsets, default=0) % (unit.width_bits // 8)


def _grown(index: str, by: int) -> str:
    """An index that lies so many elements further on."""
    match = _SUM.fullmatch(index)
    if match is not None:
        return f"{match['start']}+ {int(match['number']) + by}"
    return f"{index} + {by}" if re.fullmatch(r"[\w\s+\-*/]+", index) else f"({index}) + {by}"
