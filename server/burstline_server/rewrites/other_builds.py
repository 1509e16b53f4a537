"""What other builds of a file make of an edit: it is proved for the text that is compiled now."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from functools import lru_cache

from burstline_model.facts import Span
from burstline_server.source.preprocess import DIRECTIVE, SKIPPED

Branch = tuple[int, ...]
"""Where the conditions around a place were asked, the outermost first."""


def is_one_in_all(text: bytes, edits: Iterable[tuple[int, int]], kernel: Span, *, moves_nothing: bool) -> bool:
    """Whether no condition of the preprocessor can leave a part of an edit out, or has text that it does not know.

    No edit may replace such a directive. One that moves statements may have none between its first and last place in
    the kernel, and what it puts elsewhere in the file has to be there wherever the kernel is.
    """
    made = sorted(edits)
    places, branches = _conditions(text)
    if any(bisect_left(places, start) < bisect_left(places, end) for start, end in made):
        return False
    if moves_nothing or not places:
        return True
    inside = [one for one in made if kernel.start <= one[0] < kernel.end]
    if inside and bisect_left(places, inside[0][0]) < bisect_left(places, inside[-1][1]):
        return False
    around = branches[bisect_right(places, kernel.start)]
    others = (branches[bisect_right(places, one[0])] for one in made if one not in inside)
    return all(branch == around[: len(branch)] for branch in others)


@lru_cache(maxsize=4)
def _conditions(text: bytes) -> tuple[list[int], list[Branch]]:
    """Where conditions begin, go on and end, in order, and the branch in front of each and behind the last."""
    places, branches, open_ = list[int](), [()], list[int]()  # type: list[int], list[Branch], list[int]
    if b"#" not in text:
        return places, branches
    plain = SKIPPED.sub(lambda match: b" " * len(match[0]), text)
    for match in DIRECTIVE.finditer(plain):
        word = match[1]
        if word in {b"if", b"ifdef", b"ifndef"}:
            open_.append(match.start())
        elif word in {b"elif", b"else"} and open_:
            open_[-1] = match.start()
        elif word == b"endif" and open_:
            open_.pop()
        else:
            continue
        places.append(match.start())
        branches.append(tuple(open_))
    return places, branches
