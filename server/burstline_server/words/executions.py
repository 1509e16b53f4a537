"""What comes of executing an edit: why it was not, and where it differs."""

from __future__ import annotations

from typing import assert_never

from burstline_server.interpreter.verdicts import Beyond, Different, Reason

_TEXTS: dict[Beyond, str] = {
    "argument": "no data can be made for argument {0}",
    "channel": "channel {0} is not declared in this file",
    "deadlock": "it waits for other kernels",
    "divergence": "its work-items do not meet at one barrier",
    "expression": "an expression is beyond the interpreter ({0})",
    "function": "{0}() is not known here",
    "inexact": "no made-up data keep its sums exact",
    "memory": "its variables take too much memory",
    "name": "{0} is not known here",
    "no_kernel": "{0} is not in this text",
    "no_trial": "no made-up data keep it inside its buffers",
    "recursion": "{0}() calls itself",
    "size": "it is too large",
    "statement": "a statement is beyond the interpreter ({0})",
    "steps": "it does not end soon enough",
    "syntax": "its text is not understood",
    "time": "it takes too long",
    "type": "type {0} is beyond the interpreter",
}


def not_executed_text(reason: Reason) -> str:
    """Why an edit was not executed."""
    return _TEXTS[reason.what].format(reason.name).replace(" ()", "")


def different_text(found: Different) -> str:
    """Where an executed edit goes wrong."""
    lengths = ", ".join(str(n) for n in found.lengths)
    match found.how:
        case "value":
            where = f"leaves another value in {found.buffer}[{found.element}]"
        case "sent":
            where = "sends other values through a channel"
        case "printed":
            where = "prints something else"
        case "bounds":
            where = f"reaches {found.buffer}[{found.element}], which the kernel does not touch"
        case "deadlock":
            where = "waits for ever"
        case "endless":
            where = "does not end"
        case "race":
            place = f"{found.buffer}[{found.element}]" if found.buffer else f"byte {found.element} of local memory"
            where = f"lets two work-items reach {place} with no barrier between, which the kernel does not"
        case "iterations_apart":
            return f"{_BROKEN}: two iterations meet at {found.buffer}[{found.element}]"
        case "not_read_later":
            return f"{_BROKEN}: {found.buffer}[{found.element}] is read after it was stored to"
        case "not_stored_later":
            return f"{_BROKEN}: {found.buffer}[{found.element}] is stored to after it was loaded"
        case "halves_apart":
            return f"{_BROKEN}: two parts of the outermost loop reach {found.buffer}[{found.element}]"
        case "exact_terms":
            return f"{_BROKEN}: a sum of it is rounded"
        case _:
            assert_never(found.how)
    return f"executed with whole-number arguments of {lengths}, it {where}"


_BROKEN = "whatever data it is executed with break what you would assert"
