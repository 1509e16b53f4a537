"""Classes of records, as `dataclasses` makes them, in a sixth of the time: there are hundreds, defined at every start.

`dataclasses` compiles up to six methods a class. Here the one that names the fields is compiled; the others are the
same for all.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, Field, FrozenInstanceError, dataclass, fields
from operator import attrgetter
from typing import Any, NoReturn, TypeVar

Kind = TypeVar("Kind")
_TO_BE_MADE = object()


def made_record(kind: type[Kind], *, slots: bool, frozen: bool = False) -> type[Kind]:
    """The class with what its fields give it; what it defines itself stays.

    `frozen`: fields are given by name alone, and an attempt to change one is an error.
    """
    own = vars(kind).keys()
    made: Any = dataclass(init=False, repr=False, eq=False, slots=slots, kw_only=frozen)(kind)
    given = {"__init__": _init(made, frozen=frozen), "__repr__": _repr, **_compared(made)}
    if frozen:
        given |= {"__setattr__": _refused, "__delattr__": _refused, "__getstate__": _state, "__setstate__": _filled}
    for name, method in given.items():
        if name not in own:
            setattr(made, name, method)
    return made  # type: ignore[no-any-return]


def _init(kind: Any, *, frozen: bool) -> Any:
    """Its `__init__`: the one method that must name the fields."""
    names: dict[str, Any] = {"_TO_BE_MADE": _TO_BE_MADE, "_made": _made, "_set": object.__setattr__}
    parameters, lines = ["self", *(["*"] if frozen and fields(kind) else [])], list[str]()
    for one in fields(kind):
        name, usual = one.name, f"_usual_{one.name}"
        value = _value(one, usual, names)
        parameters.append(name if value is None else f"{name}={'_TO_BE_MADE' if value != name else usual}")
        lines.append(f" _set(self, {name!r}, {value or name})" if frozen else f" self.{name} = {value or name}")
    if hasattr(kind, "__post_init__"):
        lines.append(" self.__post_init__()")
    exec(f"def __init__({', '.join(parameters)}):\n" + ("\n".join(lines) or " pass"), names)  # noqa: S102
    return names["__init__"]


def _value(one: Field[Any], usual: str, names: dict[str, Any]) -> str | None:
    """What a field is set to where it may be left out; None where it may not."""
    if one.default is not MISSING:
        names[usual] = one.default
        return one.name
    if one.default_factory is MISSING:
        return None
    names[usual] = one.default_factory
    return f"_made({one.name}, {usual})"


def _made(value: object, make: Callable[[], object]) -> object:
    return make() if value is _TO_BE_MADE else value


def _compared(kind: Any) -> dict[str, Callable[..., Any]]:
    """Its `__eq__` and `__hash__`, by the values of its fields."""
    names = [one.name for one in fields(kind) if one.compare]
    values: Callable[[Any], Any] = attrgetter(*names) if names else lambda _: ()

    def equal(self: Any, other: object) -> Any:
        return values(self) == values(other) if other.__class__ is self.__class__ else NotImplemented

    def hashed(self: Any) -> int:
        return hash(values(self))

    return {"__eq__": equal, "__hash__": hashed}


def _repr(self: Any) -> str:
    values = (f"{one.name}={getattr(self, one.name)!r}" for one in fields(self) if one.repr)
    return f"{type(self).__qualname__}({', '.join(values)})"


def _refused(_self: Any, name: str, *_value: object) -> NoReturn:
    raise FrozenInstanceError(name)


def _state(self: Any) -> list[Any]:
    return [getattr(self, one.name) for one in fields(self)]


def _filled(self: Any, state: list[Any]) -> None:
    for one, value in zip(fields(self), state, strict=True):
        object.__setattr__(self, one.name, value)
