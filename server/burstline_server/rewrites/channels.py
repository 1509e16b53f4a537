"""Give every pointer its own memory channel."""

from collections.abc import Iterable
from itertools import count

from burstline_model.facts import KernelFacts
from burstline_model.memory.placement import place
from burstline_server.assessment.assessor import Assessment
from burstline_server.assessment.costing import KernelAssessment
from burstline_server.rewrites.reasons import Title
from burstline_server.rewrites.rewrite import Candidate, Offer, Rewrite, TextEdit


class Channels(Rewrite):
    """``buffer_location`` for each pointer that names no channel, on a memory of separate channels.

    Needs the host to create each buffer in the channel that its argument names: as heterogeneous memory, with
    ``clSetKernelArg`` before anything is transferred.
    """

    name = "channels"
    codes = ("BL107", "BL105")
    moves_nothing = True

    def candidates(self, assessment: Assessment, kernel: KernelAssessment) -> Iterable[Candidate]:
        """One edit for the kernel."""
        facts = kernel.facts
        placement = place(facts, assessment.board, kernel.launch)
        bare = [a for n in placement.unplaced if (a := facts.argument(n)) is not None]
        if not bare or any(a.span.file is not None for a in bare):
            return
        occupied = {b for name, banks in placement.banks.items() if name not in placement.unplaced for b in banks}
        free = (n for n in count() if n not in occupied)
        edits = tuple(
            TextEdit(a.span.start, a.span.start, f'__attribute__((buffer_location("HBM{n}"))) ')
            for a, n in zip(bare, free, strict=False)
        )
        offer = Offer(
            title=Title("channels", (tuple(a.name for a in bare),)),
            kind="host",
            kernel=facts.name,
            edits=edits,
            spans=(facts.name_span, *(a.span for a in bare)),
            codes=Channels.codes,
            host=_host(facts, [a.name for a in bare]),
        )
        yield Candidate(offer.title, offer.spans, lambda: offer)


def _host(facts: KernelFacts, names: list[str]) -> str:
    """How the host creates the buffers."""
    lines = ["/* Set the argument before the first transfer: it decides in which channel the buffer lies. */"]
    for number, argument in enumerate(facts.arguments):
        if argument.name in names:
            lines += [
                f"cl_mem {argument.name} = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_HETEROGENEOUS_INTELFPGA,",
                f"                          {argument.name}_bytes, NULL, &status);",
                f"clSetKernelArg({facts.name}, {number}, sizeof(cl_mem), &{argument.name});",
            ]
    return "\n".join(lines) + "\n"
