"""Why there is nothing to explore, and why a variant cannot be made."""

from __future__ import annotations

from typing import Literal

from burstline_model.parallelism.knobs import KnobsError, KnobsMistake
from burstline_server.words.nearest import shortened

Nothing = Literal[
    "knobs", "no_cluster", "no_dask", "no_kernel", "no_loop", "no_such_kernel", "no_time", "not_kept", "not_offered",
    "not_regular", "not_results", "withheld",
]  # fmt: skip
"""Why there is nothing to explore."""
_KNOB_LABELS = {"simd": "SIMD", "compute_units": "compute units", "unroll": "unroll"}
_NOTHING: dict[Nothing, str] = {
    "knobs": "{0}: {1}",
    "no_cluster": "--scheduler {0}: no cluster answers there ({1})",
    "no_dask": "--scheduler needs Dask: pip install 'burstline[cluster]'",
    "no_kernel": "{0}: there is no kernel in it",
    "no_loop": "--unroll {0}: {1} has no loop on this line; its loops: {2}",
    "no_such_kernel": "{0}: no kernel is called {1!r}; there are: {2}",
    "no_time": "{0}: its time is not known: give --global-size, --arg and --trip, or compare variants with "
    "--assume-trips N",
    "not_kept": "{0}: results cannot be kept there ({1})",
    "not_offered": "{0}: the edit is not offered any more: {1}",
    "not_regular": "{0}: results cannot be kept there (not a regular file)",
    "not_results": "{0}: no file of kept results; choose another name",
    "withheld": "{0}: {1} has no figures: {2}",
}
NotMade = Literal["elsewhere", "no_fixed_group", "no_line", "no_line_of_loop", "defined_outside", "loop_gone"]
"""Why a variant cannot be made by editing the text."""
_NOT_MADE: dict[NotMade, str] = {
    "elsewhere": "{0} is in {1}",
    "no_fixed_group": "SIMD needs a fixed work-group size: give --local-size",
    "no_line": "{0} does not begin a separate line",
    "no_line_of_loop": "the loop over {0} does not begin a line of this file",
    "defined_outside": "{0} is defined outside this file: build with -D {0}={1}",
    "loop_gone": "there is no loop on line {0} any more",
}
_KNOBS: dict[KnobsMistake, str] = {
    "no_loop": "{0} has no loop {1}: its loops are 0 to {2}",
    "no_pointer": "{0} does not reach global memory through {1}: its pointers are {2}",
    "too_many": "{1:,} variants of {0}: at most {2:,} at once",
}


def nothing_text(why: Nothing, *names: object) -> str:
    """Why there is nothing to explore."""
    return _NOTHING[why].format(*(n if isinstance(n, int | float) else shortened(str(n)) for n in names))


def not_made_text(why: NotMade, *names: object) -> str:
    """Why a variant cannot be made by editing the text."""
    return _NOT_MADE[why].format(*names)


def knobs_text(error: ValueError) -> str:
    """What of the knobs a kernel does not have, or what else is wrong with them."""
    return _KNOBS[error.kind].format(*error.names) if isinstance(error, KnobsError) else str(error)


def knob_text(kind: str, line: int | None) -> str:
    """A knob in words: of a kernel, or of the loop on a line."""
    return _KNOB_LABELS[kind] if line is None else f"{_KNOB_LABELS[kind]} line {line}"


def no_knob_text(kernel: str, knob: str, value: int, known: str) -> str:
    """A knob that a kernel does not have, or not with this value."""
    return f"{knob} {value}: {kernel} has {known or 'no knobs'}"


def no_kernel_text(name: str) -> str:
    """A kernel that is not in the file."""
    return f"no kernel is called {name!r}"
