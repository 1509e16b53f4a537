"""Launches in a host program in C or C++ (OpenCL's C interface, and its C++ bindings)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from tree_sitter import Node

from burstline_server.host.certain import CertainNames, Settings
from burstline_server.host.constants import Constants, declared, descendants, parsed, text_of
from burstline_server.host.host_launch import HostLaunch

_SCOPE = re.compile(rb"::")
_TEMPLATE = re.compile(rb"\b(?:static_cast|reinterpret_cast)\s*<[^<>\n]{1,60}>")
_MADE = re.compile(r'(?:^|[^\w:])cl__Kernel\s+(\w+)\s*[({]\s*[\w.>-]+\s*,\s*"(\w+)"')
"""A kernel made by the C++ bindings' constructor."""
_BUFFER = re.compile(r"(?:^|[^\w:])cl__Buffer\s+(\w+)\s*[({]\s*[\w.>-]+\s*,([^;,]{1,200}),")
"""A buffer made by the C++ bindings' constructor, with its flags."""
_BANK = re.compile(r"\bCL_(?:CHANNEL_(\d)_INTELFPGA|MEM_BANK_(\d)_(?:ALTERA|INTELFPGA))\b")
"""Flags that place a buffer; the vendor counts from one."""
_OTHER = re.compile(r"float|double|half|cl_mem|\*")
"""Sizes of arguments that are no integers."""


@dataclass(slots=True)
class _Host:
    constants: Constants
    certain: CertainNames
    settings: Settings = field(default_factory=Settings)
    kernels: dict[str, str] = field(default_factory=dict)
    """Names of kernels by the expression that holds them."""
    arguments: dict[str, dict[int, set[int]]] = field(default_factory=dict)
    """Values given to a kernel's arguments, by that expression and position."""
    buffers: dict[str, set[int | None]] = field(default_factory=dict)
    """The banks of what an expression is made to hold; None for one that no flag places."""
    passed: dict[str, dict[int, set[str]]] = field(default_factory=dict)
    """The expressions that a kernel's arguments are set to, by the one that holds it and position."""
    last: dict[str, int] = field(default_factory=dict)
    launches: list[tuple[str, HostLaunch]] = field(default_factory=list)

    def read(self, root: Node, text: str) -> None:
        for match in _MADE.finditer(text):
            self._holds(match[1], match[2])
        for match in _BUFFER.finditer(text):
            self.buffers.setdefault(match[1], set()).add(_bank(match[2]))
        for node in descendants(root):
            self.settings.look_at(node)
            if node.type in {"init_declarator", "assignment_expression"}:
                self._made(node)
            elif node.type == "call_expression":
                self._called(node)

    def _holds(self, holder: str, kernel: str) -> None:
        self.kernels.setdefault(holder, kernel)
        self.settings.made.setdefault(holder, set()).add(kernel)
        self.settings.used[kernel] += 1

    def _made(self, node: Node) -> None:
        """`k = clCreateKernel(program, "name", …)`, the same of the C++ bindings, and `b = clCreateBuffer(…)`."""
        value = node.child_by_field_name("value") or node.child_by_field_name("right")
        while value is not None and value.type in {"cast_expression", "parenthesized_expression"}:
            value = value.named_children[-1]
        if value is None or value.type != "call_expression":
            return
        called = text_of(value.child_by_field_name("function"))
        given = _arguments(value)
        holder = declared(node) or text_of(node.child_by_field_name("left"))
        if called in {"clCreateBuffer", "cl__Buffer"} and len(given) > 1:
            self.buffers.setdefault(holder, set()).update(map(_bank, self._flags(given[1])))
        if called not in {"clCreateKernel", "cl__Kernel"} or len(given) < 2:
            return
        name = self.constants.string(given[1])
        if name and holder:
            self._holds(holder, name)
        if holder and given[1].type != "string_literal":
            self.settings.given_away.add(holder)  # others may be made of that name, or it of another

    def _flags(self, node: Node) -> list[str]:
        """The texts that the flags of a buffer may have: those that a variable for them is set to."""
        values = self.constants.written.get(text_of(node), []) if node.type == "identifier" else []
        return [text_of(one) for one in values] or [text_of(node)]

    def _called(self, node: Node) -> None:
        function, given = node.child_by_field_name("function"), _arguments(node)
        called = text_of(function)
        if called == "clSetKernelArg" and len(given) == 4:
            whole = _OTHER.search(text_of(given[2])) is None
            self._argument(text_of(given[0]), given[1], _pointed(given[3]), whole=whole)
        elif called in {"clEnqueueNDRangeKernel", "clEnqueueTask"} and len(given) > 1:
            sizes = given[4:6] if called == "clEnqueueNDRangeKernel" else []
            dimensions = self.constants.number(given[2]) if len(given) > 2 else None
            self._launched(text_of(given[1]), node, sizes, dimensions)
        elif function is not None and function.type == "field_expression":
            member, holder = text_of(function.child_by_field_name("field")), function.child_by_field_name("argument")
            if member == "setArg" and len(given) == 2:
                self._argument(text_of(holder), given[0], given[1])
            elif member in {"enqueueNDRangeKernel", "enqueueTask"} and given:
                self._launched(text_of(given[0]), node, given[2:4] if member == "enqueueNDRangeKernel" else [], None)

    def _argument(self, holder: str, index: Node, value: Node | None, *, whole: bool = True) -> None:
        at, line = self.constants.number(index), index.start_point[0] + 1
        said = self.settings.set_to.setdefault(holder, [])
        if at is None:
            if index.type != "update_expression":
                said.append((None, None, line))
                return
            at = self.last.get(holder, -1) + 1
        self.last[holder] = at
        self.passed.setdefault(holder, {}).setdefault(at, set()).add(text_of(value))
        said.append((at, self.certain.value(value) if whole else None, line))
        number = self.constants.number(value)
        if number is not None:
            self.arguments.setdefault(holder, {}).setdefault(at, set()).add(number)

    def _launched(self, holder: str, node: Node, sizes: Sequence[Node], dimensions: int | None) -> None:
        whole, group = (*(self._sizes(n, dimensions) for n in sizes), None, None)[:2]
        whole = (1,) if not sizes else whole  # a task
        self.launches.append((holder, HostLaunch("", node.start_point[0] + 1, whole, group)))

    def _sizes(self, node: Node, dimensions: int | None) -> tuple[int, ...] | None:
        if node.type != "call_expression":
            return self.constants.sizes(node, dimensions)
        if text_of(node.child_by_field_name("function")) != "cl__NDRange":
            return None
        values = [self.constants.number(n) for n in _arguments(node)]
        known = tuple(v for v in values if v is not None and v > 0)
        return known if 0 < len(known) == len(values) <= 3 else None

    def result(self) -> Iterator[HostLaunch]:
        for holder, launch in self.launches:
            name = self.kernels.get(holder)
            if name is not None:
                given = self.arguments.get(holder, {})
                arguments = {at: next(iter(values)) for at, values in given.items() if len(values) == 1}
                fixed, count = self.settings.fixed(name)
                banks = dict(self._banks(holder))
                yield HostLaunch(
                    name, launch.line, launch.global_size, launch.local_size, arguments, fixed, count, banks
                )

    def _banks(self, holder: str) -> Iterator[tuple[int, int]]:
        """The bank of each argument whose buffers all lie in one."""
        for at, values in self.passed.get(holder, {}).items():
            banks = {bank for one in values for bank in self.buffers.get(one, {None})}
            bank = next(iter(banks))
            if len(banks) == 1 and bank is not None:
                yield at, bank


def launches_in_c(text: bytes, headers: Sequence[bytes] = (), *, references: bool = True) -> list[HostLaunch]:
    """The launches in a host's text whose kernels are named there; `headers` are texts that it includes.

    `references`: it is C++, in which functions may change the variables that they are called with.
    """
    constants = Constants()
    certain = CertainNames(constants, references)
    plains = [(parsed(plain), plain.decode("utf-8", "replace")) for plain in map(as_c, (*headers, text))]
    for root, plain in plains:
        constants.read(root)
        certain.read(root, plain)
    host = _Host(constants, certain)
    host.read(*plains[-1])
    return list(host.result())


def _bank(flags: str) -> int | None:
    """The bank, from zero, that the flags of a buffer name; None for none, or one of another memory."""
    match = _BANK.search(flags)
    return int(match[1] or match[2]) - 1 if match is not None and "HETEROGENEOUS" not in flags else None


def as_c(text: bytes) -> bytes:
    """C++ as the C grammar reads it, byte by byte at the same place: names with scopes, and casts."""
    return _SCOPE.sub(b"__", _TEMPLATE.sub(lambda m: b" " * len(m[0]), text))


def _arguments(call: Node) -> list[Node]:
    given = call.child_by_field_name("arguments")
    return [n for n in given.named_children if n.type != "comment"] if given is not None else []


def _pointed(node: Node) -> Node | None:
    """What the address of an argument is taken of."""
    while node.type in {"cast_expression", "parenthesized_expression"}:
        node = node.named_children[-1]
    return node.child_by_field_name("argument") if node.type == "pointer_expression" else None
