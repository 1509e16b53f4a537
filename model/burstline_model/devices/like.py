"""Tables that are `like` another one: what they do not say themselves is taken from it, and from what that is like."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any

Table = Mapping[str, Any]
Read = Callable[[str], Table]
"""A table by its name."""


def chain_of(name: str, read: Read) -> Iterator[tuple[str, Table]]:
    """A table with its name, then the one that it is like, and so on."""
    known: str | None = name
    while known is not None:
        table = read(known)
        yield known, table
        known = table.get("like")


def whole_table(name: str, read: Read, own_only: Collection[str] = ()) -> dict[str, Any]:
    """A table over all that it is like, key by key; keys that are `own_only` are not taken from another table."""
    found: dict[str, Any] = {}
    for other, table in chain_of(name, read):
        left_out = {"like"} if other == name else {"like", *own_only}
        found = _over({key: value for key, value in table.items() if key not in left_out}, found)
    return found


def _over(base: Table, own: Table) -> dict[str, Any]:
    merged = dict(base)
    for key, value in own.items():
        known = merged.get(key)
        merged[key] = _over(known, value) if isinstance(known, dict) and isinstance(value, dict) else value
    return merged
