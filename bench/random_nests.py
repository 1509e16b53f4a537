"""Random kernels, run work-item by work-item, against how often the model says that their accesses are made.

    python -m bench.random_nests [--kernels 600] [--first 0] [--shown 10] [--large]

Nests of counted, doubled, halved and falling loops, with conditions on ids, counters and arguments, breaks,
returns in front of loops, and values on the way. Each statement is made twice: as text, and as a function that does
the same in Python.
"""

from __future__ import annotations

import operator
import random
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import product

from bench.random_kernels import options, print_shares
from bench.traces.said import said_of

from burstline_server.assessment.assessor import Assessor
from burstline_server.config.layers import Layer

ARGUMENTS = {"n": 37, "m": 20, "k": 9, "h": 24}
Sizes = Mapping[int, tuple[tuple[int, ...], tuple[int, ...]]]
SIZES: Sizes = {
    0: ((1,), (1,)), 1: ((96,), (32,)), 2: ((48, 20), (16, 4)),
}  # fmt: skip
"""Global and local size by the number of dimensions; a single work-item has none."""
LARGE = {0: SIZES[0], 1: ((1500,), (50,)), 2: ((192, 60), (16, 4))}
"""So many work-items that not all of them are looked at."""
MOST_RUN = 3_000_000
"""Kernels that make more accesses are left out."""
NEAR = 0.01
MOST_DEPTH, MOST_ACCESSES = 4, 8
_COMPARES = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "==": operator.eq, "!=": operator.ne,
}  # fmt: skip

State = dict[str, int]
Number = Callable[[State], int]
Run = Callable[[State], None]


class _BreakError(Exception):
    """A loop is left."""


class _ContinueError(Exception):
    """An iteration is left."""


class _ReturnError(Exception):
    """A work-item is done."""


@dataclass
class Kernel:
    """A kernel as text, and what one work-item does: `run` counts each buffer's accesses under the buffer's name."""

    text: str
    run: Run
    dimensions: int
    buffers: Sequence[str]

    def counted(self, sizes: Sequence[int], group: Sequence[int]) -> Counter[str]:
        """How often each buffer is accessed in a launch."""
        found: Counter[str] = Counter()
        for at in product(*map(range, sizes if self.dimensions else ())):
            state = {**ARGUMENTS, **dict(zip("xy", at, strict=False)), "l": at[0] % group[0] if at else 0}
            state |= dict.fromkeys(self.buffers, 0)
            with suppress(_ReturnError):
                self.run(state)
            found.update({name: state[name] for name in self.buffers})
        return found


@dataclass
class _Writer:
    draw: random.Random
    lines: list[str] = field(default_factory=list)
    buffers: list[str] = field(default_factory=list)
    variables: int = 0

    def line(self, depth: int, text: str) -> None:
        self.lines.append("    " * (depth + 1) + text)

    def new(self, letter: str) -> str:
        self.variables += 1
        return f"{letter}{self.variables}"

    def bound(self, names: Sequence[str]) -> tuple[str, Number]:
        """What a loop runs to, or a condition compares with."""
        one, two = self.draw.choice(list(ARGUMENTS)), self.draw.choice(list(ARGUMENTS))
        number = self.draw.choice([3, 4, 8, 10, 17, 32])
        forms: list[tuple[str, Number]] = [
            (one, lambda s: s[one]), (str(number), lambda _: number), (f"{one} - 1", lambda s: s[one] - 1),
            (f"{one} / 2", lambda s: s[one] // 2), (f"({one} + 3) / 4", lambda s: (s[one] + 3) // 4),
            (f"min({one}, {two})", lambda s: min(s[one], s[two])),
        ]  # fmt: skip
        if names:
            name = self.draw.choice(names)
            forms += [(name, lambda s: s[name]), (f"{name} + 1", lambda s: s[name] + 1)]
            forms += [(f"{one} - {name}", lambda s: s[one] - s[name])]
        return self.draw.choice(forms)

    def condition(self, names: Sequence[str], *, joined: bool = True) -> tuple[str, Number]:
        kind = self.draw.random()
        if joined and kind < 0.24:
            (one, first), (two, second) = self.condition(names, joined=False), self.condition(names, joined=False)
            if kind < 0.12:
                return f"({one}) && ({two})", lambda s: first(s) and second(s)
            return (f"({one}) || ({two})", lambda s: first(s) or second(s)) if kind < 0.2 else (
                f"!({one})", lambda s: not first(s)
            )  # fmt: skip
        name = self.draw.choice(list(names) or list(ARGUMENTS))
        if kind < 0.45:
            divisor = self.draw.choice([2, 3, 4, 8])
            rest = self.draw.randrange(divisor)
            return f"{name} % {divisor} == {rest}", lambda s: s[name] % divisor == rest
        sign = self.draw.choice(list(_COMPARES))
        text, number = self.bound([other for other in names if other != name])
        return f"{name} {sign} {text}", lambda s: _COMPARES[sign](s[name], number(s))

    def access(self, depth: int, names: Sequence[str]) -> Run:
        name = f"b{len(self.buffers) + 1}"
        self.buffers.append(name)
        place = " + ".join([*(f"{one} * {self.draw.choice([1, 2, 64])}" for one in names[-2:]), "1"])
        store = self.draw.random() < 0.5
        self.line(depth, f"{name}[{place}] = 1;" if store else f"sum += {name}[{place}];")

        def run(state: State) -> None:
            state[name] += 1

        return run

    def block(self, depth: int, names: Sequence[str], *, jumps: bool) -> Run:
        own = list(names)
        parts = [self.statement(depth, own, jumps=jumps) for _ in range(self.draw.choice([1, 1, 2, 2, 3]))]

        def run(state: State) -> None:
            for part in parts:
                part(state)

        return run

    def statement(self, depth: int, names: list[str], *, jumps: bool) -> Run:
        kind = self.draw.random()
        if kind < 0.25 or depth >= MOST_DEPTH or len(self.buffers) >= MOST_ACCESSES:
            return self.access(depth, names)
        if kind < 0.62:
            return self.loop(depth, names)
        if kind < 0.85:
            return self.branch(depth, names, jumps=jumps)
        if kind < 0.93 and jumps:
            return self.jump(depth, names, self.draw.choice(["break", "continue"]))
        if kind < 0.96 and not depth and names:
            return self.jump(depth, names, "return")
        return self.value(depth, names)

    def branch(self, depth: int, names: Sequence[str], *, jumps: bool) -> Run:
        text, holds = self.condition(names)
        self.line(depth, f"if ({text}) {{")
        then = self.block(depth + 1, names, jumps=jumps)
        otherwise = None
        if self.draw.random() < 0.4:
            self.line(depth, "} else {")
            otherwise = self.block(depth + 1, names, jumps=jumps)
        self.line(depth, "}")

        def run(state: State) -> None:
            if holds(state):
                then(state)
            elif otherwise is not None:
                otherwise(state)

        return run

    def jump(self, depth: int, names: Sequence[str], word: str) -> Run:
        text, holds = self.condition(names)
        self.line(depth, f"if ({text}) {word};")
        error = {"break": _BreakError, "continue": _ContinueError, "return": _ReturnError}[word]

        def run(state: State) -> None:
            if holds(state):
                raise error

        return run

    def value(self, depth: int, names: list[str]) -> Run:
        name, of, number = self.new("t"), self.draw.choice(names or ["n"]), self.draw.choice([2, 3, 4])
        forms: list[tuple[str, Number]] = [
            (f"{of} + {number}", lambda s: s[of] + number), (f"{of} * {number}", lambda s: s[of] * number),
            (f"{of} / {number}", lambda s: s[of] // number), (f"{of} % {number}", lambda s: s[of] % number),
            (f"{of} >> 1", lambda s: s[of] >> 1),
        ]  # fmt: skip
        text, worth = self.draw.choice(forms)
        self.line(depth, f"int {name} = {text};")
        names.append(name)

        def run(state: State) -> None:
            state[name] = worth(state)

        return run

    def loop(self, depth: int, names: Sequence[str]) -> Run:
        name = self.new("i")
        head, counts = self.draw.choice([self.rising, self.rising, self.falling, self.doubled, self.halved])(
            name, names
        )
        self.line(depth, f"for ({head}) {{")
        body = self.block(depth + 1, [*names, name], jumps=True)
        self.line(depth, "}")

        def run(state: State) -> None:
            for at in counts(state):
                state[name] = at
                try:
                    body(state)
                except _ContinueError:
                    continue
                except _BreakError:
                    break

        return run

    def rising(self, name: str, names: Sequence[str]) -> tuple[str, Callable[[State], Iterator[int] | range]]:
        (text, end), step = self.bound(names), self.draw.choice([1, 1, 1, 2, 3, 4])
        first = self.draw.choice(["0", "0", "0", "1", "2", *names[-1:]])
        head = f"int {name} = {first}; {name} < {text}; {name} += {step}"
        return head, lambda s: range(s[first] if first in s else int(first), end(s), step)

    def falling(self, name: str, names: Sequence[str]) -> tuple[str, Callable[[State], Iterator[int] | range]]:
        (text, first), step, last = self.bound(names), self.draw.choice([1, 1, 2]), self.draw.choice([0, 1])
        head = f"int {name} = {text}; {name} >= {last}; {name} -= {step}"
        return head, lambda s: range(first(s), last - 1, -step)

    def doubled(self, name: str, names: Sequence[str]) -> tuple[str, Callable[[State], Iterator[int] | range]]:
        (text, end), factor = self.bound(names), self.draw.choice([2, 2, 4])

        def counts(state: State) -> Iterator[int]:
            at = 1
            while at < end(state):
                yield at
                at *= factor

        return f"int {name} = 1; {name} < {text}; {name} *= {factor}", counts

    def halved(self, name: str, names: Sequence[str]) -> tuple[str, Callable[[State], Iterator[int] | range]]:
        text, first = self.bound(names)

        def counts(state: State) -> Iterator[int]:
            at = first(state)
            while at > 0:
                yield at
                at >>= 1

        return f"int {name} = {text}; {name} > 0; {name} >>= 1", counts


def made(seed: int) -> Kernel:
    """The kernel of a seed."""
    writer = _Writer(random.Random(seed))  # noqa: S311 - a test, no secret
    dimensions = writer.draw.choice([0, 0, 1, 2])
    names = [*"xy"[:dimensions], *(["l"] if dimensions else [])]
    ids = [f"int {one} = get_global_id({n});" for n, one in enumerate("xy"[:dimensions])]
    run = writer.block(0, names, jumps=False)
    if not writer.buffers:
        first, last = run, writer.access(0, names)

        def run(state: State) -> None:
            first(state)
            last(state)

    buffers = ", ".join(f"__global int *restrict {one}" for one in [*writer.buffers, "out"])
    arguments = ", ".join(f"int {one}" for one in ARGUMENTS)
    begin = [*ids, *(["int l = get_local_id(0);"] if dimensions else []), "int sum = 0;"]
    ends = f"out[{' + '.join(names) or '0'}] = sum;"
    lines = [f"    {one}" for one in begin] + writer.lines + [f"    {ends}"]
    text = f"__kernel void nest({buffers}, {arguments})\n{{\n" + "\n".join(lines) + "\n}\n"
    return Kernel(text, run, dimensions, writer.buffers)


@dataclass(frozen=True)
class Counted:
    """How often accesses of one buffer are made, and how often the model says: None where it says nothing."""

    buffer: str
    made: int
    said: float | None
    result: str
    """"equal", "range" (a range is said that holds it), "data" (said to be decided by data), "not known", "differs"."""


def compared(kernel: Kernel, sizes_of: Sizes = SIZES) -> list[Counted]:
    """Each buffer of a kernel; none of one that makes too many accesses."""
    sizes, group = sizes_of[kernel.dimensions]
    seen = kernel.counted(sizes, group)
    if sum(seen.values()) > MOST_RUN:
        return []
    launch = {"arguments": ARGUMENTS, **({"global_size": sizes, "local_size": group} if kernel.dimensions else {})}
    layers = [Layer("option", {"report": "off"}), Layer("file", {"kernels": {"nest": launch}})]
    done = Assessor().assess(kernel.text, "nest.cl", layers)
    said = said_of(done.kernels[0], done.source, done.target)
    found = []
    for name in kernel.buffers:
        # An access that several units serve is said once for each.
        own = {(one.line, one.executions, one.range, one.data) for one in said if one.pointer == name}
        number = None if any(e is None for _, e, _, _ in own) else sum(e or 0.0 for _, e, _, _ in own)
        if number is not None and abs(number - seen[name]) <= NEAR * max(number, seen[name]):
            result = "equal"
        elif number is None:
            result = "not known"
        elif any(range_ for _, _, range_, _ in own) and number >= seen[name]:
            result = "range"
        else:
            result = "data" if any(data for *_, data in own) else "differs"
        found.append(Counted(name, seen[name], number, result))
    return found


def main(argv: Sequence[str] | None = None) -> int:
    """Print how many are equal, and some that are not."""
    parser = options(__doc__)
    parser.add_argument("--large", action="store_true", help="launches in which some work-items are looked at, not all")
    arguments = parser.parse_args(argv)
    results, shown = Counter[str](), []
    for seed in range(arguments.first, arguments.first + arguments.kernels):
        found = compared(made(seed), LARGE if arguments.large else SIZES)
        results.update(one.result for one in found)
        shown += [(seed, one) for one in found if one.result == "differs"]
    print_shares(results)
    for seed, one in shown[: arguments.shown]:
        print(f"seed {seed}: {one.buffer} {one.made}, said {one.said:g}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
