"""Launches in a host program in Python (pyopencl); its text is parsed and never run."""

from __future__ import annotations

import ast
import warnings
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from burstline_server.host.constants import combined
from burstline_server.host.host_launch import HostLaunch

_OPERATORS = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.FloorDiv: "/", ast.Mod: "%", ast.LShift: "<<", ast.RShift: ">>",
}  # fmt: skip
_NUMBERS = {"int", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "intc", "uintc"}
MAX_DEPTH = 40
_MODULES = {"np", "numpy", *_NUMBERS}
_KEEPS = {"set_scalar_arg_dtypes", "get_work_group_info", "function_name"}
"""Members of a kernel that set none of its arguments."""


@dataclass(slots=True)
class _Names:
    written: dict[str, list[ast.expr]] = field(default_factory=dict)
    changed: set[str] = field(default_factory=set)
    known: dict[str, int | None] = field(default_factory=dict)
    sure: dict[str, bool] = field(default_factory=dict)
    uncertain: set[str] = field(default_factory=set)
    """Names that something else than an assignment of their own gives a value, or that have several."""

    def read(self, tree: ast.AST) -> None:
        for node in ast.walk(tree):
            match node:
                case ast.Assign(targets=[ast.Name(id=name)], value=value):
                    self.written.setdefault(name, []).append(value)
                case ast.AugAssign(target=ast.Name(id=name)) | ast.For(target=ast.Name(id=name)):
                    self.changed.add(name)
                case ast.arg(arg=name) | ast.alias(asname=str(name)) | ast.alias(name=name):
                    self.uncertain.add(name)
                case _:
                    pass
        stored = Counter(n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load))
        self.uncertain |= {name for name, count in stored.items() if count != len(self.written.get(name, ()))}

    def certain(self, node: ast.expr, depth: int = 0) -> int | None:
        """The value of an expression that has this one in every run; None else."""
        names = {one.id for one in ast.walk(node) if isinstance(one, ast.Name)} - _MODULES
        return self.number(node) if all(self._is_certain(name, depth) for name in names) else None

    def _is_certain(self, name: str, depth: int) -> bool:
        if name not in self.sure:
            self.sure[name] = False  # a circle of names ends
            steady = depth <= MAX_DEPTH and name not in self.uncertain | self.changed
            values = self.written.get(name, ())
            self.sure[name] = steady and all(self.certain(value, depth + 1) is not None for value in values)
        return self.sure[name]

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
    fixed_of = _fixed(tree, names)
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or len(node.args) < 3:
            continue
        whole = names.sizes(node.args[1])
        if whole is not None:
            numbers = {at: names.number(value) for at, value in enumerate(node.args[3:])}
            given = {at: value for at, value in numbers.items() if value is not None}
            fixed, count = fixed_of.get(node.func.attr, ({}, 0))
            yield HostLaunch(node.func.attr, node.lineno, whole, names.sizes(node.args[2]), given, fixed, count)


def _fixed(tree: ast.AST, names: _Names) -> dict[str, tuple[dict[int, tuple[int, int]], int]]:
    """What each kernel is called with in every run: value and line by position, and how many arguments it has.

    Nothing of a kernel that is held by a name, made from a string, or called with a list.
    """
    calls: dict[str, list[ast.Call]] = {}
    called: Counter[str] = Counter()
    named: Counter[str] = Counter()
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Attribute(attr=name)):
                calls.setdefault(name, []).append(node)
                called[name] += 1
            case ast.Attribute(attr=attr, value=ast.Attribute(attr=name)) if attr in _KEEPS:
                named[name] -= 1
            case ast.Constant(value=str(text)):
                named[text] += 1
            case _:
                pass
        if isinstance(node, ast.Attribute):
            named[node.attr] += 1
    found: dict[str, tuple[dict[int, tuple[int, int]], int]] = {}
    for name, all_ in calls.items():
        starred = any(isinstance(one, ast.Starred) for call in all_ for one in call.args)
        lengths = {len(call.args) for call in all_}
        if named[name] != called[name] or starred or len(lengths) != 1:
            continue
        columns = list(zip(*(call.args[3:] for call in all_), strict=True))
        values = [{names.certain(one) for one in column} for column in columns]
        own = {at: (value, columns[at][0].lineno) for at, one in enumerate(values)
               if len(one) == 1 and (value := next(iter(one))) is not None}  # fmt: skip
        found[name] = own, len(columns)
    return found
