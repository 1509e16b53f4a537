"""Variables whose values nobody uses: the compiler drops them, with all that only they need.

It is read off the text of the statements, which is fast enough for every function: what a plain assignment reads is
used if its variable is, and everything else is used. Whatever is not one plain assignment counts as use.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import lru_cache

_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\])*\"", re.DOTALL)
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
        head, statement = _apart(whole)
        under = set(self.blocks[-1])
        if _ELSE.match(whole):
            under |= self.before[-1]
        if head and _is_condition(head):
            under |= {*_NAME.findall(head)} - _WORDS
            self.before[-1] = under
        elif head:
            self._use(head, under)
        self._statement(statement, under)
        if end == "{":
            self.blocks.append(under)
            self.before.append(set())
        elif end == "}" and len(self.blocks) > 1:
            self.before.pop()
            self.before[-1] = self.blocks.pop()

    def _statement(self, statement: str, under: set[str]) -> None:
        target = _TARGET.match(statement)
        name = target["name"] if target is not None else None
        if target is None or _does_more(statement) or ("[" in (target["part"] or "") and name not in self.arrays):
            if statement.strip() not in {"", "else", "do"}:
                self._use(statement, under)
        elif name is not None:
            self.needs.setdefault(name, set()).update(_NAME.findall(statement, target.end("name")), under)

    def _use(self, text: str, under: set[str]) -> None:
        self.used.update(_NAME.findall(text), under)


_WORDS = {"if", "else"}


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
