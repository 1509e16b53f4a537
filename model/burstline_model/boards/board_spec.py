"""A vendor board package's ``board_spec.xml`` as a board of ours, with what it does not say marked as assumed."""

from __future__ import annotations

import json
import re
from math import isfinite, log2, nan
from pathlib import Path
from typing import Literal
from xml.etree import ElementTree as ET

from pydantic import ValidationError

from burstline_model.boards.board import Board
from burstline_model.devices.cost_tables import cost_table
from burstline_model.files import read_bounded
from burstline_model.record import Wrong, fixed, small, wrong_in
from burstline_model.target import Family

MAX_BYTES = 1_000_000
_FAMILIES: tuple[tuple[str, Family, float], ...] = (
    ("5C", "Cyclone V", 140.0), ("5S", "Stratix V", 250.0), ("10A", "Arria 10", 240.0), ("1S", "Stratix 10", 300.0),
    ("AG", "Agilex", 400.0),
)  # fmt: skip
"""Prefix of a device's name, its family, and a usual kernel clock in MHz."""
_STEM = re.compile(r"\d+$")
_TIMINGS_NS = {
    "DDR3": (13.75, 13.75, 15.0), "DDR4": (13.5, 13.5, 15.0), "HBM2": (14.0, 14.0, 15.0), "QDR": (0.0, 0.0, 0.0),
    "host": (0.0, 0.0, 0.0),
}  # fmt: skip
"""QDR is static memory, and has no rows to open; a host's own are behind the bus."""
_BUS_BYTES = 8
_BUSES = (8, 4, 2)
_RATES = {"DDR3": (800, 1067, 1333, 1600, 1867, 2133), "DDR4": (1600, 1867, 2133, 2400, 2667, 2933, 3200)}
"""Megatransfers a second of standard modules (JEDEC JESD79-3 and -4)."""
_CONTROLLERS: dict[str, tuple[Family, ...]] = {
    "DDR3": ("Cyclone V", "Stratix V", "Arria 10", "Stratix 10"), "DDR4": ("Arria 10", "Stratix 10", "Agilex"),
}  # fmt: skip
"""Which families have controllers of a technology (their external-memory handbooks)."""
_PARTS = {
    "10AX115": (427_200, 2_713, 1_518), "1SG280": (933_120, 11_721, 5_760), "1SX280": (933_120, 11_721, 5_760),
    "1SM21": (702_720, 6_847, 3_960), "AGFB014": (487_200, 7_110, 4_510), "AGFB027": (912_800, 13_272, 8_528),
    "5SGXEA7": (234_720, 2_560, 256), "5SGXMA7": (234_720, 2_560, 256), "5SGSMD8": (262_400, 2_567, 1_963),
    "5SGSED8": (262_400, 2_567, 1_963), "5CSEMA5": (32_070, 397, 87), "5CSEBA6": (41_910, 553, 112),
}  # fmt: skip
"""ALMs, RAM blocks and DSP blocks by the beginning of a part's name (the vendor's product tables)."""
_MANY = 16
"""From this many interfaces on, they are separate channels."""


NoSpecification = Literal["entities", "other_root", "no_memory", "no_value", "no_number"]


class NoSpecificationError(ValueError):
    """A text is no board specification; `name` is the root's that it has in place of a board, or what has no number."""

    def __init__(self, kind: NoSpecification, name: str = "") -> None:
        super().__init__(kind, name)
        self.kind, self.name = kind, name


class BoardSpecError(ValueError):
    """The file is no board specification that can be read: the system's error, a wrong figure, or why not."""

    def __init__(self, path: Path, why: Exception | Wrong) -> None:
        super().__init__(str(path))
        self.path, self.why = path, why


@small
class UsualClock:
    """The clock that kernels of a family usually reach."""

    f_max_mhz: float
    family: Family


@small
class HostMemory:
    """A memory of the host (its name): what a kernel reaches of it over the bus was not measured."""

    name: str


@small
class UsualTimings:
    """A technology with its usual timings, at a data rate in megatransfers a second, on banks of so many bytes."""

    technology: str
    rate: int
    bank_bytes: int


@small
class NoSuchSpeed:
    """The peak of a bank is no speed of the technologies that the device has controllers for."""

    bank_mb_s: float
    technologies: tuple[str, ...]


@small
class NarrowBanks:
    """Banks are narrower than usual: wider ones would be too slow for any module."""

    bank_mb_s: float
    bank_bytes: int


@small
class UsualDevice:
    """The size of a part (empty: not named), taken from another one of its family."""

    part: str
    like: str


Guess = Literal["usual_shell"] | UsualClock | HostMemory | UsualTimings | NoSuchSpeed | NarrowBanks | UsualDevice
"""`usual_shell`: what the development kit's own logic takes."""


@fixed
class Imported:
    """A board out of a specification, and what had to be guessed."""

    board: Board
    guesses: tuple[Guess, ...]


def read_board_spec(path: Path) -> Imported:
    """Read a specification; raises `BoardSpecError`."""
    try:
        # As text, so that no other encoding hides a declaration.
        text = read_bounded(path, MAX_BYTES).decode("utf-8-sig")
        return _board(_root(text), path)
    except ValidationError as error:
        raise BoardSpecError(path, wrong_in(error)) from error
    except OSError as error:
        raise BoardSpecError(path, error) from error
    except (ArithmeticError, ET.ParseError, KeyError, ValueError) as error:
        raise BoardSpecError(path, error) from error


def _root(text: str) -> ET.Element:
    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        raise NoSpecificationError("entities")
    return ET.fromstring(text)  # noqa: S314 - no entities, bounded


def _board(root: ET.Element, path: Path) -> Imported:
    if root.tag != "board":
        raise NoSpecificationError("other_root", root.tag)
    guesses: list[Guess] = []
    described = root.find("device")
    device = (described.get("device_model", "") if described is not None else "").removesuffix(".xml")
    usual: tuple[Family, float] = ("Arria 10", 240.0)
    family, f_max = next(((f, mhz) for start, f, mhz in _FAMILIES if device.upper().startswith(start)), usual)
    guesses.append(UsualClock(f_max_mhz=f_max, family=family))
    memory, *others = _memories(root, family, path, guesses)
    resources = _resources(described, device, family, path, guesses)
    name = root.get("name", path.parent.name)
    board = Board.model_validate(
        {
            "name": name,
            "title": name,
            "compiler": {
                "family": family, "device": device or "not named", "aoc_version": root.get("version", "18.1"),
                "f_max_mhz": f_max, "source": f"{path.name}; assumed f_max: usual for {family} kernels",
            },
            "memory": memory,
            "memories": others,
            "resources": resources,
        }
    )  # fmt: skip
    return Imported(board, tuple(guesses))


def _memories(root: ET.Element, family: Family, path: Path, guesses: list[Guess]) -> list[dict[str, object]]:
    """All memories, the one that buffers lie in by default first; many alike are channels of one."""
    every = [m for m in root.findall(".//global_mem") if m.find("interface") is not None]
    if not every:
        raise NoSpecificationError("no_memory")
    groups: list[list[ET.Element]] = []
    for memory in every:
        alike = [m for m in every if _shape(m) == _shape(memory)]
        alike = alike if len(alike) >= _MANY else [memory]
        if alike not in groups:
            groups.append(alike)
    groups.sort(key=lambda group: all(m.get("default") != "1" for m in group))
    return [_memory(group, family, path, guesses) for group in groups]


def _memory(group: list[ET.Element], family: Family, path: Path, guesses: list[Guess]) -> dict[str, object]:
    """One memory; with several elements, one of separate channels."""
    interfaces = [i for m in group for i in m.findall("interface")]
    banks = sum(max(1, len({p.get("name") for p in i.findall("port")}) // 2) for i in interfaces)
    width = int(_figure(interfaces[0], "width")) // 8
    if width < 1:
        raise NoSpecificationError("no_number", "interface.width")
    burst = int(_figure(interfaces[0], "maxburst", "16"))
    peak = sum(_figure(m, "max_bandwidth") for m in group)
    names = [m.get("name", "") for m in group]
    separate = banks >= _MANY
    kind, bus, known = _kind(group[0], peak / banks, width, family, guesses)
    clock = peak / banks / (2 * bus)
    if not known:
        guesses.append(UsualTimings(technology=kind, rate=round(2 * clock), bank_bytes=bus))
    activate, precharge, write = _TIMINGS_NS[kind]
    interleave = int(_figure(group[0], "interleaved_bytes", "0")) or None
    found: dict[str, object] = {
        "name": names[0] if len(names) == 1 else _STEM.sub("", names[0]),
        "type": f"{kind}-{round(2 * clock)}" if not known else kind, "banks": banks, "data_width_bytes": bus,
        "burst_length": max(1, width // bus), "clock_mhz": clock, "t_rcd_ns": activate,
        "t_rp_ns": precharge, "t_wr_ns": write, "burst_count_log2": round(log2(max(burst, 1))),
        "separate_channels": separate, "peak_mb_s": peak, "latency_ns": _figure(interfaces[0], "latency", "240"),
        "interleave_bytes": interleave if banks > 1 and not separate else None,
        "source": f"{path.name} ({banks} x {width * 8} bit, {peak:g} MB/s, bursts of {burst} words); assumed: "
                  f"{bus} B wide banks and the usual timings of {kind}",
    }  # fmt: skip
    if len(names) == banks and len(set(names)) == banks > 1:
        found["channels"] = names
    return found


def _kind(
    memory: ET.Element, bank_mb_s: float, width: int, family: Family, guesses: list[Guess]
) -> tuple[str, int, bool]:
    """A memory's technology, how many bytes wide a bank is, and whether the specification says so."""
    name, places = memory.get("name", ""), memory.get("allocation_type", "")
    if "host" in places and "device" not in places:
        guesses.append(HostMemory(name=name))
        return "host", width, True
    if "QDR" in name.upper():
        return "QDR", min(width, _BUS_BYTES), True
    if len(memory.findall("interface")) >= _MANY or "HBM" in name.upper():
        return "HBM2", _BUS_BYTES, False
    return (*_technology(bank_mb_s, family, guesses), False)


def _shape(memory: ET.Element) -> tuple[str | None, tuple[str | None, ...]]:
    """Equal for memories that are channels of one memory."""
    return memory.get("max_bandwidth"), tuple(i.get("width") for i in memory.findall("interface"))


def _technology(bank_mb_s: float, family: Family, guesses: list[Guess]) -> tuple[str, int]:
    """A memory's technology and how many bytes wide a bank is, as far as its speed and the device's family show."""
    kinds = [kind for kind in ("DDR4", "DDR3") if family in _CONTROLLERS[kind]]
    found = [
        (kind, bus)
        for bus in _BUSES
        for kind in kinds
        if any(abs(bank_mb_s / bus - rate) <= 0.02 * rate for rate in _RATES[kind])
    ]
    if not found:
        guesses.append(NoSuchSpeed(bank_mb_s=bank_mb_s, technologies=tuple(kinds)))
    elif found[0][1] != _BUS_BYTES:
        guesses.append(NarrowBanks(bank_mb_s=bank_mb_s, bank_bytes=found[0][1]))
    return found[0] if found else (kinds[0], _BUS_BYTES)


def _resources(
    device: ET.Element | None, name: str, family: Family, path: Path, guesses: list[Guess]
) -> dict[str, object] | None:
    """The device and what the board's own logic takes of it."""
    used = device.find("used_resources") if device is not None else None
    if used is None:
        guesses.append("usual_shell")
        return None
    whole = cost_table(family).device
    part = next((figures for start, figures in _PARTS.items() if name.upper().startswith(start)), None)
    if part is None:
        guesses.append(UsualDevice(part=name, like=whole.source.split(" ")[0].rstrip(";")))
    alms, rams, dsps = part or (whole.alms, whole.rams, whole.dsps)
    shell = {kind: _number(used, kind) for kind in ("alms", "ffs", "rams", "dsps")}
    return {
        "alms": alms, "registers": 4 * alms, "rams": rams, "dsps": dsps, "shell_alms": shell["alms"],
        "shell_registers": shell["ffs"], "shell_rams": shell["rams"], "shell_dsps": shell["dsps"],
        "source": f"shell: used_resources of {path.name}; device: "
                  + ("product tables of the part" if part else f"assumed, as the usual one of {family}"),
    }  # fmt: skip


def _number(used: ET.Element, kind: str) -> int:
    found = used.find(kind)
    return int(_figure(found, "num", "0")) if found is not None else 0


def _figure(element: ET.Element, name: str, usual: str | None = None) -> float:
    """A number of an element; raises `NoSpecificationError` where there is none."""
    text = element.get(name, usual)
    if text is None:
        raise NoSpecificationError("no_value", f"{element.tag}.{name}")
    try:
        number = float(text)
    except ValueError:
        number = nan
    if not isfinite(number):
        raise NoSpecificationError("no_number", f"{element.tag}.{name}")
    return number


def board_toml(board: Board) -> str:
    """The board as the text of a board file."""
    lines = [f"name = {quoted(board.name)}", f"title = {quoted(board.title)}", "aliases = []"]
    blocks = [("[compiler]", board.compiler), ("[memory]", board.memory)]
    blocks += [("[[memories]]", memory) for memory in board.others]
    blocks += [("[resources]", board.resources)] if board.resources is not None else []
    for title, block in blocks:
        lines += ["", title]
        lines += [f"{key} = {_shown(value)}" for key, value in block.model_dump(exclude_none=True).items()]
    return "\n".join(lines) + "\n"


def _shown(value: object) -> str:
    """A value in TOML."""
    if isinstance(value, tuple):
        return f"[{', '.join(map(_shown, value))}]"
    if isinstance(value, str):
        return quoted(value)
    return str(value).lower() if isinstance(value, bool) else str(value)


def quoted(text: str) -> str:
    """A TOML string."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
