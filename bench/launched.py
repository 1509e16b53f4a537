"""Public kernels launched as they are: sizes and data made from their signatures, on a real runtime and interpreted."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import product
from math import prod
from pathlib import Path
from types import MappingProxyType
from typing import Any

from burstline_model.facts import Argument, KernelFacts

ELEMENTS = 1 << 14
LENGTHS = ((16, 12, 20, 8, 24), (4, 3, 2, 4, 3), (8,), (1,), (0,), (3,))
"""Whole-number arguments that a kernel is launched with, one launch after the other."""
MOST_USUAL = 1 << 19
"""Whole numbers in a buffer whose elements are large."""
MOST_BYTES = 1 << 26
"""The largest buffer that a kernel is given for what its indexes reach."""
GROWN = 4
"""How many times as large a buffer is made that an access leaves."""
UNENDED = {"steps", "time", "memory", "size"}
"""Why the interpreter does not reach the end of a launch."""
MOST_UNENDED = 2
"""Launches without an end after which a kernel gets no others."""
MOST_TURNS = 1 << 26
"""Turns of all loops of a kernel that is launched though the interpreter does not reach its end."""
MOST_NAMES = 8
"""Most builds for names that the host defines."""
DEFINED = 4
"""The value that such a name gets."""
BUDGET_S = 2.0
"""Processor time for a launch in the interpreter."""
RUNS = 8
"""Runs of a kernel that may give several results."""
_SCALARS = {
    "char": "int8", "uchar": "uint8", "short": "int16", "ushort": "uint16", "int": "int32", "uint": "uint32",
    "long": "int64", "ulong": "uint64", "size_t": "uint64", "float": "float32", "double": "float64",
    "unsigned int": "uint32", "unsigned": "uint32", "unsigned char": "uint8", "unsigned short": "uint16",
    "unsigned long": "uint64", "bool": "uint8",
}  # fmt: skip


_ASKS = re.compile(r"\bget_(?:group_id|num_groups|global_(?:size|offset|linear_id))\b")


class NotJudgedError(Exception):
    """Why nothing can be said of a kernel, or of an edit."""


def values_of(argument: Argument, seed: int, size: int = 0) -> Any:
    """Made-up data for a pointer: small whole numbers, as indexes lead back into buffers of this size.

    `size` are the bytes that it has at least.
    """
    import numpy as np  # noqa: PLC0415

    rng = np.random.default_rng(seed)
    scalar = argument.type.removesuffix("*").strip().rstrip("0123456789")
    type_ = np.dtype(_SCALARS.get(scalar, "int32"))
    usual = min(ELEMENTS * max(argument.element_bytes, 4) // 4, MOST_USUAL)
    return rng.integers(0, 9, max(usual, -(-size // type_.itemsize))).astype(np.int32).astype(type_)


def scalar_of(type_: str, value: float) -> Any:
    """A number, or a vector with that in each lane, of a type; None for types that are neither."""
    import numpy as np  # noqa: PLC0415
    from tests.rewrites.runtime import runtime  # noqa: PLC0415

    name = " ".join(w for w in type_.split() if w not in {"const", "volatile", "__private", "private"})
    if name in _SCALARS:
        return np.dtype(_SCALARS[name]).type(value)
    cl = runtime()[0]
    base = name.rstrip("0123456789")
    made = getattr(cl.cltypes, f"make_{name}", None) if base in _SCALARS else None
    return made(*[value] * int(name[len(base) :])) if made is not None else None


def interpreted_number(kind: Any, value: Any) -> Any:
    """A number or vector as the interpreter takes it."""
    from burstline_server.interpreter.kinds import Vector  # noqa: PLC0415

    return tuple(value.item())[: kind.lanes] if isinstance(kind, Vector) else value.item()


def launches(
    facts: KernelFacts, group: tuple[int, ...] | None = None, room: Mapping[str, int] = MappingProxyType({})
) -> Iterator[Any]:
    """The launches of a kernel, with other sizes each; `group` is what an edit makes it ask for.

    `room` are the bytes that buffers have at least.
    """
    from bench.traces.launches import LOCAL_BYTES, NoLaunchError, launch_for  # noqa: PLC0415
    from tests.rewrites.equality import Data  # noqa: PLC0415
    from tests.rewrites.runtime import runtime  # noqa: PLC0415

    cl = runtime()[0]
    local = {a.name: cl.LocalMemory(LOCAL_BYTES // 4) for a in facts.arguments if a.is_pointer and a.space == "local"}
    arrays = {
        a.name: values_of(a, i, room.get(a.name, 0))
        for i, a in enumerate(facts.arguments)
        if a.is_pointer and a.space != "local"
    }
    made = set[str]()
    for lengths in LENGTHS:
        try:
            launch = launch_for(facts, lengths)
        except NoLaunchError as error:
            raise NotJudgedError(f"an argument of type {str(error).rpartition(' of type ')[2]}") from None
        numbers = [a for a in facts.arguments if not a.is_pointer]
        scalars = {a.name: scalar_of(a.type, launch.integers.get(a.name, 1.5)) for a in numbers}
        missing = next((a.type for a in numbers if scalars[a.name] is None), None)
        if missing is not None:
            raise NotJudgedError(f"an argument of type {missing}")
        size, items = launch.local_size, launch.global_size
        if group is not None:
            size = group[: len(items)]
            items = tuple(2 * n for n in size)
        # A kernel without whole numbers is launched once.
        if (key := repr((scalars, items, size))) in made:
            continue
        made.add(key)
        yield Data(arrays, {**scalars, **local}, items, group=size)


def reached(facts: KernelFacts, *, every: bool = False) -> dict[str, int]:
    """How many bytes of each buffer a kernel reaches, as far as its text bounds the indexes.

    `every`: nothing is bounded where one access is not.
    """
    from burstline_server.rewrites.index_bounds import bounds  # noqa: PLC0415

    found = dict[str, int]()
    names = {a.name for a in facts.arguments if a.is_pointer and a.space != "local"}
    for access in facts.accesses:
        if access.space == "local":
            continue
        least, most = bounds(facts, access.offset) if access.offset is not None else (None, None)
        if least is None or least < 0 or most is None or access.pointer not in names:
            if every:
                return {}
        elif most + access.element_bytes <= MOST_BYTES:
            found[access.pointer] = max(found.get(access.pointer, 0), most + access.element_bytes)
        elif every:
            return {}
    return found


@dataclass
class Original:
    """A kernel as it is: its file, how it is built, and the launches at which it stays in its buffers."""

    path: Path
    text: str
    source: Any
    facts: KernelFacts
    options: list[str]
    ready: dict[tuple[int, ...] | None, list[tuple[Any, Mapping[str, bytes]]]] = field(default_factory=dict)
    unended: int = 0
    """Launches in which the interpreter does not reach the end, and the text bounds nothing."""

    @classmethod
    def of(cls, path: Path, text: str, source: Any, facts: KernelFacts) -> Original:
        """A kernel that can be launched; raises `NotJudgedError`."""
        if facts.channels:
            raise NotJudgedError("the kernel uses channels")
        found = cls(path, text, source, facts, options_of(path, text))
        found.expected(None, ())
        return found

    def expected(
        self, group: tuple[int, ...] | None, zeroed: Sequence[str], given: Sequence[tuple[str, int]] = ()
    ) -> list[tuple[Any, Mapping[str, bytes]]]:  # fmt: skip
        """Launches with what the kernel leaves; `given` are scalars that each launch passes."""
        from tests.rewrites.equality import Kernel, ran  # noqa: PLC0415

        if group not in self.ready or zeroed or given:
            found = []
            self.unended = 0
            for one in launches(self.facts, group, reached(self.facts)):
                if self.unended >= MOST_UNENDED and not found:
                    break
                data = with_arrays(one, {name: one.arrays[name] * 0 for name in zeroed})
                data = self._inside(self._with_scalars(data, given))
                if data is not None:
                    names = Kernel(tuple(a.name for a in self.facts.arguments), self.facts.work_group_size)
                    found.append((data, ran(self.text, data, {self.facts.name: names}, self.options)))
            if not found:
                raise NotJudgedError("no made-up launch keeps it inside its buffers")
            if zeroed or given:
                return found
            self.ready[group] = found
        return self.ready[group]

    def _with_scalars(self, data: Any, given: Sequence[tuple[str, int]]) -> Any:
        """A launch with other numbers."""
        from tests.rewrites.equality import Data  # noqa: PLC0415

        types = {a.name: a.type for a in self.facts.arguments}
        numbers = {name: scalar_of(types[name], value) for name, value in given}
        return Data(data.arrays, {**data.scalars, **numbers}, data.items, data.shared, data.group)

    def _inside(self, data: Any) -> Any:
        """A launch that keeps the kernel inside its buffers, as far as the interpreter can say; None: there is none.

        A buffer that an access leaves is made larger.
        """
        from burstline_server.interpreter.verdicts import NotExecutableError, OutOfBoundsError  # noqa: PLC0415

        places = {a.name: (i, a) for i, a in enumerate(self.facts.arguments)}
        while True:
            try:
                interpreted(self.source, self.facts, data)
            except OutOfBoundsError as error:
                size = GROWN * max(data.arrays[error.buffer].nbytes if error.buffer in data.arrays else 0, error.offset)
                if error.offset < 0 or error.buffer not in data.arrays or size > MOST_BYTES:
                    return None
                seed, argument = places[error.buffer]
                data = with_arrays(data, {error.buffer: values_of(argument, seed, size)})
            except NotExecutableError as error:
                # The pages around its buffers say so, where it ends at all.
                unended = error.reason.what in UNENDED
                bounded = error.reason.what in {"steps", "time"} and self._is_bounded(data)
                self.unended += unended and not bounded
                return data if bounded or not unended else None
            else:
                return data

    def is_long(self, data: Any) -> bool:
        """Whether the interpreter does not reach the end of a launch."""
        from burstline_server.interpreter.verdicts import NotExecutableError  # noqa: PLC0415

        try:
            interpreted(self.source, self.facts, data)
        except NotExecutableError as error:
            return error.reason.what in UNENDED
        return False

    def _is_bounded(self, data: Any) -> bool:
        """Whether the text alone bounds all indexes, inside these buffers, and how long the kernel runs."""
        room = reached(self.facts, every=True)
        inside = all(name in data.arrays and data.arrays[name].nbytes >= size for name, size in room.items())
        trips = [loop.trip.constant if loop.trip is not None else None for loop in self.facts.loops]
        turns = 0
        for loop in self.facts.loops:
            count, at = 1, loop.id
            while at is not None:
                trip = trips[at]
                if trip is None:
                    return False
                count, at = count * max(trip, 1), self.facts.loops[at].parent
            turns += count
        return bool(room) and inside and turns * prod(data.items) <= MOST_TURNS

    def is_open(self, data: Any) -> bool:
        """Whether results depend on what C leaves open: fresh variables, the order of work-items, how it is built."""
        from burstline_server.interpreter.program import ALL_OPEN  # noqa: PLC0415
        from burstline_server.interpreter.verdicts import NotExecutableError, OutOfBoundsError  # noqa: PLC0415

        try:
            one = interpreted(self.source, self.facts, data)
            return (
                one != interpreted(self.source, self.facts, data, reverse=True)
                or one != interpreted(self.source, self.facts, data, fill=ALL_OPEN)
                or self._differs(data)
            )
        except (NotExecutableError, OutOfBoundsError):
            return self._races(data) or self._differs(data)

    def _differs(self, data: Any) -> bool:
        """Whether the runtime gives several results, run again or built with its optimisations."""
        from tests.rewrites.equality import OPTIMISED, Kernel, ran  # noqa: PLC0415

        run = {self.facts.name: Kernel(tuple(a.name for a in self.facts.arguments), self.facts.work_group_size)}
        builds = (self.options, [*OPTIMISED, *self.options])
        one = ran(self.text, data, run, self.options)
        return any(one != ran(self.text, data, run, options) for options in builds for _ in range(RUNS))

    def _races(self, data: Any) -> bool:
        """Whether results depend on the order of work-groups, where nothing in the text asks how many there are."""
        from tests.rewrites.equality import Kernel, ran  # noqa: PLC0415

        if _ASKS.search(self.text) or data.group is None:
            return False
        places = [range(0, size, of) for size, of in zip(data.items, data.group, strict=False)]
        groups = list(product(*places))
        run = {self.facts.name: Kernel(tuple(a.name for a in self.facts.arguments), self.facts.work_group_size)}
        one = ran(self.text, data, run, self.options, groups)
        return one != ran(self.text, data, run, self.options, groups[::-1])


def with_arrays(data: Any, arrays: Mapping[str, Any]) -> Any:
    """A launch with other arrays."""
    from tests.rewrites.equality import Data  # noqa: PLC0415

    return Data({**data.arrays, **arrays}, data.scalars, data.items, data.shared, data.group)


def interpreted(
    source: Any,
    facts: KernelFacts,
    data: Any,
    *,
    reverse: bool = False,
    fill: Sequence[int] = (0, 0, 0),
    watch: Any = None,
) -> dict[str, bytes]:
    """What the interpreter leaves in the arrays."""
    from bench.traces.launches import LOCAL_BYTES  # noqa: PLC0415

    from burstline_server.interpreter.memory import Block  # noqa: PLC0415
    from burstline_server.interpreter.program import Program  # noqa: PLC0415
    from burstline_server.interpreter.run import Launched, LocalBytes, Sizes, run  # noqa: PLC0415

    program = Program(source, watch)
    program.fill[:] = fill
    function = program.function(facts.name)
    blocks = {name: Block(values.nbytes, name) for name, values in data.arrays.items()}
    for name, block in blocks.items():
        block.data[:] = data.arrays[name].tobytes()
    given: list[Any] = []
    for one in function.parameters:
        if one.name in blocks:
            given.append((blocks[one.name], 0))
        elif one.space == "local":
            given.append(LocalBytes(LOCAL_BYTES // 4))
        else:
            given.append(interpreted_number(one.kind, data.scalars[one.name]))
    program.turns.start(200_000, time.thread_time() + BUDGET_S)
    run(program, [Launched(function, given, Sizes(data.items, data.group), reverse)])
    return {name: bytes(block.data) for name, block in blocks.items()}


def kept(original: Original, offer: Any) -> bool:
    """Whether any launch keeps what an edit asserts of the data."""
    return any(keeps(original, offer, data) for data, _ in original.expected(None, ()))


def keeps(original: Original, offer: Any, data: Any) -> bool:
    """Whether a launch keeps what an edit asserts of the data."""
    from burstline_server.interpreter.promises import Watch  # noqa: PLC0415
    from burstline_server.interpreter.verdicts import NotExecutableError, OutOfBoundsError  # noqa: PLC0415

    for name, count, each in offer.host_side.holds:
        argument = original.facts.argument(name)
        size = argument.element_bytes if argument is not None else 1
        if data.arrays[name].nbytes < (count + (prod(data.items) if each else 0)) * size:
            return False
    watch = Watch(offer.host_side.promises)
    try:
        interpreted(original.source, original.facts, data, watch=watch)
    except (NotExecutableError, OutOfBoundsError):
        return False
    return watch.broken() is None


def laid_out(original: Original, after: Any, names: Sequence[str], offer: Any, data: Any) -> tuple[Any, Any]:
    """The launch that the host makes after an edit, and how its arrays become those of the kernel before."""
    import numpy as np  # noqa: PLC0415
    from tests.rewrites.equality import Data, exchanged  # noqa: PLC0415

    from burstline_server.interpreter.equality import elements_of  # noqa: PLC0415
    from burstline_server.interpreter.host_side import Layout  # noqa: PLC0415
    from burstline_server.interpreter.memory import Block  # noqa: PLC0415
    from burstline_server.interpreter.program import Program  # noqa: PLC0415
    from burstline_server.interpreter.verdicts import NotExecutableError  # noqa: PLC0415

    host = offer.host_side
    scalars = {**data.scalars, **{name: np.int32(value) for name, value in offer.arguments.items()}}
    items = data.items
    if host is not None and host.sizes:
        scalars |= dict(zip(host.sizes, map(np.int32, (*items, 1, 1)), strict=False))
        items = (1,)
    group = data.group if items == data.items else (1,)
    if host is not None and host.exchanged:
        items, group = exchanged(items), exchanged(group) if group else None
    if host is None or not host.moved:
        return Data(data.arrays, scalars, items, data.shared, group), dict
    one, other = Program(original.source), Program(after)
    try:
        before = elements_of([one.function(original.facts.name)])
        layout = Layout(host.moved, before, elements_of([other.function(name) for name in names]))
        blocks = layout.laid_out(_blocks({n: a.tobytes() for n, a in data.arrays.items()}))
    except NotExecutableError as error:
        raise NotJudgedError(f"the layout of {error.reason.name or error.reason.what}") from None
    fresh = {n: a.tobytes() for n, a in data.arrays.items()}

    def back(left: Mapping[str, bytes]) -> dict[str, bytes]:
        found: Mapping[str, Block] = layout.laid_back(_blocks(fresh), _blocks(left))
        return {name: bytes(block.data) for name, block in found.items()}

    arrays = {name: np.frombuffer(bytes(block.data), np.uint8) for name, block in blocks.items()}
    return Data(arrays, scalars, items, data.shared, group), back


def _blocks(arrays: Mapping[str, bytes]) -> dict[str, Any]:
    from burstline_server.interpreter.memory import Block  # noqa: PLC0415

    found = {name: Block(len(one), name) for name, one in arrays.items()}
    for name, block in found.items():
        block.data[:] = arrays[name]
    return found


def options_of(path: Path, text: str) -> list[str]:
    """What the text is built with: a small number for each name that its host would define."""
    return list(_options(path, text))


@lru_cache(maxsize=4)
def _options(path: Path, text: str) -> tuple[str, ...]:
    from tests.rewrites.equality import PLAIN_BUILD  # noqa: PLC0415
    from tests.rewrites.runtime import runtime  # noqa: PLC0415

    cl, context, _ = runtime()
    options = ["-I", str(path.parent)]
    for _ in range(MOST_NAMES):
        try:
            cl.Program(context, text).build(options=[*PLAIN_BUILD, *options])
        except cl.RuntimeError as error:
            named = sorted(set(re.findall(r"use of undeclared identifier '([A-Z]\w*)'", str(error))))
            if not named:
                break
            options += [f"-D{name}={DEFINED}" for name in named]
        else:
            return tuple(options)
    raise NotJudgedError("the runtime does not build it as it is")
