"""What the rules about faults of the program share."""

from collections.abc import Iterable
from typing import ClassVar

from burstline_server.assessment.assessor import Assessment
from burstline_server.diagnostics.finding import Finding, Rule, Severity
from burstline_server.diagnostics.reasons import CompilerMessage
from burstline_server.faults.fault import FaultKind


class FaultRule(Rule):
    """A kind of fault. Those that a definition of the build would mend are warnings."""

    kind: ClassVar[FaultKind]

    def of_file(self, assessment: Assessment) -> Iterable[Finding]:
        """The faults of this kind."""
        for fault in assessment.faults:
            if fault.kind == self.kind:
                severity: Severity = "warning" if fault.given else "error"
                yield Finding(self.code, self.name, severity, fault.span, CompilerMessage(fault.message))
