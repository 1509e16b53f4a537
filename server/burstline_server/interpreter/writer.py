"""What a function is compiled into while its text is read: lines of code, names, scopes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, Protocol

from tree_sitter import Node

from burstline_model.record import fixed
from burstline_server.analysis.nodes import text_of
from burstline_server.interpreter.code import Expr
from burstline_server.interpreter.function import Function
from burstline_server.interpreter.kinds import VOID, Kind, Vector
from burstline_server.interpreter.run import Turns
from burstline_server.interpreter.verdicts import NotExecutableError
from burstline_server.source.source import Source

if TYPE_CHECKING:
    from burstline_server.analysis.types import TypeTable

MOST_LINES = 20_000
"""Most lines that a function is compiled to."""


@fixed
class Variable:
    """A variable: a name of the generated code, a pair of names (a pointer that nothing moves), a block, or a value."""

    kind: Kind
    form: Literal["local", "pair", "block", "value", "channel"]
    name: str
    value: Expr | None = None


@dataclass(slots=True)
class Jump:
    """What ``break`` and ``continue`` do in a statement: `step` runs before the next turn, `flag` is a switch's."""

    kind: Literal["loop", "switch"]
    step: tuple[str, ...] = ()
    flag: str = ""
    used: bool = False


class Compiler(Protocol):
    """The program that is compiled, as what writes its functions asks about it."""

    source: Source
    turns: Turns
    inexact: bool
    dimensions: int
    watched: frozenset[int]
    terms: frozenset[tuple[int, int]]

    def value(self, w: Writer, node: Node, /) -> Expr:
        """The code of an expression."""

    def vector(self, w: Writer, kind: Vector, /, *nodes: Node) -> Expr:
        """The code of a vector from its parts."""

    def has_function(self, name: str, /) -> bool:
        """Whether the text defines a function."""

    def function(self, name: str, /) -> Function:
        """A function, compiled."""

    def defines(self, name: str, /) -> bool:
        """Whether a name that the text does not define may be one of the compiler's command line."""

    def file_scope(self, name: str, /) -> Variable | None:
        """A variable or channel at file scope."""

    def next_shared(self) -> int:
        """A number for a variable of a work-group."""

    def next_barrier(self) -> int:
        """A number for a barrier."""


@dataclass
class Writer:
    """The code of a function in the making. The address of `addressed` names is taken, `set` ones are assigned."""

    program: Compiler
    types: TypeTable
    addressed: frozenset[str] = frozenset()
    set: frozenset[str] = frozenset()
    returns: Kind = VOID
    suspends: bool = False
    lines: list[str] = field(default_factory=list)
    scopes: list[dict[str, Variable]] = field(default_factory=lambda: [{}])
    jumps: list[Jump] = field(default_factory=list)
    depth: int = 1
    names: int = 0

    def fresh(self, letter: str = "t") -> str:
        """A name that is not used yet."""
        self.names += 1
        return f"{letter}{self.names}"

    def emit(self, line: str) -> None:
        """Add a line."""
        if len(self.lines) >= MOST_LINES:
            raise NotExecutableError("size")
        self.lines.append(" " * self.depth + line)

    def find(self, name: str) -> Variable | None:
        """The variable that a name means here."""
        for scope in reversed(self.scopes):
            if name in scope:
                return scope[name]
        return self.program.file_scope(name)

    def declare(self, name: str, variable: Variable) -> Variable:
        """Make a name known in the innermost scope."""
        self.scopes[-1][name] = variable
        return variable


def operands(node: Node) -> list[Node]:
    """The named children of a node, comments aside."""
    return [c for c in node.named_children if c.type != "comment"]


def part(node: Node, name: str) -> Node:
    """A field that a node must have."""
    found = node.child_by_field_name(name)
    if found is None:
        raise NotExecutableError("syntax", node.type)
    return found


def sign_of(node: Node) -> str:
    """The operator of an expression."""
    operator = node.child_by_field_name("operator")
    return text_of(operator) if operator is not None else ""
