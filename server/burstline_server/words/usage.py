"""Why the command line, or a file that it names, cannot be used."""

from __future__ import annotations

from typing import Literal

from burstline_server.words.nearest import did_you_mean, shortened

Unusable = Literal[
    "answer_not_written", "does_not_grow", "empty_folder", "is_link", "left_out", "lists_needed", "memory_not_bound",
    "name_needed", "names_and_lists_needed", "no_client", "no_file_named", "no_such_code", "no_such_config",
    "no_such_file", "no_such_kernel", "no_such_page", "no_such_path", "no_such_variant", "not_looked_at", "not_written",
    "numbers_needed", "pair_needed", "places_needed", "plots_needed", "shtab_needed", "speed_needed",
    "stdin_too_long", "stdin_unreadable", "too_low", "too_many_values", "unknown_word", "unprintable", "unreadable",
    "unroll_needed",
]  # fmt: skip

_TEXTS: dict[Unusable, str] = {
    "answer_not_written": "the answer cannot be written: {0}",
    "does_not_grow": "{0} {1}: this range does not grow",
    "empty_folder": "{0}: no {1} file in this folder",
    "is_link": "{0}: is a link to {1}; name the file itself",
    "left_out": "{0!r} is left out: its name cannot be printed",
    "lists_needed": "{0} {1}: write lists as 1,2,4 or 1..16 or 1..64*2 (doubling)",
    "memory_not_bound": "no run on {0} is bounded by its memory",
    "name_needed": "say which: burstline boards {0} NAME|FILE",
    "names_and_lists_needed": "{0} {1}: write it as {0} NAME=16,32,64",
    "no_client": "standard input is closed: there is no client to serve",
    "no_file_named": "no file is named",
    "no_such_code": "{0} {1}: no finding has this code",
    "no_such_config": "--config {0}: no such file",
    "no_such_file": "{0}: no such file",
    "no_such_kernel": "no kernel is called {0!r}",
    "no_such_page": "no finding has the code {0}; the nearest: {1}",
    "no_such_path": "{0}: no such file or folder",
    "no_such_variant": "--apply {0}: there are variants 1 to {1}",
    "not_looked_at": "{0!r}: cannot be looked at ({1})",
    "not_written": "{0}: cannot be written ({1})",
    "numbers_needed": "{0} {1}: whole numbers are needed",
    "pair_needed": "{0} {1}: write it as {0} NAME=VALUE",
    "places_needed": "--place {0}: write it as --place x=0,y=1",
    "plots_needed": "the plot needs matplotlib: pip install 'burstline[plots]'",
    "shtab_needed": "the shell's completion needs shtab: pip install 'burstline[completion]'",
    "speed_needed": "--form A needs the speed of the link to the host, more than 0 GB/s: --host-gb-s 6",
    "stdin_too_long": "standard input holds more than {0} bytes",
    "stdin_unreadable": "standard input cannot be read",
    "too_low": "{0} {1}: values from {2} on",
    "too_many_values": "{0} {1}: between 1 and {2} values",
    "unknown_word": "unknown option or argument: {0}",
    "unprintable": "{0!r}: its name cannot be printed",
    "unreadable": "{0}: cannot be read ({1})",
    "unroll_needed": "--unroll {0}: write it as --unroll LINE:1,2,4",
}
_QUOTED: frozenset[Unusable] = frozenset({"no_such_kernel"})
"""What is nearest is written as it would be in the text."""


def unusable_text(kind: Unusable, *names: object, nearest: str | None = None, known: str = "") -> str:
    """Why something cannot be used, what is nearest to it, and what there is."""
    shown = (name if isinstance(name, int | float) else shortened(str(name)) for name in names)
    text = _TEXTS[kind].format(*shown) + did_you_mean(nearest, quoted=kind in _QUOTED)
    return f"{text}; there are: {known}" if known else text
