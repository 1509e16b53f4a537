"""The signature of the call that is being written."""

from __future__ import annotations

from burstline_model.record import fixed
from burstline_server.language.vocabulary import find, parameters_of
from burstline_server.names.cursor_context import context_at
from burstline_server.names.name_table import NameTable


@fixed
class Signature:
    """How a function is called; `active` counts the argument being written from 0."""

    label: str
    parameters: tuple[str, ...]
    text: str
    active: int


def signature_at(names: NameTable, text: bytes, offset: int) -> Signature | None:
    """The signature of the innermost open call at a byte of a text: the user's function, macro, or a built-in.

    A declaration is no call.
    """
    call = context_at(text, offset).call
    if call is None:
        return None
    own = names.find(call.name, "kernel", "function", "macro")
    if own is not None and any(one.file is None and one.start == call.start for one in (own.place, *own.declared)):
        return None
    if own is not None:
        label = own.detail.removeprefix("#define ") if own.kind == "macro" else own.detail
        start = label.find(call.name)
        parameters = parameters_of(label[max(start, 0) :])
        return Signature(label, parameters, "", min(call.argument, max(len(parameters) - 1, 0)))
    entry = find(call.name, "function")
    if entry is None:
        return None
    # The last parameter of a variadic function takes whatever follows.
    return Signature(entry.usage, entry.parameters, entry.text, min(call.argument, max(len(entry.parameters) - 1, 0)))
