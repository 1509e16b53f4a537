"""Integers and arrays of integers that a host program in C or C++ writes down."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

import tree_sitter
import tree_sitter_c
from tree_sitter import Node

MAX_DEPTH = 40
"""Longest chain of names, and deepest nesting of an expression, that is followed."""
MAX_MACRO = 200
"""Longest text of a macro that may be a number."""
MAX_VALUE = 1 << 40
_NAME = re.compile(r'"(\w+)"')
_TEXT = re.compile(r"\w+\.(?:c_str|data)")
_NUMBER = re.compile(r"(0[xX][0-9a-fA-F]+|0[bB][01]+|0|[1-9]\d*)[uUlL]*\Z")
_ROUND = re.compile(r"(\d+)\.0*[fF]?\Z|(\d+)[eE]([0-9]{1,2})[fF]?\Z")


@dataclass(slots=True)
class Constants:
    """Names of a text with what they are initialised with.

    A name with two different values has none, nor has one that an operator changes, or that is set to what is not
    written down, whatever happens. What is set under a condition alone, as from the command line, leaves the default.
    A 0 that another function may set is no default, but a place to put the value.
    """

    written: dict[str, list[Node]] = field(default_factory=dict)
    elements: dict[str, dict[int, Node]] = field(default_factory=dict)
    changed: set[str] = field(default_factory=set)
    macros: dict[str, Node | None] = field(default_factory=dict)
    computed: dict[str, list[Node]] = field(default_factory=dict)
    """What names are set to without a condition."""
    handed_over: set[str] = field(default_factory=set)
    """Names whose address a function other than OpenCL's gets."""
    known: dict[str, int | None] = field(default_factory=dict)
    """Values of names that were asked for; None while one is being looked for, so that a circle ends."""

    def read(self, root: Node) -> None:
        """Add what a text declares, defines and assigns."""
        for node in descendants(root):
            match node.type:
                case "preproc_def":
                    self._defined(text_of(node.child_by_field_name("name")), node.child_by_field_name("value"))
                case "init_declarator":
                    self._initialised(declared(node), node.child_by_field_name("value"))
                case "update_expression":
                    self.changed.add(text_of(node.child_by_field_name("argument")))
                case "assignment_expression":
                    self._assigned(node)
                case "call_expression" if not text_of(node.child_by_field_name("function")).startswith("cl"):
                    self.handed_over |= set(_addresses(node))
                case _:
                    pass

    def _defined(self, name: str, value: Node | None) -> None:
        if value is not None and name not in self.macros and len(text := text_of(value)) <= MAX_MACRO:
            self.macros[name] = next((n for n in descendants(parsed(f"x = {text}\n;".encode())) if _is_right(n)), None)

    def _initialised(self, name: str, value: Node | None) -> None:
        if name and value is not None:
            self.written.setdefault(name, []).append(value)

    def _assigned(self, node: Node) -> None:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        operator = node.child_by_field_name("operator")
        if left is None or right is None:
            return
        if text_of(operator) != "=":
            self.changed.add(text_of(left))
        elif left.type == "identifier":
            self.written.setdefault(text_of(left), []).append(right)
            if not _is_chosen(node):
                self.computed.setdefault(text_of(left), []).append(right)
        elif left.type == "subscript_expression":
            array, index = left.child_by_field_name("argument"), self.number(left.child_by_field_name("index"))
            if array is not None and index is not None:
                self.elements.setdefault(text_of(array), {}).setdefault(index, right)

    def number(self, node: Node | None, depth: int = 0) -> int | None:
        """The value of an expression; None where it is not written down."""
        if node is None or depth > MAX_DEPTH:
            return None
        match node.type:
            case "number_literal":
                return literal(text_of(node))
            case "identifier":
                return self.named(text_of(node), depth + 1)
            case "parenthesized_expression":
                return self.number(node.named_children[0] if node.named_children else None, depth + 1)
            case "cast_expression":
                return self.number(node.child_by_field_name("value"), depth + 1)
            case "binary_expression":
                left = self.number(node.child_by_field_name("left"), depth + 1)
                right = self.number(node.child_by_field_name("right"), depth + 1)
                return None if left is None or right is None else combined(_operator(node), left, right)
            case _:
                return None

    def named(self, name: str, depth: int = 0) -> int | None:
        """The value of a name; None without one value."""
        if name not in self.known:
            self.known[name] = None
            self.known[name] = None if name in self.changed else self._named(name, depth)
        return self.known[name]

    def _named(self, name: str, depth: int) -> int | None:
        if name in self.macros:
            return self.number(self.macros[name], depth + 1)
        if any(self.number(node, depth + 1) is None for node in self.computed.get(name, ())):
            return None
        values = {self.number(node, depth + 1) for node in self.written.get(name, ())} - {None}
        value = values.pop() if len(values) == 1 else None
        return None if value == 0 and name in self.handed_over else value

    def string(self, node: Node | None, depth: int = 0) -> str:
        """The name that an expression has as its text, by a constant or an element of an array; empty without one."""
        if node is None or depth > MAX_DEPTH:
            return ""
        values: list[Node | None] = []
        match node.type:
            case "string_literal":
                match = _NAME.fullmatch(text_of(node))
                return match[1] if match is not None else ""
            case "identifier":
                name = text_of(node)
                values += self.written.get(name, ()) if name not in self.changed else ()
                values += [self.macros[name]] if name in self.macros else []
            case "subscript_expression":
                at, name = self.number(node.child_by_field_name("index")), text_of(node.child_by_field_name("argument"))
                lists = [one for one in self.written.get(name, ()) if one.type == "initializer_list"]
                own = [[one for one in list_.named_children if one.type != "comment"] for list_ in lists]
                values += [each[at] if at is not None and 0 <= at < len(each) else None for each in own]
            case "call_expression" if (function := node.child_by_field_name("function")) is not None:
                values += [function.child_by_field_name("argument")] if _TEXT.fullmatch(text_of(function)) else []
            case _:
                return ""
        found = {self.string(one, depth + 1) for one in values}
        return found.pop() if len(found) == 1 else ""

    def sizes(self, node: Node | None, dimensions: int | None, depth: int = 0) -> tuple[int, ...] | None:
        """Sizes by dimension: an array, the address of a number, or numbers in braces."""
        if node is None or depth > MAX_DEPTH:
            return None
        match node.type:
            case "cast_expression" | "compound_literal_expression" | "parenthesized_expression":
                return self.sizes(node.named_children[-1] if node.named_children else None, dimensions, depth + 1)
            case "pointer_expression":
                return self._whole([self.number(node.child_by_field_name("argument"))], dimensions)
            case "initializer_list":
                values = [self.number(child) for child in node.named_children if child.type != "comment"]
                return self._whole(values, dimensions)
            case "identifier":
                return self._array(text_of(node), dimensions, depth)
            case _:
                return None

    def _array(self, name: str, dimensions: int | None, depth: int) -> tuple[int, ...] | None:
        elements = self.elements.get(name)
        if elements:
            return self._whole([self.number(elements.get(at)) for at in range(max(elements) + 1)], dimensions)
        lists = [n for n in self.written.get(name, ()) if n.type == "initializer_list"]
        found = {self.sizes(node, dimensions, depth + 1) for node in lists}
        return found.pop() if len(found) == 1 else None

    @staticmethod
    def _whole(values: list[int | None], dimensions: int | None) -> tuple[int, ...] | None:
        known = [value for value in values[:dimensions] if value is not None]
        return tuple(known) if 0 < len(known) == len(values[:dimensions]) <= 3 and min(known) > 0 else None


def _is_chosen(node: Node) -> bool:
    """Whether a condition decides whether a statement is done; all of it is in one function."""
    around = node.parent
    while around is not None and around.type != "function_definition":
        if around.type in {"if_statement", "case_statement", "conditional_expression", "preproc_if", "preproc_ifdef"}:
            return True
        around = around.parent
    return False


def _addresses(call: Node) -> Iterator[str]:
    """The names whose addresses a call passes."""
    arguments = call.child_by_field_name("arguments")
    for one in arguments.named_children if arguments is not None else ():
        if one.type == "pointer_expression" and text_of(one).startswith("&"):
            yield text_of(one.child_by_field_name("argument"))


def literal(text: str) -> int | None:
    """The value of a number as it is written; floating point only where it is whole."""
    if (match := _NUMBER.match(text)) is not None:
        return int(match[1], 0)
    if (match := _ROUND.match(text)) is not None:
        return int(match[1]) if match[1] else int(match[2]) * 10 ** int(match[3])
    return None


def combined(operator: str, left: int, right: int) -> int | None:
    """A binary operator of C on two integers; None where it has no value, or one too large to be a size."""
    match operator:
        case "+":
            value = left + right
        case "-":
            value = left - right
        case "*":
            value = left * right
        case "/" | "%" if right == 0 or left < 0 or right < 0:
            return None
        case "/":
            value = left // right
        case "%":
            value = left % right
        case "<<" if 0 <= right < 40:
            value = left << right
        case ">>" if 0 <= right < 64:
            value = left >> right
        case _:
            return None
    return value if abs(value) <= MAX_VALUE else None


def descendants(root: Node) -> Iterator[Node]:
    """All named nodes, in the order of the text."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += reversed(node.named_children)


def declared(node: Node) -> str:
    """The name that a declarator declares; empty where there is none."""
    inner = node.child_by_field_name("declarator")
    while inner is not None and inner.type != "identifier":
        inner = inner.child_by_field_name("declarator")
    return text_of(inner)


def text_of(node: Node | None) -> str:
    """The text of a node; empty without one."""
    return (node.text or b"").decode("utf-8", "replace") if node is not None else ""


def parsed(text: bytes) -> Node:
    """The syntax of a text in C."""
    return tree_sitter.Parser(tree_sitter.Language(tree_sitter_c.language())).parse(text).root_node


def _is_right(node: Node) -> bool:
    """Whether a node is the right side of an assignment."""
    parent = node.parent
    return parent is not None and parent.type == "assignment_expression" and parent.child_by_field_name("right") == node


def _operator(node: Node) -> str:
    return text_of(node.child_by_field_name("operator"))
