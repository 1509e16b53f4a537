"""What the attributes of a kernel make of it, and the numbers in them."""

from __future__ import annotations

import re

from burstline_model.facts import KernelModel
from burstline_server.source.conditions import BadConditionError, evaluate

MAX_VALUE = 1 << 63


def model_of(
    asked: dict[str, str], group: tuple[int, int, int] | None, *, uses_ids: bool, barriers: bool
) -> KernelModel:
    """A kernel that never asks for an id, has no barrier and asks for no lanes or groups is compiled as one work-item.

    From 17.1 on a group of more than one makes it an NDRange kernel (clang-tidy, altera-single-work-item-barrier).
    """
    if "autorun" in asked:
        return "autorun"
    if "task" in asked or asked.get("max_global_work_dim") == "0":
        return "single_work_item"
    lanes = asked.get("num_simd_work_items")
    # One lane for groups of one work-item is what every kernel has; a count that is not known is taken for several.
    several = lanes is not None and not (integer_text(lanes) == 1 and group == (1, 1, 1))
    several |= "reqd_work_group_size" in asked and group != (1, 1, 1)
    return "ndrange" if uses_ids or barriers or several else "single_work_item"


def integer_text(text: str) -> int:
    """A constant expression, such as ``(4*4)`` or ``1 << (9 > 6 ? 3 : 6)``; 0 for one with names or anything else."""
    if _NAME.search(text):
        return 0
    try:
        found = evaluate(text)
    except BadConditionError:
        return 0
    return found if 0 <= found < MAX_VALUE else 0


_NAME = re.compile(r"\b[A-Za-z_]")
