"""Kernels on a real OpenCL runtime, one after the other; channels and pipes are buffers that they fill and empty."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Any

from tests.rewrites.runtime import runtime

QUEUE_BYTES = 1 << 16
_CHANNEL = re.compile(r"^channel (?P<type>\w+) (?P<name>\w+).*\n", re.MULTILINE)
_PIPE = re.compile(r"\b(?:read|write)_only pipe (?P<type>\w+) (?:__attribute__\(\(\w+(?:\(\d+\))?\)\) )*(?P<name>\w+)")
_KERNEL = re.compile(
    r"(?:__)?kernel\s+(?P<attributes>(?:__attribute(?:__)?\s*\(\([^{;]*?\)\)\s*)*)"
    r"void\s+(?P<more>(?:__attribute(?:__)?\s*\(\([^{;]*?\)\)\s*)*)(?P<name>\w+)\s*"
    r"\((?P<arguments>(?:[^()]|\((?:[^()]|\([^()]*\))*\))*)\)\s*\{"
)
_HEAD = re.compile(r"\bvoid\s+(?:__attribute(?:__)?\s*\(\([^{;]*?\)\)\s*)*(?!__attribute)\w+\s*(?=\()")
_ATTRIBUTE = re.compile(r"__attribute(?:__)?\s*(?=\()")


_WRITE = re.compile(r"write_channel_intel(?P<opening>\()(?P<name>\w+), ")
_COMMENT = re.compile(r"//(?:\\\r?\n|[^\n])*|/\*.*?\*/", re.DOTALL)


def queued(text: str) -> tuple[str, list[str]]:
    """A text whose channels and pipes are buffers, and their names. Every kernel takes all the channels'."""
    text = _COMMENT.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)
    channels = {m["name"]: m["type"] for m in _CHANNEL.finditer(text)}
    names = [*channels, *dict.fromkeys(m["name"] for m in _PIPE.finditer(text))]
    text = re.sub(r"^#pragma OPENCL.*\n", "", _CHANNEL.sub("", text), flags=re.MULTILINE)
    text = _without_attributes(_PIPE.sub(r"__global \g<type> *\g<name>", text))
    text = _written(text)
    text = re.sub(r"read_channel_intel\((\w+)\)", r"\1[\1_at++]", text)
    text = re.sub(r"write_pipe\((\w+), &(\w+)\)", r"\1[\1_at++] = \2", text)
    text = re.sub(r"read_pipe\((\w+), &(\w+)\)", r"\2 = \1[\1_at++]", text)
    buffers = "".join(f", __global {type_} *{name}" for name, type_ in channels.items())
    places = " ".join(f"int {name}_at = 0;" for name in names)

    def taking(kernel: re.Match[str]) -> str:
        taken = (kernel["arguments"] + buffers).removeprefix(", ")
        attributes = kernel["attributes"] + kernel["more"]
        return f"__kernel {attributes}void {kernel['name']}({taken}) {{ {places}"

    return _KERNEL.sub(taking, text), names


def _written(text: str) -> str:
    """A text in which channels are written as buffers are."""
    while (found := _WRITE.search(text)) is not None:
        name, end = found["name"], _closing(text, found.start("opening"))
        text = f"{text[: found.start()]}{name}[{name}_at++] = {text[found.end() : end - 1]}{text[end:]}"
    return text


def _without_attributes(text: str) -> str:
    """A text whose arguments have no attributes: where buffers lie is nothing that this runtime knows."""
    for head in reversed(list(_HEAD.finditer(text))):
        end = _closing(text, head.end())
        arguments = text[head.end() : end]
        while (found := _ATTRIBUTE.search(arguments)) is not None:
            arguments = arguments[: found.start()] + arguments[_closing(arguments, found.end()) :]
        text = text[: head.end()] + arguments + text[end:]
    return text


def _closing(text: str, opening: int) -> int:
    """Behind the parenthesis that closes the one at `opening`."""
    depth = 0
    for at in range(opening, len(text)):
        depth += {"(": 1, ")": -1}.get(text[at], 0)
        if depth == 0:
            return at + 1
    return len(text)


@cache
def _built(text: str) -> tuple[Any, Any, Any, Any, list[str]]:
    """pyopencl, a context, a queue, the built program and its queues' names."""
    cl, context, queue = _device()
    text, queues = queued(text)
    return cl, context, queue, cl.Program(context, text).build(options=["-w", "-cl-opt-disable"]), queues


@cache
def _device() -> tuple[Any, Any, Any]:
    return runtime()


def ran(
    text: str,
    arrays: Mapping[str, Any],
    scalars: Mapping[str, Any],
    *,
    items: tuple[int, ...] = (1,),
    group: tuple[int, ...] | None = None,
) -> dict[str, Any]:
    """What a text's kernels leave in the arrays: those that load first, then those that compute from what was sent."""
    cl, context, queue, program, queues = _built(text)
    import numpy as np  # noqa: PLC0415

    text = queued(text)[0]
    flags = cl.mem_flags
    given: dict[str, Any] = {
        name: cl.Buffer(context, flags.READ_WRITE | flags.COPY_HOST_PTR, hostbuf=a.copy()) for name, a in arrays.items()
    }
    given |= {name: cl.Buffer(context, flags.READ_WRITE, QUEUE_BYTES) for name in queues}
    given |= {name: np.int32(v) if isinstance(v, int) else v for name, v in scalars.items()}
    for kernel in sorted(_KERNEL.finditer(text), key=lambda m: "_compute" in m["name"]):
        written = re.sub(r"//.*|/\*.*?\*/", "", kernel["arguments"])
        arguments = [given[re.findall(r"\w+", one)[-1]] for one in written.split(",")]
        cl.Kernel(program, kernel["name"])(queue, items, group, *arguments)
    left = {name: np.empty_like(a) for name, a in arrays.items()}
    for name, host in left.items():
        cl.enqueue_copy(queue, host, given[name])
    return left


def same(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Whether two runs left the same bytes."""
    return all(one[name].tobytes() == other[name].tobytes() for name in one)
