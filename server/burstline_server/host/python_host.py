"""Launches in a host program in Python (pyopencl); its text is parsed and never run."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field

from burstline_server.host.constants import combined
from burstline_server.host.host_launch import HostLaunch

_OPERATORS = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.FloorDiv: "/", ast.Mod: "%", ast.LShift: "<<", ast.RShift: ">>",
}  # fmt: skip
_NUMBERS = {"int", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "intc", "uintc"}
MAX_DEPTH = 40


@dataclass(slots=True)
class _Names:
    written: dict[str, list[ast.expr]] = field(default_factory=dict)
    changed: set[str] = field(default_factory=set)
    known: dict[str, int | None] = field(default_factory=dict)

    def read(self, tree: ast.AST) -> None:
        for node in ast.walk(tree):
            match node:
                case ast.Assign(targets=[ast.Name(id=name)], value=value):
                    self.written.setdefault(name, []).append(value)
                case ast.AugAssign(target=ast.Name(id=name)) | ast.For(target=ast.Name(id=name)):
                    self.changed.add(name)
                case _:
                    pass

    def number(self, node: ast.expr, depth: int = 0) -> int | None:
        if depth > MAX_DEPTH:
            return None
        match node:
            case ast.Constant(value=bool()):
                return None
            case ast.Constant(value=int(value)):
                return value
            case ast.Name(id=name):
                return self.named(name, depth + 1)
            case ast.BinOp(left=left, op=op, right=right):
                a, b = self.number(left, depth + 1), self.number(right, depth + 1)
                sign = _OPERATORS.get(type(op))
                return None if a is None or b is None or sign is None else combined(sign, a, b)
            case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name), args=[value]) if name in _NUMBERS:
                return self.number(value, depth + 1)
            case _:
                return None

    def named(self, name: str, depth: int) -> int | None:
        if name not in self.known:
            self.known[name] = None
            values = {self.number(node, depth) for node in self.written.get(name, ())} - {None}
            self.known[name] = values.pop() if len(values) == 1 and name not in self.changed else None
        return self.known[name]

    def sizes(self, node: ast.expr) -> tuple[int, ...] | None:
        if isinstance(node, ast.Name):
            found = {self.sizes(n) for n in self.written.get(node.id, ()) if isinstance(n, ast.Tuple | ast.List)}
            return found.pop() if len(found) == 1 else None
        if not isinstance(node, ast.Tuple | ast.List):
            return None
        values = [self.number(element) for element in node.elts]
        known = tuple(v for v in values if v is not None and v > 0)
        return known if 0 < len(known) == len(values) <= 3 else None


def launches_in_python(text: bytes) -> list[HostLaunch]:
    """The calls `program.kernel(queue, global_size, local_size, …)` of a host's text; none where it is no Python."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what the parser thinks of a user's script is not ours to say
            tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    names = _Names()
    names.read(tree)
    return list(_launches(tree, names))


def _launches(tree: ast.AST, names: _Names) -> Iterator[HostLaunch]:
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or len(node.args) < 3:
            continue
        whole = names.sizes(node.args[1])
        if whole is not None:
            numbers = {at: names.number(value) for at, value in enumerate(node.args[3:])}
            given = {at: value for at, value in numbers.items() if value is not None}
            yield HostLaunch(node.func.attr, node.lineno, whole, names.sizes(node.args[2]), given)
