"""A loop's body over vectors: what moves becomes a vector, what stays remains a scalar."""

from __future__ import annotations

import re

from tree_sitter import Node

from burstline_model.facts import Access, Loop
from burstline_model.record import fixed
from burstline_server.assessment.costing import KernelAssessment
from burstline_server.rewrites.legality.effects import Effects, inside
from burstline_server.rewrites.legality.exact_places import require_exact
from burstline_server.rewrites.legality.heads import function_around
from burstline_server.rewrites.rewrite import NotOfferedError, TextEdit
from burstline_server.rewrites.syntax import SourceNode, plain_type, written

_INTEGERS = {"char", "uchar", "short", "ushort", "int"}
_SCALARS = {
    "int": _INTEGERS,
    "uint": {*_INTEGERS, "uint"},
    "long": {*_INTEGERS, "uint", "long"},
    "ulong": {*_INTEGERS, "uint", "long", "ulong", "size_t"},
    "float": {*_INTEGERS, "uint", "long", "ulong", "size_t", "float"},
    "double": {*_INTEGERS, "uint", "long", "ulong", "size_t", "float", "double"},
}
"""Scalars that an operation with a vector of a type converts as it would with one element."""
_OPERATORS = {"+", "-", "*", "/"}
_BITWISE = {"%", "&", "|", "^", "<<", ">>"}
_ELEMENTWISE = {
    "float": {"fabs", "fmin", "fmax", "min", "max", "clamp", "floor", "ceil", "trunc", "rint", "round", "fma", "mad",
              "sqrt", "copysign"},
    "int": {"min", "max", "clamp"},
}  # fmt: skip
"""Built-ins that give each element what they give a scalar, to the last bit."""
READS, WRITES = ({f"{word}_channel_{vendor}" for vendor in ("intel", "altera")} for word in ("read", "write"))
_LITERAL = re.compile(r"(\d+|0[xX][0-9a-fA-F]+)|((?:\d+\.\d*|\.\d+|\d+(?=[eEfF]))(?:[eE][-+]?\d+)?)([fF]?)")
_LARGEST_INT = 2**31 - 1


@fixed
class Streams:
    """The channels whose items become vectors: their names, and the type of an item."""

    names: frozenset[str]
    type: str


class Widened:
    """The edits that turn the body of a loop over `counter` into one over `lanes` neighbours.

    `one_by_one` are those of the same loop for the neighbours that are left over, where channels carry vectors: each
    takes one, of which the first element counts.
    """

    def __init__(
        self, kernel: KernelAssessment, loop: Loop, body: SourceNode, types: dict[str, str], lanes: int, counter: str,
        streams: Streams | None = None,
    ) -> None:  # fmt: skip
        self.streams, self.one_by_one = streams, list[TextEdit]()
        self.facts, self.loop, self.body, self.lanes, self.counter = kernel.facts, loop, body, lanes, counter
        self.types, self.effects = types, Effects(body.source)
        self.places: dict[tuple[int, int], list[Access]] = {}
        for access in self.facts.accesses:
            # A load whose place does not change is carried out in front of the loop, but is written in it.
            written = loop.body.start <= access.span.start and access.span.end <= loop.body.end
            if loop.id in access.loops or (written and access.span.file == loop.body.file):
                self.places.setdefault((access.span.start, access.span.end), []).append(access)
        require_exact(body.source, self.facts, [a for found in self.places.values() for a in found])
        moving = {plain_type(a.type) for found in self.places.values() for a in found if self._step(a)}
        moving |= {streams.type} if streams is not None else set()
        if len(moving) != 1:
            raise NotOfferedError("mixed_types")
        self.type = moving.pop()
        if self.type not in _SCALARS:
            raise NotOfferedError("no_such_vectors", self.type)
        self.vectors: set[str] = set()
        self.found: list[TextEdit] = []

    def edits(self) -> list[TextEdit]:
        """The edits; raises `NotOfferedError`."""
        self._statement(self.body.node)
        return self.found

    # -- statements ----------------------------------------------------------------------------------

    def _statement(self, node: Node) -> None:
        inside = [c for c in node.named_children if c.type != "comment"]
        if node.type == "compound_statement":
            outside = set(self.vectors)
            for child in inside:
                self._statement(child)
            self.vectors = outside
        elif node.type == "declaration":
            self._declaration(node)
        elif node.type == "expression_statement" and len(inside) == 1 and inside[0].type == "assignment_expression":
            self._assignment(inside[0])
        elif node.type == "expression_statement" and len(inside) == 1 and self._is_sent(inside[0]):
            self._sent(inside[0])
        else:
            raise NotOfferedError("body_not_plain")

    def _is_sent(self, node: Node) -> bool:
        return node.type == "call_expression" and self.effects.called(node) in WRITES

    def _sent(self, node: Node) -> None:
        value = self._channel(node, 2)[1]
        place = self._written(value)
        if not self._expression(value):
            self._around(self.found, place)
        self._around(self.one_by_one, place)

    def _around(self, edits: list[TextEdit], place: SourceNode) -> None:
        """A vector with a value in each element."""
        edits += [
            TextEdit(place.start, place.start, f"({self.type}{self.lanes})("),
            TextEdit(place.end, place.end, ")"),
        ]

    def _channel(self, call: Node, count: int) -> list[Node]:
        """The arguments of an operation on a channel."""
        arguments = call.child_by_field_name("arguments")
        given = [c for c in arguments.named_children if c.type != "comment"] if arguments is not None else []
        if self.streams is None or len(given) != count or self._identifier(given[0]) not in self.streams.names:
            raise NotOfferedError("has_channel")
        return given

    def _declaration(self, node: Node) -> None:
        type_ = node.child_by_field_name("type")
        if type_ is None or plain_type(self._identifier(type_)) != self.type:
            raise NotOfferedError("declares_other_type", self.type)
        self._replace(type_, f"{self.type}{self.lanes}")
        for declarator in node.children_by_field_name("declarator"):
            name, value = (declarator.child_by_field_name(n) for n in ("declarator", "value"))
            if name is None or value is None or name.type != "identifier":
                raise NotOfferedError("declares_other_type", self.type)
            self._expression(value)
            self.vectors.add(self._identifier(name))

    def _assignment(self, node: Node) -> None:
        left, right, sign = (node.child_by_field_name(n) for n in ("left", "right", "operator"))
        if left is None or right is None or sign is None:
            raise NotOfferedError("assignment_incomplete")
        operator = sign.type[:-1]
        if operator and operator not in self._operators():
            raise NotOfferedError("no_vector_operation", sign.type, self.type)
        is_vector = self._expression(right)
        if left.type == "identifier" and self._identifier(left) in self.vectors:
            return
        if left.type == "identifier" and not operator and self._is_made_here(left, right):
            start = self._written(left).start
            self.found.append(TextEdit(start, start, f"{self.type}{self.lanes} "))
            self.vectors.add(self._identifier(left))
            return
        if not any(a.op == "store" for a in self._moving(left)):
            raise NotOfferedError("not_next_element")
        place = self._text(left)
        between = self.body.source.text[left.end_byte : right.start_byte].decode("utf-8", "replace")
        if between.strip() != sign.type:
            raise NotOfferedError("comment_in_assignment")
        before = f"vload{self.lanes}(0, &{place}) {operator} (" if operator else ""
        after = ")" if operator else ""
        if not is_vector and not operator:
            before, after = f"({self.type}{self.lanes})(", ")"
        start, value = self._written(left).start, self._written(right)
        self.found += [
            TextEdit(start, value.start, f"vstore{self.lanes}({before}"),
            TextEdit(value.end, value.end, f"{after}, 0, &{place})"),
        ]

    def _is_made_here(self, left: Node, right: Node) -> bool:
        """Whether an assignment makes a value of the iteration, in a variable that nothing outside the loop uses."""
        name, statement = self._identifier(left), left.parent.parent if left.parent is not None else None
        outer = statement.parent if statement is not None else None
        if self.types.get(name) != self.type or outer != self.body.node or outer is None:
            return False
        function, loop = function_around(outer), outer.parent
        if function is None or loop is None or name in self.effects.reads(right):
            return False
        named = (n for n in inside(function) if n.type == "identifier" and self.effects.text(n) == name)
        used = sorted(named, key=lambda n: n.start_byte)
        within = [n for n in used if loop.start_byte <= n.start_byte < loop.end_byte]
        outside = [n for n in used if n not in within]
        place = _declaration(outside[0]) if len(outside) == 1 else None
        return place is not None and not self.effects.qualifiers(place) and within[0] == left

    # -- expressions: whether the value is a vector --------------------------------------------------------

    def _expression(self, node: Node) -> bool:
        match node.type:
            case "number_literal" if self._fits(self._identifier(node)):
                return False
            case "identifier":
                return self._name(self._identifier(node))
            case "parenthesized_expression":
                inside = [c for c in node.named_children if c.type != "comment"]
                return self._expression(inside[0])
            case "unary_expression":
                return self._unary(node)
            case "binary_expression":
                return self._binary(node)
            case "subscript_expression":
                return self._place(node)
            case "call_expression" if self.effects.called(node) in READS:
                self._channel(node, 1)
                end = self._written(node).end
                self.one_by_one.append(TextEdit(end, end, ".s0"))
                return True
            case "call_expression":
                return self._call(node)
            case _:
                raise NotOfferedError("not_elementwise", self._text(node))

    def _fits(self, text: str) -> bool:
        match = _LITERAL.fullmatch(text)
        if match is None:
            return False
        if match[1]:
            return int(match[1], 16 if match[1][:2] in {"0x", "0X"} else 10) <= _LARGEST_INT
        return self.type == "double" or (self.type == "float" and bool(match[3]))

    def _name(self, name: str) -> bool:
        if name in self.vectors:
            return True
        if name == self.counter or self.types.get(name) not in _SCALARS[self.type]:
            raise NotOfferedError("no_such_scalar", name, self.type)
        return False

    def _unary(self, node: Node) -> bool:
        operator, argument = node.child_by_field_name("operator"), node.child_by_field_name("argument")
        whole = self.type not in {"float", "double"}
        if argument is None or operator is None or operator.type not in ({"-", "+", "~"} if whole else {"-", "+"}):
            raise NotOfferedError("not_elementwise", self._text(node))
        return self._expression(argument)

    def _binary(self, node: Node) -> bool:
        left, right, sign = (node.child_by_field_name(n) for n in ("left", "right", "operator"))
        if left is None or right is None or sign is None or sign.type not in self._operators():
            raise NotOfferedError("not_elementwise", self._text(node))
        first, second = self._expression(left), self._expression(right)
        if sign.type in {"<<", ">>"} and second and not first:
            raise NotOfferedError("shifts_scalar", self._text(node))
        return first or second

    def _operators(self) -> set[str]:
        return _OPERATORS if self.type in {"float", "double"} else _OPERATORS | _BITWISE

    def _call(self, node: Node) -> bool:
        function, arguments = node.child_by_field_name("function"), node.child_by_field_name("arguments")
        known = _ELEMENTWISE["float" if self.type in {"float", "double"} else "int"]
        if function is None or arguments is None or self._identifier(function) not in known:
            raise NotOfferedError("no_elementwise_builtin", self._text(node))
        given = [c for c in arguments.named_children if c.type != "comment"]
        vectors = [self._expression(c) for c in given]
        if not any(vectors):
            raise NotOfferedError("without_elements", self._text(node))
        for argument, is_vector in zip(given, vectors, strict=True):
            if not is_vector:
                self._replace(argument, f"({self.type}{self.lanes})({self._text(argument)})")
        return True

    def _place(self, node: Node) -> bool:
        if self._moving(node):
            self._replace(node, f"vload{self.lanes}(0, &{self._text(node)})")
            return True
        if any(plain_type(a.type) not in _SCALARS[self.type] for a in self._accesses(node)):
            raise NotOfferedError("other_type", self._text(node))
        return False

    # -- places --------------------------------------------------------------------------------------------

    def _accesses(self, node: Node) -> list[Access]:
        place = self._written(node)
        found = self.places.get((place.start, place.end), [])
        names = self.effects.reads(node)
        if not found or names & self.vectors or not self.effects.pure(node):
            raise NotOfferedError("index_computed", place.text)
        if any(a.volatile or a.hint or a.space not in {"global", "constant"} or a.offset is None for a in found):
            raise NotOfferedError("not_plain_memory", place.text)
        return found

    def _moving(self, node: Node) -> list[Access]:
        """The accesses at a node, where they move to the next element; none where they stay."""
        return [a for a in self._accesses(node) if self._step(a)]

    def _step(self, access: Access) -> int:
        """Elements that an access moves by from one iteration to the next: one or none."""
        offset, place = access.offset, f"{access.pointer}[{access.index}]"
        step = offset.coefficient(self.loop.counter) if offset is not None else None
        if offset is None or step is None:
            raise NotOfferedError("unknown_place", place)
        others = [s for n in offset.symbols if n != self.loop.counter and (s := self.facts.symbols.get(n)) is not None]
        if any(self.loop.counter in s.depends_on for s in others):
            raise NotOfferedError("uneven_steps", place)
        if step.constant not in {0, access.element_bytes} or access.element_bytes != access.scalar_bytes:
            raise NotOfferedError("does_not_advance", place)
        return 1 if step.constant else 0

    def _replace(self, node: Node, text: str) -> None:
        place = self._written(node)
        self.found.append(TextEdit(place.start, place.end, text))

    def _text(self, node: Node) -> str:
        return self._written(node).text

    def _identifier(self, node: Node) -> str:
        return self._written(node).expanded

    def _written(self, node: Node) -> SourceNode:
        one = written(self.body.source, node)
        if one is None:
            raise NotOfferedError("macro_in_it")
        return one


def _declaration(name: Node) -> Node | None:
    """The declaration that declares a plain variable of this name; None where it is used otherwise."""
    at = name.parent
    if at is not None and at.type == "init_declarator" and at.child_by_field_name("declarator") == name:
        at = at.parent
    return at if at is not None and at.type in {"declaration", "parameter_declaration"} else None
