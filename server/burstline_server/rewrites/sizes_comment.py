"""The comment that gives a kernel the sizes its time waits for: the user's values, or usual ones."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from burstline_model.record import fixed
from burstline_server.assessment.assessor import Assessment
from burstline_server.assessment.costing import KernelAssessment
from burstline_server.assessment.missing_sizes import Missing, as_assumed, missing_sizes
from burstline_server.rewrites.rewrite import TextEdit, above_kernel, in_front_of, line_end


@fixed
class SizesComment:
    """Comments to add, and the sizes that they give, each with its value."""

    given: tuple[Missing, ...]
    edits: tuple[TextEdit, ...]


class SizeError(ValueError):
    """A text is no size that a setting takes."""

    def __init__(self, setting: str, text: str) -> None:
        super().__init__(setting, text)
        self.setting, self.text = setting, text


def sizes_comment(
    assessment: Assessment, kernel: KernelAssessment, values: Mapping[str, str] | None = None
) -> SizesComment | None:
    """Comments with every size that nobody gives; None where none is missing, or the kernel is elsewhere.

    Work-items and arguments go above the kernel, the count of a loop above the loop. `values` are the user's, by
    setting. Raises ValueError, with the reason in words, where one of them is no size.
    """
    given = {setting: _size(setting, text) for setting, text in (values or {}).items()}
    missing = [replace(one, usual=given.get(one.setting, one.usual)) for one in missing_sizes(assessment, kernel)]
    missing = as_assumed(assessment, kernel, missing)
    facts, text = kernel.facts, assessment.source.original
    if not missing or facts.name_span.file is not None:
        return None
    end = line_end(text)
    above: list[str] = []
    edits: list[TextEdit] = []
    for one in sorted(missing, key=lambda m: facts.loops[m.loop].span.start if m.loop is not None else -1):
        start = facts.loops[one.loop].span.start if one.loop is not None else None
        place = in_front_of(text, start) if start is not None else None
        if place is not None:
            at, indent = place
            edits.append(TextEdit(at, at, f"{indent}// burstline: trip={one.usual}{end}"))
        elif start is None:
            above.append(f"{one.setting}={one.usual}")
        else:
            # The comments move the loop's line down: this one, and those above loops before it.
            line = assessment.source.lines.line_of(start) + 2 + len(edits)
            above.append(f"trip[{line}]={one.usual}")
    if above:
        at = _head(text, facts.name_span.start)
        edits.insert(0, TextEdit(at, at, f"// burstline: {' '.join(above)}{end}"))
    return SizesComment(tuple(missing), tuple(edits))


def _head(text: bytes, name: int) -> int:
    """Where the line of a kernel's head begins, attributes above it with it."""
    if b"kernel" in text[:name]:
        return above_kernel(text, name)
    return text.rfind(b"\n", 0, name) + 1


def _size(setting: str, text: str) -> str:
    """A size as a comment takes it."""
    if setting not in {"global_size", "local_size"}:
        if _WHOLE.fullmatch(text.strip()) is None:
            raise SizeError(setting, text)
        return text.strip()
    sizes = [size.strip() for size in text.strip().removeprefix("(").removesuffix(")").split(",")]
    if len(sizes) > _DIMENSIONS or not all(_WHOLE.fullmatch(s) and int(s) > 0 for s in sizes):
        raise SizeError(setting, text)
    return f"({','.join(sizes)})"


_WHOLE = re.compile(r"-?[0-9]{1,18}")
_DIMENSIONS = 3
