"""Options of the test run."""

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--write-pictures", action="store_true", help="write what the browser shows to docs/pictures")
    parser.addoption("--write-snapshots", action="store_true", help="write what the surfaces say to tests/snapshots")
