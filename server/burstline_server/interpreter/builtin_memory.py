"""Built-in functions of memory: vectors at any element, atomics, copies between memories, results by pointer."""

from __future__ import annotations

import re
from collections.abc import Callable

from tree_sitter import Node

from burstline_server.interpreter.code import RUNTIME, Expr, converted, lifted, moved, number, operation, rounded
from burstline_server.interpreter.compile_places import Memory, load, parts, pinned, pointed, store
from burstline_server.interpreter.kinds import F2, F4, I4, VOID, Kind, Pointer, Scalar, Vector
from burstline_server.interpreter.memory import Block
from burstline_server.interpreter.run import Item
from burstline_server.interpreter.verdicts import NotExecutableError
from burstline_server.interpreter.writer import Writer

_VECTORS = re.compile(r"(vload|vstore)(a?)(?:(_half)(2|3|4|8|16)?|(2|3|4|8|16))(?:_rt[ezpn])?")
_ATOMIC = re.compile(r"atom(?:ic)?_(add|sub|and|or|xor|min|max|xchg|cmpxchg|inc|dec)")
_FETCH = re.compile(r"atomic_(?:fetch_(add|sub|and|or|xor|min|max)|(exchange|load|store|init))(?:_explicit)?")
_COPIES = {"async_work_group_copy", "async_work_group_strided_copy"}
_OPERATORS = {"add": "+", "sub": "-", "and": "&", "or": "|", "xor": "^"}


def called(w: Writer, name: str, arguments: list[Node]) -> Expr | None:
    """The value of a built-in function of memory; None for a name that is none."""
    if match := _VECTORS.fullmatch(name):
        return _vector(w, match, [w.program.value(w, one) for one in arguments])
    if match := _ATOMIC.fullmatch(name):
        return _atomic(w, match[1], [w.program.value(w, one) for one in arguments])
    if match := _FETCH.fullmatch(name):
        return _atomic(w, match[1] or match[2], [w.program.value(w, one) for one in arguments])
    return None


def _vector(w: Writer, match: re.Match[str], values: list[Expr]) -> Expr:
    loads = match[1] == "vload"
    index, to = values[-2], values[-1]
    lanes = int(match[4] or match[5] or 1)
    if not isinstance(to.kind, Pointer):
        raise NotExecutableError("expression", match[0])
    element = F2 if match[3] else to.kind.to
    if not isinstance(element, Scalar):
        raise NotExecutableError("expression", match[0])
    apart = 4 if match[2] and lanes == 3 else lanes
    by = Expr(f"({index.code} * {apart})", I4) if index.const is None else number(int(index.const) * apart, I4)
    here = moved(parts(w, converted(to, Pointer(element))), by, "+")
    kind: Kind = Vector(element, lanes) if lanes > 1 else element
    where = Memory(here.base, here.offset, kind)
    if loads:
        found = load(where)
        # Half precision is single precision everywhere but in memory.
        return Expr(found.code, Vector(F4, lanes) if lanes > 1 else F4) if match[3] else found
    value = values[0]
    if match[3]:
        lanes_code = f"{lifted(rounded('x', F2), 1)}({value.code})" if lanes > 1 else rounded(value.code, F2)
        value = Expr(lanes_code, kind)
    made = store(where, converted(value, kind))
    return Expr(made.code, VOID)


def _swap(block: Block, offset: int, load_: Callable[..., int], store_: Callable[..., int], value: int,
          compute: Callable[[int, int], int]) -> int:  # fmt: skip
    old = load_(block, offset)
    store_(block, offset, compute(old, value))
    return old


def _compare(block: Block, offset: int, load_: Callable[..., int], store_: Callable[..., int], expected: int,
             value: int) -> int:  # fmt: skip
    old = load_(block, offset)
    if old == expected:
        store_(block, offset, value)
    return old


def _copied(
    item: Item, to: tuple[Block, int], source: tuple[Block, int], size: int, count: int, steps: tuple[int, int]
) -> int:
    """Copy elements; `steps` are how many elements the places move by. Returns how many were copied.

    A work-group makes each copy once: the first of its work-items to come there.
    """
    item.copies += 1
    if item.copies <= item.group.copies:
        return 0
    item.group.copies = item.copies
    count = min(max(count, 0), 1 << 16)
    for i in range(count):
        here, there = to[1] + i * steps[0] * size, source[1] + i * steps[1] * size
        source[0].extend(there, size)
        to[0].extend(here, size)
        to[0].data[here : here + size] = source[0].data[there : there + size]
    return count


RUNTIME.update({"swap": _swap, "compare": _compare, "copied": _copied})


def _combining(name: str, kind: Scalar) -> str:
    """The name of the function that an atomic combines the old and the new value by."""
    key = f"atomic_{name}_{kind.code}"
    if key not in RUNTIME:
        template = {"xchg": "y", "exchange": "y", "min": "min(x, y)", "max": "max(x, y)"}.get(name)
        body = template or operation(_OPERATORS[name], kind)
        RUNTIME[key] = eval(f"lambda x, y: {body}", RUNTIME)  # noqa: S307 -- code of our own
    return key


def _atomic(w: Writer, name: str, values: list[Expr]) -> Expr:
    kind = values[0].kind.to if isinstance(values[0].kind, Pointer) else VOID
    if not isinstance(kind, Scalar):
        raise NotExecutableError("function", f"atomic_{name}")
    where = pointed(w, values[0])
    if name == "load":
        return load(where)
    if name in {"store", "init"}:
        return Expr(store(where, values[1]).code, VOID)
    place = f"{where.base}, {where.offset}, L_{kind.code}, S_{kind.code}"
    if name == "cmpxchg":
        return Expr(f"compare({place}, {converted(values[1], kind).code}, {converted(values[2], kind).code})", kind)
    if name in {"inc", "dec"}:
        value, name = number(1, I4), "add" if name == "inc" else "sub"
    else:
        value = values[1]
    return Expr(f"swap({place}, {converted(value, kind).code}, {_combining(name, kind)})", kind)


def _copy(w: Writer, arguments: list[Node]) -> Expr:
    to, source, count, *rest = (w.program.value(w, one) for one in arguments)
    if not isinstance(to.kind, Pointer):
        raise NotExecutableError("function", "async_work_group_copy")
    steps = "(1, 1)"
    if len(rest) > 1:  # a stride on the side of global memory, which is the side that is not local
        raise NotExecutableError("function", "async_work_group_strided_copy")
    return Expr(f"copied(c, {to.code}, {source.code}, {to.kind.to.size}, {count.code}, {steps})", I4)


def _by_pointer(name: str) -> Callable[[Writer, list[Node]], Expr]:
    """``fract``, ``modf``, ``frexp``, ``sincos`` of scalars: one result returned, one put."""

    def made(w: Writer, arguments: list[Node]) -> Expr:
        value, to = (w.program.value(w, one) for one in arguments)
        kind = value.kind
        if not isinstance(kind, Scalar) or not isinstance(to.kind, Pointer):
            raise NotExecutableError("function", name)
        kind = kind if kind.real else F4
        w.program.inexact |= name == "sincos"
        before, held = pinned(w, pointed(w, to))
        pair = w.fresh()
        second = store(held, Expr(f"{pair}[1]", I4 if name == "frexp" else kind))
        code = (*before, f"({pair} := {name}({converted(value, kind).code}))", second.code)
        return Expr(f"({', '.join(code)}, {rounded(f'{pair}[0]', kind)})[-1]", kind)

    return made


CALLS: dict[str, Callable[[Writer, list[Node]], Expr]] = {
    **dict.fromkeys(_COPIES, _copy),
    **{name: _by_pointer(name) for name in ("fract", "modf", "frexp", "sincos")},
}
