"""Integer expressions of ``#if`` directives, evaluated as C does; nothing is ever executed."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Literal

_TOKEN = re.compile(
    r"\s*(?:(?P<number>0[xX][0-9a-fA-F]+|0[bB][01]+|\d+)[uUlL]*|(?P<name>[A-Za-z_]\w*)"
    r"|(?P<char>'(?:\\.|[^'\\])')|(?P<sign>&&|\|\||[<>=!]=|<<|>>|[-+*/%&|^~!<>()?:,]))"
)
_LEVELS = (
    ("||",), ("&&",), ("|",), ("^",), ("&",), ("==", "!="), ("<", ">", "<=", ">="), ("<<", ">>"),
    ("+", "-"), ("*", "/", "%"),
)  # fmt: skip
MAX_DEPTH = 100
Unclear = Literal["strange", "nested", "no_colon", "too_early", "no_parenthesis", "zero", "too_long"]
"""Why a condition is not understood."""


class BadConditionError(ValueError):
    """A text is not an integer expression: why, and the part that has no place in one."""

    def __init__(self, kind: Unclear, text: str = "") -> None:
        super().__init__(kind, text)
        self.kind, self.text = kind, text


class _Parser:
    def __init__(self, text: str) -> None:
        self.tokens: list[tuple[str, str]] = []
        position = 0
        text = text.rstrip()
        while position < len(text):
            match = _TOKEN.match(text, position)
            if not match or match.lastgroup is None:
                raise BadConditionError("strange", text[position : position + 20].strip())
            self.tokens.append((match.lastgroup, match[match.lastgroup]))
            position = match.end()
        self.at = 0
        self.depth = 0

    def peek(self) -> str:
        return self.tokens[self.at][1] if self.at < len(self.tokens) else ""

    def ternary(self) -> int:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise BadConditionError("nested")
        value = self.binary(0)
        if self.peek() == "?":
            self.at += 1
            a = self.ternary()
            if self.peek() != ":":
                raise BadConditionError("no_colon")
            self.at += 1
            b = self.ternary()
            value = a if value else b
        self.depth -= 1
        return value

    def binary(self, level: int) -> int:
        if level == len(_LEVELS):
            return self.unary()
        value = self.binary(level + 1)
        while self.peek() in _LEVELS[level]:
            sign = self.peek()
            self.at += 1
            value = _apply(sign, value, self.binary(level + 1))
        return value

    def unary(self) -> int:
        signs: list[str] = []
        while self.peek() in {"-", "+", "!", "~"}:
            signs.append(self.peek())
            self.at += 1
        value = self.primary()
        for sign in reversed(signs):
            value = {"-": -value, "+": value, "!": int(not value), "~": ~value}[sign]
        return value

    def primary(self) -> int:
        if self.at >= len(self.tokens):
            raise BadConditionError("too_early")
        kind, text = self.tokens[self.at]
        self.at += 1
        if kind == "number":
            octal = text.isdigit() and text[0] == "0" and len(text) > 1
            try:
                return int(text, 8 if octal else 0)
            except ValueError as error:
                raise BadConditionError("strange", text) from error
        if kind == "char":
            return ord(text[-2])
        if kind == "name":
            return int(text == "true")
        if text == "(":
            value = self.ternary()
            if self.peek() != ")":
                raise BadConditionError("no_parenthesis")
            self.at += 1
            return value
        raise BadConditionError("strange", text)


def _apply(sign: str, a: int, b: int) -> int:
    match sign:
        case "||":
            return int(bool(a or b))
        case "&&":
            return int(bool(a and b))
        case "/" | "%":
            if b == 0:
                raise BadConditionError("zero")
            whole = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
            return whole if sign == "/" else a - whole * b
        case "<<" | ">>":
            shift = min(max(b, 0), 63)
            return a << shift & _MASK if sign == "<<" else a >> shift
        case _:
            return int(_SIMPLE[sign](a, b))


_MASK = (1 << 64) - 1
_SIMPLE: dict[str, Callable[[int, int], int]] = {
    "|": lambda a, b: a | b, "^": lambda a, b: a ^ b, "&": lambda a, b: a & b, "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b, "<": lambda a, b: a < b, ">": lambda a, b: a > b, "<=": lambda a, b: a <= b,
    ">=": lambda a, b: a >= b, "+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b,
}  # fmt: skip


def evaluate(text: str) -> int:
    """The value of a condition after macro expansion; names left over are 0. Raises `BadConditionError`."""
    parser = _Parser(text)
    value = parser.ternary()
    if parser.at < len(parser.tokens):
        raise BadConditionError("strange", parser.peek())
    return value
