"""Runs tests against a changed model, each mutant in a fork of a process that holds everything but the model."""

from __future__ import annotations

import contextlib
import importlib
import math
import os
import resource
import shutil
import signal
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest
from bench.mutants.generate import MODEL, Mutant
from hypothesis import HealthCheck, settings

ROOT = MODEL.parents[1]
SLOWER = 2
"""A mutant that takes so many times the processor time of the unchanged model never ends."""
PRELOADED = ("hypothesis", "jsonschema", "lsprotocol.types", "pydantic", "pygls", "tqdm", "tree_sitter")
"""What every mutant needs and none changes."""
BY_HAND = ("tests/model/test_board_numbers.py", "tests/model/test_faithful_numbers.py")
SLOW = ("tests/model/test_calibrated.py", "tests/model/test_validation.py")
GUARDS: dict[str, tuple[tuple[str, ...], ...]] = {
    "boards": (
        (BY_HAND[0], "tests/resources/test_resource_rows.py"),
        ("tests/model/test_measured_numbers.py",),
        BY_HAND,
    ),
    "latencies": (("tests/pipeline/test_latencies.py",), ("tests/pipeline/test_wang_numbers.py",), ("tests/pipeline",)),
    "resources": (("tests/resources/test_resource_rows.py",), ("tests/resources",)),
    "equations": (BY_HAND, ("tests/model/test_measured_numbers.py", "tests/model/test_roofline.py"), ("tests/model",)),
    "pipeline": (("tests/pipeline/test_wang_numbers.py", "tests/pipeline/test_intervals.py"), ("tests/pipeline",)),
    "units": (("tests/compiler",), ("tests/walk", "tests/model", "tests/pipeline")),
    "rules": (("tests/compiler",), ("tests/rules",)),
    "estimate": ((*BY_HAND, "tests/compiler/test_conditions.py", "tests/walk"), ("tests/model", "tests/pipeline")),
}
"""The tests that guard an area, fast ones first."""
THEN = (
    (
        "tests/model",
        "tests/compiler",
        "tests/pipeline",
        "tests/resources",
        "tests/test_verdict.py",
        "tests/test_sizes.py",
    ),
    ("tests/test_examples.py", "tests/walk", "tests/explore", "tests/rules", "tests/cli", "tests/test_variants.py"),
    SLOW,
)
"""The tests that guard them all."""


@dataclass(frozen=True)
class Verdict:
    """What became of a mutant: `killed_by` is the first test that fails, None where none does."""

    mutant: Mutant
    killed_by: str | None


class _FirstFailure:
    """Keeps the name of the first test that fails."""

    name: str | None = None

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed and self.name is None:
            self.name = report.nodeid

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed and self.name is None:
            self.name = report.nodeid


def verdicts(mutants: Sequence[Mutant], jobs: int, *, own: bool = False) -> Iterator[Verdict]:
    """Run all mutants, `jobs` at a time; each verdict as it is found. `own`: the tests of a mutant's area alone.

    The unchanged model runs first: raises ValueError where a test fails on it, since that test would kill them all.
    """
    for name in PRELOADED:
        importlib.import_module(name)
    longest_s = SLOWER * unchanged_s()
    waiting = list(reversed(mutants))
    running: dict[int, tuple[Mutant, Path]] = {}
    while waiting or running:
        while waiting and len(running) < jobs:
            mutant, folder = waiting.pop(), Path(tempfile.mkdtemp(prefix="mutant-"))
            running[_start(mutant, folder, longest_s, own=own)] = mutant, folder
        pid, status = os.wait()
        mutant, folder = running.pop(pid)
        yield Verdict(mutant, _ended(folder, status) or None)


def unchanged_s() -> float:
    """The processor time that all tests take on the unchanged model; raises ValueError where one fails."""
    path = "facts.py"
    folder = Path(tempfile.mkdtemp(prefix="unchanged-"))
    pid = _start(Mutant("estimate", path, "", partial((MODEL / path).read_text, "utf-8")), folder, math.inf, own=False)
    _, status, usage = os.wait4(pid, 0)
    if failed := _ended(folder, status):
        raise ValueError(f"{failed} fails on the unchanged model")
    return usage.ru_utime + usage.ru_stime


def _ended(folder: Path, status: int) -> str:
    """What ended a mutant's tests, empty where they all passed; its folder is removed."""
    found = (folder / "failed").read_text("utf-8") if (folder / "failed").exists() else ""
    if os.WIFSIGNALED(status):
        ended = os.WTERMSIG(status)
        found = "it never ends" if ended in {signal.SIGXCPU, signal.SIGKILL} else f"signal {ended}"
    shutil.rmtree(folder, ignore_errors=True)
    return found


def _start(mutant: Mutant, folder: Path, longest_s: float, *, own: bool) -> int:
    copy = folder / "burstline_model"
    shutil.copytree(MODEL, copy)
    (copy / mutant.path).write_text(mutant.text(), "utf-8")
    pid = os.fork()
    if pid:
        return pid
    try:
        if math.isfinite(longest_s):
            resource.setrlimit(resource.RLIMIT_CPU, (int(longest_s), int(longest_s) + 5))
        (folder / "failed").write_text(_first_failure(mutant.area, folder, own=own) or "", "utf-8")
    except BaseException as error:  # noqa: BLE001 - a fork must never return into its parent's loop
        (folder / "failed").write_text(f"it does not start: {error!r}", "utf-8")
    os._exit(0)


def _first_failure(area: str, folder: Path, *, own: bool) -> str | None:
    """The first test that fails against the model in `folder`; this process loads that model for good.

    `own`: of the tests that guard the area alone.
    """
    paths = [str(path) for path in (folder, ROOT / "server", ROOT)]
    sys.path[:0] = paths
    sys.dont_write_bytecode = True
    os.environ |= {"PYTHONPATH": os.pathsep.join(paths), "PYTHONDONTWRITEBYTECODE": "1"}
    os.chdir(ROOT)
    # A busy machine kills no mutant.
    settings.register_profile("patient", deadline=None, suppress_health_check=list(HealthCheck))
    settings.load_profile("patient")
    passed: list[str] = []
    for stage in (*GUARDS[area], *([] if own else THEN)):
        failure = _FirstFailure()
        tests = [test for test in stage if (ROOT / test).exists() and test not in passed]
        if not tests:
            continue  # pytest without a path runs all there is
        later = [f"--ignore={test}" for test in (*passed, *(() if stage is SLOW else SLOW))]
        passed += tests
        with (folder / "output").open("a") as output, contextlib.redirect_stdout(output), _errors_to(output.fileno()):
            code = pytest.main(["-q", "-x", "--no-header", "-p", "no:cacheprovider", *later, *tests], [failure])
        if code not in {pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED}:
            return failure.name or "it does not start"
    return None


@contextlib.contextmanager
def _errors_to(output: int) -> Iterator[None]:
    os.dup2(output, sys.stderr.fileno())
    yield
