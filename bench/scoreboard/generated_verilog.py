"""Units in the Verilog that compilers up to 17.x generate for a kernel file: one ``lsu_top`` each, by its parameters.

The style apart, a unit's parameters say what it reads or writes, how wide, whether it has a cache and whether it waits
for acknowledgement. Local memory and atomics are left out, as they are of reports.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict

_MODULE = re.compile(r"^module (\w+)_basic_block_\d+$")
_PARAMETER = re.compile(r'^defparam (lsu_\w+)\.(\w+) = "?([^";]*)"?;$')
_GLOBAL = "1"
_STYLES = {
    "BURST-COALESCED": "Burst-coalesced",
    "BURST-NON-ALIGNED": "Burst-coalesced non-aligned",
    "PREFETCHING": "Prefetching",
    "STREAMING": "Streaming",
    "SEMI-STREAMING": "Semi-streaming",
    "SIMPLE": "Simple",
    "PIPELINED": "Pipelined",
}
_BITS = 8


def units_in(text: str) -> dict[str, Counter[tuple[str, str, int]]]:
    """The units of each kernel by operation, style and width; kernels without one have an empty entry."""
    found: dict[str, Counter[tuple[str, str, int]]] = {}
    kernel, block = "", 0
    parameters: defaultdict[tuple[str, int, str], dict[str, str]] = defaultdict(dict)
    for line in text.splitlines():
        if module := _MODULE.match(line.strip()):
            kernel, block = module[1], block + 1
            found.setdefault(kernel, Counter())
        elif parameter := _PARAMETER.match(line.strip()):
            parameters[kernel, block, parameter[1]][parameter[2]] = parameter[3]
    for (kernel, _, _), unit in parameters.items():
        if unit.get("ADDRSPACE") == _GLOBAL and unit.get("ATOMIC") != "1" and "STYLE" in unit:
            op = "load" if unit["READ"] == "1" else "store"
            found[kernel][op, _style(unit), _BITS * int(unit["WIDTH_BYTES"])] += 1
    return found


def _style(unit: dict[str, str]) -> str:
    words = _STYLES[unit["STYLE"]]
    if unit.get("USE_WRITE_ACK") == "1":
        words = words.replace("Burst-coalesced", "Burst-coalesced write-ack")
    return f"{words} cached" if unit.get("USECACHING") == "1" else words
