"""The sizes of a kernel that the page has fields for: work-items, scalar arguments, iterations that nobody counts."""

from __future__ import annotations

import re
from collections.abc import Iterator

from burstline_model.facts import Argument
from burstline_server.assessment.assessor import Assessment
from burstline_server.assessment.costing import KernelAssessment
from burstline_server.assessment.missing_sizes import Missing, assumed_trips, missing_sizes
from burstline_server.presentation.view_document import FieldView
from burstline_server.source.locate import place_of

_WHOLE = re.compile(
    r"(?:const\s+)?(?:u(?:nsigned\b)?\s*)?(?:signed\s+)?(?:bool|char|short|int|long|size_t|ptrdiff_t)?(?:\s+const)?"
)
"""The types of C that hold whole numbers."""


def fields_of(assessment: Assessment, kernel: KernelAssessment) -> list[FieldView]:
    """The fields of one kernel: what it is launched with, then its arguments and loops in their order."""
    missing = {one.setting: one for one in missing_sizes(assessment, kernel)}
    return [*_work(kernel, missing), *_arguments(kernel, missing), *_trips(assessment, kernel, missing)]


def _work(kernel: KernelAssessment, missing: dict[str, Missing]) -> Iterator[FieldView]:
    launch = kernel.launch
    if kernel.facts.model != "ndrange":
        return
    for name, label, size in (
        ("global_size", "work-items", launch.global_size), ("local_size", "work-group", launch.local_size),
    ):  # fmt: skip
        one = missing.get(name)
        yield FieldView(
            setting=name, label=label, sizes=True, value=",".join(map(str, size or ())), missing=one is not None,
            usual=one.usual.strip("()") if one is not None else "", given_by=_given_by(kernel, name),
        )  # fmt: skip


def _arguments(kernel: KernelAssessment, missing: dict[str, Missing]) -> Iterator[FieldView]:
    for name in (name for argument in kernel.facts.arguments for name in _numbers(argument)):
        one, value = missing.get(name), kernel.launch.arguments.get(name)
        yield FieldView(
            setting=name, label=name, sizes=False, value="" if value is None else str(value),
            usual=one.usual if one is not None else str(assumed_trips(kernel)),
            given_by=_given_by(kernel, f"arguments.{name}"), missing=one is not None,
        )  # fmt: skip


def _numbers(argument: Argument) -> list[str]:
    """The whole numbers that an argument brings, by name."""
    if argument.is_pointer:
        return []
    if argument.fields:
        return [f"{argument.name}.{path}" for path in argument.fields]
    return [argument.name] if argument.type.strip() and _WHOLE.fullmatch(argument.type.strip()) else []


def _trips(assessment: Assessment, kernel: KernelAssessment, missing: dict[str, Missing]) -> Iterator[FieldView]:
    for loop in kernel.facts.loops:
        if loop.span.file is not None:
            continue
        line = place_of(assessment.source, loop.span).line + 1
        setting = f"trip[{line}]"
        one, value = missing.get(setting), kernel.launch.trips.get(loop.id)
        if one is not None or value is not None:
            yield FieldView(
                setting=setting, label=f"iterations, line {line}", sizes=False,
                value="" if value is None else str(value), usual=one.usual if one is not None else "",
                given_by=_given_by(kernel, "trips") if value is not None else "", missing=one is not None,
            )  # fmt: skip


def _given_by(kernel: KernelAssessment, name: str) -> str:
    return kernel.launch.given_by.get(name, "")
