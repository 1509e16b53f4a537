"""The base of every record that crosses a room: immutable and strict about its fields."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from typing import Any, Self

from pydantic import BaseModel, ConfigDict

_NOT_NOTED = set[str]()


class Record(BaseModel):
    """An immutable record; an unknown field is an error.

    Which fields were given is not noted: a set for each record would take a third of what a file's records take.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

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
