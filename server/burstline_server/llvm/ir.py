"""LLVM's code, as far as it says where memory is touched: kernels, blocks, loads and stores, loops, places."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from burstline_model.record import fixed

_NAME = r'(?:[\w.$-]+|"[^"]*")'
_DEFINE = re.compile(rf"^define .*?spir_kernel void @({_NAME})\((.*)\) [^()]*\{{$")
_ARGUMENT = re.compile(rf"(%{_NAME})$")
_LABEL = re.compile(rf"^({_NAME}):")
_VALUE = re.compile(rf"^  (%{_NAME}) = (.*)$")
_TOUCH = re.compile(r"^(?:tail )?(load|store) (atomic )?(volatile )?(.*)$")
_POINTER = re.compile(rf"(?:addrspace\((\d+)\))?(?:\*| ) ?([%@]{_NAME})$")
_COPY = re.compile(r"call void @llvm\.mem(?:cpy|move)\.[\w.]+\((.*?), i\d+ (\d+), i1")
_BRANCH = re.compile(rf"label (%{_NAME})")
_DEBUG = re.compile(r"!dbg (!\d+)")
_LOOP_NODE = re.compile(r"!llvm\.loop (!\d+)")
_LOCATION = re.compile(r"^(!\d+) = (?:distinct )?!DILocation\((.*)\)$", re.MULTILINE)
_LOOP_PLACE = re.compile(r"^(!\d+) = distinct !\{!\d+, (!\d+)", re.MULTILINE)
_FIELD = re.compile(r"(line|column|inlinedAt): (!?\d+)")
_CAST = re.compile(rf"^addrspacecast .*? ([%@]{_NAME}) to ")
_INCOMING = re.compile(rf"\[ ([%@]{_NAME}), ")
_IDENTITY = re.compile(r"^(?:tail )?call .*?@_Z\d+(get_\w+?_(?:id|size|offset|groups))j\(i32 (?:noundef )?(\d+)\)")
_ARITHMETIC = re.compile(
    r"^(sdiv|udiv|srem|urem|and|or|xor|shl|lshr|ashr) (?:(?:exact|nuw|nsw|disjoint) )*i\d+ "
    rf"(%{_NAME}|-?\d+), (%{_NAME}|-?\d+)(?:,|$)"
)
_SCALARS = {"half": 2, "bfloat": 2, "float": 4, "double": 8, "ptr": 8}
Place = tuple[int, int]


@fixed
class Touch:
    """A load or store: its block, the pointer it goes through, and the lines and columns it comes from."""

    op: str
    block: str
    pointer: str
    space: int
    size_bytes: int
    volatile: bool
    places: tuple[Place, ...]


@dataclass
class Kernel:
    """One kernel's code."""

    name: str
    arguments: tuple[str, ...]
    pointers: frozenset[str]
    """Those arguments that are pointers."""
    touches: list[Touch] = field(default_factory=list)
    values: dict[str, str] = field(default_factory=dict)
    """What each value is made by, and (`home`) in which block."""
    home: dict[str, str] = field(default_factory=dict)
    follows: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """The blocks that may follow each block."""
    loop_places: dict[str, Place] = field(default_factory=dict)
    """Where the loop begins that a block is the header of."""
    left_at: dict[str, Place] = field(default_factory=dict)
    """The place of the branch at the end of a block."""

    @property
    def entry(self) -> str:
        """The first block."""
        return next(iter(self.follows))

    def misses(self, start: str, avoided: str, ends: frozenset[str], within: frozenset[str] | None = None) -> bool:
        """Whether a way leads from a block to one of some ends, inside a set of blocks, without `avoided`."""
        if start == avoided:
            return False
        seen, to_do = {start}, [start]
        while to_do:
            block = to_do.pop()
            if block in ends:
                return True
            for after in self.follows.get(block, ()):
                if after != avoided and after not in seen and (within is None or after in within):
                    seen.add(after)
                    to_do.append(after)
        return False

    def entered_from(self, header: str, blocks: frozenset[str]) -> Place | None:
        """The place of the branch that enters a loop."""
        before = (b for b, after in self.follows.items() if header in after and b not in blocks)
        return next((self.left_at[b] for b in before if self.left_at.get(b, (0, 0))[0]), None)

    @cached_property
    def exits(self) -> frozenset[str]:
        """The blocks that end the kernel."""
        return frozenset(block for block, after in self.follows.items() if not after)

    def identity(self, value: str) -> str | None:
        """``get_global_id:0`` and the like, for a value that is one."""
        found = _IDENTITY.match(self.values.get(value, ""))
        return f"{found[1]}:{found[2]}" if found else None

    def operation(self, value: str) -> tuple[str, tuple[str, ...]] | None:
        """The operation that makes a value with its operands, for one on integers, or ``load`` with its pointer."""
        text = self.values.get(value, "")
        if found := _ARITHMETIC.match(text):
            return found[1], (found[2], found[3])
        touched = _TOUCH.match(text)
        if touched and touched[1] == "load" and (at := _POINTER.search(_parts(touched[4].partition(", !")[0])[1])):
            return "load", (at[2],)
        return None

    def begins_at(self, value: str) -> list[str]:
        """Where a pointer may begin, an entry for each arm that leads there: arguments, calls, pointers in memory."""
        found, seen, to_do = [], {value}, [value]
        while to_do:
            one = to_do.pop()
            before = self._pointers_of(one) if one not in self.pointers else []
            found += [name for name in before or [one] if name in self.pointers or not self._pointers_of(name)]
            to_do += [name for name in before if name not in seen and self._pointers_of(name)]
            seen.update(before)
        return sorted(found)

    def _pointers_of(self, value: str) -> list[str]:
        """The pointers that a pointer is made of."""
        text = self.values.get(value, "")
        if text.startswith("phi "):
            return _INCOMING.findall(text)
        if cast := _CAST.match(text):
            return [cast[1]]
        if text.startswith(("getelementptr ", "select ")):
            operands = _parts(text.partition(", !")[0])[1 : 3 if text[0] == "s" else 2]
            return [at[2] for one in operands if (at := _POINTER.search(one))]
        if text.startswith("bitcast "):
            return [at[2] for one in [text[8:].partition(" to ")[0]] if (at := _POINTER.search(one))]
        return []

    def uncast(self, value: str) -> str:
        """The pointer that was cast to a pointer of no named memory."""
        for _ in range(8):
            found = _CAST.match(self.values.get(value, ""))
            if found is None:
                return value
            value = found[1]
        return value


def kernels_of(code: str) -> list[Kernel]:
    """The kernels of some code."""
    end = code.find("\n!")
    nodes = _Nodes.of(code[end:]) if end >= 0 else _Nodes({}, {})
    return list(_kernels(code[:end] if end >= 0 else code, nodes))


@fixed
class _Nodes:
    locations: Mapping[str, tuple[int, int, str]]
    loops: Mapping[str, str]

    @staticmethod
    def of(text: str) -> _Nodes:
        found = {}
        for name, fields in _LOCATION.findall(text):
            own = dict(_FIELD.findall(fields))
            found[name] = (int(own.get("line", 0)), int(own.get("column", 0)), own.get("inlinedAt", ""))
        return _Nodes(found, dict(_LOOP_PLACE.findall(text)))

    def places(self, text: str) -> tuple[Place, ...]:
        """Where an instruction comes from, in the function that holds it first."""
        match, found = _DEBUG.search(text), list[Place]()
        at = match[1] if match else ""
        while at in self.locations:
            line, column, at = self.locations[at]
            found.append((line, column))
        return tuple(found)

    def loop(self, node: str) -> Place | None:
        """Where the loop begins that a branch back belongs to."""
        at = self.locations.get(self.loops.get(node, ""))
        return at[:2] if at and at[0] else None


def _kernels(text: str, nodes: _Nodes) -> Iterator[Kernel]:
    kernel: Kernel | None = None
    block = ""
    for line in text.splitlines():
        if line.startswith("define"):
            found = _DEFINE.match(line)
            kernel = Kernel(found[1], *_arguments(found[2])) if found else None
        elif kernel is None:
            continue
        elif line == "}":
            yield kernel
            kernel = None
        elif line.startswith("  "):
            _read(kernel, block, line, nodes)
        elif match := _LABEL.match(line):
            block = f"%{match[1]}"
            kernel.follows[block] = ()


def _arguments(text: str) -> tuple[tuple[str, ...], frozenset[str]]:
    named = [(found[1], part) for part in _parts(text) if (found := _ARGUMENT.search(part))]
    pointers = (n for n, part in named if _type(part).endswith("*") or part.startswith("ptr"))
    return tuple(n for n, _ in named), frozenset(pointers)


def _read(kernel: Kernel, block: str, line: str, nodes: _Nodes) -> None:
    made = _VALUE.match(line)
    what = made[2] if made else line.strip()
    if made:
        kernel.values[made[1]], kernel.home[made[1]] = what, block
    if what.startswith(("br ", "switch ", "indirectbr ")) or (not made and "label %" in what):
        kernel.follows[block] += tuple(_BRANCH.findall(what))
        if places := nodes.places(what):
            kernel.left_at[block] = places[0]
        if match := _LOOP_NODE.search(what):
            place = nodes.loop(match[1])
            for target in _BRANCH.findall(what) if place is not None else ():
                kernel.loop_places.setdefault(target, place)  # type: ignore[arg-type]
        return
    if (copied := _COPY.search(what)) is not None:
        for op, argument in zip(("store", "load"), copied[1].split(", "), strict=False):
            _touch(kernel, block, op, re.sub(r"\b(?:noundef|nonnull|align \d+|dereferenceable\(\d+\)) ", "", argument),
                   int(copied[2]), nodes.places(line), volatile=False)  # fmt: skip
    elif (found := _TOUCH.match(what)) is not None:
        words = _parts(found[4].partition(", !")[0])
        pointer = next((w for w in words[1:] if _POINTER.search(w)), "")
        _touch(kernel, block, found[1], pointer, _size(words[0] if found[1] == "load" else _type(words[0])),
               nodes.places(line), volatile=bool(found[3]))  # fmt: skip


def _touch(
    kernel: Kernel, block: str, op: str, pointer: str, size: int, places: tuple[Place, ...], *, volatile: bool
) -> None:  # fmt: skip
    found = _POINTER.search(pointer)
    if found is not None:
        kernel.touches.append(Touch(op, block, found[2], int(found[1] or 0), size, volatile, places))


def _parts(text: str) -> list[str]:
    """The parts between commas that are in no bracket."""
    parts, depth, start = [], 0, 0
    for at, letter in enumerate(text):
        depth += (letter in "([{<") - (letter in ")]}>")
        if letter == "," and not depth:
            parts.append(text[start:at].strip())
            start = at + 1
    return [*parts, text[start:].strip()]


def _type(operand: str) -> str:
    """The type in front of a value."""
    depth = 0
    for at, letter in enumerate(operand):
        depth += (letter in "([{<") - (letter in ")]}>")
        if letter == " " and not depth and not operand[at + 1 :].startswith("addrspace"):
            return operand[:at]
    return operand


def _size(type_: str) -> int:
    """The bytes of a scalar, vector or array; 0 for what is none of these."""
    if type_ in _SCALARS:
        return _SCALARS[type_]
    if type_.endswith("*") or type_.startswith("ptr"):
        return 8
    if re.fullmatch(r"i\d+", type_):
        return (int(type_[1:]) + 7) // 8
    if found := re.fullmatch(r"([<\[])(\d+) x (.*)[>\]]", type_):
        return int(found[2]) * _size(found[3])
    return 0
