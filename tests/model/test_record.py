"""What every record can do."""

from dataclasses import FrozenInstanceError
from sys import getsizeof

import pytest
from pydantic import ValidationError

from burstline_model.body_operations import StepCount
from burstline_model.facts import Span
from burstline_model.record import Record

PLACE = Span(start=3, end=7)


class Remark(Record):
    """A text about a place."""

    span: Span
    text: str


def test_a_copy_with_other_values_is_the_record_made_of_them() -> None:
    remark = Remark(span=PLACE, text="cut")
    copied = remark.model_copy(update={"text": "short"})
    assert copied == Remark(span=PLACE, text="short")
    assert hash(copied) == hash(Remark(span=PLACE, text="short"))
    place = {"start": 3, "end": 7, "file": None}
    assert (copied.model_dump(), remark.text) == ({"span": place, "text": "short"}, "cut")
    assert remark.model_copy(deep=True) == remark


def test_neither_records_nor_their_copies_keep_a_set_each_of_the_fields_given() -> None:
    remark = Remark(span=PLACE, text="cut")
    others = (Remark(span=Span(start=1, end=2, file="k.h"), text=""), remark.model_copy())
    assert {id(one.model_fields_set) for one in others} == {id(remark.model_fields_set)}


def test_a_copy_is_as_immutable_and_strict_as_the_record() -> None:
    copied = Remark(span=PLACE, text="cut").model_copy()
    with pytest.raises(ValidationError):
        copied.text = "short"  # type: ignore[misc]
    with pytest.raises(ValidationError):
        Remark.model_validate({"span": {"start": 3, "end": 7, "width": 4}, "text": ""})


def test_what_a_file_has_most_of_takes_a_third_of_a_record() -> None:
    steps, remark = StepCount(operation="int add", loops=(), count=1), Remark(span=PLACE, text="cut")
    assert 3 * getsizeof(steps) <= getsizeof(remark) + getsizeof(vars(remark)) + getsizeof(remark.model_fields_set)
    with pytest.raises(FrozenInstanceError):
        steps.count = 2  # type: ignore[misc]
