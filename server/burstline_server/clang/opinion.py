"""What libclang adds to a file's own faults: errors that these do not name already, in the same words."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from burstline_server.clang.clang_text import question
from burstline_server.clang.process import Clang, Diagnostic
from burstline_server.clang.wording import worded
from burstline_server.faults.checked import Checked
from burstline_server.faults.fault import Fault, FaultKind
from burstline_server.faults.file_faults import is_build_name
from burstline_server.faults.known_names import is_known
from burstline_server.faults.placed import placed
from burstline_server.source.source import Source

NEAR_LINES = 1
"""Two faults of one kind this near to each other are one."""
_TOKEN = re.compile(rb"\w+|\S")
_NAME = re.compile(r"(?:use of undeclared identifier|unknown type name|implicit declaration of function) '(\w+)'")
_UNKNOWN_TYPE = "unknown type name"
"""What clang says of names that are declared with such a type, and of where they are used, follows from it."""
_MEMBER = re.compile(r"no member named")
_DOUBTFUL = re.compile(
    r"is ambiguous$|^typedef redefinition|can only be used as a function parameter in OpenCL$"
    r"|in the local address space can only be declared|cannot be declared in local address space$|__generic"
    r"|cannot be used as the type of a kernel parameter$|^atomic variable can be|exceeded maximum"
    r"|^type specifier missing"
)
"""What the vendor's compiler may take otherwise: overloads and types of its own headers, where pipes, local arrays and
atomics are declared, kernel arguments of type bool, pointers to no named memory, declarations without a type; and
limits of clang's."""
Range = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Answer:
    """What clang finds wrong with a text, the one that it read."""

    text: bytes
    diagnostics: tuple[Diagnostic, ...]

    def join(self, source: Source, found: Checked) -> Checked:
        """The faults of a file with these, where that is still the file's text."""
        return joined(source, found, self.diagnostics) if question(source, found.faults) == self.text else found


def second_opinion(clang: Clang, source: Source, found: Checked) -> Checked:
    """The faults of a file with those that clang adds."""
    answer = answer_about(clang, source, found.faults)
    return joined(source, found, answer.diagnostics) if answer is not None else found


def answer_about(clang: Clang, source: Source, faults: Collection[Fault], known: Answer | None = None) -> Answer | None:
    """What clang finds wrong with a file; None where that is nothing, or `known`, or where it cannot judge the file."""
    if not clang.present or (text := question(source, faults)) is None or (known is not None and known.text == text):
        return None
    diagnostics = clang.errors(text)
    return Answer(text, tuple(diagnostics)) if diagnostics else None


def joined(source: Source, found: Checked, diagnostics: Sequence[Diagnostic]) -> Checked:
    """The faults of a file with those of clang's that they do not name already, and that clang can judge."""
    if any(_is_given(source, one) for one in diagnostics):
        return found
    added = list(_Joining(source, found).added(diagnostics))
    return found.with_more(added) if added else found


def _is_given(source: Source, diagnostic: Diagnostic) -> bool:
    """Whether clang misses a name that the build may give."""
    name = _name(diagnostic)
    return name is not None and (is_build_name(name) or name in source.macros)


def _name(diagnostic: Diagnostic) -> str | None:
    match = _NAME.match(diagnostic.message)
    return match[1] if match else None


def _kind(diagnostic: Diagnostic) -> FaultKind:
    if _NAME.match(diagnostic.message) or _MEMBER.match(diagnostic.message):
        return "undeclared"
    parse = diagnostic.category.startswith("Parse") or diagnostic.message.startswith("unterminated /*")
    return "syntax" if parse else "refused"


@dataclass(frozen=True, slots=True)
class _Joining:
    source: Source
    found: Checked

    def added(self, diagnostics: Sequence[Diagnostic]) -> Iterator[tuple[Range, Fault]]:
        """The faults to add, each with its section."""
        source = self.source
        lines = {(f.kind, source.lines.line_of(f.span.start)) for f in self.found.faults}
        broken = min((r[0] for r, own in self.found.sections if any(f.kind == "syntax" for f in own)), default=None)
        ours = min((line for kind, line in lines if kind == "syntax"), default=0)
        untyped = {r for r, own in self.found.sections if any(f.message.startswith(_UNKNOWN_TYPE) for f in own)}
        unjudged = {source.section_at(d.place) for d in diagnostics if _is_unjudged(d)}
        for one in diagnostics:
            if not 0 <= one.place < len(source.text):
                continue
            section, fault = source.section_at(one.place), self._fault(one)
            line = source.lines.line_of(fault.span.start)
            # Of a text that is not understood, clang may know the place better: that of the first token that is wrong.
            if broken is not None and one.place >= broken and (fault.kind != "syntax" or line >= ours):
                continue
            if section in unjudged or section in untyped or _DOUBTFUL.search(one.message):
                continue
            if not any((fault.kind, line + by) in lines for by in range(-NEAR_LINES, NEAR_LINES + 1)):
                yield section, fault
            if fault.kind == "syntax":
                return  # what follows is often its consequence

    def _fault(self, one: Diagnostic) -> Fault:
        token = _TOKEN.match(self.source.text, one.place)
        end = token.end() if token else one.place + 1
        return placed(self.source, _kind(one), one.place, end, worded(one.message))


def _is_unjudged(diagnostic: Diagnostic) -> bool:
    """Whether clang does not know what the vendor's compiler does."""
    name = _name(diagnostic)
    return name is not None and is_known(name)
