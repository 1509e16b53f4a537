"""Types of OpenCL C as far as addresses need them: sizes, alignments, elements and field offsets."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import field, replace
from functools import cached_property, lru_cache
from typing import Literal

from tree_sitter import Node

from burstline_model.record import fixed
from burstline_server.analysis.nodes import text_of

Kind = Literal["void", "integer", "real", "vector", "pointer", "array", "struct", "function", "opaque"]

POINTER_BYTES = 8
MAX_NAMED = 256
"""How many names of types are remembered."""
_SCALARS: dict[str, tuple[Kind, int]] = {
    "void": ("void", 0), "bool": ("integer", 1), "char": ("integer", 1), "short": ("integer", 2),
    "int": ("integer", 4), "long": ("integer", 8), "half": ("real", 2), "float": ("real", 4),
    "double": ("real", 8),
}  # fmt: skip
_ALIASES = {
    "uchar": "char", "ushort": "short", "uint": "int", "ulong": "long", "unsigned": "int", "signed": "int",
    "_Bool": "bool", "size_t": "long", "ptrdiff_t": "long", "intptr_t": "long", "uintptr_t": "long",
    "int8_t": "char", "uint8_t": "char", "int16_t": "short", "uint16_t": "short", "int32_t": "int",
    "uint32_t": "int", "int64_t": "long", "uint64_t": "long", "atomic_int": "int", "atomic_uint": "int",
    "atomic_long": "long", "atomic_ulong": "long", "atomic_float": "float", "atomic_double": "double",
    "atomic_flag": "int", "atomic_size_t": "long",
}  # fmt: skip
_VECTOR = re.compile(r"(u?(?:char|short|int|long)|half|float|double|bool)(2|3|4|8|16)")
_OPAQUE = re.compile(r"image\w*_t|sampler_t|event_t|queue_t|ndrange_t|clk_event_t|reserve_id_t")


@fixed
class CType:
    """A type. Sizes and alignments are bytes; `count`: a vector's lanes, an array's length (or None).

    `adrift` are the fields that lie behind an array of unknown length: their offsets count what is known.
    """

    kind: Kind
    name: str
    size: int = 0
    align: int = 1
    element: CType | None = None
    count: int | None = None
    fields: Mapping[str, tuple[int, CType]] = field(default_factory=dict)
    adrift: frozenset[str] = frozenset()
    space: str | None = None
    unsigned: bool = False
    volatile: bool = False
    const: bool = False
    restrict: bool = False

    @property
    def scalar_bytes(self) -> int:
        """Size of the scalar that the type is made of (4 for a float4)."""
        if self.kind in {"vector", "array"} and self.element:
            return self.element.scalar_bytes
        return self.size

    @property
    def lane(self) -> CType:
        """The type of a vector's lanes; of others, the type itself."""
        return self.element or self if self.kind == "vector" else self

    @property
    def is_integer(self) -> bool:
        """Whether values of the type can take part in an index."""
        return self.kind == "integer"

    @cached_property
    def components(self) -> Mapping[str, CType]:
        """See `components`."""
        found: dict[str, CType] = {}
        if self.kind == "vector" and self.element is not None and self.element.kind in _FOLLOWED:
            found = {lane_name(lane): self.element for lane in range(self.count or 0)}
        elif self.kind == "struct" and len({offset for offset, _ in self.fields.values()}) == len(self.fields):
            for name, (_, inner) in self.fields.items():
                if inner.kind in _FOLLOWED:
                    found[name] = inner
                else:
                    found |= {f"{name}.{path}": one for path, one in components(inner).items()}
        if len(found) > MAX_COMPONENTS:
            found = {path: one for path, one in found.items() if one.is_integer}
        return found if len(found) <= MAX_COMPONENTS else {}

    @property
    def is_real(self) -> bool:
        """Whether values, or those in the lanes of a vector, are floating-point."""
        return (self.element or self).kind == "real" if self.kind == "vector" else self.kind == "real"


MAX_COMPONENTS = 16
"""Most numbers of one variable that are followed one by one; of more, the integers are."""
_FOLLOWED: frozenset[Kind] = frozenset({"integer", "real"})


@lru_cache(MAX_NAMED)
def lane_name(lane: int) -> str:
    """The usual name of a vector's lane."""
    return "xyzw"[lane] if lane < len("xyzw") else f"s{lane:x}"


def components(type_: CType) -> Mapping[str, CType]:
    """The numbers that a vector or a structure is made of, by path (``x``, ``size.z``); a union has none."""
    return type_.components if type_.kind in COMPOSED else _NONE


COMPOSED: frozenset[Kind] = frozenset({"vector", "struct"})
"""The kinds of types that may be made of numbers."""
_NONE: Mapping[str, CType] = {}


VOID = CType("void", "void")
INT = CType("integer", "int", 4, 4)
HALF = CType("real", "half", 2, 2)
LONG = CType("integer", "long", 8, 8)
SIZE = CType("integer", "long", 8, 8, unsigned=True)
UINT = CType("integer", "int", 4, 4, unsigned=True)
FLOAT = CType("real", "float", 4, 4)
UNKNOWN = CType("opaque", "?")


def _points(type_: CType) -> bool:
    """Whether a member of a structure is a pointer, an array of them, or of a type that is not known."""
    while type_.kind == "array" and type_.element is not None:
        type_ = type_.element
    return type_.kind in {"pointer", "opaque"}


def pointer_to(element: CType, space: str | None = None, *, restrict: bool = False, volatile: bool = False) -> CType:
    """A pointer type."""
    return CType(
        "pointer", f"{element.name} *", POINTER_BYTES, POINTER_BYTES, element,
        space=space, restrict=restrict, volatile=volatile,
    )  # fmt: skip


def leading_to(type_: CType, space: str) -> CType:
    """A type whose pointers lead to an address space: the innermost ones of arrays of them, or of pointers to them."""
    element = type_.element
    if element is None or type_.kind not in {"pointer", "array"}:
        return type_
    inner = leading_to(element, space)
    if inner is not element:
        return replace(type_, element=inner)
    return replace(type_, space=space) if type_.kind == "pointer" else type_


def array_of(element: CType, count: int | None) -> CType:
    """An array type; its size is 0 while the length is unknown."""
    name = f"{element.name}[{'' if count is None else count}]"
    return CType("array", name, element.size * (count or 0), element.align, element, count)


def vector_of(element: CType, lanes: int, name: str) -> CType:
    """An OpenCL vector: three lanes take the room of four."""
    size = element.size * (4 if lanes == 3 else lanes)
    return CType("vector", name, size, size, element, lanes)


@lru_cache(MAX_NAMED)
def named(name: str) -> CType | None:
    """The built-in type called `name`, or None."""
    base = _ALIASES.get(name, name)
    if base in _SCALARS:
        kind, size = _SCALARS[base]
        return CType(kind, name, size, max(size, 1), unsigned=name[0] == "u" or name == "size_t")
    if match := _VECTOR.fullmatch(name):
        element = named(match[1])
        return vector_of(element, int(match[2]), name) if element else None
    if _OPAQUE.fullmatch(name):
        return CType("opaque", name)
    return None


def lay_out(name: str, members: list[tuple[str, CType]], *, union: bool, pack: int | None = None) -> CType:
    """A structure or union with C's padding; no member is aligned to more than `pack` bytes."""
    offset, size, align = 0, 0, 1
    fields: dict[str, tuple[int, CType]] = {}
    adrift: set[str] = set()
    unsized = False
    for member, type_ in members:
        step = min(max(type_.align, 1), pack or type_.align or 1)
        align = max(align, step)
        place = 0 if union else -(-offset // step) * step
        if member:
            fields[member] = (place, type_)
        else:
            fields.update({inner: (place + at, t) for inner, (at, t) in type_.fields.items()})
        if unsized:
            adrift |= {member} if member else type_.fields.keys()
        unsized = unsized or (not union and type_.kind == "array" and not type_.size)
        offset = place + type_.size
        size = max(size, offset)
    return CType("struct", name, -(-size // align) * align, align, fields=fields, adrift=frozenset(adrift))


class TypeTable:
    """Typedefs, tags and enumeration constants of a file, and the reading of types from syntax.

    `constant` evaluates an expression to an integer (array sizes, enumerators), None when it cannot;
    `attributes` returns the text of the attributes that were in a range of the parsed text, `pack` the
    alignment that a ``#pragma pack`` before an offset asks for.
    """

    def __init__(
        self,
        constant: Callable[[Node], int | None],
        attributes: Callable[[int, int], str],
        pack: Callable[[int], int | None],
    ) -> None:
        self._constant = constant
        self._attributes = attributes
        self._pack = pack
        self._typedefs: dict[str, CType] = {}
        self._tags: dict[str, CType] = {}
        self._ahead: dict[str, list[str]] = {}
        """By tag, the typedefs of structures whose members come later."""
        self.enumerators: dict[str, int] = {}
        self.points = False
        """Whether a structure of the file holds a pointer."""

    def copy(self) -> TypeTable:
        """A table that knows the same and learns by itself."""
        made = TypeTable(self._constant, self._attributes, self._pack)
        made._typedefs, made._tags = dict(self._typedefs), dict(self._tags)
        made._ahead = {tag: [*names] for tag, names in self._ahead.items()}
        made.enumerators, made.points = dict(self.enumerators), self.points
        return made

    def evaluate_with(self, constant: Callable[[Node], int | None]) -> None:
        """Evaluate sizes of arrays with what the variables of a function hold."""
        self._constant = constant

    def lookup(self, name: str) -> CType | None:
        """The type called `name`: a typedef of the file, or built in."""
        return self._typedefs.get(name) or named(name)

    @property
    def leads_away(self) -> bool:
        """Whether a structure of the file holds a pointer, or a typedef of it is one."""
        return self.points or any(map(_points, self._typedefs.values()))

    def declare_typedef(self, node: Node) -> None:
        """Read a ``typedef`` declaration."""
        base = self.base(node)
        for declarator in node.children_by_field_name("declarator"):
            name, type_ = self.declared(declarator, base)
            if name:
                if type_.kind == "struct" and not type_.size:
                    self._ahead.setdefault(type_.name, []).append(name)
                self._typedefs[name] = replace(type_, name=name) if type_.kind == "struct" else type_

    def base(self, node: Node) -> CType:
        """The type that the specifiers of a declaration, parameter or type descriptor name."""
        type_node = node.child_by_field_name("type")
        if type_node is None:
            return INT
        found = self.specifier(type_node)
        words = qualifiers(node)
        volatile, const = "volatile" in words or found.volatile, "const" in words or found.const
        same = (volatile, const) == (found.volatile, found.const)
        return found if same else replace(found, volatile=volatile, const=const)

    def specifier(self, node: Node) -> CType:
        """The type a type specifier (also a structure, union or enumeration) names."""
        match node.type:
            case "struct_specifier" | "union_specifier":
                return self._structure(node)
            case "enum_specifier":
                self._enumeration(node)
                return INT
            case "sized_type_specifier":
                return _sized(text_of(node))
            case _:
                name = text_of(node)
                return self.lookup(name) or replace(UNKNOWN, name=name)

    def _structure(self, node: Node) -> CType:
        tag = node.child_by_field_name("name")
        body = node.child_by_field_name("body")
        name = text_of(tag) if tag else "(unnamed)"
        if body is None:
            return self._tags.get(name) or CType("struct", name)
        members: list[tuple[str, CType]] = []
        for declaration in body.named_children:
            if declaration.type != "field_declaration":
                continue
            base = self.base(declaration)
            declarators = declaration.children_by_field_name("declarator")
            members += [self.declared(d, base) for d in declarators] or [("", base)]
        self.points = self.points or any(_points(type_) for _, type_ in members)
        around = node.parent or node
        attributes = self._attributes(around.start_byte, around.end_byte)
        pack = 1 if "packed" in attributes else self._pack(node.start_byte)
        made = lay_out(name, members, union=node.type == "union_specifier", pack=pack)
        if match := _ALIGNED.search(attributes):
            align = max(made.align, int(match[1] or LARGEST_ALIGNMENT))
            made = replace(made, align=align, size=-(-made.size // align) * align)
        self._tags[name] = made
        for known in self._ahead.pop(name, ()):
            old = self._typedefs[known]
            self._typedefs[known] = replace(made, name=known, volatile=old.volatile, const=old.const)
        return made

    def _enumeration(self, node: Node) -> None:
        body = node.child_by_field_name("body")
        following = 0
        for item in body.named_children if body else []:
            name, value = item.child_by_field_name("name"), item.child_by_field_name("value")
            if item.type != "enumerator" or name is None:
                continue
            given = self._constant(value) if value is not None else following
            if given is None:
                return
            self.enumerators[text_of(name)] = given
            following = given + 1

    def declared(self, node: Node | None, base: CType) -> tuple[str, CType]:
        """Name and type of a declarator over `base`; the name is empty for an abstract one."""
        depth = 0
        while node is not None:
            depth += 1
            if depth > MAX_DECLARATOR_DEPTH:
                return "", UNKNOWN
            inner = node.child_by_field_name("declarator")
            match node.type:
                case "identifier" | "field_identifier" | "type_identifier":
                    return text_of(node), base
                case "pointer_declarator" | "abstract_pointer_declarator":
                    words = qualifiers(node)
                    base = pointer_to(base, restrict=bool(words & _RESTRICT), volatile="volatile" in words)
                case "array_declarator" | "abstract_array_declarator":
                    size = node.child_by_field_name("size")
                    base = array_of(base, self._constant(size) if size is not None else None)
                case "function_declarator" | "abstract_function_declarator":
                    base = CType("function", "function", element=base)
                case "parenthesized_declarator" | "attributed_declarator":
                    inner = node.named_children[0] if node.named_children else None
                case "init_declarator":
                    pass
                case _:
                    return "", base
            node = inner
        return "", base

    def described(self, node: Node) -> CType:
        """The type a type descriptor (of a cast or sizeof) names."""
        return self.declared(node.child_by_field_name("declarator"), self.base(node))[1]


MAX_DECLARATOR_DEPTH = 64
_ALIGNED = re.compile(r"\b(?:__)?aligned(?:__)?\b\s*(?:\(\s*(\d+)\s*\)|(?=[,)]))")
LARGEST_ALIGNMENT = 16
"""What ``aligned`` without a number asks for: the largest alignment of the target (OpenCL C 6.11.1), in bytes as clang
has it for every target that sets no other."""
_RESTRICT = {"restrict", "__restrict", "__restrict__"}


def qualifiers(node: Node) -> set[str]:
    """The qualifiers written right in a declaration, parameter or declarator."""
    return {text_of(c) for c in node.children if c.type == "type_qualifier"}


def _sized(text: str) -> CType:
    """A type of several words, by its shortest name: ``unsigned char`` is ``uchar``."""
    words = text.split()
    if "double" in words:
        return CType("real", text, 8, 8)
    size, name = next((one for one in _SIZES if one[1] in words), _SIZES[-1])
    unsigned = "unsigned" in words
    return CType("integer", f"u{name}" if unsigned else name, size, size, unsigned=unsigned)


_SIZES = ((8, "long"), (2, "short"), (1, "char"), (4, "int"))
