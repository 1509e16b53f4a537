"""Random addresses, request by request, against the words of memory that the model says they fetch.

    python -m bench.random_walks [--kernels 600] [--first 0] [--shown 10]

Each kernel has one access, in loops of a single work-item or in an NDRange without loops, so that the order of its
requests is known. Its index adds up multiples, quotients, remainders, masks and clamps of ids and counters, under a
condition or none. A unit without a cache holds the word it is at; of one with a cache every word is fetched once.
"""

from __future__ import annotations

import random
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from bench.random_kernels import options, print_shares

from burstline_server.assessment.assessor import Assessor
from burstline_server.config.layers import Layer

WORD_BYTES = 64
NEAR, FEW_WORDS = 0.03, 1
"""The share, and the number of words, by which a figure may differ and be called equal."""
ARGUMENTS = {"n": 37, "m": 20}
TYPES = {"int": 4, "short": 2, "char": 1, "float4": 16}
LAUNCHES: Sequence[tuple[Sequence[int], Sequence[int]]] = (
    ((512,), (64,)), ((512,), (32,)), ((96, 24), (16, 4)), ((96, 24), (8, 8)), ((96, 24), (32, 1)),
    ((8192,), (256,)), ((256, 64), (256, 1)), ((256, 96), (16, 16)), ((128, 128), (32, 2)),
)  # fmt: skip

State = Mapping[str, int]
Number = Callable[[State], int]


@dataclass(frozen=True)
class Kernel:
    """A kernel as text, its launch, and the addresses of its requests in the order in which they are issued."""

    text: str
    launch: Mapping[str, object]
    addresses: Sequence[int]
    bytes: int


@dataclass(frozen=True)
class Compared:
    """Words that requests fetch, and words that the model says; `result`: "equal", "range" or "differs"."""

    style: str
    fetched: int
    said: float
    result: str


def _term(draw: random.Random, name: str) -> tuple[str, Number]:
    by, few = draw.choice([1, 1, 2, 3, 4, 8, 16, 17, 32, 64, 100]), draw.choice([2, 3, 4, 8, 16])
    mask, argument = draw.choice([1, 3, 7, 15]), draw.choice(list(ARGUMENTS))
    forms: list[tuple[str, Number]] = [
        (f"{name} * {by}", lambda s: s[name] * by),
        (f"{name} * {by}", lambda s: s[name] * by),
        (f"{name} * {by}", lambda s: s[name] * by),
        (f"({name} / {few}) * {by}", lambda s: s[name] // few * by),
        (f"({name} % {few}) * {by}", lambda s: s[name] % few * by),
        (f"min({name} * {by}, {few * by})", lambda s: min(s[name] * by, few * by)),
        (f"max({name} - {few}, 0) * {by}", lambda s: max(s[name] - few, 0) * by),
        (f"({name} ^ {mask}) * {by}", lambda s: (s[name] ^ mask) * by),
        (f"({name} & ~{mask}) * {by}", lambda s: (s[name] & ~mask) * by),
        (f"{name} * {argument}", lambda s: s[name] * ARGUMENTS[argument]),
    ]
    return draw.choice(forms)


def _condition(draw: random.Random, names: Sequence[str]) -> tuple[str, Number]:
    one, two, few = draw.choice(names), draw.choice(names), draw.choice([2, 3, 4, 8])
    forms: list[tuple[str, Number]] = [
        (f"if ({one} % {few} == 1) ", lambda s: s[one] % few == 1),
        (f"if ({one} < {few}) ", lambda s: s[one] < few),
        (f"if ({one} <= {two}) ", lambda s: s[one] <= s[two]),
    ]
    return draw.choice(forms) if draw.random() < 0.4 else ("", lambda _: 1)


def made(seed: int) -> Kernel:
    """The kernel of a seed."""
    draw = random.Random(seed)  # noqa: S311 - a test, no secret
    sizes, group = draw.choice(LAUNCHES) if draw.random() < 0.5 else ((), ())
    names = list("xy"[: len(sizes)]) or list("ijk"[: draw.choice([1, 2, 2, 3])])
    loops = {} if sizes else {name: draw.choice([3, 5, 8, 10, 16, 33, 40, 100]) for name in names}
    terms = [_term(draw, draw.choice(names)) for _ in range(draw.choice([1, 1, 2, 2, 3]))]
    type_, first = draw.choice(["int", *TYPES]), draw.choice([0, 0, 1, 7])
    condition, holds = _condition(draw, names)

    index = " + ".join([*(text for text, _ in terms), str(first)])
    one = "(float4)(1.0f)" if type_ == "float4" else "1"
    lines = [f"int {name} = get_global_id({n});" for n, name in enumerate(names) if sizes]
    lines += [f"#pragma unroll 1\n    for (int {name} = 0; {name} < {n}; {name}++)" for name, n in loops.items()]
    text = "\n".join([
        "" if sizes else "__attribute__((max_global_work_dim(0)))",
        f"__kernel void walk(__global {type_} *restrict b, {', '.join(f'int {name}' for name in ARGUMENTS)})\n{{",
        *(f"    {line}" for line in lines),
        f"        {condition}b[{index}] = {one};\n}}\n",
    ])  # fmt: skip
    order = (
        _items(sizes, group)
        if sizes
        else (dict(zip(loops, at, strict=True)) for at in product(*map(range, loops.values())))
    )
    addresses = [(sum(of(s) for _, of in terms) + first) * TYPES[type_] for s in order if holds(s)]
    launch: dict[str, object] = {"arguments": ARGUMENTS}
    if sizes:
        launch |= {"global_size": sizes, "local_size": group}
    return Kernel(text, launch, addresses, TYPES[type_])


def _items(sizes: Sequence[int], group: Sequence[int]) -> Iterator[State]:
    """Work-items group by group, in the shape of their group."""
    (columns, rows), (wide, high) = (*sizes, 1)[:2], (*group, 1)[:2]
    for top, left in product(range(0, rows, high), range(0, columns, wide)):
        for y, x in product(range(top, top + high), range(left, left + wide)):
            yield {"x": x, "y": y}


def words_of(kernel: Kernel, *, cached: bool) -> int:
    """Words that the requests fetch one after the other, or different ones where a cache keeps all of them."""
    found = [w for a in kernel.addresses for w in range(a // WORD_BYTES, (a + kernel.bytes - 1) // WORD_BYTES + 1)]
    return len(set(found)) if cached else sum(n == 0 or w != found[n - 1] for n, w in enumerate(found))


def compared(kernel: Kernel) -> Compared | None:
    """What is fetched and what is said; None where no unit is built, as nothing is ever accessed."""
    layers = [Layer("option", {"report": "off"}), Layer("file", {"kernels": {"walk": kernel.launch}})]
    (done,) = Assessor().assess(kernel.text, "walk.cl", layers).kernels
    walks = [unit.walk for unit in done.estimate.units if unit.walk is not None]
    if not walks or not kernel.addresses:
        return None
    lsu = done.estimate.units[0].lsu
    fetched = words_of(kernel, cached=bool(lsu.cache_bytes))
    said, low, high = (
        sum(getattr(walk, f"{which}_bytes") or 0.0 for walk in walks) / WORD_BYTES
        for which in ("fetched", "low", "high")
    )
    if abs(said - fetched) <= max(NEAR * fetched, FEW_WORDS):
        result = "equal"
    else:
        result = "range" if low < high and low <= fetched <= high else "differs"
    return Compared(lsu.style, fetched, said, result)


def main(argv: Sequence[str] | None = None) -> int:
    """Print how many are equal, and some that are not."""
    arguments = options(__doc__).parse_args(argv)
    results, shown, twice = Counter[str](), [], 0
    for seed in range(arguments.first, arguments.first + arguments.kernels):
        found = compared(made(seed))
        if found is None:
            continue
        results[found.result] += 1
        if found.result == "differs":
            shown.append((seed, found))
            twice += not found.fetched <= 2 * found.said <= 4 * found.fetched
    print_shares(results)
    print(f"{twice} by more than a factor of two")
    for seed, one in shown[: arguments.shown]:
        print(f"seed {seed}: {one.style} fetches {one.fetched} words, said {one.said:g}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
