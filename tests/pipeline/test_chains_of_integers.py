"""Copies of a loop that hand an integer on through a chain of operations gain nothing, and are not advised."""

import pytest

from burstline_server.words.verdict import lever_lines
from tests.assessing import assess

LOOP = """// burstline: n=1048576
__kernel void k(__global const uint *restrict in, __global uint *restrict out, int n)
{
    uint c = 7u, at = 0u;
    for (int i = 0; i < n; i++) {
        %s
    }
    out[0] = c;
    out[1] = at;
}
"""
CHAINS = {
    "a checksum": "c ^= in[i]; c = (c >> 1) ^ (0xEDB88320u & -(c & 1u)); c = (c >> 1) ^ (0xEDB88320u & -(c & 1u));",
    "a place that data move on": "if (in[i] > 3u) { out[2 + at] = in[i]; at++; }",
    "a place that a pointer keeps": "if (in[i] > 3u) *out++ = in[i];",
    "a generator": "c = (c * 1664525u + 1013904223u) ^ in[i];",
}
SUMS = {"a sum": "c += in[i];", "bits": "c |= in[i];"}


def advice(body: str) -> str:
    (kernel,) = assess(LOOP % body).kernels
    return " ".join(lever_lines(kernel, 3))


@pytest.mark.parametrize("body", CHAINS.values(), ids=CHAINS)
def test_chains_are_not_unrolled(body: str) -> None:
    assert "unroll" not in advice(body)


@pytest.mark.parametrize("body", SUMS.values(), ids=SUMS)
def test_sums_of_integers_are(body: str) -> None:
    assert "unroll the loop by 16" in advice(body)
    assert "partial" not in advice(body)


def test_the_largest_value_needs_partial_results() -> None:
    """Each copy chooses for itself, since the choices of one after the other take a cycle each."""
    assert "16 partial results of c" in advice("uint v = in[i]; if (v > c) c = v;")


ROUNDS = """// burstline: n=65536
__kernel void k(__global const uint *restrict in, __global uint *restrict out, int n)
{
    uint kept = 7u;
    for (int i = 0; i < n; i++) {
        uint c = %s;
        for (int r = 0; r < 32; r++)
            c = (c >> 1) ^ (0xEDB88320u & -(c & 1u));
        kept = c;
        out[i] = c;
    }
}
"""


def test_rounds_that_begin_anew_are_unrolled_whole() -> None:
    """What was carried from round to round is then a way through the loop around, which starts one in each cycle."""
    (kernel,) = assess(ROUNDS % "in[i]").kernels
    first = lever_lines(kernel, 1)[0]
    assert "unroll the loop by 32" in first


def test_rounds_that_go_on_from_the_last_are_not() -> None:
    (kernel,) = assess(ROUNDS % "kept ^ in[i]").kernels
    assert not any("unroll the loop by" in line for line in lever_lines(kernel, 3))
