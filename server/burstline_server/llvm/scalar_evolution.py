"""LLVM's scalar evolution, as polynomials: how an integer or an address moves with loops, arguments and ids.

Integers are taken not to overflow: a conversion to a wider type, or from one of 64 bits to one of 32, changes nothing.
Of a minimum or maximum with one operand that moves, that operand counts: the others hold at the borders.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from burstline_model.polynomial import Polynomial, TooComplexError

_TOKEN = re.compile(
    r'\s*(?:(?P<number>-?\d+)|(?P<name>[%@](?:[\w.$-]+|"[^"]*"))|(?P<loop><%(?:[\w.$-]+|"[^"]*")>)|(?P<flag><n\w+>)'
    r"|(?P<add>,\+,)|(?P<op>[({})+*]|/u\b)|(?P<word>[a-z_]\w*))"
)
_ENTRY = re.compile(r"^  (%(?:[\w.$-]+|\"[^\"]*\")) = .*\n  -->  (.*?) U: ", re.MULTILINE)
_COUNT = re.compile(r"^Loop (%\S+): backedge-taken count is (?:i\d+ )?(.+)$", re.MULTILINE)
_OF_LOOP = re.compile(r"^( *)Loop at depth \d+ containing: (.*)$", re.MULTILINE)
_NARROW_BITS = 32
_CLAMPS = {"smin", "umin", "smax", "umax"}


@dataclass
class Loop:
    """A loop by its header: the blocks in it, and the loop around it."""

    header: str
    blocks: frozenset[str]
    parent: str | None


@dataclass
class Analysis:
    """What opt says of one function: each value's evolution, the loops, and how often they go back."""

    values: dict[str, str] = field(default_factory=dict)
    counts: dict[str, str] = field(default_factory=dict)
    loops: dict[str, Loop] = field(default_factory=dict)


def analyses_of(text: str) -> dict[str, Analysis]:
    """The analyses by the function's name; loops come in front of the rest."""
    found: dict[str, Analysis] = {}
    parts = re.split(r"^Printing analysis '[^']*' for function '([^']*)':$", text, flags=re.MULTILINE)
    loops = _loops(parts[0])
    for name, body in zip(parts[1::2], parts[2::2], strict=False):
        found[name] = Analysis(dict(_ENTRY.findall(body)), dict(_COUNT.findall(body)), loops)
        loops = _loops(body)
    return found


def _loops(text: str) -> dict[str, Loop]:
    found: dict[str, Loop] = {}
    around: list[tuple[int, str]] = []
    for indent, blocks in _OF_LOOP.findall(text):
        names = blocks.split(",%")
        header = next(n for n in names if "<header>" in n)
        own = "%" + re.sub(r"<\w+>", "", header).lstrip("%")
        while around and around[-1][0] >= len(indent):
            around.pop()
        inside = frozenset("%" + re.sub(r"<(?:header|latch|exiting)>", "", n).lstrip("%") for n in names)
        found[own] = Loop(own, inside, around[-1][1] if around else None)
        around.append((len(indent), own))
    return found


class _UnreadableError(ValueError):
    pass


@dataclass
class Reader:
    """Reads evolutions. `named` gives the symbol of a value; `moves` says whether a symbol moves at all."""

    named: Callable[[str], str]
    moves: Callable[[str], bool]
    operands: dict[str, tuple[str, tuple[Polynomial, ...]]] = field(default_factory=dict)
    """The operations that symbols were made for, with their operands."""

    def read(self, text: str) -> Polynomial:
        """The polynomial of an evolution; a symbol of its own for one that cannot be read."""
        try:
            tokens = _tokens(text)
            found, end = self._term(tokens, 0)
        except (_UnreadableError, TooComplexError, IndexError, RecursionError):
            return Polynomial.symbol(f"?{text}")
        return found if end == len(tokens) else Polynomial.symbol(f"?{text}")

    def _term(self, tokens: list[tuple[str, str]], at: int) -> tuple[Polynomial, int]:
        kind, text = tokens[at]
        if kind == "number":
            return Polynomial.number(int(text)), at + 1
        if kind == "name":
            return Polynomial.symbol(self.named(text)), at + 1
        if kind == "word" and text in {"true", "false", "undef", "poison", "null"}:
            return Polynomial.number(int(text == "true")), at + 1
        if text == "{":
            return self._recurrence(tokens, at + 1)
        if text == "(":
            return self._operation(tokens, at + 1)
        raise _UnreadableError(text)

    def _recurrence(self, tokens: list[tuple[str, str]], at: int) -> tuple[Polynomial, int]:
        start, at = self._term(tokens, at)
        steps = []
        while tokens[at][0] == "add":
            step, at = self._term(tokens, at + 1)
            steps.append(step)
        at += 1  # the brace
        loop = ""
        while at < len(tokens) and tokens[at][0] in {"flag", "loop"}:
            loop = tokens[at][1] if tokens[at][0] == "loop" else loop
            at += 1
        counter = Polynomial.symbol(f"loop:{loop[1:-1]}")
        if len(steps) == 1:
            return start + steps[0] * counter, at
        return start + self._symbol("series", (start, *steps, counter)), at

    def _operation(self, tokens: list[tuple[str, str]], at: int) -> tuple[Polynomial, int]:
        if tokens[at][0] == "word" and tokens[at][1] in {"sext", "zext", "trunc", "ptrtoint"}:
            return self._conversion(tokens, at)
        first, at = self._term(tokens, at)
        operands, operation = [first], ""
        while tokens[at][1] != ")":
            operation = tokens[at][1]
            operand, at = self._term(tokens, at + 1)
            operands.append(operand)
        at += 1
        while at < len(tokens) and tokens[at][0] == "flag":
            at += 1
        return self._combined(operation, operands), at

    def _conversion(self, tokens: list[tuple[str, str]], at: int) -> tuple[Polynomial, int]:
        kind, at = tokens[at][1], at + 1
        while tokens[at][0] == "word" or tokens[at][1] == "*":
            at += 1
        operand, at = self._term(tokens, at)
        target = tokens[at + 1][1] if tokens[at][1] == "to" else ""
        while tokens[at][1] != ")":
            at += 1
        at += 1
        while at < len(tokens) and tokens[at][0] == "flag":
            at += 1
        bits = int(target[1:]) if re.fullmatch(r"i\d+", target) else 64
        if kind == "trunc" and bits < _NARROW_BITS and operand.constant is None:
            return self._symbol(f"trunc{bits}", (operand,)), at
        return operand, at

    def _combined(self, operation: str, operands: list[Polynomial]) -> Polynomial:
        result = operands[0]
        if operation == "+":
            for one in operands[1:]:
                result = result + one
        elif operation == "*":
            for one in operands[1:]:
                result = result * one
        elif operation in _CLAMPS or operation.removesuffix("_seq") in _CLAMPS:
            moving = [o for o in operands if any(map(self.moves, o.symbols))]
            return moving[0] if len(moving) == 1 else self._symbol(operation, tuple(operands))
        elif operation:
            return self._symbol(operation, tuple(operands))
        return result

    def _symbol(self, operation: str, operands: tuple[Polynomial, ...]) -> Polynomial:
        name = f"{operation}({', '.join(map(str, operands))})"
        self.operands[name] = (operation, operands)
        return Polynomial.symbol(name)


def _tokens(text: str) -> list[tuple[str, str]]:
    found, at = [], 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            raise _UnreadableError(text)
        found.append((match.lastgroup or "", match[match.lastgroup or 0]))
        at = match.end()
    return found


def constant_steps(offset: Polynomial, counters: Mapping[str, frozenset[str]]) -> dict[str, int | None]:
    """What one step of each counter adds, where that is a number; `counters` says which symbols vary with each."""
    steps: dict[str, int | None] = {}
    for counter, varying in counters.items():
        step = offset.coefficient(counter)
        varies = any(s != counter and s in varying for s in offset.symbols)
        steps[counter] = step.constant if step is not None and not varies else None
    return steps
