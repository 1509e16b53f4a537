"""Variables whose values nobody uses: the compiler drops them, with all that only they need.

It is read off the text of the statements, which is fast enough for every function: what a plain assignment reads is
used if its variable is, and everything else is used. Whatever is not one plain assignment counts as use.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import lru_cache

_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\])*\"", re.DOTALL)
_STATEMENT = re.compile(r"[;{}]")
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


@lru_cache(maxsize=512)
def dead_names(body: str) -> frozenset[str]:
    """The variables and private arrays that a function's body only ever sets, for themselves and for each other."""
    needs: dict[str, set[str]] = {}
    used: set[str] = set()
    statements = _STATEMENT.split(_COMMENT.sub(" ", body))
    arrays = {found["name"] for one in statements if (found := _ARRAY.fullmatch(one)) is not None}
    for whole in statements:
        head, statement = _apart(whole)
        used.update(_NAME.findall(head))
        target = _TARGET.match(statement)
        name = target["name"] if target is not None else None
        if target is None or _does_more(statement) or ("[" in (target["part"] or "") and name not in arrays):
            used.update(_NAME.findall(statement))
        elif name is not None:
            needs.setdefault(name, set()).update(_NAME.findall(statement, target.end("name")))
    waiting = [name for name in used if name in needs]
    while waiting:
        more = needs[waiting.pop()] - used
        used |= more
        waiting += [name for name in more if name in needs]
    return frozenset(needs.keys() - used)


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
