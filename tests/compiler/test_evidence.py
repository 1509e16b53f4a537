"""Which rows of the compiler's rules are in force, by their evidence."""

from __future__ import annotations

from dataclasses import replace

from burstline_model.compiler.lsu_rules.evidence import Evidence
from burstline_model.compiler.lsu_rules.recorded import RECORDED
from burstline_model.compiler.lsu_rules.rule import Rule
from burstline_model.compiler.lsu_rules.rulebook import EVERY_ROW, RULEBOOK, Rulebook
from tests.assessing import assess

ALWAYS = Rule("prefetching", lambda _: "always", "made up")
ONE = Evidence("someone/kernels", won=3)
FORK = Evidence("another/kernels", won=4)
OTHER = Evidence("other/reports", won=1)


def test_a_row_of_one_repository_is_off() -> None:
    assert not replace(ALWAYS, evidence=(ONE,)).enabled


def test_a_fork_is_no_second_repository() -> None:
    assert not replace(ALWAYS, evidence=(ONE, FORK)).enabled


def test_two_repositories_or_a_document_turn_a_row_on() -> None:
    assert replace(ALWAYS, evidence=(ONE, OTHER)).enabled
    assert replace(ALWAYS, document="the guide").enabled


def test_a_row_that_loses_more_than_it_wins_is_off() -> None:
    against = Evidence("third/builds", won=1, lost=9)
    assert not replace(ALWAYS, evidence=(ONE, OTHER, against), document="the guide").enabled


def test_leaving_a_repository_out_drops_its_rows() -> None:
    own, shared, documented = (
        replace(ALWAYS, evidence=(ONE,)),
        replace(ALWAYS, evidence=(ONE, OTHER)),
        replace(ALWAYS, document="the guide", evidence=(ONE,)),
    )
    book = Rulebook((own, shared, documented), (), (), ())
    assert book.without_repository("someone/kernels").loads == (shared, documented)
    assert book.without_repository("another/kernels").loads == (shared, documented)
    assert book.without_repository("other/reports").loads == (shared, documented)


def test_who_refutes_a_row_is_not_known_when_left_out() -> None:
    against = Evidence("third/builds", won=1, lost=9)
    row = replace(ALWAYS, evidence=(ONE, OTHER, against))
    book = Rulebook((row,), (), (), ())
    assert not row.enabled
    assert book.without_repository("third/builds").loads == (row,)


def test_units_follow_the_rows_in_force() -> None:
    """A load that no work-item id reaches: one repository's 16.1 reports call it Simple."""
    text = "__kernel void f(__global int *restrict o, __global const int *restrict n) { o[get_global_id(0)] = n[0]; }"
    assessment = assess(text, device_family="Arria 10", aoc_version="16.1")
    simple = next(rule for rule in EVERY_ROW if rule.name == "simple")
    styles = {lsu.style for lsu in assessment.kernels[0].lsus}
    assert simple.enabled == ("Simple" in styles)


def test_every_record_is_of_a_row() -> None:
    keys = [rule.key for rule in EVERY_ROW]
    assert len(keys) == len(set(keys))
    assert set(RECORDED) <= set(keys)
    assert set(RULEBOOK) <= set(EVERY_ROW)
