"""Loads that get a private cache: read-only data that the compiler cannot prove to be walked just once."""

from burstline_model.compiler.context import Context
from burstline_model.compiler.lsu_rules.rule import Rule
from burstline_model.compiler.rule_names import BARE_HELPERS
from burstline_model.lsu import Nested, ReadAgain, Why
from burstline_model.parallelism.loop_copies import constant_trips, fully_unrolled


def _allowed(context: Context) -> bool:
    return context.read_only and not context.access.volatile and context.access.hint is None


def _nested(context: Context) -> Why | None:
    if not _allowed(context) or not context.single_work_item or len(context.rolled) < 2:
        return None
    if not context.restrict:
        return None
    return Nested(loops=tuple(loop.variable or "" for loop in context.rolled[-2:]))


def _nested_early(context: Context) -> Why | None:
    """Nested loops around a load in the kernel's own body; what a helper is handed may not be known to be restrict."""
    return None if context.access.call_chain and BARE_HELPERS in context.switches else _nested(context)


def _nested_unordered(context: Context) -> Why | None:
    """Nested loops whose innermost one reads at no fixed step: clamped indices, or strides of the run."""
    offset = context.access.offset
    if offset is None or context.conditions or not context.rolled or not _known_when_built(context):
        return None
    step = offset.coefficient(context.rolled[-1].counter)
    return None if step is not None and step.constant else _nested(context)


def _known_when_built(context: Context) -> bool:
    """Whether counters and arguments decide the address; what an unrolled loop carries is known in each copy."""
    for symbol in (context.facts.symbols.get(name) for name in context.symbols):
        if symbol is None or symbol.kind == "loaded":
            return False
        if symbol.kind == "carried":
            loop = context.facts.loops[symbol.loop] if symbol.loop is not None else None
            if loop is None or not fully_unrolled(loop, context.copies):
                return False
    return True


def _nested_again(context: Context) -> Why | None:
    """The innermost loop reads again as well where a condition keeps the load in it: else it is made in front."""
    around = context.rolled if _kept_inside(context) else context.rolled[:-1]
    again = [loop for loop in around if loop.counter not in context.symbols]
    if not again or not _fixed_strides(context) or _nested(context) is None:
        return None
    return ReadAgain(loop=again[-1].variable or "")


def _kept_inside(context: Context) -> bool:
    """Whether a condition that the innermost loop decides keeps a load in it."""
    inner = context.rolled[-1:]
    return any(loop.counter in guard.depends_on for guard in context.conditions for loop in inner)


def _nested_gathered(context: Context) -> Why | None:
    return "address_from_memory" if context.gathered and _nested(context) is not None else None


def _fixed_strides(context: Context) -> bool:
    """Whether counters alone move the address, each by a number of bytes that the text fixes."""
    offset, counters = context.access.offset, {loop.counter for loop in context.rolled}
    return offset is not None and all(len(m) <= 1 and counters.issuperset(m) for m, _ in offset.terms)


def _irregular_loop(context: Context) -> Why | None:
    if not _allowed(context) or not context.single_work_item or len(context.rolled) != 1:
        return None
    if not (context.indirect or context.rolled[-1].counter not in context.symbols):
        return None
    if context.stores_elsewhere and not context.restrict:
        return None
    return "no_fixed_step"


def _again_in_loop(context: Context) -> Why | None:
    """Read anew, at the same places, by every iteration of the only loop that stays one."""
    if not _allowed(context) or not context.single_work_item or len(context.rolled) != 1 or not context.restrict:
        return None
    loop = context.rolled[0]
    if loop.counter in context.symbols or context.indirect or context.conditions:
        return None
    return ReadAgain(loop=loop.variable or "")


def _gathered(context: Context) -> Why | None:
    if not _allowed(context) or not context.single_work_item or not context.rolled or context.stores_elsewhere:
        return None
    if context.reads_constants:
        return None
    if context.gathered:
        return "address_from_memory"
    if context.indirect:
        return None
    step = context.access.offset.coefficient(context.rolled[-1].counter) if context.access.offset else None
    again = any(loop.counter not in context.symbols for loop in context.rolled[:-1])
    if step is not None and step.constant and again:
        return "read_again_with_gaps"
    return None


def _items_in_loop(context: Context) -> Why | None:
    if not _allowed(context) or context.single_work_item or not context.counters or context.indirect:
        return None
    return "range_of_items"


def _shared_in_loop(context: Context) -> Why | None:
    return _items_in_loop(context) if _is_copy(context) or not context.own_range else None


def _shared_in_loop_early(context: Context) -> Why | None:
    """The same by early compilers, where the text leaves the trips open and the kernel has no channel."""
    if context.facts.channels or all(constant_trips(loop) is not None for loop in context.rolled):
        return None
    return _shared_in_loop(context)


def _is_copy(context: Context) -> bool:
    return [loop.kind for loop in context.rolled[-1:]] == ["copy"]


def _items_gathered(context: Context) -> Why | None:
    if not _allowed(context) or context.single_work_item or not context.indirect:
        return None
    return "address_from_memory"


def _items_decided(context: Context) -> Why | None:
    if not _allowed(context) or context.single_work_item or not context.loaded_condition:
        return None
    return "memory_decides"


def _items_irregular(context: Context) -> Why | None:
    if not _allowed(context) or context.single_work_item:
        return None
    if context.kinds & {"local_id", "group_id"}:
        return "local_or_group_ids"
    return None


def _items_of_a_group(context: Context) -> Why | None:
    if not _allowed(context) or context.single_work_item:
        return None
    if _is_copy(context):
        return "copied_by_group"
    if context.rolled:
        return None
    if context.indirect:
        return "address_from_memory"
    if "group_id" in context.kinds and not context.kinds & {"local_id", "global_id"}:
        return "same_for_group"
    return None


CACHE_RULES = (
    Rule(
        "cached: nested loops", _nested_unordered,
        "vendor reports 16.1: windows with clamped indices, strides given at run time, the loaded pointer restrict",
        families=("Stratix V", "Arria 10"), since=(16, 0, 0), until=(16, 9, 9),
        document="Best Practices Guide 3.6.2",
    ),
    Rule(
        "cached: nested loops", _nested_early,
        "vendor reports, 17.0 and 17.1: 13 of 13 loads of three repositories whose loaded pointer is restrict, 0 of 3 "
        "without (one kernel compiled both ways)",
        families=("Stratix V", "Arria 10"), since=(17, 0, 0), until=(17, 1, 99),
    ),
    Rule(
        "cached: nested loops", _nested,
        "vendor reports, 18.1 and 19.2: every load in two or more rolled loops with the loaded pointer restrict, 0 of "
        "14 without; 0 of 44 in one loop on Stratix 10",
        families=("Stratix V", "Arria 10", "Stratix 10", "Agilex"), since=(18, 0, 0), until=(19, 2, 99),
    ),
    Rule(
        "cached: nested loops", _nested_again,
        "vendor reports from 19.3 on: of generated kernels 8 of 177 loads, all read again by an outer loop at constant "
        "strides; 5 of 5 of hand-written ones (20.2)",
        families=("Stratix V", "Arria 10", "Stratix 10", "Agilex"), since=(19, 3, 0),
    ),
    Rule(
        "cached: gathered", _nested_gathered,
        "vendor reports 19.4: four of four loads in nested loops at places that memory names, the loaded pointer "
        "restrict; every such load up to 19.2",
        families=("Stratix V", "Arria 10", "Stratix 10", "Agilex"), since=(19, 3, 0),
        document="Best Practices Guide 3.6.2",
    ),
    Rule(
        "cached: irregular loop", _irregular_loop, "vendor reports: 2 of 2 on Arria 10 and Stratix V",
        families=("Stratix V", "Arria 10"), since=(17, 0, 0),
        document="Best Practices Guide 3.6.2",
    ),
    Rule(
        "cached: irregular loop", _again_in_loop,
        "vendor reports 20.2: ten of ten tables that every iteration of a loop reads anew as a whole",
        families=("Stratix 10", "Agilex"), since=(19, 3, 0),
        document="Best Practices Guide 3.6.2",
    ),
    Rule(
        "cached: gathered", _gathered,
        "vendor reports 16.1: tables read through values from memory or with gaps inside an endless loop; none in "
        "kernels with a __constant argument",
        families=("Stratix V", "Arria 10"), until=(17, 1, 99), document="Best Practices Guide 3.6.2",
    ),
    Rule(
        "cached: work-items in a loop", _shared_in_loop,
        "vendor reports: tile loads of an NDRange matrix product, 10 of 10, both loads of another (Arria 10, 19.4), "
        "those of convolutions (Arria 10, 21.1; Cyclone V, 18.0 to 19.1: 31 of 33 in six repositories, with dense "
        "layers and products); a range of the work-item's own, 0 of 1 and 0 of 4",
        families=("Cyclone V", "Arria 10", "Stratix 10", "Agilex"), since=(18, 0, 0),
        document="Best Practices Guide 3.6.2",
    ),
    Rule(
        "cached: work-items in a loop", _shared_in_loop_early,
        "generated Verilog 15.1 and vendor reports 16.1: both loads of a matrix product, the vector of another in four "
        "builds, not its rows; on Stratix V one repository alone shows it (three of four loads of a filter, 15.0); "
        "none of four where channels are in the kernel and all trips are constants",
        families=("Cyclone V",), since=(15, 0, 0), until=(16, 9, 9),
    ),
    Rule(
        "cached: irregular work-items", _items_gathered, "vendor reports 17.1, 19.4, 20.4: every read-only gather",
        families=("Arria 10",), since=(17, 0, 0), document="Best Practices Guide 3.6.2",
    ),
    Rule(
        "cached: irregular work-items", _items_decided, "vendor reports 19.4, 20.4: read-only loads of NDRange kernels "
        "that loaded conditions decide on",
        families=("Arria 10",), since=(18, 0, 0), document="Best Practices Guide 3.6.2",
    ),
    Rule(
        "cached: irregular work-items", _items_irregular, "vendor reports 19.4, 20.4: 37 of 37 read-only loads",
        families=("Arria 10",), since=(18, 0, 0),
    ),
    Rule(
        "cached: work-items of a group", _items_of_a_group,
        "vendor reports 16.1: loads outside loops by a group id or a value from memory, 5 of 7; those of "
        "async_work_group_copy, 5 of 5",
        families=("Stratix V", "Arria 10"), since=(16, 0, 0), until=(17, 1, 99),
    ),
)  # fmt: skip
