"""Means over nests of loops, kept by what they follow from: most edits of a kernel leave its loops as they are."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache

from burstline_model.facts import KernelFacts, Loop
from burstline_model.launch import Launch

Known = Mapping[int, Fraction | None]
"""Trips of loops, by their ids."""
Given = Callable[[Sequence[str], Sequence[str], Sequence[int]], Hashable]
"""What is given of symbols, of arguments and of loops."""
MOST_LAUNCHES = 32
"""Sizes under which the mean of one nest is kept."""
_OF_GROUPS = {"local_id", "group_id", "num_groups"}


class _Kept:
    """The symbols that the bounds and conditions of a nest are made of, and the means that were worked out."""

    def __init__(self, facts: KernelFacts, loops: Sequence[Loop]) -> None:
        numbers = [n for loop in loops for n in (loop.trip, *(g.condition for g in loop.guards)) if n is not None]
        found, waiting = set[str](), [name for number in numbers for name in number.symbols]
        while waiting:
            if (name := waiting.pop()) not in found and (symbol := facts.symbols.get(name)) is not None:
                found.add(name)
                waiting += [*symbol.depends_on, *(n for operand in symbol.operands for n in operand.symbols)]
        symbols = tuple(facts.symbols[name] for name in sorted(found))
        around = tuple(
            (loop.id, loop.counter, loop.trip, tuple((g.condition, g.loaded) for g in loop.guards)) for loop in loops
        )
        groups = frozenset((s.kind, s.dimension) for s in facts.symbols.values() if s.kind in _OF_GROUPS)
        self.names = tuple(s.name for s in symbols)
        self.arguments = tuple(s.name for s in symbols if s.kind == "argument")
        self.loops = tuple(sorted({*(loop.id for loop in loops), *(s.loop for s in symbols if s.loop is not None)}))
        self.means = _means((around, symbols, groups, facts.unit_shape))


@lru_cache(maxsize=1024)
def _means(_content: Hashable) -> dict[Hashable, Fraction | None]:
    """The means of a nest by what is given, to be filled."""
    return {}


def forget_means() -> None:
    """Work everything out anew."""
    _means.cache_clear()


def kept_mean(
    facts: KernelFacts,
    loops: Sequence[Loop],
    given: Given,
    work_out: Callable[[], Fraction | None],
) -> Fraction | None:
    """The mean of the last of `loops`, which are one in the other; worked out once for what it follows from."""
    known: dict[int, _Kept] = facts.kept.setdefault(_Kept, {})
    kept = known.get(loops[-1].id) or known.setdefault(loops[-1].id, _Kept(facts, loops))
    key = given(kept.names, kept.arguments, kept.loops)
    if key not in kept.means:
        if len(kept.means) >= MOST_LAUNCHES:
            kept.means.clear()
        kept.means[key] = work_out()
    return kept.means[key]


def given_by(
    launch: Launch,
    sizes: Hashable,
    fixed: Known,
    found: Known,
    missing: Mapping[str, int],
    names: Sequence[str],
    arguments: Sequence[str],
    loops: Sequence[int],
) -> Hashable:
    """What a launch gives of symbols; `sizes` are those of its work-items and groups, the rest is that of an extent."""
    return (
        sizes,
        len(launch.global_size or ()),
        tuple(map(missing.get, names)) if missing else (),
        tuple(map(launch.arguments.get, arguments)),
        tuple((loop in fixed, fixed.get(loop), found.get(loop)) for loop in loops),
    )
