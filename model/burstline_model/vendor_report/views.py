"""The views of a report (memory, area, loops, summary, info) of every generation as units, loops and kernels."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from pathlib import PureWindowsPath
from typing import Any, cast

from burstline_model.lsu import Style
from burstline_model.vendor_report.records import (
    GLOBAL_STYLES,
    Exactness,
    Operation,
    ReportedKernel,
    ReportedLoop,
    ReportedUnit,
    Usage,
)

Views = Mapping[str, Any]
Place = tuple[str, str, int, Operation]
MAX_DEPTH = 200
_USES = re.compile(r"uses a(?:n)? (.+?) LSU")
_PRIVATE_CACHE = "private"
_II = re.compile(r"(~|>=)?\s*(\d+)")
NO_II = 32758
"""What 16.1 prints for loops of NDRange kernels with channels: the bound of its search (2^15 - 10), no interval."""


def base_name(path: str) -> str:
    """A file's name without its folders, whichever system wrote the path."""
    return PureWindowsPath(path).name


def nodes(value: Any, depth: int = 0) -> Iterator[dict[str, Any]]:
    """Every object in a view, outer ones first."""
    if depth > MAX_DEPTH:
        return
    if isinstance(value, dict):
        yield cast("dict[str, Any]", value)
        for inner in value.values():
            if isinstance(inner, dict | list):
                yield from nodes(inner, depth + 1)
    elif isinstance(value, list):
        for inner in value:
            yield from nodes(inner, depth + 1)


def place_of(node: Mapping[str, Any], files: Mapping[str, str]) -> tuple[str, int] | None:
    """The file's base name and the line that a node names; `files` are 16.x's numbers of files."""
    debug = node.get("debug")
    while isinstance(debug, list) and debug:
        debug = debug[0]
    if isinstance(debug, dict) and debug.get("filename"):
        return base_name(str(debug["filename"])), int(debug.get("line") or 0)
    line = str(node.get("line") or "")
    if line.isdigit() and int(line) and str(node.get("file") or ""):
        return files.get(str(node["file"]), ""), int(line)
    return None


def style_of(words: str) -> Style | None:
    """A style in this model's words; None for units that do not reach global memory."""
    parts = words.strip()
    if parts == "Burst-non-aligned":
        parts = "Burst-coalesced non-aligned"
    return next((s for s in GLOBAL_STYLES if s == parts), None)


def _operation(name: str) -> Operation | None:
    lowered = name.lower()
    if lowered.startswith("atom"):
        return "atomic"
    return "load" if lowered.startswith("load") else "store" if lowered.startswith("store") else None


def _details(node: Mapping[str, Any]) -> dict[str, Any]:
    details = node.get("details")
    if isinstance(details, list):
        details = next((d for d in details if isinstance(d, dict)), None)
    return cast("dict[str, Any]", details) if isinstance(details, dict) else {}


def units(views: Views, files: Mapping[str, str], *, refine: bool) -> tuple[ReportedUnit, ...]:
    """The units on global memory: the memory view's, with the modifiers that only the area view has.

    They are looked for with `refine`, and where the memory view names none at all: that of the Standard Edition, 18.0
    to 19.1 among them, never does.
    """
    found: dict[Place, list[tuple[Style, int | None]]] = defaultdict(list)
    for kernel in nodes(views.get("mav")):
        if kernel.get("type") != "kernel":
            continue
        for node in nodes(kernel.get("children")):
            details, op = _details(node), _operation(str(node.get("name", "")))
            place = place_of(node, files)
            if node.get("type") != "inst" or op is None or place is None:
                continue
            named = details.get("Type") or details.get("LSU Style") or details.get("LSU type")
            style = style_of(str(named or ""))
            if op == "atomic" and style is None:
                style = "Atomic-pipelined"
            if style is not None:
                width = re.match(r"\d+", str(details.get("Width", "")))
                found[str(kernel.get("name")), *place, op].append((style, int(width[0]) if width else None))
    if refine or not any(_modified(style) for own in found.values() for style, _ in own):
        modifiers = _area_styles(views)
    else:
        modifiers = {}
    made: list[ReportedUnit] = []
    for key, own in found.items():
        kernel_name, file, number, operation = key
        for (style, width_bits), count in Counter(_refined(own, modifiers.get(key, []))).items():
            made.append(
                ReportedUnit(
                    kernel=kernel_name, file=file, line=number, op=operation, style=style, width_bits=width_bits,
                    count=count,
                )
            )  # fmt: skip
    return tuple(made)


def _modified(style: Style) -> bool:
    return "cached" in style or "write-ack" in style


def _plain(style: Style) -> Style:
    """A style without the modifiers that only the area view has."""
    return "Burst-coalesced non-aligned" if "non-aligned" in style else "Burst-coalesced" if _modified(style) else style


def _shares(styles: list[Style], count: int, own: list[tuple[Style, int | None]]) -> Counter[Style]:
    """How many of the units under one entry of the area view have each of its styles.

    It gives their number and each style once; the rest go where the memory view has the most that are left.
    """
    expected = Counter(_plain(style) for style, _ in own)
    expected.subtract(_plain(style) for style in styles)
    found = Counter(styles)
    for _ in range(count - len(styles)):
        best = max(styles, key=lambda style: expected[_plain(style)])
        found[best] += 1
        expected[_plain(best)] -= 1
    return found


def _refined(
    own: list[tuple[Style, int | None]], area: list[tuple[list[Style], int]]
) -> list[tuple[Style, int | None]]:
    """The memory view's units with the modifiers that only the area view has.

    Which of several units at one place has them is not given.
    """
    left: Counter[Style] = Counter()
    for styles, count in area:
        left += _shares(styles, count, own)
    refined: list[tuple[Style, int | None]] = []
    waiting: list[tuple[Style, int | None]] = []
    for style, width in own:
        if left[style] > 0:
            left[style] -= 1
            refined.append((style, width))
        else:
            waiting.append((style, width))
    for style, width in waiting:
        better = next((_joined(style, r) for r, n in left.items() if n > 0 and _joined(style, r) is not None), None)
        for r in left:
            if better is not None and left[r] > 0 and _joined(style, r) == better:
                left[r] -= 1
                break
        refined.append((better or style, width))
    return refined


def _joined(style: Style, other: Style) -> Style | None:
    """One style with the modifiers of both."""
    words = {*style.split(), *other.split()}
    return next((s for s in GLOBAL_STYLES if set(s.split()) == words), None)


def _area_styles(views: Views) -> dict[Place, list[tuple[list[Style], int]]]:
    """The styles of each entry of the area view by place, and how many units it counts."""
    found: dict[Place, list[tuple[list[Style], int]]] = defaultdict(list)
    area = views.get("area")
    kernels = [n for n in nodes(area) if n.get("type") == "function" or "basicblocks" in n]
    for kernel in kernels:
        for holder in nodes(kernel):
            place = place_of(holder, {})
            if place is None:
                continue
            inner = [*(holder.get("children") or []), *(holder.get("subinfos") or [])]
            for child in inner:
                info = child.get("info", child) if isinstance(child, dict) else {}
                op = _operation(str(info.get("name", "")))
                styles = _named(_text(info.get("details")), op)
                if op is not None and styles:
                    found[str(kernel.get("name")), *place, op].append((styles, int(child.get("count") or 1)))
    return found


def _named(text: str, op: Operation | None) -> list[Style]:
    """The styles that the notes of an entry name, each once; 16.x says of a cache that it is private alone."""
    styles = [style for words in _USES.findall(text) if (style := style_of(words)) is not None]
    if not styles and op == "load" and _PRIVATE_CACHE in text and "cache" in text:
        return ["Burst-coalesced cached"]
    return list(dict.fromkeys(styles))


def _text(details: Any) -> str:
    if isinstance(details, str):
        return details
    if isinstance(details, list):
        return " ".join(_text(d) for d in details)
    if isinstance(details, dict):
        return str(details.get("text", ""))
    return ""


def loops(views: Views) -> tuple[ReportedLoop, ...]:
    """The loops, with the initiation interval each was scheduled at."""
    view = views.get("loops")
    if not isinstance(view, dict):
        return ()
    columns = [str(c) for c in view.get("columns") or []]
    found: list[ReportedLoop] = []

    def walk(items: Any, kernel: str, depth: int) -> None:
        for node in items or []:
            if not isinstance(node, dict) or depth > MAX_DEPTH:
                continue
            name = str(node.get("name", ""))
            if name.startswith("Kernel: "):
                walk(node.get("children"), name.removeprefix("Kernel: ").split(" (")[0], 0)
                continue
            place, data = place_of(node, {}), [str(d) for d in node.get("data") or []]
            if place is not None and data:
                found.append(_loop(node, kernel or name.partition(".")[0], place, data, columns, depth))
            walk(node.get("children"), kernel, depth + 1)

    walk(view.get("children"), "", 0)
    walk(view.get("functions"), "", 0)
    return tuple(found)


def _loop(
    node: Mapping[str, Any], kernel: str, place: tuple[str, int], data: list[str], columns: list[str], depth: int
) -> ReportedLoop:
    match = _II.fullmatch(data[1].strip()) if len(data) > 1 else None
    match = None if match is not None and int(match[2]) >= NO_II else match
    signs: dict[str | None, Exactness] = {"~": "about", ">=": "at least", None: "exact"}
    text = [_text(d) for d in node.get("details") or [] if _text(d).strip()]
    level = _first(node.get("debug")).get("level")
    limits = "Bottleneck" in columns and len(data) > 2 and data[2] not in {"n/a", ""}
    unrolled = any("nrolled" in t for t in text)
    return ReportedLoop(
        # 16.x names the block: "Block7", "8X Partially unrolled Block7".
        kernel="" if kernel.startswith("Block") or not kernel.isidentifier() else kernel,
        file=place[0],
        line=place[1],
        depth=int(level) if isinstance(level, int) else depth,
        pipelined={"Yes": True, "No": False}.get(data[0]),
        ii=int(match[2]) if match else None,
        exactness=signs[match[1] if match else None],
        bottleneck=data[2] if limits else "",
        details=tuple(dict.fromkeys(text)),
        unrolled=unrolled,
    )


def _first(debug: Any) -> dict[str, Any]:
    while isinstance(debug, list) and debug:
        debug = debug[0]
    return cast("dict[str, Any]", debug) if isinstance(debug, dict) else {}


_COLUMNS = {"ALUTs": "aluts", "ALMs": "alms", "FFs": "ffs", "RAMs": "rams", "DSPs": "dsps", "MLABs": "mlabs"}


def usage(columns: Any, data: Any) -> Usage:
    """A row of figures under its columns."""
    names = [str(c).strip() for c in columns or []]
    names = names[1:] if names and names[0] in {"", "Kernel Name"} else names
    values: dict[str, float] = {}
    for name, value in zip(names, data or [], strict=False):
        if name in _COLUMNS and isinstance(value, int | float):
            values[_COLUMNS[name]] = float(value)
    return Usage(**values)


def kernels(views: Views) -> tuple[ReportedKernel, ...]:
    """The kernels with their resources: as the compiler estimates, and as fitted where the build got that far."""
    found: dict[str, ReportedKernel] = {}
    placed = _fitted(views.get("quartus"))
    area = views.get("area") or {}
    for node in nodes(area):
        if node.get("type") == "function" and node.get("total_kernel_resources"):
            found[str(node["name"])] = ReportedKernel(
                name=str(node["name"]),
                usage=usage(area.get("columns"), node["total_kernel_resources"]),
                fitted=placed.get(str(node["name"]), Usage()),
                compute_units=node.get("compute_units"),
            )
        elif "basicblocks" in node and node.get("name"):
            found[str(node["name"])] = ReportedKernel(
                name=str(node["name"]),
                usage=_summed(node, area.get("columns")),
                compute_units=node.get("compute_units"),
            )
    return tuple(found.values())


def _fitted(view: Any) -> dict[str, Usage]:
    """What place and route made of each kernel."""
    summary = view.get("quartusFitResourceUsageSummary") if isinstance(view, dict) else None
    if not isinstance(summary, dict):
        return {}
    rows = [row for row in summary.get("children") or [] if isinstance(row, dict) and row.get("data")]
    return {str(row.get("name", "")): usage(summary.get("columns"), row["data"]) for row in rows}


def _summed(kernel: Mapping[str, Any], columns: Any) -> Usage:
    """16.x gives no total by kernel: the sum of its parts."""
    totals: list[float] = []
    parts = list(kernel.get("resources") or [])
    for block in kernel.get("basicblocks") or []:
        parts += [*(block.get("resources") or []), *(block.get("computation") or [])]
    for part in parts:
        data = part.get("data") or []
        totals = [a + b for a, b in zip(totals or [0.0] * len(data), data, strict=False)]
    return usage(columns, totals)
