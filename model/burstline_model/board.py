"""Boards are data: memories, timings and defaults, one TOML file each in `boards/`, with sources."""

import difflib
import tomllib
from functools import cache
from importlib import resources
from pathlib import Path

from pydantic import Field, model_validator

from burstline_model.compiler.target import Family, Target
from burstline_model.record import Record


class Memory(Record):
    """The external memory of a board (M21 Table 2, the datasheet's and the interface's rows).

    One bank moves `data_width_bytes` (dq) twice a clock of `clock_mhz` (f_dram), `burst_length` (bl)
    beats a word. `burst_count_log2` is log2 of the longest burst in words (burst_cnt), `max_threads` the
    most requests a non-aligned unit joins (max_th). `separate_channels`: every bank is a memory of its own
    (HBM2 pseudo-channels), else banks are interleaved every `interleave_bytes` unless told otherwise.
    """

    type: str
    banks: int
    data_width_bytes: int
    burst_length: int
    clock_mhz: float
    t_rcd_ns: float
    t_rp_ns: float
    t_wr_ns: float
    burst_count_log2: int = 5
    max_threads: int = 64
    separate_channels: bool = False
    interleave_bytes: int | None = None
    peak_mb_s: float
    source: str

    @property
    def bandwidth_bytes_s(self) -> float:
        """bw_dram, one bank's peak: dq · 2 · f_dram, in bytes per second (M21, Section 5)."""
        return self.data_width_bytes * 2 * self.clock_mhz * 1e6

    @property
    def word_bytes(self) -> int:
        """One memory word, dq · bl, in bytes."""
        return self.data_width_bytes * self.burst_length

    @property
    def page_bytes(self) -> int:
        """The longest burst: 2^burst_cnt · dq · bl, in bytes (M21 Eq. 9)."""
        return self.word_bytes << self.burst_count_log2

    @model_validator(mode="after")
    def _physics(self) -> "Memory":
        peak = self.bandwidth_bytes_s * self.banks / 1e6
        if abs(peak - self.peak_mb_s) > 0.02 * self.peak_mb_s:
            raise ValueError(
                f"peak_mb_s is {self.peak_mb_s:g}, but data_width_bytes · 2 · clock_mhz · banks is {peak:g}"
            )
        return self


class Measured(Record):
    """What a memory reaches when measured, as shares of a bank's peak by the number of units that share it.

    `aligned`, `non_aligned` and `scattered` (data-dependent or write-ack) accesses; the last value of a list holds
    beyond it. `atomic_ns` is one atomic operation.
    """

    aligned: tuple[float, ...]
    non_aligned: tuple[float, ...]
    scattered: tuple[float, ...]
    atomic_ns: float
    source: str


@cache
def technologies() -> dict[str, Measured]:
    """Measured figures by technology, for boards that have none of their own."""
    text = (resources.files(__package__) / "technologies.toml").read_text("utf-8")
    return {name: Measured.model_validate(block) for name, block in tomllib.loads(text).items()}


class Compiler(Record):
    """Device, compiler and clock that hold when the user says nothing."""

    family: Family
    device: str
    aoc_version: str
    f_max_mhz: float
    source: str


class Board(Record):
    """One board file."""

    name: str
    title: str
    aliases: tuple[str, ...] = ()
    compiler: Compiler
    memory: Memory
    own_measured: Measured | None = Field(None, alias="measured")

    @property
    def measured(self) -> Measured:
        """The board's own measured figures, else its technology's."""
        return self.own_measured or technologies()["HBM2" if self.memory.separate_channels else "DDR"]

    @property
    def target(self) -> Target:
        """What the unit rules need of the board."""
        return Target(
            family=self.compiler.family,
            aoc_version=parse_version(self.compiler.aoc_version),
            word_bytes=self.memory.word_bytes,
            separate_channels=self.memory.separate_channels,
        )


class UnknownBoardError(LookupError):
    """No board has this name or alias; the message lists the nearest."""


def parse_version(text: str) -> tuple[int, int, int]:
    """``18.1`` or ``17.1.1`` as numbers; raises ValueError with the accepted form in its message."""
    parts = text.strip().split(".")
    if not 1 <= len(parts) <= 3 or not all(p.isdigit() for p in parts):
        raise ValueError(f"not a compiler version: {text!r} (write it as 18.1 or 17.1.1)")
    major, minor, patch = ([int(p) for p in parts] + [0, 0])[:3]
    return major, minor, patch


def load_board(path: Path) -> Board:
    """Read and check one board file; raises ValueError naming what is wrong."""
    return Board.model_validate(tomllib.loads(path.read_text("utf-8")))


def find_board(name: str) -> Board:
    """The board with this name or alias, whatever its case; raises `UnknownBoardError` listing the nearest."""
    wanted = name.strip().lower()
    known = {key.lower(): b for b in boards().values() for key in (b.name, *b.aliases)}
    if wanted in known:
        return known[wanted]
    near = difflib.get_close_matches(wanted, known, n=3, cutoff=0.4)
    names = sorted({known[n].name for n in near}) or sorted(boards())
    raise UnknownBoardError(f"no board is called {name!r}; the nearest are {', '.join(names)}")


@cache
def boards() -> dict[str, Board]:
    """The boards that ship with the package, by name."""
    folder = resources.files(__package__) / "boards"
    found: dict[str, Board] = {}
    for entry in sorted(folder.iterdir(), key=lambda e: e.name):
        if entry.name.endswith(".toml"):
            board = Board.model_validate(tomllib.loads(entry.read_text("utf-8")))
            found[board.name] = board
    return found


DEFAULT_BOARD = "s10gx_ddr4_1866"
