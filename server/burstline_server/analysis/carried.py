"""What one iteration of a loop hands to the next: recurrences of variables."""

from __future__ import annotations

from collections.abc import Container, Mapping

from burstline_model.body_operations import Recurrence, StepCount
from burstline_server.analysis.chains import Chain, added, joined, rough_length
from burstline_server.analysis.values import Value


def mark_of(name: str, loop: int) -> str:
    """The mark of a variable at the start of an iteration."""
    return f"{name}%{loop}"


def steps_of(chain: Chain) -> tuple[StepCount, ...]:
    """A chain as the facts keep it."""
    return tuple(StepCount(operation=kind, loops=loops, count=count) for (kind, loops), count in chain)


def cycles(
    ends: Mapping[str, Value], loop: int, zeros: Container[str] = (), observed: Container[str] = ()
) -> list[Recurrence]:
    """The recurrences through variables: values at an iteration's end (by name) that come from its start.

    `zeros` are the variables that are 0 before the loop; `observed` the marks of those that each iteration stores.
    A variable may come back to itself through a second one; then it takes two iterations.
    """
    chains: dict[tuple[str, str], Chain] = {}
    marks = {mark_of(source, loop): source for source in ends}
    for name, value in ends.items():
        for mark, chain in value.chains:
            if mark in marks:
                chains.setdefault((marks[mark], name), chain)
    found = [
        Recurrence(
            names=(name,), steps=steps_of(chain), distance=1, from_zero=name in zeros,
            observed=mark_of(name, loop) in observed,
        )
        for (source, name), chain in chains.items()
        if source == name and rough_length(chain)
    ]  # fmt: skip
    for (source, name), chain in chains.items():
        back = chains.get((name, source))
        if source < name and back is not None and rough_length(added(chain, back)):
            found.append(Recurrence(names=(source, name), steps=steps_of(added(chain, back)), distance=2))
    return found


_CHOOSES = (" compare", " select")


def taken_in(ends: Mapping[str, Value], loop: int) -> frozenset[str]:
    """The marks of carried values that another carried value takes in, so that the result of each iteration counts.

    `ends`: see `cycles`. A largest value and what is kept with it are chosen together: that is none.
    """
    chains = {name: dict(value.chains) for name, value in ends.items()}
    chosen = {mark for name, held in chains.items() if _chooses(held.get(mark := mark_of(name, loop)))}
    found = set[str]()
    for name, held in chains.items():
        if (own := mark_of(name, loop)) in held:
            found |= {mark for mark, chain in held.items() if mark != own and not (mark in chosen and _chooses(chain))}
    return frozenset(found)


def _chooses(chain: Chain | None) -> bool:
    return chain is not None and all(kind.endswith(_CHOOSES) for (kind, _), _ in chain)


def marked(value: Value, name: str, loop: int) -> Value:
    """A value as an iteration of `loop` begins."""
    return value._replace(chains=joined([value.chains, ((mark_of(name, loop), ()),)]))
