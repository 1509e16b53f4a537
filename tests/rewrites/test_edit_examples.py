"""Every kind of edit has a kernel on which it is offered and leaves the same, and a page that shows both."""

from __future__ import annotations

import pytest
from bench.edit_examples import ROOT, page, path_of, shown

from burstline_server.interpreter.verdicts import Equal
from burstline_server.rewrites.catalogue import REWRITES
from burstline_server.rewrites.rewrite import Rewrite


@pytest.mark.parametrize("edit", REWRITES, ids=lambda edit: edit.name)
def test_an_example_shows_the_edit_and_leaves_the_same(edit: Rewrite) -> None:
    assert path_of(edit).exists()
    _, offer, execution = shown(edit)
    assert isinstance(execution, Equal) if offer.is_executed else execution is None


def test_the_page_is_up_to_date() -> None:
    """Written by `python -m bench.edit_examples --markdown docs/rules/edit_examples.md`."""
    assert (ROOT / "docs" / "rules" / "edit_examples.md").read_text("utf-8") == page()
