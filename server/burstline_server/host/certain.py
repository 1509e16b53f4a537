"""Names of a host program in C or C++ that have one value whenever it runs, and expressions of them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from tree_sitter import Node

from burstline_server.host.constants import MAX_DEPTH, Constants, declared, descendants, text_of

_CONDITIONS = {"preproc_if", "preproc_ifdef", "preproc_else", "preproc_elif", "preproc_elifdef"}
_INTEGER = re.compile(r"(?:0[xX][0-9a-fA-F]+|\d+)[uUlL]*\Z")
_REAL = re.compile(r"float|double|half")
_BOUND = re.compile(r"&\s*\w+\s*[=({]\s*(\w+)")
"""A reference in C++ that is bound to a name."""
_UNDEFINED = re.compile(r"^[ \t]*#[ \t]*undef[ \t]+(\w+)", re.MULTILINE)
_SET = re.compile(
    r"([A-Za-z_]\w*)\s*(?:\[[^\]]{0,200}\]\s*)?(?:(?:[-+*/%&|^]|<<|>>)?=(?!=)|\+\+|--)"
    r"|(?:\+\+|--|&|>>)\s*([A-Za-z_]\w*)|[(,]\s*([A-Za-z_]\w*)\s*(?=[,)])"
)
"""What the text of a macro sets, takes the address of, or gives to a function."""
EVERY = -1
"""The position of all arguments."""
KEEPS = re.compile(
    r"(?:\w+__)*(?:cl_*[A-Z]\w*|enqueue\w+|setArg|sizeof|[fs]?n?printf|malloc|calloc|memset|memcpy|exit)\Z"
)
"""Functions that change nothing of what they are called with by name."""
_TAKES_ADDRESS = re.compile(r"clSetKernelArg|clEnqueue\w+|setArg|enqueue\w+")


@dataclass(slots=True)
class CertainNames:
    """Finds expressions that have their value whenever the program runs: nothing in it may change them.

    `references`: a function may change what it is called with, as in C++, and as a macro may in C. A name means all
    variables of that name. What a condition of the preprocessor, a parameter, a loop, a stream, a macro, a function
    that has the address, another file or anything that is no constant may set is left out.
    """

    constants: Constants
    references: bool = True
    _uncertain: set[str] = field(default_factory=set)
    _fixed: set[str] = field(default_factory=set)
    _passed: dict[str, set[tuple[str, int]]] = field(default_factory=dict)
    _functions: set[str] = field(default_factory=set)
    _sure: dict[str, bool] = field(default_factory=dict)
    """The names that were asked for, once all texts are read."""
    _macros: dict[str, set[int]] = field(default_factory=dict)
    """Positions of the arguments that macros may set."""
    _defined: Counter[str] = field(default_factory=Counter)

    def read(self, root: Node, text: str) -> None:
        """Look at a text that the constants are of."""
        self._uncertain |= {match[1] for pattern in (_BOUND, _UNDEFINED) for match in pattern.finditer(text)}
        for node in descendants(root):
            self._uncertain |= set(self._changed(node))
            if node.type == "preproc_def":
                self._defined[text_of(node.child_by_field_name("name"))] += 1
            elif node.type == "init_declarator" and _is_fixed(node):
                self._fixed.add(declared(node))
            elif node.type == "function_declarator":
                self._functions.add(text_of(node.child_by_field_name("declarator")))
            elif node.type == "preproc_function_def":
                self._macros.setdefault(text_of(node.child_by_field_name("name")), set()).update(_set_positions(node))
            elif node.type == "call_expression":
                for name, function, position in _passed(node):
                    self._passed.setdefault(name, set()).add((function, position))

    def value(self, node: Node | None) -> int | None:
        """The value of an expression that has this one in every run; None else."""
        return self.constants.number(node) if node is not None and self._certain(node, 0) else None

    def _certain(self, node: Node, depth: int) -> bool:
        if depth > MAX_DEPTH:
            return False
        match node.type:
            case "number_literal":
                return _INTEGER.match(text_of(node)) is not None
            case "identifier":
                return self._is_certain(text_of(node), depth + 1)
            case "parenthesized_expression" | "binary_expression":
                return all(self._certain(one, depth + 1) for one in node.named_children)
            case "cast_expression":
                value = node.child_by_field_name("value")
                real = _REAL.search(text_of(node.child_by_field_name("type"))) is not None
                return value is not None and not real and self._certain(value, depth + 1)
            case _:
                return False

    def _is_certain(self, name: str, depth: int) -> bool:
        if name not in self._sure:
            self._sure[name] = False  # a circle of names ends
            self._sure[name] = self._has_one_value(name, depth)
        return self._sure[name]

    def _has_one_value(self, name: str, depth: int) -> bool:
        if name in self._uncertain or name in self.constants.changed:
            return False
        if name in self.constants.macros:
            value = self.constants.macros[name]
            once = self._defined[name] == 1 and name not in self.constants.written
            return once and value is not None and self._certain(value, depth)
        if name not in self._fixed and any(self._may_set(*one) for one in self._passed.get(name, ())):
            return False
        values = self.constants.written.get(name, [])
        return bool(values) and all(self._certain(one, depth) for one in values)

    def _may_set(self, function: str, position: int) -> bool:
        """Whether what is called so may set an argument: what is declared nowhere may be a macro, in C too."""
        if function in self._macros:
            return bool({position, EVERY} & self._macros[function])
        return self.references or function not in self._functions

    def _changed(self, node: Node) -> Iterator[str]:
        """The names that a node may give a value in some runs alone."""
        match node.type:
            case "parameter_declaration" | "field_declaration":
                yield from (text_of(n) for n in descendants(node) if n.type in {"identifier", "field_identifier"})
            case "preproc_def" | "preproc_function_def":
                if node.type != "preproc_def" or is_conditional(node):
                    yield text_of(node.child_by_field_name("name"))
                yield from _set_in(text_of(node.child_by_field_name("value"))) - set(_parameters(node))
            case "init_declarator":
                open_to_others = node.parent is not None and not _is_inside(node) and not _is_fixed(node, "static")
                real = node.parent is not None and _REAL.search(text_of(node.parent.child_by_field_name("type")))
                if open_to_others or real or is_conditional(node):
                    yield declared(node)
            case "assignment_expression":
                left = node.child_by_field_name("left")
                if left is not None and (left.type != "identifier" or is_conditional(node)):
                    yield from (text_of(n) for n in descendants(left) if n.type in {"identifier", "field_identifier"})
            case "pointer_expression" if not _is_handed_over(node):
                yield from (text_of(n) for n in node.named_children if n.type == "identifier")
            case "binary_expression" if text_of(node.child_by_field_name("operator")) == ">>":
                right = node.child_by_field_name("right")
                yield text_of(right) if right is not None and right.type == "identifier" else ""
            case "ERROR":
                yield from (text_of(n) for n in node.named_children if n.type == "identifier")
            case _:
                pass


def is_conditional(node: Node) -> bool:
    """Whether a condition of the preprocessor decides about a node, other than the one around a whole header."""
    at = node.parent
    while at is not None:
        if at.type in _CONDITIONS and not _is_guard(at):
            return True
        at = at.parent
    return False


def _is_guard(condition: Node) -> bool:
    """Whether a condition is ``#ifndef NAME`` with ``#define NAME`` as its first line, which has no value."""
    name = condition.child_by_field_name("name")
    first = next((n for n in condition.named_children if n.type.startswith("preproc_def")), None)
    plain = text_of(condition).startswith("#ifndef") and first is not None
    return (
        plain
        and first is not None
        and first.child_by_field_name("value") is None
        and text_of(first.child_by_field_name("name")) == text_of(name)
    )


def _is_fixed(declarator: Node, *more: str) -> bool:
    """Whether a declaration says that what it declares is constant, or one of `more`."""
    words = {"const", "constexpr", *more}
    return declarator.parent is not None and any(text_of(one) in words for one in declarator.parent.children)


def _is_inside(node: Node) -> bool:
    """Whether a node is in a function."""
    at = node.parent
    while at is not None and at.type != "function_definition":
        at = at.parent
    return at is not None


def _is_handed_over(address: Node) -> bool:
    """Whether an address goes to a function of the interface that only reads what is there."""
    if not text_of(address).startswith("&"):
        return False
    at = address.parent
    while at is not None and at.type in {"cast_expression", "parenthesized_expression", "argument_list"}:
        at = at.parent
    called = at.child_by_field_name("function") if at is not None and at.type == "call_expression" else None
    return called is not None and _TAKES_ADDRESS.fullmatch(last_name(called)) is not None


def last_name(function: Node) -> str:
    """The name of a function, of its member where it is one of an object."""
    return text_of(function.child_by_field_name("field")) or text_of(function)


def _passed(call: Node) -> Iterator[tuple[str, str, int]]:
    """The names that a call is given as they are, each with the function and position, where that may change them."""
    function, given = call.child_by_field_name("function"), call.child_by_field_name("arguments")
    if function is None or given is None or KEEPS.match(last_name(function)) is not None:
        return
    arguments = (one for one in given.named_children if one.type != "comment")
    yield from ((text_of(one), text_of(function), at) for at, one in enumerate(arguments) if one.type == "identifier")


def _parameters(macro: Node) -> list[str]:
    parameters = macro.child_by_field_name("parameters")
    return [text_of(one) for one in parameters.named_children] if parameters is not None else []


def _set_in(text: str) -> set[str]:
    return {name for match in _SET.finditer(text) for name in match.groups() if name}


def _set_positions(macro: Node) -> set[int]:
    """The positions of the arguments that a macro may set."""
    parameters, text = _parameters(macro), text_of(macro.child_by_field_name("value"))
    if "##" in text or "..." in text_of(macro.child_by_field_name("parameters")):
        return {EVERY}
    changed = _set_in(text)
    return {at for at, name in enumerate(parameters) if name in changed}


@dataclass(slots=True)
class Settings:
    """What a host sets arguments of kernels to, by the expression that holds the kernel."""

    made: dict[str, set[str]] = field(default_factory=dict)
    """The kernels that an expression is made to hold."""
    given_away: set[str] = field(default_factory=set)
    """Expressions whose kernel something else may hold, or change, too."""
    set_to: dict[str, list[tuple[int | None, int | None, int]]] = field(default_factory=dict)
    """Position, value and line; None where these are not known."""
    named: Counter[str] = field(default_factory=Counter)
    """How often a text is written as a string, and how often a kernel is made of it."""
    used: Counter[str] = field(default_factory=Counter)

    def look_at(self, node: Node) -> None:
        """Count what a node does to the expressions that hold kernels."""
        match node.type:
            case "string_literal":
                self.named[text_of(node).strip('"')] += 1
            case "init_declarator" | "assignment_expression":
                value = node.child_by_field_name("value") or node.child_by_field_name("right")
                holder = declared(node) or text_of(node.child_by_field_name("left"))
                self.given_away.add(text_of(value))
                if value is not None and value.type != "call_expression" and text_of(value) not in _NOTHING:
                    self.given_away.add(holder)
            case "pointer_expression":
                self.given_away |= {text_of(one) for one in node.named_children}
            case "call_expression":
                self.given_away |= {name for name, _, _ in _passed(node)}
            case "return_statement" | "initializer_list":
                self.given_away |= {text_of(one) for one in node.named_children}
            case _:
                pass

    def fixed(self, kernel: str) -> tuple[dict[int, tuple[int, int]], int]:
        """Each position of a kernel's arguments that has one value in all runs: that and its line; how many it has."""
        holders = [one for one, names in self.made.items() if kernel in names]
        unclear = self.named[kernel] != self.used[kernel] or any(
            self.made[one] != {kernel} or one in self.given_away for one in holders
        )
        mine = [one for holder in holders for one in self.set_to.get(holder, ())]
        if unclear or not mine or any(at is None for at, _, _ in mine):
            return {}, 0
        strange = [one for holder, all_ in self.set_to.items() if holder not in self.made for one in all_]
        found: dict[int, tuple[int, int]] = {}
        for position in {at for at, _, _ in mine if at is not None}:
            values = {value for at, value, _ in (*mine, *strange) if at in {position, None}}
            value = next(iter(values))
            if len(values) == 1 and value is not None:
                found[position] = value, next(line for at, _, line in mine if at == position)
        return found, max(at for at, _, _ in mine if at is not None) + 1


_NOTHING = {"NULL", "0", "nullptr"}
