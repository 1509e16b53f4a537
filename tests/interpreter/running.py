"""Runs a text's only kernel in the interpreter, on the arrays that a real runtime takes."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from burstline_server.interpreter.function import Function
from burstline_server.interpreter.kinds import Pointer
from burstline_server.interpreter.memory import Block
from burstline_server.interpreter.program import Program
from burstline_server.interpreter.run import Launched, LocalBytes, Sizes, run
from burstline_server.source.read import read_source

TURNS = 10_000_000
SECONDS = 60.0
_KERNEL = re.compile(r"\b(?:__)?kernel\b[^({;]*?\bvoid\s+(\w+)\s*\(|\bvoid\s+__kernel\s+(\w+)")


def kernels_in(text: str) -> list[str]:
    """The names of the kernels of a text."""
    return [m[1] or m[2] for m in _KERNEL.finditer(text)]


def interpreted(
    text: str,
    arrays: Mapping[str, Any],
    scalars: Mapping[str, Any],
    items: Sequence[int] = (1,),
    group: Sequence[int] = (1,),
    kernels: Sequence[str] = (),
) -> dict[str, Any]:
    """What the kernels leave in their buffers, by argument; arguments are found by their names."""
    program = Program(read_source(text, "k.cl"))
    functions = [program.function(name) for name in kernels or kernels_in(text)]
    blocks = {name: _block(name, values) for name, values in arrays.items()}
    sizes = Sizes(tuple(items), tuple(group))
    launched = [Launched(f, _arguments(f, blocks, scalars), sizes) for f in functions]
    program.turns.start(TURNS, time.thread_time() + SECONDS)
    run(program, launched)
    return {name: np.frombuffer(bytes(blocks[name].data), dtype=values.dtype) for name, values in arrays.items()}


def _block(name: str, values: Any) -> Block:
    block = Block(values.nbytes, name)
    block.data[:] = values.tobytes()
    return block


def _arguments(function: Function, blocks: Mapping[str, Block], scalars: Mapping[str, Any]) -> list[Any]:
    found: list[Any] = []
    for one in function.parameters:
        if isinstance(one.kind, Pointer):
            found.append(LocalBytes(1 << 12) if one.space == "local" else (blocks[one.name], 0))
        else:
            value = scalars.get(one.name)
            found.append(value.item() if isinstance(value, np.generic) else value)
    return found
