"""Board files and vendor specifications: ``burstline boards``, and a kernel estimated on the board.

An input is a file's name, a line, and its text.
"""

from __future__ import annotations

import random
import tempfile
from pathlib import Path

from burstline_model.boards.board import boards
from burstline_model.boards.board_spec import board_toml
from burstline_server.assessment.assessor import Assessor
from burstline_server.config.layers import Layer
from burstline_server.diagnostics.catalogue import findings_of
from tests.fuzz.commands import run
from tests.fuzz.failures import Failure, failing
from tests.fuzz.mutate import mutated
from tests.fuzz.seeds import ROOT

TOML, XML = "card.toml", "board_spec.xml"
KERNEL = """__kernel void k(__global float *restrict x, __global const int *restrict y, int n)
{
    int i = get_global_id(0);
    x[3 * i + 1] = y[i] + x[y[i]];
    atomic_add(&y[n], 1);
}
"""
SPECIFICATION = """<?xml version="1.0"?>
<board version="17.1" name="card_a7">
  <device device_model="10ax115s2f45i1sg_dm.xml"><used_resources><alms num="3"/></used_resources></device>
  <global_mem name="DDR" max_bandwidth="34133" interleaved_bytes="1024" default="1">
    <interface name="b" type="slave" width="512" maxburst="16" address="0x0" size="0x100000000" latency="240">
      <port name="r0" direction="r"/><port name="w0" direction="w"/></interface>
    <interface name="b" width="512" maxburst="16"/>
  </global_mem>
  <channels><interface name="c" port="p" type="streamsource" width="256" chan_id="in0"/></channels>
</board>
"""
WORDS = (
    "=", "[", "]", "{", "}", '"', ",", "\n", "#", "[memory]\n", "[measured]\n", "[compiler]\n", "[resources]\n",
    "nan", "inf",
    "-1", "0", "true", "1e308", "banks", "clock_mhz", "peak_mb_s", "data_width_bytes", "burst_length",
    "separate_channels",
    "aligned", "narrow", "atomic_ns", "banked", "family", "'''", "<", ">", "/>", "</board>", "<interface ", "width=",
    "<port/>",
    "maxburst=", "max_bandwidth=", "&#10;", "&#0;", "&amp;", "<![CDATA[", "]]>", "<!--", "-->", "<!DOCTYPE a>",
    "1AGF", "5SGX",
)  # fmt: skip


def seeds() -> list[bytes]:
    """The boards that ship, and a specification."""
    texts = [(ROOT / "model/burstline_model/boards" / f"{name}.toml").read_text("utf-8") for name in boards()]
    return [f"{TOML}\n{text}".encode() for text in texts] + [f"{XML}\n{SPECIFICATION}".encode()]


def mutate(data: bytes, most: int, chance: random.Random) -> bytes:
    """Other words and numbers in the text."""
    name, _, text = data.decode("utf-8", "replace").partition("\n")
    others = [SPECIFICATION if name == XML else board_toml(chance.choice(list(boards().values())))]
    return f"{name}\n{mutated(text, WORDS, others, chance)}".encode("utf-8", "replace")[:most]


def check(data: bytes) -> None:
    """Read the board; where it is one, show it and estimate a kernel on it. Raises `Failure`."""
    name, _, text = data.partition(b"\n")
    with tempfile.TemporaryDirectory() as place:
        file = Path(place) / (XML if name == XML.encode() else TOML)
        file.write_bytes(text)
        with failing():
            if file.name == XML:
                run("import-report", str(file))
                if run("boards", "import", str(file), "-o", str(Path(place) / TOML)).startswith("burstline: "):
                    return
                if "burstline: " in (said := run("boards", "check", str(Path(place) / TOML))):
                    raise Failure("imported board unreadable", said)
                file = Path(place) / TOML
            if run("boards", "show", str(file)).startswith("burstline: "):
                return
            for settings in ({}, {"mode": "faithful"}, {"memory_part": "wang", "global_size": 4096}):
                keys = {"board": str(file), **settings}
                findings_of(Assessor().assess(KERNEL, "kernel.cl", [Layer("file", keys)]))
