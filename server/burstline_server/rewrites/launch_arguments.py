"""What the host passes as a kernel's whole-number arguments: by settings, or by the host programs around it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from burstline_model.record import fixed
from burstline_server.assessment.assessor import Assessment
from burstline_server.assessment.costing import KernelAssessment
from burstline_server.host.host_files import HOSTS, path_from
from burstline_server.host.host_launch import HostLaunch
from burstline_server.rewrites.legality.expression_types import canonical
from burstline_server.rewrites.reasons import Name, Obstacle

RANGES = {
    "char": (-(1 << 7), (1 << 7) - 1), "uchar": (0, (1 << 8) - 1),
    "short": (-(1 << 15), (1 << 15) - 1), "ushort": (0, (1 << 16) - 1),
    "int": (-(1 << 31), (1 << 31) - 1), "uint": (0, (1 << 32) - 1),
    "long": (-(1 << 63), (1 << 63) - 1), "ulong": (0, (1 << 64) - 1),
}  # fmt: skip
"""The least and the greatest value of each type of whole numbers."""
_QUALIFIERS = {"const", "__private", "private", "register"}


@fixed
class Passed:
    """The value of an argument of a type, and the host program and line that pass it, where one does.

    `why`: the reason not to rely on that value.
    """

    value: int
    type: str
    found: tuple[Name, ...] = ()
    why: Obstacle | None = None


def passed_to(assessment: Assessment, kernel: KernelAssessment) -> dict[str, Passed]:
    """What is passed as the whole-number arguments of a kernel, as far as anything says so.

    All launches in the smallest folder around the kernel's file that has one have to pass the same constant; without
    a host program, the settings count. Reads files.
    """
    facts, path = kernel.facts, Path(assessment.path)
    types = {at: whole_type(a.type) for at, a in enumerate(facts.arguments) if not a.is_pointer and not a.volatile}
    if not any(types.values()):
        return {}
    around = HOSTS.around(facts.name, path, assessment.workspace) if path.is_file() else []
    hosts = [(path_from(path, file), launches) for file, launches in around]
    found: dict[str, Passed] = {}
    for at, type_ in types.items():
        name = facts.arguments[at].name
        one = _passed(hosts, at, name, len(facts.arguments), kernel.launch.arguments.get(name)) if type_ else None
        if one is not None:
            value, places, why = one
            least, most = RANGES[type_]
            if why is None and not least <= value <= most:
                why = Obstacle("no_such_value", (name, value, type_))
            found[name] = Passed(value, type_, places, why)
    return found


def whole_type(type_: str) -> str:
    """The name of a type of whole numbers; empty for another one."""
    found = canonical(" ".join(word for word in type_.split() if word not in _QUALIFIERS))
    return found if found in RANGES else ""


def _passed(
    hosts: Sequence[tuple[str, Sequence[HostLaunch]]], at: int, name: str, count: int, setting: int | None
) -> tuple[int, tuple[Name, ...], Obstacle | None] | None:
    launches = [(file, one) for file, own in hosts for one in own]
    if not launches:
        return None if setting is None else (setting, (), None)
    fixed = [one.fixed.get(at) if one.count == count else None for _, one in launches]
    values = {one[0] for one in fixed if one is not None}
    if None in fixed or len(values) != 1:
        file = next(file for (file, _), one in zip(launches, fixed, strict=True) if one is None or len(values) > 1)
        likely = (
            setting if setting is not None else next((o.arguments[at] for _, o in launches if at in o.arguments), None)
        )
        return None if likely is None else (likely, (), Obstacle("argument_varies", (name, file)))
    value, place = values.pop(), (launches[0][0], fixed[0][1] if fixed[0] is not None else 0)
    if setting is not None and setting != value:
        return setting, (), Obstacle("host_passes_other", (name, value, *place))
    return value, place, None
