"""The protocol's long run: ``python -m tests.fuzz.protocol --steps 200000 --seed 1``.

A user's steps, drawn by chance, against the real server; after every few hundred its answers are held against those
of a fresh server. A sequence is named by its seed: ``--sequence SEED`` plays that one alone. Exit status 1 when
something failed.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from tests.fuzz.failures import Failure
from tests.fuzz.workspace import RULES, Workspace, folders_of

LENGTH = 1500
"""Steps from one comparison with a fresh server to the next."""
SEQUENCES = 3
"""Comparisons in one folder."""
WAITING = 24
"""Most requests that wait for an answer at once."""


def play(editing: Workspace, chance: random.Random, steps: int, done: Counter[str]) -> None:
    """Some steps, and the comparison; raises `Failure`."""
    rules, weights = [rule for rule, _ in RULES], [weight for _, weight in RULES]
    for _ in range(steps):
        rule = chance.choices(rules, weights)[0] if editing.texts else Workspace.open
        rule(editing, chance)
        done[rule.__name__] += 1
        editing.client.check()
        if editing.client.open_requests > WAITING:
            editing.client.settle()
    editing.compare(chance)


def main() -> int:
    """Run, and report what was done."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=200_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--sequence", help="play one sequence alone")
    parser.add_argument("--files", type=Path, help="a folder with public files: each sequence opens those of one below")
    parser.add_argument("--length", type=int, default=LENGTH, help="steps from one comparison to the next")
    arguments = parser.parse_args()
    started, done, failed = time.monotonic(), Counter[str](), 0
    slowest_s = memory_mb = 0.0
    number = 0
    public = folders_of(arguments.files) if arguments.files else ()
    while done.total() < arguments.steps:
        seed = arguments.sequence or f"{arguments.seed}.{number}"
        number += 1
        chance = random.Random(seed)
        with tempfile.TemporaryDirectory() as place:
            editing = Workspace(Path(place).resolve(), chance, chance.choice(public) if public else ())
            try:
                for _ in range(SEQUENCES):
                    play(editing, chance, arguments.length, done)
                    done["compare"] += 1
                    slowest_s = max(slowest_s, editing.client.slowest_s)
                    memory_mb = max(memory_mb, editing.client.server.memory_mb)
                    if chance.random() < 0.4:
                        editing.restart(chance)
                        done["restart"] += 1
            except Failure as failure:
                failed += 1
                sys.stdout.write(f"FAILED --sequence {seed}: {failure}\n"[:6000])
            finally:
                editing.end()
        sys.stdout.write(
            f"{done.total()} steps, {done['compare']} comparisons, {failed} failures, "
            f"{time.monotonic() - started:.0f} s, an answer within {slowest_s:.2f} s of work, {memory_mb:.0f} MB\n"
        )
        sys.stdout.flush()
        if arguments.sequence:
            break
    sys.stdout.write(", ".join(f"{name} {count}" for name, count in done.most_common()) + "\n")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
