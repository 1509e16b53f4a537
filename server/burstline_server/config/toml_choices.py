"""What can be written at a place of a burstline.toml: keys of the table, boards, and the words a key takes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from burstline_model.boards.board import boards
from burstline_model.record import fixed
from burstline_server.config.settings import LaunchSettings, Settings

_VALUE = re.compile(r"\s*(\w+)\s*=\s*\"?[^\"]*$")
_TABLE = re.compile(r"\s*\[\s*([\w.\"-]+)")
_KEY = re.compile(r"\s*\w*$")


@fixed
class Choice:
    """A word to offer. `quoted` for text, which TOML wants between quotes."""

    text: str
    detail: str
    quoted: bool = False


def choices_at(text: str, line: int, column: int) -> list[Choice]:
    """The words that fit at a line and column (both from 0) of a burstline.toml."""
    lines = text.splitlines()
    before = lines[line][:column] if line < len(lines) else ""
    if value := _VALUE.match(before):
        return list(_values(value[1], quoted='"' not in before))
    if not _KEY.fullmatch(before):
        return []
    table = next((m[1] for row in reversed(lines[:line]) if (m := _TABLE.match(row))), "")
    of_kernel = table.startswith("kernels.") and table.count(".") == 1
    fields = LaunchSettings.model_fields if of_kernel else Settings.model_fields if not table else {}
    return [Choice(name, field.description or "") for name, field in fields.items()]


def _values(key: str, *, quoted: bool) -> Iterator[Choice]:
    if key == "board":
        yield from (Choice(board.name, board.title, quoted) for board in boards().values())
        return
    schema: dict[str, Any] = Settings.model_json_schema()["properties"].get(key, {})
    kinds = [schema, *schema.get("anyOf", ())]
    for kind in kinds:
        yield from (Choice(str(word), schema.get("description", ""), quoted) for word in kind.get("enum", ()))
        if kind.get("type") == "boolean":
            yield from (Choice(word, schema.get("description", "")) for word in ("true", "false"))
