"""What has to be given for a kernel's time, and what is assumed until then, in sentences."""

from __future__ import annotations

from collections.abc import Sequence

from burstline_model.estimate.remark_kinds import Fed
from burstline_server.assessment.assessor import Assessment
from burstline_server.assessment.costing import KernelAssessment
from burstline_server.assessment.missing_sizes import Missing, endless, missing_sizes
from burstline_server.quantities import in_words, whole_text
from burstline_server.rewrites.sizes_comment import SizeError
from burstline_server.source.locate import place_of


def size_text(size: Missing) -> str:
    """What a size counts."""
    match size.of:
        case "work_items":
            return "work-items"
        case "argument":
            return size.name
        case "bank":
            return f"the bank of {size.name}"
        case "iterations":
            return f"iterations of line {size.name}"


def sizes_text(sizes: Sequence[Missing]) -> str:
    """What several sizes count; the lines of loops together."""
    lines = in_words([one.name for one in sizes if one.of == "iterations"])
    several = [one.of for one in sizes].count("iterations") > 1
    texts = [f"iterations of lines {lines}" if several and one.of == "iterations" else size_text(one) for one in sizes]
    return in_words(list(dict.fromkeys(texts)))


def size_error_text(error: SizeError) -> str:
    """What is no size, and what is one."""
    if error.setting == "global_size":
        return f"work-items = {error.text}: give one to three positive whole numbers, such as 1024,1024"
    return f"{error.setting} = {error.text}: give a whole number, such as 1024"


def missing_text(assessment: Assessment, kernel: KernelAssessment) -> str:
    """What has to be given for a time, or why there is none to give."""
    missing = missing_sizes(assessment, kernel)
    if missing:
        options = " ".join(f"{one.option}{'=' if ' ' in one.option else ' '}…" for one in missing)
        settings = " ".join(f"{one.setting}=…" for one in missing)
        return f"Give {sizes_text(missing)}: {options}, or a comment // burstline: {settings}"
    at_assumed = kernel.estimate.at_assumed
    sent = [r for r in at_assumed.estimate.remarks if isinstance(r, Fed)] if at_assumed is not None else []
    if sent:
        return f"Runs for all that {sent[0].kernel} moves through {sent[0].channel}"
    if any(one.trip is None and endless(kernel.facts, one.loop) for one in kernel.estimate.loops):
        return "Runs as long as its channels bring data"
    return "No time can be computed for this kernel"


def assumed_text(assessment: Assessment, kernel: KernelAssessment) -> str:
    """The sizes that are assumed for a kernel whose own are missing; empty without any."""
    found = kernel.estimate.at_assumed
    if found is None:
        return ""
    parts = list[str]()
    if found.sizes.global_size is not None:
        items = 1
        for size in found.sizes.global_size:
            items *= size
        parts.append(f"{whole_text(items)} work-items")
    alike = dict[int, list[str]]()
    for name, value in found.sizes.arguments.items():
        alike.setdefault(value, []).append(name)
    parts += [f"{' = '.join(names)} = {whole_text(value)}" for value, names in alike.items()]
    alone = {loop: found.sizes.trips[loop] for loop in found.sizes.alone}
    for trips in dict.fromkeys(alone.values()):
        loops = [kernel.facts.loops[loop] for loop, count in alone.items() if count == trips]
        places = (place_of(assessment.source, loop.span) for loop in loops)
        lines = sorted({place.line + 1 for place in places if place.file is None})
        where = f"line {lines[0]}" if len(lines) == 1 else f"each of {len(loops)} loops"
        parts.append(f"{whole_text(trips)} iteration{'' if trips == 1 else 's'} of {where}")
    return in_words(parts)
