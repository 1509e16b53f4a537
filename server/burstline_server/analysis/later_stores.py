"""What on-chip memory held when it was read, and the stores behind that change it for the next iteration."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from burstline_server.analysis.values import Pointer

Reads = dict[str, tuple[tuple[str, tuple[int, ...]], ...]]
"""Symbols of what was loaded since the last store, with the loops around, by the memory's name."""


def loaded_here(reads: Reads, pointer: Pointer, symbol: str, loops: Collection[int]) -> None:
    """Remember the symbol of what was loaded."""
    if pointer.space in {"private", "local"}:
        reads[pointer.root] = (*reads.get(pointer.root, ()), (symbol, tuple(loops)))


def stored_after(reads: Reads, pointer: Pointer, loops: Collection[int]) -> Iterator[tuple[str, list[int]]]:
    """What was loaded before a store, with the loops around both: their next iteration loads what is stored now."""
    for symbol, around in reads.pop(pointer.root, ()):
        if shared := [loop for loop in around if loop in loops]:
            yield symbol, shared
