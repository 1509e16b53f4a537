"""Files of any size, made of our own example kernels: varied, the same each time, and no errors to clangd."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from itertools import count
from pathlib import Path

EXAMPLES = Path(__file__).parents[1] / "examples"
LEFT_OUT = {"padding.cl", "padding_restructured.cl"}
"""Examples that need the vendor's channels or an argument of the command line."""
LEFT_OUT_FOLDERS = {"benchmarks", "edits"}
"""Kernels that macros of the command line choose, which share one text, and one for each kind of edit."""
_NAMED = re.compile(
    r"kernel\s+void\s+(\w+)|#define\s+(\w+)|^\}\s*(\w+);|typedef struct \{[^}\n]*\}\s*(\w+);", re.MULTILINE
)
_SETTINGS = re.compile(r"[ \t]*// burstline:.*")


@cache
def parts() -> tuple[str, ...]:
    """The examples' texts without the settings that they carry for the whole file."""
    files = sorted(
        p for p in EXAMPLES.rglob("*.cl") if p.name not in LEFT_OUT and p.parent.name not in LEFT_OUT_FOLDERS
    )
    return tuple(_SETTINGS.sub("", p.read_text("utf-8")) for p in files)


def renamed(text: str, number: int) -> str:
    """The text with the number behind each name that it declares for the whole file."""
    names = {name for found in _NAMED.findall(text) for name in found if name}
    return re.sub(rf"\b(?:{'|'.join(sorted(names))})\b", lambda m: f"{m[0]}_{number}", text)


def pieces() -> Iterator[str]:
    """The examples again and again, each time under other names."""
    for number in count():
        yield renamed(parts()[number % len(parts())], number)


def file_of(lines: int) -> str:
    """A file of at least this many lines."""
    found, length, more = list[str](), 0, pieces()
    while length < lines:
        found.append(next(more))
        length += found[-1].count("\n") + 1
    return "\n".join(found)


def file_of_kernels(lines: int, kernels: int) -> str:
    """A file of about this many lines, shared out evenly among so many kernels of at least a dozen."""
    return "".join(_kernel(f"part_{number}", lines // kernels) for number in range(kernels))


def _kernel(name: str, lines: int) -> str:
    steps, rest = divmod(lines - 7, 4)
    blank = "\n" * rest
    body = "".join(
        f"    const float read_{k} = values[{steps} * i + {k}];\n"
        f"    const float bent_{k} = read_{k} * read_{k} + {k}.0f;\n"
        f"    const float kept_{k} = fmax(bent_{k}, 0.5f * read_{k});\n"
        f"    sum += kept_{k} * scale;\n"
        for k in range(steps)
    )
    return (
        f"__kernel void {name}(__global const float *restrict values,\n"
        f"                     __global float *restrict sums, const float scale)\n{{\n"
        f"    const int i = get_global_id(0);\n    float sum = 0.0f;\n{body}    sums[i] = sum;\n}}\n{blank}"
    )


def file_with_headers(lines: int, depth: int, folder: Path) -> str:
    """A file of at least this many lines whose last kernel uses what nested headers, written to the folder, declare."""
    for level in range(depth):
        below = f'#include "level_{level + 1}.h"\n' if level + 1 < depth else ""
        value = f"SHARE_{level + 1} * 2" if below else "1"
        (folder / f"level_{level}.h").write_text(
            f"#ifndef LEVEL_{level}\n#define LEVEL_{level}\n{below}#define SHARE_{level} ({value})\n"
            f"inline float shared_{level}(const float value)\n{{\n    return value * SHARE_{level};\n}}\n#endif\n",
            "utf-8",
        )
    top, call = ('#include "level_0.h"\n', "shared_0") if depth else ("", "fabs")
    user = f"__kernel void user(__global float *restrict out)\n{{\n    out[get_global_id(0)] = {call}(2.0f);\n}}\n"
    return f"{top}{file_of(lines)}\n{user}"
