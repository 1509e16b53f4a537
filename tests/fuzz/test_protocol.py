"""A few steps of a user against the real server, drawn so that a failing sequence shrinks."""

import random
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule

from tests.fuzz.workspace import RULES, Workspace

pytestmark = pytest.mark.slow


class User(RuleBasedStateMachine):
    """The rules of the long run, each drawn as often as there; what was asked is answered, as a fresh server would."""

    def __init__(self) -> None:
        super().__init__()
        self._folder = tempfile.TemporaryDirectory()
        self._chance = random.Random(0)
        self.editing = Workspace(Path(self._folder.name).resolve(), self._chance)

    @rule(of=st.sampled_from([one for one, weight in RULES for _ in range(weight)]), seed=st.integers(0, 999))
    def step(self, of: Callable[[Workspace, random.Random], None], seed: int) -> None:
        (of if self.editing.texts else Workspace.open)(self.editing, random.Random(seed))
        self.editing.client.check()

    def teardown(self) -> None:
        try:
            self.editing.compare(self._chance)
        finally:
            self.editing.end()
            self._folder.cleanup()


TestUser = User.TestCase
TestUser.settings = settings(
    max_examples=2, stateful_step_count=60, deadline=None, derandomize=True, database=None,
    suppress_health_check=[HealthCheck.too_slow],
)  # fmt: skip


def test_a_server_that_is_restarted_goes_on_as_before(tmp_path: Path) -> None:
    chance = random.Random(1)
    editing = Workspace(tmp_path.resolve(), chance)
    try:
        for _ in range(3):
            editing.open(chance)
            editing.type(chance)
        editing.restart(chance)
        editing.configure(chance)
        assert editing.compare(chance) > 0
    finally:
        editing.end()
