"""The shapes that compiler reports teach, in kernels of our own: each access gets the units a report showed for it.

Every row of the rules is in force here, those that are off by default among them.

A fixture's first line names the device family and compiler version of its labels; a label may name others. A label
is a unit's style and width, ``xN`` for several of them, ``merged`` where another access's unit serves it.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

from burstline_model.compiler.infer import infer
from burstline_model.compiler.lsu_rules.rulebook import UNREFUTED
from burstline_model.facts import Access
from burstline_server.assessment.assessor import Assessment
from tests.assessing import assess
from tests.fixtures import Label, fixture_files, labels

FOLDER = Path(__file__).parent / "shapes"
_TARGET = re.compile(r"(?P<family>(?:Cyclone|Stratix|Arria|Agilex)(?: \w+)?) (?P<version>\d+\.\d)(?:: )?")


@cache
def assessed(path: Path, family: str, version: str) -> Assessment:
    """A fixture for one target."""
    return assess(path.read_text("utf-8"), device_family=family, aoc_version=version)


def cases() -> list[tuple[Path, Label, str, str, str]]:
    """Every label of every fixture with its target."""
    found = []
    for path in fixture_files(FOLDER):
        code = path.read_text("utf-8")
        own = _TARGET.search(code.splitlines()[0])
        assert own is not None, f"{path.name} names no target"
        for label in labels(code):
            target = _TARGET.match(label.text)
            text = label.text[target.end() :] if target else label.text
            chosen = target or own
            found.append((path, label, chosen["family"], chosen["version"], text))
    return found


def units_on(assessment: Assessment, access: Access) -> str:
    """The units of an access, as labels write them."""
    kernel = next(k for k in assessment.kernels if any(a is access for a in k.facts.accesses))
    lsus = infer(kernel.facts, assessment.target, UNREFUTED)
    own = [u for u in lsus if u.members[0] == access.id]
    if not own:
        return "merged" if any(access.id in u.members for u in lsus) else "none"
    return " + ".join(f"{u.style} {u.width_bits}{f' x{u.count}' if u.count > 1 else ''}" for u in own)


@pytest.mark.parametrize(
    ("path", "label", "family", "version", "expected"),
    cases(),
    ids=lambda v: v.stem if isinstance(v, Path) else str(v.line) if isinstance(v, Label) else str(v),
)
def test_units(path: Path, label: Label, family: str, version: str, expected: str) -> None:
    assessment = assessed(path, family, version)
    lines = path.read_text("utf-8").splitlines(keepends=True)
    before = "".join(lines[: label.line - 1])
    start, end = (len((before + lines[label.line - 1][:at]).encode()) for at in (label.start, label.end))
    found = [
        units_on(assessment, a)
        for k in assessment.kernels
        for a in k.facts.accesses
        if (a.span.start, a.span.end) == (start, end)
    ]
    assert expected in found
