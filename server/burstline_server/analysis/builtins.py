"""OpenCL's and the vendor's built-in functions, as far as memory, ids and indices are concerned."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from tree_sitter import Node

from burstline_model.facts import Barrier, ChannelOperation, SymbolKind
from burstline_model.polynomial import Polynomial
from burstline_server.analysis.nodes import one_line, text_of
from burstline_server.analysis.reader import Reader
from burstline_server.analysis.types import INT, LONG, UNKNOWN, CType, named, vector_of
from burstline_server.analysis.values import Operation, Pointer, Value, combined, moved

Builtin = Callable[[Reader, Node, str, list[Value], list[Node]], Value]

_IDS: dict[str, tuple[SymbolKind, str]] = {
    "get_global_id": ("global_id", "gid"),
    "get_local_id": ("local_id", "lid"),
    "get_group_id": ("group_id", "group"),
    "get_global_size": ("global_size", "gsize"),
    "get_local_size": ("local_size", "lsize"),
    "get_enqueued_local_size": ("local_size", "lsize"),
    "get_num_groups": ("num_groups", "groups"),
    "get_global_offset": ("global_offset", "goffset"),
}
_LINEAR = {"get_global_linear_id": ("global_id", "gid"), "get_local_linear_id": ("local_id", "lid")}

_ATOMIC = re.compile(
    r"(?:atom|atomic)_(?:add|sub|inc|dec|min|max|and|or|xor|xchg|cmpxchg|"
    r"fetch_\w+|exchange|compare_exchange_\w+|store|load|init)(?:_explicit)?"
)
_VECTOR_MEMORY = re.compile(r"v(load|store)(a?)(_half)?(2|3|4|8|16)?(?:_rt[ezpn])?")
_CHANNEL = re.compile(r"(read|write)_channel(?:_nb)?_(?:intel|altera)")
_PIPE = re.compile(r"(read|write)_pipe(?:_block)?")
_CONTROL = re.compile(r"__(pipelined|prefetching|burst_coalesced|burst_coalesced_cached)_(load|store)")
_CONVERT = re.compile(r"(?:convert|as)_(\w+?)(?:_sat)?(?:_rt[ezpn])?")
_BARRIERS = {"barrier", "work_group_barrier", "sub_group_barrier"}
_REALS = re.compile(
    r"(?:native_|half_)?(?:sqrt|rsqrt|exp|exp2|exp10|log|log2|log10|sin|cos|tan|pow|powr|pown|fabs|floor|ceil|"
    r"round|trunc|fmin|fmax|fmod|mad|fma|divide|recip|dot|length|distance|normalize|mix|tanh|sinh|cosh|atan2?|"
    r"asin|acos|hypot|sign|step|smoothstep|rint|ldexp|copysign)"
)
_PRINTF = "printf"


def find_builtin(name: str) -> Builtin | None:
    """The reader of a built-in function, or None when the name is not one that matters here."""
    if name in _IDS:
        return _id
    if name in _LINEAR:
        return _linear_id
    if name in _EXACT:
        return _EXACT[name]
    return next((reader for pattern, reader in _PATTERNS if pattern.fullmatch(name)), None)


def _dimension(values: list[Value]) -> int:
    known = values[0].number.constant if values and values[0].number is not None else None
    return known if known in {0, 1, 2} else 0


def _id(reader: Reader, _node: Node, name: str, values: list[Value], _nodes: list[Node]) -> Value:
    kind, stem = _IDS[name]
    dimension = _dimension(values)
    symbol = reader.symbols.once((kind, dimension), f"{stem}{dimension}", kind, dimension=dimension)
    return Value(LONG, Polynomial.symbol(symbol))


def _linear_id(reader: Reader, _node: Node, name: str, _values: list[Value], _nodes: list[Node]) -> Value:
    kind, stem = _LINEAR[name]
    symbol = reader.symbols.once((kind, 0), f"{stem}0", "global_id" if kind == "global_id" else "local_id", dimension=0)
    return Value(LONG, Polynomial.symbol(symbol))


def _atomic(reader: Reader, node: Node, name: str, values: list[Value], _nodes: list[Node]) -> Value:
    if not values or values[0].pointer is None:
        return combined(INT, *values)
    element = values[0].type.element or INT
    operand = combined(element, *values[1:]) if len(values) > 1 else Value(INT)
    pointer = values[0].pointer
    number = reader.record("atomic", node, pointer, element, stored=operand, atomic=name)
    reader.hold(pointer, operand)
    loads = frozenset({number}) if number is not None else frozenset[int]()
    result = Value(element, symbols=operand.varies_with(), loads=loads)
    if element.is_integer and not reader.silent:
        return replace(result, number=reader.symbols.unknown(name, result))
    return result


def _vector_memory(reader: Reader, node: Node, name: str, values: list[Value], nodes: list[Node]) -> Value:
    match = _VECTOR_MEMORY.fullmatch(name)
    if match is None:
        return combined(UNKNOWN, *values)
    lanes = int(match[4] or 1)
    storing = match[1] == "store"
    operands, texts = (values[1:], nodes[1:]) if storing else (values, nodes)
    if len(operands) < 2 or operands[1].pointer is None:
        return combined(UNKNOWN, *values)
    base = operands[1].type.element or UNKNOWN
    type_ = vector_of(base, lanes, f"{base.name}{lanes}") if lanes > 1 else base
    moved_lanes = 4 if match[2] and lanes == 3 else lanes
    width = base.size * moved_lanes
    type_ = replace(type_, size=base.size * lanes)
    number = operands[0].number
    pointer = moved(operands[1].pointer, number.scaled(width) if number is not None else None, "unknown offset")
    index = one_line(texts[0])
    if storing:
        reader.store(node, pointer, type_, values[0], index=index)
        return Value()
    loaded = reader.load(node, pointer, type_, index=index)
    if match[3]:
        real = named("float")
        return replace(loaded, type=vector_of(real, lanes, f"float{lanes}") if real and lanes > 1 else UNKNOWN)
    return loaded


def _control(reader: Reader, node: Node, name: str, values: list[Value], _nodes: list[Node]) -> Value:
    if not values or values[0].pointer is None:
        return combined(UNKNOWN, *values)
    pointer, element = values[0].pointer, values[0].type.element or UNKNOWN
    if name.endswith("_store"):
        stored = values[1] if len(values) > 1 else Value()
        reader.store(node, pointer, element, stored, hint=name)
        return Value()
    size = values[1].number.constant if len(values) > 1 and values[1].number is not None else None
    return reader.load(node, pointer, element, hint=name, cache_bytes=size)


def _channel(reader: Reader, node: Node, name: str, values: list[Value], nodes: list[Node]) -> Value:
    if not reader.silent and nodes:
        text = text_of(nodes[0])
        reader.channels.append(
            ChannelOperation(
                span=reader.span(node), channel=" ".join(text.split()),
                op="read" if name.startswith("read") else "write", loops=tuple(reader.open_loops),
            )
        )  # fmt: skip
    variable = reader.find(text_base(nodes[0])) if nodes else None
    type_ = variable.type if variable is not None else UNKNOWN
    while type_.kind == "array" and type_.element is not None:
        type_ = type_.element
    # What comes out of a channel was computed by another kernel: it varies like a value read from memory.
    arrived = reader.symbols.once(("channel", node.start_byte), name, "loaded")
    value = Value(type_, symbols=frozenset({arrived}) | combined(UNKNOWN, *values[1:]).varies_with())
    return replace(value, number=Polynomial.symbol(arrived)) if type_.is_integer else value


def _pipe(reader: Reader, node: Node, name: str, values: list[Value], nodes: list[Node]) -> Value:
    _channel(reader, node, name, values, nodes)
    if name.startswith("read") and values and values[-1].pointer is not None:
        reader.hold(values[-1].pointer, Value(symbols=frozenset({reader.symbols.fresh(name, "loaded")})))
    return Value(INT)


def text_base(node: Node) -> str:
    """The leading identifier of an expression such as ``ch[i]``."""
    match = re.match(r"\s*(\w+)", text_of(node))
    return match[1] if match else ""


def _barrier(reader: Reader, node: Node, _name: str, _values: list[Value], _nodes: list[Node]) -> Value:
    if not reader.silent:
        reader.barriers.append(Barrier(span=reader.span(node), loops=tuple(reader.open_loops)))
    return Value()


def _printf(reader: Reader, node: Node, _name: str, values: list[Value], _nodes: list[Node]) -> Value:
    """The compiler writes printf's arguments to a hidden global buffer."""
    size = sum(max(v.type.size, 4) for v in values[1:]) + 4
    pointer = Pointer(_PRINTF, "global", None, "hidden buffer of printf")
    type_ = CType("opaque", "printf record", size, 4)
    reader.record("store", node, pointer, type_, stored=combined(UNKNOWN, *values), hint=_PRINTF)
    return Value(INT)


def _clamp(reader: Reader, node: Node, name: str, values: list[Value], _nodes: list[Node]) -> Value:
    """min, max and clamp of integers keep their operands; of anything else, only what they depend on."""
    numbers = [v.number for v in values]
    type_ = next((v.type for v in values if v.type.kind != "opaque"), UNKNOWN)
    result = combined(type_, *values)
    known = [n for n in numbers if n is not None]
    if not type_.is_integer or len(known) != len(values) or not known or node.type == "":
        return result
    if name == "clamp" and len(known) == 3:
        low = _extreme(reader, "maximum", known[0], known[1])
        return replace(result, number=_extreme(reader, "minimum", low, known[2]))
    if len(known) != 2:
        return result
    return replace(result, number=_extreme(reader, "minimum" if name == "min" else "maximum", *known))


def _extreme(reader: Reader, op: Operation, a: Polynomial, b: Polynomial) -> Polynomial:
    x, y = a.constant, b.constant
    if x is not None and y is not None:
        return Polynomial.number(min(x, y) if op == "minimum" else max(x, y))
    return reader.symbols.operation(op, (a, b))


def _mul24(_reader: Reader, _node: Node, name: str, values: list[Value], _nodes: list[Node]) -> Value:
    numbers = [v.number for v in values]
    result = combined(INT, *values)
    if any(n is None for n in numbers):
        return result
    known = [n for n in numbers if n is not None]
    product = known[0] * known[1] if len(known) > 1 else known[0]
    return replace(result, number=product + known[2] if name == "mad24" and len(known) > 2 else product)


def _convert(_reader: Reader, _node: Node, name: str, values: list[Value], _nodes: list[Node]) -> Value:
    match = _CONVERT.fullmatch(name)
    type_ = named(match[1]) if match else None
    result = combined(type_ or UNKNOWN, *values)
    if type_ is not None and type_.is_integer and values:
        return replace(result, number=values[0].number)
    return result


def _select(_reader: Reader, _node: Node, _name: str, values: list[Value], _nodes: list[Node]) -> Value:
    return combined(values[0].type if values else UNKNOWN, *values)


def _real(_reader: Reader, _node: Node, _name: str, values: list[Value], _nodes: list[Node]) -> Value:
    type_ = next((v.type for v in values if v.type.kind in {"real", "vector"}), UNKNOWN)
    return combined(type_, *values)


_EXACT: dict[str, Builtin] = {
    **dict.fromkeys(_BARRIERS, _barrier),
    **dict.fromkeys(("min", "max", "clamp"), _clamp),
    **dict.fromkeys(("mul24", "mad24"), _mul24),
    "select": _select,
    "printf": _printf,
}
_PATTERNS: list[tuple[re.Pattern[str], Builtin]] = [
    (_ATOMIC, _atomic),
    (_VECTOR_MEMORY, _vector_memory),
    (_CHANNEL, _channel),
    (_PIPE, _pipe),
    (_CONTROL, _control),
    (_REALS, _real),
    (_CONVERT, _convert),
]
