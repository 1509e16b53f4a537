"""Results that iterations use on the way: no partial results and no copies take their place."""

from __future__ import annotations

import pytest

from burstline_model.estimate.changes import Change, Ivdep, MoreCopies, NoGather, PrivateCopy, Widen
from burstline_model.estimate.kernel_estimate import KernelEstimate
from tests.assessing import assess

HEAD = """#pragma OPENCL EXTENSION cl_intel_channels : enable
channel float out_of_it;
__attribute__((max_global_work_dim(0)))
__kernel void k(__global const float *restrict x, __global const int *restrict at, __global float *restrict y, int n)
{
    float sum = 0.0f;
    int kept = 0;
    float most = 0.0f, area = 0.0f;
"""


def _estimate(body: str, **arguments: int) -> KernelEstimate:
    return assess(f"{HEAD}{body}\n}}\n", arguments={"n": 1 << 20, **arguments}).kernels[0].estimate


def _changes(estimate: KernelEstimate) -> list[Change]:
    """The changes that are advised for a kernel, those at its units among them."""
    found = [lever.change for lever in estimate.levers]
    return found + [o.change for unit in estimate.units for o in unit.observations]


@pytest.mark.parametrize(
    "use",
    [
        "if (x[i] > 0.0f) { y[(int)sum] = x[i]; sum += x[i]; }",
        "sum += x[i]; write_channel_intel(out_of_it, sum);",
        "sum += x[i]; if (sum > 100.0f) write_channel_intel(out_of_it, x[i]);",
        "sum += x[i]; if (sum > 100.0f) y[i] = 1.0f;",
        "sum += x[i]; if (at[i]) y[(int)sum & 7] = x[i];",
        "sum += x[i]; most = max(most, sum);",
        "sum += x[i]; area += sum;",
        "kept = max(kept - 1, at[i]); most = max(most, (float)kept);",
    ],
)
def test_a_sum_in_use_is_not_split(use: str) -> None:
    estimate = _estimate(f"for (int i = 0; i < n; i++) {{ {use} }}\n    y[n] = most + area;")
    changes = _changes(estimate)
    assert "partial_results" not in changes
    widened = [one.by for one in changes if isinstance(one, Widen)] + changes
    assert not any(isinstance(one, MoreCopies) and one.partial for one in widened)
    assert all(one.gain == 0 for one in estimate.loops)


@pytest.mark.parametrize(
    "use",
    [
        "sum += x[i]; if (i % 100 == 99) { y[i / 100] = sum; sum = 0.0f; }",
        "if (at[i] > 0) sum += x[i];",
    ],
)
def test_a_sum_that_is_not_in_use_is(use: str) -> None:
    estimate = _estimate(f"for (int i = 0; i < n; i++) {{ {use} }}\n    y[n] = sum;")
    assert (estimate.loops[0].ii or 0) > 1
    assert "partial_results" in _changes(estimate)


def test_what_is_packed_one_by_one_waits_for_how_much_came_before() -> None:
    """The place that an element goes to is the number of those that were kept before it."""
    estimate = _estimate("""
    for (int row = 0; row < n; row++) {
        float packed[64];
        kept = 0;
        for (int i = 0; i < 8; i++)
            for (int j = 0; j < 8; j++) {
                float v = x[row * 64 + i * 8 + j];
                if (v > 0.0f) { packed[kept] = v; kept++; }
            }
        float total = 0.0f;
        #pragma unroll
        for (int j = 0; j < 64; j++)
            total += packed[j];
        y[row] = total;
    }""")
    assert "partial_results" not in _changes(estimate)


@pytest.mark.parametrize(
    ("update", "change"),
    [
        ("y[at[i]] += x[i];", PrivateCopy(pointer="y")),
        ("y[at[i]] = fmin(y[at[i]], x[i]);", PrivateCopy(pointer="y")),
        ("if (y[at[i]] == 0.0f) y[at[i]] = 1.0f;", Ivdep(pointer="y")),
        ("if (y[i] == 0.0f) y[at[i]] = 1.0f;", Ivdep(pointer="y")),
        ("y[at[i]] = y[i] + 1.0f;", PrivateCopy(pointer="y", bins=False)),
    ],
)
def test_only_what_adds_up_is_counted_in_a_copy(update: str, change: Change) -> None:
    estimate = _estimate(f"for (int i = 0; i < n; i++) {{ {update} }}")
    (lever,) = [one for one in estimate.levers if one.loop == 0]
    assert lever.change == change
    counted = isinstance(change, PrivateCopy) and change.bins
    assert (lever.after_s is not None) == counted


@pytest.mark.parametrize(
    ("update", "adds"),
    [
        ("y[at[i]] += x[i];", True),
        ("y[at[i]] = sqrt(y[at[i]]) / x[i];", False),
        ("if (y[at[i]] > 0.0f) y[at[i]] = x[i];", False),
    ],
)
def test_what_is_stored_where_it_was_loaded_adds_up_or_does_not(update: str, *, adds: bool) -> None:
    changes = _changes(_estimate(f"#pragma ivdep\n    for (int i = 0; i < n; i++) {{ {update} }}"))
    assert ("accumulate_in_copy" in changes) == adds
    assert any(isinstance(one, NoGather) for one in changes) != adds


def test_an_exchange_adds_nothing_up_and_a_result_in_use_is_counted_in_turn() -> None:
    text = """
    __kernel void take(__global volatile int *restrict locks, __global const int *restrict at, __global int *restrict y)
    {{
        int i = get_global_id(0);
        {0}
    }}
    """

    def changes(body: str) -> list[Change]:
        return _changes(assess(text.format(body), global_size=[1 << 20]).kernels[0].estimate)

    either = {"accumulate_in_copy", "counters_on_chip"}
    assert either.isdisjoint(map(str, changes("atomic_cmpxchg(&locks[at[i]], 0, 1);")))
    assert "accumulate_in_copy" in changes("atomic_add(&locks[at[i]], 1);")
    for use in ("y[atomic_inc(&locks[at[i] & 15])] = i;", "y[i] = atomic_inc(&locks[at[i] & 15]);"):
        assert "counters_on_chip" in changes(use)
        assert "accumulate_in_copy" not in changes(use)
    # A loop that tries until no other came between adds up what no atomic operation does.
    tried = "atomic_cmpxchg(&locks[at[i]], old, old * 3) != old"
    again = f"int old; // burstline: trip=2\n do {{ old = locks[at[i]]; }} while ({tried});"
    assert "counters_on_chip" in changes(again)


def test_no_wider_words_are_advised_where_atomics_take_the_time() -> None:
    text = """
    __kernel void flag(__global volatile int *restrict seen, __global const int *restrict at, __global int *restrict y)
    {
        int i = get_global_id(0);
        y[i] = atomic_xchg(&seen[at[i]], 1);
    }
    """
    (kernel,) = assess(text, global_size=[1 << 20]).kernels
    assert not {"fuller_words", "less_data", "fewer_units"} & {str(one.change) for one in kernel.estimate.levers}


ROW = """__attribute__((max_global_work_dim(0)))
__kernel void k(__global const double *restrict x, __global double *restrict y, int n)
{{
    double row[256];
    for (int j = 0; j < n; j++) {{
        for (int i = 0; i < 256; i++)
            row[i] = x[j * 256 + i];
        for (int i = 1; i < 255; i++) {{
            {0}
        }}
        for (int i = 0; i < 256; i++)
            y[j * 256 + i] = row[i];
    }}
}}
"""


@pytest.mark.parametrize(
    "step",
    [
        "row[i] += row[i - 1];",
        "if (x[i] < 0.0) row[i] = row[i + 1] + x[i]; else row[i] = row[i - 1] + x[i];",
    ],
)
def test_sums_that_are_left_behind_one_by_one_are_not_split(step: str) -> None:
    estimate = assess(ROW.format(step), arguments={"n": 1000}).kernels[0].estimate
    assert estimate.limit == "dependence"
    assert "partial_results" not in _changes(estimate)


def test_of_two_arms_one_is_on_the_way_to_the_next_iteration() -> None:
    one = assess(ROW.format("row[i] = row[i - 1] + x[i];"), arguments={"n": 1000}).kernels[0].estimate
    step = "if (x[i] < 0.0) row[i] = row[i - 1] + x[i]; else row[i] = row[i - 1] + 2.0;"
    either = assess(ROW.format(step), arguments={"n": 1000}).kernels[0].estimate
    assert either.loops[2].ii == one.loops[2].ii
    step = "if (x[i] < 0.0) row[i] = row[i - 1] + x[i]; row[i] = row[i] + 2.0;"
    both = assess(ROW.format(step), arguments={"n": 1000}).kernels[0].estimate
    assert (both.loops[2].ii or 0) > (one.loops[2].ii or 0)
