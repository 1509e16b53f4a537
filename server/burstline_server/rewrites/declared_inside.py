"""Variables and assignments from outside a loop, written in the blocks that alone need them, before another edit."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from burstline_model.facts import Loop
from burstline_server.analysis.nodes import holds
from burstline_server.assessment.assessor import Assessment
from burstline_server.assessment.costing import KernelAssessment
from burstline_server.rewrites.legality.effects import Effects, inside
from burstline_server.rewrites.legality.expression_types import NUMBERS
from burstline_server.rewrites.legality.heads import address_taken, function_around
from burstline_server.rewrites.loop_bodies import in_front
from burstline_server.rewrites.rewrite import NotOfferedError, TextEdit, edited, in_front_of
from burstline_server.rewrites.spelled_out import again
from burstline_server.rewrites.syntax import SourceNode, begin_of, loop_begun_at, plain_type, step_of, written

_BLOCK = "compound_statement"
MOST_OF_ONE = 4
"""Most variables of one declaration that are declared elsewhere."""


def declared_inside(
    assessment: Assessment, kernel: KernelAssessment, loop: Loop
) -> tuple[Assessment, KernelAssessment] | None:
    """The file and the kernel in which no variable is declared outside a loop that its iterations alone need.

    What heads of loops in it give to others than their counters (``for (k = 0, s = 0; …)``) is given in front of them.
    None where nothing is written anew. Loops keep their numbers.
    """
    now, one = assessment, kernel
    for edits_of in (_heads, *[_variables] * MOST_OF_ONE):
        effects, head = Effects(now.source), loop_begun_at(now.source, one.facts.loops[loop.id].span)
        edits = edits_of(effects, head) if head is not None else []
        found = again(now, one, edited(now.source.original, edits)) if edits else (now, one)
        if edits_of is _variables and not edits:
            break
        if found is None or len(found[1].facts.loops) != len(kernel.facts.loops):
            break
        now, one = found
    return (now, one) if now is not assessment else None


def _heads(effects: Effects, loop: SourceNode) -> list[TextEdit]:
    """Edits that leave each head of a loop inside its counter alone."""
    found: list[TextEdit] = []
    body = loop.node.child_by_field_name("body")
    for node in inside(body) if body is not None else ():
        begins = node.child_by_field_name("initializer") if node.type == "for_statement" else None
        if begins is None or begins.type != "comma_expression":
            continue
        update = node.child_by_field_name("update")
        parts = list(_parts(begins))
        places = [written(loop.source, one) for one in (node, begins, *parts)]
        own = [one for one in parts if update is not None and step_of(update, _target(effects, one), effects.text)]
        if len(own) != 1 or any(one is None for one in places) or not all(_is_plain(effects, one) for one in parts):
            continue
        others = [one for one in parts if one.id != own[0].id]
        if effects.reads(*others) & effects.sets(own[0]) or effects.reads(own[0]) & effects.sets(*others):
            continue
        head, whole, *_ = (one for one in places if one is not None)
        counter = written(loop.source, own[0])
        try:
            lines = in_front(head, [f"{effects.text(one)};" for one in others])
        except NotOfferedError:
            continue
        if counter is not None and not any(_meet(one, other) for one in lines for other in found):
            found += [*lines, TextEdit(whole.start, whole.end, counter.text)]
    return found


def _meet(one: TextEdit, other: TextEdit) -> bool:
    return one.start <= other.end and other.start <= one.end


def _parts(node: Node) -> Iterator[Node]:
    """The expressions that commas join, in order."""
    if node.type != "comma_expression":
        yield node
        return
    for side in ("left", "right"):
        inner = node.child_by_field_name(side)
        if inner is not None:
            yield from _parts(inner)


def _target(effects: Effects, assignment: Node) -> str:
    left = assignment.child_by_field_name("left")
    return effects.text(left) if left is not None else ""


def _is_plain(effects: Effects, node: Node) -> bool:
    """Whether an expression is ``name = value`` whose value only computes."""
    left, right, operator = (node.child_by_field_name(n) for n in ("left", "right", "operator"))
    named = left is not None and left.type == "identifier" and operator is not None and operator.type == "="
    return node.type == "assignment_expression" and named and right is not None and effects.pure(right)


def _variables(effects: Effects, loop: SourceNode) -> list[TextEdit]:
    """Edits that declare in a loop's body what its iterations alone use, each from its first assignment on."""
    found: list[TextEdit] = []
    body, function = loop.node.child_by_field_name("body"), function_around(loop.node)
    whole = function.child_by_field_name("body") if function is not None else None
    if body is None or whole is None:
        return []
    used: dict[str, list[Node]] = {}
    for node in inside(whole):
        if node.type == "identifier":
            used.setdefault(effects.text(node), []).append(node)
    heads = {n for one in inside(body) if one.type == "for_statement" for n in _of_head(effects, one)}
    for name in sorted(effects.reassigned(body) - heads):
        edits = _moved(effects, loop, body, name, used.get(name, []))
        if not any(_meet(one, other) for one in edits for other in found):
            found += edits
    return found


def _of_head(effects: Effects, loop: Node) -> set[str]:
    begins = loop.child_by_field_name("initializer")
    return effects.sets(begins) if begins is not None else set()


def _moved(effects: Effects, loop: SourceNode, body: Node, name: str, uses: list[Node]) -> list[TextEdit]:
    """The edits for one variable; none where its value may go from one iteration to the next, or out of the loop."""
    around = [declaration for one in uses if (declaration := _declared(one)) is not None]
    within = [one for one in uses if holds(body, one)]
    if len(around) != 1 or len(within) != len(uses) - 1 or any(address_taken(one) for one in uses):
        return []
    declaration, block = around[0], _block_of(body, within)
    named = declaration.child_by_field_name("type")
    type_ = plain_type(effects.text(named)) if named is not None else ""
    first = next((s for s in block.named_children if any(holds(s, one) for one in within)), None) if block else None
    assigns = first.named_children[0] if first is not None and first.type == "expression_statement" else None
    if type_ not in NUMBERS or holds(body, declaration) or effects.qualifiers(declaration) or named is None:
        return []
    if assigns is None or not _is_plain(effects, assigns) or _target(effects, assigns) != name:
        return []
    right, at = assigns.child_by_field_name("right"), written(loop.source, assigns)
    if right is None or name in effects.reads(right) or at is None:
        return []
    left_out = _without(effects, loop, declaration, name)
    return [*left_out, TextEdit(at.start, at.start, f"{effects.text(named)} ")] if left_out else []


def _declared(name: Node) -> Node | None:
    """The declaration of a plain variable, by its name there."""
    at = name.parent
    if at is not None and at.type == "init_declarator" and at.child_by_field_name("declarator") == name:
        at = at.parent
    elif at is not None and at.type != "declaration":
        return None
    alone = at is not None and at.type == "declaration" and at.parent is not None and at.parent.type == _BLOCK
    return at if alone else None


def _block_of(body: Node, uses: list[Node]) -> Node | None:
    """The innermost block of a loop's body that holds all uses of a variable."""
    blocks = [one for one in inside(body) if one.type == _BLOCK and all(holds(one, use) for use in uses)]
    return min(blocks, key=lambda one: one.end_byte - one.start_byte, default=None)


def _without(effects: Effects, loop: SourceNode, declaration: Node, name: str) -> list[TextEdit]:
    """Edits that leave a variable out of its declaration; none where that is not written out, or sets others too."""
    whole, text = written(loop.source, declaration), loop.source.original
    declarators = declaration.children_by_field_name("declarator")
    if whole is None or begin_of(loop.source, declaration) != declaration.start_byte:
        return []
    kept = [one for one in declarators if name not in effects.root(one)]
    own = [one for one in declarators if name in effects.root(one)]
    value = own[0].child_by_field_name("value") if len(own) == 1 else None
    if len(own) != 1 or (value is not None and not effects.pure(value)):
        return []
    if kept:
        named = declaration.child_by_field_name("type")
        said = ", ".join(loop.inside(one) for one in kept)
        return [TextEdit(whole.start, whole.end, f"{effects.text(named)} {said};")] if named is not None else []
    line = in_front_of(text, whole.start)
    stop = text.find(b"\n", whole.end)
    alone = line is not None and stop >= 0 and not text[whole.end : stop].strip()
    return [TextEdit(line[0] if alone and line is not None else whole.start, stop + 1 if alone else whole.end, "")]
