"""What every record that crosses a room is: immutable and strict about its fields."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from dataclasses import field
from functools import cached_property
from typing import Any, Literal, Self, TypeVar, dataclass_transform

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic_core.core_schema import CoreSchema, is_instance_schema

from burstline_model.record_class import made_record

Small = TypeVar("Small")
_NOT_NOTED = set[str]()


@dataclass_transform(frozen_default=True, kw_only_default=True)
def small(kind: type[Small]) -> type[Small]:
    """Makes a class a record of which a file has tens of thousands: in a third of the memory, unchecked."""
    kind.__get_pydantic_core_schema__ = classmethod(_as_it_is)  # type: ignore[attr-defined]
    return made_record(kind, slots=True, frozen=True)


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def fixed(kind: type[Small]) -> type[Small]:
    """Makes a class a record that is quick to make, and to define.

    The type checker alone forbids to change it: a frozen class takes three times as long to make. Models that hold it
    check that it is one, and do not look into it.
    """
    kind.__get_pydantic_core_schema__ = classmethod(_as_it_is)  # type: ignore[attr-defined]
    return made_record(kind, slots=not any(isinstance(value, cached_property) for value in vars(kind).values()))


def _as_it_is(kind: type[object], _source: object, _handler: object) -> CoreSchema:
    """What pydantic makes of a record in a model that is not one of pydantic's."""
    return is_instance_schema(kind)


class Record(BaseModel):
    """An immutable record; an unknown field is an error.

    Which fields were given is not noted: a set for each record would take a third of what a file's records take.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    def model_post_init(self, _context: object, /) -> None:
        """Give back the set that pydantic has just made."""
        object.__setattr__(self, "__pydantic_fields_set__", _NOT_NOTED)

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """The record with other values, which are not checked; `deep` copies those it keeps, too."""
        kept = deepcopy(self.__dict__) if deep else self.__dict__
        copied = object.__new__(type(self))
        object.__setattr__(copied, "__dict__", {**kept, **(update or {})})
        object.__setattr__(copied, "__pydantic_fields_set__", _NOT_NOTED)
        object.__setattr__(copied, "__pydantic_extra__", None)
        object.__setattr__(copied, "__pydantic_private__", None)
        return copied


WrongKind = Literal["missing", "unknown_key", "text", "number", "ends", "words", "refused", "other"]
_KINDS: dict[str, WrongKind] = {"missing": "missing", "extra_forbidden": "unknown_key", "string_type": "text"}
_ENDS = ("ge", "gt", "le", "lt")


@fixed
class Wrong:
    """What is wrong with a record's key: it must lie between `ends`, be one of `words`, or its class refused it."""

    key: str
    kind: WrongKind
    ends: tuple[tuple[str, object], ...] = ()
    """Comparisons as `operator` names them, each with its figure."""
    words: str = ""
    error: Exception | None = None


def wrong_in(error: ValidationError) -> Wrong:
    """The first thing that is wrong with a record."""
    first = error.errors()[0]
    key = ".".join(str(part) for part in first["loc"])
    kind, context = first["type"], first.get("ctx", {})
    if kind == "value_error":
        return Wrong(key, "refused", error=context["error"])
    if kind == "literal_error":
        return Wrong(key, "words", words=str(context.get("expected", "")))
    if ends := tuple((word, context[word]) for word in _ENDS if word in context):
        return Wrong(key, _KINDS.get(kind, "ends"), ends)
    return Wrong(key, _KINDS.get(kind) or ("number" if "_parsing" in kind else "other"))
