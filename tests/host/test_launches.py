"""What host programs say of a kernel's launch, and where a user meets it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from burstline_model.estimate.remark_kinds import UsualGroups
from burstline_server.assessment.assessor import Assessor
from burstline_server.cli.main import main
from burstline_server.host.c_host import launches_in_c
from burstline_server.host.host_files import Hosts
from burstline_server.host.host_launch import HostLaunch
from burstline_server.host.python_host import launches_in_python
from burstline_server.words.verdict import limit_line

KERNEL = """__kernel void product(__global const float *restrict a, __global float *restrict b, int n, int m)
{
    int i = get_global_id(0);
    float sum = 0;
    for (int k = 0; k < n; k++)
        sum += a[i * n + k];
    b[i] = sum * m;
}
"""
PLAIN = """#include "sizes.h"
#define ROWS (1 << 10)
static const int columns = 2 * WIDTH;
int main(void)
{
    cl_kernel k = clCreateKernel(program, "product", &status);
    int argument = 0;
    clSetKernelArg(k, argument++, sizeof(cl_mem), &a);
    clSetKernelArg(k, argument++, sizeof(cl_mem), (void *)&b);
    clSetKernelArg(k, argument++, sizeof(cl_int), &columns);
    clSetKernelArg(k, 3, sizeof(cl_int), &measured);
    size_t whole[2], group[2] = {16, 4};
    whole[0] = ROWS;
    whole[1] = columns / 2;
    clEnqueueNDRangeKernel(queue, k, 2, NULL, whole, group, 0, NULL, NULL);
}
"""
BINDINGS = """
const int N = 4096;
void run(cl::Context &context) {
    cl::Kernel kernel(program, "product");
    kernel.setArg(0, a);
    kernel.setArg(2, static_cast<int>(N));
    queue.enqueueNDRangeKernel(kernel, cl::NullRange, cl::NDRange(N, N / 2), cl::NDRange(64, 1));
}
"""
PYTHON = """
import numpy as np
import pyopencl as cl
N = 2 ** 3 * 0 + 512
shape = (N, 2 * N)
program.product(queue, shape, None, a, b, np.int32(N), np.int32(steps))
"""


def test_the_c_interface() -> None:
    (launch,) = launches_in_c(PLAIN.encode(), [b"#define WIDTH 32\n"])
    assert launch == HostLaunch("product", 15, (1024, 32), (16, 4), {2: 64})


def test_the_bindings_for_cpp() -> None:
    (launch,) = launches_in_c(BINDINGS.encode())
    assert launch == HostLaunch("product", 7, (4096, 2048), (64, 1), {2: 4096})


def test_python() -> None:
    (launch,) = launches_in_python(PYTHON.replace("2 ** 3 * 0 + ", "").encode())
    assert launch == HostLaunch("product", 6, (512, 1024), None, {2: 512})


@pytest.mark.parametrize(
    ("before", "size", "argument"), [("", None, 0), ("sizes(&whole, &n);", None, None), ("use(whole, n);", None, 0)]
)
def test_a_0_that_another_function_may_set_is_not_what_is_launched(
    before: str, size: tuple[int, ...] | None, argument: int | None
) -> None:
    text = f"""int main(int argc, char **argv) {{
        size_t whole = 0; int n = 0;
        k = clCreateKernel(program, "product", 0);
        {before}
        clSetKernelArg(k, 0, sizeof(int), &n);
        clEnqueueNDRangeKernel(queue, k, 1, 0, &whole, 0, 0, 0, 0); }}"""
    (launch,) = launches_in_c(text.encode())
    assert launch.global_size == size
    assert launch.arguments.get(0) == argument


@pytest.mark.parametrize(
    ("said", "global_size"),
    [
        ("size_t n = 64;", (64,)),
        ("size_t n = 64; if (argc > 1) n = atoi(argv[1]);", (64,)),
        ("size_t n = 64; n = 128;", None),
        ("size_t n = 64; n *= 2;", None),
        ("size_t n = atoi(argv[1]);", None),
        ("size_t n = n + 1;", None),
        ("size_t n = 8 / 0;", None),
        ("size_t n = 0;", None),
        ("size_t n = 1e3;", (1000,)),
        ("size_t n = 64; n = atoi(argv[1]);", None),
        ("size_t n = 64; while ((c = getopt(argc, argv)) != -1) switch (c) { case 'n': n = atoi(optarg); }", (64,)),
        ("size_t n = 64; for (int i = 0; i < 9; i++) n = 1024 * i;", None),
        ("size_t n = 64; parse(argc, argv, &n);", (64,)),
    ],
)
def test_a_size_is_what_is_written_down(said: str, global_size: tuple[int, ...] | None) -> None:
    text = f"""int main(int argc, char **argv) {{
        k = clCreateKernel(program, "product", 0);
        {said}
        size_t whole[] = {{n}};
        clEnqueueNDRangeKernel(queue, k, 1, 0, whole, 0, 0, 0, 0); }}"""
    (launch,) = launches_in_c(text.encode())
    assert launch.global_size == global_size


@pytest.mark.parametrize(
    ("said", "made", "kernel"),
    [
        ('const char *name = "product";', "name", "product"),
        ('#define NAME "product"', "NAME", "product"),
        ('static const char *const names[] = {"load", "product"};\n#define SECOND 1', "names[SECOND]", "product"),
        ('std::string name = "product";', "name.c_str()", "product"),
        ('const char *name; name = "product"; if (two) name = "load";', "name", ""),
        ("const char *name = argv[1];", "name", ""),
        ('const char *names[] = {"load", "product"};', "names[i]", ""),
        ('const char *names[] = {"load", "product"};', "names[7]", ""),
        ("const char *name = name;", "name", ""),
    ],
)
def test_the_name_of_a_kernel_that_a_constant_holds(said: str, made: str, kernel: str) -> None:
    text = f"""int main(int argc, char **argv) {{
        {said}
        kernel = clCreateKernel(program, {made}, &status);
        clSetKernelArg(kernel, 0, sizeof(int), &four);
        clEnqueueTask(queue, kernel, 0, 0, 0); }} const int four = 4;"""
    found = launches_in_c(text.encode())
    assert [(one.kernel, one.arguments, one.fixed) for one in found] == ([(kernel, {0: 4}, {})] if kernel else [])


def test_names_that_double_each_other_end() -> None:
    names = "".join(f"const long n{i} = n{i + 1} + n{i + 1};\n" for i in range(60))
    text = f'{names}const long n60 = n0;\nvoid f() {{ k = clCreateKernel(p, "product", 0); clEnqueueTask(q, k); }}'
    assert [launch.kernel for launch in launches_in_c(text.encode())] == ["product"]


@pytest.mark.parametrize(
    ("made", "bank"),
    [
        ("x = clCreateBuffer(c, CL_MEM_READ_ONLY | CL_CHANNEL_1_INTELFPGA, n, NULL, &status);", 0),
        ("cl_mem x = clCreateBuffer(c, CL_MEM_BANK_2_ALTERA, n, NULL, &status);", 1),
        ("cl::Buffer x(c, CL_MEM_READ_WRITE | CL_CHANNEL_3_INTELFPGA, n);", 2),
        ("x = cl::Buffer(c, CL_CHANNEL_4_INTELFPGA, n);", 3),
        ("cl_mem_flags f = CL_CHANNEL_2_INTELFPGA | CL_MEM_READ_ONLY; x = clCreateBuffer(c, f, n, NULL, &status);", 1),
        ("cl_mem_flags f = CL_CHANNEL_2_INTELFPGA; if (many) f = 0; x = clCreateBuffer(c, f, n, NULL, 0);", None),
        ("x = clCreateBuffer(c, CL_CHANNEL_1_INTELFPGA, n, 0, 0); x = clCreateBuffer(c, 0, n, 0, 0);", None),
        ("x = clCreateBuffer(c, CL_MEM_HETEROGENEOUS_INTELFPGA | CL_CHANNEL_1_INTELFPGA, n, 0, 0);", None),
        ("x = clCreateBuffer(c, CL_MEM_READ_ONLY, n, NULL, &status);", None),
        ("x = made_elsewhere();", None),
    ],
)
@pytest.mark.parametrize("set_to", ["clSetKernelArg(k, 1, sizeof(cl_mem), (void *)&x);", "k.setArg(1, x);"])
def test_the_bank_that_a_buffer_is_created_in(made: str, bank: int | None, set_to: str) -> None:
    text = f'void f() {{ {made} k = clCreateKernel(p, "product", 0); {set_to} clEnqueueTask(q, k, 0, 0, 0); }}'
    (launch,) = launches_in_c(text.encode())
    assert launch.banks == ({} if bank is None else {1: bank})


@pytest.mark.parametrize("text", ["def (", "x = " + "(" * 5000, "\0"])
def test_a_text_that_is_no_python_launches_nothing(text: str) -> None:
    assert launches_in_python(text.encode()) == []


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A kernel in a folder of its own, and a host program with a header in others."""
    for folder in ("device", "host/src", "host/inc"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "device" / "product.cl").write_text(KERNEL)
    (tmp_path / "host" / "src" / "main.c").write_text(PLAIN)
    (tmp_path / "host" / "inc" / "sizes.h").write_text("#define WIDTH 32\r\n")
    return tmp_path / "device" / "product.cl"


def test_the_launch_is_found_and_found_again_when_it_changes(project: Path) -> None:
    hosts, root = Hosts(), project.parents[1]
    main_c = root / "host" / "src" / "main.c"
    assert hosts.launch_of("product", project, [root]) == (
        main_c, HostLaunch("product", 15, (1024, 32), (16, 4), {2: 64})
    )  # fmt: skip
    main_c.write_text(PLAIN.replace("2 * WIDTH", "8 * WIDTH * 2"))
    found = hosts.launch_of("product", project, [root])
    assert found is not None
    assert found[1].arguments == {2: 512}
    assert hosts.launch_of("other", project, [root]) is None
    assert hosts.launch_of("product", project, [project.parent]) is None


def test_the_nearest_folder_decides_before_what_says_most(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Another program of the same repository has a kernel of that name, and says more of its launch."""
    above = project.parents[1]
    (above / "burstline.toml").touch()
    other, root = above / "another" / "host", above / "mine"
    for folder in (other, root):
        folder.mkdir(parents=True)
    for folder in ("device", "host"):
        (above / folder).rename(root / folder)
    project = root / "device" / project.name
    (other / "main.c").write_text(PLAIN.replace("&measured", "&columns").replace('"sizes.h"', '"more.h"'))
    (other / "more.h").write_text("#define WIDTH 999\n")
    assert main(["check", str(project)]) == 0
    assert (
        "host: host/src/main.c, line 15, launches it with // burstline: global_size=(1024,32) local_size=(16,4) n=64"
        in (capsys.readouterr().out)
    )
    (root / "host" / "src" / "main.c").write_text(PLAIN.replace("ROWS;", "rows;").replace("&columns", "&rows"))
    assert main(["check", str(project)]) == 0
    assert "999" not in capsys.readouterr().out
    (root / "host" / "src" / "main.c").unlink()
    assert main(["check", str(project)]) == 0
    assert "host: another/host/main.c, line 15, launches it with" in capsys.readouterr().out


def test_a_large_workspace_is_read_in_parts(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hosts, root = Hosts(), project.parents[1]
    for number in range(8):
        (root / "host" / "src" / f"a{number}.c").write_text("// " + "x" * 1000)
    monkeypatch.setattr("burstline_server.host.host_files.MAX_READ", 1100)
    found = [hosts.launch_of("product", project, [root]) for _ in range(9)]
    assert found[0] is None
    assert found[-1] is not None
    assert found[-1][0].name == "main.c"


def test_a_program_that_names_other_kernels_is_not_parsed(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hosts, root = Hosts(), project.parents[1]
    for file, text in (("of_others.c", PLAIN), ("of_others.py", PYTHON), ("none.c", "// product\n")):
        (root / "host" / "src" / file).write_text(text.replace("product", "others"))
    parsed: list[bytes] = []

    def counted(text: bytes, headers: Sequence[bytes] = (), *, references: bool = True) -> list[HostLaunch]:
        parsed.append(text)
        return launches_in_c(text, headers, references=references)

    monkeypatch.setattr("burstline_server.host.host_files.launches_in_c", counted)
    assert hosts.launch_of("nowhere", project, [root]) is None
    assert parsed == []
    for _ in range(2):
        assert hosts.launch_of("product", project, [root]) is not None
        assert parsed == [PLAIN.encode()]


@pytest.mark.parametrize(
    ("host", "header"),
    [
        (PLAIN.replace('"product"', "NAME"), '#define NAME "product"\n'),
        (PLAIN.replace('"product"', "names[1]"), 'static const char *names[] = {"first", "product"};\n'),
        (PLAIN.replace("int argument", 'printf("%"FORMAT"product"); int argument'), ""),
        (PLAIN.replace("&status)", '&status); /* "product */'), ""),
    ],
)
def test_a_kernel_is_found_however_it_is_named(project: Path, host: str, header: str) -> None:
    root = project.parents[1]
    (root / "host" / "src" / "main.c").write_text(host)
    (root / "host" / "inc" / "sizes.h").write_text(f"#define WIDTH 32\n{header}")
    found = Hosts().launch_of("product", project, [root])
    assert found is not None
    assert found[1].global_size == (1024, 32)


def test_what_the_parser_thinks_of_a_script_is_not_shown(capfd: pytest.CaptureFixture[str]) -> None:
    text = PYTHON.replace("2 ** 3 * 0 + ", "") + "s = '\\d' is 1\n"
    assert len(launches_in_python(text.encode())) == 1
    assert capfd.readouterr().err == ""


def test_check_shows_the_comment_with_the_hosts_sizes(
    project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project.parents[1])
    assert main(["check", str(project)]) == 0
    shown = capsys.readouterr().out
    comment = "// burstline: global_size=(1024,32) local_size=(16,4) n=64"
    assert f"host: host/src/main.c, line 15, launches it with {comment}" in shown
    project.write_text(f"{comment}\n{KERNEL}")
    assert main(["check", str(project)]) == 0
    shown = capsys.readouterr().out
    assert "host:" not in shown
    assert "≈?" not in shown


def test_the_hosts_sizes_are_assumed(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project.parents[1] / "burstline.toml").touch()
    assert main(["check", str(project)]) == 0
    by_host = capsys.readouterr().out
    assert "Assumed: 32 768 work-items in groups of 64 (host) and n = 64 (host)." in by_host
    assert "64 iterations assumed; give n=" in by_host
    assert main(["check", str(project), "--global-size", "1024,32", "--local-size", "16,4", "--arg", "n=64"]) == 0
    given = capsys.readouterr().out

    def total(text: str) -> str:
        return next(line for line in text.splitlines() if line.strip().startswith("total")).replace("≈? ", "")

    assert total(by_host) == total(given)
    assert main(["check", str(project), "--global-size", "2048,32"]) == 0
    assert "Assumed: n = 64 (host)." in capsys.readouterr().out
    (project.parents[1] / "host" / "src" / "main.c").unlink()
    assert main(["check", str(project)]) == 0
    assert "(host)" not in capsys.readouterr().out


def test_check_shows_the_banks_of_buffers_that_are_not_interleaved(
    project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    made = "".join(
        f"    {name} = clCreateBuffer(context, CL_CHANNEL_{bank}_INTELFPGA, bytes, NULL, &status);\n"
        for name, bank in (("a", 1), ("b", 2))
    )
    main_c = project.parents[1] / "host" / "src" / "main.c"
    main_c.write_text(PLAIN.replace("    int argument = 0;\n", made))
    monkeypatch.chdir(project.parent)
    asked = ["check", project.name, "--board", "p385a", "--global-size", "1024,32", "--arg", "n=64"]

    def host(*options: str) -> str:
        assert main([*asked, *options]) == 0
        return next((line for line in capsys.readouterr().out.splitlines() if "host:" in line), "")

    said = "host: host/src/main.c, line 16, launches it with // burstline: "
    assert host() == ""
    assert host("--interleaving", "off").strip() == f"{said}bank[a]=0 bank[b]=1"
    assert host("--interleaving", "off", "--bank", "a=1").strip() == f"{said}bank[b]=1"
    assert host("--interleaving", "off", "--bank", "a=0", "--bank", "product.b=1") == ""


NETWORK = """#pragma OPENCL EXTENSION cl_intel_channels : enable
channel float ch;
__kernel void send(__global const float *restrict x) { write_channel_intel(ch, x[get_global_id(0)]); }
__kernel void receive(__global float *restrict y, int n)
{
    for (int i = 0; i < n; i++)
        y[i] = read_channel_intel(ch);
}
"""


def test_work_items_of_a_host_stay_where_the_other_end_of_a_channel_is_assumed() -> None:
    said = {"send": HostLaunch("send", 1, (4096,))}
    assessment = Assessor(launches=lambda _: said.get).assess(NETWORK, "network.cl", [])
    sizes = [k.estimate.at_assumed.sizes for k in assessment.kernels if k.estimate.at_assumed is not None]
    assert [one.global_size for one in sizes] == [(4096,), None]
    assert "4096 work-items (host)" in limit_line(assessment, assessment.kernels[0])


GROUPED = """__kernel void sums(__global const float *restrict x, __local float *part, __global float *restrict y)
{
    part[get_local_id(0)] = x[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    y[get_global_id(0)] = part[0];
}
"""


@pytest.mark.parametrize(
    ("group", "taken"),
    [((1,), (1,)), ((3,), None), ((16,), (16,)), (None, None)],
)
def test_groups_are_those_that_the_host_launches(group: tuple[int, ...] | None, taken: tuple[int, ...] | None) -> None:
    """Groups of one work-item wait at every barrier for themselves alone; those that do not divide a launch fail."""
    said = {"sums": HostLaunch("sums", 1, (4096,), group)}
    (kernel,) = Assessor(launches=lambda _: said.get).assess(GROUPED, "sums.cl", []).kernels
    found = kernel.estimate.at_assumed
    assert found is not None
    assert found.launch.local_size == (taken or (256,))
    assert any(isinstance(r, UsualGroups) for r in kernel.estimate.remarks) == (taken is None)
