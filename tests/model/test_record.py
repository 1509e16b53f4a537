"""What every record can do."""

import pytest
from pydantic import ValidationError

from burstline_model.facts import Span


def test_a_copy_with_other_values_is_the_record_made_of_them() -> None:
    span = Span(start=3, end=7)
    copied = span.model_copy(update={"end": 9})
    assert copied == Span(start=3, end=9)
    assert hash(copied) == hash(Span(start=3, end=9))
    assert (copied.model_dump(), copied.file, span.end) == ({"start": 3, "end": 9, "file": None}, None, 7)
    assert span.model_copy(deep=True) == span


def test_neither_records_nor_their_copies_keep_a_set_each_of_the_fields_given() -> None:
    span = Span(start=3, end=7)
    others = (Span(start=1, end=2, file="k.h"), span.model_copy(), span.model_copy(update={"end": 9}))
    assert {id(one.model_fields_set) for one in others} == {id(span.model_fields_set)}


def test_a_copy_is_as_immutable_and_strict_as_the_record() -> None:
    copied = Span(start=3, end=7).model_copy()
    with pytest.raises(ValidationError):
        copied.start = 4  # type: ignore[misc]
    with pytest.raises(ValidationError):
        Span.model_validate({"start": 3, "end": 7, "width": 4})
