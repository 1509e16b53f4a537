"""Built-in functions of work-items: who they are, where they wait, what they send each other."""

from __future__ import annotations

from collections.abc import Callable

from tree_sitter import Node

from burstline_server.analysis.nodes import text_of
from burstline_server.interpreter.code import Expr, converted, number
from burstline_server.interpreter.compile_places import pinned, pointed, store
from burstline_server.interpreter.kinds import BOOL, I4, U4, U8, VOID, Kind, Scalar, Vector
from burstline_server.interpreter.verdicts import NotExecutableError
from burstline_server.interpreter.writer import Writer, part

Call = Callable[[Writer, list[Node]], Expr]
DIMENSIONS = 3
_BY_CHANNEL = ("read_channel", "write_channel", "read_channel_nb", "write_channel_nb")
SUSPENDING = frozenset({
    "barrier", "work_group_barrier", "read_pipe", "write_pipe",
    *(f"{name}_{vendor}" for name in _BY_CHANNEL for vendor in ("intel", "altera")),
})  # fmt: skip
"""The functions at which a work-item may wait for others."""
_TEXTS = {"string_literal", "concatenated_string"}


def _id(field: str, outside: int) -> Call:
    def made(w: Writer, arguments: list[Node]) -> Expr:
        dimension = w.program.value(w, arguments[0])
        most = int(dimension.const) + 1 if dimension.const is not None else DIMENSIONS
        w.program.dimensions = max(w.program.dimensions, min(most, DIMENSIONS))
        if dimension.const is not None:
            inside = 0 <= dimension.const < DIMENSIONS
            return Expr(f"c.{field}[{int(dimension.const)}]", U8) if inside else number(outside, U8)
        return Expr(f"(*c.{field}, {outside})[min({converted(dimension, U4).code}, {DIMENSIONS})]", U8)

    return made


def _fixed(code: str, kind: Scalar) -> Call:
    def made(w: Writer, _arguments: list[Node]) -> Expr:
        w.program.dimensions = max(w.program.dimensions, 1)
        return Expr(code, kind)

    return made


def _nothing(_w: Writer, _arguments: list[Node]) -> Expr:
    return number(0, I4)


def _printed(w: Writer, arguments: list[Node]) -> Expr:
    """``printf``: what is printed is kept, in no order."""
    values = [repr(text_of(one)) if one.type in _TEXTS else _shown(w.program.value(w, one)) for one in arguments]
    return Expr(f"T.print(({', '.join(values)},))", I4)


def _shown(value: Expr) -> str:
    """The code of what is printed of a value: nothing of addresses."""
    return value.code if isinstance(value.kind, Scalar | Vector) else f"({value.code}, 0)[1]"


def _barrier(w: Writer, _arguments: list[Node]) -> Expr:
    w.program.dimensions = max(w.program.dimensions, 1)
    # A barrier has a number: work-items that wait together wait at the same one.
    return Expr(f"(yield {w.program.next_barrier()})", VOID)


def _same(w: Writer, arguments: list[Node]) -> Expr:
    return w.program.value(w, arguments[0])


def _channel(w: Writer, node: Node, *, reads: bool) -> tuple[str, Kind]:
    """The code of a channel that is read or written, and what it carries."""
    index: list[Expr] = []
    while node.type == "subscript_expression":
        index.insert(0, w.program.value(w, part(node, "index")))
        node = part(node, "argument")
    variable = w.find(text_of(node))
    if variable is None or variable.form != "channel":
        raise NotExecutableError("channel", text_of(node)[:40])
    number, ends = w.program.turns.ends[variable.name]
    ends.readers += reads
    ends.writers += not reads
    key = ", ".join(one.code for one in index)
    return f"T.channel({number}, ({key}{',' if key else ''}))", variable.kind


def _read(w: Writer, arguments: list[Node]) -> Expr:
    channel, kind = _channel(w, arguments[0], reads=True)
    return Expr(f"(yield from {channel}.read())", kind)


def _write(w: Writer, arguments: list[Node]) -> Expr:
    channel, kind = _channel(w, arguments[0], reads=False)
    value = converted(w.program.value(w, arguments[1]), kind)
    return Expr(f"(yield from {channel}.write({value.code}))", VOID)


def _read_now(w: Writer, arguments: list[Node]) -> Expr:
    """A read that does not wait: the value, or one left open, and whether there was one."""
    channel, kind = _channel(w, arguments[0], reads=True)
    valid = pointed(w, w.program.value(w, arguments[1]))
    before, held = pinned(w, valid)
    pair = w.fresh()
    flag = store(held, Expr(f"{pair}[1]", BOOL))
    code = (*before, f"({pair} := (yield from {channel}.read_now({_zero(kind)})))", flag.code, f"{pair}[0]")
    return Expr(f"({', '.join(code)})[-1]", kind)


def _zero(kind: Kind) -> str:
    return converted(number(0, I4), kind).code


def _write_now(w: Writer, arguments: list[Node]) -> Expr:
    channel, kind = _channel(w, arguments[0], reads=False)
    value = converted(w.program.value(w, arguments[1]), kind)
    return Expr(f"(yield from {channel}.write_now({value.code}))", BOOL)


def _read_pipe(w: Writer, arguments: list[Node]) -> Expr:
    channel, kind = _channel(w, arguments[0], reads=True)
    where = pointed(w, w.program.value(w, arguments[-1]), kind)
    made = store(where, Expr(f"(yield from {channel}.read())", kind))
    return Expr(f"({made.code}, 0)[1]", I4)


def _write_pipe(w: Writer, arguments: list[Node]) -> Expr:
    channel, kind = _channel(w, arguments[0], reads=False)
    source = pointed(w, w.program.value(w, arguments[-1]), kind)
    if not isinstance(kind, Scalar):
        raise NotExecutableError("channel", "pipe")
    return Expr(f"((yield from {channel}.write(L_{kind.code}({source.base}, {source.offset}))), 0)[1]", I4)


CALLS: dict[str, Call] = {
    "get_global_id": _id("g", 0), "get_local_id": _id("l", 0), "get_group_id": _id("p", 0),
    "get_global_size": _id("gs", 1), "get_local_size": _id("ls", 1), "get_enqueued_local_size": _id("ls", 1),
    "get_num_groups": _id("n", 1), "get_global_offset": _id("zero", 0), "get_work_dim": _fixed("c.dimensions", U4),
    "get_global_linear_id": _fixed("((c.g[2] * c.gs[1] + c.g[1]) * c.gs[0] + c.g[0])", U8),
    "get_local_linear_id": _fixed("((c.l[2] * c.ls[1] + c.l[1]) * c.ls[0] + c.l[0])", U8),
    "barrier": _barrier, "work_group_barrier": _barrier, "mem_fence": _nothing, "read_mem_fence": _nothing,
    "write_mem_fence": _nothing, "atomic_work_item_fence": _nothing, "printf": _printed, "prefetch": _nothing,
    "wait_group_events": _nothing, "__fpga_reg": _same, "__builtin_expect": _same, "assert": _nothing,
    "read_channel_intel": _read, "read_channel_altera": _read, "write_channel_intel": _write,
    "write_channel_altera": _write, "read_channel_nb_intel": _read_now, "read_channel_nb_altera": _read_now,
    "write_channel_nb_intel": _write_now, "write_channel_nb_altera": _write_now, "read_pipe": _read_pipe,
    "write_pipe": _write_pipe,
}  # fmt: skip
