"""How a kernel is launched, by settings or the host program next to it, and attributes that say so."""

from __future__ import annotations

import re
from pathlib import Path

from burstline_model.facts import KernelFacts, Span
from burstline_model.record import fixed
from burstline_server.assessment.assessor import Assessment
from burstline_server.assessment.costing import KernelAssessment
from burstline_server.host.host_files import HOSTS, path_from
from burstline_server.rewrites.legality.effects import Effects
from burstline_server.rewrites.reasons import Name, Title
from burstline_server.rewrites.rewrite import NotOfferedError, Offer, TextEdit, in_front_of, line_end

_KERNEL = re.compile(rb"\b(?:__kernel|kernel)\b")


@fixed
class Launched:
    """A kernel's work-groups and work-items, where known, and the host program's path and line that say so.

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
        said = HOSTS.launches_of(kernel.facts.name, path, assessment.workspace)
    if said is None:
        return Launched(launch.local_size, launch.global_size)
    file, launches = said
    groups, items = {one.local_size for one in launches}, {one.global_size for one in launches}
    if len(groups) > 1:
        return None
    whole = next(iter(items)) if len(items) == 1 else None
    return Launched(groups.pop(), launch.global_size or whole, (path_from(path, file), launches[0].line))


def attributes_place(text: bytes, facts: KernelFacts) -> tuple[int, str]:
    """Where the line of the kernel's head starts, and its indentation."""
    words = list(_KERNEL.finditer(text, 0, facts.name_span.start)) if facts.name_span.file is None else []
    place = in_front_of(text, words[-1].start()) if words else None
    if place is None or set(text[words[-1].end() : facts.name_span.start]) & set(b";{}"):
        raise NotOfferedError("no_line_for_attributes")
    return place


def with_attribute(
    assessment: Assessment,
    kernel: KernelAssessment,
    attribute: str,
    title: Title,
    spans: tuple[Span, ...],
    codes: tuple[str, ...],
) -> Offer:
    """The edit that puts an attribute in front of a kernel."""
    start, indent = attributes_place(assessment.source.original, kernel.facts)
    text = f"{indent}__attribute__(({attribute})){line_end(assessment.source.original)}"
    edits = (TextEdit(start, start, text),)
    return Offer(title=title, kind="host", kernel=kernel.facts.name, edits=edits, spans=spans, codes=codes)


def launch_text(name: str, group: tuple[int, ...]) -> str:
    """How the host launches a kernel in work-groups of a size that the edit fixes, as C text."""
    sizes = ", ".join(str(n) for n in group)
    return (
        f"/* {name}: each global size is a multiple of the group's. */\n"
        f"const size_t local_size[] = {{ {sizes} }};\n"
        f"clEnqueueNDRangeKernel(queue, {name}, {len(group)}, NULL, global_size, local_size, 0, NULL, NULL);\n"
    )


def asks_for_group(facts: KernelFacts, effects: Effects) -> bool:
    """Whether what a kernel does depends on the size of its work-groups."""
    local = any(a.space == "local" for a in facts.arrays) or any(a.space == "local" for a in facts.arguments)
    asked = (name for name in effects.reached(facts.name) if name not in _OF_ALL and _ASKS.match(name))
    return bool(facts.barriers) or local or next(asked, None) is not None


_OF_ALL = {"get_global_id", "get_global_size", "get_global_offset", "get_work_dim"}
_ASKS = re.compile(r"get_\w+_(?:id|ids|size|groups)$|get_\w+_linear_id$|\w*work_group_\w+|sub_group_\w+")
"""What asks for more than a work-item's place in the whole launch."""
