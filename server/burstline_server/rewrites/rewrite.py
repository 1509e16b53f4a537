"""What a rewrite is, and what it offers for a kernel."""

from __future__ import annotations

import inspect
import re
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import field
from typing import ClassVar, Literal

from burstline_model.facts import KernelFacts, Span
from burstline_model.record import fixed
from burstline_server.assessment.assessor import Assessment
from burstline_server.assessment.costing import KernelAssessment
from burstline_server.diagnostics.finding import Finding
from burstline_server.interpreter.host_side import HostSide
from burstline_server.rewrites.other_builds import is_one_in_all
from burstline_server.rewrites.reasons import Name, Obstacle, ObstacleKind, Reason, Title

Kind = Literal["proved", "host", "assertion"]
"""Proved from the source (and the host's launches); right with a change of the host program; with a user's promise."""


WORTH_OFFERING = 1.05
"""Least speed-up, where one is known, that an edit is offered for."""


@fixed
class TextEdit:
    """Bytes `start` to `end` of the user's file become `text`."""

    start: int
    end: int
    text: str


@fixed
class Offer:
    """One edit of a file that can be made. `title` says what it does and what it needs, not what it gains.

    `spans` are the places it is offered at, `codes` the findings it answers, `kernel` whose time it changes.
    """

    title: Title
    kind: Kind
    kernel: str
    edits: tuple[TextEdit, ...]
    spans: tuple[Span, ...]
    codes: tuple[str, ...] = ()
    replaced_by: tuple[str, ...] = ()
    """The kernels that replace `kernel` after the edit and run at the same time, where it goes."""
    joined: tuple[str, ...] = ()
    """The kernels that channels join, `kernel` among them, where it changes all of them; `replaced_by` are the same."""
    arguments: Mapping[str, int] = field(default_factory=dict)
    """Values of scalar arguments that it adds, for pricing."""
    launch: Mapping[str, str] = field(default_factory=dict)
    """Settings of the kernel's launch that the host changes with it, for pricing."""
    launched_for: int | None = None
    """The loop of `kernel` for each of whose iterations the host launches what replaces it."""
    host: str = ""
    """What the host program does for it, as C text, where that needs saying."""
    subjects: tuple[str, ...] = ()
    """The arguments that it lays out anew: in one run, only those that the first text has."""
    worth: float = WORTH_OFFERING
    """The same for this edit: more where it takes hardware that is to be of use."""
    host_side: HostSide | None = None
    """What must hold outside the text, where the edit is no proof and changes statements or where data lie."""

    @property
    def id(self) -> str:
        """What distinguishes it from the other edits of its text, whatever its title says."""
        change = self.title
        parts = [self.kernel, change.kind, *change.names, *(part for one in change.asserts for part in one.names)]
        parts += ["kept_first"] if change.kept_first else []
        parts += ["over_items"] if change.over_items else []
        parts += [f"each {change.each}"] if change.each else []
        parts += [f"line {change.line}"] if change.line is not None else []
        return "/".join("+".join(part) if isinstance(part, tuple) else str(part) for part in parts)

    @property
    def is_executed(self) -> bool:
        """Whether it is executed before it is offered: all but attributes and qualifiers, which no statement sees."""
        return self.kind == "proved" or self.host_side is not None

    def answers(self, finding: Finding) -> bool:
        """Whether the edit is made for a finding, at that finding's place."""
        return finding.code in self.codes and finding.span in self.spans

    def applied(self, text: bytes) -> bytes:
        """The text with the edits made."""
        return edited(text, self.edits)


@fixed
class Refusal:
    """An edit that one would expect at `spans` and that cannot be offered, with the reason."""

    title: Title
    reason: Reason
    spans: tuple[Span, ...]
    kernel: str = ""
    codes: tuple[str, ...] = ()
    """The findings that it would answer."""


class NotOfferedError(Exception):
    """An edit that suggests itself is not offered: what is in its way, with the names that belong to it."""

    def __init__(self, why: ObstacleKind | Reason, *names: Name) -> None:
        self.reason: Reason = Obstacle(why, names) if isinstance(why, str) else why
        super().__init__(self.reason)


@fixed
class Candidate:
    """An edit that suggests itself at `spans`. `make` returns it, or raises `NotOfferedError` with the reason."""

    title: Title
    spans: tuple[Span, ...]
    make: Callable[[], Offer]


_NOT_ALL = {
    "calls_itself", "calls_too_deep", "kernel_too_large", "nested_more", "nested_too_deeply", "program_error",
    "unknown_origin",
}  # fmt: skip
"""Remarks on kernels of which some accesses are not among the facts."""


class Rewrite(ABC):
    """A kind of edit. The docstring says what it does, when it is offered, and what it needs."""

    name: ClassVar[str]
    codes: ClassVar[tuple[str, ...]] = ()
    """The findings that it answers."""
    moves_nothing: ClassVar[bool] = False
    """Whether no statement is other than before: attributes, pragmas and names alone."""

    @classmethod
    def documentation(cls) -> str:
        """What the edit does, as a paragraph under its name."""
        return f"**{cls.name[:1].upper()}{cls.name[1:]}.** {inspect.cleandoc(cls.__doc__ or '').strip()}\n"

    @abstractmethod
    def candidates(self, assessment: Assessment, kernel: KernelAssessment) -> Iterable[Candidate]:
        """The places of a kernel where the edit suggests itself."""

    def offers(self, assessment: Assessment, kernel: KernelAssessment) -> Iterable[Offer]:
        """The edits of this kind for a kernel."""
        for candidate in self.candidates(assessment, kernel):
            try:
                yield self.made(candidate, kernel.facts, assessment)
            except NotOfferedError:
                continue

    def made(self, candidate: Candidate, facts: KernelFacts, assessment: Assessment) -> Offer:
        """The edit; raises `NotOfferedError`, as well where the facts do not show all that the kernel reaches.

        So it does where another build of the file may leave a part of the edit out.
        """
        if not self.moves_nothing and any(one.kind in _NOT_ALL for one in facts.remarks):
            raise NotOfferedError("not_all_read")
        if not self.moves_nothing and facts.mixed:
            raise NotOfferedError("leads_to_several", facts.mixed[0])
        if not self.moves_nothing and facts.index_first:
            raise NotOfferedError("index_first")
        offer = candidate.make()
        places = ((one.start, one.end) for one in offer.edits)
        if not is_one_in_all(assessment.source.original, places, facts.span, moves_nothing=self.moves_nothing):
            raise NotOfferedError("has_directives")
        return offer

    def refusals(self, assessment: Assessment, kernel: KernelAssessment) -> Iterable[Refusal]:
        """The places where the edit suggests itself and cannot be made."""
        for candidate in self.candidates(assessment, kernel):
            try:
                self.made(candidate, kernel.facts, assessment)
            except NotOfferedError as error:
                yield Refusal(candidate.title, error.reason, candidate.spans, kernel.facts.name, self.codes)


def edited(text: bytes, edits: Iterable[TextEdit], start: int = 0) -> bytes:
    """A piece of a file, which begins at byte `start` of it, with edits made."""
    for edit in sorted(edits, key=lambda e: (e.start, e.end), reverse=True):
        text = text[: edit.start - start] + edit.text.encode() + text[edit.end - start :]
    return text


def line_end(text: bytes) -> str:
    """The line end that a file uses."""
    return "\r\n" if b"\r\n" in text else "\n"


def indent_at(text: bytes, offset: int) -> str:
    """What the line of an offset is indented by."""
    line = text[text.rfind(b"\n", 0, offset) + 1 : offset]
    return line[: len(line) - len(line.lstrip(b" \t"))].decode("ascii")


_LINE = re.compile(r"(?<!\\)(?<!\\\r)\n")


def goes_on(text: bytes, line: int) -> bool:
    """Whether a line, by its first byte, goes on with what a backslash ends before it: blanks would part a word."""
    return text[max(line - 3, 0) : line].rstrip(b"\r\n").endswith(b"\\")


def moved_in(text: str, step: str) -> str:
    """The lines of a text, but for the first and for those that go on with the one before, further to the right."""
    return _LINE.sub(f"\n{step}", text)


_FIRST_IN_BLOCK = re.compile(rb"^( *)(?![ \t])[^\n]*\{[ \t]*\r?\n( +)\S", re.MULTILINE)


def step_in(text: bytes, indent: str) -> str:
    """What a block is indented by, next to a line with some indentation: a tab, or as many blanks as the file uses."""
    if "\t" in indent:
        return "\t"
    steps = Counter(len(inner) - len(outer) for outer, inner in _FIRST_IN_BLOCK.findall(text))
    usual = [step for step, _ in steps.most_common() if step > 0]
    return " " * usual[0] if usual else "    "


def after_comment(text: bytes, end: int) -> int:
    """Where a statement ends, or the comment behind it that the line ends with."""
    stop = text.find(b"\n", end)
    rest = text[end:stop].strip() if stop >= 0 else b""
    single = rest.startswith(b"//") and not rest.endswith(b"\\")
    block = rest.startswith(b"/*") and rest.find(b"*/") == len(rest) - 2
    return end + len(text[end:stop].rstrip()) if single or block else end


def in_front_of(text: bytes, offset: int) -> tuple[int, str] | None:
    """Where the line of an offset starts and its indentation; None when something else comes before it there."""
    start = text.rfind(b"\n", 0, offset) + 1
    before = text[start:offset]
    return (start, before.decode("ascii")) if before.strip(b" \t") == b"" else None


def above_kernel(text: bytes, name: int, *, comments: bool = False) -> int:
    """Where the lines of a kernel's head begin, attributes (and comments) above it with them; `name` is in the head."""
    at = text.rfind(b"\n", 0, text.rfind(b"kernel", 0, name)) + 1
    while at:
        before = text.rfind(b"\n", 0, at - 1) + 1
        if not text[before:at].startswith((b"__attribute__", b"//") if comments else b"__attribute__"):
            break
        at = before
    return at
