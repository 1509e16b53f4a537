"""Give every pointer a memory channel of its own."""

from collections.abc import Iterable
from itertools import count

from burstline_model.placement import place
from burstline_server.assess import Assessment, KernelAssessment
from burstline_server.rewrites.rewrite import Offer, Rewrite, TextEdit


class Channels(Rewrite):
    """``buffer_location`` for each pointer that names no channel, on a memory of separate channels.

    Needs the host to create each buffer in the channel that its argument names.
    """

    name = "channels"
    codes = ("BL107", "BL105")

    def offers(self, assessment: Assessment, kernel: KernelAssessment) -> Iterable[Offer]:
        """One edit for the kernel."""
        facts, memory = kernel.facts, assessment.board.memory
        placement = place(facts, memory, kernel.launch)
        bare = [a for n in placement.unplaced if (a := facts.argument(n)) is not None]
        if not bare or any(a.span.file is not None for a in bare):
            return
        taken = {b for name, banks in placement.banks.items() if name not in placement.unplaced for b in banks}
        free = (n for n in count() if n not in taken)
        edits = tuple(
            TextEdit(a.span.start, a.span.start, f'__attribute__((buffer_location("HBM{n}"))) ')
            for a, n in zip(bare, free, strict=False)
        )
        names = ", ".join(a.name for a in bare)
        yield Offer(
            title=f"Give {names} a channel each (needs a host change: buffers in those channels)",
            kind="host",
            kernel=facts.name,
            edits=edits,
            spans=(facts.name_span, *(a.span for a in bare)),
            codes=Channels.codes,
        )
