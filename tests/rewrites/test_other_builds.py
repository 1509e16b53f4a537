"""An edit has no condition of the preprocessor between its lines: another build may have other text there."""

from __future__ import annotations

import pytest
from bench.edit_examples import shown

from burstline_server.rewrites.catalogue import REWRITES
from burstline_server.rewrites.other_builds import is_one_in_all
from burstline_server.rewrites.rewrite import Offer, Rewrite
from tests.rewrites.equality import assessed

CONDITION = "#ifdef OTHER_BUILD\n#endif\n"


def _between(text: str, offer: Offer, name: int) -> str | None:
    """The text with a condition in front of the line of the offer's last place in the kernel; None where it has one."""
    begin, end = text.rindex("\n", 0, text.index("{", name)), text.find("\n}", name)
    places = sorted((e.start, e.end) for e in offer.edits if begin < e.start <= end + 1)
    first = text.find("\n", places[0][0]) + 1 if places else 0
    last = text.rfind("\n", 0, places[-1][1]) + 1 if places else 0
    return text[:last] + CONDITION + text[last:] if 0 < first <= last else None


@pytest.mark.parametrize("edit", [e for e in REWRITES if not e.moves_nothing], ids=lambda edit: edit.name)
def test_no_edit_reaches_across_a_condition(edit: Rewrite) -> None:
    assessment, offer, _ = shown(edit)
    text = assessment.source.original.decode()
    facts = next(k.facts for k in assessment.kernels if k.facts.name == offer.kernel)
    made = _between(text, offer, facts.name_span.start)
    if made is None:
        pytest.skip("its places in the kernel are on one line")
    path = assessment.source.path or "k.cl"
    done = assessed(made, path=path)
    same = [o for kernel in done.kernels for o in edit.offers(done, kernel) if o.title == offer.title]
    assert same == []


TWO = """int helper(int a) { return a + 1; }
#ifdef ONE
int other;
#endif
__kernel void k(__global int *x)
{
    x[0] = 1;
#ifdef ONE
    x[1] = 2;
#endif
    x[2] = 3;
}
"""


def _at(word: str, length: int = 0) -> tuple[int, int]:
    return TWO.index(word), TWO.index(word) + length


@pytest.mark.parametrize(
    ("edits", "fits"),
    [
        ([_at("x[0]"), _at("x[0] = 1;", 9)], True),
        ([_at("x[0]"), _at("x[2]")], False),
        ([_at("x[0]", 60)], False),
        ([_at("int helper"), _at("x[0]")], True),
        ([_at("int other"), _at("x[0]")], False),
        ([_at("x[1]"), _at("x[1] = 2", 8)], True),
    ],
)
def test_places_belong_together(edits: list[tuple[int, int]], *, fits: bool) -> None:
    kernel = assessed(TWO).kernels[0].facts.span
    assert is_one_in_all(TWO.encode(), edits, kernel, moves_nothing=False) is fits
    assert is_one_in_all(TWO.encode(), edits, kernel, moves_nothing=True) is (edits != [_at("x[0]", 60)])
