"""The papers' application tables (M20 Table IV, M21 Table 4) and M21's comparison (Table 5), printed and resolved."""

from __future__ import annotations

from typing import Literal

from burstline_model.record import Record

MemoryName = Literal["DDR4-1866", "DDR4-2666", "HBM2"]
Status = Literal["exact", "misprint", "not reproducible"]
BOARD_OF: dict[MemoryName, str] = {
    "DDR4-1866": "s10gx_ddr4_1866", "DDR4-2666": "s10gx_ddr4_2666", "HBM2": "s10mx_hbm2",
}  # fmt: skip


class Application(Record):
    """One application on one memory.

    `kernel` is the name in `file` of our own kernel of its shape, if there is one, `global_size` its work-items where
    they are not those that the file's folder says.
    `exact`: our figure equals the printed one to its last digit. `misprint`: it differs, and the paper's own error
    column says that the print is wrong. `not reproducible`: it takes steps that the paper does not print.
    """

    name: str
    memory: MemoryName
    measured_ms: float
    printed_ms: float | None
    status: Status
    file: str | None = None
    kernel: str | None = None
    global_size: int | None = None
    note: str = ""


def _row(
    name: str, file: str, kernel: str, ddr: tuple[float, float, Status], hbm: tuple[float, float | None, Status],
    notes: tuple[str, str] = ("", ""),
) -> tuple[Application, Application]:  # fmt: skip
    both: tuple[tuple[MemoryName, tuple[float, float | None, Status], str], ...] = (
        ("DDR4-1866", ddr, notes[0]),
        ("HBM2", hbm, notes[1]),
    )
    first, second = (
        Application(
            name=name, memory=memory, measured_ms=m, printed_ms=p, status=s, note=note,
            file=file if file and note != _OTHER_SIZE else None, kernel=kernel or None,
        )
        for memory, (m, p, s), note in both
    )  # fmt: skip
    return first, second


_OTHER_SIZE = "another size than on DDR4, which the paper does not print"
_ALL_WORDS = "the print charges the store that runs once with N words"
_SWAPPED = "the print swaps measured and estimated"
_UNPRINTED = "takes sizes and bursts that the paper does not print"
TABLE_4: tuple[Application, ...] = (
    *_row("axpy", "axpy.cl", "axpy", (31.9, 31.5, "exact"), (11.2, 10.2, "exact")),
    *_row("Dot", "dot.cl", "dot_product", (29.4, 31.5, "not reproducible"), (11.2, 10.2, "exact"), (_ALL_WORDS, "")),
    *_row("FFT-1D", "fft_stream.cl", "fft_stream", (9.5, 8.8, "exact"), (6.6, 5.1, "exact")),
    *_row("iamax", "iamax.cl", "iamax", (9.2, 8.8, "exact"), (11.2, 10.2, "exact")),
    *_row("nn", "nearest.cl", "nearest", (11.0, 10.3, "exact"), (8.7, 8.0, "exact")),
    *_row(
        "PrefixSum", "prefix_sum.cl", "prefix_sum", (10.0, 9.0, "exact"), (5.75, 5.8, "misprint"), ("", _SWAPPED)
    ),
    *_row(
        "ROT", "rot.cl", "rot", (35.7, 39.5, "not reproducible"), (11.5, 10.5, "exact"),
        ("the print has the overhead of two units only; the measured time is below T_ideal", ""),
    ),
    *_row(
        "Sobel HD", "sobel.cl", "sobel", (1.9, 2.0, "exact"), (1.7, None, "exact"), ("", "not saturated: not estimated")
    ),
    *_row(
        "VectorAdd", "vector_add.cl", "vector_add", (33.3, 33.2, "misprint"), (11.2, 10.2, "exact"),
        ("the print repeats the measured value; its error of 5.1 % belongs to 31.5 ms", ""),
    ),
    *_row(
        "VectorAdd, δ = 2", "vector_add_stride2.cl", "vector_add_stride2", (67.9, 63.0, "exact"), (82.6, 81.9, "exact")
    ),
    *_row("Histogram", "histogram.cl", "histogram", (8.9, 8.4, "exact"), (13.4, 9.8, "exact")),
    *_row(
        "WM", "word_match.cl", "word_match", (59.8, 55.8, "exact"), (0.2, 0.2, "not reproducible"),
        ("", _OTHER_SIZE),
    ),
    *_row("Hotspot", "", "", (9.7, 8.8, "not reproducible"), (12.8, None, "not reproducible"), (_UNPRINTED,) * 2),
    *_row(
        "MatrixMult, v = 64", "", "", (31.2, 27.9, "not reproducible"), (15.7, 10.4, "not reproducible"),
        (_UNPRINTED,) * 2,
    ),
    *_row(
        "MatrixMult, v = 128", "", "", (121.2, 107.8, "not reproducible"), (94.4, 41.9, "not reproducible"),
        (_UNPRINTED,) * 2,
    ),
    *_row(
        "Pathfinder", "", "", (27.6, 25.4, "not reproducible"), (13.8, 16.5, "not reproducible"),
        ("the print's width is in bits where the equation has bytes",) * 2,
    ),
    *_row("NW", "", "", (1.4, 1.4, "not reproducible"), (0.2, 0.2, "not reproducible"), (_UNPRINTED,) * 2),
)  # fmt: skip
"""Table 4. FFT-1D's inverse equals its direct form. PrefixSum on HBM2 prints 5.2 as measured and 5.8 as estimated."""


def _m20(
    name: str, measured: float, printed: float, status: Status, file: str = "", kernel: str = "", *,
    global_size: int | None = None, note: str = "",
) -> Application:  # fmt: skip
    return Application(
        name=name, memory="DDR4-1866", measured_ms=measured, printed_ms=printed, status=status, file=file or None,
        kernel=kernel or None, global_size=global_size, note=note,
    )  # fmt: skip


TABLE_IV: tuple[Application, ...] = (
    _m20("Dot", 60.2, 64.5, "not reproducible", note=_ALL_WORDS),
    _m20("FFT-1D", 9.5, 8.8, "exact", "fft_stream.cl", "fft_stream"),
    _m20("nn", 157.5, 172.1, "not reproducible", note="the print charges 16 B for each record of 8 B in and 4 B out"),
    _m20("ROT", 92.7, 86.1, "exact", "rot.cl", "rot", global_size=1 << 26),
    _m20(
        "VectorAdd", 33.3, 33.2, "misprint", "vector_add.cl", "vector_add",
        note="the print repeats the measured value; its error of 5.1 % belongs to 31.5 ms",
    ),
    _m20("VectorAdd, δ = 2", 67.9, 63.0, "exact", "vector_add_stride2.cl", "vector_add_stride2"),
    _m20("Hotspot", 9.7, 8.8, "not reproducible", note=_UNPRINTED),
    _m20("Pathfinder", 275.9, 254.0, "not reproducible", note=_UNPRINTED),
    _m20("WM", 59.8, 55.8, "exact", "word_match.cl", "word_match"),
    _m20("NW", 1.4, 1.4, "not reproducible", note=_UNPRINTED),
)  # fmt: skip
"""M20's Table IV."""


class Comparison(Record):
    """One row of Table 5: the errors the paper prints, in percent, and the published run of the row.

    `run` is the id of a microbenchmark, `application` a row of Table 4; neither: the authors published no time.
    """

    name: str
    memory: MemoryName
    run: str | None
    application: str | None
    printed_wang: float | None
    printed_hlscope: float
    printed_m21: float


def _compared(
    memory: MemoryName,
    board: str | None,
    others: tuple[str, str],
    errors: tuple[tuple[float | None, float, float], ...],
) -> tuple[Comparison, ...]:
    """Rows with the runs behind them; `others`: those of BCNA and ACK.

    The print's BCA of 4 has the error of two accesses, on both memories, and its BCNA on DDR4 that of Fig. 9's δ = 3.
    """
    runs = (
        ("μb BCA, 1", "micro BCA-1-16"), ("μb BCA, 4", "micro BCA-2-16"), ("μb BCNA, 3", others[0]),
        ("μb ACK, 32", others[1]), ("VectorAdd, 3", None),
    )  # fmt: skip
    return tuple(
        Comparison(
            name=name, memory=memory, run=f"z{run.replace(' ', f'-{board}-')}" if run and board else None,
            application="VectorAdd" if run is None else None, printed_wang=e[0], printed_hlscope=e[1], printed_m21=e[2],
        )
        for (name, run), e in zip(runs, errors, strict=True)
    )  # fmt: skip


TABLE_5: tuple[Comparison, ...] = (
    *_compared(
        "DDR4-1866", "s10gx", ("stride BCNA-3", "micro ACK-2-16"),
        ((17.3, 12.7, 5.6), (0.3, 10.6, 4.4), (None, 71.1, 4.0), (8049.9, 63.2, 27.9), (19.3, 21.0, 5.1)),
    ),
    *_compared(
        "DDR4-2666", None, ("", ""),
        ((69.6, 57.8, 4.7), (37.8, 19.6, 5.8), (None, 137.9, 8.7), (11279.4, 47.6, 8.8), (67.9, 63.3, 1.0)),
    ),
    *_compared(
        "HBM2", "s10mx", ("micro BCNA-3-16", "micro ACK-7"),
        ((145.5, 83.7, 8.4), (151.2, 83.7, 8.6), (None, 118.8, 13.9), (4910.8, 78.1, 14.7), (9.8, 83.7, 8.7)),
    ),
)  # fmt: skip
"""Table 5; on DDR4-2666 the authors published the time of VectorAdd alone."""
VECTOR_ADD_2666 = Application(
    name="VectorAdd", memory="DDR4-2666", measured_ms=23.86, printed_ms=None, status="exact", file="vector_add.cl",
    kernel="vector_add",
)  # fmt: skip
"""The one application that was also measured on DDR4-2666 (Table 5)."""
