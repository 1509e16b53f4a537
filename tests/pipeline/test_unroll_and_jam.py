"""Advice to compute several iterations of an outer loop together, which load the same data."""

import pytest

from burstline_model.estimate.changes import MoreCopies, UnrollAndJam
from burstline_model.estimate.kernel_estimate import KernelEstimate, Lever
from burstline_server.words.changes import change_text
from tests.assessing import assess

SIZES = {"M": 1024, "N": 1024, "K": 1024}
HEAD = """
kernel void mm(const int M, const int N, const int K, global const float *restrict A, global const float *restrict B,
               global float *restrict C) {
"""
PRODUCT = """
  for (int i = 0; i < M; ++i)
    for (int j = 0; j < N; j++) {
      float c = 0;
      for (int k = 0; k < K; ++k)
        c += A[i * K + k] * B[k * N + j];
      C[i * N + j] = c;
    }
}
"""
JAMMED = """
  for (int s = 0; s < M; s += 16)
    for (int j = 0; j < N; j++) {
      float c[16];
      #pragma unroll
      for (int t = 0; t < 16; t++) c[t] = 0;
      for (int k = 0; k < K; ++k) {
        float b = B[k * N + j];
        #pragma unroll
        for (int t = 0; t < 16; t++)
          c[t] += A[(s + t) * K + k] * b;
      }
      #pragma unroll
      for (int t = 0; t < 16; t++)
        C[(s + t) * N + j] = c[t];
    }
}
"""
ROWS = """
  for (int i = 0; i < M; ++i)
    for (int k = 0; k < K; ++k)
      #pragma unroll 16
      for (int j = 0; j < N; j++)
        C[i * N + j] += A[i * K + k] * B[k * N + j];
}
"""


def estimate_of(body: str, **settings: object) -> KernelEstimate:
    return assess(HEAD + body, **(settings or {"arguments": SIZES})).kernels[0].estimate


def jam_of(estimate: KernelEstimate) -> Lever | None:
    return next((one for one in estimate.levers if isinstance(one.change, UnrollAndJam)), None)


def test_a_product_shares_what_each_row_loads_again() -> None:
    first = estimate_of(PRODUCT).levers[0]
    assert isinstance(first.change, UnrollAndJam)
    assert (first.change.variable, first.change.together, first.change.pointers) == ("i", 16, ("B",))
    assert change_text(first.change) == (
        "compute 16 iterations of the loop over i together (unroll and jam): they share the loads of B"
    )


def test_the_time_after_it_is_that_of_the_written_out_text() -> None:
    first, after = estimate_of(PRODUCT).levers[0], estimate_of(JAMMED).time_s
    assert after is not None
    assert first.after_s == pytest.approx(after, rel=0.05)


ADDED = ("float c = 0;", "float c = C[i * N + j];")


def test_a_product_that_is_added_to_what_is_there_shares_them_as_well() -> None:
    """A row is loaded before it is stored: only a promise keeps several rows in one body apart."""
    first = estimate_of(PRODUCT.replace(*ADDED)).levers[0]
    jammed = JAMMED.replace("c[t] = 0;", "c[t] = C[(s + t) * N + j];")
    for loop in ("for (int s", "for (int j"):
        jammed = jammed.replace(loop, f"#pragma ivdep array(C)\n{loop}")
    after = estimate_of(jammed).time_s
    assert isinstance(first.change, UnrollAndJam)
    assert (first.change.together, first.change.apart) == (16, ("C",))
    assert after is not None
    assert first.after_s == pytest.approx(after, rel=0.05)


def test_rows_that_may_overlap_are_a_promise() -> None:
    """Nothing says that a row of C is as long as the loop; counters of the kernel are set anew by each loop."""
    text = PRODUCT.replace(*ADDED).replace("* N + j] = c", "* P + j] = c").replace("C[i * N", "C[i * P")
    for counter in "ijk":
        text = text.replace(f"int {counter} =", f"{counter} =")
    head = HEAD.replace("{", "").replace("*restrict C)", "*restrict C, const int P) { int i, j, k;")
    first = assess(head + text, arguments=SIZES).kernels[0].estimate.levers[0]
    assert isinstance(first.change, UnrollAndJam)
    assert first.change.apart == ("C",)
    assert change_text(first.change).endswith(
        "the loads of B; put #pragma ivdep array(C) on the loops, if none loads what another one stores there"
    )


def test_copies_that_load_apart_are_said_where_nothing_else_is() -> None:
    counted = """
  int c = 0;
  for (int k = 0; k < K; ++k)
    c += A[k * N] > 0;
  C[0] = c;
}
"""
    # A word of one of four banks for each element: the loop is the limit, and two copies ask for two words a cycle.
    alone = estimate_of(counted, arguments={"M": 1, "N": 65, "K": 1 << 20}, board="p520")
    (only,) = alone.levers
    assert isinstance(only.change, MoreCopies)
    assert only.after_s == pytest.approx((alone.time_s or 0) / 2, rel=0.01)
    (other, *_) = estimate_of(PRODUCT, arguments=SIZES, board="p520").levers
    assert isinstance(other.change, UnrollAndJam)


def test_rows_of_unknown_length_are_apart() -> None:
    first = estimate_of(ROWS).levers[0]
    assert isinstance(first.change, UnrollAndJam)
    assert first.change.pointers == ("B",)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("C[i * N + j] = c", "C[j] = c"),  # each iteration stores there again
        ("C[i * N + j] = c", "C[(i + 1) * N + j] = c + C[i * N + j]"),  # what the one before stored
        ("float c = 0", "float c = i > 0 ? C[(i - 1) * N + j] : 0"),
        ("k < K", "k < i"),  # not as many of them in each
        ("c += A", "if (c > 1e30f) return; c += A"),
        ("B[k * N + j]", "B[(k + i) * N + j]"),  # not the same data
        ("B[k * N + j]", "B[k]"),  # the cache holds them
    ],
)
def test_it_is_not_advised_where_iterations_need_each_other_or_share_nothing(old: str, new: str) -> None:
    assert old in PRODUCT
    body = PRODUCT.replace(old, new)
    if "return" in new:
        body = body.replace("++k)", "++k) {").replace("C[i * N", "} C[i * N")
    assert jam_of(estimate_of(body)) is None


def test_what_is_moved_once_shares_nothing() -> None:
    body = "\n  for (int i = 0; i < M; ++i)\n    for (int j = 0; j < N; j++)\n      C[i * N + j] = B[i * N + j];\n}"
    assert jam_of(estimate_of(body)) is None


@pytest.mark.parametrize(
    ("before", "first", "advised"),
    [
        ("  float c;\n", "c = 0;", True),
        ("  float c = 2;\n", "c = 0;", True),
        ("  float c = 2;\n", "", False),  # a sum of all iterations
        ("  float c = 2;\n", "if (i > 3) c = 0;", False),
        ("  float c = 2;\n", "c = c * 2;", False),
    ],
)
def test_what_each_iteration_sets_anew_is_handed_to_no_other(before: str, first: str, advised: bool) -> None:
    assert "float c = 0;" in PRODUCT
    head, found, rest = PRODUCT.replace("float c = 0;", first).partition("  for")
    lever = jam_of(estimate_of(head + before + found + rest))
    assert (lever is not None) == advised


ROW_SUMS = """
__attribute__((max_global_work_dim(0)))
__kernel void channels(__global float *restrict out, __global const float *restrict in,
                       __global const float *restrict weights)
{
    for (int m = 0; m < 512; m++)
        for (int x = 0; x < LONG; x++) {
            SUM
        }
}
"""
IN_REGISTER = """float sum = 0.0f;
            for (int r = 0; r < 1024; r++)
                sum = sum + in[r * LONG + x] * weights[m * 1024 + r];
            out[m * LONG + x] = sum;"""
IN_PLACE = """out[m * LONG + x] = 0.0f;
            for (int r = 0; r < 1024; r++)
                out[m * LONG + x] = out[m * LONG + x] + in[r * LONG + x] * weights[m * 1024 + r];"""


@pytest.mark.parametrize("body", [IN_REGISTER, IN_PLACE])
def test_sums_side_by_side_are_advised_where_one_starts_an_iteration_a_cycle(body: str) -> None:
    # What is loaded again lies in caches: not the memory but 25.7 million iterations take the time.
    text = ROW_SUMS.replace("SUM", body).replace("LONG", "49")
    (kernel,) = assess(text, f_max_mhz=400).kernels
    own = kernel.estimate
    iterations_s = 512 * 49 * 1024 / 400e6
    assert own.time_s == pytest.approx(iterations_s, rel=0.02)
    first = own.levers[0]
    assert change_text(first.change).startswith("compute 16 iterations of the loop over m together (unroll and jam)")
    assert iterations_s / 16 <= (first.after_s or 0.0) < 1.25 * iterations_s / 16
