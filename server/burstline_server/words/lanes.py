"""Why work-items cannot run side by side."""

from __future__ import annotations

from typing import assert_never

from burstline_model.parallelism.simd_limits import ApartInLoop, KeptApart


def apart_text(why: KeptApart) -> str:
    """Why work-items cannot run side by side."""
    match why:
        case "one_item":
            return "SIMD needs an NDRange kernel"
        case "channel":
            return "a channel serves one work-item at a time"
        case "one_by_one":
            return "an access that serves one work-item at a time prevents SIMD"
        case ApartInLoop(how="coming"):
            return f"not all work-items may enter the loop over {loop_text(why.loop)}"
        case ApartInLoop(how="leaving"):
            return f"the loop over {loop_text(why.loop)} may end earlier for one work-item than for another"
        case ApartInLoop():
            return f"the trips of the loop over {loop_text(why.loop)} may differ between work-items"
        case _:
            assert_never(why)


def loop_text(variable: str) -> str:
    """A loop by its variable."""
    return variable or "its counter"
