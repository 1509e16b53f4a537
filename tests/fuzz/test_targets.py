"""What fuzzing starts from and what it once failed on passes every target, and so does a short walk from there."""

import importlib
import random
from pathlib import Path
from types import ModuleType

import pytest

from tests.fuzz.failures import Failure

TARGETS = sorted(p.stem for p in (Path(__file__).parent / "targets").glob("[a-z]*.py"))
FOUND = sorted((Path(__file__).parent / "found").glob("*/*"))
WALK = 40


@pytest.mark.parametrize("name", TARGETS)
def test_a_walk_from_the_seeds_finds_nothing(name: str) -> None:
    target = importlib.import_module(f"tests.fuzz.targets.{name}")
    chance, seeds = random.Random(name), target.seeds()
    target.check(seeds[0])
    for _ in range(WALK):
        data = chance.choice(seeds)
        for _ in range(chance.choice((1, 3, 9))):
            data = target.mutate(data, 4096, chance)
        passes(target, data)


def passes(target: ModuleType, data: bytes) -> None:
    """What is slow by itself is so again; others on the machine come and go."""
    try:
        target.check(data)
    except Failure as failure:
        if failure.place != "slow":
            raise
        target.check(data)


@pytest.mark.slow
@pytest.mark.parametrize("path", FOUND, ids=lambda p: f"{p.parent.name}-{p.stem}")
def test_what_failed_once_passes(path: Path) -> None:
    passes(importlib.import_module(f"tests.fuzz.targets.{path.parent.name}"), path.read_bytes())
