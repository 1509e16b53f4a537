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
    r"(?:\s*\.\s*\w+)*\s*"
    r"(?:(?:[-+*/%&|^]|<<|>>)?=(?!=)|\+\+|--|$))"
)
_NAME = re.compile(r"(?<![\w.])[A-Za-z_]\w*")
_CALL = re.compile(r"([A-Za-z_]\w*)\s*\(")
_GROUP = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")
_PURE = re.compile(
    r"(?:native_|half_)?(?:sqrt|rsqrt|exp2?|exp10|log2?|log10|sin|cos|tan|pow|powr|recip|divide)$|"
    r"(?:f?abs|f?min|f?max|floor|ceil|round|rint|trunc|fmod|fma|mad|clamp|mix|dot|hypot|sign|select|sizeof)$|"
    r"(?:convert|as)_\w+$|(?:float|double|u?int|u?long|u?short|u?char)\d*$"
)


@lru_cache(maxsize=512)
def dead_names(body: str) -> frozenset[str]:
    """The variables that a function's body only ever sets, for themselves and for each other."""
    needs: dict[str, set[str]] = {}
    used: set[str] = set()
    for statement in _STATEMENT.split(_COMMENT.sub(" ", body)):
        target = _TARGET.match(statement)
        if target is None or "volatile" in statement or not pure(statement) or _several(statement):
            used.update(_NAME.findall(statement))
        elif (name := target["name"]) is not None:
            needs.setdefault(name, set()).update(_NAME.findall(statement, target.end()))
    waiting = [name for name in used if name in needs]
    while waiting:
        more = needs[waiting.pop()] - used
        used |= more
        waiting += [name for name in more if name in needs]
    return frozenset(needs.keys() - used)


def pure(text: str, harmless: Collection[str] = ()) -> bool:
    """Whether an expression or statement does no more than compute: it calls mathematics, or `harmless` functions."""
    return all(name in harmless or _PURE.match(name) for name in called(text))


def called(text: str) -> list[str]:
    """The functions that an expression or statement calls."""
    return _CALL.findall(text)


def _several(statement: str) -> bool:
    """Whether a statement holds several: declarators, or expressions with commas or assignments between."""
    while "(" in statement or "[" in statement:
        shorter = _GROUP.sub(" ", statement)
        if shorter == statement:
            return True
        if re.search(r"(?<![=!<>])=(?!=)|\+\+|--", "".join(_GROUP.findall(statement))):
            return True
        statement = shorter
    return "," in statement or len(re.findall(r"(?<![=!<>])=(?!=)|\+\+|--", statement)) > 1
