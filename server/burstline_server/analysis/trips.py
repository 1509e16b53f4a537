"""How often a loop's body runs: its bound over the step of its counter, or counted trip by trip."""

from __future__ import annotations

from dataclasses import dataclass, replace

from tree_sitter import Node

from burstline_model.facts import Unknown
from burstline_model.polynomial import Polynomial
from burstline_server.analysis.frames import Variable
from burstline_server.analysis.integers import quotient
from burstline_server.analysis.nodes import identifiers, one_line
from burstline_server.analysis.reader import Reader
from burstline_server.analysis.values import Value

NEVER = 1 << 62
"""More trips than any loop makes."""
MAX_SIMULATED_TRIPS = 4096
"""Most trips counted one by one, for loops whose counter is multiplied or shifted."""


@dataclass(slots=True)
class Changing:
    """A variable that changes from trip to trip: by `step` each time, or (None) in another way."""

    variable: Variable
    start: Value
    step: Polynomial | None
    carried: str
    most: int = 0
    """What the text of an iteration adds to it at most, where it only grows by numbers; 0 elsewhere."""


@dataclass(slots=True)
class Trip:
    """How often the body runs; `early` when something else than the counter may end it sooner.

    `limits`: other counts that end it where they are known and smaller. `exact`: it ends at one value of the counter
    alone, after `reached` trips if it comes there; None where it does not, or nobody knows.
    """

    count: Polynomial | None
    why: Unknown | None = None
    early: bool = False
    limits: tuple[Polynomial, ...] = ()
    exact: bool = False
    reached: Polynomial | None = None

    def and_at_most(self, other: Trip) -> Trip:
        """The same loop, which may also end by another count."""
        if self.count is None:
            return Trip(other.count, other.why if other.count is not None else self.why, True, other.limits)
        if self.exact and not other.exact and other.count is not None:
            return other.and_at_most(self)
        end = other.reached if other.exact else other.count
        limits = (*self.limits, *([end] if end is not None else []), *other.limits)
        return Trip(self.count, self.why, True, limits)

    def once_more(self) -> Trip:
        """The same loop, the body of which begins before its end is asked for."""
        one = Polynomial.number(1)
        count, reached = (n + one if n is not None else None for n in (self.count, self.reached))
        return replace(self, count=count, reached=reached, limits=tuple(n + one for n in self.limits))


def trips_of(
    reader: Reader, condition: Node, counter: str, changing: dict[str, Changing], *, ends: bool = False
) -> Trip:
    """Read the condition (its loads belong to the loop), count the trips until it fails; `ends`: until it holds."""
    while condition.type == "parenthesized_expression" and condition.named_children:
        condition = condition.named_children[-1]
    operator = condition.child_by_field_name("operator")
    sign = operator.type if operator is not None else ""
    inner = condition.child_by_field_name("argument")
    if condition.type == "unary_expression" and sign == "!" and ends and inner is not None:
        return trips_of(reader, inner, counter, changing)
    sign = _OPPOSITE.get(sign, "") if ends else sign
    left, right = condition.child_by_field_name("left"), condition.child_by_field_name("right")
    if sign == "&&" and left is not None and right is not None:
        first, second = (trips_of(reader, side, counter, changing, ends=ends) for side in (left, right))
        return first.and_at_most(second)
    if sign not in _BOUNDS or left is None or right is None:
        value = reader.evaluate(condition)
        known = value.number.constant if value.number is not None and not ends else None
        if known is not None and known != 0:
            return Trip(None, Unknown(kind="endless"))
        if known == 0:
            return Trip(Polynomial())
        if not ends and value.number is not None and (counted := _counting_down(value.number, counter)) is not None:
            return Trip(counted)
        why = _why_unknown(reader, value.number) if value.number is not None else None
        return Trip(None, why or Unknown(kind="no_bound", names=(one_line(condition),)))
    begin, end = _compared(reader.evaluate(left), reader.evaluate(right))
    if begin is None or end is None:
        return Trip(None, Unknown(kind="no_integers", names=(one_line(condition),)))
    room = end - begin if sign in {"<", "<=", "!="} else begin - end
    if sign in {"<=", ">="}:
        room = room + Polynomial.number(1)
    trip = _count(reader, room, counter, changing, one_line(condition), exact=sign == "!=")
    return trip if sign != "!=" else replace(trip, exact=True, reached=_reached(reader, room, counter))


def _reached(reader: Reader, room: Polynomial, counter: str) -> Polynomial | None:
    """After how many trips a counter reaches the one value that ends a loop; very many where it is behind that."""
    step, rest = room.coefficient(counter), room.without([counter])
    size = -step.constant if step is not None and step.constant is not None else 0
    if size < 0:
        rest, size = -rest, -size
    if size and rest.constant is not None:
        trips, over = divmod(rest.constant, size)
        return Polynomial.number(trips) if trips >= 0 and not over else None
    if size != 1:
        return None  # whether it steps over the value is not known
    behind = reader.symbols.operation("less", (rest, Polynomial()))
    return reader.symbols.operation("select", (behind, Polynomial.number(NEVER), rest))


def _compared(left: Value, right: Value) -> tuple[Polynomial | None, Polynomial | None]:
    """The numbers of both sides of a comparison: of pointers into one buffer, the bytes from its start."""
    a, b = left.pointer, right.pointer
    if a is not None and b is not None and a.root == b.root:
        return a.offset, b.offset
    return left.number, right.number


_OPPOSITE = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "||": "&&"}
_BOUNDS = {"<", "<=", ">", ">=", "!="}


def _counting_down(number: Polynomial, counter: str) -> Polynomial | None:
    """``while (n--)``: the condition is the counter itself, falling to zero by one."""
    step = number.coefficient(counter)
    if step is None or step.constant != -1:
        return None
    return number.without([counter])


def _count(
    reader: Reader, room: Polynomial, counter: str, changing: dict[str, Changing], text: str, *, exact: bool
) -> Trip:
    """Trips while ``room > 0``: its value at the start over what one trip takes off."""
    step = room.coefficient(counter)
    if step is None or not step.terms:
        return Trip(None, _why_unknown(reader, room) or Unknown(kind="no_fixed_step", names=(text,)))
    rest = room.without([counter])
    own = {c.carried for c in changing.values() if c.carried}
    if reader.symbols.closure(rest.symbols) & own:
        return Trip(None, Unknown(kind="bound_changes", names=(text,)))
    step = -step
    size = step.constant
    if size is None:
        if rest.constant is None or exact:
            up = rest + step - Polynomial.number(1)
            if rest == step:
                return Trip(Polynomial.number(1))  # one step reaches the end
            return Trip(reader.symbols.operation("quotient", (up, step)))
        return Trip(None, Unknown(kind="step_no_number", names=(text,)))
    if size < 0 and exact:
        rest, size = -rest, -size
    if size <= 0:
        return Trip(None, Unknown(kind="never_false", names=(text,)))
    if rest.constant is not None:
        return Trip(Polynomial.number(max(0, -(-rest.constant // size))))
    if size == 1:
        return Trip(rest, _why_unknown(reader, rest))
    exact_division = all(c % size == 0 for _, c in rest.terms)
    up = rest if exact_division else rest + Polynomial.number(size - 1)
    return Trip(quotient(reader, up, size), _why_unknown(reader, rest))


def _why_unknown(reader: Reader, bound: Polynomial) -> Unknown | None:
    """That data decide a bound: loaded values in it, or in the operations and choices that it comes from."""
    direct = sorted(s for s in bound.symbols if reader.symbols.kind(s) == "loaded")
    loaded = direct or sorted(s for s in reader.symbols.closure(bound.symbols) if reader.symbols.kind(s) == "loaded")
    return Unknown(kind="read_from_memory", names=tuple(loaded)) if loaded else None


def updated_in(reader: Reader, loop: Node) -> tuple[Node | None, str]:
    """The one statement of a while loop's body that changes what its condition tests, and that variable's name."""
    condition, body = (loop.child_by_field_name(k) for k in ("condition", "body"))
    if condition is None or body is None:
        return None, ""
    names = [a.name for a in reader.assignments.from_outside(body)]
    tested = {name for name in identifiers(condition) if names.count(name) == 1}
    for statement in body.named_children:
        update = next(iter(statement.named_children), None) if statement.type == "expression_statement" else None
        if update is not None and update.type == "assignment_expression":
            left = update.child_by_field_name("left")
            if left is not None and one_line(left) in tested:
                return update, one_line(left)
    return None, ""


def multiplied(reader: Reader, loop: Node, update: Node | None, name: str) -> Polynomial | None:
    """Trips of a loop whose counter an update multiplies, divides or shifts by a constant, once in each."""
    condition, body = (loop.child_by_field_name(k) for k in ("condition", "body"))
    variable = reader.find(name) if name else None
    if condition is None or update is None or variable is None or variable.value is None:
        return None
    start = variable.value.number
    if update.type != "assignment_expression" or start is None or not reader.assignments.names(update) <= {name}:
        return None
    changed = reader.assignments.names(body) if body is not None else frozenset[str]()
    if body is not None and body.start_byte <= update.start_byte < body.end_byte:
        changed -= {name}
    if changed & (identifiers(condition) | identifiers(update) | {name}):
        return None
    if start.constant is not None and (trips := _simulated(reader, condition, update, name)) is not None:
        return Polynomial.number(trips)
    return _geometric(reader, condition, update, name, start)


def powers(reader: Reader, update: Node | None, name: str, counter: str) -> tuple[Polynomial, bool] | None:
    """What an update of a loop has multiplied (True) or divided its variable by until trip `counter`."""
    if update is None or update.type != "assignment_expression" or not reader.assignments.names(update) <= {name}:
        return None
    sign, factor = _factor(reader, update, name)
    if factor < 2:
        return None
    power = reader.symbols.operation("power", (Polynomial.number(factor), Polynomial.symbol(counter)))
    return power, sign in {"*=", "<<="}


def _factor(reader: Reader, update: Node, name: str) -> tuple[str, int]:
    """The operator of an update that multiplies, divides or shifts by a constant, and the factor; 0 of any other."""
    sign, amount = _compound(update, name)
    number = reader.constant(amount) if amount is not None else None
    shift = sign in {"<<=", ">>="}
    if number is None or sign not in {"*=", "<<=", "/=", ">>="} or not 0 < number < (32 if shift else 1 << 31):
        return sign, 0
    return sign, 1 << number if shift else number


def _geometric(reader: Reader, condition: Node, update: Node, name: str, start: Polynomial) -> Polynomial | None:
    """Trips by the logarithm: a counter that grows to a bound, or falls to a number."""
    sign, factor = _factor(reader, update, name)
    bound = _bound_of(reader, condition, name)
    if factor < 2 or bound is None:
        return None
    relation, limit = bound
    one = Polynomial.number(1)
    if sign in {"*=", "<<="} and relation in {"<", "<="}:
        first = start.constant
        if first is not None and first < 1:
            return None
        room = limit if relation == "<=" else limit - one
        ratio = quotient(reader, room, first) if first else reader.symbols.operation("quotient", (room, start))
    elif sign in {"/=", ">>="} and relation in {">", ">="}:
        last = limit.constant
        least = None if last is None else last + (relation == ">")
        if least is None or least < 1:
            return None
        ratio = quotient(reader, start, least)
    else:
        return None
    return reader.symbols.operation("logarithm", (ratio, Polynomial.number(factor))) + one


def _compound(update: Node, name: str) -> tuple[str, Node | None]:
    """An update's operator and amount, ``s = s / 2`` as ``s /= 2``."""
    operator, right = update.child_by_field_name("operator"), update.child_by_field_name("right")
    sign = operator.type if operator is not None else ""
    while right is not None and right.type == "parenthesized_expression" and right.named_children:
        right = right.named_children[-1]
    if sign != "=" or right is None or right.type != "binary_expression":
        return sign, right
    by, left, amount = (right.child_by_field_name(k) for k in ("operator", "left", "right"))
    if by is not None and by.type == "*" and amount is not None and one_line(amount) == name:
        left, amount = amount, left
    if by is None or left is None or one_line(left) != name:
        return sign, right
    return f"{by.type}=", amount


def _bound_of(reader: Reader, condition: Node, name: str) -> tuple[str, Polynomial] | None:
    """``d < n`` as ("<", n), seen from the counter; the bare counter, or ``d != 0``, is ``d > 0``."""
    while condition.type == "parenthesized_expression" and condition.named_children:
        condition = condition.named_children[-1]
    if condition.type == "identifier":
        return (">", Polynomial()) if one_line(condition) == name else None
    left, right = condition.child_by_field_name("left"), condition.child_by_field_name("right")
    operator = condition.child_by_field_name("operator")
    sign = operator.type if operator is not None else ""
    if left is None or right is None or sign not in _BOUNDS:
        return None
    if one_line(right) == name:
        left, right, sign = right, left, _MIRRORED[sign]
    limit = reader.evaluate_quietly(right).number if one_line(left) == name else None
    if limit is None:
        return None
    if sign == "!=":
        return (">", limit) if limit == Polynomial() else None
    return sign, limit


_MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "!=": "!="}


def _simulated(reader: Reader, condition: Node, update: Node, name: str) -> int | None:
    """Trips counted one by one, for a counter that starts at a number."""
    counter = reader.find(name)
    start = counter.value if counter is not None else None
    value = start.number.constant if start is not None and start.number is not None else None
    if counter is None or start is None or value is None:
        return None
    trial = Variable(counter.type, start, counter.array)
    with reader.scope():
        reader.declare(name, trial)
        for trips in range(MAX_SIMULATED_TRIPS + 1):
            holds = reader.constant(condition)
            if holds is None:
                return None
            if not holds:
                return trips
            operator, right = update.child_by_field_name("operator"), update.child_by_field_name("right")
            amount = reader.constant(right) if right is not None else None
            moved_on = _moved_on(operator.type if operator is not None else "", value, amount)
            if moved_on is None or moved_on == value:
                return None
            value = moved_on
            trial.value = start._replace(number=Polynomial.number(value))
    return None


def _moved_on(sign: str, value: int, amount: int | None) -> int | None:
    if amount is None:
        return None
    match sign:
        case "*=":
            return value * amount
        case "/=" if amount:
            return value // amount
        case "<<=" if 0 <= amount < 32:
            return value << amount
        case ">>=" if 0 <= amount < 64:
            return value >> amount
        case "=":
            return amount
        case _:
            return None
