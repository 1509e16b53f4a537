"""What is said of a kernel's time: a bound that nothing exceeds, and nothing of an iteration for what is done once."""

import re

import pytest

from burstline_server.cli.text import text
from burstline_server.diagnostics.catalogue import findings_of
from burstline_server.presentation.report_build import file_report
from burstline_server.words.edits import fix_title
from burstline_server.words.findings import message_text
from burstline_server.words.verdict import headline
from tests.assessing import assess
from tests.rewrites.test_gain_ranges import fixes

BOUNDED = """__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void bounded(__global const uint *restrict in, __global uint *restrict out, __global const uint *restrict len)
{
    uint h[160];
    for (int r = 0; r < 65536; r++) {
        for (int i = 0; i < *len; i++) h[i] = in[r * 160 + i];
        uint s = 0;
        for (int i = 0; i < 160; i++) s += h[159 - i];
        out[r] = s;
    }
}
"""


@pytest.mark.parametrize("f_max_mhz", [None, 300])
def test_a_time_at_most_has_no_range_that_exceeds_it(f_max_mhz: int | None) -> None:
    done = assess(BOUNDED, **({"f_max_mhz": f_max_mhz} if f_max_mhz is not None else {}))
    (kernel,) = done.kernels
    line = headline(done, kernel)
    times = (kernel.estimate.time_s, kernel.estimate.time_high_s)
    assert times[0] is not None
    highest = max(t for t in times if t is not None)
    own = f" ({times[0] * 1e3:.1f} ms at {kernel.estimate.f_max_hz * 1e-6:.0f} MHz)" if highest > times[0] else ""
    assert line.startswith(f"at most {highest * 1e3:.1f} ms{own} · ")
    assert (" ms at " in text([(done, [])])) == (highest > times[0])


POLLS = """#pragma OPENCL EXTENSION cl_intel_channels : enable
channel uint values;
__kernel __attribute__((max_global_work_dim(0)))
void consumer(__global uint *restrict out)
{
    uint count = OUTSIDE;
    while (1) {
        bool valid;
        uint v = read_channel_nb_intel(values, &valid);
        if (valid) count += v & 1;
        if (valid && v == 7) break;
        INSIDE
    }
    AFTER
}
"""
UNTIL = """__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void until(__global const uint *restrict in, __global uint *restrict o)
{
    uint x = in[0], m = in[1]; int good = 0;
    while (good == 0) { x = x * 5 + 1; if (x < m) good = 1; }
    o[0] = x;
}
"""


def polls(outside: str = "0", inside: str = "", after: str = "") -> str:
    return POLLS.replace("OUTSIDE", outside).replace("INSIDE", inside).replace("AFTER", after)


@pytest.mark.parametrize(
    ("kernel", "said"),
    [
        (polls(after="out[0] += count;"), "≈ 2.50 ns per iteration"),
        (polls(outside="out[0]"), "≈ 2.50 ns per iteration"),
        (UNTIL, "≈ 10.0 ns per iteration"),  # a product and a sum: four cycles
    ],
    ids=["after", "before", "until"],
)
def test_what_is_done_once_is_no_time_of_an_iteration(kernel: str, said: str) -> None:
    found = text([(assess(kernel, f_max_mhz=400), [])])
    assert "/iteration" not in found
    assert said in found  # an item each 2.5 ns, which is a cycle
    assert not any(" load " in line or " store " in line for line in found.splitlines())


def test_what_an_endless_loop_does_is_one() -> None:
    found = text([(assess(polls(inside="out[v & 1023] = v;")), [])])
    (row,) = [line for line in found.splitlines() if " store " in line]
    assert "out[v & 1023]" in row
    (total,) = [line.split()[1] for line in found.splitlines() if line.lstrip().startswith("total ")]
    assert f"≈ {total} ns per iteration" in found
    assert f"{total} ns" in row


STEPS = """__kernel void steps(__global const float *restrict a, __global float *restrict out, int n, float eps)
{
    for (int t = 0; t < 1000; t++) {
        float s = 0.0f;
        for (int j = 0; j < n; j++) s += a[j];
        out[t] = s;
        if (s < eps) break;
    }
}
"""


def test_an_edit_of_a_kernel_that_may_end_early_begins_at_the_same_bound() -> None:
    done = assess(STEPS, arguments={"n": 100000})
    (kernel,) = done.kernels
    most = re.match(r"at most ([\d.]+ ms) ", headline(done, kernel))
    assert most is not None
    titles = [fix_title(fix) for fix in fixes(STEPS, arguments={"n": 100000})]
    assert titles
    assert all(re.search(rf": kernel at most [\d.]+–{most.group(1)} → ", title) for title in titles)


GATHER = """__kernel void gather(
    __global const int *restrict at, __global const float *restrict x, __global float *restrict y)
{
    int i = get_global_id(0);
    y[i] = x[at[i]];
}
"""
TURNS = """__kernel void turns(__global const float *restrict x, __global float *restrict y)
{
    int g = get_global_id(0);
    float s = 0.0f;
    for (int i = 0; i < 1024; i++) s += x[i * 1024 + g];
    y[g] = s;
}
"""
ARMS = """__kernel void arms(__global const float *restrict x, __global float *restrict y, __global float *restrict z)
{
    int g = get_global_id(0);
    if (x[g] > 0.0f) y[g] = x[g];
    else z[g] = x[g];
}
"""


@pytest.mark.parametrize(
    ("kernel", "items", "by"),
    [(GATHER, 1 << 20, "data"), (TURNS, 1 << 10, "order"), (ARMS, 1 << 20, None)],
    ids=["gather", "turns", "arms"],
)
def test_a_time_at_worst_is_given_as_its_range(kernel: str, items: int, by: str | None) -> None:
    done = assess(kernel, global_size=[items])
    first = headline(done, done.kernels[0])
    printed = text([(done, [])])
    (report,) = file_report(done, []).kernels
    assert report.time_at_worst == by
    if by is None:
        assert first.startswith("≈ ")
        assert "at worst" not in printed
        return
    said = {"data": "by data", "order": "by the order of work-items"}[by]
    assert re.match(rf"[\d.]+ ms to [\d.]+ ms {said} · ", first)
    assert re.search(r"  total [\d.]+ ms at worst", printed)
    assert re.search(r"do: .* ms → [\d.]+ [mµ]s at worst", printed)
    assert all(message_text(one).endswith(" at worst)") for one in findings_of(done) if one.code == "BL102")
