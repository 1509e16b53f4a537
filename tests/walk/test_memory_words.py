"""Words fetched along nested steps, held against a unit that is simulated request by request."""

from itertools import product
from math import log
from random import Random

import pytest

from burstline_model.walk.memory_words import Leg, Start, fetched
from burstline_model.walk.steps import Step
from tests.assessing import assess

WORD = 64
NESTS = 1500
ALIGNED = Start(0, WORD)


def simulated(sizes: list[int], steps: list[int], span: int, lines: int) -> int:
    """Words that a direct-mapped cache of so many lines fetches; one line is a unit that holds the word it is at."""
    held: dict[int, int] = {}
    found = 0
    for places in product(*(range(size) for size in reversed(sizes))):
        at = sum(place * step for place, step in zip(reversed(places), steps, strict=True))
        for word in range(at // WORD, (at + span - 1) // WORD + 1):
            if held.get(word % lines) != word:
                held[word % lines] = word
                found += 1
    return found


def nest(random: Random) -> tuple[list[int], list[int], int]:
    """Sizes and steps of up to three nested dimensions, and the bytes of an element."""
    sizes = [random.choice([2, 3, 4, 8, 10, 16, 17, 32]) for _ in range(random.choice([1, 2, 3]))]
    element = random.choice([4, 4, 8, 16, 64])
    steps = []
    inside = 1
    for size in sizes:
        far = element * random.choice([2, 3, 7, 16, 33, 64, 1000, 1024])
        steps.append(random.choice([0, element, element * inside, element * inside, far]))
        inside *= size
    return sizes, steps, element


@pytest.mark.parametrize("lines", [1, 16, 64])
def test_words_fetched_are_those_of_a_simulated_unit(lines: int) -> None:
    random, factors = Random(lines), []
    for _ in range(NESTS):
        sizes, steps, element = nest(random)
        legs = [
            Leg(float(size), Step("steady" if step else "same", float(step)))
            for size, step in zip(sizes, steps, strict=True)
        ]
        words = fetched(legs, float(element), ALIGNED, WORD, lines * WORD if lines > 1 else None).words
        factors.append(abs(log(words / simulated(sizes, steps, element, lines))))
    assert sum(f < log(1.03) for f in factors) > 0.95 * NESTS
    assert sum(f < log(1.3) for f in factors) > 0.965 * NESTS
    assert sum(f < log(2.01) for f in factors) > 0.98 * NESTS


def test_a_cache_whose_lines_collide_keeps_nothing() -> None:
    rows = [Leg(64.0, Step("steady", 65536.0)), Leg(256.0, Step("steady", 4.0))]
    padded = [Leg(64.0, Step("steady", 65536.0 + 64)), Leg(256.0, Step("steady", 4.0))]
    assert fetched(rows, 4, ALIGNED, WORD, 65536).words == 64 * 256
    assert fetched(padded, 4, ALIGNED, WORD, 65536).words == pytest.approx(64 * 16, rel=0.1)


CHASE = """
__kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void chase(__global const uint *restrict next, __global uint *restrict out, int n)
{
    uint p = get_global_id(0);
    for (int k = 0; k < n; k++)
        p = next[p];
    out[get_global_id(0)] = p;
}
"""


def test_a_place_that_follows_from_where_a_work_item_began_is_another_for_each() -> None:
    (kernel,) = assess(CHASE, global_size=[1 << 20], arguments={"n": 64}).kernels
    gather = kernel.estimate.units[0]
    assert gather.walk is not None
    assert gather.walk.fetched_bytes == 64 * (1 << 20) * 64  # a word for each of its loads
    assert kernel.estimate.limit == "memory"


COLUMNS = """
__kernel void columns(__global float *restrict out, __global const float *restrict in)
{
    for (int f = 0; f < 256; f++)
        for (int x = 0; x < 196; x++) {
            float sum = 0.0f;
            for (int row = 0; row < 256; row++)
                sum += in[row * PITCH + x];
            out[f * 196 + x] = sum;
        }
}
"""


def missed(pitch: int) -> float:
    """The share of the loads of a column that a direct-mapped cache of 64 kB has not kept, one after the other."""
    lines, misses = dict[int, int](), 0
    for _ in range(2):
        misses = 0
        for x in range(196):
            for row in range(256):
                word = (row * pitch + x) * 4 // 64
                misses += lines.get(word % 1024) != word
                lines[word % 1024] = word
    return misses / (196 * 256)


@pytest.mark.parametrize(("pitch", "kept"), [(260, False), (196, True)])
def test_columns_that_take_each_others_place_are_fetched_again(pitch: int, kept: bool) -> None:
    (kernel,) = assess(COLUMNS.replace("PITCH", str(pitch))).kernels
    walk = kernel.estimate.units[0].walk
    assert walk is not None
    each = walk.fetched_bytes / 64 / (256 * 196 * 256)
    assert (missed(pitch) < 0.1) == kept
    assert (each < 0.1) == kept
