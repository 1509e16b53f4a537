"""Loads that get another kind of unit than a burst-coalesced one."""

from math import gcd

from burstline_model.compiler.context import Context
from burstline_model.compiler.groups import is_invariant
from burstline_model.compiler.lsu_rules.rule import OLDER_FAMILIES, Rule
from burstline_model.lsu import OneLoop, Why
from burstline_model.parallelism.lanes import simd_symbols
from burstline_model.parallelism.loop_copies import constant_trips
from burstline_model.parallelism.ranges import is_constant, largest
from burstline_model.polynomial import Polynomial
from burstline_model.target import STANDARD_FAMILIES


def bare_global_id(context: Context) -> int | None:
    """The constant byte offset of an address ``gid0 + constant`` in elements; None for any other address."""
    access = context.access
    if access.offset is None or context.single_work_item:
        return None
    ids = [s for s in simd_symbols(context.facts) if context.facts.symbols[s].kind == "global_id"]
    if len(ids) != 1:
        return None
    step = access.offset.coefficient(ids[0])
    rest = access.offset.without(ids).constant
    if step is None or step.constant != access.element_bytes or rest is None:
        return None
    return rest


def _simple(context: Context) -> Why | None:
    if not is_invariant(context.facts, context.access) or not context.read_only:
        return None
    return "same_for_all"


def _streaming(context: Context) -> Why | None:
    if bare_global_id(context) != 0 or not context.group.aligned:
        return None
    if context.conditions or context.rolled or context.access.volatile:
        return None
    return "items_read_in_order"


def _streaming_standard(context: Context) -> Why | None:
    """The same by every work-item: none may return before (amithyst/LeNet5_OpenCL_FPGA, 18.1)."""
    return None if context.access.guards else _streaming(context)


def _sequential(context: Context) -> bool:
    """Whether the address steps by a fixed number of bytes in exactly the innermost rolled loop."""
    access = context.access
    if access.offset is None or context.indirect or not context.rolled:
        return False
    step = access.offset.coefficient(context.rolled[-1].counter)
    return step is not None and bool(step.constant)


def _semi_streaming_whole(context: Context) -> Why | None:
    access, offset = context.access, context.access.offset
    facts = context.facts
    if offset is None or access.volatile or not context.read_only or not context.group.aligned:
        return None
    if is_invariant(facts, access) or not (context.rolled or context.indirect):
        return None
    if context.gathered and context.reads_constants:
        return None
    moving = [c for monomial, c in offset.terms if not is_constant(facts, Polynomial(((monomial, c),)))]
    if not moving or gcd(*moving) != access.element_bytes or not _fits(context):
        return None
    once = len(context.rolled) <= 1 and (not context.rolled or _sequential(context))
    if context.single_work_item and once:
        return None
    return "bounded_range"


LARGEST_RANGE_BYTES = 1 << 20
"""Most bytes that a semi-streaming unit holds (vendor reports: caches of 64 kbit to 8 Mbit)."""


def range_bytes(context: Context) -> int | None:
    """All that may be read, in bytes, where the type of an index or the like bounds it; None where nothing does."""
    access = context.access
    moving = access.narrow_from if access.narrow_from is not None else access.offset
    if moving is None:
        return None
    most = largest(context.facts, moving - Polynomial.number(moving.offset))
    return most + access.element_bytes if most is not None else None


def _fits(context: Context) -> bool:
    """Whether a unit can hold all that may be read."""
    most = range_bytes(context)
    return most is not None and most <= LARGEST_RANGE_BYTES


def _streamed(context: Context) -> bool:
    """Whether one work-item reads in order, always, what nothing changes: there is no non-aligned unit for that.

    ``i < n ? p[i] : 0`` reads always: the choice comes after it.
    """
    conditional = any(g.loaded or g.choice != "load or constant" for g in context.conditions)
    if not context.single_work_item or not context.read_only or conditional or context.access.volatile:
        return False
    return _sequential(context) and context.group.lanes == 1 and context.group.aligned


def _prefetching(context: Context) -> Why | None:
    if len(context.rolled) != 1 or not _streamed(context):
        return None
    return OneLoop(index=context.access.index)


def _prefetching_open(context: Context) -> Why | None:
    """The same where the text leaves the trips open."""
    return None if any(constant_trips(loop) is not None for loop in context.rolled) else _prefetching(context)


def _prefetching_nested(context: Context) -> Why | None:
    """The innermost loop reads element by element, and the text does not fix how often."""
    inner = context.rolled[-1:]
    if len(context.rolled) < 2 or not _streamed(context) or any(constant_trips(loop) is not None for loop in inner):
        return None
    step = context.access.offset.coefficient(inner[0].counter) if context.access.offset is not None else None
    return "read_anew" if step is not None and step.constant == context.access.element_bytes else None


def _prefetching_rows(context: Context) -> Why | None:
    """Read in order by the work-items of each row of a range, outside loops."""
    if bare_global_id(context) != 0 or context.own_range or not context.read_only or not context.group.aligned:
        return None
    if context.rolled or context.loaded_condition or context.access.volatile:
        return None
    return "items_read_in_order"


def _prefetching_shifted(context: Context) -> Why | None:
    rest = bare_global_id(context)
    if rest is None or rest == 0 or not context.read_only or not context.group.aligned:
        return None
    if context.loaded_condition or context.access.volatile:
        return None
    return "read_from_offset"


LOAD_RULES = (
    Rule(
        "simple", _simple, "vendor reports, 16.1: 43 of 43 loads that no work-item id reaches",
        until=(16, 9, 9),
    ),
    Rule(
        "streaming", _streaming,
        "vendor reports: 10 of 13 unconditional a[gid] up to 17.1",
        families=OLDER_FAMILIES, until=(17, 1, 99),
        document="Best Practices Guide up to 16.x, LSU types",
    ),
    Rule(
        "streaming", _streaming_standard, "vendor reports 18.1 and 19.1: 4 of 4 unconditional a[gid]",
        families=STANDARD_FAMILIES, since=(18, 0, 0), until=(19, 1, 99),
    ),
    Rule(
        "semi-streaming", _semi_streaming_whole,
        "vendor reports 16.1, 17.1: indices bounded by type, mask or trips",
        families=("Stratix V", "Arria 10"), until=(17, 1, 99),
    ),
    Rule(
        "prefetching", _prefetching,
        "vendor reports: 19 of 20 such loads on Arria 10, Stratix V, Cyclone V, two of them in a choice (Cyclone V, "
        "16.1 and 18.1), none of 786 loads on Stratix 10; Cyclone V: the vendor's own filter in two repositories, "
        "burst-coalesced by 15.0, prefetched by 16.0",
        families=OLDER_FAMILIES, since=(16, 0, 0), until=(18, 9, 99),
        document="Best Practices Guide 3.6.1",
    ),
    Rule(
        "prefetching", _prefetching_open,
        "vendor reports, Arria 10: eleven of eleven such loads of 21.1; none of three loops of 19.4 whose trips are "
        "constants",
        families=OLDER_FAMILIES, since=(19, 0, 0),
        document="Best Practices Guide 3.6.1",
    ),
    Rule(
        "prefetching", _prefetching_nested,
        "vendor reports 16.1: images read row by row, a list walked anew for each message of a channel; 15.0 builds a "
        "plain unit for such an image (two builds), as for the vendor's filter",
        families=("Stratix V", "Arria 10"), since=(16, 0, 0), until=(16, 9, 9),
    ),
    Rule(
        "prefetching", _prefetching_rows, "vendor reports 21.1: five of five a[gid0] in ranges of two dimensions",
        families=("Arria 10",), since=(20, 0, 0),
    ),
    Rule(
        "prefetching", _prefetching_shifted, "vendor reports, Arria 10 from 20.x: every a[gid + c] of an NDRange",
        families=("Arria 10",), since=(20, 0, 0),
        document="compiler reports of SYCL designs, oneAPI 20.3",
    ),
)  # fmt: skip
