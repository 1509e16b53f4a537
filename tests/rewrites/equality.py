"""Runs a kernel and its edited text on the same data, each buffer between pages that nobody may touch.

A read or write outside a buffer ends the process: long runs fork one for each kernel.
"""

from __future__ import annotations

import ctypes
import mmap
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from typing import Any

from burstline_model.facts import KernelFacts
from burstline_server.assessment.assessor import Assessment, Assessor
from burstline_server.config.layers import Layer
from burstline_server.interpreter.host_side import Each
from burstline_server.rewrites.catalogue import tried_of
from burstline_server.rewrites.rewrite import Offer
from tests.rewrites.queues import queued
from tests.rewrites.runtime import runtime
from tests.rewrites.together import Place, joined, of

PAGE = mmap.PAGESIZE
QUEUE_BYTES = 1 << 24
RUNNABLE = ("proved", "host")
LAID_OUT = {"aos_to_soa_one", "aos_to_soa_several", "soa_to_aos_host", "pad_by"}
"""Edits after which the host lays data out differently: separate tests run them."""
PLAIN_BUILD = ("-w", "-cl-opt-disable")
OPTIMISED = ("-w",)
"""Begins options of a build with the runtime's optimisations."""
_GROUP = re.compile(r"reqd_work_group_size\((\d+), (\d+), (\d+)\)")
_HEAD = re.compile(r"\b(?:__kernel|kernel)\s+void\s+(?P<name>\w+)\s*\((?P<arguments>[^)]*)\)")


@dataclass
class Data:
    """What a kernel is launched with: arrays by argument, scalars, work-items, arguments that share another's buffer.

    `shared` maps an argument to the argument whose buffer it is as well, and how many elements further on it begins.
    `group` is the size of work-groups for a kernel that asks for none; None: what the runtime takes.
    """

    arrays: Mapping[str, Any]
    scalars: Mapping[str, Any]
    items: tuple[int, ...] = (1,)
    shared: Mapping[str, tuple[str, int]] = field(default_factory=dict)
    group: tuple[int, ...] | None = None


class Guarded:
    """An array whose last byte is right before a page that nobody may touch; another such page is in front."""

    def __init__(self, values: Any) -> None:
        import numpy as np  # noqa: PLC0415

        size = max(values.nbytes, values.itemsize)
        pages = -(-size // PAGE)
        self._map = mmap.mmap(-1, (pages + 2) * PAGE)
        start = ctypes.addressof(ctypes.c_char.from_buffer(self._map))
        libc = ctypes.CDLL(None, use_errno=True)
        for page in (start, start + (pages + 1) * PAGE):
            if libc.mprotect(ctypes.c_void_p(page), ctypes.c_size_t(PAGE), 0):
                raise OSError(ctypes.get_errno(), "mprotect")
        at = (pages + 1) * PAGE - size
        self.array = np.frombuffer(self._map, dtype=values.dtype, count=max(values.size, 1), offset=at)
        self.array[: values.size] = values


@cache
def _device() -> tuple[Any, Any, Any]:
    return runtime()


@dataclass(frozen=True)
class _Built:
    """A text without channels, the names of its queues, the program it is in, and what follows its names there.

    `places`: its kernels that kernels of the program can run.
    """

    text: str
    queues: list[str]
    program: Any
    suffix: str = ""
    places: Mapping[str, Place] = field(default_factory=dict)


_together: dict[str, _Built] = {}


def build_together(texts: Iterable[str]) -> bool:
    """Build many texts as one program, in place of those built so before; whether they build.

    Each name that a text declares for the whole file gets the text's number. One program takes a fraction of the time.
    """
    cl, context, _ = _device()
    _together.clear()
    without = {text: queued(text) for text in dict.fromkeys(texts)}
    whole, places = joined([text for text, _ in without.values()])
    try:
        program = cl.Program(context, whole).build(options=list(PLAIN_BUILD))
    except cl.RuntimeError:
        return False
    for at, (given, (text, queues)) in enumerate(without.items()):
        _together[given] = _Built(text, queues, program, f"_{at}", of(places, at))
    return True


@lru_cache(maxsize=4)
def _built(text: str, options: tuple[str, ...]) -> _Built:
    if text in _together and not options:
        return _together[text]
    cl, context, _ = _device()
    plain, names = queued(text)
    given = options if options[:1] == OPTIMISED else (*PLAIN_BUILD, *options)
    return _Built(plain, names, cl.Program(context, plain).build(options=list(given)))


@dataclass(frozen=True)
class Kernel:
    """How a kernel is launched: its arguments by name, and the size of work-groups that it asks for."""

    arguments: tuple[str, ...]
    group: tuple[int, ...] | None

    @classmethod
    def of(cls, facts: KernelFacts) -> Kernel:
        """A kernel as it was read."""
        return cls(tuple(a.name for a in facts.arguments), facts.work_group_size)


def ran(
    text: str,
    data: Data,
    kernels: Mapping[str, Kernel] | None = None,
    options: Sequence[str] = (),
    groups: Sequence[tuple[int, ...]] = (),
    each: Each | None = None,
) -> dict[str, bytes]:
    """What kernels leave in the arrays; those of a split one after the other, the memory kernels first.

    `kernels` are those to run; None: all of the text. `groups`: where the work-groups begin, to run them one by one.
    They are launched for `each` value of an argument.
    """
    cl, _, queue = _device()
    built = _built(text, tuple(options))
    names = built.queues
    held = {name: Guarded(values) for name, values in data.arrays.items() if name not in data.shared}
    given = _given(held, data, names)
    run = kernels_of(built.text) if kernels is None else kernels
    more = names if kernels is not None else ()
    for name in _in_turn(sorted(run, key=lambda one: "_compute" in one), given, each):
        arguments = [given[argument] for argument in (*run[name].arguments, *more)]
        group = run[name].group or data.group
        known = built.places.get(name)
        if known is not None:
            arguments = known.arguments(arguments, _unused())
        kernel = _kernel(built.program, known.runs if known is not None else name + built.suffix)
        size = group[: len(data.items)] if group else None
        for place in groups:
            kernel(queue, size, size, *arguments, global_offset=place)
        if not groups:
            kernel(queue, data.items, size, *arguments)
    queue.finish()
    left = {}
    for name, one in held.items():
        cl.enqueue_copy(queue, one.array, given[name])
        left[name] = one.array.tobytes()
    return left


def _in_turn(names: Sequence[str], given: dict[str, Any], each: Each | None) -> Iterator[str]:
    """The kernels in the order of their launches, with the argument that changes between them."""
    import numpy as np  # noqa: PLC0415

    numbers = {name: int(value) for name, value in given.items() if isinstance(value, int | np.integer)}
    for value in each.values(numbers) if each is not None else (0,):
        if each is not None:
            given[each.name] = np.int32(value)
        yield from names


def _given(held: Mapping[str, Guarded], data: Data, queues: Sequence[str]) -> dict[str, Any]:
    """Every argument by its name: buffers over the arrays, queues, scalars."""
    cl, context, _ = _device()
    flags = cl.mem_flags.READ_WRITE | cl.mem_flags.USE_HOST_PTR
    given: dict[str, Any] = {n: cl.Buffer(context, flags, hostbuf=one.array) for n, one in held.items()}
    for name, (other, ahead) in data.shared.items():
        given[name] = cl.Buffer(context, flags, hostbuf=held[other].array[ahead:]) if ahead else given[other]
    given |= {name: cl.Buffer(context, cl.mem_flags.READ_WRITE, QUEUE_BYTES) for name in queues}
    return {**given, **data.scalars}


@lru_cache(maxsize=16)
def _kernel(program: Any, name: str) -> Any:
    cl, _, _ = _device()
    return cl.Kernel(program, name)


@cache
def _unused() -> Any:
    """A buffer that nothing reads."""
    cl, context, _ = _device()
    return cl.Buffer(context, cl.mem_flags.READ_WRITE, 64)


def _names(arguments: str) -> list[str]:
    plain = re.sub(r"//[^\n]*|/\*.*?\*/|__attribute__\(\(.*?\)\)", "", arguments, flags=re.DOTALL)
    return [re.findall(r"\w+", one)[-1] for one in plain.split(",")]


def kernels_of(text: str) -> dict[str, Kernel]:
    """The kernels of a text of our own, read off their heads."""
    match = _GROUP.search(text)
    group = tuple(int(n) for n in match.groups()) if match is not None else None
    return {m["name"]: Kernel(tuple(_names(m["arguments"])), group) for m in _HEAD.finditer(text)}


@dataclass(frozen=True)
class Tried:
    """An offer that was made, on which data its result differs (None: on none), and how many launches were compared."""

    offer: Offer
    unequal: Data | None
    why: str = ""
    launches: int = 0


def assessed(text: str, path: str = "k.cl", names: Collection[str] = (), **settings: Any) -> Assessment:
    """A text assessed for a compiler that knows all that edits use; with `names`, only these kernels of it."""
    return Assessor().assess(text, path, [Layer("file", {"aoc_version": "19.4", **settings})], names=names)


def offered(text: str, kinds: Sequence[str] = RUNNABLE, **settings: Any) -> list[Offer]:
    """The offers that a run can judge, vectors of each width among them: those that need no data laid out anew."""
    found = tried_of(assessed(text, **settings))
    return [o for o in found if o.kind in kinds and o.title.kind not in LAID_OUT]


def tried(text: str, data: Sequence[Data], kinds: Sequence[str] = RUNNABLE, **settings: Any) -> Iterator[Tried]:
    """Every such offer made, and its result held against the text's own on each of these data."""
    expected = [ran(text, one) for one in data]
    for offer in offered(text, kinds, **settings):
        yield held_against(offer, offer.applied(text.encode()).decode(), data, expected)


def held_against(
    offer: Offer,
    after: str,
    data: Sequence[Data],
    expected: Sequence[dict[str, bytes]],
    kernels: Mapping[str, Kernel] | None = None,
    options: Sequence[str] = (),
) -> Tried:
    """An edited text's results and those of the text before."""
    launches = 0
    for one, before in zip(data, expected, strict=True):
        if offer.title.kind == "unconditional_zeroed":
            continue
        if not passes(offer, one):
            continue
        launched = launch_after(offer, one)
        run = kernels_of(queued(after)[0]) if kernels is None else kernels
        if any(size % of for k in run.values() for size, of in zip(launched.items, k.group or (), strict=False)):
            continue  # the host may not launch so after the edit
        launches += 1
        try:
            each = offer.host_side.each if offer.host_side is not None else None
            same = ran(after, launched, kernels, options, each=each) == before
        except Exception as error:  # noqa: BLE001 -- whatever a runtime says of a text, the text is wrong
            return Tried(offer, one, f"{type(error).__name__}: {error}"[:400], launches)
        if not same:
            return Tried(offer, one, "other results", launches)
    return Tried(offer, None, launches=launches)


def passes(offer: Offer, data: Data) -> bool:
    """Whether a launch passes what an edit fixes."""
    given = offer.host_side.given if offer.host_side is not None else ()
    return all(int(data.scalars[name]) == value for name, value in given)


def launch_after(offer: Offer, data: Data) -> Data:
    """The launch that the host makes after an edit."""
    import numpy as np  # noqa: PLC0415

    if offer.title.kind == "exchange_ids":
        group = data.group and exchanged(data.group)
        return Data(data.arrays, data.scalars, exchanged(data.items), data.shared, group)
    names = offer.host_side.sizes if offer.host_side is not None else ()
    if not names:
        return data
    sizes = {name: np.int32(size) for name, size in zip(names, data.items, strict=False)}
    return Data(data.arrays, {**data.scalars, **sizes}, (1,), data.shared, data.group and (1,))


def exchanged(sizes: tuple[int, ...]) -> tuple[int, ...]:
    """Sizes with the first two in each other's place."""
    first, second, *rest = sizes if len(sizes) > 1 else (*sizes, 1)
    return (second, first, *rest)
