"""What is missing of a bundle for a platform that is not at hand: read off its files, for every Python it supports."""

from __future__ import annotations

import csv
import struct
from collections.abc import Iterator
from email.message import Message
from email.parser import HeaderParser
from pathlib import Path, PurePosixPath

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

PYTHONS = ("3.11", "3.12", "3.13")
SYSTEMS = {"linux": ("Linux", "posix"), "darwin": ("Darwin", "posix"), "win32": ("Windows", "nt")}
MACHINES = {
    "linux-x64": "x86_64",
    "linux-arm64": "aarch64",
    "darwin-x64": "x86_64",
    "darwin-arm64": "arm64",
    "win32-x64": "AMD64",
}
SUFFIXES = {
    "linux-x64": ".cpython-{}-x86_64-linux-gnu.so",
    "linux-arm64": ".cpython-{}-aarch64-linux-gnu.so",
    "darwin-x64": ".cpython-{}-darwin.so",
    "darwin-arm64": ".cpython-{}-darwin.so",
    "win32-x64": ".cp{}-win_amd64.pyd",
}
"""How a compiled module's name ends, by the Python that loads it; `sysconfig`'s EXT_SUFFIX there."""
FORMATS = {
    "linux-x64": ("ELF", 0x3E),
    "linux-arm64": ("ELF", 0xB7),
    "darwin-x64": ("Mach-O", 0x01000007),
    "darwin-arm64": ("Mach-O", 0x0100000C),
    "win32-x64": ("PE", 0x8664),
}
"""The format of machine code and the number it gives the processor."""
LIBRARY_ENDINGS = (".so", ".pyd", ".dylib", ".dll")
LEFT_OUT = ("__pycache__", ".pyc", ".pyi", "../")
"""Files of packages that a bundle does without: see .vscodeignore, and programs."""


def environment(target: str, python: str) -> dict[str, str]:
    """What conditions of requirements are judged by, on a platform and a Python."""
    system = target.partition("-")[0]
    platform_system, os_name = SYSTEMS[system]
    return {
        "python_version": python,
        "python_full_version": f"{python}.0",
        "sys_platform": system,
        "platform_system": platform_system,
        "os_name": os_name,
        "platform_machine": MACHINES[target],
        "implementation_name": "cpython",
        "platform_python_implementation": "CPython",
        "extra": "",
    }


def lacks(bundled: Path, target: str) -> list[str]:
    """What keeps a bundle from running on a platform, in words; empty where nothing is known to."""
    return [
        *_unmet(bundled, target),
        *_lost(bundled),
        *_foreign(bundled, target),
        *_uncompiled(bundled, target),
    ]


def _unmet(bundled: Path, target: str) -> Iterator[str]:
    """Requirements of packages, for any Python, that no package meets."""
    packages = {canonicalize_name(p["Name"]): p for p in map(_metadata, sorted(bundled.glob("*.dist-info")))}
    for name, package in packages.items():
        for text in package.get_all("Requires-Dist", []):
            requirement = Requirement(text)
            marker, other = requirement.marker, packages.get(canonicalize_name(requirement.name))
            asked = [p for p in PYTHONS if marker is None or marker.evaluate(environment(target, p))]
            if asked and (other is None or not requirement.specifier.contains(other["Version"])):
                has = f"has {other['Version']}" if other is not None else "has none"
                yield f"{name} needs {text} on Python {', '.join(asked)}; the bundle {has}"
        for python in PYTHONS:
            wanted = Requirement(f"python{package.get('Requires-Python') or ''}").specifier
            if not wanted.contains(f"{python}.0"):
                yield f"{name} {package['Version']} is not for Python {python}"


def _lost(bundled: Path) -> Iterator[str]:
    """Files that a package says it has."""
    for record in sorted(bundled.glob("*.dist-info/RECORD")):
        with record.open(encoding="utf-8", newline="") as lines:
            names = [row[0].replace("\\", "/") for row in csv.reader(lines)]
        for name in names:
            if not any(part in name for part in LEFT_OUT) and not (bundled / name).exists():
                yield f"{name} of {record.parent.name} is not there"


def _foreign(bundled: Path, target: str) -> Iterator[str]:
    """Machine code for another platform."""
    for library in _libraries(bundled):
        with library.open("rb") as code:
            found = _format(code.read(4096))
        if FORMATS[target] not in found:
            yield f"{library.relative_to(bundled)} is not for {target}"


def _uncompiled(bundled: Path, target: str) -> Iterator[str]:
    """Compiled modules that some Python has not."""
    endings = {python: SUFFIXES[target].format(python.replace(".", "")) for python in PYTHONS}
    by_python = {
        python: {str(one.relative_to(bundled)).removesuffix(ending) for one in bundled.rglob(f"*{ending}")}
        for python, ending in endings.items()
    }
    everywhere = set().union(*by_python.values())
    if not everywhere:
        yield f"no module is compiled for {target}"
    for python, modules in by_python.items():
        for module in sorted(everywhere - modules):
            yield f"{PurePosixPath(module)} is not compiled for Python {python}"


def _metadata(package: Path) -> Message:
    return HeaderParser().parsestr((package / "METADATA").read_text("utf-8"))


def _libraries(bundled: Path) -> list[Path]:
    return sorted(p for p in bundled.rglob("*") if p.is_file() and any(e in p.suffixes for e in LIBRARY_ENDINGS))


def _format(head: bytes) -> list[tuple[str, int]]:
    """The format of a library and the processors it is for, by its first bytes."""
    if head[:4] == b"\x7fELF":
        return [("ELF", *struct.unpack_from("<H", head, 18))]
    if head[:4] == b"\xcf\xfa\xed\xfe":
        return [("Mach-O", *struct.unpack_from("<I", head, 4))]
    if head[:4] == b"\xca\xfe\xba\xbe":  # one file for several processors
        (count,) = struct.unpack_from(">I", head, 4)
        return [("Mach-O", *struct.unpack_from(">I", head, 8 + 20 * one)) for one in range(min(count, 8))]
    if head[:2] == b"MZ":
        (start,) = struct.unpack_from("<I", head, 0x3C)
        return [("PE", *struct.unpack_from("<H", head, start + 4))] if start + 6 <= len(head) else []
    return []
