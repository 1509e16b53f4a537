"""Stores that stream, or that wait for an acknowledgement."""

from math import gcd

from burstline_model.compiler.context import Context
from burstline_model.compiler.lsu_rules.loads import bare_global_id
from burstline_model.compiler.lsu_rules.rule import OLDER_FAMILIES, Rule
from burstline_model.compiler.rule_names import ITEMS_INTERLEAVE
from burstline_model.facts import Access
from burstline_model.lsu import MayAlias, Why
from burstline_model.parallelism.alias import distance, exclusive
from burstline_model.target import STANDARD_FAMILIES


def _streaming_store(context: Context) -> Why | None:
    if bare_global_id(context) != 0 or not context.group.aligned:
        return None
    if context.conditions or context.rolled or context.access.volatile:
        return None
    return "items_write_in_order"


def _streaming_store_standard(context: Context) -> Why | None:
    """The same by every work-item: none may return before (amithyst/LeNet5_OpenCL_FPGA, 18.1)."""
    return None if context.access.guards else _streaming_store(context)


STORE_RULES = (
    Rule(
        "streaming", _streaming_store, "vendor reports up to 17.1: 19 unconditional a[gid] stores",
        families=OLDER_FAMILIES, until=(17, 1, 99),
        document="Best Practices Guide up to 16.x, LSU types",
    ),
    Rule(
        "streaming", _streaming_store_standard,
        "vendor reports 18.1 and 19.1: 3 of 3 unconditional a[gid] stores",
        families=STANDARD_FAMILIES, since=(18, 0, 0), until=(19, 1, 99),
    ),
)  # fmt: skip


def _depends(context: Context, other: Access) -> bool:
    """Whether `other`, whose address only lies apart, may touch later what this store wrote."""
    access = context.access
    gap = distance(access, other)
    constant = gap.constant if gap is not None else None
    if constant is None:
        return True
    size = max(access.element_bytes, 1)
    same = abs(constant) < max(size, other.element_bytes, 1)
    ordered = context.single_work_item or ITEMS_INTERLEAVE not in context.switches
    shared = context.carrying if ordered else ()
    if not shared:
        return same
    if not same and _never_meet(context, other, constant):
        return False
    # In a common loop the two meet unless the address moves on in it, always the same way.
    inner = shared[-1]
    step = access.offset.coefficient(inner.counter) if access.offset is not None else None
    moving = step.constant if step is not None else None
    if same and moving:
        return other.id > access.id or (len(shared) > 1 and any(
            loop.counter not in context.symbols or not _fixed_step(context, loop.counter) for loop in shared
        ))  # fmt: skip
    return True


def _fixed_step(context: Context, counter: str) -> bool:
    """Whether an iteration moves the address by a number that the text gives: rows of a run-time pitch may overlap."""
    step = context.access.offset.coefficient(counter) if context.access.offset is not None else None
    return step is not None and step.constant is not None


def _never_meet(context: Context, other: Access, gap: int) -> bool:
    """Whether two accesses so many bytes apart stay off each other by what divides every step they make."""
    steps = [c for monomial, c in context.access.offset.terms if monomial] if context.access.offset is not None else []
    step = gcd(*steps)
    return bool(steps) and context.access.element_bytes <= gap % step <= step - other.element_bytes


def _acknowledged(context: Context) -> Why | None:
    """A store waits when an access after it, or in a later iteration of one work-item, may depend on it.

    Where work-items interleave their iterations, later iterations do not count.
    """
    access, members = context.access, {m.id for m in context.group.members}
    ordered = context.single_work_item or ITEMS_INTERLEAVE not in context.switches
    other = context.order.first_dependent(
        access,
        around=context.rolled[0].id if context.rolled and ordered else None,
        meets=lambda a: _depends(context, a),
        may_follow=lambda a: a.id not in members and not exclusive(access, a),
        moving=bool(context.carrying),
    )
    if other is None:
        return None
    within = other.pointer == access.pointer and not context.rolled
    return MayAlias(op="load" if other.op == "load" else "store", place=other.place, within=within)


WRITE_ACK_RULES = (
    Rule(
        "write-ack", _acknowledged,
        "vendor reports: 47 stores in 17.1 to 18.1, 0 of 550 from 19.3 on; Cyclone V, 18.0 and 18.1: six in three "
        "repositories",
        families=("Cyclone V", "Stratix V", "Arria 10", "Stratix 10", "Agilex"), since=(17, 0, 0), until=(18, 1, 99),
        document="Best Practices Guide 3.6.2",
    ),
)  # fmt: skip
