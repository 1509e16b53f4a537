"""Options of the test run, the order of files, and an end to what takes far too long."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

PATIENCE_S = 60
"""Far above what a long text needs (about a second), far below what one quadratic pattern takes (many minutes)."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--write-pictures", action="store_true", help="write what the browser shows to docs/pictures")
    parser.addoption("--write-snapshots", action="store_true", help="write what the surfaces say to tests/snapshots")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """One more than there are processors: tests of servers and editors wait for them much of the time."""
    return (os.cpu_count() or 1) + 1


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Files with tests that take long come first: no worker is left alone with one at the end."""
    slow = {item.path for item in items if item.get_closest_marker("slow") is not None}
    items.sort(key=lambda item: item.path not in slow)


@pytest.fixture
def tmp_path(tmp_path: Path) -> Path:
    """A folder of a test's own, with nothing next to it: the folder above a file is searched for host programs."""
    folder = tmp_path / "own"
    folder.mkdir()
    return folder


@pytest.fixture
def patience() -> Iterator[None]:
    """End a test that takes longer."""
    if not hasattr(signal, "SIGALRM"):
        pytest.skip("needs alarms (POSIX)")
    signal.alarm(PATIENCE_S)
    yield
    signal.alarm(0)
