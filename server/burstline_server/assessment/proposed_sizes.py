"""Missing sizes as the host programs around a kernel write them, to be proposed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from burstline_model.facts import KernelFacts
from burstline_server.assessment.assessor import Assessment
from burstline_server.assessment.costing import KernelAssessment
from burstline_server.assessment.missing_sizes import Missing, missing_sizes
from burstline_server.host.host_files import Hosts, path_from
from burstline_server.host.host_launch import HostLaunch


def proposed_sizes(hosts: Hosts, assessment: Assessment, kernel: KernelAssessment) -> list[Missing]:
    """The sizes that a kernel's time waits for, with the values of the launch in a host program around it.

    What no host program says keeps its usual value. Reads files: not while a user types.
    """
    missing = missing_sizes(assessment, kernel)
    path = Path(assessment.path)
    launch = hosts.launch_of(kernel.facts.name, path, assessment.workspace) if missing else None
    if launch is None:
        return missing
    file, said = launch
    values, place = _values(kernel.facts, said), (path_from(path, file), said.line)
    return [replace(m, usual=values[m.setting], host=place) if m.setting in values else m for m in missing]


def proposed_banks(hosts: Hosts, assessment: Assessment, kernel: KernelAssessment) -> list[Missing]:
    """The banks that the host program creates a kernel's buffers in, where these are not interleaved and nobody says.

    Reads files: not while a user types.
    """
    facts, launch, memory = kernel.facts, kernel.launch, assessment.board.memory
    apart = memory.banks > 1 and (memory.separate_channels or launch.interleaving is False)
    placed = launch.banks.keys() | launch.memories.keys()
    free = {at: a.name for at, a in enumerate(facts.arguments) if a.is_pointer and not a.buffer_location}
    free = {at: name for at, name in free.items() if name not in placed}
    path = Path(assessment.path)
    found = hosts.launch_of(facts.name, path, assessment.workspace) if apart and free else None
    if found is None:
        return []
    place = (path_from(path, found[0]), found[1].line)
    return [
        Missing("bank", free[at], f"--bank {facts.name}.{free[at]}", f"bank[{free[at]}]", str(bank), host=place)
        for at, bank in sorted(found[1].banks.items())
        if at in free and bank < memory.banks
    ]


def _values(facts: KernelFacts, launch: HostLaunch) -> Mapping[str, str]:
    """What a launch says, by the setting of a comment; a size of 0 says that the program fills it in later."""
    values = {
        facts.arguments[at].name: str(value)
        for at, value in launch.arguments.items()
        if at < len(facts.arguments) and value > 0
    }
    if launch.global_size is not None:
        values["global_size"] = f"({','.join(map(str, launch.global_size))})"
    if launch.local_size is not None and min(launch.local_size) > 0:
        values["local_size"] = f"({','.join(map(str, launch.local_size))})"
    return values
