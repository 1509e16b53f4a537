"""Give every pointer its own memory bank in place of interleaving."""

from __future__ import annotations

from collections.abc import Iterable

from burstline_model.memory.placement import place
from burstline_server.assessment.assessor import Assessment
from burstline_server.assessment.costing import KernelAssessment
from burstline_server.rewrites.reasons import Title
from burstline_server.rewrites.rewrite import Candidate, Offer, Rewrite, TextEdit, above_kernel, line_end


class Banks(Rewrite):
    """Each buffer in its own bank, on a memory whose banks are interleaved: rows stay open for one buffer.

    Offered for several pointers on several banks; the slowest come first, each to the bank that has least to do, so
    that more pointers than banks share these evenly. The
    edit is a comment for Burstline; the placement itself is the host's, by ``CL_CHANNEL_n_INTELFPGA`` for each
    buffer, and needs ``-no-interleaving=default`` when kernels are compiled, which holds for all kernels of the binary.
    """

    name = "banks"
    codes = ("BL105",)
    moves_nothing = True

    def candidates(self, assessment: Assessment, kernel: KernelAssessment) -> Iterable[Candidate]:
        """One edit for the kernel."""
        facts, memory, launch = kernel.facts, assessment.board.memory, kernel.launch
        pointers = [n for n in place(facts, assessment.board, launch).banks if facts.argument(n) is not None]
        labels = any(a.buffer_location for a in facts.arguments)
        elsewhere = launch.memories or (labels and assessment.board.others)
        placed = launch.banks or elsewhere or launch.interleaving is False or memory.separate_channels
        if placed or memory.banks < 2 or len(pointers) < 2 or facts.name_span.file is not None:
            return
        cost = dict.fromkeys(pointers, 0.0)
        for unit in kernel.estimate.units:
            pointer = facts.accesses[unit.lsu.members[0]].pointer
            if pointer in cost:
                cost[pointer] += unit.time_s if unit.time_s is not None else unit.time_item_s or 0.0
        busy = dict.fromkeys(range(memory.banks), 0.0)
        bank: dict[str, int] = {}
        for pointer in sorted(pointers, key=lambda name: -cost[name]):
            bank[pointer] = min(busy, key=lambda number: busy[number])
            busy[bank[pointer]] += cost[pointer]
        text = assessment.source.original
        at = above_kernel(text, facts.name_span.start)
        placement = " ".join(f"bank[{name}]={bank[name]}" for name in pointers)
        offer = Offer(
            title=Title("banks_shared", (tuple(pointers), memory.banks))
            if len(pointers) > memory.banks
            else Title("banks", (tuple(pointers),)),
            kind="host",
            kernel=facts.name,
            edits=(TextEdit(at, at, f"// burstline: interleaving=off {placement}{line_end(text)}"),),
            spans=(facts.name_span, *(a.span for n in pointers if (a := facts.argument(n)) is not None)),
            codes=Banks.codes,
            host=_host(assessment.path, bank),
        )
        yield Candidate(offer.title, offer.spans, lambda: offer)


def _host(path: str, bank: dict[str, int]) -> str:
    """How kernels are compiled and buffers created; the vendor counts channels from 1."""
    lines = [f"/* aoc -no-interleaving=default {path.replace(chr(92), '/').rsplit('/', 1)[-1]} */"]
    for name, number in bank.items():
        lines.append(
            f"cl_mem {name} = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_CHANNEL_{number + 1}_INTELFPGA, "
            f"{name}_bytes, NULL, &status);"
        )
    return "\n".join(lines) + "\n"
