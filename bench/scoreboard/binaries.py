"""Reports inside compiled kernels: 16.1 leaves its views and the compiled texts in the .aoco and .aocx that it makes.

Later compilers leave none there; earlier ones, 14.1 to 16.0, leave views of another form: of each kernel the units,
without what is cached, and mostly without lines.
"""

from __future__ import annotations

import json
import re
import struct
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

MAGIC = b"\x7fELF"
_WIDE = 2
_VIEWS = ("loops", "mav", "area")
_ARGUMENTS = re.compile(r"^INPUT_ARGS=(.*)$", re.MULTILINE)


def report_in(binary: bytes) -> bytes:
    """What ``report_data.js`` would hold, out of a compiled kernel's sections; nothing where there are no views."""
    try:
        parts = _sections(binary)
        index = json.loads(parts[".acl.mav.json"])["fileIndexMap"]
    except (struct.error, IndexError, KeyError, TypeError, ValueError):
        return b""
    texts = {_text(parts[name]): name.replace("file", "source") for name in parts if name.startswith(".acl.file.")}
    paths = sorted(index, key=lambda path: int(index[path]))
    files = [{"path": path, "content": _text(parts.get(texts.get(path, "")))} for path in paths]
    arguments = _ARGUMENTS.search(_text(parts.get(".acl.compilation_env")))
    version = ".".join(_text(parts.get(".acl.version")).split(".")[:3])
    rows = [("AOC Version", version), ("Command", arguments[1] if arguments else "")]
    info = {"rows": [{"name": name, "data": [value]} for name, value in rows]}
    views = {name: _text(parts[f".acl.{name}.json"]) for name in _VIEWS if f".acl.{name}.json" in parts}
    views |= {"file": json.dumps(files), "info": json.dumps(info)}
    return "".join(f"var {name}JSON={view};\n" for name, view in views.items()).encode()


def units_in(binary: bytes) -> tuple[str, dict[str, Counter[tuple[str, str, int]]]]:
    """The compiler's version, and the units of each kernel by operation, style and width, of 14.1 to 16.0."""
    parts = _sections(binary)
    found: dict[str, Counter[tuple[str, str, int]]] = {}
    for kernel in json.loads(parts[".acl.mav.json"])["functions"]:
        found[kernel["name"]] = Counter(_units_of(kernel))
    return ".".join(_text(parts.get(".acl.version")).split(".")[:3]), found


def _units_of(node: Mapping[str, Any]) -> Iterator[tuple[str, str, int]]:
    details = node.get("details", {})
    if node["type"] == "inst" and node["name"] in {"Load", "Store"} and "Type" in details:
        style = str(details["Type"]).replace("Burst-non-aligned", "Burst-coalesced non-aligned")
        yield node["name"].lower(), style, int(details["Width"].split()[0])
    for child in node.get("children", ()):
        yield from _units_of(child)


def _text(part: bytes | None) -> str:
    return (part or b"").rstrip(b"\0").decode("utf-8", "replace")


def _sections(binary: bytes) -> Mapping[str, bytes]:
    """The sections of an ELF file by name."""
    wide = binary[4] == _WIDE
    (table,) = struct.unpack_from("<Q", binary, 0x28) if wide else struct.unpack_from("<I", binary, 0x20)
    size, count, names = struct.unpack_from("<HHH", binary, 0x3A if wide else 0x2E)
    header = "<IIQQQQ" if wide else "<IIIIII"
    found = [struct.unpack_from(header, binary, table + number * size) for number in range(count)]
    at = found[names][4]
    return {
        binary[at + name : binary.index(b"\0", at + name)].decode("latin-1"): binary[start : start + length]
        for name, _, _, _, start, length in found
    }
