"""Atomic functions: the access that they are, and what they give back."""

from __future__ import annotations

import re

from tree_sitter import Node

from burstline_server.analysis.reader import Reader
from burstline_server.analysis.types import INT
from burstline_server.analysis.values import Value, combined

ATOMIC = re.compile(
    r"(?:atom|atomic)_(?:add|sub|inc|dec|min|max|and|or|xor|xchg|cmpxchg|"
    r"fetch_\w+|exchange|compare_exchange_\w+|store|load|init|flag_\w+)(?:_explicit)?"
)

_IDS = {"local_id", "global_id"}


def _comers(reader: Reader) -> frozenset[str]:
    """What differs between those who reach a place one by one: iterations and ids, or those of groups alone."""
    ids = {n for n in reader.symbols.asked if reader.symbols.kind(n) == "group_id" or not _is_for_one_item(reader)}
    return frozenset({reader.loops[n].counter for n in reader.open_loops} | ids)


def _is_for_one_item(reader: Reader) -> bool:
    """Whether one work-item of a group alone comes here: ``if (get_local_id(0) == 0)``."""
    waiting = [g.condition for g in reader.guards if g.condition is not None]
    while waiting:
        names = waiting.pop().symbols
        operation, operands = reader.symbols.operated(next(iter(names))) if len(names) == 1 else (None, ())
        if operation == "and":
            waiting += operands
        elif operation == "equal" and not _IDS.isdisjoint(reader.symbols.kind(n) for o in operands for n in o.symbols):
            return True
    return False


def atomic(reader: Reader, node: Node, name: str, values: list[Value], _nodes: list[Node]) -> Value:
    """Read one: whoever comes next gets another value."""
    if not values or values[0].pointer is None:
        return combined(INT, *values)
    element = values[0].type.element or INT
    operand = combined(element, *values[1:]) if len(values) > 1 else Value(INT)
    pointer = values[0].pointer
    number = reader.record("atomic", node, pointer, element, stored=operand, atomic=name)
    reader.hold(pointer, operand)
    loads = frozenset({number}) if number is not None else frozenset[int]()
    result = Value(element, symbols=operand.varies_with() | _comers(reader), loads=loads)
    if element.is_integer and not reader.silent:
        return result._replace(number=reader.symbols.unknown(name, result))
    return result
