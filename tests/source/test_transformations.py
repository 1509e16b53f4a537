"""What is known of a file does not depend on its layout, and on its names only by name."""

import re
from pathlib import Path

import pytest

from burstline_server.analysis.kernels import read_kernels
from burstline_server.source.read import read_source

ROOT = Path(__file__).parents[2]
FILES = sorted([*(ROOT / "tests/analysis/fixtures").glob("*.cl"), *(ROOT / "examples").rglob("*.cl")])
_TOKEN = re.compile(
    r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|^[ \t]*#(?:\\\n|[^\n])*|\n|[ \t]+', re.MULTILINE | re.DOTALL
)


def shape(text: str) -> list[object]:
    """What is known of the accesses and loops of a text, places aside."""
    kernels = read_kernels(read_source(text))
    blank = re.compile(r"\s|/\*.*?\*/")
    return [
        [
            (k.name, k.model),
            [
                (a.op, a.pointer, a.element_bytes, str(a.offset), a.loops, a.value_from, len(a.guards), a.macro is None)
                for a in k.accesses
            ],
            [(loop.variable, str(loop.trip), loop.unroll, loop.ivdep, loop.early_exit) for loop in k.loops],
            [blank.sub("", g.text) for a in k.accesses for g in a.guards],
        ]
        for k in kernels
    ]


def respaced(text: str) -> str:
    """Another blank, comment or line end wherever there is one already; directives and literals stay."""

    def other(match: re.Match[str]) -> str:
        piece = match[0]
        if piece == "\n":
            return "\n \n// é🚀 \n"
        return " /* x[0] = 1; */\t" if piece.strip() == "" else piece

    return _TOKEN.sub(other, text)


def declared_names(text: str) -> set[str]:
    """Variables and parameters of the file that no directive mentions."""
    source = read_source(text)
    in_directives = set(re.findall(r"\w+", "\n".join(re.findall(r"^[ \t]*#.*$", text, re.MULTILINE))))
    names = set()
    waiting = [source.tree.root_node]
    while waiting:
        node = waiting.pop()
        if node.type == "identifier" and node.parent is not None and node.parent.type in {
            "init_declarator", "declaration", "parameter_declaration", "pointer_declarator", "array_declarator",
        }:  # fmt: skip
            names.add((node.text or b"").decode())
        waiting.extend(node.named_children)
    return names - in_directives


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
@pytest.mark.parametrize(
    "change", [lambda t: t.replace("\n", "\r\n"), respaced, lambda t: "\n\n" + t], ids=["crlf", "respaced", "lower"]
)
def test_layout_changes_nothing(path: Path, change: object) -> None:
    text = path.read_text("utf-8")
    assert callable(change)
    assert shape(change(text)) == shape(text)


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_renaming_changes_nothing_but_names(path: Path) -> None:
    text = path.read_text("utf-8")
    names = declared_names(text)
    assert names
    pattern = re.compile(r"\b(?:" + "|".join(sorted(names)) + r")\b(?!\s*\()")

    # The new name sorts as the old one does, so that sums keep the order of their terms.
    def renamed(piece: str) -> str:
        return pattern.sub(lambda m: m[0] + "_", piece)

    def through(value: object) -> object:
        if isinstance(value, str):
            return renamed(value)
        return type(value)(through(v) for v in value) if isinstance(value, list | tuple) else value

    assert shape(renamed(text)) == through(shape(text))
