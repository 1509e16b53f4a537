"""What the accesses of a kernel depend on, closed over all its symbols once it is read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from burstline_model.facts import Access, Guard
from burstline_server.analysis.frames import OpenAccess
from burstline_server.analysis.reader import Reader
from burstline_server.analysis.values import Sources, SymbolTable

_UNIFORM = {"argument", "global_size", "local_size", "num_groups", "global_offset", "group_id"}
"""Kinds of symbols that are the same in all items of a work-group."""


def finished_accesses(reader: Reader, sources: Mapping[str, Sources]) -> tuple[Access, ...]:
    """The accesses with every dependence closed; `sources` as the symbol table gives them."""
    closed: dict[frozenset[str], tuple[str, ...]] = {}

    def all_of(symbols: frozenset[str]) -> tuple[str, ...]:
        if symbols not in closed:
            closed[symbols] = reader.symbols.closed(symbols, sources)
        return closed[symbols]

    return tuple(_finished(o, reader.symbols, all_of) for o in reader.accesses)


def _finished(
    open_access: OpenAccess, symbols: SymbolTable, all_of: Callable[[frozenset[str]], tuple[str, ...]]
) -> Access:
    guards = []
    for g in open_access.guards:
        depends_on = all_of(g.symbols)
        loaded = g.loaded or any(symbols.kind(s) == "loaded" for s in depends_on)
        guards.append(
            Guard(
                text=g.text, span=g.span, depends_on=depends_on, loaded=loaded, early_return=g.early_return,
                condition=g.condition, calls=g.calls, choice=g.choice,
            )
        )  # fmt: skip
    varies = True
    if open_access.operand is not None and open_access.access.op == "atomic":
        kinds = {symbols.kind(s) for s in all_of(open_access.operand.varies_with())}
        varies = bool(open_access.operand.loads) or bool(kinds - _UNIFORM)
    return replace(open_access.access, guards=tuple(guards), operand_varies=varies)
