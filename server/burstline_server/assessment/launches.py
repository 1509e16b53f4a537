"""The launch of a kernel, as settings give it."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from burstline_model.facts import KernelFacts
from burstline_model.launch import Launch, Provenance
from burstline_server.analysis.reuse import PlacedKernel
from burstline_server.assessment.reports import KernelBuild
from burstline_server.config.layers import Where
from burstline_server.config.settings import LaunchSettings, Settings
from burstline_server.host.host_launch import HostLaunch
from burstline_server.source.source import Source

Origins = Mapping[tuple[str, ...], Where]
WORDS: dict[Where, Provenance] = {
    "option": "option", "comment": "comment", "editor": "editor", "build": "build", "file": "burstline.toml",
}  # fmt: skip


def launch_of(
    settings: Settings, reading: PlacedKernel | None, source: Source, reported: KernelBuild | None = None,
    origins: Origins = MappingProxyType({}),
) -> Launch:  # fmt: skip
    """The launch of one kernel: its own settings over those for all; the clock of a real build where none is set."""
    name = reading.snapshot.facts.name if reading is not None else ""
    own = settings.kernels.get(name, LaunchSettings())
    required = reading.snapshot.facts.work_group_size if reading is not None else None
    group = own.local_size or settings.local_size
    if group and required and (*group, 1, 1)[:3] != required:
        # No launch has other groups than those that the text requires; sizes for all are for the other kernels.
        group = required
    by_line = {**settings.trips, **own.trips}
    placed = {**settings.banks, **own.banks}
    trips = {
        loop.id: by_line[line]
        for loop in (reading.facts.loops if reading is not None and by_line else ())
        if loop.span.file is None and (line := source.lines.line_of(loop.span.start) + 1) in by_line
    }
    return Launch(
        global_size=own.global_size or settings.global_size,
        local_size=group,
        arguments={**settings.arguments, **own.arguments},
        trips=trips,
        taken=_taken_by_text({**settings.taken, **own.taken}, reading, source),
        assumed_trips=own.assumed_trips or settings.assumed_trips,
        banks={name: bank for name, bank in placed.items() if isinstance(bank, int)},
        memories={name: memory for name, memory in placed.items() if isinstance(memory, str)},
        f_max_mhz=settings.f_max_mhz or (reported.report.f_max_mhz if reported is not None else None),
        f_max_reported=settings.f_max_mhz is None and reported is not None and reported.report.f_max_mhz is not None,
        interleaving=settings.interleaving,
        mode=settings.mode,
        memory_part=settings.memory_part,
        given_by=_given_by(name, origins),
    )


def as_launched(launch: Launch, facts: KernelFacts, said: HostLaunch) -> Launch:
    """The launch with what a host program writes down of it, to be assumed where nobody gives it.

    A size of 0 says that the program fills it in later.
    """
    arguments = {
        one.name: said.arguments[at]
        for at, one in enumerate(facts.arguments)
        if not one.is_pointer and one.name not in launch.arguments and said.arguments.get(at, 0) > 0
    }
    size = said.global_size if facts.model == "ndrange" and launch.global_size is None else None
    size = size if size is not None and min(size) > 0 else None
    if size is None and not arguments:
        return launch
    group = said.local_size if size is not None and launch.local_size is None and not facts.work_group_size else None
    group = group if group is not None and size is not None and _divides(group, size) else None
    return launch.model_copy(update={"likely_size": size, "likely_group": group, "likely_arguments": arguments})


def _divides(group: tuple[int, ...], size: tuple[int, ...]) -> bool:
    """Whether whole groups make up a launch."""
    return len(group) == len(size) and all(of > 0 and items % of == 0 for of, items in zip(group, size, strict=True))


_GIVEN = ("global_size", "assumed_trips", "f_max_mhz", "mode")


def _given_by(kernel: str, origins: Origins) -> dict[str, Provenance]:
    """Who gave the sizes, clock and mode of a kernel's launch, and its arguments (as ``arguments.NAME``)."""
    found: dict[str, Provenance] = {}
    for path, where in origins.items():
        own = path[2:] if path[:2] == ("kernels", kernel) else path
        name = ".".join(own)
        # A kernel's own settings are over those for all, whatever order they came in.
        if (name in _GIVEN or own[:1] == ("arguments",)) and (own != path or name not in found):
            found[name] = WORDS[where]
    return dict(sorted(found.items()))  # costs are keyed by the launch, whatever order settings came in


def _taken_by_text(by_line: Mapping[int, float], reading: PlacedKernel | None, source: Source) -> dict[str, float]:
    """The share of each condition that is set for its line, by its text."""
    if reading is None or not by_line:
        return {}
    facts = reading.facts
    return {
        guard.text: 1 - by_line[line] if guard.text.startswith("!(") else by_line[line]
        for guards in (one.guards for every in (facts.accesses, facts.loops, facts.channels) for one in every)
        for guard in guards
        if guard.span.file is None and (line := source.lines.line_of(guard.span.start) + 1) in by_line
    }
