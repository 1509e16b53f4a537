"""Pragmas and attributes before a loop or a function, as facts."""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass

from tree_sitter import Node

from burstline_model.facts import Remark
from burstline_server.analysis.nodes import previous_end
from burstline_server.analysis.reader import Reader
from burstline_server.analysis.types import named
from burstline_server.source.conditions import BadConditionError, evaluate
from burstline_server.source.source import Source

_WORD = re.compile(r"\s*(\w+)\s*(.*)", re.DOTALL)
_ARRAY = re.compile(r"array\s*\(\s*(\w+)\s*\)")
_SAFELEN = re.compile(r"\bsafelen\s*\(")
_PACK = re.compile(r"pack\s*\(([^)]*)\)")
_SUFFIX = re.compile(r"\b(0[xX][0-9a-fA-F]+|\d+)[uUlL]+\b")
_HEXADECIMAL = re.compile(r"\b0[xX][0-9a-fA-F]+\b")
_SIZE = re.compile(r"\bsizeof\s*\(\s*(\w+)\s*\)")
_LETTERS = re.compile(r"[A-Za-z_]")
_NAME = re.compile(r"\b([A-Za-z_]\w*)\s*(\()?")
_OF_LOOPS = (
    "unroll", "nounroll", "ivdep", "ii", "loop_coalesce", "loop_fuse", "nofusion", "max_concurrency",
    "max_interleaving", "disable_loop_pipelining", "speculated_iterations",
)  # fmt: skip
"""The pragmas of loops that the compiler knows (Programming Guide 20.3)."""
_ALIKE = 0.85
"""How alike two words are where one is the other misspelt: ``unroll_and_jam`` of other compilers is not ``unroll``."""


@dataclass(slots=True)
class LoopPragmas:
    """What is asked of a loop (see `burstline_model.facts.Loop` for the meaning of the numbers)."""

    unroll: int | None = None
    ivdep: tuple[str, ...] | None = None
    safelen: tuple[tuple[str, int], ...] = ()
    initiation_interval: int | None = None
    coalesce: int | None = None
    max_concurrency: int | None = None
    max_interleaving: int | None = None
    pipelined: bool = True
    misspelt: tuple[tuple[str, str], ...] = ()
    """Words that the compiler does not know and leaves out, each with the known one nearest to it."""

    def take(self, source: Source, name: str, rest: str) -> None:
        """Take one request: the first word of a pragma, or an attribute's name, and what follows it."""
        match name:
            case "unroll" | "opencl_unroll_hint":
                self.unroll = integer(source, rest) if rest.strip(" ()") else 0
            case "nounroll":
                self.unroll = 1
            case "ivdep":
                self._keep_apart(tuple(_ARRAY.findall(rest)), _safelen(source, rest))
            case "ii" | "initiation_interval":
                self.initiation_interval = integer(source, rest)
            case "loop_coalesce":
                self.coalesce = integer(source, rest) or 0
            case "max_concurrency":
                self.max_concurrency = integer(source, rest)
            case "max_interleaving":
                self.max_interleaving = integer(source, rest)
            case "disable_loop_pipelining":
                self.pipelined = False
            case "loop" if (word := rest.split("(", maxsplit=1)[0].split()[:1]) and word[0] in _OF_LOOPS:
                self.misspelt += ((f"loop {word[0]}", word[0]),)
            case _ if name not in _OF_LOOPS:
                likely = difflib.get_close_matches(name.lower(), _OF_LOOPS, n=1, cutoff=_ALIKE)
                self.misspelt += tuple((name, one) for one in likely)
            case _:
                pass

    def _keep_apart(self, arrays: tuple[str, ...], iterations: int | None) -> None:
        """One pragma promises that iterations do not meet in these arrays (none: in any), or only so many apart."""
        before = self.ivdep
        every = before == () or not arrays
        self.ivdep = () if every else (before or ()) + arrays
        if not arrays and iterations is None:
            self.safelen = ()
        elif before != () or self.safelen:  # else all are kept apart
            self.safelen += tuple((name, iterations or 0) for name in arrays or ("",))


def _safelen(source: Source, rest: str) -> int | None:
    """The iterations of ``safelen(32)``; None where there is no such clause, or its number is not known."""
    found = _SAFELEN.search(rest)
    if found is None:
        return None
    depth, end = 1, found.end()
    while end < len(rest) and depth:
        depth += {"(": 1, ")": -1}.get(rest[end], 0)
        end += 1
    length = integer(source, rest[found.end() : end - 1])
    return length if length is not None and length > 0 else None


def integer(source: Source, text: str) -> int | None:
    """A constant expression of literals, object-like macros and sizes of built-in types."""
    text = text.strip()
    for _ in range(8):
        macro = source.macros.get(text.strip("() "))
        if macro is None or macro.parameters is not None:
            break
        text = macro.body.strip()
    text = _SUFFIX.sub(r"\1", _SIZE.sub(_size, text))
    if text.count("(") != text.count(")"):
        text = text.strip("() ")
    if _LETTERS.search(_HEXADECIMAL.sub("", text)):
        return None
    try:
        return evaluate(text)
    except BadConditionError:
        return None


def _size(match: re.Match[str]) -> str:
    type_ = named(match[1])
    return str(type_.size) if type_ is not None and type_.size else match[0]


def loop_pragmas(source: Source, loop: Node) -> LoopPragmas:
    """The pragmas and attributes between the previous statement and the loop."""
    before = previous_end(loop)
    asked = LoopPragmas()
    for pragma in source.pragmas_in(before, loop.start_byte):
        if match := _WORD.match(pragma.text):
            asked.take(source, match[1], match[2])
    for note in source.notes_in(before, loop.start_byte):
        if note.kind == "attribute":
            for name, rest in attributes(note.text).items():
                asked.take(source, name, rest)
    return asked


def asked_of(reader: Reader, node: Node) -> LoopPragmas:
    """What pragmas and attributes ask of a loop; those that the compiler does not know are reported."""
    pragmas = loop_pragmas(reader.source, node)
    for word, likely in pragmas.misspelt:
        reader.remark(node, "misspelt_pragma", word, likely)
    _report_before_label(reader, node)
    return pragmas


def _report_before_label(reader: Reader, loop: Node) -> None:
    """Report what is asked of a loop in front of its label: clang's parser takes it for the labelled statement."""
    label = loop.parent
    if label is None or label.type != "labeled_statement":
        return
    source, before = reader.source, previous_end(label)
    words = [m[1] for one in source.pragmas_in(before, label.start_byte) if (m := _WORD.match(one.text))]
    words += [
        name
        for note in source.notes_in(before, label.start_byte)
        if note.kind == "attribute"
        for name in attributes(note.text)
    ]
    for word in words:
        if word in (*_OF_LOOPS, "opencl_unroll_hint"):
            reader.remark(loop, "before_label", word)


def report_misplaced(reader: Reader, body: Node) -> None:
    """Report the pragmas of loops in a function's body that no loop follows."""
    for pragma in reader.source.pragmas_in(body.start_byte, body.end_byte):
        match = _WORD.match(pragma.text)
        if match is None or match[1] not in _OF_LOOPS:
            continue
        follows = _next(body, pragma.start)
        if follows is None or follows.type in _NO_LOOPS:
            span = reader.span_of(pragma.start, pragma.end)
            remark = Remark(span=span, kind="misplaced_pragma", names=(match[1],))
            reader.remarks.setdefault((remark.kind, remark.names), remark)


_NO_LOOPS = frozenset({"declaration", "expression_statement", "if_statement", "return_statement"})
"""Statements before which a pragma of a loop has nothing to be for."""


def _next(block: Node, offset: int) -> Node | None:
    """The statement that begins behind an offset, in the innermost block around it; None where that ends there."""
    after = next((c for c in block.named_children if c.end_byte > offset and c.type != "comment"), None)
    if after is None or after.start_byte >= offset:
        return after
    return _next(after, offset)


def pack_at(source: Source, offset: int) -> int | None:
    """The alignment that the ``#pragma pack`` directives before an offset leave in force; None without one."""
    stack: list[int | None] = []
    current: int | None = None
    for pragma in source.pragmas:
        if pragma.start > offset:
            break
        match = _PACK.match(pragma.text)
        if match is None:
            continue
        words = [w.strip() for w in match[1].split(",") if w.strip()]
        if "push" in words:
            stack.append(current)
        if "pop" in words:
            current = stack.pop() if stack else None
        numbers = [int(w) for w in words if w.isdigit()]
        current = numbers[0] if numbers else None if not words else current
    return current


def attributes(text: str) -> dict[str, str]:
    """Attribute names with their arguments, from the text of ``__attribute__((…))`` specifiers."""
    found: dict[str, str] = {}
    position = 0
    while match := _NAME.search(text, position):
        position = match.end()
        name = match[1].strip("_")
        if name == "attribute":
            continue
        end = _closing(text, position - 1) if match[2] else position
        found[name] = text[position : end - 1].strip() if match[2] else ""
        position = end
    return found


def _closing(text: str, opening: int) -> int:
    """The offset after the parenthesis that closes the one at `opening` (the end of the text without one)."""
    depth = 0
    for i in range(opening, len(text)):
        depth += (text[i] == "(") - (text[i] == ")")
        if depth == 0:
            return i + 1
    return len(text) + 1
