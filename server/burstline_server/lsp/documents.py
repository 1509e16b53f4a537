"""The open documents of an editor session: their texts as the editor has them, and their assessments."""

from __future__ import annotations

import re
import time
from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from secrets import token_hex
from typing import TYPE_CHECKING

from lsprotocol import types
from pygls import uris

from burstline_model.facts import Access, Span
from burstline_server.assessment.assessor import Assessment, OtherReading
from burstline_server.assessment.costing import KernelAssessment
from burstline_server.diagnostics.catalogue import FAULTS
from burstline_server.diagnostics.finding import Finding, Findings
from burstline_server.diagnostics.reasons import CompilerMessage
from burstline_server.source.edit import difference
from burstline_server.source.lines import Encoding, LineTable

if TYPE_CHECKING:  # loaded where they are asked for
    from burstline_server.clang.opinion import Answer
    from burstline_server.names.name_table import NameTable

_WORD_END, _WORD_START = re.compile(rb"\w+\Z"), re.compile(rb"\w{1,99}")
MAX_WORD = 99
"""Longest word that is looked at."""
PAUSE_S = 0.7
"""How long typing must pause before faults of the program are shown."""
_REVISIONS = count(1)
_PROCESS = token_hex(4)
Change = types.TextDocumentContentChangeEvent


def stamp_of(number: int) -> str:
    """A number in words that no other server said, not even the one before a restart."""
    return f"{_PROCESS}-{number}"


def path_of(uri: str) -> Path:
    """The file that an address names, present or not; a bare name where no file can be called so or looked at."""
    path = Path(uris.to_fs_path(uri) or uri)
    try:
        path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return path
    except (OSError, ValueError):
        return Path("unnamed.cl")
    return path


@dataclass
class Document:
    """One open document. `assessment` belongs to `assessed`, the version it was made from, or is still to come."""

    uri: str
    path: Path
    text: bytes
    version: int
    assessed: int | None = None
    assessment: Assessment | None = None
    findings: Findings = field(default_factory=Findings)
    diagnosed: dict[object, bytes] = field(default_factory=dict)
    """The findings of kernels as they were last sent."""
    hints_shown: bool = False
    revision: int = 0
    """Distinguishes one taken assessment from every other of the session."""

    names: NameTable | None = None
    """The names that were last asked for."""
    tokens: tuple[str, array[int]] | None = None
    """The semantic tokens that were last sent, with their stamp."""

    lines: LineTable = field(init=False)
    """The lines of the text."""

    answer: Answer | None = None
    """What libclang said last."""

    other: OtherReading | None = None
    """What LLVM knows of the text that it was asked about last."""

    edited_at_s: float | None = None
    """When the text was last edited, on the clock that never goes back; None where it is as it was opened or saved."""
    edited: tuple[int, int] = (0, 0)
    """Where it was last edited."""

    changes_outside: int = 0
    """How often something that the assessment depends on has changed outside the text."""

    def __post_init__(self) -> None:
        self.lines = LineTable(self.text)

    @property
    def stamp(self) -> str:
        """The revision in words."""
        return stamp_of(self.revision)

    def outdate(self) -> None:
        """What the assessment depends on has changed: the one there is, or under way, does not count any more."""
        self.assessed = None
        self.changes_outside += 1

    def take(self, assessment: Assessment, findings: Findings, version: int) -> None:
        """Take the assessment of a version of the text."""
        self.assessment, self.findings, self.assessed = assessment, findings, version
        self.revision = next(_REVISIONS)

    @property
    def typing(self) -> bool:
        """Whether the last edit was made a moment ago."""
        return self.edited_at_s is not None and time.monotonic() - self.edited_at_s < 0.9 * PAUSE_S

    def saved(self) -> bool:
        """The text was saved: nothing of it is unfinished. Returns whether faults are to be shown for that."""
        waiting = self.faults_waiting()
        self.edited_at_s = None
        return waiting

    def show_faults(self) -> None:
        """What was said of the document so far does not hold any more: faults are shown from now on."""
        self.revision = next(_REVISIONS)

    def faults_waiting(self) -> bool:
        """Whether faults of the program are not shown as yet."""
        return any(self.is_waiting(f) for f in self.findings.others)

    def is_waiting(self, finding: Finding) -> bool:
        """Whether a finding is a fault that is not shown: while one types, and where the statement is not finished."""
        if finding.code not in FAULTS or self.edited_at_s is None:
            return False
        if self.typing:
            return True
        if finding.code == FAULTS[0]:
            return self._opens_more or self._in_statement(finding.span)
        return not self._ended and (self._in_statement(finding.span) or self._names_word(finding))

    def _names_word(self, finding: Finding) -> bool:
        """Whether a finding at another place, an include that is missing, is about the word that was edited last."""
        reason, end = finding.reason, self.edited[1]
        before, behind = _WORD_END.search(self.text[:end][-MAX_WORD:]), _WORD_START.match(self.text, end)
        word = b"".join(m[0] for m in (before, behind) if m).decode()
        return bool(word) and isinstance(reason, CompilerMessage) and word in re.split(r"\W+", reason.text)

    def _in_statement(self, span: Span) -> bool:
        """Whether a place belongs to the statement that was edited last."""
        start, end = self.edited
        low = max(self.text.rfind(sign, 0, start) for sign in (b";", b"{", b"}")) + 1
        following = [place for sign in (b";", b"{", b"}") if (place := self.text.find(sign, end)) >= 0]
        high = min(following, default=len(self.text))
        return min(low, self._line[0]) <= span.end and span.start <= high

    @property
    def _line(self) -> tuple[int, int]:
        """Where the lines begin and end that were edited last."""
        start, end = self.edited
        stop = self.text.find(b"\n", end)
        return self.text.rfind(b"\n", 0, start) + 1, stop if stop >= 0 else len(self.text)

    @property
    def _opens_more(self) -> bool:
        """Whether a block is opened, and not closed, where the text was edited last."""
        opened = self.text[slice(*self._line)]
        return any(opened.count(a) > opened.count(b) for a, b in ((b"{", b"}"), (b"(", b")"), (b"[", b"]")))

    @property
    def _ended(self) -> bool:
        """Whether the statement that was edited last ends: behind the cursor on its line, or right before it."""
        end = self.edited[1]
        return b";" in self.text[end : self._line[1]] or self.text[:end].rstrip()[-1:] in {b";", b"{", b"}"}

    def apply(self, changes: Sequence[Change], version: int, encoding: Encoding) -> None:
        """Edit the text as the editor says; positions count in `encoding`'s units, lines end at LF, CR LF or CR."""
        if version == self.version:  # an editor that does not count
            self.outdate()
        self.edited_at_s = time.monotonic()
        for change in changes:
            new = change.text.encode("utf-8", "replace")
            if isinstance(change, types.TextDocumentContentChangePartial):
                start = self.lines.offset(change.range.start.line, change.range.start.character, encoding)
                end = self.lines.offset(change.range.end.line, change.range.end.character, encoding)
                end = max(start, end)
                self.text = self.text[:start] + new + self.text[end:]
                self.lines = self.lines.edited(self.text, start, end, start + len(new))
                self.edited = (start, start + len(new))
            else:
                edit = difference(self.text, new)
                self.edited = (edit.start, edit.new_end)
                self.text, self.lines = new, LineTable(new)
        self.version = version

    def access_at(self, offset: int) -> tuple[KernelAssessment, Access] | None:
        """The innermost access whose text covers a byte offset; of several at one place the one that takes the most."""
        found = list[tuple[KernelAssessment, Access]]()
        for kernel in self.assessment.kernels_at(offset, offset) if self.assessment is not None else ():
            for access in kernel.facts.accesses:
                span = access.span
                if span.file is None and span.start <= offset < max(span.end, span.start + 1):
                    found.append((kernel, access))
        return min(found, key=lambda o: (o[1].span.end - o[1].span.start, -o[0].share_of(o[1])), default=None)

    def kernel_at(self, offset: int) -> KernelAssessment | None:
        """The kernel whose name covers a byte offset."""
        for kernel in self.assessment.kernels_at(offset, offset) if self.assessment is not None else ():
            span = kernel.facts.name_span
            if span.file is None and span.start <= offset <= span.end:
                return kernel
        return None
