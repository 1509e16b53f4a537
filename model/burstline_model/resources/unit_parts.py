"""Load/store units: buffers for bursts, caches, byte steering, acknowledgements."""

from __future__ import annotations

from burstline_model.devices.cost import Cost
from burstline_model.devices.cost_tables import CostTable
from burstline_model.lsu import Lsu

_CACHED = " cached"


def unit_cost(lsu: Lsu, table: CostTable) -> tuple[Cost, int | None]:
    """What the units of an access take, all `count` of them, and the bits of each one's cache."""
    style, cached = lsu.style.removesuffix(_CACHED), lsu.style.endswith(_CACHED)
    kind = "store" if lsu.op == "store" else "load"
    # Tables of the file lie on the chip, and arguments in constant memory are read from the cache there.
    on_chip = lsu.space in {"local", "constant"} and style != "Constant-pipelined"
    place = "local " if on_chip else ""
    known = table.units.get(f"{place}{style} {kind}") or table.units[f"{place}Burst-coalesced {kind}"]
    one = Cost(*known.base).plus(Cost(*known.per_bit).times(lsu.width_bits))
    cache_bits = None
    if cached:
        cache = table.units["cache"]
        cache_bits = (lsu.cache_bytes or table.cache_bytes) * 8
        one = one.plus(Cost(*cache.base)).plus(Cost(*cache.per_bit).times(cache_bits))
    return one.times(lsu.count), cache_bits
