"""Rules that each report one of the observations on a unit."""

from collections import defaultdict
from collections.abc import Iterable
from typing import ClassVar

from burstline_model.estimate.kernel_estimate import Observation, UnitEstimate
from burstline_server.assessment.costing import KernelAssessment
from burstline_server.diagnostics.finding import Finding, Related, Rule
from burstline_server.diagnostics.reasons import Gain, Pays, SameAt


class ObservationRule(Rule):
    """One finding for each cause of observation `number`, at the unit that takes longest; its other places with it."""

    number: ClassVar[int]

    def of_kernel(self, kernel: KernelAssessment) -> Iterable[Finding]:
        """Units that carry the observation."""
        causes: dict[str, list[tuple[UnitEstimate, Observation]]] = defaultdict(list)
        for unit in kernel.estimate.units:
            for observation in unit.observations:
                if observation.number == self.number:
                    pointer = kernel.facts.accesses[unit.lsu.members[0]].pointer
                    causes[observation.cause or pointer].append((unit, observation))
        for places in causes.values():
            unit, worst = max(places, key=lambda p: (p[1].gain, p[0].time_s or p[0].time_item_s or 0.0))
            access = kernel.facts.accesses[unit.lsu.members[0]]
            others = (kernel.facts.accesses[u.lsu.members[0]] for u, _ in places if u is not unit)
            related = tuple(Related(a.span, SameAt(f"{a.pointer}[{a.index}]")) for a in others)
            reason = Pays(access.pointer, worst.change, Gain(kernel.estimate.time_s, worst.after_s))
            yield self.found(access.span, reason, worst.gain, related)
