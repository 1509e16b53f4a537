"""What a reader keeps while it reads: names in scope, functions, calls, accesses and conditions that are still open."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import copy
from dataclasses import dataclass, field, replace
from functools import cached_property

from tree_sitter import Node

from burstline_model.facts import Access, ChannelOperation, Choice, Space, Span
from burstline_model.polynomial import Polynomial
from burstline_model.record import fixed
from burstline_server.analysis.chains import Chains
from burstline_server.analysis.liveness import dead_names
from burstline_server.analysis.nodes import text_of
from burstline_server.analysis.types import COMPOSED, CType, components
from burstline_server.analysis.values import Value


@fixed
class Elements:
    """The variables that a private array of `count` elements is taken apart into, by the number of the element.

    With `own`, one variable (by "") is all of them: its value is made of this symbol, the element's place, which the
    `counters` of `loops` take, by where these begin in the text.
    """

    type: CType
    count: int
    names: Mapping[str, str]
    own: str = ""
    loops: frozenset[int] = frozenset()
    counters: frozenset[str] = frozenset()


@dataclass(slots=True)
class Variable:
    """A name in scope. `value` is None before the first assignment."""

    type: CType
    value: Value | None = None
    array: Space | None = None
    """The memory an array or structure variable is its own root in."""
    leads_to: frozenset[str] = frozenset()
    """The buffers that a pointer was set to so far."""
    place: str = ""
    """The symbol of the element that it is, of a variable that is all elements of an array."""
    counters: frozenset[str] = frozenset()
    """The names that have this place in the text."""
    elements: Elements | None = None
    """Of an array that is taken apart: what its elements are."""
    from_board: bool = False
    """Of a channel: whether the board, no kernel, is at its other end."""

    def copied(self) -> Variable:
        """One of its own with the same value."""
        own = (self.type, self.value, self.array, self.leads_to, self.place, self.counters, self.elements)
        return Variable(*own, self.from_board)


def declare_in(scope: dict[str, Variable], name: str, variable: Variable) -> None:
    """Bring a variable into a scope, and the numbers of a vector or a structure, as compilers take them apart."""
    scope[name] = variable
    if variable.type.kind not in COMPOSED:
        return
    for path, type_ in components(variable.type).items():
        scope[f"{name}.{path}"] = Variable(type_)


@dataclass
class Function:
    """A function of the file; `signature` has its parameters and its result's type when a call asks."""

    name: str
    node: Node
    signature: Callable[[], tuple[list[tuple[str, CType]], CType]]

    @cached_property
    def parameters(self) -> list[tuple[str, CType]]:
        """Names and types of the parameters."""
        return self.signature()[0]

    @cached_property
    def dead(self) -> frozenset[str]:
        """Its variables whose values nobody uses."""
        body = self.node.child_by_field_name("body")
        return dead_names(text_of(body)) if body is not None else frozenset()

    @cached_property
    def result(self) -> CType:
        """The type of what it returns."""
        return self.signature()[1]


@dataclass(slots=True)
class Frame:
    """One call being read: its scopes, and what it returned so far."""

    scopes: list[dict[str, Variable]] = field(default_factory=lambda: [{}])
    returned: list[Returned] = field(default_factory=list)
    left: bool = False
    """A return, break or continue ends the statements of the current block."""
    dead: frozenset[str] = frozenset()
    """Variables whose values nobody uses."""
    loops: int = 0
    """How many loops are around the call."""
    switches: list[Callable[[], None]] = field(default_factory=list)
    """Of each `switch` that is being read: keeps what variables hold where a break leaves it."""

    def copy(self) -> Frame:
        """The same names with the same values, to be given others."""
        scopes = [{name: copy(variable) for name, variable in scope.items()} for scope in self.scopes]
        return Frame(scopes, [*self.returned], self.left, self.dead, self.loops, [*self.switches])


def let_go(frame: Frame, name: str) -> None:
    """Follow the numbers of a variable no longer one by one: somebody has its address."""
    for scope in frame.scopes:
        for path in components(scope[name].type) if name in scope else ():
            scope.pop(f"{name}.{path}", None)


@fixed
class Returned:
    """A value that a call returns, with the conditions and loops around the statement that does."""

    value: Value
    guards: tuple[OpenGuard, ...]
    loops: int


@dataclass(slots=True)
class OpenAccess:
    """An access while the kernel is being read: guards as symbol sets, closed at the end."""

    access: Access
    guards: tuple[OpenGuard, ...]
    operand: Value | None


@dataclass(slots=True)
class OpenChannel:
    """An operation on a channel while the kernel is being read."""

    operation: ChannelOperation
    guards: tuple[OpenGuard, ...]
    sent: Chains = ()
    """Of a write: the chains of what it sends and of the conditions around it."""
    later: frozenset[str] = frozenset()
    """The channels that an earlier iteration has read for it."""


@fixed
class OpenGuard:
    """A condition, with the symbols and loads it is made of."""

    text: str
    span: Span
    symbols: frozenset[str]
    loaded: bool
    early_return: bool = False
    condition: Polynomial | None = None
    calls: int = 0
    choice: Choice = ""
    value: Value = field(default_factory=Value)
    """What was asked."""
    cases: tuple[int, int] | None = None
    leaves: tuple[int, ...] = ()

    def leaving(self, loops: tuple[int, ...]) -> OpenGuard:
        """The same, once it held these loops are left."""
        return replace(self, leaves=loops) if loops else self

    def opposite(self) -> OpenGuard:
        """The condition that this one does not hold."""
        return OpenGuard(
            f"!({self.text})", self.span, self.symbols, self.loaded, self.early_return,
            _ONE - self.condition if self.condition is not None else None, self.calls, self.choice, self.value,
        )  # fmt: skip


_ONE = Polynomial.number(1)
