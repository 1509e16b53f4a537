"""Chains of operations: through what a value came from where one iteration begins, or from a load.

A chain starts at a *mark*: a variable at the start of an iteration (``sum%3``: of loop 3), what a private array holds
then (``[acc]%3``), a load (``@07``, on-chip ``@17``), or what a channel brought (``@~c``). Of several chains from one
mark the longest counts.
"""

from __future__ import annotations

from collections.abc import Collection, Container, Iterable
from functools import lru_cache

Step = tuple[str, tuple[int, ...]]
"""An operation (``float add``), and the loops it is in."""
Chain = tuple[tuple[Step, int], ...]
"""Steps with how often each occurs, in order of their names."""
Chains = tuple[tuple[str, Chain], ...]
"""Chains by mark."""

MAX_CHAINS = 12
"""Most marks that one value keeps apart, besides one of the innermost loop; those with the longest chains stay."""
MAX_STEPS = 24
"""Most different steps of one chain."""
_ROUGH = {"add": 6.0, "multiply-add": 6.0, "mul": 5.0, "fused mul": 1.0, "div": 20.0, "load": 60.0, "sqrt": 25.0}
_INTEGER = 1.0
SELECT = "select"
"""The operation that chooses between two values; it takes no time."""


@lru_cache(maxsize=4096)
def rough_length(chain: Chain) -> float:
    """A chain's length for comparisons, the same on every device."""
    total = 0.0
    for (kind, _), count in chain:
        base, _, operation = kind.partition(" ")
        if operation != SELECT:
            total += count * (_INTEGER if base == "int" else _ROUGH.get(operation, 4.0))
    return total


def joined(parts: Iterable[Chains]) -> Chains:
    """The chains of a value made of others: the longest from each mark."""
    kept = [part for part in parts if part]
    if not kept:
        return ()
    if len(kept) == 1:
        return kept[0]
    longest: dict[str, Chain] = {}
    for part in kept:
        for mark, chain in part:
            known = longest.get(mark)
            if known is None or rough_length(chain) > rough_length(known):
                longest[mark] = chain
    if len(longest) > MAX_CHAINS:
        # Marks of iterations matter more than loads, and loops wait for on-chip memory more often than for global.
        order = sorted(longest, key=lambda m: (m.startswith("@"), m.startswith("@0"), -rough_length(longest[m])))
        innermost = max(order, key=_loop)
        longest = {mark: longest[mark] for mark in {*order[:MAX_CHAINS], innermost}}
    return tuple(sorted(longest.items()))


def _loop(mark: str) -> int:
    """The loop of a mark, -1 for that of a load; loops are numbered as they begin."""
    return int(mark.rpartition("%")[2]) if "%" in mark else -1


def load_mark(access: int, *, on_chip: bool) -> str:
    """The mark of a load by its number."""
    return f"@{int(on_chip)}{access}"


def extended(chains: Chains, kind: str, loops: tuple[int, ...]) -> Chains:
    """Every chain with one more operation at its end."""
    step = (kind, loops)
    return tuple([(mark, _with(chain, step)) for mark, chain in chains])


@lru_cache(maxsize=8192)
def _with(chain: Chain, step: Step) -> Chain:
    steps = dict(chain)
    if step not in steps and len(steps) >= MAX_STEPS:
        return chain
    steps[step] = steps.get(step, 0) + 1
    return tuple(sorted(steps.items()))


def added(a: Chain, b: Chain) -> Chain:
    """One chain after the other."""
    steps = dict(a)
    for step, count in b:
        steps[step] = steps.get(step, 0) + count
    return tuple(sorted(steps.items()))


def without(chains: Chains, loop: int) -> Chains:
    """The chains that do not start in an iteration of `loop`."""
    end = f"%{loop}"
    return tuple(c for c in chains if not c[0].endswith(end))


def lanewise(chains: Chains, whole: str, lane: str) -> Chains:
    """The chains of what a variable of this name, and its lanes, give one lane of it: each gives its own alone."""
    found: dict[str, Chain] = {}
    for mark, chain in chains:
        name, sign, loop = mark.rpartition("%")
        own = f"{lane}{sign}{loop}" if name == whole or name.startswith(f"{whole}.") else mark
        if own not in found or rough_length(chain) > rough_length(found[own]):
            found[own] = chain
    return tuple(sorted(found.items()))


def outside(chains: Chains, loop: int, steps: Collection[Step] | None = None) -> Chains:
    """The chains with steps, or the given ones, that the copies of an unrolled loop do side by side, not in turn."""
    return tuple((mark, _outside(chain, loop, steps)) for mark, chain in chains)


def _outside(chain: Chain, loop: int, steps: Collection[Step] | None) -> Chain:
    found = dict[Step, int]()
    for step, count in chain:
        kind, around = step
        alone = (kind, tuple(i for i in around if i != loop)) if steps is None or step in steps else step
        found[alone] = found.get(alone, 0) + count
    return tuple(sorted(found.items()))


def without_loops(chain: Chain, loops: Container[int]) -> Chain:
    """A chain with steps that these loops do not repeat."""
    return tuple(((kind, tuple(i for i in around if i not in loops)), n) for (kind, around), n in chain)


def times_in(chain: Chain, loop: int, times: int) -> Chain:
    """A chain through so many rounds of a loop alone."""
    found = dict[Step, int]()
    for (kind, around), n in chain:
        step = (kind, tuple(i for i in around if i != loop))
        found[step] = found.get(step, 0) + n * (times if loop in around else 1)
    return tuple(sorted(found.items()))


def loads_side_by_side(ends: Iterable[Chains], loop: int) -> frozenset[Step]:
    """The loads of a loop's iterations whose addresses none of them gets from the one before."""
    own, of_others = set[Step](), set[Step]()
    for chains in ends:
        for mark, chain in chains:
            steps = {step for step, _ in chain if loop in step[1] and step[0].endswith(" load")}
            (own if mark.endswith(f"%{loop}") else of_others).update(steps)
    return frozenset(of_others - own)


def from_mark(chains: Chains, mark: str) -> Chain | None:
    """The chain from a mark, None when the value does not come from it."""
    return next((chain for name, chain in chains if name == mark), None)


def from_loads(chains: Chains) -> dict[int, Chain]:
    """The chains that start at loads, by the load's id."""
    return {int(m[2:]): chain for m, chain in chains if m.startswith("@") and not m.startswith(_FROM_CHANNEL)}


_FROM_CHANNEL = "@~"


def channel_mark(name: str) -> str:
    """The mark of what is read from a channel."""
    return f"{_FROM_CHANNEL}{name}"


def from_channels(chains: Chains) -> frozenset[str]:
    """The channels that a value was read from."""
    return frozenset(mark[len(_FROM_CHANNEL) :] for mark, _ in chains if mark.startswith(_FROM_CHANNEL))


def marks_in_use(seen: Iterable[Chains], own: str) -> frozenset[str]:
    """The marks of what an iteration gives away, or decides by; those that begin with `own` are of the place itself."""
    return frozenset(mark for chains in seen for mark, _ in chains if not mark.startswith(own))
