"""One vocabulary: the field's words in names, docstrings, help texts and messages."""

from __future__ import annotations

import ast
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PRIVATE = re.compile(r"(?i:\b(?:told|tells?|beside|stands?|stood|wanted|spoken|meant)\b)")
"""Words that meant too many things here; say what it is: sent, shown, next to, is in, requested."""
PARTICIPLES = {"Found", "Known", "Reading", "Readings", "Costed", "Costing", "Costs", "Assessed", "Written"}
"""Names of classes that do not say what they hold."""
PYTHON = sorted([*(ROOT / "server").rglob("*.py"), *(ROOT / "model").rglob("*.py")])
TEXTS = sorted(
    [
        *(ROOT / "server").rglob("*.js"),
        *(ROOT / "server").rglob("*.toml"),
        *(ROOT / "model").rglob("*.toml"),
        *(ROOT / "vscode-client" / "src").rglob("*.ts"),
        ROOT / "vscode-client" / "package.json",
        ROOT / "vscode-client" / "package.nls.json",
        *(ROOT / "docs").glob("[!a-z]*.md"),
        *(ROOT / "docs" / "decisions").glob("*.md"),
        *(ROOT / "docs" / "editors").glob("*.md"),
        *(ROOT / "docs" / "rules").glob("*.md"),
        *((ROOT / "docs" / f"{name}.md") for name in ("architecture", "glossary", "resources", "security", "usage")),
        *ROOT.glob("*.md"),
    ]
)


def words_of(name: str) -> str:
    """The words of an identifier, apart."""
    return re.sub(r"_|(?<=[a-z])(?=[A-Z])", " ", name)


def private_words(path: Path) -> Iterator[str]:
    """Where a file of ours uses such a word: in a name, a comment or a string."""
    with tokenize.open(path) as file:
        for token in tokenize.generate_tokens(file.readline):
            text = words_of(token.string) if token.type == tokenize.NAME else token.string
            yield from (f"{path.relative_to(ROOT)}:{token.start[0]}: {m[0]}" for m in PRIVATE.finditer(text))


def classes_of(path: Path) -> Iterator[str]:
    """The names of the classes of a file."""
    yield from (n.name for n in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(n, ast.ClassDef))


def test_names_comments_and_texts_of_the_code_use_no_private_words() -> None:
    assert [place for path in PYTHON for place in private_words(path)] == []


@pytest.mark.parametrize("path", TEXTS, ids=lambda p: p.name)
def test_pages_and_texts_of_the_surfaces_use_no_private_words(path: Path) -> None:
    lines = path.read_text("utf-8").splitlines()
    assert [(n, m[0]) for n, line in enumerate(lines, 1) for m in PRIVATE.finditer(_prose(line))] == []


def _prose(line: str) -> str:
    """A line without what others named: calls of an interface, and quoted code."""
    return re.sub(r"ViewColumn\.Beside|`[^`]*`", "", line)


def test_classes_are_named_by_what_they_hold() -> None:
    assert {name for path in PYTHON for name in classes_of(path)} & PARTICIPLES == set()
