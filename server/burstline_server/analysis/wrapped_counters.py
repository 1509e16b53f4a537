"""Counters that wrap, and what moves as they do, in whichever form: by the values that an iteration leaves.

``x = x + 1 == W ? 0 : x + 1``, with temporaries or by an if, leaves a choice between a start and a step. A choice by
the same condition between a variable and the same with a step (``y = x + 1 == W ? y + 1 : y``) moves once a row.
"""

from __future__ import annotations

from collections.abc import Mapping

from burstline_model.polynomial import ZERO, Polynomial, Turns
from burstline_model.record import fixed
from burstline_server.analysis.symbol_table import SymbolTable

ONE = Polynomial.number(1)
MAX_NESTED = 8
"""Most choices within each other that are followed."""
MANY = 1 << 40
"""The steps of a counter that never meets its end: more than a kernel makes."""


@fixed
class Move:
    """What an iteration does to a variable.

    It adds `step` where all of `when` hold, the outermost first. A counter starts over where `ends` holds as well,
    which is once in `period` steps, as far as that is known; `again` says that it has.
    """

    when: tuple[Polynomial, ...]
    step: Polynomial
    ends: Polynomial | None = None
    period: Polynomial | None = None
    again: Polynomial | None = None


class WrappedCounters:
    """The variables of one loop that wrap, or move as others wrap, by the symbol of their value in an iteration.

    `ends` has the value before the loop, where it is an integer, and the one after an iteration.
    """

    def __init__(
        self, symbols: SymbolTable, counter: str, ends: Mapping[str, tuple[Polynomial | None, Polynomial]]
    ) -> None:
        self._symbols = symbols
        self._moving = {counter, *ends}
        self._steps: dict[str, Polynomial] = {}
        self._starts = {name: start for name, (start, _) in ends.items()}
        self.moves: dict[str, Move] = {}
        peeled = {name: self._peeled(name, end) for name, (_, end) in ends.items()}
        for name, (when, end) in peeled.items():
            if (wrap := self._wrap(name, when, end, ends[name][0])) is not None:
                self.moves[name] = wrap
        for name, (when, end) in peeled.items():
            step = end - Polynomial.symbol(name)
            if name not in self.moves and when and self._stays(step):
                self.moves[name] = Move(when, step)

    def usual_step(self, name: str) -> Polynomial | None:
        """What most iterations add to a variable."""
        move = self.moves.get(name)
        if move is None or not self._steps:
            return None
        holds = [self._usually(condition) for condition in move.when]
        return ZERO if False in holds else move.step if all(holds) else None

    def turns(self, name: str) -> Turns | None:
        """The value of a variable in each iteration, where its start and all that it waits for are known."""
        move, start = self.moves[name], self._starts[name]
        every = self._every(move)
        if every is None or start is None or (move.ends is not None and move.period is None):
            return None
        if not (self._stays(start) and self._stays(move.step)):
            return None
        return Turns(start=start, step=move.step, every=every, period=move.period)

    def iterations_for(self, name: str) -> Polynomial | None:
        """After how many iterations a variable that starts nowhere over moves."""
        move = self.moves.get(name)
        return self._every(move) if move is not None and move.ends is None and move.when else None

    def _every(self, move: Move) -> Polynomial | None:
        """The iterations from one move to the next."""
        every = ONE
        for place, condition in enumerate(move.when):
            period = next(
                (
                    m.period
                    for m in self.moves.values()
                    if condition in {m.ends, m.again} and m.when == move.when[:place]
                ),
                None,
            )
            if period is None:
                return None
            every = every * period
        return every

    def _choice(self, number: Polynomial) -> tuple[Polynomial, Polynomial, Polynomial] | None:
        """The condition and the two arms of a number that is a choice."""
        operation, operands = self._operation(number)
        return (operands[0], operands[1], operands[2]) if operation == "select" else None

    def _operation(self, number: Polynomial) -> tuple[str | None, tuple[Polynomial, ...]]:
        """The operation that a number is the result of, and its operands."""
        if len(number.terms) != 1 or number.terms[0][1] != 1 or len(number.terms[0][0]) != 1:
            return None, ()
        return self._symbols.operated(number.terms[0][0][0])

    def _peeled(self, name: str, end: Polynomial) -> tuple[tuple[Polynomial, ...], Polynomial]:
        """The conditions without which a variable stays as it is, and its value where they hold."""
        own, when = Polynomial.symbol(name), list[Polynomial]()
        for _ in range(MAX_NESTED):
            choice = self._choice(end)
            if choice is None or own not in choice[1:]:
                break
            condition, then, otherwise = choice
            when.append(condition if otherwise == own else ONE - condition)
            end = then if otherwise == own else otherwise
        if not when and self._operation(end - own)[0] in {"equal", "less"}:  # ``y += x == 0``
            return (end - own,), own + ONE
        return tuple(when), end

    def _wrap(
        self, name: str, when: tuple[Polynomial, ...], end: Polynomial, start: Polynomial | None
    ) -> Move | None:  # fmt: skip
        """The move of a counter that starts over."""
        choice = self._choice(end)
        if choice is None:
            return self._masked(name, when, end, start)
        condition, *arms = choice
        for place, arm in enumerate(arms):
            step = arm - Polynomial.symbol(name)
            first = arms[1 - place]
            if not step.terms or not (self._stays(step) and self._stays(first)):
                continue
            self._steps[name] = step
            stops = ONE - condition if place == 0 else condition
            if self._usually(stops) is False:
                period = self._period(name, step, first, start, stops)
                again = self._symbols.operation("equal", (end, first)) if start == first else None
                return Move(when, step, stops, period, again)
            del self._steps[name]
        return None

    def _masked(
        self, name: str, when: tuple[Polynomial, ...], end: Polynomial, start: Polynomial | None
    ) -> Move | None:  # fmt: skip
        """The move of a counter from 0 that a mask of ones, or a remainder, sets back to 0."""
        operation, operands = self._operation(end)
        if operation not in {"and", "remainder"} or start != ZERO:
            return None
        step = (operands[0] - Polynomial.symbol(name)).constant
        by = operands[1] + (ONE if operation == "and" else ZERO)
        size = by.constant
        if not step or step < 0 or (operation == "and" and (size is None or size < 1 or size & (size - 1))):
            return None
        if step != 1 and (size is None or size % step):
            return None
        period = by if size is None else Polynomial.number(size // step)
        if size is None and not self._stays(by):
            return None
        self._steps[name] = Polynomial.number(step)
        return Move(when, self._steps[name], self._symbols.operation("equal", (end, ZERO)), period)

    def _stays(self, number: Polynomial) -> bool:
        """Whether no iteration changes a number."""
        return self._moving.isdisjoint(self._symbols.closure(number.symbols))

    def _usually(self, condition: Polynomial) -> bool | None:
        """Whether a condition holds in most iterations: a counter that is compared with its end does not meet it."""
        compared = self._compared(condition)
        if compared is None:
            return None
        operation, gap, negated = compared
        names = [name for name in self._steps if name in gap.symbols]
        slope = gap.coefficient(names[0]) if len(names) == 1 else None
        by = slope.constant if slope is not None else None
        if not by or not self._stays(gap.without(names)):
            return None
        step = self._steps[names[0]].constant
        if operation == "less" and step is None:
            return None
        return (operation == "less" and by * (step or 0) > 0) != negated

    def _compared(self, condition: Polynomial) -> tuple[str, Polynomial, bool] | None:
        """A comparison, by how much its left side is more than its right, and whether it is negated."""
        for number, negated in ((condition, False), (ONE - condition, True)):
            operation, operands = self._operation(number)
            if operation in {"less", "equal"}:
                return operation, self._usual(operands[0]) - self._usual(operands[1]), negated
        return None

    def _usual(self, number: Polynomial) -> Polynomial:
        """A number in most iterations: that arm of a choice which is taken then."""
        for _ in range(MAX_NESTED):
            choice = self._choice(number)
            holds = self._usually(choice[0]) if choice is not None else None
            if choice is None or holds is None:
                break
            number = choice[1] if holds else choice[2]
        return number

    def _period(
        self, name: str, step: Polynomial, first: Polynomial, start: Polynomial | None, stops: Polynomial
    ) -> Polynomial | None:  # fmt: skip
        """In how many steps a counter that starts at what it is set back to reaches its end.

        By steps that the host gives it meets its end, or never does.
        """
        compared = self._compared(stops)
        slope = compared[1].coefficient(name) if compared is not None else None
        if start != first or compared is None or slope is None or slope.constant is None:
            return None
        operation, gap, _ = compared
        at_first = gap.without([name]) + slope * first
        if step.constant is None:
            return self._met(-at_first, step.scaled(slope.constant)) if operation == "equal" else None
        rise = slope.constant * step.constant
        if rise < 0:
            at_first = -at_first - (Polynomial.number(1) if operation == "less" else ZERO)
        # The gap reaches zero, or passes it, after this many steps.
        left, each = -at_first, abs(rise)
        if each == 1:
            return left + ONE
        if left.constant is not None:
            return Polynomial.number(-(-left.constant // each) + 1)
        whole = left + Polynomial.number(each - 1)
        return self._symbols.operation("quotient", (whole, Polynomial.number(each))) + ONE

    def _met(self, left: Polynomial, each: Polynomial) -> Polynomial:
        """In how many steps of a size what is left to an end becomes zero, which only whole steps do."""
        operation = self._symbols.operation
        by = each + operation("equal", (each, ZERO))  # nothing is divided by zero
        times = operation("quotient", (left, by))
        whole = operation("equal", (left - times * each, ZERO))
        met = operation("and", (whole, ONE - operation("less", (times, ZERO))))
        return operation("select", (met, times + ONE, Polynomial.number(MANY)))
