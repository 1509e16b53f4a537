"""Why a name cannot be changed."""

from __future__ import annotations

from burstline_server.names.renaming import CannotRenameError, Obstacle

_TEXTS: dict[Obstacle, str] = {
    "member": "Members are not followed through their types: rename them by hand.",
    "elsewhere": "{0} is also written in {1}: rename it there as well, by hand.",
    "macro": "{0} is also used in the macro {1}: rename it by hand.",
    "directive": "{0} is also written in the directive in line {1}: rename it by hand.",
    "no_name": "{0!r} is no name.",
    "language": "{0} is a name of the language.",
    "in_use": "{0} is written in this file already.",
}


def cannot_rename_text(error: CannotRenameError) -> str:
    """Why a name cannot be changed."""
    return _TEXTS[error.kind].format(*error.names)
