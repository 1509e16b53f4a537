"""What the host decides: sizes, scalar arguments, clock and placement. All of it may be unknown."""

from typing import Literal

from burstline_model.record import Record

Provenance = Literal[
    "code", "option", "comment", "editor", "build", "burstline.toml", "launch", "report", "board", "default", "estimate"
]
"""Where a value comes from; `launch`: from a caller that does not say more."""
Mode = Literal["faithful", "calibrated"]
MemoryPart = Literal["m21", "wang"]


class Launch(Record):
    """How a kernel is run. `global_size` and `local_size` have one to three dimensions.

    `arguments` gives scalar kernel arguments by name, `trips` the trip count of a loop by its id,
    `banks` the bank of a pointer by name, `memories` the name of its memory, where that is not the board's default one.
    `interleaving` None means the board's default. `f_max_reported`: the clock is what a build reached.
    """

    global_size: tuple[int, ...] | None = None
    local_size: tuple[int, ...] | None = None
    arguments: dict[str, int] = {}
    trips: dict[int, int] = {}
    taken: dict[str, float] = {}
    """How often a condition that data decide holds, by its text."""
    assumed_trips: int | None = None
    """Trip count assumed where none is known, so that variants can be compared."""
    likely_size: tuple[int, ...] | None = None
    """Work-items by dimension as a host program writes them down: assumed where `global_size` is not given."""
    likely_group: tuple[int, ...] | None = None
    """Work-items of a group in that launch: assumed with its size where the text requires no other."""
    likely_arguments: dict[str, int] = {}
    """Integer arguments by name that nobody gives, as a host program passes them: assumed as well."""
    banks: dict[str, int] = {}
    memories: dict[str, str] = {}
    f_max_mhz: float | None = None
    f_max_reported: bool = False
    f_max_most_mhz: float | None = None
    """The most that the kernel's clock reaches, as kernels of the same image let it: one clock runs all of them."""
    interleaving: bool | None = None
    mode: Mode = "calibrated"
    memory_part: MemoryPart = "m21"
    """Whose memory WANG's framework runs over: the load/store unit model's, or the framework's own (Eqs. 13 to 17)."""
    given_by: dict[str, Provenance] = {}
    """Who gave a value, by the field's name, an argument's as ``arguments.NAME``."""

    def provenance(self, name: str) -> Provenance:
        """Where the value of a field (an argument: ``arguments.NAME``) comes from."""
        return self.given_by.get(name, "launch")
