"""A real OpenCL runtime for the tests: the system's, where it has one, before the one from PyPI.

PoCL from PyPI does not know every processor; Debian's (`apt-get install pocl-opencl-icd`) does.
"""

import os
from pathlib import Path
from typing import Any

import pytest

SYSTEM = Path("/etc/OpenCL/vendors")


def runtime() -> tuple[Any, Any, Any]:
    """pyopencl, a context and a queue on the first device that can build for this processor; skips without one."""
    if any(SYSTEM.glob("*.icd")):
        os.environ.setdefault("OCL_ICD_VENDORS", str(SYSTEM))
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
