"""Draws docs/pictures/check.svg: what `burstline check` prints for a kernel, as a picture for the README.

.venv/bin/python docs/make_picture.py
"""

from __future__ import annotations

import contextlib
import io
from html import escape
from pathlib import Path

from burstline_server.cli.main import main

ROOT = Path(__file__).resolve().parents[1]
KERNEL = "examples/tour.cl"
LINE_PX, CHARACTER_PX, LONGEST = 19, 7.85, 132


def printed() -> list[str]:
    """The lines of the real command's output, long ones cut."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        main(["check", str(ROOT / KERNEL), "--kernel", "blur", "--kernel", "closing"])
    lines = out.getvalue().replace(str(ROOT) + "/", "").splitlines()
    return [line if len(line) <= LONGEST else line[: LONGEST - 1] + "…" for line in lines]


def drawn(lines: list[str]) -> str:
    """The lines as SVG text."""
    lines = [f"$ burstline check {KERNEL} --kernel blur --kernel closing", "", *lines]
    width, height = round(LONGEST * CHARACTER_PX) + 32, len(lines) * LINE_PX + 32
    rows = []
    for i, line in enumerate(lines):
        colour = "#8ab4f8" if line.startswith(("$", "examples")) else "#f6c177" if "BL1" in line else "#e6e6e6"
        y = 28 + i * LINE_PX
        rows.append(f'<text x="16" y="{y}" fill="{colour}" xml:space="preserve">{escape(line)}</text>')
    body = "\n".join(rows)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" role="img" '
        f'aria-label="Output of burstline check" font-family="DejaVu Sans Mono, Menlo, Consolas, monospace" '
        f'font-size="13">\n<rect width="100%" height="100%" rx="8" fill="#1d2026"/>\n{body}\n</svg>\n'
    )


if __name__ == "__main__":
    (ROOT / "docs" / "pictures" / "check.svg").write_text(drawn(printed()), "utf-8", newline="\n")
