"""A finding, and what a rule is."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import chain
from typing import ClassVar, Literal

from burstline_model.facts import Span
from burstline_model.record import fixed
from burstline_server.analysis.reuse import Layout, moved
from burstline_server.assessment.assessor import Assessment
from burstline_server.assessment.costing import KernelAssessment, KernelCost
from burstline_server.diagnostics.reasons import Part, Reason

Severity = Literal["hint", "information", "warning", "error"]
LARGE_SHARE = 0.2
"""From this share of the kernel's time on, a finding is information; below, a hint."""


@fixed
class Related:
    """Another place that takes part in a finding."""

    span: Span
    part: Part


@fixed
class Finding:
    """Something the user should know about a place of the file. `share` is the kernel time at stake, if known."""

    code: str
    name: str
    severity: Severity
    span: Span
    reason: Reason
    share: float | None = None
    related: tuple[Related, ...] = ()

    def placed(self, at: Callable[[Span], Span]) -> Finding:
        """The same finding with every place moved."""
        related = tuple(Related(at(r.span), r.part) for r in self.related) if self.related else ()
        return Finding(self.code, self.name, self.severity, at(self.span), self.reason, self.share, related)


@fixed
class Group:
    """The findings in the text of one kernel, with places of when it was laid out as `home`; it is as `now`.

    The same kernel at the same cost has the same.
    """

    kernel: KernelCost
    home: Layout
    now: Layout
    findings: tuple[Finding, ...]

    def __iter__(self) -> Iterator[Finding]:
        if self.home == self.now:
            return iter(self.findings)
        return (f.placed(lambda span: moved(span, self.home, self.now)) for f in self.findings)


class Findings(Collection[Finding]):
    """The findings of a file in order of place: those of each kernel's own text, and the others."""

    def __init__(self, groups: Sequence[Group] = (), others: Sequence[Finding] = ()) -> None:
        self.groups, self.others = groups, others

    def __len__(self) -> int:
        return sum(len(g.findings) for g in self.groups) + len(self.others)

    def __contains__(self, finding: object) -> bool:
        return any(finding == one for one in self)

    def __iter__(self) -> Iterator[Finding]:
        return iter(sorted(chain(self.others, *self.groups), key=lambda f: (f.span.start, f.code)))


class Rule:
    """A kind of finding. The docstring is its documentation: what, why, and an example before and after.

    The sections ``Before:`` and ``After:`` hold OpenCL that shows the finding, and that does not.
    """

    code: ClassVar[str]
    name: ClassVar[str]
    settings: ClassVar[str] = ""
    """Settings of the example, as a ``// burstline:`` comment takes them."""
    build: ClassVar[str] = ""
    """The ``report_data.js`` of a build next to the example, for rules that speak of one."""

    once: ClassVar[bool] = False
    """Whether the same message is reported once for a file."""

    def of_file(self, assessment: Assessment) -> Iterable[Finding]:  # noqa: ARG002 - most rules look at kernels only
        """The findings of this kind in a file outside its kernels."""
        return ()

    def of_kernel(self, kernel: KernelAssessment) -> Iterable[Finding]:  # noqa: ARG002 - some look at the file only
        """The findings of this kind in a kernel; they follow from it alone."""
        return ()

    def found(
        self, span: Span, reason: Reason, share: float | None = None, related: tuple[Related, ...] = ()
    ) -> Finding:
        """A finding; how severe follows from the share of the kernel's time."""
        severity: Severity = "information" if share is None or share >= LARGE_SHARE else "hint"
        return Finding(self.code, self.name, severity, span, reason, share, related)

    @classmethod
    def documentation(cls) -> str:
        """The rule's page in Markdown."""
        text = inspect.cleandoc(cls.__doc__ or "")
        text = re.sub(r"^(Before|After):\n\n((?:    .*\n?|\n)+)", _example, text, flags=re.MULTILINE)
        return f"# {cls.code}: {cls.name}\n\n{text.strip()}\n"

    @classmethod
    def example(cls, section: Literal["Before", "After"]) -> str:
        """The OpenCL of a section of the docstring."""
        text = inspect.cleandoc(cls.__doc__ or "")
        match = re.search(rf"^{section}:\n\n((?:    .*\n?|\n)+)", text, flags=re.MULTILINE)
        code = inspect.cleandoc(match[1]) if match else ""
        return f"// burstline: {cls.settings}\n\n{code}\n" if cls.settings else f"{code}\n"


def _example(match: re.Match[str]) -> str:
    code = inspect.cleandoc(match[2])
    return f"{match[1]}:\n\n```c\n{code}\n```\n\n"
