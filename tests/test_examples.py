"""The papers' numbers from our own kernels' text, through the whole line."""

import io
import json
import re
from contextlib import redirect_stdout
from pathlib import Path

import pytest

from burstline_server.cli.main import main

EXAMPLES = Path(__file__).resolve().parents[1] / "examples" / "paper"
CHANNELS = {"x": 0, "y": 1, "z": 2, "source": 0, "destination": 1, "places": 0, "distances": 1, "result": 1}


def one_channel_each(name: str) -> list[str]:
    """The options that place each pointer of an example in its own channel."""
    text = (EXAMPLES / f"{name}.cl").read_text("utf-8")
    pointers = [p for p in CHANNELS if re.search(rf"\*restrict {p}\b", text)]
    return [word for p in pointers for word in ("--bank", f"{p}={CHANNELS[p]}")]


def milliseconds(name: str, *options: str) -> float:
    """The time of the one kernel in an example, by the command line."""
    with redirect_stdout(io.StringIO()) as shown:
        assert main(["check", "--format", "json", "--mode", "faithful", *options, str(EXAMPLES / f"{name}.cl")]) == 0
    (kernel,) = json.loads(shown.getvalue())["files"][0]["kernels"]
    assert kernel["bound"] == "memory"
    return float(kernel["time_ms"])


@pytest.mark.parametrize(
    ("name", "ddr4", "hbm2"),
    [
        ("vector_add", "31.5", "10.24"),
        ("vector_add_stride2", "63.0", "81.9"),
        ("axpy", "31.5", "10.2"),
        ("fft_stream", "8.8", "5.1"),
        ("nearest", "10.3", "8.0"),
        ("iamax", "8.8", "10.2"),
    ],
)
def test_table_4_from_source(name: str, ddr4: str, hbm2: str) -> None:
    for printed, options in (
        (ddr4, ["--board", "s10gx_ddr4_1866"]),
        (hbm2, ["--board", "s10mx_hbm2", *one_channel_each(name)]),
    ):
        assert f"{milliseconds(name, *options):.{len(printed.split('.')[1])}f}" == printed


def test_hbm2_without_placement_puts_everything_in_one_channel() -> None:
    spread = milliseconds("vector_add", "--board", "s10mx_hbm2", *one_channel_each("vector_add"))
    crowded = milliseconds("vector_add", "--board", "s10mx_hbm2")
    assert crowded > 3 * spread
