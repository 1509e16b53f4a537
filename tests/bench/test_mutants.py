"""The mutants that always run are changes of the model as it is."""

import ast

from bench.mutants.generate import MODEL, every, named


def test_named_mutants_change_one_place_of_the_model() -> None:
    for mutant in named():
        changed, whole = mutant.text(), (MODEL / mutant.path).read_text("utf-8")
        assert changed != whole
        if mutant.path.endswith(".py"):
            ast.parse(changed)
    assert len(named()) == 13


def test_areas_hold_mutants_of_tables_and_of_code() -> None:
    assert {m.area for m in every(["boards", "rules"])} == {"boards", "rules"}
