"""How many variants a second the exploration computes: ``python bench/explore.py`` prints the table.

*Facts* is reading the kernel's text, *tables* what the scalar line is asked for once, *arrays* the whole product of
knobs; *variants/s* counts the arrays' time alone, *with tables* both. *Scalar* is the rate of the scalar line, asked
for some of the same variants one after the other in the same run. Everything runs on one core: times are the process's
own.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

from burstline_model.compiler.infer import infer
from burstline_model.estimate.kernel import estimate
from burstline_model.explore.grid import Grid
from burstline_model.explore.sweep import Plan
from burstline_model.parallelism.knobs import Knobs
from burstline_server.assessment.assessor import Assessment, Assessor
from burstline_server.config.layers import Layer

EXAMPLES = Path(__file__).parents[1] / "examples"
CLOCKS = tuple(float(f) for f in range(150, 460, 10))
TO_SIXTEEN = tuple(range(1, 17))
CASES: tuple[tuple[str, str, dict[str, object], Knobs], ...] = (
    (
        "tuning/mm_local.cl", "p385a", {"global_size": [1024, 1024], "arguments": {"width": 1024}},
        Knobs(
            simd=(1, 2, 4, 8, 16), compute_units=tuple(range(1, 17)), f_max_mhz=CLOCKS,
            unroll={0: (1, 2, 4, 8, 16, 32, 64), 1: (0, 1, 2, 4, 8, 16)},
        ),
    ),
    (
        "feedforward/hs.cl", "p520", {"arguments": {"rows": 4096, "columns": 4096}},
        Knobs(
            unroll={0: (1, 2, 4, 8), 1: TO_SIXTEEN}, f_max_mhz=CLOCKS,
            banks=tuple({"heat": a, "power": b, "result": c} for a in range(4) for b in range(4) for c in range(4)),
        ),
    ),
    (
        "tuning/km_local.cl", "s10mx_hbm2", {"global_size": [1 << 20], "arguments": {"points": 1 << 20}},
        Knobs(
            simd=(1, 2, 4, 8, 16), compute_units=tuple(range(1, 9)), f_max_mhz=CLOCKS,
            unroll={0: (0, 1, 2, 4), 1: TO_SIXTEEN, 2: TO_SIXTEEN},
        ),
    ),
)  # fmt: skip
SCALAR = 100


def scalar_rate(done: Assessment, grid: Grid) -> float:
    """Variants a second of the scalar line, over rows spread across the grid."""
    kernel = done.kernels[0]
    started = time.process_time()
    for row in range(0, grid.size, max(1, grid.size // SCALAR)):
        variant = grid.variant(row)
        facts = variant.facts(kernel.facts)
        estimate(facts, infer(facts, done.target), done.board, variant.launch(kernel.launch), target=done.target)
    return len(range(0, grid.size, max(1, grid.size // SCALAR))) / (time.process_time() - started)


def main() -> None:
    """Print the table."""
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    print("| kernel | variants | facts | tables | arrays | variants/s | with tables | scalar | times faster |")
    print("|---|---|---|---|---|---|---|---|---|")
    for name, board, settings, knobs in CASES:
        path = EXAMPLES / name
        started = time.process_time()
        done = Assessor().assess(path.read_text("utf-8"), str(path), [Layer("file", {"board": board, **settings})])
        read = time.process_time()
        kernel = done.kernels[0]
        grid = Grid(kernel.facts, done.board, kernel.launch, knobs)
        plan = Plan(grid, done.target, done.board)
        made = time.process_time()
        computed = sum(len(part) for part in plan.parts())
        ended = time.process_time()
        rate, whole, slow = computed / (ended - made), computed / (ended - read), scalar_rate(done, grid)
        print(
            f"| {path.stem} | {computed:,} | {1e3 * (read - started):.0f} ms | {1e3 * (made - read):.0f} ms "
            f"| {1e3 * (ended - made):.0f} ms | {rate:,.0f} | {whole:,.0f} | {slow:,.0f} | {rate / slow:,.0f} |"
        )


if __name__ == "__main__":
    main()
