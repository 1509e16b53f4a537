"""What joins the kernels of a split: the vendor's channels, or the pipes of OpenCL 2.0."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from burstline_model.record import fixed

DEPTH = 16
"""Least values that a joint holds. The vendor's compiler makes it deeper where the two kernels' pipelines need that."""


@fixed
class Joint:
    """One way that values of a type go from a memory to a compute kernel."""

    name: str
    type: str


class Joining(ABC):
    """How joints are written."""

    @abstractmethod
    def declared(self, joints: Sequence[Joint], text: bytes, end: str) -> str:
        """The lines before the kernels, in a file of this text with this line end."""

    @abstractmethod
    def arguments(self, joints: Sequence[Joint], *, sending: bool) -> tuple[str, ...]:
        """What a kernel takes as arguments for its joints."""

    @abstractmethod
    def sent(self, joint: Joint, value: str) -> str:
        """The statement that sends a variable's value."""

    @abstractmethod
    def received(self, joint: Joint, variable: str) -> tuple[str, ...]:
        """The statements that declare a variable with the next value."""


class Channels(Joining):
    """The vendor's channels: declared once for the file."""

    def declared(self, joints: Sequence[Joint], text: bytes, end: str) -> str:
        """The extension where the file does not enable it yet, and the channels."""
        head = "" if b"cl_intel_channels" in text else f"#pragma OPENCL EXTENSION cl_intel_channels : enable{end}"
        channels = (f"channel {j.type} {j.name} __attribute__((depth({DEPTH})));{end}" for j in joints)
        return f"{head}{''.join(channels)}{end}"

    def arguments(self, joints: Sequence[Joint], *, sending: bool) -> tuple[str, ...]:  # noqa: ARG002
        """None."""
        return ()

    def sent(self, joint: Joint, value: str) -> str:
        """A blocking write."""
        return f"write_channel_intel({joint.name}, {value});"

    def received(self, joint: Joint, variable: str) -> tuple[str, ...]:
        """A blocking read."""
        return (f"const {joint.type} {variable} = read_channel_intel({joint.name});",)


class Pipes(Joining):
    """OpenCL's pipes: arguments of both kernels, made by the host, blocking as the vendor's attribute makes them."""

    def declared(self, joints: Sequence[Joint], text: bytes, end: str) -> str:  # noqa: ARG002
        """A blank line: what a comment above says holds for all kernels that follow."""
        return end

    def arguments(self, joints: Sequence[Joint], *, sending: bool) -> tuple[str, ...]:
        """One for each joint, of the same depth in both kernels."""
        access = "write_only" if sending else "read_only"
        kind = f"__attribute__((blocking)) __attribute__((depth({DEPTH})))"
        return tuple(f"{access} pipe {j.type} {kind} {j.name}" for j in joints)

    def sent(self, joint: Joint, value: str) -> str:
        """A write of the variable."""
        return f"write_pipe({joint.name}, &{value});"

    def received(self, joint: Joint, variable: str) -> tuple[str, ...]:
        """A read into a new variable."""
        return f"{joint.type} {variable};", f"read_pipe({joint.name}, &{variable});"
