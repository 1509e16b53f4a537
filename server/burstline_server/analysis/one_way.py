"""Which way values move through a private array: to lower elements alone, to higher ones, or to both."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from burstline_server.analysis.chains import MAX_CHAINS, Chains
from burstline_server.analysis.values import ArrayElement, Pointer


@dataclass(frozen=True, slots=True)
class OneWay:
    """Where values come from that elements of an array are made of.

    `signs`: from higher elements (1), from lower ones (-1), from the element itself (0); None where that is not known.
    `loops` are those whose counters pick the elements, `others` the other arrays that they are made of, at the same
    places, before or behind.
    """

    signs: frozenset[int] | None
    loops: frozenset[int] = frozenset()
    others: frozenset[str] = frozenset()

    @property
    def is_known(self) -> bool:
        """Whether no value comes back to an element that it has left."""
        return self.signs is not None and not self.signs >= {1, -1}

    @property
    def stays(self) -> bool:
        """Whether elements are made of what they were themselves."""
        return self.signs is not None and 0 in self.signs

    def with_(self, other: OneWay | None) -> OneWay:
        """Both moves of one array."""
        if other is None:
            return self
        both = self.signs | other.signs if self.signs is not None and other.signs is not None else None
        return OneWay(both, self.loops | other.loops, self.others | other.others)


def way_of(
    pointer: Pointer, made_of: Collection[ArrayElement], chains: Chains, loops: Mapping[str, int]
) -> OneWay:  # fmt: skip
    """Which way a value moves that is stored to an array: no value that always moves one way comes back.

    It is made of these elements of arrays that the loop changes, through these chains. Loops inside (`loops`, by
    counter) pick the element by their counters alone: once they are unrolled, each copy has its own. What one of them
    hands on in variables comes from the copies before, which have the elements on one side.
    """
    offset = pointer.offset
    if offset is None or len(chains) >= MAX_CHAINS or not offset.symbols <= loops.keys():
        return OneWay(None)
    signs = set[int]()
    for mark, _ in chains:
        if mark.startswith(("@", "[")):
            continue
        counter = next((name for name in offset.symbols if mark.endswith(f"%{loops[name]}")), None)
        step = offset.coefficient(counter) if counter is not None and len(offset.symbols) == 1 else None
        if step is None or not step.constant:
            return OneWay(None)
        signs.add(-1 if step.constant > 0 else 1)
    roots = {root for root, _ in made_of}
    if any(mark.startswith("[") and mark[1:].partition("]")[0] not in roots for mark, _ in chains):
        return OneWay(None)
    for _, source in made_of:
        apart = (source - offset).constant if source is not None else None
        if apart is None:
            return OneWay(None)
        signs.add((apart > 0) - (apart < 0))
    return OneWay(
        frozenset(signs), frozenset(loops[name] for name in offset.symbols), frozenset(roots - {pointer.root})
    )


def together(root: str, ways: Mapping[str, OneWay | None]) -> OneWay | None:
    """Which way values move through an array and all those that its elements are made of."""
    found, waiting = dict[str, OneWay](), [root]
    while waiting:
        name = waiting.pop()
        own = ways.get(name)
        if own is None:
            return None
        found[name] = own
        waiting += [other for other in own.others if other not in found and other not in waiting]
    way: OneWay | None = None
    for own in found.values():
        way = own.with_(way)
    return way
