"""Code as clang emits it, made ready for the passes: what a few functions do, and what others do not touch."""

from __future__ import annotations

import re

_DECLARED = re.compile(
    r"^declare .*?spir_func (?:(?:zero|sign)ext |noundef )*(<[^>]+>|\w+) @(_Z\w+)\((.*)\)[^()\n]*$", re.MULTILINE
)
_CHANNEL = re.compile(r"^declare .*@(burstline_channel_\w+)\(.*\).*$", re.MULTILINE)
_CHOICE = re.compile(r"_Z\d+(min|max|clamp|mul24|mad24)[chstijlm]+$")
_VECTOR = re.compile(r"_Z\d+v(load|store)(\d+)")
_HALF = re.compile(r"_Z\d+v(load|store)a?_half(\d*)(?:_rt[ezpn])?(?:mP|f|d|Dv)")
_TYPE = re.compile(r"\s*(<[^>]+>|\w+(?: addrspace\(\d\))?\*?)")
_BYTES = {"i8": 1, "i16": 2, "half": 2, "i32": 4, "float": 4, "i64": 8, "double": 8}
_REQUEST = re.compile(r'^(!\d+) = !\{!"llvm\.loop\.unroll\.(?:count|enable|full)".*$', re.MULTILINE)
_LOOP = re.compile(r"^(!\d+) = distinct !\{(.*)\}$", re.MULTILINE)
_NO_REMAINDER = "!99999999"
_MEMORY_SINCE = 16
"""From this version on, the effects of a function are one attribute."""


def tailored(code: str, version: int) -> str:
    """The code with bodies for small functions, channels that touch nothing else, and loops unrolled whole or not."""
    code = _DECLARED.sub(_defined, code)
    effect = "memory(inaccessiblemem: readwrite)" if version >= _MEMORY_SINCE else "inaccessiblememonly"
    code = _CHANNEL.sub(lambda found: f"{found[0].rstrip()} {effect} nounwind willreturn", code)
    return _without_remainders(code)


def _without_remainders(code: str) -> str:
    """A loop of unknown length is left as it is: a second loop for the rest would hold each access again."""
    requests = set(_REQUEST.findall(code))
    if not requests:
        return code

    def with_request(found: re.Match[str]) -> str:
        asked = any(one in requests for one in re.findall(r"!\d+", found[2]))
        return f"{found[1]} = distinct !{{{found[2]}, {_NO_REMAINDER}}}" if asked else found[0]

    return _LOOP.sub(with_request, code) + f'\n{_NO_REMAINDER} = !{{!"llvm.loop.unroll.runtime.disable"}}\n'


def _defined(found: re.Match[str]) -> str:
    """A function of OpenCL's with its body, where that is a choice, a product, or a vector's way from or to memory."""
    result, name, words = found[1], found[2], [_TYPE.match(one) for one in found[3].split(",")]
    types = [one[1] for one in words if one is not None]
    body: list[str] = []
    if len(types) < len(words):
        return found[0]
    if (choice := _CHOICE.match(name)) and result in _BYTES:
        body = _chosen(choice[1], result, "u" if name[-1] in "htjm" else "s")
    elif vector := _VECTOR.match(name):
        body = _moved(vector[1], types, result)
    elif half := _HALF.match(name):
        body = _halves(half[1], int(half[2] or 1), types, result)
    if not body:
        return found[0]
    named = ", ".join(f"{type_} %{letter}" for type_, letter in zip(types, "abc", strict=False))
    lines = "".join(f"  {line}\n" for line in body)
    return f"define internal spir_func {result} @{name}({named}) alwaysinline nounwind {{\n{lines}}}"


def _chosen(kind: str, type_: str, sign: str) -> list[str]:
    if kind in {"mul24", "mad24"}:
        more = [f"%s = add {type_} %m, %c", f"ret {type_} %s"] if kind == "mad24" else [f"ret {type_} %m"]
        return [f"%m = mul {type_} %a, %b", *more]
    first = ("max" if kind == "clamp" else kind, "a", "b", "m")
    steps = [first, ("min", "m", "c", "n")] if kind == "clamp" else [first]
    body = []
    for how, left, right, to in steps:
        less = f"{sign}{'lt' if how == 'min' else 'gt'}"
        body += [
            f"%c{to} = icmp {less} {type_} %{left}, %{right}",
            f"%{to} = select i1 %c{to}, {type_} %{left}, {type_} %{right}",
        ]
    return [*body, f"ret {type_} %{steps[-1][3]}"]


def _halves(kind: str, lanes: int, types: list[str], result: str) -> list[str]:
    """``vload_halfN`` and ``vstore_halfN``: halves in memory, other numbers in the kernel."""
    number = result if kind == "load" else types[0]
    halves = f"<{lanes} x half>" if lanes > 1 else "half"
    inner = [types[0], types[1]] if kind == "load" else [halves, *types[1:]]
    body = _moved(kind, inner, halves if kind == "load" else result)
    if not body:
        return []
    if kind == "load":
        return [*body[:-1], f"%w = fpext {halves} %r to {number}", f"ret {number} %w"]
    return [f"%h = fptrunc {number} %a to {halves}", *(line.replace(f"{halves} %a", f"{halves} %h") for line in body)]


def _moved(kind: str, types: list[str], result: str) -> list[str]:
    """``vloadN`` and ``vstoreN``: the vector begins at any element."""
    vector = result if kind == "load" else types[0]
    offset, pointer = ("%a", "%b") if kind == "load" else ("%b", "%c")
    to = types[-1]
    lanes, _, element = vector.strip("<>").partition(" x ") if vector[0] == "<" else ("1", "", vector)
    if not (lanes.isdigit() and element in _BYTES):
        return []
    align = f"align {_BYTES[element]}"
    body = [f"%o = mul i64 {offset}, {lanes}", f"%e = getelementptr inbounds {element}, {to} {pointer}, i64 %o"]
    place, into = "%e", to
    if to.endswith("*"):
        into = f"{vector}{to.removeprefix(element)}"
        body.append(f"%v = bitcast {to} %e to {into}")
        place = "%v"
    if kind == "load":
        return [*body, f"%r = load {vector}, {into} {place}, {align}", f"ret {vector} %r"]
    return [*body, f"store {vector} %a, {into} {place}, {align}", "ret void"]
