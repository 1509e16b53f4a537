"""What the editor extension brings along is whole on every platform and Python, also on those that are not at hand."""

import re
import subprocess
from pathlib import Path

import completeness
import package
import pytest

from tests.effort import EFFORT

pytestmark = pytest.mark.slow
SOME = (package.here(), "win32-x64")
"""In a usual run: what runs here, and what differs most from it. `make test-generated` has all."""
PLATFORMS = [target for target in package.TAGS if EFFORT > 1 or target in SOME]
TOUR = Path(__file__).resolve().parents[1] / "examples" / "tour.cl"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The server's own wheel."""
    return package.server_wheel(tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module", params=PLATFORMS)
def target(request: pytest.FixtureRequest) -> str:
    """One of VS Code's platforms."""
    return request.param


@pytest.fixture(scope="module")
def bundled(target: str, wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What is brought along for a platform."""
    folder = tmp_path_factory.mktemp(target) / "bundled"
    package.bundle(target, folder, wheel)
    return folder


def test_nothing_is_missing_for_any_python(bundled: Path, target: str) -> None:
    assert completeness.lacks(bundled, target) == []
    assert not (bundled / "bin").exists()  # programs there would be for this machine
    assert b"\r" not in (bundled / "__main__.py").read_bytes()


@pytest.mark.parametrize(
    ("damaged", "expected"),
    [
        ("cattrs-*.dist-info", r"(pygls|lsprotocol) needs cattrs.* on Python 3.11, 3.12, 3.13; the bundle has none"),
        ("platformdirs/__init__.py", r"platformdirs/__init__.py of platformdirs-.* is not there"),
        ("pydantic_core/_pydantic_core.c*312*", r"pydantic_core/_pydantic_core is not compiled for Python 3.12"),
    ],
)
def test_what_is_missing_is_reported(bundled: Path, target: str, damaged: str, expected: str) -> None:
    (found,) = bundled.glob(damaged)
    aside = bundled.parent / found.name
    found.rename(aside)
    try:
        assert any(re.match(expected, one) for one in completeness.lacks(bundled, target))
    finally:
        aside.rename(found)


def test_machine_code_for_another_platform_is_reported(bundled: Path, target: str) -> None:
    others = [t for t in package.TAGS if completeness.FORMATS[t] != completeness.FORMATS[target]]
    for other in others:
        foreign = [one for one in completeness.lacks(bundled, other) if one.endswith(f"is not for {other}")]
        assert len(foreign) > 50, other


def pythons() -> list[str]:
    """The Pythons of this machine that the bundle is for."""

    def runs(name: str) -> bool:
        try:
            return subprocess.run([name, "-c", ""], capture_output=True, check=False).returncode == 0
        except OSError:
            return False

    return [name for version in completeness.PYTHONS if runs(name := f"python{version}")]


def test_it_runs_here(bundled: Path, target: str, tmp_path: Path) -> None:
    if target != package.here():
        pytest.skip(f"this machine is no {target}")
    found = pythons()
    if not found:
        pytest.skip("no python3.11, python3.12 or python3.13 on the path")
    for python in found:
        for command, shown in (("check", "Burst-coalesced non-aligned"), ("explore", "4 variants")):
            words = [python, "-I", str(bundled), command, str(TOUR)]
            done = subprocess.run(words, capture_output=True, text=True, cwd=tmp_path, check=False)
            assert shown in done.stdout, (python, done.stdout, done.stderr)
