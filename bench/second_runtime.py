"""A second runtime next to PoCL, for what PoCL alone finds: Oclgrind (Debian's package of that name)."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

DRIVER = Path("/usr/lib/oclgrind/liboclgrind-rt-icd.so")


def is_there() -> bool:
    """Whether it is installed."""
    return DRIVER.is_file()


@contextmanager
def environment() -> Iterator[Mapping[str, str]]:
    """The environment of a process that gets it as its only runtime."""
    with TemporaryDirectory() as name:
        Path(name, "oclgrind.icd").write_text(f"{DRIVER}\n", "utf-8")
        quiet = {"OCLGRIND_LOG": str(Path(name, "log.txt")), "OCLGRIND_NUM_THREADS": "1"}
        yield {**os.environ, **quiet, "OCL_ICD_VENDORS": name}
