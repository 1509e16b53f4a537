"""Vendor reports: ``import-report``, and a kernel assessed with one.

An input is a file's name, a line, and its text.
"""

from __future__ import annotations

import contextlib
import json
import random
import re
import tempfile
from pathlib import Path
from typing import Any

from burstline_server.assessment.assessor import Assessor
from burstline_server.config.layers import Layer
from burstline_server.diagnostics.catalogue import findings_of
from tests.fuzz.commands import run
from tests.fuzz.failures import failing
from tests.fuzz.mutate import mutated, mutated_value
from tests.reports.test_reading import SUMMARY, TABLE, of_16, of_19

NAMES = ("report_data.js", "mav.json", "acl_quartus_report.txt", "k.log")
KERNEL = """__kernel void k(__global float *restrict x, int n)
{
    for (int i = 0; i < n; i++) {
        x[i] = x[2 * i + 1] + 1;
    }
}
"""
WORDS = (
    "var mavJSON=", "var areaJSON='", "';\n", "{", "}", "[", "]", ":", ",", '"', "\\'", "\\012", "\\u0000", "null",
    "true",
    '"nodes"', '"children"', '"data"', '"details"', '"debug"', '"filename"', '"line"', '"name"', '"type"', '"inst"',
    '"kernel"', '"Load"', '"columns"', '"basicblocks"', '"subinfos"', '"info"', '"rows"', "ALUTs: ", "Kernel fmax: ",
    "Logic utilization", " / ", ";", "%", "k.cl", "..", "/", ">=7", "NaN", "Infinity", "19.4.0", "512 bits",
)  # fmt: skip
_VIEW = re.compile(r"(var \w+JSON=)(.*?)(;\n|;?$)", re.DOTALL)


def seeds() -> list[bytes]:
    """A report of every generation, and the texts next to them."""
    views = json.loads(of_19().split("var mavJSON='")[1].split("';\n")[0])
    texts = (
        ("report_data.js", of_16()), ("report_data.js", of_19()), ("report_data.js", of_19("LSU Style")),
        ("mav.json", json.dumps(views)), ("acl_quartus_report.txt", SUMMARY), ("k.log", TABLE),
    )  # fmt: skip
    return [f"{name}\n{text}".encode() for name, text in texts]


def mutate(data: bytes, most: int, chance: random.Random) -> bytes:
    """A view with other values, or other words in the text."""
    name, _, text = data.decode("utf-8", "replace").partition("\n")
    views = list(_VIEW.finditer(text))
    if views and chance.random() < 0.7:
        view = chance.choice(views)
        body = view[2]
        quoted = body.startswith("'")
        with contextlib.suppress(ValueError, RecursionError):
            value = mutated_value(json.loads(body.strip("'") if quoted else body, strict=False), chance)
            made = json.dumps(value)
            body = f"'{made}'" if quoted else made
        text = text[: view.start(2)] + body + text[view.end(2) :]
    elif chance.random() < 0.05:
        name = chance.choice(NAMES)
    else:
        text = mutated(text, WORDS, [of_16(), of_19(), SUMMARY], chance)
    return f"{name}\n{text}".encode("utf-8", "replace")[:most]


def check(data: bytes) -> None:
    """Import the report and assess a kernel next to it; raises `Failure`."""
    name, _, text = data.partition(b"\n")
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        kernel, file = (
            folder / "k.cl",
            folder / (name.decode() if name.decode("utf-8", "replace") in NAMES else NAMES[0]),
        )
        kernel.write_text(KERNEL, "utf-8")
        file.write_bytes(text)
        with failing():
            for form in ("text", "json"):
                run("import-report", str(file), "--format", form)
            setting: dict[str, Any] = {"report": str(file)}
            findings_of(Assessor().assess(KERNEL, str(kernel), [Layer("file", setting)]))
