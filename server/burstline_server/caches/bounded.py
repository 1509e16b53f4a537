"""The one cache of the server: named, bounded, with what it was asked and what it forgot."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Generic, TypeVar


@dataclass(slots=True)
class Statistics:
    """How often a cache had what it was asked for, had not, and forgot something for its bound."""

    hits: int = 0
    misses: int = 0
    evicted: int = 0


K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class BoundedCache(Generic[K, V]):
    """Values by key; beyond the bound, those that were used longest ago are forgotten.

    `most` bounds the sum of what `weigh` says of each value (by default one each); the value that was kept last stays,
    whatever it weighs. `forgotten` is called with each value that leaves for the bound.
    """

    def __init__(
        self,
        name: str,
        most: int,
        weigh: Callable[[V], int] = lambda _value: 1,
        forgotten: Callable[[V], None] = lambda _value: None,
    ) -> None:
        self.name, self.most, self.statistics = name, most, Statistics()
        self._weigh, self._forgotten = weigh, forgotten
        self._values: OrderedDict[K, V] = OrderedDict()
        self._weight = 0

    def __len__(self) -> int:
        return len(self._values)

    def find(self, key: K) -> V | None:
        """The value of a key, which counts as used; None without one."""
        value = self._values.get(key)
        if value is None:
            self.statistics.misses += 1
            return None
        self.statistics.hits += 1
        self._values.move_to_end(key)
        return value

    def keep(self, key: K, value: V) -> V:
        """Remember a value, in place of the key's former one, and return it."""
        self.drop(key)
        self._values[key] = value
        self._weight += self._weigh(value)
        while self._weight > self.most and len(self._values) > 1:
            _, old = self._values.popitem(last=False)
            self._weight -= self._weigh(old)
            self.statistics.evicted += 1
            self._forgotten(old)
        return value

    def drop(self, key: K) -> V | None:
        """Forget the value of a key and return it; None without one."""
        value = self._values.pop(key, None)
        if value is not None:
            self._weight -= self._weigh(value)
        return value
