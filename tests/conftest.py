"""Options of the test run."""

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--write-pictures", action="store_true", help="write what the browser shows to docs/pictures")
    parser.addoption("--write-snapshots", action="store_true", help="write what the surfaces say to tests/snapshots")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Files with tests that take long come first: no worker is left alone with one at the end."""
    slow = {item.path for item in items if item.get_closest_marker("slow") is not None}
    items.sort(key=lambda item: item.path not in slow)
