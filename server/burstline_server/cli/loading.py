"""Modules loaded without the garbage collector looking through them."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def to_stay() -> Iterator[None]:
    """What is loaded inside stays as long as the process: neither now nor later is it looked through for garbage."""
    gc.disable()
    try:
        yield
    finally:
        if not gc.get_freeze_count():  # a process that runs many commands would never let go of what they left
            gc.freeze()
        gc.enable()
