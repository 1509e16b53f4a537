"""Put an iteration's terms together first, so that one operation an iteration takes them into a sum."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from math import prod

from tree_sitter import Node

from burstline_model.body_operations import Recurrence
from burstline_model.facts import Loop
from burstline_model.parallelism.loop_copies import effective_unroll
from burstline_model.pipeline.latencies import OperationTable, operation_table
from burstline_model.pipeline.waits import Carried
from burstline_model.record import fixed
from burstline_server.assessment.assessor import Assessment
from burstline_server.assessment.costing import KernelAssessment
from burstline_server.interpreter.host_side import HostSide
from burstline_server.interpreter.promises import Promise
from burstline_server.rewrites.legality.carried_terms import (
    CHOICES,
    Grouped,
    Update,
    check_types,
    grouped,
    operand_of,
    taken_in,
    update_of,
)
from burstline_server.rewrites.legality.effects import Effects
from burstline_server.rewrites.legality.reductions import (
    REALS,
    Reduction,
    in_inner_loop,
    is_set,
    reduction_of,
    turns_of,
    type_of_variable,
)
from burstline_server.rewrites.loop_bodies import Body
from burstline_server.rewrites.reasons import Assertion, AssertionKind, Obstacle, Title
from burstline_server.rewrites.rewrite import (
    Candidate,
    NotOfferedError,
    Offer,
    Rewrite,
    TextEdit,
    in_front_of,
)
from burstline_server.rewrites.syntax import every, free_name, head_at, only_pragmas, written

_JUMPS = {"break_statement", "continue_statement", "return_statement", "goto_statement"}
_ALIKE = ({"add", "multiply-add"}, {"mul"}, {"compare"})
"""Operations that one tree is made of."""
_HIDDEN = {"macro_in_it", "comment_in_assignment"}
"""What keeps a statement from being written anew, but not another name from taking the variable's place in it."""


class TermsFirst(Rewrite):
    """An iteration's terms are put together first: ``s = s + a + b + c`` becomes ``s = s + ((a + b) + c)``.

    The compiler keeps operations of reals in the order in which they are written (Best Practices Guide 4.3, tree
    balancing), so that the next iteration waits for each of them. After the edit it waits for one, which hard
    floating-point blocks make every cycle. Offered for a loop of a single work-item kernel that waits for several
    additions to one variable, products with it, or calls of ``fmax``, ``fmin`` (of whole numbers: ``max``, ``min``).
    The terms of one statement become a balanced tree. Those of several statements in one block get a variable each,
    and the last statement takes all of them in; under conditions and in unrolled loops they are taken into a variable
    of the iteration's own, which is added at its end. There, nothing else in the loop may read or change the variable.
    The operations stay as many, but for that one at the end.

    Terms with a side effect are refused, and operations that are made in another type than the variable's; each term
    is converted as before. Nothing is offered with ``-fp-relaxed`` (``-ffp-reassociate``) for reals: the compiler does
    it then. For whole numbers, which wrap around, no result changes, and neither for what ``fmax`` chooses. For sums
    and products of reals the same is asserted as for partial sums, and tried in the same way.

    For chains that no loop carries, and for ``__fpga_reg`` in them, the vendor's guides state no gain in clock
    frequency as a number, so nothing is offered there.
    """

    name = "terms first"
    codes = ("BL401",)

    def candidates(self, assessment: Assessment, kernel: KernelAssessment) -> Iterable[Candidate]:
        """One edit for each loop that waits for several operations on one variable."""
        for one in kernel.estimate.loops:
            loop = kernel.facts.loops[one.loop]
            waits = isinstance(one.serialised_by, Carried) and one.store is None and (one.ii or 1) > 1
            found = _several(kernel, loop) if waits and not one.serial else []
            if found:
                names = tuple(r.names[0] for r in found)
                yield Candidate(
                    Title("terms_first", (names,)), (loop.span,), partial(_offer, assessment, kernel, loop, found)
                )


def _several(kernel: KernelAssessment, loop: Loop) -> list[Recurrence]:
    """The variables of a loop that several operations follow each other on, in one iteration."""
    target = kernel.cost.target
    table, copies = operation_table(target.family, target.aoc_version), effective_unroll(kernel.facts)
    return [
        one
        for one in loop.recurrences
        if len(one.names) == 1 and not one.array and _is_plain(table, one) and _count(table, one, loop, copies) > 1
        if not (target.relaxed and any(s.operation.partition(" ")[0] in REALS for s in one.steps))
    ]


def _is_plain(table: OperationTable, one: Recurrence) -> bool:
    """Whether all that takes time is a sum, a product, or a choice."""
    made = {s.operation.partition(" ")[2] for s in one.steps if table.latency(s.operation) > 0}
    return any(made <= kinds for kinds in _ALIKE)


def _count(table: OperationTable, one: Recurrence, loop: Loop, copies: Mapping[int, int]) -> int:
    """Operations from a variable to itself, all copies in loops inside counted."""
    return sum(
        s.count * prod(copies.get(i, 1) for i in s.loops if i > loop.id)
        for s in one.steps
        if table.latency(s.operation) > 0
    )


@fixed
class _Made:
    """What becomes of one variable: its edits, and the lines at the start and the end of an iteration."""

    name: str
    real: bool
    operation: str
    terms: frozenset[tuple[int, int]]
    edits: tuple[TextEdit, ...]
    first: tuple[str, ...] = ()
    last: tuple[str, ...] = ()


def _offer(assessment: Assessment, kernel: KernelAssessment, loop: Loop, found: Sequence[Recurrence]) -> Offer:
    source, facts = assessment.source, kernel.facts
    if not facts.span.start <= loop.span.start < facts.span.end:
        raise NotOfferedError("in_helper")
    node, at = head_at(source, loop.span), source.offset_of(loop.span.start)
    if node is None or at is None:
        raise NotOfferedError("macro_in_head")
    effects = Effects(source)
    made = [_variable(effects, node, one) for one in found]
    edits = [edit for one in made for edit in one.edits]
    first, last = [line for one in made for line in one.first], [line for one in made for line in one.last]
    if first:
        place = in_front_of(source.original, loop.span.start)
        if place is None or node.type == "do_statement":
            raise NotOfferedError("not_a_for_loop" if place is not None else "no_line_for_declaration")
        edits += Body.of(source, node, place[1]).around(first, last, "")
    sums = [one for one in made if one.real and one.operation not in CHOICES]
    promises = tuple(Promise("exact_terms", frozenset(), at, one.terms) for one in sums)
    return Offer(
        title=Title("terms_first_of", (tuple(one.name for one in made),), _asserted(sums)),
        kind="assertion" if sums else "proved",
        kernel=facts.name,
        edits=tuple(edits),
        spans=(loop.span,),
        codes=TermsFirst.codes,
        host_side=HostSide(promises=promises) if sums else None,
    )


def _asserted(sums: Sequence[_Made]) -> tuple[Assertion, ...]:
    kinds: tuple[tuple[str, AssertionKind], ...] = (("+", "added_in_any_order"), ("*", "multiplied_in_any_order"))
    names = [(kind, tuple(one.name for one in sums if one.operation == sign)) for sign, kind in kinds]
    return tuple(Assertion(kind, (some,)) for kind, some in names if some)


def _variable(effects: Effects, loop: Node, one: Recurrence) -> _Made:
    """The edits for a variable, by the form of its updates; raises `NotOfferedError`."""
    name = one.names[0]
    type_ = type_of_variable(effects, loop, name)
    if type_ in REALS and any(s.operation.partition(" ")[0] != type_ for s in one.steps):
        raise NotOfferedError("term_of_other_type")
    sets = sorted((n for n in turns_of(loop) if is_set(effects, n, name)), key=lambda n: n.start_byte)
    if len(sets) == 1 and not in_inner_loop(sets[0], loop):
        return _in_statement(effects, sets[0], name, type_)
    if any(n.type in _JUMPS for n in every(loop)):
        raise NotOfferedError("has_jumps")
    blocks = {s.parent.parent.id if s.parent is not None and s.parent.parent is not None else 0 for s in sets}
    around = sets[0].parent.parent if sets and sets[0].parent is not None else None
    together = len(blocks) == 1 and around is not None and around.type == "compound_statement"
    if together and not in_inner_loop(sets[0], loop):
        try:
            return _in_block(effects, loop, sets, name, type_)
        except NotOfferedError as error:
            hidden = isinstance(error.reason, Obstacle) and error.reason.kind in _HIDDEN
            if not hidden:
                raise
    return _by_own(reduction_of(effects.source, loop, name), effects.source.original)


def _in_statement(effects: Effects, assignment: Node, name: str, type_: str) -> _Made:
    """``s = s + a + b``: its terms as a tree."""
    update = update_of(effects, assignment, name)
    check_types(effects, update, type_)
    if not effects.pure(*(term.node for term in update.terms)):
        raise NotOfferedError("value_has_effect")
    right = assignment.child_by_field_name("right")
    place = written(effects.source, right) if right is not None else None
    if place is None:
        raise NotOfferedError("macro_in_it")
    if any(n.type == "comment" for n in every(place.node)):
        raise NotOfferedError("comment_in_assignment")
    tree = grouped(update.operation, [operand_of(effects, term, type_) for term in update.terms])
    edits = (TextEdit(place.start, place.end, taken_in(update.operation, name, tree)),)
    return _Made(name, type_ in REALS, update.operation, _places(update), edits)


def _in_block(effects: Effects, loop: Node, sets: Sequence[Node], name: str, type_: str) -> _Made:
    """``s += a; … s += b;``: each but the last becomes a variable, which the last one takes in as well."""
    updates = [update_of(effects, one, name) for one in sets]
    accounted = {node.id for one in updates for node in one.names}
    uses = [n for n in turns_of(loop) if n.type in {"identifier", "type_identifier"} and effects.text(n) == name]
    if any(n.id not in accounted for n in uses) or len({one.operation for one in updates}) > 1:
        raise NotOfferedError("not_a_sum", name)
    operation, text = updates[0].operation, effects.source.original
    lines = [one for update in updates if (one := written(effects.source, update.statement)) is not None]
    if len(lines) == len(updates) and not only_pragmas(text[lines[0].start : lines[-1].end]):
        raise NotOfferedError("has_directives")  # built in another way, the last statement may be another one
    held: list[Grouped] = []
    edits: list[TextEdit] = []
    for number, update in enumerate(updates):
        check_types(effects, update, type_)
        place = written(effects.source, update.statement)
        if place is None:
            raise NotOfferedError("macro_in_it")
        if any(n.type == "comment" for n in every(update.statement)):
            raise NotOfferedError("comment_in_assignment")
        if len(update.terms) > 1 and not effects.pure(*(term.node for term in update.terms)):
            raise NotOfferedError("value_has_effect")
        own = grouped(operation, [operand_of(effects, term, type_) for term in update.terms])
        if update is updates[-1]:
            tree = grouped(operation, [*held, own])
            whole = taken_in(operation, name, tree) if operation in CHOICES else ""
            line = f"{name} = {whole};" if whole else f"{name} {tree.sign}= {tree.inner or tree.text};"
        else:
            variable = free_name(text, f"{name}_term{number + 1}")
            held.append(Grouped(variable, own.sign))
            line = f"const {type_} {variable} = {own.inner or own.text};"
        edits.append(TextEdit(place.start, place.end, line))
    terms = frozenset(at for one in updates for at in _places(one))
    return _Made(name, type_ in REALS, operation, terms, tuple(edits))


def _by_own(one: Reduction, text: bytes) -> _Made:
    """Updates under conditions or in unrolled loops: an iteration's own sum takes the variable's place."""
    own = free_name(text, f"{one.name}_own")
    return _Made(
        one.name,
        one.type in REALS,
        one.sign,
        frozenset(one.terms),
        tuple(TextEdit(use.start, use.end, own) for use in one.uses),
        (f"{one.type} {own} = {one.identity};",),
        (f"{one.name} {one.sign}= {own};",),
    )


def _places(update: Update) -> frozenset[tuple[int, int]]:
    return frozenset((term.node.start_byte, term.node.end_byte) for term in update.terms)
