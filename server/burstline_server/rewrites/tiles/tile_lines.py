"""The lines of C by which a group fills a tile, and the names in them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from burstline_model.facts import KernelFacts
from burstline_model.record import fixed
from burstline_server.rewrites.legality.expression_types import type_of
from burstline_server.rewrites.rewrite import NotOfferedError
from burstline_server.rewrites.syntax import alone, declared_types, free_name
from burstline_server.rewrites.tiles.layout import ALONG, Group, Loading, Tile
from burstline_server.rewrites.tiles.limits import Limit
from burstline_server.rewrites.tiles.shared import in_c, written_names
from burstline_server.rewrites.tiles.staged import Staged
from burstline_server.rewrites.tiles.windows import ROWS

_OPERANDS = {"identifier", "number_literal", "parenthesized_expression", "call_expression", "subscript_expression"}


@fixed
class Names:
    """Names that a file does not use yet.

    `items`: the work-item's id in its group, by dimension; `tiles`: the arrays; `loops`: variables of loops that load,
    by dimension; `first` and `count`: where a block of iterations begins, and how many it has.
    """

    items: tuple[str, str, str]
    tiles: tuple[str, ...]
    loops: Mapping[int, str]
    first: str
    count: str
    inside: str

    @classmethod
    def of(cls, text: bytes, counter: str, staged: Sequence[Staged], group: Group) -> Names:
        """The names for tiles of these loads."""
        flat = group[1:] == (1, 1)
        items = [free_name(text, "item" if flat else f"item_{axis}") for axis in "xyz"]
        loops = {d: free_name(text, "row" if flat else f"row_{axis}") for d, axis in enumerate("xyz")}
        loops[ALONG] = free_name(text, f"{counter}_at")
        for one in staged:
            for n, (i, _) in enumerate(one.window.rows):
                loops[ROWS + n] = free_name(text, f"{one.counters[i]}_at")
        tiles: list[str] = []
        for one in staged:
            name = free_name(text, f"{one.access.pointer}_tile")
            tiles.append(name if name not in tiles else free_name(text, f"{name}_{len(tiles)}"))
        first, count = (free_name(text, f"{counter}_{what}") for what in ("first", "count"))
        return cls((items[0], items[1], items[2]), tuple(tiles), loops, first, count, free_name(text, "inside"))


class Lines:
    """Lines of C, indented."""

    def __init__(self, indent: str, step: str, end: str) -> None:
        self._indent, self._step, self._end, self._depth = indent, step, end, 0
        self.text = ""

    def add(self, line: str) -> None:
        """One more line."""
        self.text += f"{self._indent}{self._step * self._depth}{line}{self._end}"

    def deeper(self, by: int = 1) -> None:
        """The next lines are indented by so many steps more."""
        self._depth += by


@fixed
class Fill:
    """How a tile is filled: `index` is the work-item's own place in the iteration that it loads for.

    `count` are the iterations of the block, `limits` more conditions on a load, `copies` loads to make at a time.
    """

    one: Staged
    tile: Tile
    loading: Loading
    name: str
    index: str
    count: str
    copies: int
    limits: Sequence[str]
    out: bool = False
    """Whether the tile is written out instead."""


def load_lines(lines: Lines, facts: KernelFacts, fill: Fill, names: Names, changed: set[str]) -> None:
    """Add the lines that fill a tile. `changed` are the variables that the kernel sets."""
    one, tile, loading = fill.one, fill.tile, fill.loading
    count, limits = fill.count, fill.limits
    conditions, loops = list(loading.conditions), {variable for variable, *_ in loading.loops}
    along = loading.indexes.get(ALONG)
    if along is not None and along not in loops and not count.isdecimal():
        whole = f"{along} < {tile.extents[ALONG]}"
        conditions = [*(one for one in conditions if one != whole), f"{along} < {count}"]
    conditions += [] if loading.loops else limits
    if conditions:
        lines.add(f"if ({' && '.join(conditions)})" + (" {" if loading.loops else ""))
        lines.deeper()
    for variable, first, bound, step in loading.loops:
        last = count if loading.indexes.get(ALONG) == variable else str(bound)
        if fill.copies > 1 and last.isdecimal() and first == "0" and bound % fill.copies == 0:
            lines.add(f"#pragma unroll {fill.copies}")
        counts = f"{variable}++" if step == 1 else f"{variable} += {step}"
        lines.add(f"for (int {variable} = {first}; {variable} < {last}; {counts})")
        lines.deeper()
    if limits and loading.loops:
        lines.add(f"if ({' && '.join(limits)})")
        lines.deeper()
    place = "".join(f"[{loading.indexes[d]}]" for d in tile.dimensions)
    shift = "" if one.window.is_plain else f" + {alone(loading.indexes[ALONG])}"
    shift += "".join(shift_of(facts, fill, d, names, changed) for d in tile.dimensions if d < ALONG)
    ends = f"{one.array}[{moved(one, fill.index, shift)}]", f"{fill.name}{place}"
    lines.add(f"{ends[0]} = {ends[1]};" if fill.out else f"{ends[1]} = {ends[0]};")
    lines.deeper(-len(loading.loops) - bool(conditions) - bool(limits and loading.loops))
    if conditions and loading.loops:
        lines.add("}")


def shift_of(facts: KernelFacts, fill: Fill, dimension: int, names: Names, changed: set[str]) -> str:
    """What leads from a work-item's own element to that of another work-item in a dimension of the group."""
    one, index, own = fill.one, fill.loading.indexes[dimension], names.items[dimension]
    if index == own:
        return ""
    step = fill.tile.steps[dimension]
    if written_names(step, facts) & changed:
        raise NotOfferedError("row_step_unknown", one.access.pointer)
    place = one.index
    plain = type_of(place.node, place.source.text, declared_types(place.source, place.node)) == "int"
    text = ""
    for monomial, coefficient in step.terms:
        factor = in_c(facts, type(step)(((monomial, abs(coefficient)),)))
        if factor is None:
            raise NotOfferedError("row_step_unknown", one.access.pointer)
        by = "" if factor == "1" else f" * {factor}"
        # An index of another type than int may be unsigned, or longer than one.
        apart = f"({index} - {own})" if plain else f"(long)({index} - {own})"
        text += f" {'-' if coefficient < 0 else '+'} {apart}{by}"
    return text


def moved(one: Staged, index: str, shift: str) -> str:
    """An index with what leads to another work-item's element, in parentheses where its operators bind less."""
    node = one.index.node
    operator = node.child_by_field_name("operator")
    sums = node.type in _OPERANDS or (operator is not None and operator.type in {"+", "-", "*"})
    return f"{index}{shift}" if not shift or (sums and one.index.text == one.index.expanded) else f"({index}){shift}"


def own_place(one: Staged, tile: Tile, names: Names, counter: str) -> str:
    """Where a work-item finds its own element in a tile."""
    window, text = one.window, ""
    for d in tile.dimensions:
        if d == ALONG:
            own = f"{counter} - {names.first}"
            own = f"{window.along} * ({own})" if window.along > 1 else own
            near = (f"{step} * {one.counters[i]}" if step > 1 else one.counters[i] for i, step in window.near)
            text += f"[{' + '.join((own, *near))}]"
        else:
            text += f"[{one.counters[window.rows[d - ROWS][0]]}]" if d >= ROWS else f"[{names.items[d]}]"
    return text


def declarations(
    staged: Sequence[Staged], tiles: Sequence[Tile], group: Group, names: Names, lines: Lines
) -> str:  # fmt: skip
    """The tiles, and each work-item's place in its group."""
    for one, tile, name in zip(staged, tiles, names.tiles, strict=True):
        lines.add(f"__local {one.access.type} {name}{tile.declarator};")
    for d in range(3):
        if group[d] > 1:
            lines.add(f"const int {names.items[d]} = get_local_id({d});")
    return lines.text


def limit_texts(
    facts: KernelFacts, limits: Sequence[Limit], ids: Mapping[int, str], tile: Tile, loading: Loading, names: Names,
    group: Group,
) -> list[str]:  # fmt: skip
    """The conditions under which a work-item inside the limits reaches an element of a tile.

    Where several share the element, it is that of the first or the last of the group, which is inside if any is.
    """
    found = []
    for limit in limits:
        d, own_ids = limit.dimension, dict(ids)
        if d is not None:
            own = names.items[d]
            if d not in tile.dimensions and group[d] > 1:
                last = f" + {group[d] - 1}" if limit.rises else ""
                own_ids[d] = f"{ids[d]} - {own}{last}"
            elif d in tile.dimensions and loading.indexes[d] != own:
                own_ids[d] = f"{ids[d]} - {own} + {alone(loading.indexes[d])}"
        found.append(limit.text(facts, own_ids))
    return found
