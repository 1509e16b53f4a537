"""Nests in which each column needs the one before and each row the row before: rows can run side by side, in step."""

import pytest

from burstline_server.words.changes import action_text
from tests.assessing import assess

ALIGNED = """
__attribute__((max_global_work_dim(0)))
__kernel void align(__global const char *restrict one, __global const char *restrict other,
                    __global int *restrict best, int gap)
{
    int row[513];
    int most = 0;
    for (int j = 0; j <= 512; j++)
        row[j] = 0;
    for (int i = 0; i < 4096; i++) {
        char letter = other[i];
        int corner = 0, left = 0;
        for (int j = 0; j < 512; j++) {
            int up = row[j + 1], match = corner + (one[j] == letter ? 2 : -1);
            VALUE
            corner = up;
            row[j + 1] = value;
            left = value;
            most = max(most, value);
        }
        AFTER
    }
    *best = most;
}
"""
CALLS = "int value = max(max(match, 0), max(up - gap, left - gap));"
CHOICES = "int value = match > 0 ? match : 0; value = up - gap > value ? up - gap : value;"
LEFT = "value = left - gap > value ? left - gap : value;"
IN_STEP = "let several iterations over i run side by side"


def actions(value: str, after: str = "") -> list[str]:
    """What the answer says to do, the first first."""
    text = ALIGNED.replace("corner = 0", "corner = row[0]") if after else ALIGNED
    (kernel,) = assess(text.replace("VALUE", value).replace("AFTER", after), arguments={"gap": 1}).kernels
    return [action_text(lever.change) for lever in kernel.estimate.levers]


@pytest.mark.parametrize("value", [CALLS, CHOICES + LEFT])
def test_rows_of_an_alignment_run_side_by_side(value: str) -> None:
    assert actions(value)[0].startswith(IN_STEP)


@pytest.mark.parametrize("value", [CALLS, CHOICES + LEFT])
def test_copies_of_a_loop_that_hands_on_its_largest_value_promise_nothing(value: str) -> None:
    # Each copy waits for the one before, whether a call or a choice takes the larger of two.
    assert not any("unroll" in action for action in actions(value))


def test_columns_that_hand_nothing_on_are_unrolled() -> None:
    assert "unroll" in actions(CHOICES)[0]


def test_rows_that_need_the_end_of_the_row_before_stay_in_turn() -> None:
    assert not any(one.startswith(IN_STEP) for one in actions(CALLS, "row[0] = left;"))


def test_a_chain_of_choices_in_a_nest_asks_for_other_data() -> None:
    # Nothing passes from row to row but what the whole row has come to.
    text = ALIGNED.replace("int corner = 0, left = 0;", "int corner = 0;")
    text = text.replace("int most = 0;", "int most = 0, left = 0;").replace("VALUE", CALLS).replace("AFTER", "")
    (kernel,) = assess(text, arguments={"gap": 1}).kernels
    assert [action_text(one.change) for one in kernel.estimate.levers][:1] == ["run independent data side by side"]
