"""Positions in the units of every client, line ends of every kind."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from burstline_server.source.lines import Encoding, LineTable

TEXT = "a\tb\r\né🚀c\n\x0c\u2028d\re"


@pytest.mark.parametrize(
    ("encoding", "line", "column", "following"),
    [("utf-8", 1, 6, "c"), ("utf-16", 1, 3, "c"), ("utf-32", 1, 2, "c"), ("utf-16", 2, 2, "d"), ("utf-16", 3, 0, "e")],
)
def test_columns_count_in_the_units_of_the_client(encoding: Encoding, line: int, column: int, following: str) -> None:
    text = TEXT.encode()
    table = LineTable(text)
    offset = table.offset(line, column, encoding)
    assert text[offset:].decode().startswith(following)
    assert table.position(offset, encoding) == (line, column)


def test_form_feeds_and_line_separators_end_no_line() -> None:
    assert LineTable(TEXT.encode()).count == 4


def test_positions_beyond_a_line_or_the_text_mean_its_end() -> None:
    table = LineTable(b"ab\r\ncd")
    assert table.offset(0, 99) == 2
    assert table.offset(9, 0) == 6
    assert table.offset(-1, 0) == 0


@given(
    st.text(alphabet=st.sampled_from("aé🚀\t\r\n\x0c "), max_size=40), st.sampled_from(["utf-8", "utf-16", "utf-32"])
)
def test_every_character_survives_the_way_there_and_back(text: str, encoding: Encoding) -> None:
    data = text.encode()
    table = LineTable(data)
    offset = 0
    for character in text:
        line, column = table.position(offset, encoding)
        assert table.offset(line, column, encoding) in {offset, offset - 1 if character == "\n" else offset}
        offset += len(character.encode())
