"""The published suites: figures as their authors printed them, each with the kernel and the launch behind it.

FPGAMemBench (Zohouri and Matsuoka, H2RC 2019; github.com/zohourih/FPGAMemBench), HPCC_FPGA's STREAM
(github.com/pc2/HPCC_FPGA) and the M21 authors' microbenchmarks (github.com/angelicadavila/FPGA_MEMORY_HLS).
"""

from __future__ import annotations

import csv
from collections.abc import Iterator

from burstline_model.boards.board import find_board
from burstline_server.validation.published import Run, benchmark_folder

_FLOAT = 4
_BLOCK = 1024
"""FPGAMemBench's block, elements."""
_ITEMS = 32_768_000
"""Work-items of the M21 authors' microbenchmarks."""
_MICRO_BOARDS = {"s10gx": "s10gx_ddr4_1866", "s10mx": "s10mx_hbm2"}
_CLOCKS_MHZ = {"s10gx": 480.0, "s10mx": 450.0}
"""What the compiler estimated (M21, Section 7), where no clock was published."""


def published_runs() -> list[Run]:
    """Every published run, by suite. Raises OSError when the package's figures are missing."""
    return [*_fpgamembench(), *_stream(), *_microbenchmarks()]


def _rows(name: str) -> Iterator[dict[str, str]]:
    with (benchmark_folder() / name).open(newline="", encoding="utf-8") as file:
        yield from csv.DictReader(file)


def _fpgamembench() -> Iterator[Run]:
    """Arrays of 1 GiB on a 385A: by hand, a and c lie in the first bank, b and d in the second.

    Blocks overlap by two halos; the printed bandwidth counts what is moved twice. The STD sheet is for fitting.
    """
    for row in _rows("fpgamembench.csv"):
        reads, writes = int(row["kernel"][1]), int(row["kernel"][3])
        lanes, halo, by_hand = int(row["vec"]), int(row["halo"]), row["interleaved"] == "N"
        length = int(row["size_mib"]) * 2**20 // _FLOAT
        blocks = -(-length // (_BLOCK - 2 * halo))
        moved = _moved(length, blocks, halo) * _FLOAT
        placed = _placed(reads, writes)
        steps = blocks * (_BLOCK // lanes)
        work_items = row["model"] == "NDR"
        busiest = max(sum(b == bank for b in placed.values()) for bank in (0, 1)) if by_hand else (reads + writes) / 2
        yield Run(
            id=f"{row['sheet']}-{row['row']}-{row['kernel']}", suite="FPGAMemBench", sheet=row["sheet"],
            kind=row["kernel"], board="p385a", banks="banked" if by_hand else "interleaved",
            file="blocks.cl", kernel="walk", measured_s=moved * (reads + writes) / (float(row["gb_s"]) * 1e9),
            bank_bytes=moved * busiest,
            defines={"READS": reads, "WRITES": writes, "VEC": lanes, "BLOCK": _BLOCK,
                     **({"WORK_ITEMS": 1} if work_items else {})},
            global_size=steps if work_items else None,
            arguments={"pad": 0, "length": length, "halo": halo, **({} if work_items else {"steps": steps})},
            bank_of=placed if by_hand else {},
            f_max_mhz=float(row["f_max_mhz"]), fitted=row["sheet"] == "STD", aligned=halo % lanes == 0,
        )  # fmt: skip


def _moved(length: int, blocks: int, halo: int) -> int:
    """Elements of one array that the blocks reach: overlaps twice, what lies outside of the array not at all."""
    inner = _BLOCK - 2 * halo
    begins = (block * inner - halo for block in (0, blocks - 2, blocks - 1))
    first, before, last = (min(begin + _BLOCK, length) - max(begin, 0) for begin in begins)
    return first + (blocks - 3) * _BLOCK + before + last


def _placed(reads: int, writes: int) -> dict[str, int]:
    """The bank of each array a kernel of this shape moves, by its pointer."""
    arrays = "abc"[:reads] + ("cd" if writes == 2 else "d" * writes)
    return {array: {"a": 0, "b": 1, "c": 0, "d": 1}[array] for array in arrays}


_OPERATIONS = {
    "copy": ({"from": "A"}, "C"), "scale": ({"from": "C"}, "B"), "add": ({"left": "A", "right": "B"}, "C"),
    "triad": ({"left": "B", "right": "C"}, "A"),
}  # fmt: skip
"""The array behind each pointer that an operation of STREAM reads, and the one it writes."""


def _stream() -> Iterator[Run]:
    """Arrays of 400 MB; where they lie is given as A:B:C.

    On the 385A two channel flags name one of its two banks: which one follows from the pairs that slow each other down.
    """
    for row in _rows("stream.csv"):
        banks = find_board(row["board"]).memory.banks
        reads, written = _OPERATIONS[row["operation"]]
        pointers = {**reads, "to": written}
        size = int(row["elements"]) * {"float": 4, "double": 8}[row["type"]]
        by_hand = row["interleaved"] == "N"
        bank = dict(zip("ABC", (int(b) % banks for b in row["banks"].split(":")), strict=True)) if by_hand else {}
        bank_of = {pointer: bank[array] for pointer, array in pointers.items()} if by_hand else {}
        counts = [sum(b == n for b in bank_of.values()) for n in range(banks)]
        yield Run(
            id=row["id"], suite="STREAM", sheet="", kind=row["operation"], board=row["board"],
            banks="banked" if by_hand else "interleaved", file="stream.cl", kernel=row["operation"],
            measured_s=float(row["time_ms"]) / 1e3,
            bank_bytes=size * (max(counts) if by_hand else len(pointers) / banks),
            defines={"ELEMENT": row["type"], "LANES": int(row["lanes"]), "WORD": f"{row['type']}{row['lanes']}"},
            arguments={"elements": int(row["elements"])}, bank_of=bank_of, f_max_mhz=float(row["f_max_mhz"]),
            aoc_version=row["aoc"],
        )  # fmt: skip


_FILES = {"shuffled": "shuffled.cl", "atomic": "atomics.cl"}
MICRO_KINDS = {
    "aligned": "aligned streams", "triples": "non-aligned triples", "shuffled": "data-dependent addresses",
    "atomic": "atomics", "stride": "strides", "stride_offset": "strides from an offset",
}  # fmt: skip
"""What the page calls the kinds of microbenchmarks."""


def _microbenchmarks() -> Iterator[Run]:
    """Sums of arrays into one: on DDR4 all in one bank, on HBM2 each in its own pseudo-channel.

    The offset of the strided ones is not published: 1 is assumed.
    """
    for row in _rows("microbenchmarks.csv"):
        kind, pointers, stride = row["kind"], int(row["pointers"]), int(row["stride"])
        channels = row["board"] == "s10mx"
        defines: dict[str, str | int] = {"INPUTS": pointers - 1, "LANES": int(row["simd"])}
        if channels:
            defines["CHANNELS"] = 1
        if kind == "triples":
            defines["TRIPLES"] = 1
        if kind.startswith("stride"):
            defines["STRIDE"] = stride
        if kind == "stride_offset":
            defines["FROM_OFFSET"] = 1
        file = _FILES.get(kind, "sum.cl")
        array = _ITEMS * _FLOAT * (3 if kind == "triples" else 1)
        yield Run(
            id=row["id"], suite="Microbenchmarks", sheet=MICRO_KINDS[kind], kind=kind,
            board=_MICRO_BOARDS[row["board"]], banks="banked", file=file, kernel=file.removesuffix(".cl"),
            measured_s=float(row["time_ms"]) / 1e3, bank_bytes=array * (1 if channels else pointers), defines=defines,
            global_size=_ITEMS, arguments={"offset": 1} if kind == "stride_offset" else {},
            f_max_mhz=float(row["f_max_mhz"] or _CLOCKS_MHZ[row["board"]]),
            aoc_version="19.4" if channels else "18.1", fitted=not kind.startswith("stride"),
        )  # fmt: skip
