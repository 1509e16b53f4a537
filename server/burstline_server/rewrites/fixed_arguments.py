"""Arguments that every launch passes the same value as, fixed in the kernel, so that loops become short."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from math import prod

from tree_sitter import Node

from burstline_model.facts import KernelFacts, Loop, Span
from burstline_model.parallelism.loop_copies import constant_trips, effective_unroll
from burstline_model.pipeline.dependence import loops_inside
from burstline_model.polynomial import Polynomial
from burstline_model.record import fixed
from burstline_server.assessment.assessor import Assessment
from burstline_server.assessment.costing import KernelAssessment
from burstline_server.interpreter.host_side import HostSide
from burstline_server.rewrites.launch_arguments import Passed, passed_to, whole_type
from burstline_server.rewrites.legality.effects import Effects, inside
from burstline_server.rewrites.loop_bodies import Body
from burstline_server.rewrites.pragma_line import pragma_line
from burstline_server.rewrites.reasons import Title, TitleKind
from burstline_server.rewrites.rewrite import (
    Candidate,
    NotOfferedError,
    Offer,
    Rewrite,
    TextEdit,
    indent_at,
)
from burstline_server.rewrites.syntax import free_name, head_at, kernel_body, written
from burstline_server.rewrites.unroll import why_not_copied

MOST_COPIES = 64
"""Most iterations of a loop, with those of the loops in it, that are built side by side."""


@fixed
class _Whole:
    """A loop that is built whole once arguments are fixed, and the loops that need a pragma for that."""

    loop: Loop
    trips: int
    names: tuple[str, ...]
    pragmas: tuple[Loop, ...]
    nest: tuple[int, ...]


class FixedArguments(Rewrite):
    """A constant in place of an argument that every launch passes the same value as: ``const int fixed_n = 16;``.

    Offered where the argument bounds a loop of up to 64 iterations (with those of loops in it), which the compiler then
    builds whole, by itself or by the ``#pragma unroll`` that the edit adds. All launches in the nearest folder with a
    host program have to pass the same constant: a number, a macro or a name that nothing else in the program sets. What
    a command line, a loop, another file or a condition of the preprocessor may change is none. Without a host program
    the settings give the value. The argument stays in the signature, so the host stays as it is; it must pass exactly
    that value. Before:

        for (int i = 0; i < n; i++)
            s += a[i];

    After:

        const int fixed_n = 16;
        #pragma unroll
        for (int i = 0; i < fixed_n; i++)
            s += a[i];

    Refused where the host programs do not pass one constant, where the kernel gives the argument another value, or its
    address away, or declares the name again, for a loop with another pragma or a channel, and in a single work-item
    kernel for one that may end early. Uses inside macros stay the argument's.
    """

    name = "fixed arguments"
    codes = ("BL106", "BL402")

    def candidates(self, assessment: Assessment, kernel: KernelAssessment) -> Iterable[Candidate]:
        """One edit for each loop that becomes short, with the loops in it."""
        facts = kernel.facts
        numbers = {a.name for a in facts.arguments if not a.is_pointer and whole_type(a.type)}
        if not any(one.trip is not None and one.trip.symbols & numbers for one in facts.loops):
            return
        passed = passed_to(assessment, kernel)
        made = set[tuple[tuple[str, ...], tuple[int, ...]]]()
        for whole in _wholes(facts, passed):
            key = whole.names, tuple(one.id for one in whole.pragmas)
            if key not in made:
                made.add(key)
                named = (a.span for a in facts.arguments if a.name in whole.names)
                places = (whole.loop.span, *named, *(a.span for a in facts.accesses_in(whole.loop)))
                make = partial(_offer, assessment, kernel, passed, whole, places)
                yield Candidate(_title(passed, whole), places, make)


def _title(passed: Mapping[str, Passed], whole: _Whole) -> Title:
    """What the edit does; where all values are found in a host program, the first place of these with it."""
    values = tuple(f"{name} = {passed[name].value}" for name in whole.names)
    found = passed[whole.names[0]].found if all(passed[name].found for name in whole.names) else ()
    kinds: tuple[TitleKind, TitleKind]
    kinds = ("fixed_unroll", "fixed_unroll_found") if whole.pragmas else ("fixed_whole", "fixed_whole_found")
    return Title(kinds[bool(found)], (values, whole.loop.variable, whole.trips, *found))


def _wholes(facts: KernelFacts, passed: Mapping[str, Passed]) -> Iterator[_Whole]:
    """The loops that can be built whole once their bounds, and those of the loops in them, are constants."""
    values = {name: Polynomial.number(one.value) for name, one in passed.items()}
    fixed = [
        loop.model_copy(update={"trip": loop.trip.substitute(values)}) if loop.trip is not None else loop
        for loop in facts.loops
    ]
    copies = effective_unroll(facts.model_copy(update={"loops": tuple(fixed)}))
    for loop in facts.loops:
        nest = [loop, *loops_inside(facts, loop)]
        trips = [constant_trips(fixed[one.id]) for one in nest]
        known = [one for one in trips if one is not None and one > 0]
        names = {name for one in nest if one.trip is not None for name in one.trip.symbols} & set(passed)
        if len(known) < len(nest) or trips[0] == 1 or prod(known) > MOST_COPIES or not names:
            continue
        if constant_trips(loop) is not None:
            continue  # a loop around one of these, as it is
        rolled = [one for one, count in zip(nest, known, strict=True) if copies[one.id] < count]
        yield _Whole(loop, known[0], tuple(sorted(names)), tuple(rolled), tuple(one.id for one in nest))


def _offer(
    assessment: Assessment, kernel: KernelAssessment, passed: Mapping[str, Passed], whole: _Whole,
    spans: tuple[Span, ...],
) -> Offer:  # fmt: skip
    source, facts, names = assessment.source, kernel.facts, whole.names
    body = kernel_body(source, facts.name_span)
    if body is None or body.parent is None:
        raise NotOfferedError("macro_in_it")
    for name in names:
        if (why := passed[name].why) is not None:
            raise NotOfferedError(why)
    effects, edits, lines = Effects(source), list[TextEdit](), list[str]()
    for name in names:
        _require_kept(effects, body, name)
        constant = free_name(source.original, f"fixed_{name}")
        lines.append(f"const {passed[name].type} {constant} = {passed[name].value};")
        used = [_place(effects, one, name) for one in inside(body) if one.type == "identifier"]
        places = sorted({one for one in used if one is not None})
        if not places:
            raise NotOfferedError("used_in_macros", name)
        edits += [TextEdit(start, end, constant) for start, end in places]
    outer = indent_at(source.original, source.origin(body.start_byte, body.start_byte + 1).start)
    around = Body.of(source, body.parent, outer).around(lines, (), "")
    edits += [one for one in around if one.text or one.start < one.end]
    for loop in whole.pragmas:
        if (why := why_not_copied(kernel, loop, whole.nest)) is not None:
            raise NotOfferedError(why)
        edits.append(_pragma(assessment, loop))
    return Offer(
        title=_title(passed, whole),
        kind="host",
        kernel=facts.name,
        edits=tuple(edits),
        spans=spans,
        codes=FixedArguments.codes,
        host="".join(_host_text(facts, name, passed[name]) for name in names),
        host_side=HostSide(given=tuple((name, passed[name].value) for name in names)),
    )


def _require_kept(effects: Effects, body: Node, name: str) -> None:
    """Refuses an argument that the kernel sets, gives away, or whose name means something else in places."""
    if name in effects.reassigned(body):
        raise NotOfferedError("argument_assigned", name)
    declared = {effects.text(part) for one in inside(body) if one.type == "enumerator" for part in one.named_children}
    if name in effects.sets(body) | declared:
        raise NotOfferedError("argument_declared_again", name)


def _place(effects: Effects, one: Node, name: str) -> tuple[int, int] | None:
    """Where the user wrote a use of a name; None for another name, and where macros make it up."""
    place = written(effects.source, one) if effects.text(one) == name else None
    return (place.start, place.end) if place is not None and place.text == name else None


def _pragma(assessment: Assessment, loop: Loop) -> TextEdit:
    if head_at(assessment.source, loop.span) is None:
        raise NotOfferedError("macro_in_head")
    return pragma_line(assessment.source, loop.span, "#pragma unroll")


def _host_text(facts: KernelFacts, name: str, passed: Passed) -> str:
    """How the host passes an argument, as C text."""
    position = next(at for at, one in enumerate(facts.arguments) if one.name == name)
    said = f", as in line {passed.found[1]} of {passed.found[0]}" if passed.found else ""
    return (
        f"/* {facts.name}: every launch passes exactly {passed.value} as {name}{said}. */\n"
        f"const cl_{passed.type} {name} = {passed.value};\n"
        f"clSetKernelArg({facts.name}, {position}, sizeof {name}, &{name});\n"
    )
