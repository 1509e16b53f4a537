"""What a rule may ask about a group of accesses."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from burstline_model.compiler.groups import Group, is_invariant
from burstline_model.compiler.program_order import Order
from burstline_model.compiler.rule_names import Switches
from burstline_model.facts import Access, Argument, Guard, KernelFacts, Loop
from burstline_model.launch import Launch
from burstline_model.lsu import Reason
from burstline_model.parallelism.alias import HIDDEN
from burstline_model.parallelism.extent import Extent
from burstline_model.parallelism.loop_copies import rolled_loops
from burstline_model.record import fixed
from burstline_model.target import Target
from burstline_model.walk.sampler import Sampler

_IDS = {"global_id", "local_id", "group_id"}


@fixed
class Unlaunched:
    """A kernel of which nothing is given, where an address that is not affine has to be looked at place by place."""

    facts: KernelFacts
    copies: Mapping[int, int]

    @cached_property
    def sampler(self) -> Sampler:
        """What evaluates its addresses."""
        return Sampler(Extent(self.facts, Launch(), self.copies))


@fixed
class Context:
    """A group of accesses in its kernel, for a target."""

    facts: KernelFacts
    group: Group
    target: Target
    copies: Mapping[int, int]
    order: Order
    unlaunched: Unlaunched
    switches: Switches = ()

    @cached_property
    def asked(self) -> dict[int, Reason | None]:
        """What rules, by their identity, have said of the group."""
        return {}

    @cached_property
    def access(self) -> Access:
        """The first member."""
        return self.group.members[0]

    @cached_property
    def argument(self) -> Argument | None:
        """The kernel argument that is accessed."""
        return self.facts.argument(self.access.pointer)

    @cached_property
    def rolled(self) -> tuple[Loop, ...]:
        """The loops around that are still loops in hardware."""
        return rolled_loops(self.facts, self.access, self.copies)

    @cached_property
    def single_work_item(self) -> bool:
        """Whether the kernel runs as one work-item."""
        return self.facts.model != "ndrange"

    @cached_property
    def symbols(self) -> frozenset[str]:
        """Every symbol the address varies with, through whatever it was computed from."""
        offset = self.access.offset
        own = offset.symbols if offset is not None else frozenset[str]()
        return own.union(*(self.facts.symbols[s].depends_on for s in own if s in self.facts.symbols))

    @cached_property
    def kinds(self) -> frozenset[str]:
        """The kinds of those symbols."""
        return frozenset(self.facts.symbols[s].kind for s in self.symbols if s in self.facts.symbols)

    @cached_property
    def own_range(self) -> bool:
        """Whether the address differs between all work-items, in each dimension that the kernel asks for."""
        every = [s for s in self.facts.symbols.values() if s.kind in _IDS]
        found = {(s.kind, s.dimension) for s in every if s.name in self.symbols}
        return all(
            ("global_id", d) in found or {("local_id", d), ("group_id", d)} <= found
            for d in {s.dimension for s in every}
        )

    @cached_property
    def indirect(self) -> bool:
        """Whether the address depends on a value from memory, or is not known at all."""
        return self.access.offset is None or bool(self.kinds & {"loaded", "carried"})

    @cached_property
    def gathered(self) -> bool:
        """Whether the address depends on a value that is loaded repeatedly, or is not known at all."""
        if self.access.offset is None:
            return True
        sources = (self.facts.symbols[s].loaded_from for s in self.symbols if s in self.facts.symbols)
        return any(not is_invariant(self.facts, self.facts.accesses[load]) for load in sources if load is not None)

    @cached_property
    def counters(self) -> frozenset[str]:
        """The counters of rolled loops that the address steps with."""
        return frozenset(loop.counter for loop in self.rolled) & self.symbols

    @cached_property
    def read_only(self) -> bool:
        """Whether nothing the kernel stores may change what is read before it is read."""
        return not self.order.stored_before(self.access, [loop.id for loop in self.carrying])

    @cached_property
    def stores_elsewhere(self) -> bool:
        """Whether the kernel stores to any of its buffers at all."""
        return any(a.op != "load" and a.space == "global" and a.pointer != HIDDEN for a in self.facts.accesses)

    @cached_property
    def reads_constants(self) -> bool:
        """Whether the kernel has a ``__constant`` argument."""
        return any(a.is_pointer and a.space == "constant" for a in self.facts.arguments)

    @cached_property
    def restrict(self) -> bool:
        """Whether the accessed pointer promises not to alias."""
        return self.argument is not None and self.argument.restrict

    @cached_property
    def conditions(self) -> tuple[Guard, ...]:
        """The conditions around the access, early returns aside."""
        return tuple(g for g in self.access.guards if not g.early_return)

    @cached_property
    def loaded_condition(self) -> bool:
        """Whether a value from memory decides if the access runs."""
        return any(g.loaded for g in self.access.guards)

    @cached_property
    def carrying(self) -> tuple[Loop, ...]:
        """The rolled loops that may carry a dependence on this buffer from one iteration to a later one."""
        name = self.access.pointer
        return tuple(o for o in self.rolled if o.ivdep is None or (o.ivdep and name not in o.ivdep))
