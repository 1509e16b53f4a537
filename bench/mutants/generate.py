"""Small changes to the model: a figure of a table, a term of an equation, a condition of a rule."""

from __future__ import annotations

import ast
import re
import tomllib
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass
from functools import partial
from hashlib import blake2b
from pathlib import Path

NAMED = Path(__file__).with_name("named.toml")
MODEL = Path(__file__).resolve().parents[2] / "model" / "burstline_model"
AREAS: dict[str, tuple[str, ...]] = {
    "boards": ("boards/*.toml", "devices/technologies.toml"),
    "latencies": ("pipeline/operations.toml",),
    "resources": ("devices/families/*.toml", "devices/*.py", "resources/*.py"),
    "equations": (
        "memory/calibrated.py",
        "memory/estimate.py",
        "memory/faithful.py",
        "memory/memory_units.py",
        "estimate/roofline.py",
    ),
    "pipeline": ("pipeline/*.py",),
    "units": ("compiler/*.py", "parallelism/*.py"),
    "rules": ("compiler/lsu_rules/*.py",),
    "estimate": (
        "estimate/[!r]*.py",
        "estimate/remarks.py",
        "memory/placement.py",
        "memory/traffic.py",
        "walk/*.py",
        "middle/*.py",
    ),
}
"""What is changed, by area; patterns under the model's folder."""
_FIGURE = re.compile(r"(?<![\w.\"'+-])(\d+(?:\.\d+)?)(?![\w.\"'+%])")
_NO_FIGURES = ("source", "name", "title", "aliases", "device", "aoc_version", "type", "like", "#", "[", "by")
_SWAPPED: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.FloorDiv: ast.Mult,
}  # fmt: skip
_OTHER_SIDE: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.GtE, ast.LtE: ast.Gt, ast.Gt: ast.LtE, ast.GtE: ast.Lt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip
_CALLS = {"min": "max", "max": "min", "any": "all", "all": "any"}


@dataclass(frozen=True)
class Mutant:
    """One change: `text` makes the whole file `path` (under the model's folder) with it."""

    area: str
    path: str
    change: str
    text: Callable[[], str]

    @property
    def name(self) -> str:
        """The change by its content, not its line: it survives edits elsewhere in the file."""
        return f"{self.path}: {self.change}"


def sample(number: int, seed: int, areas: Sequence[str] = tuple(AREAS)) -> list[Mutant]:
    """A repeatable choice of mutants, about as many from each area; edits elsewhere hardly change it."""
    by_area: dict[str, list[Mutant]] = defaultdict(list)
    for mutant in every(areas):
        by_area[mutant.area].append(mutant)
    for mutants in by_area.values():
        mutants.sort(key=lambda one: blake2b(f"{seed} {one.name}".encode()).digest())
    chosen: list[Mutant] = []
    while len(chosen) < number and any(by_area.values()):
        chosen += [mutants.pop() for mutants in by_area.values() if mutants]
    return sorted(chosen[:number], key=lambda m: m.name)


def named(areas: Sequence[str] = tuple(AREAS)) -> list[Mutant]:
    """The mutants of ``named.toml``, which always run; raises ValueError where the model's text is no longer there."""
    found = []
    for name, entry in tomllib.loads(NAMED.read_text("utf-8")).items():
        area = next(a for a, patterns in AREAS.items() if any(Path(entry["file"]).match(p) for p in patterns))
        text = (MODEL / entry["file"]).read_text("utf-8")
        if text.count(entry["was"]) != 1:
            raise ValueError(f"{name}: {entry['file']} has {text.count(entry['was'])} times {entry['was']!r}")
        if area in areas:
            found.append(Mutant(area, entry["file"], name, partial(text.replace, entry["was"], entry["becomes"])))
    return found


def every(areas: Sequence[str] = tuple(AREAS)) -> Iterator[Mutant]:
    """All mutants of some areas."""
    for area in areas:
        for pattern in AREAS[area]:
            for path in sorted(MODEL.glob(pattern)):
                make = _in_table if path.suffix == ".toml" else _in_code
                yield from make(area, path)


# -- figures of tables -------------------------------------------------------------------------------


def _in_table(area: str, path: Path) -> Iterator[Mutant]:
    lines = path.read_text("utf-8").splitlines(keepends=True)
    name = path.relative_to(MODEL).as_posix()
    heading, quoted = "", False
    for number, line in enumerate(lines):
        continues, quoted = quoted, quoted != (line.count('"""') % 2 == 1)
        if line.startswith("["):
            heading = line.strip() + " "
        if heading == "[sources] " or continues or quoted or line.lstrip().startswith(_NO_FIGURES) or "=" not in line:
            continue
        body = line.partition("#")[0]
        for match in _FIGURE.finditer(body):
            new = _other(match[1])
            changed = [*lines[:number], line[: match.start()] + new + line[match.end() :], *lines[number + 1 :]]
            key = body.partition("=")[0].strip()
            place = f", figure {body[: match.start()].count(',') + 1}" if "," in body else ""
            yield Mutant(area, name, f"{heading}{key}{place}: {match[1]} → {new}", partial("".join, changed))


def _other(figure: str) -> str:
    """A figure that differs by what a reader would notice: by half."""
    if "." in figure:
        return f"{float(figure) * 1.5:g}" if float(figure) else "0.5"
    return str(int(figure) * 3 // 2 if int(figure) > 2 else int(figure) + 1)


# -- terms and conditions ----------------------------------------------------------------------------


def _in_code(area: str, path: Path) -> Iterator[Mutant]:
    tree = ast.parse(path.read_text("utf-8"))
    name = path.relative_to(MODEL).as_posix()
    skipped = {id(inner) for node in ast.walk(tree) for part in _not_changed(node) for inner in ast.walk(part)}
    for place, node in enumerate(ast.walk(tree)):
        if id(node) in skipped:
            continue
        for way in _ways(node):
            other = deepcopy(node)
            way(other)
            change = f"{_shown(node)} → {_shown(other)}"
            yield Mutant(area, name, change, partial(_changed, tree, place, way))


def _changed(tree: ast.Module, place: int, way: Callable[[ast.AST], None]) -> str:
    copy = deepcopy(tree)
    way(list(ast.walk(copy))[place])
    return ast.unparse(copy)


def _shown(node: ast.AST) -> str:
    return " ".join(ast.unparse(node).split())[:80]


def _not_changed(node: ast.AST) -> Iterator[ast.AST]:
    """Parts of a node that say nothing of how much or whether: types, decorators, texts that are put together."""
    if isinstance(node, ast.AnnAssign | ast.arg) and node.annotation is not None:
        yield node.annotation
    if isinstance(node, ast.FunctionDef):
        yield from [*node.decorator_list, *([node.returns] if node.returns else [])]
    if isinstance(node, ast.JoinedStr | ast.Raise):
        yield node


def _ways(node: ast.AST) -> Iterator[Callable[[ast.AST], None]]:
    """The ways to change one node."""
    match node:
        case ast.BinOp(op=op, right=right) if type(op) in _SWAPPED and not _is_text(right):
            yield partial(_set, "op", _SWAPPED[type(op)]())
        case ast.Compare(ops=[op]) if type(op) in _OTHER_SIDE:
            yield partial(_set, "ops", [_OTHER_SIDE[type(op)]()])
        case ast.BoolOp(op=op):
            yield partial(_set, "op", ast.Or() if isinstance(op, ast.And) else ast.And())
        case ast.Call(func=ast.Name(id=name)) if name in _CALLS:
            yield partial(_set, "func", ast.Name(_CALLS[name], ast.Load()))
        case ast.Assign(targets=[ast.Name()], value=ast.Constant(value=int() | float() as value)) if value not in {
            0,
            1,
        }:
            yield partial(_set, "value", ast.Constant(type(value)(value * 3 // 2 if value > 2 else value * 2)))


def _is_text(node: ast.AST) -> bool:
    """A text or a joined path: nothing to calculate with."""
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))


def _set(field: str, value: object, node: ast.AST) -> None:
    setattr(node, field, value)
