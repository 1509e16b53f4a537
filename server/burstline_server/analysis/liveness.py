"""Variables whose values nobody uses: the compiler drops them, with all that only they need.

It is read off the text of the statements, which is fast enough for every function: what a plain assignment reads is
used if its variable is, and everything else is used. Whatever is not one plain assignment counts as use.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import lru_cache

from burstline_model.record import fixed

_COMMENT = re.compile(r"//(?:[^\\\n]++|\\(?:\r?\n)?)*+|/\*.*?\*/|\"(?:\\.|[^\"\\])*\"", re.DOTALL)
_TARGET = re.compile(
    r"\s*(?:else\s+)?(?:\(\s*void\s*\)\s*\w+\s*$|"
    r"(?:(?!return\b|case\b|goto\b)[A-Za-z_]\w*\s+)*(?!(?:else|return|break|continue|do)\b)(?P<name>[A-Za-z_]\w*)"
    r"(?P<part>(?:\s*(?:\.\s*\w+|\[[^\[\]]*\]))*)\s*"
    r"(?:(?:[-+*/%&|^]|<<|>>)?=(?!=)|\+\+|--|$))"
)
_ARRAY = re.compile(
    r"\s*(?!(?:.*\b)?(?:volatile|static|extern|(?:__)?(?:local|global|constant))\b)"
    r"(?:[A-Za-z_]\w*\s+)+(?P<name>[A-Za-z_]\w*)\s*(?:\[[^\[\]]*\]\s*)+"
)
"""A statement that declares one array in private memory."""
_ARRAY_ENDS = ("]", *(f"]{blank}" for blank in " \t\r\n"))
_SEVERAL = re.compile(r"\s*(?!(?:return|case|goto|else|do)\b)(?:[A-Za-z_]\w*\s+)+(?=[A-Za-z_]\w*\s*[,=\[])")
"""The words in front of the first declarator of a declaration."""
_CONDITION = re.compile(r"\s*(?:else\s+)?(?:if|while|switch)\s*(?=\()")
_NAME = re.compile(r"(?<![\w.])[A-Za-z_]\w*")
_CALL = re.compile(r"([A-Za-z_]\w*)\s*\(")
_PURE = re.compile(
    r"(?:native_|half_)?(?:sqrt|rsqrt|exp2?|exp10|log2?|log10|sin|cos|tan|pow|powr|recip|divide)$|"
    r"(?:f?abs|f?min|f?max|floor|ceil|round|rint|trunc|fmod|fma|mad|clamp|mix|dot|hypot|sign|select|sizeof)$|"
    r"(?:a?(?:sin|cos|tan)h?|atan2|exp10|expm1|log1p|cbrt|erfc?|trunc|copysign|fdim|ldexp|length|distance|normalize)$|"
    r"(?:cross|step|smoothstep|degrees|radians|mul24|mad24|mul_hi|mad_hi|hadd|rhadd|rotate|popcount|clz|abs_diff)$|"
    r"(?:is(?:nan|inf|finite|normal)|any|all|bitselect|vload\d*|vload_half\d*)$|"
    r"get_(?:global|local|group|num|work|enqueued|compute)_\w+$|"
    r"(?:convert|as)_\w+$|(?:float|double|u?int|u?long|u?short|u?char)\d*$"
)


_DECLARED = re.compile(
    r"\s*(?!(?:.*\b)?(?:volatile|static|extern|(?:__)?(?:local|global|constant))\b)"
    r"struct\s+\w+\s+(?P<name>[A-Za-z_]\w*)\s*(?:=|$)"
)
"""A statement that declares one structure in private memory."""
_BRACES = re.compile(r"([;{}])")
_CHANGE = re.compile(r"\+\+|--|(?<![=!<>])=(?!=)")
_ELSE = re.compile(r"\s*else\b")


@lru_cache(maxsize=512)
def dead_names(body: str, *, structures: bool = False) -> frozenset[str]:
    """The variables and private arrays that a function's body only ever sets, for themselves and for each other.

    What decides whether they are set is needed for them alone. `structures`: those of the file hold no pointers, so
    that what is stored to a part of one stays in it.
    """
    read = _Reading()
    split = _BRACES.split(_COMMENT.sub(" ", body))
    ends = [*split[1::2], ";"]
    pieces = [(one, end) for whole, end in zip(split[::2], ends, strict=True) for one in _declarators(whole)]
    arrays = (_ARRAY.fullmatch(one) for one, _ in pieces if one.endswith(_ARRAY_ENDS))
    declared = (_DECLARED.match(one) for one, _ in pieces if structures and "struct" in one)
    read.arrays = {found["name"] for found in (*arrays, *declared) if found is not None}
    for one, end in pieces:
        read.piece(one, end)
    waiting = [name for name in read.used if name in read.needs]
    while waiting:
        more = read.needs[waiting.pop()] - read.used
        read.used |= more
        waiting += [name for name in more if name in read.needs]
    return frozenset(read.needs.keys() - read.used)


def forget_statements() -> None:
    """Look at every statement anew."""
    _piece.cache_clear()
    dead_names.cache_clear()


def _declarators(piece: str) -> list[str]:
    """A declaration of several variables as one of each; any other piece as it is."""
    words = _SEVERAL.match(piece) if "," in piece else None
    if words is None:
        return [piece]
    parts, depth, start = list[str](), 0, words.end()
    for at in range(start, len(piece)):
        depth += {"(": 1, "[": 1, ")": -1, "]": -1}.get(piece[at], 0)
        if piece[at] == "," and not depth:
            parts.append(words[0] + piece[start:at])
            start = at + 1
    return [*parts, words[0] + piece[start:]]


class _Reading:
    """What the statements of a body use, and what each variable needs; the conditions of the blocks that are open."""

    def __init__(self) -> None:
        self.needs: dict[str, set[str]] = {}
        self.used: set[str] = set()
        self.arrays: set[str] = set()
        self.blocks: list[set[str]] = [set()]
        self.before: list[set[str]] = [set()]
        """By block: the names in the condition of the last `if` in it, which an `else` follows."""

    def piece(self, whole: str, end: str) -> None:
        """A statement, or what comes before a brace."""
        own = _piece(whole) if len(whole) <= LONGEST_KEPT else _looked_at(whole)
        under = set(self.blocks[-1])
        if own.is_else:
            under |= self.before[-1]
        if own.is_condition:
            under |= own.head
            self.before[-1] = under
        elif own.has_head:
            self.used.update(own.head, under)
        self._statement(own, under)
        if end == "{":
            self.blocks.append(under)
            self.before.append(set())
        elif end == "}" and len(self.blocks) > 1:
            self.before.pop()
            self.before[-1] = self.blocks.pop()

    def _statement(self, own: _Piece, under: set[str]) -> None:
        if not own.target or (own.in_array and own.target not in self.arrays):
            if not own.is_empty:
                self.used.update(own.names, under)
        else:
            self.needs.setdefault(own.target, set()).update(own.needs, under)


@fixed
class _Piece:
    """What is to be known of a statement, or of what comes before a brace, without what is around it."""

    is_else: bool
    has_head: bool
    is_condition: bool
    head: frozenset[str]
    """The names in the condition in front of the statement, or in the end of a loop's head."""
    target: str
    """The one variable that the statement sets; empty where it does more."""
    in_array: bool
    is_empty: bool
    names: frozenset[str]
    needs: frozenset[str]
    """The names behind the one that is set."""


LONGEST_KEPT = 1_000
"""Longest statement that is remembered; those of tables are longer."""


@lru_cache(maxsize=4096)
def _piece(whole: str) -> _Piece:
    return _looked_at(whole)


def _looked_at(whole: str) -> _Piece:
    head, statement = _apart(whole)
    target, names = _TARGET.match(statement), frozenset(_NAME.findall(statement))
    condition = bool(head) and _is_condition(head)
    in_head = frozenset(_NAME.findall(head)) - (_WORDS if condition else frozenset())
    name = target["name"] or "" if target is not None else ""
    more = target is None or _does_more(statement)
    return _Piece(
        _ELSE.match(whole) is not None, bool(head), condition, in_head, "" if more else name,
        target is not None and "[" in (target["part"] or ""),
        statement.strip() in {"", "else", "do"} or (not more and not name), names,
        frozenset(_NAME.findall(statement, target.end("name"))) if target is not None and name else frozenset(),
    )  # fmt: skip


_WORDS = frozenset({"if", "else"})


def _is_condition(head: str) -> bool:
    """Whether a head is one or several conditions that do no more than compute."""
    words = {*re.findall(r"\b(?:if|while|switch|for)\b", head)}
    return words == {"if"} and only_computes(head, _WORDS)


def _apart(statement: str) -> tuple[str, str]:
    """The condition, or the end of a loop's head, in front of what is under it without braces; and that."""
    depth, end = 0, 0
    conditional = _CONDITION.match(statement)
    if conditional is None and statement.count(")") <= statement.count("("):
        return "", statement
    for at, sign in enumerate(statement):
        depth += {"(": 1, ")": -1}.get(sign, 0)
        if depth < 0 or (depth == 0 and sign == ")" and conditional is not None):
            depth, end = 0, at + 1
            conditional = _CONDITION.match(statement, end)
    return statement[:end], statement[end:]


def _does_more(statement: str) -> bool:
    """Whether a statement may do more than set one variable."""
    return "volatile" in statement or not pure(statement) or _several(statement)


def only_computes(text: str, harmless: Collection[str] = ()) -> bool:
    """Whether an expression changes nothing."""
    return pure(text, harmless) and _CHANGE.search(text) is None


def pure(text: str, harmless: Collection[str] = ()) -> bool:
    """Whether an expression or statement does no more than compute: it calls mathematics, or `harmless` functions."""
    return all(name in harmless or _PURE.match(name) for name in called(text))


def called(text: str) -> list[str]:
    """The functions that an expression or statement calls."""
    return _CALL.findall(text)


_MARKS = re.compile(r"[()\[\],]|(?<![=!<>])=(?!=)|\+\+|--")
_OPENED_BY = {")": "(", "]": "["}


def _several(statement: str) -> bool:
    """Whether a statement holds several: declarators, or expressions with commas or assignments between."""
    opened: list[str] = []
    changes, commas = 0, 0
    for mark in _MARKS.findall(statement):
        if mark in {"(", "["}:
            opened.append(mark)
        elif mark in _OPENED_BY:
            if opened and opened.pop() != _OPENED_BY[mark]:
                return True
        elif mark == ",":
            commas += not opened
        elif opened:
            return True
        else:
            changes += 1
    return bool(opened or commas) or changes > 1
