"""What a host program does otherwise for an edited kernel: where it keeps data, how it fills and launches."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field

from burstline_model.polynomial import Polynomial
from burstline_model.record import fixed
from burstline_server.interpreter.kinds import Kind, Record, Vector
from burstline_server.interpreter.memory import Block
from burstline_server.interpreter.promises import Promise
from burstline_server.interpreter.verdicts import NotExecutableError
from burstline_server.source.source import Source


@fixed
class Moved:
    """Elements of `buffer` that are kept in another buffer `to`, or further on in the same one.

    A `field` of element i becomes the `to_field` of element i + `ahead`; the whole element where a field is empty.
    """

    buffer: str
    to: str
    field: str = ""
    to_field: str = ""
    ahead: int = 0


INT_RANGE = 1 << 31
"""An int counts from the negative of it up to it."""


@fixed
class Each:
    """The values of an argument for each of which the edited kernels are launched, one launch after the other.

    `texts` are the first value and the condition's operator and bound in C; `first` and `behind` the same as numbers.
    """

    name: str
    texts: tuple[str, str]
    first: Polynomial
    behind: Polynomial
    step: int

    def values(self, numbers: Mapping[str, int]) -> range:
        """The values for these arguments; none where one is missing."""
        first, behind = self.first.evaluate(numbers), self.behind.evaluate(numbers)
        if first is None or behind is None:
            return range(0)
        return range(max(int(first), -INT_RANGE), min(int(behind), INT_RANGE), self.step)


@fixed
class Between:
    """The text after the first of several edits, in whose `kernel` the promises are watched.

    It takes the arguments of the kernels that replace the first one, and is launched as they are.
    """

    source: Source = field(repr=False, compare=False)
    kernel: str


@fixed
class HostSide:
    """What must hold outside the text for an edited kernel to compute the same.

    `zeroed` buffers hold zeros before the launch. `longer` ones hold every element that the edited kernel reads.
    `sizes` are arguments that take the number of work-items of each dimension; the kernel is launched as a task.
    `exchanged`: the first two dimensions of the launch change places. `apart`: no two buffers overlap. `promises`: what
    is asserted of the data, and watched in the run of the first kernel, or of that in `between`. `by_data`: more must
    hold, which some data keep and others do not. `holds`: how many elements a buffer has, and for each work-item more
    where that is said. `given`: scalar arguments with the value that every launch passes. `each`: an argument that
    takes one value after the other. `alike`: scalar arguments that get the same value.
    """

    moved: tuple[Moved, ...] = ()
    zeroed: tuple[str, ...] = ()
    longer: tuple[str, ...] = ()
    holds: tuple[tuple[str, int, bool], ...] = ()
    sizes: tuple[str, ...] = ()
    exchanged: bool = False
    apart: bool = False
    promises: tuple[Promise, ...] = ()
    between: Between | None = None
    by_data: bool = False
    given: tuple[tuple[str, int], ...] = ()
    each: Each | None = None
    alike: tuple[tuple[str, ...], ...] = ()


NOTHING = HostSide()


class Layout:
    """Where the host keeps data before and after an edit. `before` and `after` are the element types by buffer."""

    def __init__(self, moved: Sequence[Moved], before: Mapping[str, Kind], after: Mapping[str, Kind]) -> None:
        self._moved = moved
        self._pieces = [_Piece.of(one, before, after) for one in moved]

    def laid_out(self, buffers: Mapping[str, Block]) -> dict[str, Block]:
        """The edited kernel's buffers, with the data of the first kernel's."""
        found = {name: block for name, block in buffers.items() if name not in {m.buffer for m in self._moved}}
        for one, piece in zip(self._moved, self._pieces, strict=True):
            source = buffers[one.buffer]
            if one.to not in found:
                count = min(piece.count(len(buffers[m.buffer].data)) for m, piece in self._into(one.to))
                found[one.to] = Block((count + one.ahead) * piece.to_stride, one.to)
            for at, to in piece.places(len(source.data), len(found[one.to].data)):
                found[one.to].data[to] = source.data[at]
        return found

    def limits(self, reached: Mapping[str, int]) -> dict[str, int]:
        """How many bytes of each buffer the edited kernel may reach, from those that the first one reaches."""
        gone = {m.buffer for m in self._moved}
        found = {name: reach for name, reach in reached.items() if name not in gone}
        for one, piece in zip(self._moved, self._pieces, strict=True):
            count = -(-reached[one.buffer] // piece.stride)
            found[one.to] = max(found.get(one.to, 0), (count + one.ahead) * piece.to_stride)
        return found

    def laid_back(self, fresh: dict[str, Block], found: Mapping[str, Block]) -> dict[str, Block]:
        """The first kernel's buffers with what the edited one left; `fresh` are those that no kernel touched."""
        gone = {m.buffer for m in self._moved}
        fresh.update({name: block for name, block in found.items() if name in fresh and name not in gone})
        for one, piece in zip(self._moved, self._pieces, strict=True):
            source, target = found[one.to], fresh[one.buffer]
            for at, to in piece.places(len(target.data), len(source.data)):
                target.data[at] = source.data[to]
        return fresh

    def _into(self, to: str) -> Iterator[tuple[Moved, _Piece]]:
        pairs = zip(self._moved, self._pieces, strict=True)
        return ((one, piece) for one, piece in pairs if one.to == to)


@fixed
class _Piece:
    """A part of each element: `size` bytes at `offset` of every `stride`, at `to_offset` of every `to_stride`."""

    offset: int
    stride: int
    to_offset: int
    to_stride: int
    size: int

    @classmethod
    def of(cls, moved: Moved, before: Mapping[str, Kind], after: Mapping[str, Kind]) -> _Piece:
        """The part that is moved; raises `NotExecutableError` where the types do not say where it is."""
        if moved.buffer not in before or moved.to not in after:
            raise NotExecutableError("argument", moved.to)
        one, other = before[moved.buffer], after[moved.to]
        (offset, part), (to_offset, to_part) = _part(one, moved.field), _part(other, moved.to_field)
        if part.size != to_part.size:
            raise NotExecutableError("type", moved.to)
        return cls(offset, one.size, to_offset + moved.ahead * other.size, other.size, part.size)

    def count(self, bytes_: int) -> int:
        """The whole elements of a buffer."""
        return bytes_ // self.stride

    def places(self, bytes_: int, to_bytes: int) -> Iterator[tuple[slice, slice]]:
        """Where each byte of the part is, in all elements of the one buffer and of the other."""
        count = min(self.count(bytes_), (to_bytes - self.to_offset - self.size) // self.to_stride + 1)
        for byte in range(self.size) if count > 0 else ():
            at, to = self.offset + byte, self.to_offset + byte
            yield (
                slice(at, at + (count - 1) * self.stride + 1, self.stride),
                slice(to, to + (count - 1) * self.to_stride + 1, self.to_stride),
            )


_LANES = "xyzw"


def _part(kind: Kind, field: str) -> tuple[int, Kind]:
    """Where a field of an element is, and its type."""
    if not field:
        return 0, kind
    match kind:
        case Record():
            return kind.field(field)
        case Vector(element=element):
            lane = _LANES.index(field) if field in _LANES else int(field[1:], 16)
            return lane * element.size, element
        case _:
            raise NotExecutableError("name", field)
