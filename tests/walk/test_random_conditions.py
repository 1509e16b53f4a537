"""Conditions of all kinds on two ids: the work-items that store are as many as counting one by one finds."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.walk.walking import units

SIZES = [(96, 80), (320, 80), (80, 200)]


@st.composite
def comparison(draw: st.DrawFn, columns: int, rows: int) -> str:
    """A border, a part of rows or columns, or a diagonal."""
    name, size = draw(st.sampled_from([("c", columns), ("r", rows)]))
    border = draw(st.sampled_from([0, 1, 3, size // 2, size - 5, size - 1]))
    diagonal = draw(st.sampled_from([10, columns, columns + rows - 9]))
    return draw(
        st.sampled_from(
            [
                f"{name} {draw(st.sampled_from(['<', '<=', '>', '>=', '==', '!=']))} {border}",
                f"{name} % {draw(st.sampled_from([2, 3, 4]))} == 0",
                f"({name} & {draw(st.sampled_from([1, 3, 4]))}) != 0",
                f"({name} & 1)",
                f"c + r {draw(st.sampled_from(['<', '>']))} {diagonal}",
            ]
        )
    )


@st.composite
def condition(draw: st.DrawFn, columns: int, rows: int) -> str:
    """One comparison, the opposite of it, or up to three that are joined."""
    parts = draw(st.lists(comparison(columns, rows), min_size=1, max_size=3))
    text = f"({parts[0]})"
    for part in parts[1:]:
        text = f"({text} {draw(st.sampled_from(['&&', '||']))} {draw(st.sampled_from(['', '!']))}({part}))"
    return text


def count(text: str, columns: int, rows: int) -> int:
    """At how many places it holds, one by one."""
    python = text.replace("&&", " and ").replace("||", " or ").replace("!(", " not (")
    holds = eval(f"lambda c, r: {python}")  # noqa: S307
    return sum(bool(holds(c, r)) for r in range(rows) for c in range(columns))


@pytest.mark.parametrize(("columns", "rows"), SIZES)
def test_as_many_store_as_counting_one_by_one_finds(columns: int, rows: int) -> None:
    @settings(max_examples=25, deadline=None, derandomize=True)
    @given(condition(columns, rows))
    def stores(text: str) -> None:
        kernel = f"""__kernel void k(__global int *restrict y) {{
            int c = get_global_id(0), r = get_global_id(1);
            if {text} y[r * {columns} + c] = c;
        }}"""
        found = units(kernel, global_size=[columns, rows]).get("store y")
        bytes_stored = found.bytes if found else 0
        assert bytes_stored is not None
        assert bytes_stored / 4 == pytest.approx(count(text, columns, rows), rel=0.03, abs=2), text

    stores()
