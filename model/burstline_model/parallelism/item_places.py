"""The work-items at which nests of loops are looked at: those between which nothing changes count for one another."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from fractions import Fraction

from burstline_model.facts import KernelFacts
from burstline_model.parallelism.made_of import made_of
from burstline_model.parallelism.periods import Place, changes, places_between
from burstline_model.polynomial import Polynomial

Value = Callable[[Polynomial, Mapping[str, Fraction | int]], Fraction | int | None]
Cuts = tuple[frozenset[int], bool]
"""Places along a dimension where something changes, and whether these are all of them."""
MOST_GROUPS, MOST_CUTS = 64, 32
"""Groups in each of which a comparison is looked at, and changes along a dimension between which places are."""
_TURNING = {"remainder", "and", "or", "xor"}


class ItemPlaces:
    """The places along each dimension of work-items, with the ids that matter there.

    `ids`: the names of these ids; `signs`: what changes something where it changes its sign; `moving`: the counters
    that it may follow from as well. `sizes`: work-items along a dimension, and those of a group.
    """

    def __init__(
        self,
        facts: KernelFacts,
        ids: Sequence[str],
        signs: Sequence[Polynomial],
        moving: Collection[str],
        value: Value,
        sizes: Callable[[int], tuple[int, int] | None],
    ) -> None:
        self._facts, self._signs, self._value, self.sizes = facts, signs, value, sizes
        self._moved, self._cuts = {*ids, *moving}, dict[int, Cuts]()
        self.ids = {d: {n for n in ids if facts.symbols[n].dimension == d} for d in range(3)}
        self._shapes = dict[int, tuple[int, int, bool]]()

    def along(self, dimension: int, most: int, period: int) -> list[Place]:
        """Some places along a dimension: all where they are few."""
        return places_between(self._shape(dimension)[0], self.cuts(dimension)[0], most, period)

    def at(self, dimension: int, place: int) -> dict[str, Fraction | int]:
        """The ids of a dimension at a place along it."""
        _, group, whole = self._shape(dimension)
        if not whole:
            return dict.fromkeys(self.ids[dimension], place)
        found = {"global_id": place, "local_id": place % group, "group_id": place // group}
        return {name: found[self._facts.symbols[name].kind] for name in self.ids[dimension]}

    def cuts(self, dimension: int) -> Cuts:
        """Where what follows from a dimension changes its sign, and whether these are all such places.

        Of what follows from counters or from other dimensions too, these are the changes at the first of them; what
        comes round changes at others.
        """
        if dimension not in self._cuts:
            found, every = set[int](), True
            for distance in self._signs:
                new, all_of_it = self._changes_of(distance, dimension)
                every = every and all_of_it and len(found | new) <= MOST_CUTS
                found |= new if len(found | new) <= MOST_CUTS else set()
            self._cuts[dimension] = frozenset(found), every
        return self._cuts[dimension]

    def _shape(self, dimension: int) -> tuple[int, int, bool]:
        """How many places there are along a dimension, those of a group, and whether all work-items are places.

        They are those of a group, or the groups, where only these count.
        """
        if dimension not in self._shapes:
            size, group = self.sizes(dimension) or (1, 1)
            kinds = {self._facts.symbols[n].kind for n in self.ids[dimension]}
            number = group if kinds == {"local_id"} else size // group if kinds == {"group_id"} else size
            self._shapes[dimension] = number, group, number == size
        return self._shapes[dimension]

    def _changes_of(self, distance: Polynomial, dimension: int) -> tuple[set[int], bool]:
        """Where one distance changes its sign along a dimension, and whether these are all such places."""
        made = made_of(self._facts, [distance])
        names = distance.symbols.union(*(s.depends_on for s in made), *(o.symbols for s in made for o in s.operands))
        if names.isdisjoint(self.ids[dimension]):
            return set(), True
        moved, (size, group, whole) = names & self._moved, self._shape(dimension)
        # What follows from places in a group grows or falls within each.
        starts_over = whole and any(self._facts.symbols[n].kind == "local_id" for n in moved)
        step = group if starts_over else size
        if any(s.operation in _TURNING for s in made) or size // step > MOST_GROUPS:
            return set(), False
        others: dict[str, Fraction | int] = dict.fromkeys(moved - self.ids[dimension], 0)
        found = set[int]()
        for low in range(0, size, step):

            def at(place: int, low: int = low) -> Fraction | int:
                return self._value(distance, others | self.at(dimension, low + place)) or 0

            if inside := {low + one for one in changes(at, min(step, size - low)) if 0 < one < step}:
                found |= {low, low + step} | inside
        return found, not others
