"""The protocol library's types, loaded quickly: each class is finished when it is first used.

lsprotocol has attrs write the methods of more than 500 classes while it is imported, twice as long as all the rest of
a server takes to load, and a session uses a fifth of them. All works the same, later, where this is not called, or
where lsprotocol is loaded already or makes its classes in another way.
"""

from __future__ import annotations

import importlib
import sys
import threading
import typing

import attrs

_TYPES = "lsprotocol.types"
_define = attrs.define
_unfinished: set[type] = set()
_finishing = threading.RLock()


class _Unfinished:
    """Takes the place in a class of a name that attrs adds to it, and has it added when it is first looked for."""

    def __init__(self, owner: type, name: str) -> None:
        self.owner, self.name = owner, name

    def __get__(self, instance: object, owner: type) -> object:
        _finish(self.owner)
        return getattr(owner if instance is None else instance, self.name)


def load() -> None:
    """Import lsprotocol with its classes unfinished."""
    vars(attrs)["define"] = _later
    try:
        importlib.import_module(_TYPES)
    finally:
        vars(attrs)["define"] = _define
    if _unfinished:
        hooks = importlib.import_module("lsprotocol._hooks")
        # Otherwise the first converter looks into all types for names to resolve; `_finish` resolves those of each.
        vars(hooks)["_resolved_forward_references"] = True


def _later(class_: type | None = None, **options: typing.Any) -> typing.Any:
    if class_ is None or class_.__module__ != _TYPES or options or "__init__" in vars(class_):
        return _define(class_, **options)
    for name in ("__attrs_attrs__", "__init__"):
        setattr(class_, name, _Unfinished(class_, name))
    _unfinished.add(class_)
    return class_


def _finish(class_: type) -> None:
    with _finishing:
        if class_ in _unfinished:
            class_.__annotations__ = typing.get_type_hints(class_, vars(sys.modules[_TYPES]), include_extras=True)
            # Slots would need a new class, and this one is known already.
            _define(class_, init=True, slots=False)
            _unfinished.discard(class_)
