"""From source text to what is shown at a place: findings, initiation intervals, hints, and edits that are offered."""

from pathlib import Path

import pytest

from burstline_server.assessment.assessor import Assessment, Assessor
from burstline_server.diagnostics.catalogue import findings_of
from burstline_server.presentation.hints import line_hints
from burstline_server.rewrites.catalogue import offers_of
from burstline_server.words.edits import title_text
from burstline_server.words.findings import message_text
from tests.fixtures import fixture_files, labels

FOLDER = Path(__file__).parent / "fixtures"


def shown_at(done: Assessment, start: int, end: int) -> list[str]:
    """What is shown at exactly this range of the text; loops, hints and edits: at what starts there."""
    found = [f"{f.code} {message_text(f)}" for f in findings_of(done) if (f.span.start, f.span.end) == (start, end)]
    for kernel in done.kernels:
        loops = kernel.facts.loops
        found += [f"II {one.ii:g}" for one in kernel.estimate.loops if one.ii and loops[one.loop].span.start == start]
    found += [f"hint {hint.text}" for hint in line_hints(done, done.kernels) if hint.about == start]
    offers = offers_of(done)
    return found + [f"edit {title_text(o.title)}" for o in offers if any(span.start == start for span in o.spans)]


@pytest.mark.parametrize("path", fixture_files(FOLDER), ids=lambda p: p.stem)
def test_what_is_shown_at_a_place_begins_as_its_label_says(path: Path) -> None:
    code = path.read_text("utf-8")
    done = Assessor().assess(code, str(path), [])
    lines = code.splitlines(keepends=True)
    expected = labels(code)
    assert expected
    wrong = []
    for label in expected:
        before = len("".join(lines[: label.line - 1]).encode())
        found = shown_at(done, before + label.start, before + label.end)
        if not any(text.startswith(label.text) for text in found):
            wrong.append(f"{path.name}:{label.line} {label.text!r}, found {found}")
    assert wrong == []
