"""Interleaved banks take turns every so many bytes: requests that lie a multiple of all of them apart meet in one."""

import pytest

from burstline_server.presentation.card_text import plain
from burstline_server.presentation.cards import kernel_card
from tests.assessing import assess

WORDS = """__kernel void k(__global const float *restrict a, __global float *restrict b, int pitch, int n)
{
    int x = get_global_id(0);
    float s = 0.0f;
    for (int i = 0; i < n; i++)
        s += a[x * pitch + i];
    b[x] = s;
}
"""


def gb_s(pitch: int, board: str, **settings: object) -> float:
    """What the memory delivers while each of many work-items reads the words of a row of its own."""
    n = 256
    done = assess(
        WORDS, board=board, global_size=1 << 16, f_max_mhz=400, arguments={"pitch": pitch, "n": n}, **settings
    )
    time = done.kernels[0].estimate.time_s
    assert time is not None
    return (1 << 16) * n * 64 / time / 1e9


@pytest.mark.parametrize(
    ("board", "pitch", "banks"),
    [
        ("de5net", 2048 // 4, 1), ("de5net", 8192 // 4, 1), ("de5net", 3 * 2048 // 4, 1),
        ("de5net", 1024 // 4, 2), ("de5net", (2048 + 64) // 4, 2), ("de5net", 8000, 2),
        ("p520", 4 * 4096 // 4, 1), ("p520", 2 * 4096 // 4, 2), ("p520", 4096 // 4, 4),
    ],
)  # fmt: skip
def test_rows_that_start_over_one_bank_get_what_one_bank_delivers(board: str, pitch: int, banks: int) -> None:
    of_one = {"de5net": 12.8, "p520": 19.2}[board]
    issued = 400e6 * 64 / 1e9
    assert gb_s(pitch, board) == pytest.approx(min(0.95 * of_one * banks, issued), rel=0.06)


def test_a_buffer_in_one_bank_and_a_board_of_one_bank_do_not_care() -> None:
    assert gb_s(512, "de5net", interleaving=False) == pytest.approx(gb_s(528, "de5net", interleaving=False))
    assert gb_s(1 << 12, "s10gx_ddr4_1866") == pytest.approx(gb_s((1 << 12) + 16, "s10gx_ddr4_1866"))


TWO = """__kernel void k(__global const float *restrict a, __global float *restrict b, int n)
{
    int x = get_global_id(0);
    for (int i = 0; i < n; i++)
        b[x * %d + i] = a[x * 2048 + i];
}
"""


def test_two_such_rows_may_be_in_different_banks() -> None:
    """Each of them is as slow as it is by itself; together they are not slower than spread over both."""
    times = []
    for pitch in (4096, 4112):
        (kernel,) = assess(
            TWO % pitch, board="de5net", global_size=1 << 16, f_max_mhz=400, arguments={"n": 256}
        ).kernels
        times.append(kernel.estimate.time_s)
    assert times[0] == pytest.approx(times[1])


@pytest.mark.parametrize(
    ("board", "pitch", "said"),
    [
        ("de5net", 2048, "a: requests 8.19 kB apart meet in 1 of 2 banks at a time; rows 64 B longer go round all"),
        ("p520", 2048, "a: requests 8.19 kB apart meet in 2 of 4 banks at a time"),
        ("de5net", 2064, ""),
        ("s10gx_ddr4_1866", 2048, ""),
    ],
)
def test_the_kernel_s_card_says_so(board: str, pitch: int, said: str) -> None:
    done = assess(WORDS, board=board, global_size=1 << 16, arguments={"pitch": pitch, "n": 256})
    text = plain(kernel_card(done, done.kernels[0]))
    assert said in text
    assert ("at a time" in text) == bool(said)
