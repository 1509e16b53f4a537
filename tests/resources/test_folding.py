"""Coefficients in arrays that nothing writes are constants in fully unrolled loops: products with them shrink or go."""

from pathlib import Path

import pytest

from burstline_model.resources import ResourceUse
from burstline_server.cli.main import main
from burstline_server.words.resources import part_text
from tests.assessing import assess

WEIGHTS = "{{-1, 0, 4}, {2, 0, 1}}"
FILTER = """__kernel void k(__global const int *restrict a, __global int *restrict b, const int n)
{
    int w[2][3] = WEIGHTS;
    for (int i = 0; i < n; i++) {
        int s = a[i + 8];
        ROWS
        for (int r = 0; r < 2; r++) {
            COLUMNS
            for (int c = 0; c < 3; c++)
                s += a[i + 4 * r + c] * w[r][c];
        }
        b[i] = s;
    }
}
"""
UNROLL, STAY = "#pragma unroll", "#pragma unroll 1"


def written(weights: str = WEIGHTS, rows: str = UNROLL, columns: str = UNROLL, change: str = "") -> str:
    """The filter with these weights and pragmas, and a change to it."""
    text = FILTER.replace("WEIGHTS", weights).replace("ROWS", rows).replace("COLUMNS", columns)
    if change:
        old, new = change.split("=>")
        assert old in text
        text = text.replace(old, new)
    return text


def used(text: str, board: str = "de1soc") -> ResourceUse:
    """The resources of the only kernel of a text."""
    (kernel,) = assess(text, board=board).kernels
    assert kernel.estimate.resources is not None
    return kernel.estimate.resources


def counted(text: str, operation: str) -> int:
    """How many of an operation the parts say that there are, in what is done for each `i`."""
    found = [part_text(p.of)[1] for p in used(text).parts if part_text(p.of)[0] == "arithmetic"]
    counts = dict(tuple(reversed(one.split(" ", 1))) for text in found for one in text.split(", "))
    return int(counts.get(operation, 0))


def test_products_by_zero_vanish_with_their_sums_and_powers_of_two_are_wires() -> None:
    whole = used(written())
    assert whole.dsps == 0
    assert counted(written(), "int mul") == counted(written(), "int scale") == 0
    without = counted(written("{{0, 0, 0}, {0, 0, 0}}"), "int add")
    assert counted(written(), "int add") == without + 4


def test_other_weights_are_small_constant_multipliers() -> None:
    for weights, multipliers in (("{{3, 0, 5}, {2, 7, 1}}", 3), ("{{-2, -1, -4}, {2, 0, 1}}", 2)):
        assert used(written(weights)).dsps == 0
        assert counted(written(weights), "int scale") == multipliers


@pytest.mark.parametrize(
    ("rows", "columns", "products"), [(STAY, UNROLL, 3), (STAY, STAY, 1), ("#pragma unroll", STAY, 2)]
)
def test_weights_that_a_loop_picks_at_run_time_are_multiplied_by(rows: str, columns: str, products: int) -> None:
    assert used(written(rows=rows, columns=columns)).dsps == products


@pytest.mark.parametrize(
    "change",
    [
        "int s = a[i + 8];=>int s = a[i + 8]; w[1][1] += s;",
        "int s = a[i + 8];=>int s = a[i + 8]; int *p = &w[0][0]; p[1] = s;",
        "int s = a[i + 8];=>int s = a[i + 8]; int *p = w[i & 1]; p[1] = s;",
        "int w=>volatile int w",
        "w[r][c]=>w[r][(c + n) % 3]",
    ],
    ids=["written", "address", "row", "volatile", "index"],
)
def test_arrays_that_may_change_keep_their_products(change: str) -> None:
    assert used(written(change=change)).dsps >= 6


def test_const_and_constant_tables_fold_like_those_that_are_just_never_written() -> None:
    plain, table = used(written()), "__constant int w[2][3] = " + WEIGHTS + ";\n"
    assert used(written(change="int w[2]=>const int w[2]")).dsps == plain.dsps == 0
    outside = table + written(change=f"    int w[2][3] = {WEIGHTS};\n=>")
    assert used(outside).dsps == 0


def test_folded_private_table_takes_no_memory() -> None:
    halves = written("{{0.5f, 0.25f, 0.5f}, {1, 1, 1}}", change="int w=>float w")
    for text in (written(), halves):
        assert "private array w" not in [part_text(p.of)[0] for p in used(text).parts]
    assert "private array w" in [part_text(p.of)[0] for p in used(written(rows=STAY)).parts]


def test_weights_through_a_variable_and_in_the_hands_of_a_helper_fold_too() -> None:
    text = written(change="s += a[i + 4 * r + c] * w[r][c];=>{ const int v = w[r][c]; s += v * a[i + 4 * r + c]; }")
    assert used(text).logic_alms == pytest.approx(used(written()).logic_alms)
    helper = "int times(int x, int y) { return x * y; }\n"
    called = helper + written(change="a[i + 4 * r + c] * w[r][c]=>times(a[i + 4 * r + c], w[r][c])")
    assert used(called).dsps == 0


def test_reals_lose_products_by_one_alone() -> None:
    def real(weights: str) -> str:
        text = written(weights).replace("int w", "float w").replace("int s", "float s")
        return text.replace("const int *", "const float *").replace("__global int *", "__global float *")

    kernels = [real(w) for w in ("{{1.0f, -1.0f, 1}, {-1.0f, 1.0f, 1.0f}}", "{{1.0f, -1.0f, 0}, {2.0f, 1.0f, 1.0f}}")]
    assert [used(text).dsps for text in kernels] == [0, 2]
    assert [counted(text, "float add") for text in kernels] == [6, 6]


SOBEL = """#define W 512
__kernel __attribute__((task)) void edges(__global const int *restrict in, __global int *restrict out, const int n)
{
    int gx[3][3] = {{-1, 0, 1}, {-2, 0, 2}, {-1, 0, 1}};
    int gy[3][3] = {{-1, -2, -1}, {0, 0, 0}, {1, 2, 1}};
    int round[3][3] = {{-1, -1, -1}, {-1, 8, -1}, {-1, -1, -1}};
    int rows[2 * W + 11];
    for (int at = 0; at < n; at++) {
        #pragma unroll
        for (int i = 0; i < 2 * W + 3; i++) rows[i] = rows[i + 8];
        #pragma unroll
        for (int k = 0; k < 8; k++) {
            rows[2 * W + 3 + k] = in[8 * at + k];
            int x = 0, y = 0, z = 0;
            #pragma unroll
            for (int i = 0; i < 3; i++) {
                #pragma unroll
                for (int j = 0; j < 3; j++) {
                    const int pixel = rows[i * W + j + k];
                    x += pixel * gx[i][j];
                    y += pixel * gy[i][j];
                    z += pixel * round[i][j];
                }
            }
            out[8 * at + k] = x + y + z;
        }
    }
}
"""


def test_filter_of_eight_pixels_a_cycle_fits_a_small_board(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "edges.cl"
    path.write_text(SOBEL)
    assert main(["check", str(path), "--board", "de10_nano", "--arg", "n=65536"]) == 0
    shown = capsys.readouterr().out
    assert "does not fit" not in shown
    (line,) = [one for one in shown.splitlines() if "resources:" in one]
    assert "0 % DSP" in line
    assert "24 % logic" in line


TABLE = """__constant int weights[2][8] = {{1, 2, 3, 4, 5, 6, 7, 8}, {9, 10, 11, 12, 13, 14, 15, 16}};
__constant int unread[4096] = {1, 2, 3};
__kernel void k(__global const int *restrict a, __global int *restrict b, const int n)
{
    for (int i = 0; i < n; i++) {
        int s = 0;
        #pragma unroll
        for (int r = 0; r < 2; r++) {
            %s
            for (int c = 0; c < 8; c++)
                s += a[i + %s] * weights[r][%s];
        }
        b[i] = s;
    }
}
"""


@pytest.mark.parametrize(("pragma", "index", "kept"), [(UNROLL, "c", 0), (STAY, "c", 1), (UNROLL, "a[i + c] & 7", 1)])
def test_a_table_of_the_file_whose_places_are_numbers_takes_no_memory(pragma: str, index: str, kept: int) -> None:
    """Nor does a table that the kernel does not read."""
    parts = used(TABLE % (pragma, "c", index), board="s10gx_ddr4_1866").parts
    assert len({one.array for one in parts if one.array}) == kept
    assert any("weights" in part_text(one.of)[0] and one.access is not None for one in parts) == bool(kept)
