"""What a host program does to run the kernels of a split, as C text."""

from __future__ import annotations

from collections.abc import Sequence

from burstline_model.facts import Argument
from burstline_server.interpreter.host_side import Each
from burstline_server.rewrites.split.joints import DEPTH, Joint
from burstline_server.rewrites.split.kernel_pair import Part


def host_text(
    whole: str, parts: Sequence[Part], arguments: Sequence[Argument], each: Each | None = None, *, pipes: bool
) -> str:  # fmt: skip
    """The statements that replace the launch of the kernel `whole`; `pipes`: joints are objects that the host makes.

    They are launched for `each` value of an argument, once the launches for the value before are over.
    """
    turns = f", for one {each.name} after the other" if each is not None else ""
    lines = [
        f"/* In place of {whole}: each kernel is a task on its own queue, so that they run at the same time{turns}. */",
        "cl_int status;",
    ]
    if pipes:
        for joint in dict.fromkeys(j for part in parts for j in part.joints):
            size = _host_type(joint.type)
            lines.append(f"cl_mem {joint.name} = clCreatePipe(context, 0, sizeof({size}), {DEPTH}, NULL, &status);")
    last = f"&{each.name});" if each is not None else "NULL);"
    ends = [f"clFinish({part.name}_queue);" for part in parts]
    launched = list[str]()
    for part in parts:
        own = _launch(part, arguments, part.joints if pipes else ())
        again = [one for one in own if each is not None and (one.endswith(last) or one.startswith("clEnqueueTask"))]
        launched += again
        lines += ["", *(one for one in own if one not in again)]
    lines.append("")
    if each is not None:
        first, bound = each.texts
        lines.append(f"for (cl_int {each.name} = {first}; {each.name} {bound}; {each.name} += {each.step}) {{")
        ends = [*(f"    {one}" for one in (*launched, *ends)), "}"]
    return "\n".join([*lines, *ends]) + "\n"


def sizes_text(names: Sequence[str]) -> str:
    """What the host gives for arguments that take the numbers of work-items."""
    return f"/* {', '.join(names)}: the global size that the kernel was launched with. */\n"


def _launch(part: Part, arguments: Sequence[Argument], joints: Sequence[Joint]) -> list[str]:
    name = part.name
    by_name = {a.name: a for a in arguments}
    given = [("cl_mem" if by_name[a].is_pointer else _host_type(by_name[a].type), a) for a in part.arguments]
    given += [("cl_mem", joint.name) for joint in joints]
    return [
        f'cl_kernel {name} = clCreateKernel(program, "{name}", &status);',
        *(f"clSetKernelArg({name}, {i}, sizeof({type_}), &{a});" for i, (type_, a) in enumerate(given)),
        f"cl_command_queue {name}_queue = clCreateCommandQueue(context, device, 0, &status);",
        f"clEnqueueTask({name}_queue, {name}, 0, NULL, NULL);",
    ]


def _host_type(type_: str) -> str:
    return f"cl_{type_}"
