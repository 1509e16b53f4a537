"""Banks and ports that attributes give an array in local memory, and what more copies of a loop make of it."""

from __future__ import annotations

import pytest

from burstline_server.words.verdict import headline, limit_line
from tests.assessing import assess

ROWS = """
#define WIDTH 16
__attribute__((max_global_work_dim(0)))
__kernel void twice(__global const float *restrict x, __global float *restrict y, int n)
{
    __local float {given} row[1024];
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < 1024; j += WIDTH) {
            #pragma unroll
            for (int k = 0; k < WIDTH; k++)
                row[j + k] = x[j + k];
        }
        for (int j = 0; j < 1024; j += WIDTH) {
            #pragma unroll
            for (int k = 0; k < WIDTH; k++)
                y[j + k] = {read};
        }
    }
}
"""
WHOLE = "numbanks(1), bankwidth(4 * WIDTH), numreadports(1), numwriteports(1)"


def cycles(given: str, read: str = "row[j + k]") -> list[float]:
    """What an iteration of the two inner loops takes, in cycles; the first stores, the second reads."""
    text = ROWS.replace("{given}", f"__attribute__((memory, {given}))" if given else "").replace("{read}", read)
    (kernel,) = assess(text, arguments={"n": 100_000}, board="p520mx", f_max_mhz=300).kernels
    loops = kernel.estimate.loops
    return [loops[1].turns, loops[3].turns]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("", [1, 1]),
        (WHOLE, [1, 1]),
        (WHOLE.replace("4 * WIDTH", "16"), [4, 4]),
        ("numbanks(4), bankwidth(16), numreadports(1), numwriteports(1)", [1, 1]),
        ("numbanks(4), bankwidth(8), numreadports(1), numwriteports(1)", [2, 2]),
        ("numbanks(4), bankwidth(8), numreadports(2), numwriteports(1)", [2, 1]),
        ("numbanks(1), bankwidth(16), singlepump", [2, 1]),  # two ports, and as many copies for reads as it takes
        ("numbanks(1), bankwidth(16), doublepump", [1, 1]),
        ("numbanks(1), bankwidth(16), max_replicates(2), singlepump", [2, 2]),  # a port of each copy takes the stores
        ("numbanks(1), bankwidth(16), max_replicates(2), doublepump", [1, 1]),
        ("numbanks(1)", [1, 1]),  # as wide as what is moved
        ("numbanks(1), bankwidth(UNKNOWN), numreadports(1)", [1, 1]),
    ],
)
def test_what_falls_into_one_bank_takes_turns_at_its_ports(given: str, expected: list[float]) -> None:
    assert cycles(given) == expected


def test_neighbours_share_a_word_of_their_bank() -> None:
    window = "row[j + k] + row[j + k + 1]"
    assert cycles(WHOLE, window) == [1, 2]
    assert cycles(WHOLE.replace("numreadports(1)", "numreadports(2)"), window) == [1, 1]


def test_it_is_said_of_the_loop_that_waits() -> None:
    text = ROWS.replace("{read}", "row[j + k]").replace(
        "{given}", f"__attribute__(({WHOLE.replace('4 * WIDTH', '16')}))"
    )
    assessment = assess(text, arguments={"n": 100_000})
    (kernel,) = assessment.kernels
    assert "pipeline-bound: loop on line " in headline(assessment, kernel)
    said = "starts one iteration every 4 cycles: what it moves at once in memory on the chip takes turns at the ports"
    assert said in limit_line(assessment, kernel)
    (free,) = assess(text.replace("bankwidth(16)", "bankwidth(64)"), arguments={"n": 100_000}).kernels
    assert (kernel.estimate.time_s or 0.0) > 2 * (free.estimate.time_s or 0.0)


APART = """__attribute__((max_global_work_dim(0)))
__kernel void apart(__global const float *restrict x, __global float *restrict y, int n)
{
    __local float GIVEN part[4096];
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < 1024; j++) {
            float v = x[i * 1024 + j];
            part[j * STEP] = v;
            part[j * STEP + FAR] = v + 1.0f;
            part[j * STEP + 2 * FAR] = v + 2.0f;
        }
        for (int j = 0; j < 4096; j++) y[i * 4096 + j] = part[j];
    }
}
"""


@pytest.mark.parametrize(
    ("given", "step", "far", "turns"),
    [
        ("", 1, 1024, 1.0),
        ("numbanks(1), singlepump", 1, 1024, 1.5),
        ("numbanks(1), doublepump", 1, 1024, 1.0),
        ("numbanks(1), singlepump", 4, 1, 1.0),  # one word of 16 B holds all three
        ("numbanks(2), bankwidth(4), singlepump", 4, 1, 1.0),
        ("numbanks(4), bankwidth(4), singlepump", 1, 1024, 1.5),
    ],
)
def test_a_store_next_to_two_others_takes_turns_with_them_in_one_bank(
    given: str, step: int, far: int, turns: float
) -> None:
    attribute = f"__attribute__(({given}))" if given else ""
    text = APART.replace("GIVEN", attribute).replace("STEP", str(step)).replace("FAR", str(far))
    (kernel,) = assess(text, arguments={"n": 1000}, board="p520mx", f_max_mhz=300).kernels
    assert kernel.estimate.loops[1].turns == turns
