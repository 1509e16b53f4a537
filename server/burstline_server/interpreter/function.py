"""What is known of a function once it is compiled."""

from __future__ import annotations

from burstline_model.record import fixed
from burstline_server.analysis.types import CType
from burstline_server.interpreter.kinds import Kind


@fixed
class Parameter:
    """A parameter: its type as values have it and as it was read; `space` is the address space that it names."""

    name: str
    kind: Kind
    type: CType
    space: str = ""


@fixed
class Function:
    """A compiled function: the name of its code, its parameters, whether work-items wait in it."""

    name: str
    code: str
    parameters: tuple[Parameter, ...]
    returns: Kind
    suspends: bool
    group: tuple[int, ...] | None = None
    """The size of work-groups that a kernel asks for."""
