"""Rules that each report one of the observations on a unit."""

from collections.abc import Iterable
from typing import ClassVar

from burstline_model.estimate.causes import causes_of
from burstline_server.assessment.costing import KernelAssessment
from burstline_server.diagnostics.finding import Finding, Related, Rule
from burstline_server.diagnostics.reasons import Pays, SameAt, gain_of


class ObservationRule(Rule):
    """One finding for each cause of observation `number`, at the unit that takes longest; its other places with it."""

    number: ClassVar[int]

    def of_kernel(self, kernel: KernelAssessment) -> Iterable[Finding]:
        """Units that carry the observation."""
        for (unit, worst), *rest in causes_of(kernel.facts, kernel.estimate.units):
            if worst.number != self.number:
                continue
            access = kernel.facts.accesses[unit.lsu.members[0]]
            others = (kernel.facts.accesses[u.lsu.members[0]] for u, _ in rest)
            related = tuple(Related(a.span, SameAt(f"{a.pointer}[{a.index}]")) for a in others)
            reason = Pays(access.pointer, worst.change, gain_of(kernel.estimate, worst.after_s))
            yield self.found(access.span, reason, worst.gain, related)
