"""OpenCL's and the vendor's built-in functions, as far as memory, ids and indices are concerned."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from tree_sitter import Node

from burstline_model.facts import COMPUTE_ID, Barrier, ChannelOperation, Operation, SymbolKind, Unknown
from burstline_model.polynomial import Polynomial
from burstline_server.analysis.atomics import ATOMIC, atomic
from burstline_server.analysis.chains import channel_mark
from burstline_server.analysis.frames import OpenChannel
from burstline_server.analysis.group_copies import GROUP_COPY, copied_by_group
from burstline_server.analysis.hardware_operations import (
    count_conversion,
    count_extreme,
    count_function,
    count_operator,
)
from burstline_server.analysis.integers import rounded
from burstline_server.analysis.logic import truth
from burstline_server.analysis.nodes import one_line, text_of, unwrapped
from burstline_server.analysis.places import conversion
from burstline_server.analysis.reader import Reader
from burstline_server.analysis.types import INT, SIZE, UNKNOWN, CType, components, named, vector_of
from burstline_server.analysis.values import Pointer, Value, combined, moved

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

_VECTOR_MEMORY = re.compile(r"v(load|store)(a?)(_half)?(2|3|4|8|16)?(?:_rt[ezpn])?")
_CHANNEL = re.compile(r"(read|write)_channel(?:_nb)?_(?:intel|altera)")
_CHANNEL_CALL = re.compile(r"\b((?:read|write)_(?:channel|pipe)\w*)\s*\(")
MAX_CHANNEL = 400
"""Most characters of a channel's name and its index."""
_COMMENT = re.compile(rb"//(?:[^\\\n]++|\\(?:\r?\n)?)*+|/\*.*?(?:\*/|\Z)", re.DOTALL)
_PIPE = re.compile(r"(read|write)_pipe(?:_block)?")
_IMAGE = re.compile(r"(read|write)_image(f|i|ui|h)")
_NO_MEMORY = re.compile(
    r"(?:work_group_|sub_group_)?(?:reserve|commit)_(?:read|write)_pipe|wait_group_events|prefetch|mem_fence|"
    r"(?:read|write)_mem_fence|atomic_work_item_fence|get_pipe_\w+"
)
_IMAGE_QUERY = re.compile(r"get_image_(?:width|height|depth|dim|array_size|channel_\w+)")
_SCALAR = re.compile(r"(?:fast_)?(?:dot|length|distance)")
_TRUTH = re.compile(
    r"is(?:equal|notequal|greater|greaterequal|less|lessequal|lessgreater|finite|inf|nan|normal|"
    r"ordered|unordered)|signbit|any|all"
)
_CONTROL = re.compile(r"__(pipelined|prefetching|burst_coalesced|burst_coalesced_cached)_(load|store)")
_CONVERT = re.compile(r"(?:convert|as)_(\w+?)(?:_sat)?(?:_rt[ezpn])?")
_BARRIERS = {"barrier", "work_group_barrier", "sub_group_barrier"}
_REALS = re.compile(
    r"(?:native_|half_)?(?:sqrt|rsqrt|exp|exp2|exp10|log|log2|log10|sin|cos|tan|pow|powr|pown|fabs|floor|ceil|"
    r"round|trunc|fmin|fmax|fmod|mad|fma|divide|recip|normalize|mix|tanh|sinh|cosh|atan2?|"
    r"asin|acos|hypot|erfc?|cbrt|expm1|log1p|sign|step|smoothstep|rint|ldexp|copysign)"
)
_REAL_OPERATIONS = {
    "sqrt": "sqrt", "rsqrt": "sqrt", "divide": "div", "recip": "div", "fmin": "compare", "fmax": "compare",
    "fabs": "bitwise", "copysign": "bitwise", "sign": "bitwise",
}  # fmt: skip
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
    return Value(SIZE, Polynomial.symbol(symbol))


def _compute_id(reader: Reader, _node: Node, _name: str, values: list[Value], _nodes: list[Node]) -> Value:
    place = f"{COMPUTE_ID}{_dimension(values)})"
    return Value(INT, Polynomial.symbol(reader.symbols.once(place, place, "argument")))


def _linear_id(reader: Reader, _node: Node, name: str, _values: list[Value], _nodes: list[Node]) -> Value:
    kind, stem = _LINEAR[name]
    reader.linear_ids = True
    symbol = reader.symbols.once((kind, 0), f"{stem}0", "global_id" if kind == "global_id" else "local_id", dimension=0)
    return Value(SIZE, Polynomial.symbol(symbol))


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
    number = operands[0].number  # such vectors are aligned as their elements are
    pointer = moved(
        operands[1].pointer, number.scaled(width) if number is not None else None, Unknown(kind="no_offset")
    )
    index = one_line(texts[0])
    if storing:
        reader.store(node, pointer, type_, values[0], index=index, packed=lanes > 1)
        return Value()
    loaded = reader.load(node, pointer, type_, index=index, packed=lanes > 1)
    if match[3]:
        real = named("float") or UNKNOWN
        return loaded._replace(type=vector_of(real, lanes, f"float{lanes}") if lanes > 1 else real)
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


def uses_channel(name: str) -> bool:
    """Whether a function of this name reads or writes a channel or pipe."""
    return _CHANNEL.fullmatch(name) is not None or _PIPE.fullmatch(name) is not None


def channels_named(text: bytes) -> Iterator[str]:
    """The channels and pipes that calls in a text name, as they are written there."""
    plain = _COMMENT.sub(b" ", text).decode("utf-8", "replace")
    for match in _CHANNEL_CALL.finditer(plain):
        if uses_channel(match[1]):
            depth, end = 0, match.end()
            while end < min(len(plain), match.end() + MAX_CHANNEL) and (depth or plain[end] not in ",)"):
                depth += (plain[end] in "([") - (plain[end] in ")]")
                end += 1
            yield " ".join(plain[match.end() : end].split())


def _channel(reader: Reader, node: Node, name: str, values: list[Value], nodes: list[Node]) -> Value:
    variable = reader.find(text_base(nodes[0])) if nodes else None
    type_ = variable.type if variable is not None else UNKNOWN
    while type_.kind == "array" and type_.element is not None:
        type_ = type_.element
    if not reader.silent and nodes:
        index, chosen = _channel_index(reader, nodes[0])
        known = "".join(f"[{place}]" for place in index)
        text = text_base(nodes[0]) + known if index and None not in index else " ".join(text_of(nodes[0]).split())
        operation = ChannelOperation(
            span=reader.span(node), channel=text, width_bits=type_.size * 8,
            from_board=variable is not None and variable.from_board,
            op="read" if name.startswith("read") else "write", loops=tuple(reader.open_loops), index=index,
            turns=tuple(i for i in reader.open_loops if reader.loops[i].counter in chosen),
            call_chain=tuple(reader.calls),
        )  # fmt: skip
        if None in index and any(_varies(reader, one) for one in chosen):
            reader.remark(node, "run_time_channel", text)
        plain = _CHANNEL.fullmatch(name) is not None and type_.lane.kind in {"integer", "real"}
        if plain and operation.op == "write" and values[1:] and values[1].type.kind == "pointer":
            reader.remark(node, "address_sent", " ".join(text_of(nodes[1]).split()), text_base(nodes[0]))
        given = combined(UNKNOWN, *values[1:], *(g.value for g in reader.guards))
        reader.channels.append(OpenChannel(operation, tuple(reader.guards), given.chains))
        reader.observe(combined(UNKNOWN, *values[1:]))
    # What comes out of a channel was computed by another kernel: it varies like a value read from memory.
    arrived = reader.symbols.once(("channel", node.start_byte), name, "loaded")
    turns = {reader.loops[i].counter for i in reader.open_loops} | reader.symbols.asked
    reader.symbols.add_dependence(arrived, turns, loaded=True)
    chains = ((channel_mark(text_base(nodes[0])), ()),) if nodes and name.startswith("read") else ()
    symbols = frozenset({arrived}) | combined(UNKNOWN, *values[1:]).varies_with()
    value = Value(type_, symbols=symbols, chains=chains)
    return value._replace(number=Polynomial.symbol(arrived)) if type_.is_integer else value


def _varies(reader: Reader, name: str) -> bool:
    """Whether a value is none that unrolled loops leave constant, nor one that the build defines."""
    computed = reader.symbols.kind(name) in {"opaque", "carried"}
    return not computed and name not in reader.undefined and reader.symbols.trips(name) is None


def _channel_index(reader: Reader, node: Node) -> tuple[tuple[int | None, ...], frozenset[str]]:
    """The element of an array of channels that an operand names, the outermost dimension first; what it varies with."""
    found: list[int | None] = []
    chosen = frozenset[str]()
    at: Node | None = unwrapped(node)
    while at is not None and at.type == "subscript_expression":
        place = at.child_by_field_name("index")
        value = reader.evaluate_quietly(place) if place is not None else Value()
        chosen |= reader.symbols.closure(value.varies_with())
        found.insert(0, value.number.constant if value.number is not None else None)
        inner = at.child_by_field_name("argument")
        at = unwrapped(inner) if inner is not None else None
    return tuple(found), chosen


def _pipe(reader: Reader, node: Node, name: str, values: list[Value], nodes: list[Node]) -> Value:
    pointer, element = (values[-1].pointer, values[-1].type.element or UNKNOWN) if values else (None, UNKNOWN)
    if pointer is None:
        _channel(reader, node, name, values, nodes)
        return Value(INT)
    in_memory = pointer.space in {"global", "constant"}
    if name.startswith("write"):
        sent = reader.load(node, pointer, element) if in_memory else values[-1]
        _channel(reader, node, name, [*values[:-1], sent], nodes)
        return Value(INT)
    _channel(reader, node, name, values, nodes)
    taken = Value(element, symbols=frozenset({reader.symbols.fresh(name, "loaded")}))
    if in_memory:
        reader.store(node, pointer, element, taken)
    else:
        reader.hold(pointer, taken)
    return Value(INT)


def _image(reader: Reader, node: Node, name: str, values: list[Value], _nodes: list[Node]) -> Value:
    reader.remark(node, "images", name)
    kind = {"f": "float", "i": "int", "ui": "uint", "h": "half"}[
        name.removeprefix(name.partition("image")[0] + "image")
    ]
    texel = combined(named(f"{kind}4") or UNKNOWN, *values)
    read = reader.symbols.once(("image", node.start_byte), name, "loaded")
    reader.symbols.add_dependence(read, texel.varies_with(), loaded=True)
    return texel._replace(symbols=texel.symbols | {read})


def _image_query(reader: Reader, _node: Node, name: str, _values: list[Value], nodes: list[Node]) -> Value:
    key = (name, text_of(nodes[0]) if nodes else "")
    return Value(INT, Polynomial.symbol(reader.symbols.once(key, name, "argument")))


def _work_dim(reader: Reader, _node: Node, name: str, _values: list[Value], _nodes: list[Node]) -> Value:
    return Value(INT, Polynomial.symbol(reader.symbols.once(name, name, "argument")))


def _nothing(_reader: Reader, _node: Node, _name: str, _values: list[Value], _nodes: list[Node]) -> Value:
    return Value()


def _scalar(reader: Reader, _node: Node, name: str, values: list[Value], _nodes: list[Node]) -> Value:
    first = values[0].type if values else UNKNOWN
    element = first.element if first.kind == "vector" and first.element else first
    count_function(reader, first, "mad")
    if not name.endswith("dot"):
        count_function(reader, element, "sqrt")
    return combined(element, *values)


def _truth(_reader: Reader, _node: Node, name: str, values: list[Value], _nodes: list[Node]) -> Value:
    first = values[0].type if values else UNKNOWN
    lanes = first.count or 1 if first.kind == "vector" and name not in {"any", "all"} else 1
    return combined(named(f"int{lanes}") or INT if lanes > 1 else INT, *values)


def _same(_reader: Reader, _node: Node, _name: str, values: list[Value], _nodes: list[Node]) -> Value:
    return combined(values[0].type if values else UNKNOWN, *values)


def _itself(_reader: Reader, _node: Node, _name: str, values: list[Value], _nodes: list[Node]) -> Value:
    """The first argument: a register on the way of a value, or what the compiler may expect of it, changes nothing."""
    return values[0] if values else Value()


def text_base(node: Node) -> str:
    """The leading identifier of an expression such as ``ch[i]``."""
    match = re.match(r"\s*(\w+)", text_of(node))
    return match[1] if match else ""


def _barrier(reader: Reader, node: Node, _name: str, values: list[Value], _nodes: list[Node]) -> Value:
    if not reader.silent:
        flags = values[0].number.constant if values and values[0].number is not None else None
        fences_global = flags is None or bool(flags & _GLOBAL_FENCE)
        barrier = Barrier(span=reader.span(node), loops=tuple(reader.open_loops), fences_global=fences_global)
        reader.barriers.append(barrier)
    return Value()


ONE = Polynomial.number(1)
_GLOBAL_FENCE = 2
"""CLK_GLOBAL_MEM_FENCE, as a flag."""


def _printf(reader: Reader, node: Node, _name: str, values: list[Value], _nodes: list[Node]) -> Value:
    """The compiler writes printf's arguments to a hidden global buffer."""
    size = sum(max(v.type.size, 4) for v in values[1:]) + 4
    pointer = Pointer(_PRINTF, "global", None, Unknown(kind="printf_buffer"))
    type_ = CType("opaque", "printf record", size, 4)
    reader.record("store", node, pointer, type_, stored=combined(UNKNOWN, *values), hint=_PRINTF)
    return Value(INT)


def _clamp(reader: Reader, _node: Node, name: str, values: list[Value], _nodes: list[Node]) -> Value:
    """min, max and clamp of integers keep their operands; of anything else, only what they depend on."""
    type_ = next((v.type for v in values if v.type.kind != "opaque"), UNKNOWN)
    result = combined(type_, *values)
    count_extreme(reader, type_, values)
    for _ in values[1:]:
        result = reader.stepped(result, type_, "compare")
        result = reader.stepped(result, type_, "select") if type_.is_integer else result
    if type_.is_integer:
        return result._replace(number=_clamped(reader, name, [v.number for v in values]))
    lanes = (
        (n, [dict(v.parts).get(n) if v.type.kind == "vector" else v.number for v in values])
        for n in components(type_)
        if type_.kind == "vector"
    )
    parts = ((n, _clamped(reader, name, numbers)) for n, numbers in lanes)
    return result._replace(parts=tuple((n, number) for n, number in parts if number is not None))


def _clamped(reader: Reader, name: str, numbers: Sequence[Polynomial | None]) -> Polynomial | None:
    known = [n for n in numbers if n is not None]
    if len(known) != len(numbers) or len(known) != (3 if name == "clamp" else 2):
        return None
    if name != "clamp":
        return _extreme(reader, "minimum" if name == "min" else "maximum", *known)
    return _extreme(reader, "minimum", _extreme(reader, "maximum", known[0], known[1]), known[2])


def _absolute(reader: Reader, node: Node, name: str, values: list[Value], nodes: list[Node]) -> Value:
    """Integers' abs and abs_diff: the larger one of a number and its negative."""
    same = _same(reader, node, name, values, nodes)
    numbers = [v.number for v in values]
    if not same.type.is_integer or None in numbers or len(numbers) != (1 if name == "abs" else 2):
        return same
    first, second = [n for n in (*numbers, Polynomial()) if n is not None][:2]
    return same._replace(number=_extreme(reader, "maximum", first - second, second - first))


def _select(reader: Reader, node: Node, name: str, values: list[Value], nodes: list[Node]) -> Value:
    """``select(a, b, c)`` of integers is ``c ? b : a``."""
    same = _same(reader, node, name, values, nodes)
    numbers = [v.number for v in values]
    if name != "select" or not same.type.is_integer or len(numbers) != len("abc") or None in numbers:
        return same
    a, b, condition = (n for n in numbers if n is not None)
    return same._replace(number=reader.symbols.operation("select", (truth(reader.symbols, condition), b, a)))


def _extreme(reader: Reader, op: Operation, a: Polynomial, b: Polynomial) -> Polynomial:
    x, y = a.constant, b.constant
    if x is not None and y is not None:
        return Polynomial.number(min(x, y) if op == "minimum" else max(x, y))
    return reader.symbols.operation(op, (a, b))


def _mul24(reader: Reader, _node: Node, name: str, values: list[Value], _nodes: list[Node]) -> Value:
    numbers = [v.number for v in values]
    result = combined(INT, *values)
    if len(values) > 1:
        count_operator(reader, "*", INT, values[0], values[1])
    known = [n for n in numbers if n is not None]
    if not known or len(known) < len(numbers):
        return result
    product = known[0] * known[1] if len(known) > 1 else known[0]
    return result._replace(number=product + known[2] if name == "mad24" and len(known) > 2 else product)


def _convert(reader: Reader, _node: Node, name: str, values: list[Value], _nodes: list[Node]) -> Value:
    match = _CONVERT.fullmatch(name)
    type_ = named(match[1]) if match else None
    if type_ is not None and values and name.startswith("convert"):
        count_conversion(reader, type_, values[0])
        values = [conversion(reader, values[0], type_)]
    result = combined(type_ or UNKNOWN, *values)
    if type_ is not None and type_.is_integer and values:
        return result._replace(number=values[0].number)
    if type_ is not None and components(type_) and values:
        return result._replace(parts=values[0].parts)
    return result


def _real(reader: Reader, _node: Node, name: str, values: list[Value], _nodes: list[Node]) -> Value:
    type_ = next((v.type for v in values if v.type.kind in {"real", "vector"}), UNKNOWN)
    if type_ is UNKNOWN and values and all(v.type.is_integer for v in values):
        type_ = named("float") or UNKNOWN  # converted for the call
    operation = name.removeprefix("native_").removeprefix("half_")
    value = combined(type_, *values)
    count_function(reader, type_, operation)
    ratio = values[0].as_ratio if values and operation in {"ceil", "floor", "trunc", "round", "rint"} else None
    whole = rounded(reader, operation, *ratio) if ratio is not None else None
    if whole is not None:
        return reader.stepped(value, type_, "function")._replace(ratio=(whole, ONE))
    if operation in {"mad", "fma"}:
        return reader.stepped(reader.stepped(value, type_, "fused mul"), type_, "multiply-add")
    return reader.stepped(value, type_, _REAL_OPERATIONS.get(operation, "function"))


_EXACT: dict[str, Builtin] = {
    **dict.fromkeys(_BARRIERS, _barrier),
    **dict.fromkeys(("min", "max", "clamp"), _clamp),
    **dict.fromkeys(("mul24", "mad24"), _mul24),
    "select": _select,
    "get_compute_id": _compute_id,
    **dict.fromkeys(("abs", "abs_diff"), _absolute),
    **dict.fromkeys(("bitselect", "popcount", "clz", "ctz", "rotate", "hadd", "rhadd", "mul_hi", "mad_hi"), _same),
    **dict.fromkeys(
        ("mad_sat", "add_sat", "sub_sat", "degrees", "radians", "frexp", "fract", "modf", "shuffle"), _same
    ),
    **dict.fromkeys(("__fpga_reg", "__builtin_expect"), _itself),
    "get_work_dim": _work_dim,
    "printf": _printf,
}
_PATTERNS: list[tuple[re.Pattern[str], Builtin]] = [
    (ATOMIC, atomic),
    (_VECTOR_MEMORY, _vector_memory),
    (_CHANNEL, _channel),
    (_PIPE, _pipe),
    (_CONTROL, _control),
    (GROUP_COPY, copied_by_group),
    (_IMAGE, _image),
    (_IMAGE_QUERY, _image_query),
    (_NO_MEMORY, _nothing),
    (_SCALAR, _scalar),
    (_TRUTH, _truth),
    (_REALS, _real),
    (_CONVERT, _convert),
]
