"""Files for other compilers get one line that says what was recognised."""

from pathlib import Path

import pytest

from burstline_server.cli.main import main

KERNEL = "__kernel void k(__global int *x) {{ {0}for (int i = 0; i < 4; i++) x[i] = i; }}"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("#include <sycl/sycl.hpp>\nint main() { sycl::queue q; }", "SYCL: only kernels in OpenCL C are read"),
        ('#include "HLS/hls.h"\ncomponent int f(int a) { return a; }', "C++ for high-level synthesis"),
        ("void f(int *a) {\n#pragma HLS PIPELINE\na[0] = 1; }", "C++ for high-level synthesis"),
        ("__global__ void f(int *a) { a[0] = 1; }", "CUDA: only kernels"),
        ("// sycl::queue\nint f(int a) { return a; }", "no kernel in this file"),
        (KERNEL.format("__attribute__((xcl_pipeline_loop(1))) "), "attributes of AMD's compiler (xcl_pipeline_loop)"),
        (KERNEL.format("x[5] = sub_group_reduce_add(1); "), "written for GPUs (sub_group_reduce_add)"),
    ],
)
def test_the_second_line_says_what_was_recognised(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, said: str
) -> None:
    path = tmp_path / "k.cl"
    path.write_text(text)
    main(["check", str(path)])
    assert capsys.readouterr().out.splitlines()[1].strip().startswith(said)


def test_a_name_that_only_looks_like_a_built_in_is_none(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "k.cl"
    path.write_text(KERNEL.format("int sub_group_size = 4; x[5] = sub_group_size; "))
    main(["check", str(path)])
    assert "written for GPUs" not in capsys.readouterr().out
