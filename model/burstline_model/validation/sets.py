"""Published measurement sets, recognised by their files' columns."""

from __future__ import annotations

import json
from pathlib import Path

from burstline_model.validation import fpgamembench, hpcc, zaragoza
from burstline_model.validation.measurement import Measurement


def read_file(path: Path) -> list[Measurement] | None:
    """The rows of a set's file; None when it is none of the known sets."""
    try:
        with path.open(encoding="utf-8") as file:
            first = file.readline()
    except UnicodeDecodeError:
        return None
    if path.suffix == ".csv" and {"sheet", "kernel", "VEC"} <= set(first.strip().split(",")):
        return fpgamembench.read(path)
    if path.suffix == ".jsonl" and first.startswith("{"):
        corpus = str(json.loads(first).get("corpus", ""))
        if corpus.startswith("zaragoza"):
            return zaragoza.read(path)
        if corpus.startswith("hpcc"):
            return hpcc.read(path)
    return None


def read_folder(folder: Path) -> list[Measurement]:
    """The rows of every known set in a folder, by file name."""
    found: list[Measurement] = []
    for path in sorted(p for p in folder.iterdir() if p.suffix in {".csv", ".jsonl"}):
        found += read_file(path) or []
    return found
