"""The texts of the page that holds the memory model against measurements."""

from __future__ import annotations

from typing import Literal

from burstline_model.validation.benchmark_csv import COLUMNS, TableError, UnplacedError

Group = Literal["aligned", "off_alignment", "interleaved", "strides"]
"""Kinds of published runs."""
GROUPS: dict[Group, str] = {
    "aligned": "banked streams, aligned",
    "off_alignment": "banked streams, off alignment",
    "interleaved": "interleaved streams",
    "strides": "strides",
}
OURS = "{0}, our reading"
"""A model of other authors, as we understand it."""
TITLES = {
    "summary": "Summary",
    "table_iv": "M20, Table IV: applications",
    "table_4": "M21, Table 4: applications",
    "table_5": "M21, Table 5: errors next to others",
    "sets": "Published measurements",
}


def table_error_text(error: TableError) -> str:
    """What is wrong with a table of microbenchmarks."""
    match error.why:
        case UnplacedError() as why:
            return (
                f"{error.path}:{error.line}: {why.accesses} accesses over {why.banks} banks on a board of {why.there}"
            )
        case ValueError() as why:
            return f"{error.path}:{error.line}: {why}"
        case column:
            return f"{error.path}: no column {column} (a row needs {', '.join(COLUMNS)})"


def applications_text(memory: str, printed_error: str, *, all_: bool) -> str:
    """Which applications of the papers a row is about; with the mean error of the print."""
    which = "all with a kernel" if all_ else "reproducible"
    return f"applications on {memory}, {which} (print: {printed_error})"


ABOUT = """# The memory model held against measurements

Made by `burstline validate --markdown docs/validation.md --plot docs/pictures/validation.svg`.

Every row starts from the text of a kernel of our own and goes through the whole line, as `burstline check` does: units,
widths, sizes, starts and strides are read off the text, under the launch, the scalar arguments, the banks and the clock
that were published. Nothing is entered by hand. `examples/benchmarks/` holds the kernels and the published figures,
`examples/paper/` the applications.

*Faithful* is M21 as printed; *calibrated*, the default, replaces its efficiency by figures in the board files and adds
the issue bound, the alignment law and the interconnect (`model/burstline_model/memory/calibrated.py`). *Bytes / peak*,
the naive estimate, is what the busiest bank must deliver over its peak bandwidth. The calibration rests on
microbenchmarks alone: the M21 authors' on the two Stratix 10 kits, and FPGAMemBench's STD sheet on the 385A
(`burstline calibrate`). Boards without microbenchmarks, the 520N among them, take the figures of their
technology. Errors are absolute, against measured time; where no time is given at all, the error counts as 100 %. The
clocks of the applications, and those that were not published, are the compiler's estimates, as in the paper.

![Estimated against measured time](pictures/validation.svg)

"""
TRUST = """
## Limits of trust

- **Banked streams on a board that was never measured** may be 10 to 15 % slower than estimated: the 520N's banks reach
  83 to 92 % of their peak, where the two fitted DDR4 boards reach 95 %.
- **Interleaved banks**: buffers whose sizes are multiples of the interleaving over all banks meet in one bank all
  the time and are costed so; where sizes are odd or unknown, units are taken to meet by chance.
- **Several narrow units in one bank** lose a third to a half of it; how much depends on the clock in a way that two
  figures per board do not hold (the worst rows of FREQ).
- **Narrow non-aligned units, four and more in a bank**: the coalescer's bursts break down to two or three words, and
  times double or triple beyond the estimate (BCNA with v = 2).
- **Strides that are no power of two** on HBM2 stores, and data-dependent requests from few lanes, are off by up to a
  half.
- Runs that a fit was made on say little: they are marked.
"""
