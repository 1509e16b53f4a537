"""Sums and products that a loop makes in a variable, where nothing in it reads or changes that otherwise."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from burstline_model.record import fixed
from burstline_server.analysis.nodes import previous_end
from burstline_server.rewrites.legality.effects import Effects, inside
from burstline_server.rewrites.legality.expression_types import canonical, type_of
from burstline_server.rewrites.rewrite import NotOfferedError
from burstline_server.rewrites.syntax import SourceNode, declared_types, written
from burstline_server.source.source import Source

REALS = {"float", "double"}
WHOLE = {"int", "uint", "long", "ulong"}
_SPACES = {"local", "global", "constant"}
_LOOPS = {"for_statement", "while_statement", "do_statement"}


@fixed
class Reduction:
    """A variable that each iteration adds terms to, or multiplies with them, and does nothing else with.

    `uses` are all places in the loop's turns that name it; a for statement may set it first. `terms` are the
    expressions that are added: their first byte in the parsed text, and the one after the last. `several`: an iteration
    may add more than once.
    """

    name: str
    type: str
    product: bool
    uses: tuple[SourceNode, ...]
    terms: tuple[tuple[int, int], ...]
    several: bool

    @property
    def sign(self) -> str:
        """The operator that partial results are put together by."""
        return "*" if self.product else "+"

    @property
    def identity(self) -> str:
        """What changes no result, as a constant of the type: of sums of reals -0, as -0 + 0 is 0."""
        number, of_reals = ("1", "1.0") if self.product else ("0", "-0.0")
        return {"float": f"{of_reals}f", "double": of_reals}.get(self.type, number)


def reduction_of(source: Source, loop: Node, name: str) -> Reduction:
    """The sum or product that a loop makes in a variable; raises `NotOfferedError` where it does anything else."""
    effects = Effects(source)
    type_ = type_of_variable(effects, loop, name)
    turns = [*turns_of(loop)]
    updates = [_update(effects, one, name) for one in turns if is_set(effects, one, name)]
    accounted = {node.id for update in updates for node in update.names}
    uses = [n for n in turns if n.type in {"identifier", "type_identifier"} and effects.text(n) == name]
    if not updates or any(n.id not in accounted for n in uses) or len({u.product for u in updates}) > 1:
        raise NotOfferedError("not_a_sum", name)
    if type_ in WHOLE:
        types = declared_types(source, loop)
        if any(type_of(u.term, source.text, types) not in WHOLE for u in updates):
            raise NotOfferedError("not_whole_numbers")
    places = [written(source, n) for n in sorted(uses, key=lambda n: n.start_byte)]
    found = tuple(p for p in places if p is not None and p.text == name)
    if len({p.start for p in found}) < len(uses):
        raise NotOfferedError("macro_in_it")
    several = len(updates) > 1 or any(in_inner_loop(u.term, loop) for u in updates)
    terms = tuple((u.term.start_byte, u.term.end_byte) for u in updates)
    return Reduction(name, type_, updates[0].product, found, terms, several)


def type_of_variable(effects: Effects, loop: Node, name: str) -> str:
    """The type of a variable that a loop carries; raises `NotOfferedError` where others may reach it."""
    type_ = canonical(declared_types(effects.source, loop).get(name, ""))
    if type_ not in {*REALS, *WHOLE} or _is_elsewhere(effects, loop, name):
        raise NotOfferedError("not_plain_variable", name)
    if _gives_address(effects, _function(loop), name):
        raise NotOfferedError("address_given", name)
    return type_


def turns_of(loop: Node) -> Iterator[Node]:
    """All that a loop does in its turns."""
    return (n for part in loop.named_children if part != loop.child_by_field_name("initializer") for n in inside(part))


@fixed
class _Update:
    """One assignment: the variable's own nodes, and what is added or multiplied."""

    names: tuple[Node, ...]
    term: Node
    product: bool


def is_set(effects: Effects, node: Node, name: str) -> bool:
    """Whether a node is an assignment to a variable."""
    left = node.child_by_field_name("left") if node.type == "assignment_expression" else None
    return left is not None and left.type == "identifier" and effects.text(left) == name


def _update(effects: Effects, node: Node, name: str) -> _Update:
    """An assignment as ``s += e`` or ``s = s + e``; raises `NotOfferedError` for any other."""
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    operator = node.child_by_field_name("operator")
    alone = node.parent is not None and node.parent.type == "expression_statement"
    if left is not None and right is not None and operator is not None and alone:
        names: tuple[Node, ...] = (left,)
        sign, term = operator.type, right
        if sign == "=":
            right = bare(right)
            pair = [right.child_by_field_name(side) for side in ("left", "right")]
            own = right.child_by_field_name("operator") if right.type == "binary_expression" else None
            sign = f"{own.type}=" if own is not None else ""
            for at, one in enumerate(pair):
                other = pair[1 - at]
                is_name = one is not None and one.type == "identifier" and effects.text(one) == name
                if one is not None and other is not None and is_name and (sign != "-=" or at == 0):
                    names, term = (left, one), other
                    break
            else:
                sign = ""
        if sign in {"+=", "-=", "*="} and name not in effects.reads(term):
            return _Update(names, term, product=sign == "*=")
    raise NotOfferedError("not_a_sum", name)


def bare(node: Node) -> Node:
    """An expression without the parentheses around it."""
    while node.type == "parenthesized_expression":
        inner = [c for c in node.named_children if c.type != "comment"]
        if len(inner) != 1:
            break
        node = inner[0]
    return node


def in_inner_loop(node: Node, loop: Node) -> bool:
    """Whether a loop inside this one holds a node."""
    around = node.parent
    while around is not None and around.id != loop.id:
        if around.type in _LOOPS:
            return True
        around = around.parent
    return False


def _function(node: Node) -> Node:
    while node.parent is not None and node.type != "function_definition":
        node = node.parent
    return node


def _is_elsewhere(effects: Effects, loop: Node, name: str) -> bool:
    """Whether a variable is declared in the loop too, or anywhere but in private memory, or volatile."""
    source = effects.source
    for node in _declarations(effects, _function(loop), name):
        notes = source.notes_in(previous_end(node), node.end_byte)
        if any(n.text.strip("_") in _SPACES for n in notes):
            return True
        if any(c.type in {"type_qualifier", "storage_class_specifier"} for c in node.children):
            return True
        if loop.start_byte <= node.start_byte < loop.end_byte:
            return True
    return False


def _declarations(effects: Effects, function: Node, name: str) -> Iterator[Node]:
    for node in inside(function):
        if node.type in {"declaration", "parameter_declaration"} and name in effects.sets(
            *node.children_by_field_name("declarator"), node
        ):
            yield node


def _gives_address(effects: Effects, function: Node, name: str) -> bool:
    """Whether a function takes the address of a variable; a cast of an address reads like a conjunction."""
    for node in inside(function):
        operator = node.child_by_field_name("operator")
        if operator is None or operator.type != "&" or node.type not in {"pointer_expression", "binary_expression"}:
            continue
        where = node.child_by_field_name("argument" if node.type == "pointer_expression" else "right")
        if where is not None and effects.text(bare(where)) == name:
            return True
    return False
