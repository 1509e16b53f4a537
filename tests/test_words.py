"""One vocabulary: the field's words in names, docstrings, help texts and messages."""

from __future__ import annotations

import ast
import builtins
import re
import tokenize
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PRIVATE = re.compile(r"(?i:\b(?:told|tells?|beside|stands?|stood|wanted|spoken|meant)\b)")
"""Words that meant too many things here; say what it is: sent, shown, next to, is in, requested."""
PARTICIPLES = {"Found", "Known", "Reading", "Readings", "Costed", "Costing", "Costs", "Assessed", "Written"}
"""Names of classes that do not say what they hold."""
PYTHON = sorted(p for folder in ("server", "model") for p in (ROOT / folder).rglob("*.py"))
OTHERS = sorted(p for folder in ("bench", "tests") for p in (ROOT / folder).rglob("*.py") if p != Path(__file__))
TEXTS = sorted(
    [
        *(ROOT / "server").rglob("*.js"),
        *(ROOT / "server").rglob("*.toml"),
        *(ROOT / "model").rglob("*.toml"),
        *(ROOT / "vscode-client" / "src").rglob("*.ts"),
        ROOT / "vscode-client" / "package.json",
        ROOT / "vscode-client" / "package.nls.json",
        *(ROOT / "docs").rglob("*.md"),
        *ROOT.glob("*.md"),
    ]
)


def words_of(name: str) -> str:
    """The words of an identifier, apart."""
    return re.sub(r"_|(?<=[a-z])(?=[A-Z])", " ", name)


def private_words(path: Path) -> Iterator[str]:
    """Where a file of ours uses such a word: in a name, a comment or a string."""
    text = path.read_text("utf-8")
    if not PRIVATE.search(text) and not PRIVATE.search(words_of(text)):
        return
    with tokenize.open(path) as file:
        for token in tokenize.generate_tokens(file.readline):
            text = words_of(token.string) if token.type == tokenize.NAME else token.string
            yield from (f"{path.relative_to(ROOT)}:{token.start[0]}: {m[0]}" for m in PRIVATE.finditer(text))


def classes_of(path: Path) -> Iterator[str]:
    """The names of the classes of a file that may have one of those."""
    text = path.read_text("utf-8")
    if PARTICIPLES & set(re.findall(r"\bclass\s+(\w+)", text)):
        yield from (n.name for n in ast.walk(ast.parse(text)) if isinstance(n, ast.ClassDef))


def test_names_comments_and_texts_of_the_code_use_no_private_words() -> None:
    assert [place for path in [*PYTHON, *OTHERS] for place in private_words(path)] == []


@pytest.mark.parametrize("path", TEXTS, ids=lambda p: p.name)
def test_pages_and_texts_of_the_surfaces_use_no_private_words(path: Path) -> None:
    lines = path.read_text("utf-8").splitlines()
    assert [(n, m[0]) for n, line in enumerate(lines, 1) for m in PRIVATE.finditer(_prose(line))] == []


def _prose(line: str) -> str:
    """A line without what others named: calls of an interface, and quoted code."""
    return re.sub(r"ViewColumn\.Beside|`[^`]*`", "", line)


def test_classes_are_named_by_what_they_hold() -> None:
    assert {name for path in [*PYTHON, *OTHERS] for name in classes_of(path)} & PARTICIPLES == set()


SERVER = ROOT / "server" / "burstline_server"
_ROOMS = (
    "analysis", "assessment", "cli", "commands", "config", "diagnostics", "exploration", "host", "interpreter",
    "language", "llvm", "lsp", "names", "presentation", "rewrites", "source", "validation",
)  # fmt: skip
WORDED = {
    "model": ROOT / "model" / "burstline_model",
    **{room: SERVER / room for room in _ROOMS},
}
"""Rooms that return reasons and figures; `words` makes sentences of them.

`faults` and `clang` are none of them: their messages are those that the compiler prints.
"""
CODE = {
    "cli/main.py": 1,
    "interpreter/builtin_items.py": 4,
    "interpreter/code.py": 2,
    "interpreter/compile_expressions.py": 1,
    "interpreter/initializers.py": 1,
    "interpreter/kinds.py": 1,
    "interpreter/compile_places.py": 1,
    "interpreter/program.py": 1,
    "interpreter/compile_statements.py": 3,
    "llvm/tailored.py": 6,
    "lsp/features/code_action.py": 1,
    "presentation/page/page.py": 1,
    "rewrites/banks.py": 1,
    "rewrites/cache_in_local_memory.py": 3,
    "rewrites/fixed_arguments.py": 2,
    "rewrites/bins_in_turn.py": 3,
    "rewrites/private_histogram.py": 1,
    "rewrites/host_launches.py": 1,
    "rewrites/jammed_text.py": 1,
    "rewrites/lane_items.py": 2,
    "rewrites/local_histogram.py": 2,
    "rewrites/channels.py": 4,
    "rewrites/constant.py": 1,
    "rewrites/exchange_ids.py": 1,
    "rewrites/pad.py": 1,
    "rewrites/partial_sums.py": 1,
    "rewrites/pointer_parameters.py": 3,
    "rewrites/single_work_item.py": 3,
    "rewrites/host_edit.py": 3,
    "rewrites/split/host_code.py": 8,
    "rewrites/split/joints.py": 3,
    "rewrites/rows/register_window.py": 2,
    "rewrites/rows/row_buffers.py": 3,
    "rewrites/tiles/halo_tiles.py": 2,
    "rewrites/tiles/inside.py": 2,
    "rewrites/tiles/tile_lines.py": 2,
    "rewrites/tiles/tiled_loop.py": 1,
    "rewrites/unconditional.py": 1,
    "validation/sustained.py": 1,
}
"""How many pieces of code each file holds that read like a sentence: kernels, C text that edits write into kernels and
host programs, a comment that they add, the policy of a page, the frame of an error."""
DATA = {
    "model/boards/board.py": 1,
    "model/boards/board_spec.py": 5,
    "model/compiler/lsu_rules/caches.py": 25,
    "model/compiler/lsu_rules/loads.py": 13,
    "model/compiler/lsu_rules/recorded.py": 20,
    "model/compiler/lsu_rules/stores.py": 5,
    "model/compiler/lsu_rules/structure.py": 64,
    "model/compiler/lsu_rules/switches.py": 25,
    "model/compiler/rule_names.py": 10,
    "model/validation/paper.py": 10,
    "model/vendor_report/report_files.py": 1,
    "model/vendor_report/plain_text.py": 2,
    "validation/suites.py": 1,
}
"""How many texts of records each file holds: where a figure or a rule comes from, what a paper prints, the names of
rules, of suites and of the vendor's tables."""
PROTOCOL = {
    "lsp/wire/protocol.py": 8,
}
"""How many answers to a client's mistakes: those who write a client read them."""


def is_literal(node: ast.AST) -> bool:
    """Whether a node is a ``Literal[…]``: the words there are values, not sentences."""
    return isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) and node.value.id == "Literal"


def is_mistake_of_code(node: ast.AST) -> bool:
    """An assertion, or an error that the language or the protocol defines: no user reads it as an answer."""
    if not isinstance(node, ast.Raise) or not isinstance(node.exc, ast.Call):
        return isinstance(node, ast.Assert)
    name = ast.unparse(node.exc.func)
    return name.startswith("JsonRpc") or hasattr(builtins, name)


def beginning(node: ast.AST) -> str:
    """An expression as it is written, as far as to the first name in it and what follows that."""
    inner = node
    while isinstance(inner, ast.Attribute | ast.Call | ast.Subscript):
        inner = inner.func if isinstance(inner, ast.Call) else inner.value
    named = isinstance(inner, ast.Name) and re.match("_log|re|BoundedCache|super", inner.id)
    return ast.unparse(node) if named else ""


def no_sentences(tree: ast.AST) -> Iterator[ast.AST]:
    """Texts that are no answers: docstrings, errors, logs, patterns, literal values, names, help."""
    for node in ast.walk(tree):
        named = isinstance(node, ast.Call) and re.match(r"_log\.|re\.|BoundedCache|super\(\)", beginning(node.func))
        if named or is_literal(node) or is_mistake_of_code(node):
            yield from ast.walk(node)
        elif isinstance(node, ast.keyword) and node.arg in {"help", "description", "epilog"}:
            yield from ast.walk(node.value)
        elif isinstance(node, ast.Expr):
            yield node.value
        elif isinstance(node, ast.JoinedStr):
            yield from (part for value in node.values for part in ast.walk(value))
        elif isinstance(node, ast.ClassDef):
            yield from (part for one in node.body if isinstance(one, ast.Assign) for part in ast.walk(one))


def sentence_of(node: ast.AST) -> str:
    """The text of a string, of a formatted one with `…` for each value."""
    if isinstance(node, ast.JoinedStr):
        return "".join(str(v.value) if isinstance(v, ast.Constant) else "…" for v in node.values)
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def is_sentence(text: str) -> bool:
    """Four words or more, or three with a capital among them."""
    words = [word for word in text.split() if re.search(r"[A-Za-z…]", word)]
    plain = sum(bool(re.search(r"[a-z]{2}", word)) for word in words)
    return (len(words) > 3 and plain > 1) or (len(words) == 3 and re.search(r"[A-Z]", text) is not None)


@cache
def values() -> set[object]:
    """The words of all literal types: styles of units, device families, kinds."""
    return {
        one.value
        for path in PYTHON
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if is_literal(node)
        for one in ast.walk(node)
        if isinstance(one, ast.Constant)
    }


def sentences_in(source: str) -> list[str]:
    """The sentences that a module makes."""
    tree = ast.parse(source)
    left_out = {id(node) for node in no_sentences(tree)}
    texts = (sentence_of(node) for node in ast.walk(tree) if id(node) not in left_out)
    return [text for text in texts if text not in values() and is_sentence(text)]


@pytest.mark.parametrize("room", WORDED)
def test_rooms_that_return_reasons_make_no_sentences(room: str) -> None:
    found = {
        f"{room}/{path.relative_to(WORDED[room]).as_posix()}": sentences_in(path.read_text("utf-8"))
        for path in sorted(WORDED[room].rglob("*.py"))
    }
    allowed = {path: count for path, count in {**CODE, **DATA, **PROTOCOL}.items() if path.startswith(f"{room}/")}
    assert {path: len(texts) for path, texts in found.items() if texts} == allowed, found


@pytest.mark.parametrize(
    ("code", "made"),
    [
        ('why = f"{name} is read again by {loop}"', ["… is read again by …"]),
        ('why = "SIMD is off"', ["SIMD is off"]),
        ('raise ValueError(f"no loop on line {line} of {path}")', []),
        ('raise NothingHereError(f"no loop on line {line} of {path}")', ["no loop on line … of …"]),
        ('add("--simd", help="the lanes of a kernel")', []),
        ('style: Literal["Burst-coalesced", "Pipelined"] = "Pipelined"', []),
        ('def f():\n    """A sentence for those who read the code."""', []),
    ],
)
def test_sentences_are_found_where_they_are_made(code: str, made: list[str]) -> None:
    assert sentences_in(code) == made
