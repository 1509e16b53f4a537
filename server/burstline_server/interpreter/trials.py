"""What a kernel is tried with, made from its parameters: sizes, numbers, data, buffers that are the same."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from itertools import combinations
from typing import Any

from burstline_model.record import fixed
from burstline_server.interpreter.function import Function, Parameter
from burstline_server.interpreter.kinds import (
    BOOL,
    Kind,
    Pointer,
    Record,
    Scalar,
    Vector,
    has_pointer,
)
from burstline_server.interpreter.made_up import Style, pattern
from burstline_server.interpreter.memory import Block, Pair
from burstline_server.interpreter.run import LocalBytes, Sizes
from burstline_server.interpreter.verdicts import NotExecutableError

SMALL_BYTES, LARGE_BYTES = 1 << 14, 1 << 20
LOCAL_BYTES = 1 << 14
LENGTHS: tuple[tuple[tuple[int, ...], Style], ...] = (
    ((8,), "small"), ((5,), "signed"), ((1,), "signed"), ((0,), "small"), ((7, 3, 5, 2), "small"), ((16,), "wild"),
    ((13,), "signed"), ((2, 9, 4, 6), "signed"), ((-1,), "small"), ((33,), "small"), ((3,), "wild"),
)  # fmt: skip
"""Whole-number arguments in turn, with the data of the trial."""
ALIASED = (13,)
EXACT = ((8,), (33,), (7, 3, 5, 2))
DISTINCT = ((8,), (5,), (7, 3, 5, 2), (16, 4))
MOST_PAIRS = 3
FURTHER = 24
FURTHER_LENGTHS = (1, 2, 3, 4, 5, 8, 16, 64)
GROUPS: dict[int, tuple[Sizes, ...]] = {
    0: (Sizes((1,), (1,)),),
    1: (Sizes((8,), (4,)), Sizes((12,), (4,)), Sizes((1,), (1,)), Sizes((64,), (32,)), Sizes((256,), (256,))),
    2: (Sizes((8, 4), (4, 2)), Sizes((4, 4), (2, 2)), Sizes((1, 1), (1, 1)), Sizes((16, 16), (8, 8)),
        Sizes((16, 16), (16, 16))),
    3: (Sizes((4, 2, 2), (2, 1, 1)), Sizes((4, 4, 2), (2, 2, 2)), Sizes((1, 1, 1), (1, 1, 1))),
}  # fmt: skip
"""Launches by the number of dimensions that a kernel asks for."""


@fixed
class Trial:
    """One launch. `shared` maps a buffer to the one it is part of, and how many elements further on it begins."""

    lengths: tuple[int, ...]
    style: Style
    sizes: Sizes
    buffer_bytes: int = SMALL_BYTES
    shared: Mapping[str, tuple[str, int]] = field(default_factory=dict)
    ahead: Mapping[str, int] = field(default_factory=dict)
    """How many bytes of a buffer lie before where its pointer leads, for kernels that reach there."""
    is_further: bool = False


def trials_of(
    function: Function, dimensions: int, group: tuple[int, ...] | None, *, aliased: bool = True, distinct: bool = False,
    exact: bool = False,
) -> Iterator[Trial]:  # fmt: skip
    """The trials of a kernel, those that say most first. `group` is the size of work-groups that is asked for.

    `aliased`: buffers may be one where nothing in the text says that they are not. `distinct`: with data that lead to
    a place each as well. `exact`: with reals that are powers of two as well.
    """
    launches = _launches(dimensions, group)
    yield from (Trial(lengths, "powers", launches[0]) for lengths in (EXACT if exact else ()))
    yield from (Trial(lengths, "distinct", launches[0]) for lengths in (DISTINCT if distinct else ()))
    for at, (lengths, style) in enumerate(LENGTHS):
        yield Trial(lengths, style, launches[at % min(len(launches), 3)])
        if at == 1 and aliased:
            yield from _aliased(function, launches[0])
    yield from (Trial((8,), "small", sizes) for sizes in launches[3:])


def further_trials(function: Function, dimensions: int, group: tuple[int, ...] | None) -> Iterator[Trial]:
    """Trials of a kernel that touches nothing, or leaves its buffers, in all usual ones."""
    draw, launches = random.Random(0), _launches(dimensions, group)  # noqa: S311 -- sizes to try
    for at in range(FURTHER):
        lengths = [draw.choice(FURTHER_LENGTHS) for _ in range(max(len(_numbers(function)), 1))]
        if at % 2:
            lengths.sort()  # the size of a whole often comes behind that of a part
        sizes = launches[-2:][0] if at % 4 < 2 else launches[0]
        yield Trial(tuple(lengths), "few" if at % 3 else "small", sizes, is_further=True)


def larger(trial: Trial) -> Trial | None:
    """The same with larger buffers; None where they are large."""
    return replace(trial, buffer_bytes=LARGE_BYTES) if trial.buffer_bytes < LARGE_BYTES else None


def begun_later(trial: Trial, name: str, missing: int, size: int) -> Trial | None:
    """The same with a buffer whose pointer leads further in by elements of `size`; None where that is far."""
    ahead = trial.ahead.get(name, 0) + -(-missing // size) * size
    return replace(trial, ahead={**trial.ahead, name: ahead}) if ahead <= trial.buffer_bytes // 2 else None


def _launches(dimensions: int, group: tuple[int, ...] | None) -> Sequence[Sizes]:
    if group is None or all(n == 1 for n in group):
        return GROUPS[dimensions if group is None else 0]
    rank = max(dimensions, max((d + 1 for d, n in enumerate(group) if n > 1), default=1))
    group = (*group, 1, 1)[:rank]
    return Sizes(group, group), Sizes((2 * group[0], *group[1:]), group)


def _aliased(function: Function, sizes: Sizes) -> Iterator[Trial]:
    """Trials in which two buffers are one, where nothing says that they are not and one of them is stored to."""
    free = [
        p for p in function.parameters if isinstance(p.kind, Pointer) and p.space == "global" and not p.type.restrict
    ]
    pairs = [
        (a, b)
        for a, b in combinations(free, 2)
        if a.kind == b.kind and not all(_constant(p) for p in (a, b)) and _kernel(a) == _kernel(b)
    ]  # fmt: skip
    for a, b in pairs[:MOST_PAIRS]:
        for inner, outer, ahead in ((b, a, 0), (b, a, 1), (a, b, 1)):
            yield Trial(ALIASED, "signed", sizes, shared={inner.name: (outer.name, ahead)})


def _kernel(parameter: Parameter) -> str:
    """The kernel in a parameter's name, of several that run at the same time: theirs share no element in any order."""
    return parameter.name.rpartition(".")[0]


def _constant(parameter: Parameter) -> bool:
    return parameter.type.element is not None and parameter.type.element.const


def buffers_of(function: Function, trial: Trial) -> dict[str, Block]:
    """Fresh buffers with the data of a trial."""
    made: dict[str, Block] = {}
    for at, one in enumerate(function.parameters):
        if isinstance(one.kind, Pointer) and one.space != "local" and one.name not in trial.shared:
            if has_pointer(one.kind.to):
                raise NotExecutableError("argument", one.name)
            data = pattern(one.kind.to, trial.style, at)
            made[one.name] = Block(trial.buffer_bytes, one.name)
            made[one.name].data[:] = (data * (-(-trial.buffer_bytes // len(data))))[: trial.buffer_bytes]
    return made


def numbers_of(function: Function, trial: Trial) -> dict[str, int]:
    """The whole numbers of a trial, by the argument that takes each."""
    return {name: trial.lengths[at % len(trial.lengths)] for at, name in enumerate(_numbers(function))}


def _numbers(function: Function) -> list[str]:
    return [p.name for p in function.parameters if p.space != "pipe" and isinstance(p.kind, Scalar | Vector)]


def arguments_of(
    function: Function, trial: Trial, buffers: Mapping[str, Block], numbers: Mapping[str, int]
) -> list[Any]:  # fmt: skip
    """What a kernel is called with; `numbers` are the values of its scalars."""
    found: list[Any] = []
    for one in function.parameters:
        match one.kind:
            case _ if one.space == "pipe":
                found.append(None)
            case Pointer() if one.space == "local":
                found.append(LocalBytes(LOCAL_BYTES))
            case Pointer(to=to):
                found.append(_buffer(one.name, to, trial, buffers))
            case Scalar() | Vector():
                found.append(_number(one.kind, numbers.get(one.name, trial.lengths[0])))
            case Record(size=size) if not has_pointer(one.kind):
                found.append(pattern(one.kind, "small", 1)[:size])
            case _:
                raise NotExecutableError("argument", one.name)
    return found


def _buffer(name: str, to: Kind, trial: Trial, buffers: Mapping[str, Block]) -> Pair:
    if name in trial.shared:
        other, ahead = trial.shared[name]
        return buffers[other], ahead * to.size
    if name not in buffers:
        raise NotExecutableError("argument", name)
    return buffers[name], trial.ahead.get(name, 0)


def _number(kind: Scalar | Vector, value: int) -> Any:
    scalar = kind.element if isinstance(kind, Vector) else kind
    if scalar.real:
        one: float = value + 0.75
    elif scalar == BOOL:
        one = int(value > 0)
    else:
        # Counts are never negative where their type cannot say so.
        one = max(value, 0) if not scalar.signed else value
    return (one,) * kind.lanes if isinstance(kind, Vector) else one
