"""Rules that speak for one of the papers' observations on a unit."""

from collections.abc import Iterable
from typing import ClassVar

from burstline_server.answers.units import share_text
from burstline_server.costing import KernelAssessment
from burstline_server.rules.finding import Finding, Rule


class ObservationRule(Rule):
    """One finding for each unit that shows observation `number`."""

    number: ClassVar[int]

    def of_kernel(self, kernel: KernelAssessment) -> Iterable[Finding]:
        """Units that carry the observation."""
        for unit in kernel.estimate.units:
            for observation in unit.observations:
                if observation.number == self.number:
                    access = kernel.facts.accesses[unit.lsu.members[0]]
                    gain = f" ({share_text(observation.gain)} of the kernel's time)"
                    message = f"{self.name}, {access.pointer}: {observation.text}{gain}"
                    yield self.found(access.span, message, observation.gain)
