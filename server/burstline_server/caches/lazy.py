"""A sequence whose items are made when they are first asked for."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any, TypeVar, overload

T = TypeVar("T")


class LazySequence(Sequence[T]):
    """Items by number, each made once; `made` holds those that were."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.made: dict[int, T] = {}

    @abstractmethod
    def make(self, number: int) -> T:
        """The item of a number."""

    def __len__(self) -> int:
        return self.size

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[T]: ...
    def __getitem__(self, index: Any) -> T | Sequence[T]:
        numbers = range(self.size)[index]  # raises IndexError
        if isinstance(numbers, range):
            return [self._item(number) for number in numbers]
        return self._item(numbers)

    def __iter__(self) -> Iterator[T]:
        return (self._item(number) for number in range(self.size))

    def _item(self, number: int) -> T:
        if number not in self.made:
            self.made[number] = self.make(number)
        return self.made[number]
