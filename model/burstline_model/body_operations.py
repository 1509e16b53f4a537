"""What the body of a kernel computes, and what its loops carry from one iteration to the next."""

from burstline_model.record import Record, small


@small
class StepCount:
    """`count` operations of a kind ("float add", "int compare", "global load") inside `loops`, one after the other."""

    operation: str
    loops: tuple[int, ...]
    count: int


class Recurrence(Record):
    """Values that an iteration takes from `distance` iterations before, through the steps of the longest chain.

    `names` are the variables (or the private `array`) that carry it; `looked_up`: data choose the element, so the array
    stays in memory blocks; `registers`: the array is small enough to be kept in registers. `period`: iterations change
    elements in turn, each one again after so many (``a[i % 8] += …``); 1 where that is not known. `from_zero`: the
    variable is 0 before the loop; `observed`: each iteration stores its result. `one_way`: once
    these loops are unrolled, each element is a register of its own that is made of those on one side of it alone, so
    that nothing comes back to where it was; None where that is not so. `stays`: it is made of itself as well, once in
    all copies.
    """

    names: tuple[str, ...]
    steps: tuple[StepCount, ...]
    distance: int
    array: bool = False
    looked_up: bool = False
    registers: bool = False
    period: int = 1
    from_zero: bool = False
    observed: bool = False
    one_way: tuple[int, ...] | None = None
    stays: bool = False


@small
class Folded:
    """What is left of an operation where all of `loops` are fully unrolled, as elements of a table are constants then.

    `count` operations of the kind `operation` over all copies of these loops, none where all are wires.
    """

    loops: tuple[int, ...]
    operation: str
    count: int


@small
class Operations:
    """How often an operation is in a body, once per iteration of `loops` and work-item.

    `width_bits` is that of its operands. `copied_by` are the loops whose copies need one each: None is all of them and
    every SIMD lane; where the result is made of counters, ids and arguments, only loops that move it by more than a
    constant. Operations that are wires alone (a shift or a product by a power of two) are not counted. `folded` says
    what one of them reaches where its operands become constants.
    """

    loops: tuple[int, ...]
    operation: str
    count: int
    width_bits: int = 32
    copied_by: tuple[int, ...] | None = None
    folded: Folded | None = None
