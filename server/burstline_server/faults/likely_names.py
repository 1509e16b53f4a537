"""What a name that nothing declares is likely a misspelling of."""

from __future__ import annotations

import difflib
from functools import lru_cache

LIKELY = 0.6
"""How alike two names are where one is likely a misspelling of the other."""


@lru_cache(maxsize=1024)
def most_alike(name: str, names: tuple[str, ...]) -> str | None:
    """The other one of some names, in order, that it is likely a misspelling of."""
    return next(iter(difflib.get_close_matches(name, [n for n in names if n != name], n=1, cutoff=LIKELY)), None)
