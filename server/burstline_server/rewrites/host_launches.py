"""How a kernel is launched: as settings say, or as the host program next to it writes down."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from burstline_server.assessment.assessor import Assessment
from burstline_server.assessment.costing import KernelAssessment
from burstline_server.host.host_files import Hosts
from burstline_server.rewrites.reasons import Name

_hosts = Hosts()


@dataclass(frozen=True, slots=True)
class Launched:
    """A kernel's work-groups and work-items, where known, and the host program's name and line that say so.

    Nothing is `found` where settings say them.
    """

    group: tuple[int, ...] | None
    items: tuple[int, ...] | None
    found: tuple[Name, ...] = ()


def launched_as(assessment: Assessment, kernel: KernelAssessment) -> Launched | None:
    """The launch that settings give, else the one that the nearest host program writes down; None: it has several.

    Reads files where settings do not say it.
    """
    launch, path = kernel.launch, Path(assessment.path)
    enough = launch.global_size is not None and kernel.facts.model == "single_work_item"
    said = None
    if launch.local_size is None and not enough and path.is_file():
        said = _hosts.launches_of(kernel.facts.name, path, assessment.workspace)
    if said is None:
        return Launched(launch.local_size, launch.global_size)
    file, launches = said
    groups, items = {one.local_size for one in launches}, {one.global_size for one in launches}
    if len(groups) > 1:
        return None
    whole = next(iter(items)) if len(items) == 1 else None
    return Launched(groups.pop(), launch.global_size or whole, (file.name, launches[0].line))
