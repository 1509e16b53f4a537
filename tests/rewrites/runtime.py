"""A real OpenCL runtime for the tests: the system's, where it has one, before the one from PyPI.

PoCL from PyPI does not know every processor; Debian's (`apt-get install pocl-opencl-icd`) does.
"""

import os
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest

SYSTEM = Path("/etc/OpenCL/vendors")


@cache
def runtime() -> tuple[Any, Any, Any]:
    """pyopencl, a context and a queue on the first device that can build for this processor; skips without one."""
    if any(SYSTEM.glob("*.icd")):
        os.environ.setdefault("OCL_ICD_VENDORS", str(SYSTEM))
    # PoCL would build each kernel once more for every size it is launched with: more than half of the time.
    os.environ.setdefault("POCL_WORK_GROUP_SPECIALIZATION", "0")
    cl = pytest.importorskip("pyopencl", reason="needs pyopencl and an OpenCL runtime: apt-get install pocl-opencl-icd")
    for platform in cl.get_platforms():
        for device in platform.get_devices():
            context = cl.Context([device])
            try:
                cl.Program(context, "__kernel void k(__global int *x) { x[0] = 1; }").build()
            except cl.RuntimeError:
                continue
            return cl, context, cl.CommandQueue(context)
    pytest.skip("no OpenCL runtime here builds kernels for this processor: apt-get install pocl-opencl-icd")


def results(text: str, arrays: Mapping[str, Any], scalars: Mapping[str, Any], items: int = 1, group: int = 1) -> Any:
    """What a text's only kernel leaves in its buffers, by argument; NumPy arrays go in and come out.

    Arguments are found by their names; `items` work-items run in groups of `group`.
    """
    cl, context, queue = runtime()
    copy = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
    (kernel,) = cl.Program(context, text).build(options=["-w", "-cl-opt-disable"]).all_kernels()
    head = text[text.index(f"void {kernel.function_name}(") :].partition("(")[2].partition(")")[0]
    names = [re.findall(r"\w+", argument)[-1] for argument in head.split(",")]
    buffers = {n: cl.Buffer(context, copy, hostbuf=arrays[n].copy()) for n in names if n in arrays}
    kernel(queue, (items,), (group,), *(buffers.get(n, scalars.get(n)) for n in names))
    left = {n: arrays[n].copy() for n in buffers}
    for name, host in left.items():
        cl.enqueue_copy(queue, host, buffers[name])
    return left
