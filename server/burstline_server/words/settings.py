"""What is wrong with a setting."""

from __future__ import annotations

from burstline_server.config.layers import Problem
from burstline_server.config.mistakes import Mistake, MistakeKind, Name, UnusableBoard
from burstline_server.words.boards import board_error_text
from burstline_server.words.nearest import did_you_mean, shortened

_TEXTS: dict[MistakeKind, str] = {
    "no_such_argument": "no argument is called {0!r}",
    "no_such_kernel": "no kernel is called {0!r}",
    "no_such_pointer": "no pointer is called {0!r}",
    "no_such_memory": "no memory is called {0!r}",
    "no_such_loop": "no loop begins on line {0}",
    "no_such_code": "no finding has the code {0}",
    "no_such_board": "no board is called {0!r}",
    "no_such_folder": "{0}: no such folder",
    "no_such_report": "report {0}: no such file or folder",
    "no_such_setting": "unknown setting {0!r}",
    "no_such_index": "unknown setting {0!r}",
    "none_of": "{0!r} is not one of ",
    "is_pointer": "{0!r} is a pointer and takes no number: its size follows from the launch",
    "has_fields": "{0!r} is a {1} and takes no number: give ",
    "not_in_type": "{0} = {1}: its type holds {2} to {3}",
    "not_in_bank": "bank {0} of {1}: {2} has banks 0 to {3}",
    "only_bank": "bank {0} of {1}: {2} has bank 0 alone, where {1} lies anyway",
    "not_required_size": "local_size {0}: the kernel has reqd_work_group_size({1})",
    "not_multiple": "global_size {0} is no multiple of the work-group's {1}",
    "run_once": "global_size {0} is not used: each kernel here is a single work-item",
    "no_macro": "{0!r} is no name of a macro",
    "no_value": "{0}= gives no value: write it as NAME=VALUE",
    "not_lower_case": "a comment with settings begins with '// burstline:', not '// {0}:'",
    "board_file": "a comment names a board, not a board file",
    "needs_list": "must be a list",
    "needs_three": "must be a list of three values at most",
    "needs_items": "must be a list that is not empty",
    "needs_table": "must be a table",
    "needs_text": "must be a text",
    "needs_switch": "must be true or false",
    "needs_number": "must be a number from {0} to {1}",
    "needs_whole_number": "must be a whole number from {0} to {1}",
    "needs_no_real": "must be a whole number from {0} to {1}; leave real numbers out: no size follows from them",
    "needs_bank": "must be a whole number from {0} to {1}, or the name of a memory",
    "needs_other": "must be something else",
    "not_a_version": "not a compiler version: {0!r} (write it as 18.1 or 17.1.1)",
    "outside": "{0} lies outside the workspace",
    "not_toml": "not valid TOML: {0}",
    "unreadable": "cannot be read: {0}",
    "unreadable_report": "report {0}: there is no report that can be read",
    "not_on_board": "device_family {0} and board {1} ({2}) exclude each other; boards of {0}: ",
}


def problem_text(problem: Problem) -> str:
    """What is wrong with a setting, in a sentence."""
    text = mistake_text(problem.mistake)
    return f"{problem.setting}: {text}" if problem.setting else text


def placed_text(problem: Problem) -> str:
    """The same, after the file and line that it is in."""
    place = f"{problem.path}:{problem.line}: " if problem.line else f"{problem.path}: " if problem.path else ""
    return f"{place}{problem_text(problem)}"


def mistake_text(mistake: Mistake | UnusableBoard) -> str:
    """A mistake with what is nearest to it, or what there is."""
    if isinstance(mistake, UnusableBoard):
        return board_error_text(mistake.error)
    return _TEXTS[mistake.kind].format(*map(_shown, mistake.names)) + _instead(mistake)


def _shown(name: Name) -> str | int | float:
    if isinstance(name, str):
        return shortened(name)
    return ",".join(map(str, name)) if isinstance(name, tuple) else name


_BARE: frozenset[MistakeKind] = frozenset({"no_such_folder", "no_such_report", "no_such_code"})
"""What is nearest is written without quotes: a path, or a code."""


def _instead(mistake: Mistake) -> str:
    """What to give instead."""
    kind, near = mistake.kind, mistake.nearest
    known = ", ".join(str(_shown(name)) for name in mistake.known)
    match kind:
        case "none_of":
            return known + did_you_mean(near)
        case "has_fields":
            return " and ".join(map(str, mistake.known))
        case "not_on_board":
            return known
        case "no_such_board":
            return f"; the nearest are {known}: choose one, or import yours (burstline boards import)"
        case "no_such_loop":
            return f"; loops begin on line {known}" if known else "; there is no loop"
        case _ if near is not None:
            return did_you_mean(near, quoted=kind not in _BARE)
        case "no_such_code":
            return ", such as BL106"
        case "no_such_setting":
            return f"; known keys: {known}"
        case "no_such_index":
            return f"; brackets go with {known}"
        case _:
            return f"; there is {known}" if known else ""
