"""Shares of conditions are kept over edits that leave the conditions as they are, and only over those."""

import pytest

from burstline_model.walk import kept_shares
from tests.walk.walking import units

GUARDED = """__attribute__((reqd_work_group_size(64, 1, 1)))
__kernel void some(__global float *restrict y, int n)
{
    int i = get_global_id(0);
    if (%s)
        y[i] = %s;
}
"""
ITEMS = 4096


def share(condition: str, value: str, n: int) -> float:
    store = units(GUARDED % (condition, value), global_size=[ITEMS], arguments={"n": n})["store y"]
    return store.bytes / (4 * ITEMS)


def test_another_statement_takes_the_shares_over(monkeypatch: pytest.MonkeyPatch) -> None:
    kept_shares.forget_shares()
    assert share("i % 4 == 1 && i < n", "1.0f", 2048) == pytest.approx(1 / 8)

    def never(*_arguments: object) -> None:
        raise AssertionError

    monkeypatch.setattr("burstline_model.walk.guards._counted", never)
    assert share("i % 4 == 1 && i < n", "2.0f * n + 3.0f", 2048) == pytest.approx(1 / 8)


@pytest.mark.parametrize(
    ("condition", "n", "expected"),
    [
        ("i % 4 == 1 && i < n", 1024, 1 / 16),
        ("i % 2 == 1 && i < n", 2048, 1 / 4),
        ("i % 4 == 1 && i >= n", 3072, 1 / 16),
    ],
)
def test_other_conditions_and_arguments_do_not(condition: str, n: int, expected: float) -> None:
    share("i % 4 == 1 && i < n", "1.0f", 2048)
    assert share(condition, "1.0f", n) == pytest.approx(expected, rel=0.01)


def test_what_data_decide_is_asked_each_time() -> None:
    kept_shares.forget_shares()
    share("y[i] > 0.0f && (int)y[i] < n", "1.0f", 2048)
    assert kept_shares._shares.cache_info().currsize == 0
