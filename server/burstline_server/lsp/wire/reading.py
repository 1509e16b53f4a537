"""Messages into the protocol library's types; what a client says that it can do is read where somebody asks for it.

A hundred types would be finished for that, of which few are looked at, while the client waits for `initialize`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from cattrs import Converter
from lsprotocol import types
from pygls.protocol import default_converter


@dataclass(frozen=True)
class Capabilities:
    """What a client announced, its parts named as the library names them; what it did not is None."""

    announced: Mapping[str, Any]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        first, *others = name.split("_")
        value = self.announced.get(first + "".join(map(str.capitalize, others)))
        return Capabilities(value) if isinstance(value, dict) else value


def converter() -> Converter:
    """The library's converter; what is wrong with a message is said in one word instead of a tree of errors."""
    made: Converter = default_converter()  # type: ignore[no-untyped-call]
    made.detailed_validation = False
    made.register_structure_hook(types.ClientCapabilities, _capabilities)
    return made


def _capabilities(announced: object, _type: object) -> Capabilities:
    """Raises `TypeError` where the library would stumble over it."""
    if not isinstance(announced, dict):
        raise TypeError("capabilities are an object")
    parts = {name: part for name, part in announced.items() if name != "experimental" and part is not None}
    wrong = [name for name, part in parts.items() if not isinstance(part, dict)]
    if wrong or not isinstance(parts.get("general", {}).get("positionEncodings") or [], list):
        raise TypeError(f"capabilities of the wrong kind: {', '.join(wrong) or 'positionEncodings'}")
    return Capabilities(announced)
