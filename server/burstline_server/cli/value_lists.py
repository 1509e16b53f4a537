"""Lists of values on the command line: ``1,2,4``, ``1..16``, ``1..64*2``."""

from __future__ import annotations

import re

from burstline_server.cli.options import unusable

MAX_VALUES = 4096
_RANGE = re.compile(r"(-?\d+)\.\.(-?\d+)(?:([*+])(\d+))?")


def values_of(text: str, option: str) -> tuple[str, ...]:
    """The values of a list, in order and once each; raises `UnusableInputError`."""
    found: dict[str, None] = {}
    for part in text.split(","):
        one = part.strip()
        written = _RANGE.fullmatch(one)
        if written is None:
            if not one or ".." in one:
                raise unusable("lists_needed", option, text)
            found[one] = None
            continue
        at, last, sign, amount = int(written[1]), int(written[2]), written[3] or "+", int(written[4] or 1)
        if amount < 1 or (sign == "*" and (amount < 2 or at < 1)):
            raise unusable("does_not_grow", option, text)
        while at <= last and len(found) <= MAX_VALUES:
            found[str(at)] = None
            at = at * amount if sign == "*" else at + amount
    if not found or len(found) > MAX_VALUES:
        raise unusable("too_many_values", option, text, MAX_VALUES)
    return tuple(found)


def numbers_of(text: str, option: str, least: int = 1) -> tuple[int, ...]:
    """The same as whole numbers of at least `least`."""
    try:
        found = tuple(int(v) for v in values_of(text, option))
    except ValueError:
        raise unusable("numbers_needed", option, text) from None
    if min(found) < least:
        raise unusable("too_low", option, text, least)
    return found
