"""Facts of a kernel whose text has moved: every place in them set anew."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType

from burstline_model.facts import Access, ChannelOperation, Guard, KernelFacts, Loop, MacroUse, Span


def relocated(
    facts: KernelFacts, at: Callable[[Span], Span], macros: Mapping[str, Span] = MappingProxyType({})
) -> KernelFacts:
    """The same facts with every place set anew; `macros` says where some are defined now."""

    def guard(g: Guard) -> Guard:
        return g.model_copy(update={"span": at(g.span)})

    def macro(use: MacroUse | None) -> MacroUse | None:
        if use is None or use.definition is None:
            return use
        return use.model_copy(update={"definition": macros.get(use.name) or at(use.definition)})

    def access(a: Access) -> Access:
        return replace(
            a,
            span=at(a.span),
            guards=tuple(guard(g) for g in a.guards),
            call_chain=tuple(at(s) for s in a.call_chain),
            macro=macro(a.macro),
            reported_at=at(a.reported_at) if a.reported_at is not None else None,
            expanded_at=at(a.expanded_at) if a.expanded_at is not None else None,
            assigned_at=at(a.assigned_at) if a.assigned_at is not None else None,
        )

    def loop(one: Loop) -> Loop:
        guards = tuple(guard(g) for g in one.guards)
        return one.model_copy(update={"span": at(one.span), "body": at(one.body), "guards": guards})

    def channel(one: ChannelOperation) -> ChannelOperation:
        chain, guards = tuple(at(s) for s in one.call_chain), tuple(guard(g) for g in one.guards)
        return one.model_copy(update={"span": at(one.span), "guards": guards, "call_chain": chain})

    spanned = ("arrays", "barriers", "remarks")
    placed = {
        name: tuple(one.model_copy(update={"span": at(one.span)}) for one in getattr(facts, name)) for name in spanned
    }
    arguments = tuple(replace(one, span=at(one.span)) for one in facts.arguments)
    own = {"span": at(facts.span), "name_span": at(facts.name_span), "arguments": arguments}
    inner = {
        "loops": tuple(loop(o) for o in facts.loops),
        "accesses": tuple(access(a) for a in facts.accesses),
        "private_accesses": tuple(access(a) for a in facts.private_accesses),
        "register_accesses": tuple(access(a) for a in facts.register_accesses),
    }
    channels = tuple(channel(o) for o in facts.channels)
    return facts.model_copy(update={**placed, **own, **inner, "channels": channels})
