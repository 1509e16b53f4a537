"""Everything a user can set, one model for burstline.toml, editor settings, options and comments."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Annotated, Any, Literal

from annotated_types import Ge, GroupedMetadata, Le
from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    ValidationError,
    ValidatorFunctionWrapHandler,
    WrapValidator,
    field_validator,
)

from burstline_model.boards.board import DEFAULT_BOARD, BoardError, VersionError, find_board, parse_version
from burstline_model.launch import MemoryPart, Mode
from burstline_model.record import Record, fixed
from burstline_model.target import Family
from burstline_server.config.mistakes import Mistake, MistakeError, MistakeKind, UnusableBoard, nearest

Services = Literal["auto", "on", "off"]
Service = Literal[
    "completion", "signature_help", "hover", "definition", "references", "rename", "document_symbol", "semantic_tokens",
    "folding_range", "document_link", "call_hierarchy", "workspace_symbol",
]  # fmt: skip
Level = Literal["off", "hint", "information", "warning", "error"]
CODES = (
    "BL001", "BL002", "BL003", "BL101", "BL102", "BL103", "BL104", "BL105", "BL106", "BL107", "BL108", "BL201", "BL202",
    "BL301", "BL302", "BL303", "BL304", "BL401", "BL402", "BL403", "BL404",
)  # fmt: skip
"""The codes of all findings."""
Hints = Literal["off", "on_demand", "quiet", "normal", "everything"]


_BETWEEN_SIZES = re.compile(r",|(?<=[\d\s])[x×](?=[\d\s])|(?<=\d)\s+(?=\d)")


def _sizes(value: object) -> object:
    """One number, a list of numbers, or text such as ``1024,1024``."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return (value,)
    return split_sizes(value) if isinstance(value, str) else value


def split_sizes(text: str) -> tuple[str, ...]:
    """The sizes in a text such as ``(1024,16)``, ``[1024, 16]``, ``1024x16`` or ``1024,16``, as they are written.

    A comma behind the last one is none; one that is missing between two others is an empty text.
    """
    inner = text.strip()
    inner = inner[1:-1] if inner[:1] + inner[-1:] in {"()", "[]", "{}"} else inner
    parts = [part.strip() for part in _BETWEEN_SIZES.split(inner.strip().removesuffix(","))]
    return tuple(parts) if any(parts) else ()


def _share(value: object) -> object:
    """A number, or a fraction such as ``1/16``."""
    top, slash, bottom = value.partition("/") if isinstance(value, str) else ("", "", "")
    try:
        return float(top) / float(bottom) if slash else value
    except (ValueError, ZeroDivisionError):
        return value


def _code(text: str) -> str:
    """A finding's code, or the beginning of several."""
    code = text.upper()
    if len(code) > len("BL") and any(known.startswith(code) for known in CODES):
        return code
    raise MistakeError(Mistake("no_such_code", (text,), nearest(code, CODES)))


@fixed
class Within(GroupedMetadata):
    """Both ends of what a number may be, which every refusal names."""

    low: float
    high: float

    def __iter__(self) -> Iterator[object]:
        yield Ge(self.low)
        yield Le(self.high)
        yield WrapValidator(self._checked)

    def _checked(self, value: object, check: ValidatorFunctionWrapHandler) -> object:
        try:
            return check(value)
        except ValidationError:
            kind: MistakeKind = "needs_whole_number" if isinstance(self.low, int) else "needs_number"
            if self.low < 0 and _is_fraction(value):
                kind = "needs_no_real"
            raise MistakeError(Mistake(kind, (self.low, self.high))) from None


def _is_fraction(value: object) -> bool:
    """Whether a value is a real number, as a float argument of a kernel has it."""
    try:
        return not float(str(value).rstrip("fF")).is_integer()
    except (ValueError, OverflowError):
        return False


MOST = (1 << 64) - 1
"""What the widest integer of a kernel can hold."""
FIELDS_DEEP = 2
"""How deep tables of fields nest in the published schema: vectors in structures."""


def _with_fields(schema: dict[str, Any]) -> None:
    """Let a table of fields be given in place of a number, in the published schema as in the file."""
    number = value = schema["additionalProperties"]
    for _ in range(FIELDS_DEEP):
        value = {"anyOf": [number, {"type": "object", "additionalProperties": value}]}
    schema["additionalProperties"] = value


Whole = Annotated[int, Within(-(1 << 63), MOST)]
Positive = Annotated[int, Within(1, MOST)]
Count = Annotated[int, Within(0, MOST)]
Line = Annotated[int, Within(1, 10_000_000)]
MOST_BANKS = 4095
_MEMORY = re.compile(r"[A-Za-z_][\w.-]{0,63}")


def _bank(value: object, check: ValidatorFunctionWrapHandler) -> object:
    """A bank's number, or a memory's name; raises ValueError."""
    if isinstance(value, str) and _MEMORY.fullmatch(value.strip()):
        return value.strip()
    try:
        return check(int(value) if isinstance(value, str) else value)
    except ValueError:
        raise MistakeError(Mistake("needs_bank", (0, MOST_BANKS))) from None


Bank = Annotated[Annotated[int, Ge(0), Le(MOST_BANKS)] | str, WrapValidator(_bank)]
Clock = Annotated[float, Within(0.001, 10_000)]
Code = Annotated[str, AfterValidator(_code)]
Share = Annotated[float, BeforeValidator(_share), Within(0.0, 1.0)]
Sizes = Annotated[tuple[Positive, ...], BeforeValidator(_sizes), Field(min_length=1, max_length=3)]


class LaunchSettings(Record):
    """How a kernel is run."""

    global_size: Sizes | None = Field(None, description="Work-items by dimension, for example [4096, 4096].")
    local_size: Sizes | None = Field(None, description="Work-items of one group by dimension.")
    arguments: dict[str, Whole] = Field(
        {},
        description="Values of scalar kernel arguments, and of the fields of others (size.x).",
        json_schema_extra=_with_fields,
    )
    trips: dict[Line, Count] = Field({}, description="Trip counts of loops whose bound is not known, by line.")
    taken: dict[Line, Share] = Field(
        {}, description="How often conditions hold that data decide, 0 to 1 or as a fraction such as 1/16, by line."
    )
    assumed_trips: Positive | None = Field(
        None, description="Trip count assumed where none is known, so that variants can be compared."
    )
    banks: dict[str, Bank] = Field(
        {}, description="Memory bank or pseudo-channel of each pointer, or the name of its memory."
    )


class Settings(LaunchSettings):
    """The settings. Launch keys at the top hold for every kernel, those under `kernels` for one."""

    board: str = Field(DEFAULT_BOARD, description="Board to estimate for: a name or alias, or a board file (.toml).")
    device_family: Family | None = Field(None, description="Device family, in place of the board's.")
    aoc_version: str | None = Field(None, description="Version of the vendor's compiler, in place of the board's.")
    f_max_mhz: Clock | None = Field(None, description="Kernel clock in MHz; the board's default without it.")
    mode: Mode = Field("calibrated", description="calibrated, or faithful to the published equations.")
    memory_part: MemoryPart = Field(
        "m21", description="Memory behind the potentials: m21 (load/store units), or wang (the framework's own)."
    )
    interleaving: bool | None = Field(None, description="Whether banks are interleaved; the board's way without it.")
    defines: dict[str, Whole | str | bool] = Field({}, description="Macros, as -D gives them.")
    include_paths: tuple[str, ...] = Field((), description="Folders that includes are looked for in.")
    aoc_flags: tuple[str, ...] = Field(
        (), description="Options of the vendor compiler; -D, -I, -board, -no-interleaving and -fp-relaxed are obeyed."
    )
    report: str | None = Field(
        None,
        description="Report of a real build (its folder or file), or 'off'; without it the one next to the kernel.",
    )
    pipes: bool = Field(False, description="Whether split kernels are joined by OpenCL pipes, not vendor channels.")
    enabled: bool = Field(
        True, description="Whether editors cost the kernels here; false for code that is not for FPGAs."
    )
    clang: Literal["auto", "off"] = Field(
        "auto",
        description="Whether libclang, where it is installed, is asked about faults of the program that Burstline "
        "does not see by itself (auto), or never (off).",
    )
    engine: Literal["tree", "auto", "llvm"] = Field(
        "tree",
        description="What reads kernels: Burstline alone (tree), or LLVM as well (llvm, and auto where a clang and its "
        "opt are installed): it gives steps and trip counts that Burstline does not know, and says where units differ.",
    )
    severities: dict[Code, Level] = Field(
        {},
        description="How findings are shown, by code or the beginning of codes, such as BL106 or BL4; off hides them.",
    )
    hints: Hints = Field(
        "normal",
        description="What is drawn in the text. normal: time and share at the ends of lines from 5 % of the kernel on; "
        "quiet: of one line a kernel; everything: the unit behind each access; on_demand: as asked for, by file.",
    )
    language_services: Services = Field(
        "auto",
        description="Completion, definitions, outline and what else any OpenCL server gives: on, off, or off where the "
        "editor says that it runs another one (auto). What only Burstline shows is always there.",
    )
    services: dict[Service, bool] = Field(
        {}, description="Single language services on or off, whatever language_services says."
    )
    kernels: dict[str, LaunchSettings] = Field({}, description="Launch of single kernels, by name.")

    @field_validator("board")
    @classmethod
    def _known_board(cls, name: str) -> str:
        try:
            board = find_board(name)
            return name if name.lower().endswith(".toml") else board.name
        except BoardError as error:
            raise MistakeError(UnusableBoard(error)) from None

    @field_validator("aoc_version")
    @classmethod
    def _version(cls, text: str | None) -> str | None:
        if text is not None:
            try:
                parse_version(text)
            except VersionError:
                raise MistakeError(Mistake("not_a_version", (text,))) from None
        return text
