"""What users read, kept as text: tables, cards and messages.

`pytest tests/test_snapshots.py --write-snapshots` writes it. Figures are left out, since other tests
hold them: a snapshot changes with the words and the layout alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from burstline_server.assessment.assessor import Assessment, Assessor
from burstline_server.cli.text import text
from burstline_server.config.layers import find_file, read_file
from burstline_server.diagnostics.catalogue import RULES, findings_of
from burstline_server.presentation.card_text import markdown, plain
from burstline_server.presentation.cards import access_card, kernel_card
from burstline_server.words.findings import message_text
from tests.assessing import assess

ROOT = Path(__file__).resolve().parents[1]
SNAPSHOTS = Path(__file__).resolve().parent / "snapshots"
SHOWN = ("tour.cl", "paper/histogram.cl")


def example(name: str) -> Assessment:
    """An example under the settings of its folder."""
    path = ROOT / "examples" / name
    found = find_file(path.parent)
    return Assessor([path.parent]).assess(path.read_bytes(), name, [read_file(found)[0]] if found is not None else [])


def table(name: str) -> str:
    """What `burstline check` prints."""
    done = example(name)
    return text([(done, findings_of(done))], advise=True, columns="all")


def cards(name: str) -> str:
    """The cards of an example's kernels and accesses, as hover shows them and as plain text."""
    done = example(name)
    parts = list[str]()
    for kernel in done.kernels:
        card = kernel_card(done, kernel)
        parts += [markdown(card), plain(card)]
        parts += [markdown(access_card(done, kernel, access)) for access in kernel.facts.accesses]
    return "\n\n".join(parts)


def messages() -> Iterator[str]:
    """What each rule says of the example of its page."""
    for rule in RULES:
        for line in sorted(
            {message_text(f) for f in findings_of(assess(rule.example("Before"))) if f.code == rule.code}
        ):
            yield f"{rule.code}: {line}"


def without_figures(shown: str) -> str:
    """The words alone; columns keep no width, and addresses no folder."""
    shown = shown.replace(ROOT.as_uri(), "")
    lines = (
        re.sub(r" {2,}", "  ", line).rstrip()
        for line in re.sub(r"(?<![A-Za-z_\d])\d[\d.]*(?:[  ]\d{3}\b)*", "#", shown).splitlines()
    )
    return "\n".join(re.sub(r"─+|-{3,}", "---", line) for line in lines) + "\n"


MADE = {
    **{f"check_{Path(name).stem}": (lambda name=name: table(name)) for name in SHOWN},
    **{f"cards_{Path(name).stem}": (lambda name=name: cards(name)) for name in SHOWN},
    "messages": lambda: "\n".join(messages()),
}


@pytest.mark.parametrize("name", MADE)
def test_users_read_what_was_agreed(name: str, pytestconfig: pytest.Config) -> None:
    shown, path = without_figures(MADE[name]()), SNAPSHOTS / f"{name}.txt"
    if pytestconfig.getoption("--write-snapshots"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(shown, "utf-8")
    assert shown == path.read_text("utf-8")


LONGEST_MESSAGE = 100
EXAMPLES = sorted((ROOT / "examples").rglob("*.cl"))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_a_message_is_read_at_a_glance(path: Path) -> None:
    """At most a hundred characters come before the figures in brackets."""
    found = findings_of(example(str(path.relative_to(ROOT / "examples"))))
    said = {re.sub(r" \((?:kernel |give |scheduled: |\d).*$", "", message_text(finding)) for finding in found}
    assert {text for text in said if len(text) > LONGEST_MESSAGE} == set()


def test_the_messages_of_the_pages_are_read_at_a_glance() -> None:
    said = {re.sub(r"^BL\d+: | \((?:kernel |give |scheduled: |\d).*$", "", line) for line in messages()}
    assert {text for text in said if len(text) > LONGEST_MESSAGE} == set()
