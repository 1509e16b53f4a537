"""Where launches find their data (TYTRA, Section 2.3), for kernels and for sweeps of their variants."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from burstline_model.estimate.roofline import Form, sent_bytes, time_in
from burstline_model.record import Record
from burstline_server.assessment.costing import KernelAssessment

if TYPE_CHECKING:
    from burstline_model.explore.sweep import Sweep


class Place(Record):
    """A form, and the link to the host in GB/s, which A needs."""

    form: Form = "B"
    host_gb_s: float | None = None

    @property
    def on_chip(self) -> bool:
        """Whether no launch waits for the board's memory."""
        return self.form == "C"

    def launch_s(self, kernel: KernelAssessment) -> float | None:
        """The time of a launch."""
        now = kernel.estimate
        sent = sent_bytes(kernel.facts, kernel.launch, now)
        return time_in(self.form, now.time_s, now.compute_s, sent, self.host_gb_s)

    def sent(self, found: Sweep, kernel: KernelAssessment) -> Sweep:
        """A kernel's variants with the way from the host, which none of them changes."""
        if self.form != "A":
            return found
        sent = sent_bytes(kernel.facts, kernel.launch, kernel.estimate)
        way = time_in("A", 0.0, None, sent, self.host_gb_s) or 0.0
        return replace(found, time_s=found.time_s + way)


ON_BOARD = Place()
"""In the board's memory, as anywhere else."""
