"""What an edit asks of the host program, as edits of that program's file where it launches the kernel."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from burstline_model.record import fixed
from burstline_server.assessment.assessor import Assessment
from burstline_server.host.host_files import HOSTS, text_of_host
from burstline_server.host.launch_calls import LaunchCall, Range, launch_calls
from burstline_server.rewrites.rewrite import Offer, TextEdit, edited, in_front_of, indent_at, line_end
from burstline_server.rewrites.syntax import free_name

C_FILES = {".c", ".cc", ".cpp", ".cxx"}
_GROUP = re.compile(r"local_size\[\] = \{ ([\d, ]+) \}")
QUEUE, KERNEL, DIMENSIONS, OFFSET, GLOBAL, LOCAL, EVENTS = range(7)
"""Arguments of `clEnqueueNDRangeKernel`."""
NOTHING = {"NULL", "0", "nullptr"}


@fixed
class HostEdit:
    """Edits of a host program's file, whose text is `before`."""

    file: Path
    before: bytes
    edits: tuple[TextEdit, ...]

    @property
    def after(self) -> bytes:
        """The text with the edits made."""
        return edited(self.before, self.edits)


def host_edit(assessment: Assessment, offer: Offer) -> HostEdit | None:
    """What an edit asks of the nearest host program in C or C++ that launches the kernel.

    A launch as a task, in groups of another size or with its ids exchanged is written out. Anything else is a comment
    in front of the launch. None where nothing is asked, or no such call is found.
    """
    path = Path(assessment.path)
    found = HOSTS.launches_of(offer.kernel, path, assessment.workspace) if offer.host and path.is_file() else None
    if found is None or found[0].suffix not in C_FILES:
        return None
    file, launches = found
    text = text_of_host(file, path, assessment.workspace)
    if text is None:
        return None
    lines = frozenset(one.line for one in launches)
    calls = list(launch_calls(text, lines))
    if len(calls) < len(lines):
        return None  # one that is not written as a statement would stay as it is
    edits = tuple(edit for number, call in enumerate(calls) for edit in _edits(text, call, offer, number))
    return HostEdit(file, text, edits) if edits else None


def _edits(text: bytes, call: LaunchCall, offer: Offer, number: int) -> Iterator[TextEdit]:
    """The edits of one launch, the `number`th of the kernel's."""
    given = [text[start:end].decode("utf-8", "replace") for start, end in call.arguments]
    side, group = offer.host_side, _GROUP.search(offer.host)
    last = f"_{number + 1}" if number else ""
    plain = not call.is_task and len(given) > EVENTS and not offer.replaced_by
    without_offset = plain and given[OFFSET] in NOTHING
    if side is not None and side.sizes and without_offset and given[DIMENSIONS] == str(len(side.sizes)):
        first = re.search(r"clSetKernelArg\(\w+, (\d+),", offer.host)
        yield from _task(text, call, given, side.sizes, int(first[1]) if first is not None else 0, last)
    elif side is not None and side.exchanged and without_offset and given[DIMENSIONS] == "2":
        sizes = {GLOBAL: f"{offer.kernel}_global_size{last}", LOCAL: f"{offer.kernel}_local_size{last}"}
        used = {at: free_name(text, name) for at, name in sizes.items() if given[at] not in NOTHING}
        yield _before(text, call, [_array(n, [f"({given[at]})[{d}]" for d in (1, 0)]) for at, n in used.items()])
        yield from (_put(call.arguments[at], name) for at, name in used.items())
    elif plain and group is not None and given[DIMENSIONS] == str(group[1].count(",") + 1):
        name = free_name(text, f"{offer.kernel}_local_size{last}")
        yield _before(text, call, [_array(name, group[1].split(", "))])
        yield _put(call.arguments[LOCAL], name)
    else:
        yield _before(text, call, [f"// {line}".rstrip() for line in offer.host.splitlines()])


def _task(
    text: bytes, call: LaunchCall, given: Sequence[str], sizes: Sequence[str], first: int, last: str
) -> Iterator[TextEdit]:
    """A launch as a task, its sizes given as arguments from the number `first` on."""
    lines = []
    for d, size in enumerate(sizes):
        name = free_name(text, f"{size}{last}")
        lines.append(f"const cl_int {name} = (cl_int)({given[GLOBAL]})[{d}];")
        lines.append(f"clSetKernelArg({given[KERNEL]}, {first + d}, sizeof(cl_int), &{name});")
    yield _before(text, call, lines)
    rest = ", ".join([given[QUEUE], given[KERNEL], *given[EVENTS:]])
    yield _put(call.call, f"clEnqueueTask({rest})")


def _array(name: str, values: Sequence[str]) -> str:
    return f"const size_t {name}[] = {{ {', '.join(values)} }};"


def _put(place: Range, text: str) -> TextEdit:
    return TextEdit(place[0], place[1], text)


def _before(text: bytes, call: LaunchCall, lines: Sequence[str]) -> TextEdit:
    """Lines in front of a launch's statement."""
    start, end = call.statement[0], line_end(text)
    own = in_front_of(text, start)
    indent = own[1] if own is not None else indent_at(text, start)
    joined = f"{end}{indent}".join(lines)
    return TextEdit(start, start, f"{joined}{end}{indent}")
