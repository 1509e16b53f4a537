"""Rules that each report one of the observations on a unit."""

from collections import defaultdict
from collections.abc import Iterable
from typing import ClassVar

from burstline_model.estimate.answer import Observation, UnitEstimate
from burstline_server.assessment.costing import KernelAssessment
from burstline_server.diagnostics.finding import Finding, Related, Rule
from burstline_server.presentation.words.changes import change_text
from burstline_server.quantities import gain_text


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
            related = tuple(Related(a.span, f"the same holds for {a.pointer}[{a.index}]") for a in others)
            gain = gain_text(kernel.estimate.time_s, worst.after_s)
            message = f"{self.name}, {access.pointer}: {change_text(worst.change)}{gain}"
            yield self.found(access.span, message, worst.gain, related)
