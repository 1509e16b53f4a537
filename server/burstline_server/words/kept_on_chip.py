"""Data that are kept on the chip: each change in a few words, and the rest of its sentence."""

from __future__ import annotations

from burstline_model.estimate.changes import (
    CombineFirst,
    CopyOnChip,
    OwnArray,
    PrivateArray,
    PrivateCopy,
    SlidingWindow,
    WindowAndCopies,
)
from burstline_server.quantities import bytes_text, whole_text


def collected(change: PrivateCopy | CombineFirst | CopyOnChip) -> tuple[str, str]:
    """Data that are collected nearer by before they go on, or before they are used."""
    if isinstance(change, CopyOnChip):
        where = f"before the loop over {change.loop}" if change.loop else "before the outer loop"
        return (
            f"copy {change.pointer} to an array on the chip {where}",
            f" ({bytes_text(change.bytes)}), which then reads it from there",
        )
    if isinstance(change, CombineFirst):
        return (
            f"combine {change.elements} elements of {change.pointer} in each work-item first",
            ": all of a group go round in the loop with the barrier, ever fewer of them with work",
        )
    return (
        f"keep a private copy of {change.pointer} in local memory",
        f"{' (histogram)' if change.bins else ''}, written out once after the loop",
    )


def window(change: SlidingWindow | WindowAndCopies) -> tuple[str, str]:
    """A shift register for neighbours: the change, and the rest of its sentence."""
    if isinstance(change, WindowAndCopies):
        action = f"keep the neighbours in {' and '.join(change.pointers)} in a shift register"
        if change.copies == 1:
            return action, " each: each element is then fetched once"
        action += f", and unroll the loop by {change.copies}"
        return action, ": each element is then fetched once, by one request for all copies"
    window, once = "use a shift register (sliding window)", f": each element of {change.pointer} is then fetched once"
    if change.unfixed is not None:
        return window, f", with a constant trip count over {change.unfixed or 'that loop'}{once}"
    return f"{window} of {whole_text(change.elements)} elements" if change.elements is not None else window, once


def own_array(change: OwnArray | PrivateArray) -> tuple[str, str]:
    """An array of the kernel in place of a buffer."""
    unread = ", if nothing reads it later"
    if isinstance(change, PrivateArray):
        return f"keep {change.pointer} in a private array of {change.elements} elements", unread
    each = f", one for each iteration over {change.loop or 'that loop'}"
    return f"use a local array in place of {change.pointer}", each + unread
