"""Awkward kernels with statements that few data come to: what made-up data do not show, the text has to."""

from __future__ import annotations

import random
import re
from itertools import pairwise

RARE = 4711
"""A number that nobody draws, in one place of ``b``."""
PLACE = 1
ALONE = ("c[2] = 9;", "a[4]++;", "c[n & 7] = v;", "b[3] = 5;", "a = a + 1;", "a++;", "bump(&v, 3);",
         "a[7] = a[6];", "atomic_inc(c + 3);", "c[60] ^= a[2];")  # fmt: skip
ONCE = "a += part < 2; part = 2;"
"""What moves the pointer in a loop, where each turn would lead it further out of its buffer."""
EVERY = ("v = 3;", "n = n / 2;", "lead = lead / 2;", "return;", "v++;", "v ^= n;", "break;", "continue;")
_PLAIN = re.compile(r"\s.*[;{]\s*")
_LOOP = re.compile(r"\s*(?:for|while|do)\b.*\{\s*$")


def spoiled(text: str, seed: int, *, alone: bool) -> str:
    """A kernel with one such statement or two; `alone`: a single work-item runs it."""
    draw = random.Random(seed + 2)
    head, kernel, body = text.partition("__kernel")
    lines = body.split("\n")
    places = [
        at + 1
        for at, (line, then) in enumerate(pairwise(lines))
        if at > 1 and _PLAIN.fullmatch(line) and not then.strip().startswith(("else", "{")) and then.strip()
    ]
    for at in sorted(draw.sample(places, min(len(places), draw.randint(1, 2))), reverse=True):
        around = _depth(lines[:at])
        what = draw.choice((*ALONE, *EVERY) if alone else EVERY)
        if what in {"break;", "continue;"} and (not around or "do {" in body or "while" in body):
            what = "v = 5;"
        if "v" in what and not re.search(r"\bint v\b", "\n".join(lines[:at])):
            what = "n = n / 2;"
        if around and what in {"a = a + 1;", "a++;"}:
            what = ONCE
        condition = draw.choice((f"b[{PLACE}] == {RARE}", "n == 40", "n == 32", f"b[{PLACE}] == {RARE}"))
        lines.insert(at, f"    if ({condition}) {{ {what} }}")
    return head + kernel + "\n".join(lines)


def _depth(lines: list[str]) -> bool:
    """Whether the place behind these lines is in a loop with braces."""
    open_ = list[bool]()
    for line in lines:
        for brace in re.findall(r"[{}]", line):
            if brace == "{":
                open_.append(bool(_LOOP.match(line)))
            elif open_:
                open_.pop()
    return any(open_)
