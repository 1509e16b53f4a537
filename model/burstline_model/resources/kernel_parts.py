"""A kernel's parts, from its facts and load/store units."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from burstline_model.devices.cost import Cost
from burstline_model.devices.cost_tables import CostTable, Device, Fabric, Row, cost_table
from burstline_model.devices.resource_use import Amounts, Array, Part, Piece, ResourceUse, Units
from burstline_model.facts import KernelFacts
from burstline_model.lsu import Lsu
from burstline_model.parallelism.loop_copies import fully_unrolled
from burstline_model.resources.memories import array_cost, built_bits, in_registers, is_folded, is_number
from burstline_model.resources.operations import Body, bodies
from burstline_model.resources.unit_parts import unit_cost
from burstline_model.target import Target

if TYPE_CHECKING:
    from burstline_model.boards.board import Board


def resources_of(
    facts: KernelFacts, lsus: Sequence[Lsu], copies: Mapping[int, int], target: Target, board: Board | None = None
) -> ResourceUse:
    """What a kernel takes of the board's device, else of the family's usual one.

    `copies` are the copies of each loop's body. Arrays of unknown length take nothing; their part has no size.
    """
    table = cost_table(target.family)
    levels = bodies(facts, copies, table)
    parts = (
        *_arithmetic(levels, table),
        *_units(facts, lsus, copies, table),
        *_arrays(facts, copies, table),
        *_fabric(facts, fabric_counts(facts, lsus, copies, levels, table), table),
    )
    unit = Amounts()
    for part in parts:
        unit = unit.plus(part.amounts)
    own = board is not None and board.resources is not None and board.compiler.family == target.family
    device = board.resources if own and board is not None and board.resources is not None else table.device
    return ResourceUse(
        unit=unit,
        compute_units=facts.compute_units,
        shell=shell_of(device),
        device=Amounts(logic_alms=device.alms, registers=device.registers, rams=device.rams, dsps=device.dsps),
        parts=parts,
        errors=table.errors,
    )


def shell_of(device: Device) -> Amounts:
    """What the board's own logic takes."""
    return Amounts(
        logic_alms=device.shell_alms, registers=device.shell_registers, rams=device.shell_rams, dsps=device.shell_dsps
    )


def placed(cost: Cost, fabric: Fabric) -> Amounts:
    """A piece as reports list it, as place and route leaves it."""
    return Amounts(
        logic_alms=cost.aluts * fabric.alms_per_alut,
        registers=cost.registers * fabric.registers_per_register,
        rams=cost.rams,
        dsps=cost.dsps,
    )


def _arithmetic(levels: Sequence[Body], table: CostTable) -> list[Part]:
    return [Part(of=b.arithmetic, amounts=placed(b.cost, table.fabric), loop=b.loop) for b in levels]


def _units(facts: KernelFacts, lsus: Sequence[Lsu], copies: Mapping[int, int], table: CostTable) -> list[Part]:
    found = []
    for lsu in lsus:
        access = facts.accesses[lsu.members[0]]
        if is_number(facts, access, copies):
            continue
        cost, cache_bits = unit_cost(lsu, table)
        units = Units(
            style=lsu.style, op=lsu.op, pointer=access.pointer, count=lsu.count, width_bits=lsu.width_bits,
            cache_bits=cache_bits,
        )  # fmt: skip
        found.append(Part(of=units, amounts=placed(cost, table.fabric), access=access.id))
    return found


def _arrays(facts: KernelFacts, copies: Mapping[int, int], table: CostTable) -> list[Part]:
    found = []
    for array in facts.arrays:
        if is_folded(array, facts, copies):
            continue
        cost, size = array_cost(array, facts, copies, table)
        of = Array(space=array.space, name=array.name, size=size)
        found.append(Part(of=of, amounts=placed(cost, table.fabric), array=array.name))
    return found


def _fabric(facts: KernelFacts, counts: Mapping[str, float], table: CostTable) -> list[Part]:
    """Control, registers between operations, and the ways to memory and to other kernels."""
    found = []
    # Reports 17.1.1, 19.2 and 19.4: none of twelve kernels with max_global_work_dim(0) has such a row, while all four
    # plain kernels of the same repositories have it.
    if facts.model != "autorun" and not facts.without_ids:
        amounts = placed(Cost(*table.fabric.dispatch), table.fabric)
        found.append(Part(of="dispatch", amounts=amounts))
    for piece, names in _FABRIC:
        amounts = Amounts()
        for name in names:
            amounts = amounts.plus(_row(getattr(table.fabric, name)), counts[name])
        if any(counts[name] for name in names):
            found.append(Part(of=piece, amounts=amounts))
    return found


_FABRIC: tuple[tuple[Piece, tuple[str, ...]], ...] = (
    ("pipeline", ("loop_bit", "item_bit", "unit_bit", "item_array_bit")),
    ("loop_control", ("loop",)),
    ("channels", ("channel_bit",)),
    ("interconnect", ("interconnect",)),
)


def _row(row: Row) -> Amounts:
    alms, registers, rams = (*row, 0.0, 0.0)[:3]
    return Amounts(logic_alms=alms, registers=registers, rams=rams)


def fabric_counts(
    facts: KernelFacts, lsus: Sequence[Lsu], copies: Mapping[int, int], levels: Sequence[Body], table: CostTable
) -> dict[str, float]:
    """How often each row of the fabric is taken by one compute unit."""
    bits = sum(level.bits for level in levels)
    held = sum(built_bits(a, facts, copies) for a in facts.arrays if in_registers(a, facts, copies, table))
    many = facts.model == "ndrange"
    return {
        "loop": float(sum(not fully_unrolled(loop, copies) for loop in facts.loops)),
        "loop_bit": 0.0 if many else bits + held,
        "item_bit": bits if many else 0.0,
        "item_array_bit": float(held) if many else 0.0,
        "unit_bit": float(sum(lsu.width_bits * lsu.count for lsu in lsus)),
        "channel_bit": float(sum(c.width_bits for c in facts.channels)),
        "interconnect": float(sum(lsu.count for lsu in lsus if lsu.space == "global")),
    }
