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
        failure = failure_of(target, data)
        assert failure is None, failure


def failure_of(target: ModuleType, data: bytes) -> Failure | None:
    """What a target finds. What is slow by itself is so again; others on the machine come and go."""
    found: Failure | None = None
    for _ in range(2):
        try:
            target.check(data)
        except Failure as failure:
            found = failure
            if found.place != "slow":
                break
        else:
            return None
    return found


@pytest.mark.slow
@pytest.mark.parametrize("path", FOUND, ids=lambda p: f"{p.parent.name}-{p.stem}")
def test_what_failed_once_passes(path: Path) -> None:
    failure = failure_of(importlib.import_module(f"tests.fuzz.targets.{path.parent.name}"), path.read_bytes())
    assert failure is None, failure


def test_a_failure_of_a_target_is_found() -> None:
    target = ModuleType("target")

    def check(data: bytes) -> None:
        if data:
            raise Failure(data.decode())

    target.check = check  # type: ignore[attr-defined]
    found = [failure_of(target, data) for data in (b"", b"slow", b"ValueError at a.py:1")]
    assert [one.place if one else "" for one in found] == ["", "slow", "ValueError at a.py:1"]
