"""How a tile lies in local memory, and which work-item of the group loads which of its elements."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from burstline_model.polynomial import Polynomial
from burstline_model.record import fixed

ALONG = 3
"""The dimension of a tile that follows a loop's counter; 0 to 2 follow the group's work-items, more loops inside."""
Group = tuple[int, int, int]


@fixed
class Tile:
    """The elements that a group loads in a block of iterations (without a loop: at one place).

    `steps` are elements from one work-item to the next in each dimension, `along` from one iteration to the next (None:
    no loop). `dimensions` are those of the array, the one whose neighbours are side by side in memory last.
    """

    steps: Mapping[int, Polynomial]
    dimensions: tuple[int, ...]
    extents: Mapping[int, int]

    @property
    def elements(self) -> int:
        """The elements that it holds."""
        count = 1
        for one in self.dimensions:
            count *= self.extents[one]
        return count

    @property
    def declarator(self) -> str:
        """What follows the array's name where it is declared."""
        return "".join(f"[{self.extents[one]}]" for one in self.dimensions)


def tile_of(steps: Mapping[int, Polynomial], extents: Mapping[int, int]) -> Tile | None:
    """The tile for elements `steps` apart; None where no two of them are side by side in memory.

    `steps` has the dimensions of the group that move the place, and `ALONG` where a loop does.
    """
    moving = [d for d in sorted(steps) if steps[d].terms and extents[d] > 1]
    side = next((d for d in (ALONG, 0, 1, 2) if d in moving and steps[d].constant == 1), None)
    if side is None:
        return None
    others = [d for d in moving if d != side]
    # Iterations come outside work-items, so that those of one iteration are a row.
    others.sort(key=lambda d: (d != ALONG, d > ALONG, -d if d < ALONG else d))
    return Tile(steps, (*others, side), extents)


@fixed
class Lane:
    """What differs between the work-items of a group: its text in C, how many values it has, its dimension."""

    text: str
    size: int
    dimension: int | None


@fixed
class Loading:
    """Who loads what: the index in each dimension of the tile, loops around the load, conditions in front of them.

    A loop is (variable, first value, bound, step); a bound in the dimension `ALONG` may be less than its extent.
    """

    indexes: Mapping[int, str]
    loops: tuple[tuple[str, str, int, int], ...]
    conditions: tuple[str, ...]

    def own(self, dimension: int, items: Sequence[str]) -> bool:
        """Whether each work-item loads at its own place of a dimension."""
        return self.indexes[dimension] == items[dimension]


def loading_of(tile: Tile, group: Group, items: Sequence[str], names: Mapping[int, str]) -> Loading:
    """How a group shares out a tile: neighbouring work-items take what is side by side in memory.

    `items` are the work-item's ids in its group, in C; `names` variables for the dimensions that need a loop.
    """
    lanes = [Lane(items[d], group[d], d) for d in range(3) if group[d] > 1]
    indexes: dict[int, str] = {}
    loops: list[tuple[str, str, int, int]] = []
    conditions: list[str] = []
    # Loops over work-items are innermost: copies of these load at the same time.
    ordered = (tile.dimensions[-1], *sorted(tile.dimensions[:-1], key=lambda d: d < ALONG))
    for dimension in ordered:
        extent = tile.extents[dimension]
        own = next((one for one in lanes if one.dimension == dimension and dimension != ordered[0]), None)
        lane = own or next(iter(lanes), None)
        if lane is not None:
            lanes.remove(lane)
        if lane is None:
            indexes[dimension] = names[dimension]
            loops.append((names[dimension], "0", extent, 1))
        elif lane.size == extent:
            indexes[dimension] = lane.text
        elif dimension == ordered[0] and lane.size > extent and lane.size % extent == 0:
            indexes[dimension] = f"{lane.text} % {extent}"
            lanes.insert(0, Lane(f"{lane.text} / {extent}", lane.size // extent, None))
        elif dimension == ordered[0] and lane.size > extent:
            indexes[dimension] = lane.text
            conditions.append(f"{lane.text} < {extent}")
        else:
            indexes[dimension] = names[dimension]
            loops.append((names[dimension], lane.text, extent, lane.size))
    return Loading(indexes, tuple(loops), (*conditions, *(f"{one.text} == 0" for one in lanes)))
