"""Which way values move through a private array: to lower elements alone, to higher ones, or to both."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from burstline_server.analysis.chains import MAX_CHAINS
from burstline_server.analysis.values import Pointer, Value


@dataclass(frozen=True, slots=True)
class OneWay:
    """Values move through an array to lower elements alone (`sign` 1), to higher ones (-1), or otherwise (0).

    `loops` are those whose counters pick the elements.
    """

    sign: int
    loops: frozenset[int] = frozenset()

    def with_(self, other: OneWay | None) -> OneWay:
        """Both moves of one array."""
        if other is None:
            return self
        return OneWay(self.sign if self.sign == other.sign else 0, self.loops | other.loops)


def way_of(pointer: Pointer, stored: Value, loops: Mapping[str, int]) -> OneWay:
    """Which way a value moves that is stored to an array: no value that always moves one way comes back.

    Loops inside (`loops`, by counter) pick the element by their counters alone: once they are unrolled, each copy has
    its own.
    """
    offset = pointer.offset
    own = f"[{pointer.root}]%"
    others = any(not mark.startswith(("@", own)) for mark, _ in stored.chains)
    if offset is None or others or len(stored.chains) >= MAX_CHAINS or not offset.symbols <= loops.keys():
        return OneWay(0)
    signs = set[int]()
    for root, source in stored.made_of:
        apart = (source - offset).constant if root == pointer.root and source is not None else None
        if root == pointer.root:
            signs.add(0 if not apart else 1 if apart > 0 else -1)
    return OneWay(signs.pop() if len(signs) == 1 else 0, frozenset(loops[name] for name in offset.symbols))
