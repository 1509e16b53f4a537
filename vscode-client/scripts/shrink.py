"""Saves screenshots with a small palette, at about a third of their size: shrink.py FOLDER."""

from __future__ import annotations

import sys
from pathlib import Path

from PIL import Image

COLOURS = 192

for path in Path(sys.argv[1]).glob("*.png"):
    with Image.open(path) as picture:
        small = picture.convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE)
    small.save(path, optimize=True)
