"""What to do about addresses that data decide."""

from __future__ import annotations

from math import isfinite

from burstline_model.estimate.changes import NoGather
from burstline_server.quantities import bytes_text


def no_gather(change: NoGather) -> tuple[str, str]:
    """The change in a few words, and with what it is for."""
    each = f"{change.moved_bytes} B for each {change.request_bytes:g} B"
    if change.moved_bytes <= change.request_bytes:
        each = f"{change.request_bytes:g} B at a time from places all over it"
    load = change.op == "load"
    kind, order = ("gather", "read in order") if load else ("scatter", "write in order")
    if not change.by_data:
        how = "copy a block to local memory first" if load else "collect a block in local memory first"
        return how, f"ids or counters jump, {each}: {how}"
    if not change.copy_bytes:
        # Each group would copy more than it asks for.
        return f"sort what is {kind}ed", f"{kind}, {each}: sort by place, no copy saves requests"
    if isfinite(change.copy_bytes):
        size, several = bytes_text(change.copy_bytes), len(change.pointers) > 1
        verb, place = ("copy", "to the chip") if load else ("collect", "on the chip")
        kept = f"{verb}{' each' * several} {place} if ≤ {size}"
        if change.whole:
            kept = f"{verb} {size}{' of each' * several} {place}"
            return kept, f"{kind}, {each}: {kept}, all that indices reach"
        return f"sort what is {kind}ed, or {kept}", f"{kind}, {each}: sort by place, or {kept}"
    if load:
        return "copy the read data to local memory first", f"{kind}, {each}: local copy if it fits, or {order}"
    return "gather stores in local memory", f"{kind}, {each}: collect on the chip if it fits, or {order}"
