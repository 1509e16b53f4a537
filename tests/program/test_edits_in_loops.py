"""After an edit in a loop of a kernel the answer is that of a reading from scratch."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from bench.long_loops import in_loop, longest_loop
from bench.random_nests import made as nest
from bench.servers.keystrokes import made
from bench.warm_answers import differing

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.cl"))
PATH = Path("kernel.cl")
NESTS = """#define STEP 4
typedef struct { float low, high; } range;
static int near(int i, int n) { return i < 0 ? 0 : i >= n ? n - 1 : i; }
static float mean(__global const float *p, int i, int n)
{
    float s = 0;
    for (int k = 0; k < 3; k++)
        s += p[near(i + k, n)];
    return s / 3;
}

__kernel void nests(__global const float *restrict in, __global float *restrict out, __global range *restrict all,
                    int n)
{
    float line[8];
    range whole = {0, 0};
    int row = 0, column = 0;
    while (row < n) {
        float sum = 0, last = 0;
        int count = 0;
        for (int i = 0; i < 8; i++)
            line[i] = in[row * 8 + i];
        #pragma unroll
        for (int i = 7; i > 0; i--)
            line[i] = line[i - 1];
        for (int i = 0; i <= row; i++) {
            if (in[i] > 0.5f) {
                sum += in[i * STEP];
                count++;
            } else if (i % 2) {
                last = mean(in, i, n);
                continue;
            }
            for (int k = i; k < n; k += 2) {
                sum = sum * 0.5f + line[k % 8];
                if (sum > 100.0f)
                    break;
            }
            switch (count & 3) {
            case 0:
                whole.low = fmin(whole.low, sum);
                break;
            case 1:
                whole.high += sum;
            default:
                last += 1.0f;
            }
        }
        column = column + 1;
        if (column == 5) {
            column = 0;
            row++;
        }
        out[row * n + column] = sum + last * count;
        all[row] = whole;
    }
}
"""


@pytest.mark.parametrize("seed", range(3))
def test_a_kernel_of_nested_loops_is_answered_for_as_from_scratch(seed: int) -> None:
    chance = random.Random(seed)
    assert not [*differing(NESTS, PATH, chance, 8)]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(8))
def test_random_nests_are_answered_for_as_from_scratch(seed: int) -> None:
    chance = random.Random(seed)
    assert not [*differing(nest(seed).text, PATH, chance, 4)]


@pytest.mark.slow
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_the_examples_are_answered_for_as_from_scratch(path: Path) -> None:
    chance = random.Random(path.name)
    assert not [*differing(path.read_text("utf-8"), path, chance, 2)]


def test_a_long_loop_is_found_and_edited_from_its_end() -> None:
    # The loop `for (…) {` of 202 lines begins at the second line; every line in it sets x, and the comment nothing.
    lines = "".join(f"        x = x * {n}; // x = {n};\n" for n in range(200))
    text = f"__kernel void k(__global int *x0) {{\n    for (int i = 0; i < 9; i++) {{\n{lines}    }}\n}}\n"
    loop = longest_loop(text)
    assert loop is not None
    assert loop.lines == 201
    assert text[loop.start] == "{"
    assert longest_loop(text.replace("x = x * 7; // x = 7;\n", "\n")) is not None
    assert longest_loop(NESTS) is None
    plain = text.replace(" // ", ";\n // ")
    edits = [*in_loop(plain)]
    assert len(edits) == 8
    assert [one.start for one in edits] == sorted((one.start for one in edits), reverse=True)
    assert made(plain, edits[0])[edits[0].start - 2 :].startswith("75 + 1;")
