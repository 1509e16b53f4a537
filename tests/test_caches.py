"""The cache with a bound, and the sequence that makes its items when asked."""

from burstline_server.caches.bounded import BoundedCache
from burstline_server.caches.lazy import LazySequence


class Squares(LazySequence[int]):
    def __init__(self, size: int) -> None:
        super().__init__(size)
        self.asked: list[int] = []

    def make(self, number: int) -> int:
        self.asked.append(number)
        return number * number


def test_what_was_used_longest_ago_goes_first() -> None:
    cache = BoundedCache[str, int]("test", 2)
    cache.keep("a", 1)
    cache.keep("b", 2)
    assert cache.find("a") == 1
    cache.keep("c", 3)
    assert (cache.find("a"), cache.find("b"), cache.find("c")) == (1, None, 3)
    assert (cache.statistics.hits, cache.statistics.misses, cache.statistics.evicted) == (3, 1, 1)


def test_a_bound_on_weight_keeps_the_last_value_whatever_it_weighs() -> None:
    gone = list[str]()
    cache = BoundedCache[int, str]("test", 5, len, gone.append)
    cache.keep(1, "ab")
    cache.keep(2, "cd")
    cache.keep(2, "cde")
    cache.keep(3, "much too long")
    assert (len(cache), cache.find(3), gone) == (1, "much too long", ["ab", "cde"])
    assert cache.drop(3) == "much too long"
    assert cache.drop(3) is None
    assert len(cache) == 0


def test_items_are_made_once_and_only_when_asked_for() -> None:
    squares = Squares(5)
    assert (squares[2], squares[-1], list(squares[1:3])) == (4, 16, [1, 4])
    assert squares.asked == [2, 4, 1]
    assert list(squares) == [0, 1, 4, 9, 16]
    assert sorted(squares.asked) == [0, 1, 2, 3, 4]
