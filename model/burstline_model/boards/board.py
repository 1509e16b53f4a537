"""Boards are data: memories, timings and defaults, one TOML file each in `boards/`, with sources."""

import difflib
import re
import tomllib
from collections.abc import Sequence
from functools import cache
from importlib import resources
from itertools import pairwise, takewhile
from math import inf
from pathlib import Path
from typing import Annotated, Any

from pydantic import ConfigDict, Field, ValidationError, field_validator, model_validator

from burstline_model.devices.cost_tables import Device
from burstline_model.files import parsed_toml, read_bounded
from burstline_model.record import Record, Wrong, wrong_in
from burstline_model.target import Family, Target

Count = Annotated[int, Field(ge=1, le=4096)]
Clock = Annotated[float, Field(gt=0, le=100_000)]
LONGEST_NS = 1_000_000
Duration = Annotated[float, Field(ge=0, le=LONGEST_NS)]
Share = Annotated[float, Field(ge=0.001, le=10)]
Shares = Annotated[tuple[Share, ...], Field(min_length=1)]
"""Figures far outside what hardware has are mistakes in the file."""


class PeakError(ValueError):
    """A memory's peak, in MB/s, is not what its width, clock and banks make."""

    def __init__(self, given_mb_s: float, made_mb_s: float) -> None:
        super().__init__(given_mb_s, made_mb_s)
        self.given_mb_s, self.made_mb_s = given_mb_s, made_mb_s


class Memory(Record):
    """The external memory of a board (M21 Table 2, the datasheet's and the interface's rows).

    One bank moves `data_width_bytes` (dq) twice a clock of `clock_mhz` (f_dram), `burst_length` (bl)
    beats a word. `burst_count_log2` is log2 of the longest burst in words (burst_cnt), `max_threads` the
    most requests a non-aligned unit joins (max_th). `separate_channels`: every bank is a separate memory
    (HBM2 pseudo-channels), else banks are interleaved every `interleave_bytes` by default. `latency_ns`
    until a request is answered, through the interface: 240 ns in the example of the Custom Platform Toolkit.
    `name` is that of the board's specification, which `buffer_location` names; `channels` those of its banks where
    each is a memory of its own there.
    """

    model_config = ConfigDict(allow_inf_nan=False)

    name: str = ""
    type: str
    banks: Count
    channels: tuple[str, ...] = ()
    data_width_bytes: Count
    burst_length: Count
    clock_mhz: Clock
    t_rcd_ns: Duration
    t_rp_ns: Duration
    t_wr_ns: Duration
    burst_count_log2: Annotated[int, Field(ge=0, le=16)] = 5
    max_threads: Count = 64
    separate_channels: bool = False
    interleave_bytes: Annotated[int, Field(ge=1)] | None = None
    latency_ns: Duration = 240.0
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
        if self.channels and len(self.channels) != self.banks:
            raise ValueError(f"channels has {len(self.channels)} names, but banks is {self.banks}")
        peak = self.bandwidth_bytes_s * self.banks / 1e6
        if not 0 < self.peak_mb_s < inf or not abs(peak - self.peak_mb_s) <= 0.02 * self.peak_mb_s:
            raise PeakError(self.peak_mb_s, peak)
        return self


class Measured(Record):
    """What a memory reaches when measured, as shares of a bank's peak.

    `banked` and `interleaved`: the share that aligned units reach together, by their number ("2+1": two loads and a
    store) in one bank, or in step over all banks. `aligned`, `in_step`, `non_aligned` and `scattered`
    (data-dependent or write-ack) go by the number of units alone; the last value of a list holds beyond it. `narrow`:
    what is left of that where each unit asks for a quarter, and for half, of the bank's peak. `crowding`: how fast
    requests of non-aligned units stop being gathered where more than three share a bank, times how many they are
    more, times the words of a bank for each request's width, in the exponent. `atomic_ns` is one atomic operation.
    """

    banked: dict[str, Share] = {}
    interleaved: dict[str, Share] = {}
    aligned: Shares
    in_step: Shares
    non_aligned: Shares
    scattered: Shares
    narrow: tuple[Share, Share] = (1.0, 1.0)
    crowding: Annotated[float, Field(ge=0, le=1)] = 0.0
    atomic_ns: Duration
    source: str

    def banked_share(self, reads: int, writes: int) -> float:
        """The share of a bank's peak that aligned units reach together in it."""
        return self._share(self.banked, self.aligned, reads, writes)

    def interleaved_share(self, reads: int, writes: int) -> float:
        """The share of all banks' peak that interleaved units in step reach together."""
        return self._share(self.interleaved, self.in_step, reads, writes)

    @staticmethod
    def _share(known: dict[str, float], by_count: tuple[float, ...], reads: int, writes: int) -> float:
        share = known.get(f"{reads}+{writes}")
        return share if share is not None else by_count[min(max(reads + writes, 1), len(by_count)) - 1]

    @property
    def narrow_points(self) -> tuple[tuple[float, float], ...]:
        """The ends of the straight lines of `narrow_factor`: demand, and what is left."""
        quarter, half = self.narrow
        return ((0.0, max(0.0, 2 * quarter - half)), (0.25, quarter), (0.5, half), (1.0, 1.0))

    def narrow_factor(self, demand: float) -> float:
        """What is left of a shared bank's efficiency where a unit asks for `demand` of its peak (straight lines)."""
        for (x, low), (x2, high) in pairwise(self.narrow_points):
            if demand <= x2:
                return low + (high - low) * (demand - x) / (x2 - x)
        return 1.0


@cache
def technologies() -> dict[str, Measured]:
    """Measured figures by technology, for boards that have none."""
    text = (resources.files("burstline_model.devices") / "technologies.toml").read_text("utf-8")
    return {name: Measured.model_validate(block) for name, block in tomllib.loads(text).items()}


def usually_measured(memory: Memory) -> Measured:
    """The measured figures of a memory's technology."""
    return technologies()["HBM2" if memory.separate_channels else "DDR"]


MOST_MEMORIES = 64
"""Most memories of a board next to its default one."""


class Compiler(Record):
    """Device, compiler and clock that hold when the user says nothing."""

    family: Family
    device: str
    aoc_version: str
    f_max_mhz: Clock
    source: str

    @field_validator("aoc_version")
    @classmethod
    def _version(cls, text: str) -> str:
        parse_version(text)
        return text


class Host(Record):
    """What the host adds to a kernel's time: `launch_us` pass in its timer around a launch that does nothing."""

    launch_us: Duration = 66.0
    source: str = "an empty kernel on an Arria 10 board, host's timer (Boyi's padding, aoc 16.1)"


class Board(Record):
    """One board file."""

    name: str
    title: str
    aliases: tuple[str, ...] = ()
    compiler: Compiler
    memory: Memory
    """The memory that buffers lie in where nothing else is said."""
    others: tuple[Memory, ...] = Field((), alias="memories", max_length=MOST_MEMORIES)
    """The memories next to it. Their banks are numbered on from its own."""
    resources: Device | None = None
    """The board's device and shell; without it, those usual for the family are taken."""
    host: Host = Host()
    own_measured: dict[str, Any] = Field({}, alias="measured")
    """The figures that were measured on this board, in place of its technology's; keys as in `Measured`."""

    @property
    def measured(self) -> Measured:
        """The board's own measured figures, else its technology's."""
        usual = usually_measured(self.memory)
        return Measured.model_validate({**usual.model_dump(), **self.own_measured}) if self.own_measured else usual

    def memory_of(self, bank: int) -> Memory:
        """The memory that a bank is part of."""
        for memory in (self.memory, *self.others):
            if bank < memory.banks:
                return memory
            bank -= memory.banks
        return self.memory

    def banks_named(self, name: str) -> tuple[int, ...] | None:
        """The banks of the memory, or of the channel, with this name; None where the board has none."""
        first = 0
        for memory in (self.memory, *self.others):
            if name in memory.channels:
                return (first + memory.channels.index(name),)
            if name and name == memory.name:
                return tuple(range(first, first + memory.banks))
            first += memory.banks
        return None

    @property
    def memory_names(self) -> tuple[str, ...]:
        """The names that a pointer's memory can be given by."""
        every = (self.memory, *self.others)
        return tuple(n for memory in every for n in (memory.name, *memory.channels) if n)

    @model_validator(mode="after")
    def _checked(self) -> "Board":
        _ = self.measured
        return self

    @property
    def target(self) -> Target:
        """What the unit rules need of the board."""
        return Target(
            family=self.compiler.family,
            aoc_version=parse_version(self.compiler.aoc_version),
            word_bytes=self.memory.word_bytes,
            separate_channels=self.memory.separate_channels,
        )


MAX_BYTES = 256_000
"""Largest board file."""


class BoardError(LookupError):
    """There is no board that can be used."""

    def __eq__(self, other: object) -> bool:
        """Errors that say the same are alike: each reading of a text makes its own."""
        return type(other) is type(self) and isinstance(other, BoardError) and self.args == other.args

    def __hash__(self) -> int:
        return hash((type(self), self.args))


class UnknownBoardError(BoardError):
    """No board has this name or alias; `nearest` are those that it is most like."""

    def __init__(self, name: str, nearest: Sequence[str]) -> None:
        super().__init__(name)
        self.name, self.nearest = name, tuple(nearest)


class BoardFileError(BoardError):
    """A board file cannot be used: what is wrong in it, or the error of the system or of the parser."""

    def __init__(self, path: Path, why: Wrong | OSError | ValueError) -> None:
        super().__init__(str(path))
        self.path, self.why = path, why


class VersionError(ValueError):
    """A text is no version of the compiler."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.text = text


def parse_version(text: str) -> tuple[int, int, int]:
    """``18.1``, ``17.1.1``, ``16.x`` or ``2022.2`` as numbers; raises `VersionError`.

    Reports since 2022 print the year in full, which is the same version (2022.2 is 22.2); ``16.x`` is the first of 16.
    """
    parts = text.strip().split(".")
    if len(parts) > 1 and parts[-1] in {"x", "X"}:
        parts.pop()
    if not 1 <= len(parts) <= 3 or not all(re.fullmatch(r"[0-9]{1,4}", p) for p in parts):
        raise VersionError(text)
    major, minor, patch = ([int(p) for p in parts] + [0, 0])[:3]
    return major - CENTURY if major > CENTURY else major, minor, patch


CENTURY = 2000
"""What versions that begin with a year are counted from."""


def load_board(path: Path) -> Board:
    """Read and check one board file; raises ValueError naming what is wrong, OSError where it cannot be read."""
    return Board.model_validate(parsed_toml(read_bounded(path, MAX_BYTES).decode()))


def is_board_file(name: str) -> bool:
    """Whether a board is named by its file."""
    return name.strip().lower().endswith(".toml")


def find_board(name: str) -> Board:
    """The board with this name or alias, whatever its case, or in this ``.toml`` file; raises `BoardError`."""
    return _from_file(Path(name.strip())) if is_board_file(name) else known_board(name)


def known_board(name: str) -> Board:
    """The board of the package with this name or alias, whatever its case; raises `UnknownBoardError`."""
    found = _by_name().get(name.strip().lower())
    if found is None:
        raise UnknownBoardError(name, nearest_boards(name))
    return found


@cache
def _by_name() -> dict[str, Board]:
    """The boards of the package by each of their names, in small letters."""
    return {key.lower(): b for b in boards().values() for key in (b.name, *b.aliases)}


def nearest_boards(name: str) -> list[str]:
    """The boards of the package whose names or aliases are most like a name; all of them where none is."""
    known = _by_name()
    near = difflib.get_close_matches(name.strip().lower(), known, n=3, cutoff=0.4)
    return sorted({known[n].name for n in near}) or sorted(boards())


def is_known_board(name: str) -> bool:
    """Whether a board of the package has this name or alias."""
    return name.strip().lower() in _by_name()


def _from_file(path: Path) -> Board:
    try:
        return load_board(path)
    except ValidationError as error:
        raise BoardFileError(path, wrong_in(error)) from error
    except (OSError, ValueError) as error:
        raise BoardFileError(path, error) from error


@cache
def boards() -> dict[str, Board]:
    """The boards that ship with the package, by name."""
    folder = resources.files(__package__)
    found: dict[str, Board] = {}
    for entry in sorted(folder.iterdir(), key=lambda e: e.name):
        if entry.name.endswith(".toml"):
            board = Board.model_validate(tomllib.loads(entry.read_text("utf-8")))
            found[board.name] = board
    return found


DEFAULT_BOARD = "s10gx_ddr4_1866"


def boards_of(family: Family, device: str = "") -> list[Board]:
    """The boards of the package that carry a family; those whose device is named most like `device` first."""
    own = [board for board in boards().values() if board.compiler.family == family]

    def alike(board: Board) -> int:
        pairs = zip(board.compiler.device.upper(), device.upper(), strict=False)
        return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))

    return sorted(own, key=lambda board: -alike(board))
