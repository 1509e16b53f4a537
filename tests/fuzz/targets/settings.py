"""``burstline.toml`` and the comments in a text: a kernel assessed under them."""

from __future__ import annotations

import random
import tempfile
from pathlib import Path

from burstline_model.boards.board import boards
from burstline_server.assessment.assessor import Assessor
from burstline_server.config.layers import find_file, read_file
from burstline_server.config.settings import LaunchSettings, Settings
from burstline_server.diagnostics.catalogue import findings_of
from burstline_server.presentation.report_build import file_report
from tests.fuzz.failures import failing
from tests.fuzz.mutate import mutated
from tests.fuzz.seeds import KERNELS, ROOT

BREAK = "\n=====\n"
KERNEL = """// burstline: n=100
__kernel void first(__global float *restrict x, int n) { for (int i = 0; i < n; i++) x[i] = 0; }

// burstline: n=200 bank[x]=3 global_size=(64, 2)
__kernel void second(__global float *restrict x, int n)
{
    int i = get_global_id(0);
    while (x[i] > N) x[i++ * n] = 0; // burstline: trip=7 f_max=200 mode=faithful
}
"""
EVERYTHING = """board = "p385a"
device_family = "Arria 10"
aoc_version = "17.1"
f_max_mhz = 240.5
mode = "faithful"
memory_part = "wang"
interleaving = false
include_paths = ["include"]
aoc_flags = ["-no-interleaving", "-DN=4", "-I..", "-fp-relaxed"]
report = "off"
pipes = true
hints = "everything"
language_services = "off"
global_size = [64, 64]
local_size = "8,8"
arguments = { n = 1024, a = 2.5 }
trips = { 5 = 10 }
banks = { x = [0, 1], y = 1 }
assumed_trips = 9
services = { hover = true }
defines = { N = 4, WIDTH = "(2*N)", ON = true }
[kernels.first]
global_size = 4096
arguments = { n = 16 }
[kernels.second.trips]
8 = 3
"""
WORDS = (
    *Settings.model_fields, *LaunchSettings.model_fields, *boards(), "=", "[", "]", "{", "}", '"', ",", "\n", "#",
    ".", "nan",
    "inf", "-1", "0", "true", "false", "1e308", "off", "[kernels.first]\n", "[kernels]\n", "[[kernels]]\n", "'''",
    "1979-05-27",
    "-no-interleaving", "-D", "-I", "// burstline: ", "trip[2]=3 ", "bank[x]=1 ", "arg[n]=2 ", "global_size=(1,2,3,4) ",
    "board=card.toml ", "ignore BL102 BL201", "first", "second", "\\u0000", "\\", "card.toml", "x.js",
)  # fmt: skip


def seeds() -> list[bytes]:
    """The settings of the examples, and some with every key."""
    files = sorted((ROOT / "examples").rglob("burstline.toml"))
    return [(text + BREAK + KERNEL).encode() for text in (EVERYTHING, *(f.read_text("utf-8") for f in files))]


def mutate(data: bytes, most: int, chance: random.Random) -> bytes:
    """Other words and numbers in the settings, less often in the kernel's text."""
    settings, _, text = data.decode("utf-8", "replace").partition(BREAK)
    if chance.random() < 0.7:
        settings = mutated(settings, WORDS, [EVERYTHING], chance)
    else:
        text = mutated(text, WORDS, KERNELS, chance)
    return (settings + BREAK + text).encode("utf-8", "replace")[:most]


def check(data: bytes) -> None:
    """Assess the kernels under the settings; raises `Failure`."""
    settings, _, text = data.partition(BREAK.encode())
    with tempfile.TemporaryDirectory() as place:
        kernel = Path(place) / "kernel.cl"
        (Path(place) / "burstline.toml").write_bytes(settings)
        with failing():
            file = find_file(kernel, Path(place))
            layers = [read_file(file)[0]] if file is not None else []
            done = Assessor([Path(place)]).assess(text.decode("utf-8", "replace"), str(kernel), layers)
            file_report(done, findings_of(done))
