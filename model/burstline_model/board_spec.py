"""A vendor board package's ``board_spec.xml`` as a board of ours, with what it does not say marked as assumed."""

from __future__ import annotations

import json
from math import log2
from pathlib import Path
from xml.etree import ElementTree as ET

from burstline_model.board import Board
from burstline_model.compiler.target import Family
from burstline_model.files import read_bounded

MAX_BYTES = 1_000_000
_FAMILIES: tuple[tuple[str, Family, float], ...] = (
    ("5C", "Cyclone V", 140.0), ("5S", "Stratix V", 250.0), ("10A", "Arria 10", 240.0), ("1S", "Stratix 10", 300.0),
    ("AG", "Agilex", 400.0),
)  # fmt: skip
"""Prefix of a device's name, its family, and a usual kernel clock in MHz."""
_TIMINGS_NS = {"DDR3": (13.75, 13.75, 15.0), "DDR4": (13.5, 13.5, 15.0), "HBM2": (14.0, 14.0, 15.0)}
_BUS_BYTES = 8
_MANY = 16
"""From this many interfaces on, they are channels of their own."""


class BoardSpecError(ValueError):
    """The file is no board specification that can be read; the message says why."""


def read_board_spec(path: Path) -> Board:
    """Read a specification; raises `BoardSpecError`."""
    try:
        # As text, so that no other encoding hides a declaration.
        text = read_bounded(path, MAX_BYTES).decode("utf-8-sig")
        return _board(_root(text), path)
    except OSError as error:
        raise BoardSpecError(f"{path}: cannot be read ({error.strerror})") from error
    except (ArithmeticError, ET.ParseError, KeyError, ValueError) as error:
        raise BoardSpecError(f"{path}: not a board specification that can be read ({error})") from error


def _root(text: str) -> ET.Element:
    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        raise ValueError("it has declarations of its own")
    return ET.fromstring(text)  # noqa: S314 - no entities, bounded


def _board(root: ET.Element, path: Path) -> Board:
    if root.tag != "board":
        raise ValueError(f"the root is <{root.tag}>, not <board>")
    memories = root.findall(".//global_mem")
    memory = next((m for m in memories if m.get("default") == "1"), memories[0] if memories else None)
    interfaces = memory.findall("interface") if memory is not None else []
    if memory is None or not interfaces:
        raise ValueError("it has no <global_mem> with an <interface>")
    banks = sum(max(1, len({p.get("name") for p in i.findall("port")}) // 2) for i in interfaces)
    width = int(interfaces[0].attrib["width"]) // 8
    burst = int(interfaces[0].get("maxburst", "16"))
    peak = float(memory.attrib["max_bandwidth"])
    clock = peak / banks / (2 * _BUS_BYTES)
    separate = banks >= _MANY
    kind = "HBM2" if separate else "DDR4" if clock > 800 else "DDR3"
    activate, precharge, write = _TIMINGS_NS[kind]
    interleave = memory.get("interleaved_bytes")
    described = root.find("device")
    device = (described.get("device_model", "") if described is not None else "").removesuffix(".xml")
    usual: tuple[Family, float] = ("Arria 10", 240.0)
    family, f_max = next(((f, mhz) for start, f, mhz in _FAMILIES if device.upper().startswith(start)), usual)
    name = root.get("name", path.parent.name)
    return Board.model_validate(
        {
            "name": name,
            "title": name,
            "compiler": {
                "family": family, "device": device or "not named", "aoc_version": root.get("version", "18.1"),
                "f_max_mhz": f_max, "source": f"{path.name}; assumed f_max: usual for {family} kernels",
            },
            "memory": {
                "type": f"{kind}-{round(2 * clock)}", "banks": banks, "data_width_bytes": _BUS_BYTES,
                "burst_length": max(1, width // _BUS_BYTES), "clock_mhz": clock, "t_rcd_ns": activate,
                "t_rp_ns": precharge, "t_wr_ns": write, "burst_count_log2": round(log2(max(burst, 1))),
                "separate_channels": separate, "peak_mb_s": peak,
                "interleave_bytes": int(interleave) if interleave and banks > 1 and not separate else None,
                "source": f"{path.name} ({banks} x {width * 8} bit, {peak:g} MB/s, bursts of {burst} words); assumed: "
                          f"{_BUS_BYTES} B wide banks and the usual timings of {kind}",
            },
        }
    )  # fmt: skip


def board_toml(board: Board) -> str:
    """The board as the text of a board file."""
    lines = [f"name = {quoted(board.name)}", f"title = {quoted(board.title)}", "aliases = []"]
    for title, block in (("compiler", board.compiler), ("memory", board.memory)):
        lines += ["", f"[{title}]"]
        for key, value in block.model_dump(exclude_none=True).items():
            shown = (
                quoted(value) if isinstance(value, str) else str(value).lower() if isinstance(value, bool) else value
            )
            lines.append(f"{key} = {shown}")
    return "\n".join(lines) + "\n"


def quoted(text: str) -> str:
    """A TOML string."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
