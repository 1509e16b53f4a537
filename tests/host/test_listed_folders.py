"""Folders in which host programs are looked for are listed once, until something is added to them."""

import os
from pathlib import Path

import pytest

from burstline_server.host.host_files import Hosts

LAUNCH = """#include <CL/cl.h>
void run(cl_command_queue q, cl_program p)
{
    cl_kernel k = clCreateKernel(p, "NAME", 0);
    size_t global = 4096;
    clEnqueueNDRangeKernel(q, k, 1, 0, &global, 0, 0, 0, 0);
}
"""


def test_folders_are_listed_once_for_all_kernels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for folder in ("device", "host", "host/src"):
        (tmp_path / folder).mkdir()
    (tmp_path / "host" / "src" / "main.c").write_text(LAUNCH.replace("NAME", "first"))
    kernels, listed = tmp_path / "device" / "k.cl", list[str]()
    scan = os.scandir
    monkeypatch.setattr(os, "scandir", lambda folder: (listed.append(str(folder)), scan(folder))[1])
    hosts = Hosts()
    for name in ("first", "second", "first", "third"):
        found = hosts.launch_of(name, kernels, [tmp_path])
        assert (found is not None) is (name == "first")
    assert len(listed) == len(set(listed)) == 4
    added = tmp_path / "host" / "other.c"
    added.write_text(LAUNCH.replace("NAME", "second"))
    stamp = added.parent.stat().st_mtime_ns + 1_000_000
    os.utime(added.parent, ns=(stamp, stamp))  # clocks of file systems are coarse
    found = hosts.launch_of("second", kernels, [tmp_path])
    assert found is not None
    assert found[0] == added
    assert len(listed) == 5
