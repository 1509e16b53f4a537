"""What kernels send that they make of what came back: the channels that an earlier iteration has read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from burstline_server.analysis.carried import mark_of
from burstline_server.analysis.chains import Chains, from_channels
from burstline_server.analysis.frames import OpenChannel
from burstline_server.analysis.values import Value


def read_before(channels: Sequence[OpenChannel], ends: Mapping[str, Value], loop: int) -> None:
    """Note for each write in a loop which channels an iteration before it has read for what it sends.

    `ends` are the variables at the end of an iteration.
    """
    brought = {mark_of(name, loop): from_channels(value.chains) for name, value in ends.items()}
    if not any(brought.values()):
        return
    for _ in ends:  # a variable may get it from another one
        more = {mark_of(n, loop): _through(v.chains, brought) | brought[mark_of(n, loop)] for n, v in ends.items()}
        if more == brought:
            break
        brought = more
    for one in channels:
        if one.operation.op == "write" and loop in one.operation.loops:
            one.later |= _through(one.sent, brought)


def _through(chains: Chains, brought: Mapping[str, frozenset[str]]) -> frozenset[str]:
    return frozenset[str]().union(*(brought.get(mark, frozenset()) for mark, _ in chains))
