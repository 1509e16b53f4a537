"""A file's functions as generated code, compiled when they are first called."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import CodeType
from typing import Any

from tree_sitter import Node

from burstline_server.analysis.nodes import previous_end, text_of
from burstline_server.analysis.outline import identifier
from burstline_server.analysis.pragmas import attributes, pack_at
from burstline_server.analysis.types import TypeTable
from burstline_server.interpreter.arithmetic import open_functions
from burstline_server.interpreter.builtin_items import SUSPENDING
from burstline_server.interpreter.code import RUNTIME, Expr, converted
from burstline_server.interpreter.compile_calls import literal
from burstline_server.interpreter.compile_expressions import expression
from burstline_server.interpreter.compile_statements import statement
from burstline_server.interpreter.function import Function, Parameter
from burstline_server.interpreter.initializers import filled, length_of
from burstline_server.interpreter.kinds import VOID, Array, Kind, Pointer, Record, Scalar, Vector, kind_of
from burstline_server.interpreter.made_up import made_up
from burstline_server.interpreter.promises import Watch
from burstline_server.interpreter.run import Ends, Turns
from burstline_server.interpreter.verdicts import NotExecutableError
from burstline_server.interpreter.writer import Variable, Writer, operands, part, sign_of
from burstline_server.source.source import Note, Source

_DEPTH = re.compile(r"\bdepth\s*\(\s*(\d+)\s*\)")
_STANDARD = re.compile(r"(?:M|FLT|DBL|HALF|CL|CLK|ATOMIC|memory)_\w+|__\w+")
_CALLED = re.compile(r"[A-Za-z_]\w*(?=\s*\()")


NOTHING_OPEN = (0, 0, 0)
ALL_OPEN = (3, 0x41, 5)
"""Other values for what C leaves open: where results differ with them, a kernel has none of its own."""


class Program:
    """The functions of a source that can be executed. Raises `NotExecutableError` for what cannot.

    `before`: the program of the text that was edited. Names that no text defines, and that the compiler's command line
    may give, are those of that one.
    """

    def __init__(self, source: Source, watch: Watch | None = None, before: Program | None = None) -> None:
        self.source = source
        self._before, self._undefined = before, set[str]()
        self.watch = watch
        self.watched: frozenset[int] = watch.loops if watch is not None else frozenset()
        """Where the loops begin whose turns are watched."""
        self.terms: frozenset[tuple[int, int]] = watch.terms if watch is not None else frozenset()
        """The operations whose terms are watched."""
        self.inexact = False
        """Whether anything is computed whose last digits a device chooses."""
        self.turns = Turns()
        self.types = TypeTable(self._constant, self._attributes, lambda offset: pack_at(source, offset))
        self._nodes: dict[str, Node] = {}
        self._variables: dict[str, tuple[Node, Node]] = {}
        self._known: dict[str, Variable] = {}
        self._functions: dict[str, Function] = {}
        self._making: set[str] = set()
        self._suspending: dict[str, bool] = {}
        self.fill = [*NOTHING_OPEN]
        """What is read where C leaves it open: uninitialised variables, bytes of arrays, reals beyond an integer."""
        self.dimensions = 0
        """How many dimensions of the launch the functions compiled so far ask for; 0: they run as one work-item."""
        self._names: dict[str, Any] = {"T": self.turns, "FILL": self.fill}
        self._counts = [0, 0]
        self._outer = self._current = Writer(self, self.types)
        for node in source.tree.root_node.named_children:
            self._item(node)

    def _item(self, node: Node) -> None:
        if node.type == "function_definition":
            name = identifier(node.child_by_field_name("declarator"))
            if name is not None:
                self._nodes[text_of(name)] = node
        elif node.type == "type_definition":
            self.types.declare_typedef(node)
        elif node.type in {"struct_specifier", "union_specifier", "enum_specifier"}:
            self.types.specifier(node)
        elif node.type == "declaration":
            self.types.base(node)
            for declarator in node.children_by_field_name("declarator"):
                name = identifier(declarator)
                if name is not None:
                    self._variables[text_of(name)] = node, declarator
        elif node.type in {"linkage_specification", "declaration_list"}:
            for inner in node.named_children:
                self._item(inner)

    def value(self, w: Writer, node: Node) -> Expr:
        """The code of an expression."""
        return expression(w, node)

    def vector(self, w: Writer, kind: Vector, *nodes: Node) -> Expr:
        """The code of a vector from its parts."""
        return literal(w, kind, *nodes)

    def has_function(self, name: str) -> bool:
        """Whether the text defines a function."""
        return name in self._nodes

    def defines(self, name: str) -> bool:
        """Whether a name that the text does not define may be one of the compiler's command line."""
        known = self._before is None or name in self._before._undefined
        if not known or _STANDARD.fullmatch(name) is not None:
            return False
        self._undefined.add(name)
        return True

    def next_shared(self) -> int:
        """A number for a variable of a work-group."""
        self._counts[0] += 1
        return self._counts[0]

    def next_barrier(self) -> int:
        """A number for a barrier."""
        self._counts[1] += 1
        return self._counts[1]

    def file_scope(self, name: str) -> Variable | None:
        """A variable or channel at file scope."""
        if name not in self._known and name in self._variables:
            self._known[name] = self._file_scope(name, *self._variables[name])
        return self._known.get(name)

    def _file_scope(self, name: str, node: Node, declarator: Node) -> Variable:
        _, type_ = self.types.declared(declarator, self.types.base(node))
        notes = self.source.notes_in(previous_end(node), node.end_byte)
        if any(n.kind == "channel" for n in notes):
            while type_.kind == "array" and type_.element is not None:
                type_ = type_.element
            self._channel(name, kind_of(type_), notes)
            return Variable(kind_of(type_), "channel", name)
        if declarator.type != "init_declarator":
            raise NotExecutableError("name", name)
        values = part(declarator, "value")
        if type_.kind == "array" and type_.count is None and type_.element is not None:
            kind: Kind = Array(kind_of(type_.element), length_of(self._outer, values))
        else:
            kind = kind_of(type_)
        if isinstance(kind, Scalar):
            known = converted(self.value(self._outer, values), kind)
            if known.const is not None:
                return Variable(kind, "value", name, known)
        made = f"g{len(self._known)}"
        code = filled(self._outer, made, 0, kind, values)
        lines = "\n".join((f"{made} = Block({kind.size}, {made!r})", *code))
        self._run(compile(lines, "<file scope>", "exec"))
        return Variable(kind, "block", made)

    def _channel(self, name: str, kind: Kind, notes: Sequence[Note]) -> None:
        depth = _DEPTH.search(" ".join(n.text for n in notes if n.kind == "attribute"))
        self.turns.declare(name, Ends(int(depth[1]) if depth else 0, lambda number: made_up(kind, number)))

    def _run(self, code: CodeType) -> None:
        self._names |= RUNTIME | open_functions(self.fill)
        if self.watch is not None:
            self._names |= self.watch.functions()
        exec(code, self._names)  # noqa: S102 -- code of our own over numbers, without Python's built-in functions

    def function(self, name: str) -> Function:
        """A function, compiled."""
        if name in self._functions:
            return self._functions[name]
        if name in self._making:
            raise NotExecutableError("recursion", name)
        if name not in self._nodes:
            raise NotExecutableError("no_kernel", name)
        self._making.add(name)
        try:
            made = self._functions[name] = self._compiled(name, self._nodes[name])
        except RecursionError:
            raise NotExecutableError("size", name) from None
        finally:
            self._making.discard(name)
        return made

    def called(self, name: str) -> Callable[..., Any]:
        """The Python function of a compiled one."""
        found: Callable[..., Any] = self._names[self.function(name).code]
        return found

    @contextmanager
    def replaced(self, functions: Mapping[str, Any]) -> Iterator[None]:
        """Other functions under names that generated code uses, for a while; kernels must be compiled before."""
        before = {name: self._names[name] for name in functions}
        self._names |= functions
        try:
            yield
        finally:
            self._names |= before

    def _compiled(self, name: str, node: Node) -> Function:
        if node.has_error:
            raise NotExecutableError("syntax", name)
        body = part(node, "body")
        addressed, assigned = _uses(body)
        w = Writer(self, self.types.copy(), addressed, assigned, suspends=self._suspends(name))
        outer, self._current = self._current, w
        parameters = tuple(self._parameters(node))
        _, type_ = w.types.declared(part(node, "declarator"), w.types.base(node))
        w.returns = kind_of(type_.element) if type_.kind == "function" and type_.element is not None else VOID
        code = f"f{len(self._making)}_{len(self._functions)}"
        names = [self._parameter(w, one) for one in parameters]
        for one in operands(body):
            statement(w, one)
        self._current = outer
        if w.suspends:
            w.emit("return")
            w.emit("yield 0")
        head = f"def {code}({', '.join(('c', *names))}):"
        try:
            made = compile("\n".join((head, *w.lines, " pass")), "<kernel>", "exec")
        except (SyntaxError, MemoryError, RecursionError):
            raise NotExecutableError("size", name) from None
        self._run(made)
        asked = attributes(self._attributes(previous_end(node), body.start_byte)).get("reqd_work_group_size", "")
        group = tuple(int(size) for size in re.findall(r"\d+", asked)) or None
        return Function(name, code, parameters, w.returns, w.suspends, group)

    def _parameters(self, node: Node) -> list[Parameter]:
        declarator: Node | None = part(node, "declarator")
        while declarator is not None and declarator.type != "function_declarator":
            declarator = declarator.child_by_field_name("declarator")
        found: list[Parameter] = []
        for one in operands(part(declarator, "parameters")) if declarator is not None else []:
            if one.type != "parameter_declaration":
                raise NotExecutableError("argument", text_of(one)[:40])
            name, type_ = self.types.declared(one.child_by_field_name("declarator"), self.types.base(one))
            notes = self.source.notes_in(previous_end(one), one.end_byte)
            if any(n.kind == "channel" for n in notes):
                self._channel(name, kind_of(type_), notes)
                found.append(Parameter(name, kind_of(type_), type_, "pipe"))
                continue
            if type_.kind == "void" and not name:
                continue
            if type_.kind == "array" and type_.element is not None:
                kind: Kind = Pointer(kind_of(type_.element))
            else:
                kind = kind_of(type_)
            space = next((n.text.strip("_") for n in notes if n.text.strip("_") in _SPACES), "")
            found.append(Parameter(name, kind, type_, space))
        return found

    @staticmethod
    def _parameter(w: Writer, one: Parameter) -> str:
        """Make a parameter known; returns the name of the generated code's parameter."""
        name = w.fresh("v")
        if one.space == "pipe":
            w.declare(one.name, Variable(one.kind, "channel", one.name))
        elif isinstance(one.kind, Record) or one.name in w.addressed:
            made = w.fresh("v")
            w.emit(f"{made} = Block({one.kind.size})")
            how = {Record: "store_record", Pointer: "store_pointer"}.get(type(one.kind))
            function = how or f"S_{one.kind.code}"  # type: ignore[union-attr]
            w.emit(f"{function}({made}, 0, {name})")
            w.declare(one.name, Variable(one.kind, "block", made))
        elif isinstance(one.kind, Pointer) and one.name not in w.set:
            w.emit(f"{name}b, {name}o = {name}")
            w.declare(one.name, Variable(one.kind, "pair", name))
        else:
            w.declare(one.name, Variable(one.kind, "local", name))
        return name

    def _suspends(self, name: str) -> bool:
        """Whether work-items may wait in a function, or in one that it calls."""
        if name not in self._suspending:
            self._suspending[name] = False
            called = set(_CALLED.findall(text_of(self._nodes[name])))
            inner = called & self._nodes.keys() - {name}
            self._suspending[name] = bool(called & SUSPENDING) or any(self._suspends(one) for one in inner)
        return self._suspending[name]

    def _constant(self, node: Node) -> int | None:
        known = expression(self._current, node).const
        return int(known) if known is not None else None

    def _attributes(self, start: int, end: int) -> str:
        return " ".join(n.text for n in self.source.notes_in(start, end) if n.kind == "attribute")


_SPACES = {"global", "local", "constant", "private"}


def _uses(body: Node) -> tuple[frozenset[str], frozenset[str]]:
    """The names whose address a function takes, and those that it assigns."""
    addressed, assigned = set[str](), set[str]()
    waiting = [body]
    while waiting:
        node = waiting.pop()
        waiting.extend(node.named_children)
        if node.type == "pointer_expression" and node.child(0) is not None and text_of(node).startswith("&"):
            addressed.add(_named(node.child_by_field_name("argument")))
        elif node.type == "binary_expression" and part(node, "left").type == "parenthesized_expression":
            # A cast of an address looks like a conjunction.
            addressed.add(_named(node.child_by_field_name("right")) if sign_of(node) == "&" else "")
        elif node.type in {"assignment_expression", "update_expression"}:
            assigned.add(_named(node.child_by_field_name("left") or node.child_by_field_name("argument")))
    return frozenset(addressed), frozenset(assigned | addressed)


def _named(node: Node | None) -> str:
    """The variable that an expression is; empty where it is none."""
    while node is not None and node.type == "parenthesized_expression":
        node = node.named_child(0)
    return text_of(node) if node is not None and node.type == "identifier" else ""
