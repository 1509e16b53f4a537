"""More pointers than a board has banks: they share the banks evenly, and the time is the one of that placement."""

import pytest

from burstline_model.estimate.changes import OwnBanks
from burstline_server.rewrites.catalogue import offers_of
from burstline_server.words.changes import action_text, advice_text
from burstline_server.words.edits import short_title_text
from tests.assessing import assess

N = {"n": 1 << 24}


def added(count: int) -> str:
    """A kernel that adds up `count` buffers into one more."""
    names = "abcdefghijklm"[:count]
    parameters = ", ".join(f"__global const float *restrict {name}" for name in names)
    total = " + ".join(f"{name}[i]" for name in names)
    return f"""__kernel void add({parameters}, __global float *restrict y, int n)
{{
    #pragma unroll 16
    for (int i = 0; i < n; i++)
        y[i] = {total};
}}
"""


@pytest.mark.parametrize("count", [2, 4, 8])
def test_pointers_share_the_banks_that_exist(count: int) -> None:
    (kernel,) = assess(added(count), board="p385a", arguments=N).kernels
    change = kernel.estimate.levers[0].change
    assert isinstance(change, OwnBanks)
    assert len(change.seats) == 2
    assert sorted(name for one in change.seats for name in one) == sorted([*"abcdefgh"[:count], "y"])
    sizes = [len(one) for one in change.seats]
    assert abs(sizes[0] - sizes[1]) <= 1
    assert action_text(change) == "spread pointers evenly over 2 banks (interleaving off)"
    assert f"in bank 0; {change.seats[1][0]}" in advice_text(change)


def test_the_time_is_that_of_the_placement() -> None:
    (kernel,) = assess(added(8), board="p385a", arguments=N).kernels
    lever = kernel.estimate.levers[0]
    assert isinstance(lever.change, OwnBanks)
    banks = {name: bank for bank, one in enumerate(lever.change.seats) for name in one}
    (placed,) = assess(added(8), board="p385a", arguments=N, banks=banks, interleaving=False).kernels
    assert lever.after_s == pytest.approx(placed.estimate.time_s, rel=0.1)


def test_a_heavy_pointer_has_a_bank_for_itself() -> None:
    text = added(4).replace("a[i]", "(a[i] + a[i + n] + a[i + 2 * n] + a[i + 3 * n])")
    (kernel,) = assess(text, board="p385a", arguments=N).kernels
    seats = [lever.change.seats for lever in kernel.estimate.levers if isinstance(lever.change, OwnBanks)]
    assert seats
    assert ("a",) in seats[0]


def test_as_many_banks_as_pointers_are_one_each() -> None:
    (kernel,) = assess(added(1), board="p385a", arguments=N).kernels
    own = [lever.change for lever in kernel.estimate.levers if isinstance(lever.change, OwnBanks)]
    assert own
    assert action_text(own[0]) == "give each pointer its own bank (interleaving off)"


@pytest.mark.parametrize(
    ("count", "title"), [(1, "Place a, y in separate banks"), (4, "Spread a, b, c, d, y over 2 banks")]
)
def test_the_edit_says_how_many_banks_there_are(count: int, title: str) -> None:
    done = assess(added(count), board="p385a", arguments=N)
    assert title in [short_title_text(offer.title) for offer in offers_of(done)]
