"""What the editor draws at the ends of lines and behind accesses."""

import re
from pathlib import Path

import pytest

from burstline_server.presentation.hints import line_hints, unit_hints
from tests.assessing import assess

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
LONGEST = 24


def drawn(text: str, *, first_only: bool = False, **settings: object) -> str:
    """The text with the hints of its lines written under them, as the fixtures of this file have them."""
    plain = "\n".join(line for line in text.splitlines() if not line.startswith("//>"))
    done = assess(plain, **settings)
    at = {h.offset: h.text for h in line_hints(done, done.kernels, first_only=first_only)}
    lines, offset = [], 0
    for line in plain.split("\n"):
        offset += len(line.encode())
        lines += [line, f"//> {at.pop(offset)}"] if offset in at else [line]
        offset += 1
    assert not at, "a hint that is not at the end of a line"
    return "\n".join(lines)


TWO_LINES = """
__kernel void gather(__global const float *restrict x, __global const int *restrict at, __global float *restrict y) {
    const int i = get_global_id(0);
    const int from = at[i];
//> HINT
    y[i] = x[from];  // é
//> HINT
}
"""


def test_a_line_has_one_hint_with_its_time_and_share() -> None:
    shown = drawn(TWO_LINES, global_size=1 << 20)
    assert re.sub(r"//> [\d.]+ .s · \d+ %", "//> HINT", shown) == TWO_LINES.rstrip("\n")
    assert sum(map(int, re.findall(r"(\d+) %", shown))) == 100


def test_sizes_that_are_assumed_are_marked() -> None:
    assert re.findall(r"//> (.*)", drawn(TWO_LINES))[0].startswith("≈? ")


def test_a_kernel_whose_time_nobody_can_know_shows_its_units() -> None:
    text = """
#pragma OPENCL EXTENSION cl_intel_channels : enable
channel float values;
__attribute__((autorun)) __attribute__((max_global_work_dim(0)))
__kernel void drop(void) {
    while (1) read_channel_intel(values);
}
__kernel void take(__global float *restrict y) {
    int i = 0;
    while (1) y[i++] = read_channel_intel(values);
}
"""
    assert re.findall(r"//> (.*)", drawn(text)) == ["BCA 4 B"]


def test_quiet_draws_the_line_of_a_kernel_that_takes_the_most() -> None:
    text = """
__kernel void rows(__global const float *restrict x, __global float *restrict y) {
    const int i = get_global_id(0);
    float sum = x[64 * i];
    sum += x[64 * i + 32];
    y[i] = sum;
}
"""
    every, first = (re.findall(r"//> (.*)", drawn(text, first_only=q, global_size=1 << 20)) for q in (False, True))
    assert len(every) > len(first) == 1
    assert first[0] in every
    shares = [int(hint.rpartition("·")[2].rstrip("% ")) for hint in every]
    assert int(first[0].rpartition("·")[2].rstrip("% ")) == max(shares)


def test_behind_each_access_is_its_unit() -> None:
    done = assess(TWO_LINES, global_size=1 << 20)
    texts = [hint.text for hint in unit_hints(done.kernels)]
    assert len(texts) == 3
    assert all(re.fullmatch(r"BC\w+ \d+ B · [\d.]+ .s", text) for text in texts)


@pytest.mark.parametrize("path", sorted(EXAMPLES.rglob("*.cl")), ids=lambda p: p.stem)
def test_hints_are_short_one_a_line_and_add_up_to_no_more_than_the_kernel(path: Path) -> None:
    done = assess(path.read_text("utf-8"), str(path))
    for kernel in done.kernels:
        hints = line_hints(done, [kernel])
        assert all(len(hint.text) <= LONGEST for hint in hints)
        lines = [done.source.lines.line_of(hint.offset) for hint in hints]
        assert len(set(lines)) == len(lines)
        shares = [int(h.text.rpartition("·")[2].rstrip("% ")) for h in hints if h.text.endswith("%")]
        assert sum(shares) <= 100 + len(shares) / 2
        assert all(share >= 5 for share in shares)
