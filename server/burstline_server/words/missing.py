"""What has to be given for a kernel's time, and what is assumed until then, in sentences."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from burstline_model.estimate.kernel_estimate import AssumedSizes, LeastTime
from burstline_model.estimate.remark_kinds import Fed
from burstline_server.assessment.assessor import Assessment
from burstline_server.assessment.costing import KernelAssessment
from burstline_server.assessment.missing_sizes import Missing, endless, missing_sizes, undefined_names
from burstline_server.quantities import ASSUMED, in_words, time_text, whole_text
from burstline_server.rewrites.sizes_comment import SizeError
from burstline_server.source.locate import place_of


def size_text(size: Missing) -> str:
    """What a size counts."""
    match size.of:
        case "work_items":
            return "work-items"
        case "work_group":
            return "the size of work-groups"
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
    if error.setting in {"global_size", "local_size"}:
        what = "work-items" if error.setting == "global_size" else "the size of work-groups"
        return f"{what} = {error.text}: give one to three positive whole numbers, such as 1024,1024"
    return f"{error.setting} = {error.text}: give a whole number, such as 1024"


def _option(size: Missing) -> str:
    return f"{size.option}{'=' if ' ' in size.option else ' '}…"


def missing_text(assessment: Assessment, kernel: KernelAssessment) -> str:
    """What has to be given for a time, or why there is none to give."""
    missing, undefined = missing_sizes(assessment, kernel), undefined_names(kernel)
    if undefined:
        asked = in_words([*([sizes_text(missing)] if missing else []), *undefined])
        options = [_option(one) for one in missing] + [f"-D {name}=…" for name in undefined]
        return f"Give {asked}: {' '.join(options)}; nothing defines {in_words(list(undefined))}"
    if missing:
        options = [_option(one) for one in missing]
        settings = " ".join(f"{one.setting}=…" for one in missing)
        return f"Give {sizes_text(missing)}: {' '.join(options)}, or a comment // burstline: {settings}"
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
    return in_words(_sizes_parts(assessment, kernel, found.sizes)) if found is not None else ""


def least_text(assessment: Assessment, kernel: KernelAssessment) -> str:
    """What is counted where data end loops, and the time is at least so long; empty elsewhere."""
    found = kernel.estimate.least
    if found is None:
        return ""
    parts = _sizes_parts(assessment, kernel, found.assumed) if found.assumed is not None else []
    inside = [loop for loop in found.loops if loop != found.endless]
    assumed = f", and assumed: {in_words(parts)}" if parts else ""
    if found.endless is None:
        return f"At least, with {_iterations_text(assessment, kernel, found.loops, 1)}{assumed}"
    line = place_of(assessment.source, kernel.facts.loops[found.endless].span).line + 1
    once = f", with {_iterations_text(assessment, kernel, inside, 1)}" if inside else ""
    return f"Per iteration of the loop on line {line}{once}{assumed}"


def least_line(found: LeastTime) -> str:
    """The least time, or that of an iteration of a loop that goes on as long as channels bring data."""
    assumed, at_sizes = ("", "") if found.assumed is None else (ASSUMED, " at assumed sizes")
    inside = [loop for loop in found.loops if loop != found.endless]
    least = "at least" if found.endless is None or inside else "" if assumed else "≈"
    around = "" if found.endless is None else " per iteration"
    return " ".join(part for part in (assumed, least, f"{time_text(found.time_s)}{around}{at_sizes}") if part)


def _sizes_parts(assessment: Assessment, kernel: KernelAssessment, sizes: AssumedSizes) -> list[str]:
    """What is assumed, each on its own."""
    parts = list[str]()
    if sizes.global_size is not None:
        items = prod(sizes.global_size)
        by = _HOST * (kernel.launch.likely_size is not None)
        group = kernel.launch.likely_group
        groups = f" in groups of {whole_text(prod(group))}" if group is not None else ""
        parts.append(f"{whole_text(items)} work-item{'' if items == 1 else 's'}{groups}{by}")
    alike = dict[tuple[int, bool], list[str]]()
    for name, value in sizes.arguments.items():
        alike.setdefault((value, name in kernel.launch.likely_arguments), []).append(name)
    parts += [f"{' = '.join(names)} = {whole_text(value)}{_HOST * by}" for (value, by), names in alike.items()]
    alone = {loop: sizes.trips[loop] for loop in sizes.alone}
    for trips in dict.fromkeys(alone.values()):
        parts.append(_iterations_text(assessment, kernel, [i for i, n in alone.items() if n == trips], trips))
    at_assumed = kernel.estimate.at_assumed
    group = at_assumed.launch.local_size if at_assumed is not None else None
    return parts or ([f"work-groups of {whole_text(prod(group))} work-items"] if group is not None else [])


_HOST = " (host)"
"""What a host program writes down."""


def _iterations_text(assessment: Assessment, kernel: KernelAssessment, loops: Sequence[int], trips: int) -> str:
    """So many iterations, of the loop on a line or of each of several."""
    places = (place_of(assessment.source, kernel.facts.loops[loop].span) for loop in loops)
    lines = sorted({place.line + 1 for place in places if place.file is None})
    several = f"each of {len(loops)} loops" if len(loops) > 1 else "a loop"
    where = f"line {lines[0]}" if len(lines) == 1 else several
    return f"{whole_text(trips)} iteration{'' if trips == 1 else 's'} of {where}"
