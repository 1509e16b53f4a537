"""The base of every record that crosses a room: immutable and strict about its fields."""

from pydantic import BaseModel, ConfigDict


class Record(BaseModel):
    """An immutable record; an unknown field is an error."""

    model_config = ConfigDict(frozen=True, extra="forbid")
