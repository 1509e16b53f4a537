"""What an iteration of a loop reads of a row: one element, or a window that loops in it walk through."""

from __future__ import annotations

from collections.abc import Mapping

from tree_sitter import Node

from burstline_model.facts import Access, KernelFacts, Loop, Span
from burstline_model.parallelism.loop_copies import constant_trips
from burstline_model.polynomial import Polynomial
from burstline_model.record import fixed
from burstline_server.rewrites.legality.effects import Effects
from burstline_server.rewrites.legality.heads import counts_up
from burstline_server.rewrites.rewrite import NotOfferedError
from burstline_server.rewrites.syntax import SourceNode
from burstline_server.rewrites.tiles.layout import ALONG, Group
from burstline_server.rewrites.tiles.shared import is_shared
from burstline_server.source.source import Source

ROWS = ALONG + 1
"""The first dimension of a tile that follows a loop inside the one in blocks."""


@fixed
class Window:
    """The elements that an iteration reads, side by side, in each of several rows.

    `along` are elements from one iteration to the next, `span` those of one iteration. `near` are the counters that
    walk within a row, with their steps; `rows` those that choose one, with how many there are. A counter is given as
    its loop's id.
    """

    along: int = 1
    span: int = 1
    near: tuple[tuple[int, int], ...] = ()
    rows: tuple[tuple[int, int], ...] = ()

    @property
    def is_plain(self) -> bool:
        """Whether it is one element, and the next iteration's is the next one."""
        return self == Window()

    def extents(self, group: Group, block: int) -> dict[int, int]:
        """The extents of a tile for blocks of iterations, by dimension."""
        rows = {ROWS + i: trips for i, (_, trips) in enumerate(self.rows)}
        return {**dict(enumerate(group)), ALONG: self.width(block), **rows}

    def width(self, block: int) -> int:
        """The elements of a row that so many iterations read."""
        return self.along * (block - 1) + self.span

    def width_text(self, count: str, block: int) -> str:
        """The same in C, for a block that may be shorter."""
        if count.isdecimal():
            return str(self.width(block))
        more = self.span - self.along
        return (f"{self.along} * {count}" if self.along > 1 else count) + (f" + {more}" if more else "")

    def most(self, lanes: int) -> int:
        """The iterations that so many work-items load a row for at once, one at least."""
        return max(1, (lanes - self.span) // self.along + 1)


def window_of(
    facts: KernelFacts, access: Access, loop: Loop, steps: Mapping[int, Polynomial]
) -> tuple[Window, dict[int, Polynomial]] | None:
    """The window of a load in loops inside `loop`, with the steps of its tile; None where its elements lie apart.

    Loops inside have constant trips, so that an iteration reads the first and the last element of each row.
    """
    along = steps[ALONG].constant if ALONG in steps else None
    if along is None or along < 1 or access.offset is None:
        return None
    near: list[tuple[int, int]] = []
    rows: list[tuple[int, int]] = []
    span, found = 1, {**steps, ALONG: Polynomial.number(1)}
    for i in access.loops[access.loops.index(loop.id) + 1 :]:
        inner = facts.loops[i]
        trips, step = constant_trips(inner), access.offset.coefficient(inner.counter)
        if not trips or step is None or inner.early_exit or inner.guards != loop.guards:
            return None
        if any(c % access.element_bytes for _, c in step.terms) or not is_shared(facts, step, ()):
            return None
        whole = Polynomial(tuple((m, c // access.element_bytes) for m, c in step.terms))
        if whole.constant is None:
            found[ROWS + len(rows)] = whole
            rows.append((i, trips))
        elif whole.constant < 0:
            return None
        elif whole.constant:
            near.append((i, whole.constant))
            span += whole.constant * (trips - 1)
    # Where iterations step over more than they read, most of a row would be loaded for nothing.
    return (Window(along, span, tuple(near), tuple(rows)), found) if along <= span else None


def loop_used(source: Source, span: Span) -> SourceNode | None:
    """The for loop whose head begins where a loop's span does; directives and macros may be in its body."""
    place = source.offset_of(span.start) if span.file is None else None
    node: Node | None = source.tree.root_node.descendant_for_byte_range(place, place + 1) if place is not None else None
    while node is not None and node.type != "for_statement":
        node = node.parent
    if node is None or node.start_byte != place:
        return None
    found = SourceNode(source, node, source.origin(node.start_byte, node.end_byte).start - node.start_byte)
    return found if found.text.startswith("for") and found.text.endswith(("}", ";")) else None


def counters_of(facts: KernelFacts, effects: Effects, window: Window) -> dict[int, str]:
    """The variables of the loops inside that move a load, each of which counts up from 0, by the loop's id."""
    found: dict[int, str] = {}
    for i, _ in (*window.near, *window.rows):
        head = counts_up(effects, loop_used(effects.source, facts.loops[i].span))
        if head.first.text.strip() != "0":
            raise NotOfferedError("does_not_count_up")
        found[i] = head.name
    if len(set(found.values())) < len(found):
        raise NotOfferedError("does_not_count_up")
    return found
