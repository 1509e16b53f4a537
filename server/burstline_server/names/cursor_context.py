"""What is being written at a place: a call's argument, a pragma, an attribute, a member. The text may be unfinished."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

REACH = 8_000
"""How many bytes before the place are looked at."""
Where = Literal["code", "member", "pragma", "directive", "attribute", "elsewhere"]
_TOKEN = re.compile(
    rb"""(?P<gap>//(?:[^\n\\]++|\\\r?\n|[^\n])*"""
    rb"""|/\*(?:[^*]++|\*(?!/))*(?:\*/|\Z)|"(?:\\.|[^"\\\n])*(?:"|\Z)|'(?:\\.|[^'\\\n])*'?)"""
    rb"|(?P<name>[A-Za-z_]\w*)|(?P<number>\.?\d[\w.]*)|(?P<sign>->|[^\s\w])"
)
_DIRECTIVE = re.compile(rb"[ \t]*#[ \t]*(\w*)([^\n]*)\Z")
_LAST_WORD = re.compile(rb"\b\w+\Z")
_STATEMENT = {b";", b"{", b"}"}


@dataclass(frozen=True, slots=True)
class Call:
    """An unfinished call: the function's name, where it is, and how many arguments are complete."""

    name: str
    start: int
    argument: int


@dataclass(frozen=True, slots=True)
class Context:
    """Where a place is. `prefix` is the word before it, `base` the variable whose member is asked for."""

    where: Where
    prefix: str = ""
    base: str = ""
    call: Call | None = None


def context_at(text: bytes, offset: int) -> Context:
    """What is being written at a byte of a text."""
    before = text[:offset]
    line = before[before.rfind(b"\n") + 1 :]
    prefix = "".join(m[0].decode("ascii", "replace") for m in _LAST_WORD.finditer(line))
    begin = before.rfind(b"\n", 0, max(0, offset - REACH)) + 1
    tokens = list(_TOKEN.finditer(text, begin, offset))
    if tokens and tokens[-1].end() == offset and _still_open(tokens[-1]):
        return Context("elsewhere")
    if directive := _DIRECTIVE.match(line):
        word, rest = directive[1], directive[2]
        if not rest:
            return Context("directive", prefix)
        return Context("pragma" if word == b"pragma" else "code", prefix)
    last = next((t[0] for t in reversed(tokens) if t.end() <= offset - len(prefix)), b"")
    call = _open_call(tokens)
    if call is not None and call.name.strip("_") == "attribute":
        return Context("attribute", prefix)
    if last in {b".", b"->"}:
        names = [t for t in tokens if t.end() <= offset - len(prefix)]
        base = names[-2][0].decode("ascii", "replace") if len(names) > 1 and names[-2].lastgroup == "name" else ""
        return Context("member", prefix, base)
    return Context("elsewhere" if prefix[:1].isdigit() else "code", prefix, call=call)


def _still_open(token: re.Match[bytes]) -> bool:
    """Whether a place right behind a token still belongs to it: an open comment or string."""
    if token.lastgroup != "gap":
        return False
    if token[0].startswith(b"//"):
        return True
    closed = token[0].endswith(b"*/") if token[0].startswith(b"/*") else len(token[0]) > 1 and token[0][-1:] in b"\"'"
    return not closed


def _open_call(tokens: list[re.Match[bytes]]) -> Call | None:
    """The innermost call whose parentheses are still open."""
    open_brackets: list[tuple[re.Match[bytes] | None, list[int]]] = []
    previous: re.Match[bytes] | None = None
    for token in tokens:
        sign = token[0]
        if token.lastgroup == "gap":
            continue
        if sign in {b"(", b"["}:
            named = previous if sign == b"(" and previous is not None and previous.lastgroup == "name" else None
            open_brackets.append((named, [0]))
        elif sign in {b")", b"]"} and open_brackets:
            open_brackets.pop()
        elif sign == b"," and open_brackets:
            open_brackets[-1][1][0] += 1
        elif sign in _STATEMENT:
            open_brackets.clear()
        previous = token
    for named, (commas,) in reversed(open_brackets):
        if named is not None:
            return Call(named[0].decode("ascii", "replace"), named.start(), commas)
    return None
