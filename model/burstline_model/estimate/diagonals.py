"""Nests in which a column needs the column before and a row the row before, as alignments of sequences are computed.

Nothing that a row does behind a column matters to that column of the next row: rows may run at the same time, each some
columns behind the one before. Systolic arrays for alignments do that, a row in each of their cells.
"""

from burstline_model.estimate.after_change import WhatIf
from burstline_model.estimate.changes import RowsInStep
from burstline_model.estimate.kernel_estimate import Lever
from burstline_model.estimate.waiting_loops import chained, in_any_order
from burstline_model.facts import KernelFacts, Loop


def rows_in_step(what_if: WhatIf, loop: int) -> list[Lever]:
    """Rows of a nest that run at the same time, in place of one after the other; `loop` is the one over columns.

    What columns hand on begins anew in each row, and rows hand on elements of arrays at places that data do not choose.
    """
    facts = what_if.assembly.facts
    around = facts.loops_around(loop)
    if facts.model == "ndrange" or facts.channels or not around:
        return []
    columns, rows = facts.loops[loop], facts.loops[around[-1]]
    waits = what_if.intervals[loop].recurrence
    links = [*chained(facts, loop), *([waits] if waits is not None and not waits.array else [])]
    names = {name for one in links if not in_any_order(one) for name in one.names}
    if not names or not names.isdisjoint(rows.carries) or not _hand_on_elements(facts, rows, columns):
        return []
    return [Lever(change=RowsInStep(rows=rows.variable or "", columns=columns.variable or ""))]


def _hand_on_elements(facts: KernelFacts, rows: Loop, columns: Loop) -> bool:
    """Whether rows hand on arrays, each element on its own: no column of a row waits for all of the row before."""
    arrays = [one for one in rows.recurrences if one.array]
    names = {name for one in arrays for name in one.names}
    through = any(columns.id in step.loops for one in arrays for step in one.steps)
    whole = any(a.pointer in names and rows.id in a.loops and columns.id not in a.loops for a in facts.private_accesses)
    return bool(arrays) and not through and not whole and not any(one.looked_up for one in arrays)
