"""Documents for the kernel view, from source text."""

from pathlib import Path
from typing import Any

from burstline_model.record import Record
from burstline_server.diagnostics.catalogue import findings_of
from burstline_server.presentation.variant_table import views_of
from burstline_server.presentation.view_build import controls_of, file_view, view_document
from burstline_server.presentation.view_document import ViewDocument
from tests.assessing import assess

ROOT = Path(__file__).resolve().parents[2]
SOR = (ROOT / "examples" / "roofline" / "sor.cl").read_text("utf-8")
GATHER = """// burstline: n=1000000
__kernel void gather(__global const int *restrict at, __global const float *restrict x,
                     __global float *restrict y, int n)
{
    for (int i = 0; i < n; i++)
        y[i] = x[at[i]];
}
"""


class Tried(Record):
    """A variant, with the fields of the model's own."""

    number: int
    knobs: dict[str, str]
    time_ms: float | None
    f_max_mhz: float = 400.0
    logic: float = 0.1
    rams: float = 0.1
    dsps: float = 0.1
    feasible: bool = True
    why: str = ""
    pareto: bool = False


VARIANTS = (
    Tried(number=1, knobs={"SIMD": "1"}, time_ms=120.5),
    Tried(number=2, knobs={"SIMD": "4", "unroll": "2"}, time_ms=31.5, logic=0.4, pareto=True),
    Tried(number=3, knobs={"SIMD": "8"}, time_ms=None),
    Tried(number=4, knobs={"SIMD": "16"}, time_ms=9.0, logic=1.12, feasible=False, why="logic 112 %"),
    Tried(number=5, knobs={"SIMD": "2"}, time_ms=61.0, logic=0.2),
)


def document(
    text: str,
    path: str = "kernel.cl",
    *,
    variants: Any = None,
    controls: bool = False,
    usual: bool = False,
    **settings: Any,
) -> ViewDocument:
    """The document of one file under these settings, with these variants or the usual ones."""
    assessment = assess(text, path, **settings)
    tried = views_of(assessment) if usual else variants
    shown = file_view(assessment, findings_of(assessment), variants=tried)
    return view_document([shown], controls_of(assessment, None) if controls else None)
