"""libclang, where it is installed, adds faults that Burstline does not see by itself, and never doubts what builds."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from threading import Thread

import pytest

from burstline_server.assessment.assessor import Assessment, Assessor
from burstline_server.clang import process as running
from burstline_server.clang.opinion import second_opinion
from burstline_server.clang.process import Clang
from burstline_server.cli.main import main
from burstline_server.config.layers import Layer

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
KERNEL = """__kernel void other(__global const float *restrict a, __global float *restrict b)
{{
    b[get_global_id(0)] = a[get_global_id(0)];
}}
__kernel void k(__global const float *restrict x, __global float4 *restrict y, const int n)
{{
    int i = get_global_id(0);
    {0}
    y[i] = (float4)(x[i]);
}}
"""
ADDED = [
    ("switch (n) {case 1: break; case 1: break;}", "BL003", "duplicate case value '1'"),
    ("goto there;", "BL003", "use of undeclared label 'there'"),
    ("float s = y[i] + sin(y[i]);", "BL003", "a 'float4' is no value for a 'float'"),
    ("int a[4]; a = 3;", "BL003", "array type 'int[4]' is not assignable"),
    ("struct {int a;} s; if (s) i = 1;", "BL003", "statement requires expression of scalar type"),
]
TAKEN = """
#pragma OPENCL EXTENSION cl_intel_channels : enable
#define DEPTH 8
struct pair { int a; float2 b; };
channel struct pair c[2] __attribute__((depth(DEPTH)));
channel float d;
__attribute__((max_global_work_dim(0))) __attribute__((autorun)) __attribute__((num_compute_units(2)))
__kernel void stage()
{
    struct pair p = read_channel_intel(c[get_compute_id(0)]);
    bool valid;
    float v = read_channel_nb_intel(d, &valid);
    if (valid) write_channel_intel(d, __fpga_reg(v + p.b.x));
    bool taken = write_channel_nb_altera(d, v);
    write_channel_intel(c[0], __fpga_reg((struct pair){1, (float2)(v, v)}));
    mem_fence(CLK_CHANNEL_MEM_FENCE);
}
__attribute__((reqd_work_group_size(64, 1, 1)))
__kernel void k(__global const float *restrict x __attribute__((buffer_location("DDR"))), __global float *restrict y,
                __constant float *t, __global volatile int *n, read_only pipe int from, write_only pipe int to)
{
    __local float l[64];
    int __attribute__((register)) i = get_global_id(0);
    [[intel::ivdep]]
    for (int j = 0; j < 4; j++) { i += j; }
    l[get_local_id(0)] = __burst_coalesced_load(x + i) + __pipelined_load(x) + __burst_coalesced_cached_load(x, 64);
    barrier(CLK_LOCAL_MEM_FENCE);
    __pipelined_store(y + i, l[0] * t[1] + M_PI_F);
    float4 v = vload4(i, x); vstore4(v.wzyx * 2.0f, i, y);
    uchar4 u = convert_uchar4_sat_rte(v); half h = vload_half(0, (const __global half *)x);
    int packet; if (read_pipe(from, &packet) == 0) write_pipe(to, &packet);
    y[i] = as_float(atomic_add(n, 1)) + fract(x[i], y) + max(i, 3) + dot(v, v) + INFINITY + (double)h + u.s0;
    event_t e = async_work_group_copy(l, x, 64, 0); wait_group_events(1, &e); printf("%d", packet);
}
"""


@pytest.fixture
def clang() -> Iterator[Clang]:
    """A process that runs libclang."""
    own = Clang()
    assert own.present, 'libclang is missing: pip install "burstline[clang]"'
    yield own
    own.close()


def assessed(process: Clang, text: str, path: str = "kernel.cl", **settings: object) -> Assessment:
    """A text with libclang asked."""
    return Assessor().assess(text, path, [Layer("file", settings)], partial(second_opinion, process))


def faults(assessment: Assessment) -> list[tuple[int, str]]:
    """Lines and messages."""
    return [(assessment.source.lines.line_of(f.span.start) + 1, f.message) for f in assessment.faults]


@pytest.mark.parametrize(("line", "code", "message"), ADDED, ids=[a[0] for a in ADDED])
def test_what_only_libclang_sees_is_reported_at_its_line_and_takes_its_kernels_figures_away(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], line: str, code: str, message: str
) -> None:
    file = tmp_path / "k.cl"
    file.write_text(KERNEL.format(line))
    status = main(["check", "--format", "github", str(file)])
    printed = capsys.readouterr().out
    (error,) = [row for row in printed.splitlines() if row.startswith("::error")]
    assert status == 1
    assert "line=8" in error
    assert code in error
    assert message in error
    assert "(libclang)" in error
    main(["check", str(file)])
    printed = capsys.readouterr().out
    assert "other" in printed
    assert f"k: no figures, it does not compile: {message}" in printed


def test_no_edit_is_offered_for_a_kernel_that_it_refuses(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "k.cl"
    file.write_text(KERNEL.format("goto there;"))
    main(["fix", "--all", "--unsafe", "--host", "--global-size", "65536", str(file)])
    printed = capsys.readouterr().out
    assert "num_simd_work_items(16)" in printed  # of the other kernel
    assert "num_simd_work_items(4)" not in printed


def test_a_fault_that_both_see_is_reported_once_and_as_ours(clang: Clang) -> None:
    text = KERNEL.format("float s = x;\n    y[j] = 0;\n    y[i].q = 1;\n    x[i] = 1.0f;")
    both, ours = assessed(clang, text), Assessor().assess(text, "kernel.cl", [])
    assert faults(ours)
    assert faults(both) == faults(ours)


def test_what_follows_from_an_unknown_type_is_not_reported_apart(clang: Clang) -> None:
    text = KERNEL.format("fixed s = x[i]; fixed max = s;\n    if (s < n) i = max;\n    x[i] = max < n;")
    both, ours = assessed(clang, text), Assessor().assess(text, "kernel.cl", [])
    assert (8, "unknown type name 'fixed'") in faults(ours)
    assert faults(both) == faults(ours)


def test_the_first_token_that_is_wrong_is_named_where_brackets_alone_say_less(clang: Clang) -> None:
    text = KERNEL.format("if (n) { y[i] = ;\n\n\n")
    assert faults(assessed(clang, text)) == [
        (8, "expected expression (libclang)"),
        (13, "expected '}' to match the '{' 5 lines above"),
    ]


def test_what_follows_a_missing_brace_is_not_blamed(clang: Clang) -> None:
    text = KERNEL.replace("}}\n__kernel void k", "\n__kernel void k").format("goto there;")
    assert len(faults(assessed(clang, text))) == 1


def test_the_dialect_is_understood(clang: Clang) -> None:
    assert clang.errors(b"float f() { return g; }")
    assert faults(assessed(clang, TAKEN)) == []
    broken = TAKEN.replace("int packet;", "int packet; goto there;")
    assert faults(assessed(clang, broken)) == [(31, "use of undeclared label 'there' (libclang)")]


def test_the_examples_are_not_doubted(clang: Clang) -> None:
    for path in sorted(EXAMPLES.rglob("*.cl")):
        ours = Assessor().assess(path.read_bytes(), str(path), [])
        assert faults(assessed(clang, path.read_text("utf-8"), str(path))) == faults(ours), path


def test_a_macro_and_a_header_are_named_at_their_use(clang: Clang, tmp_path: Path) -> None:
    (tmp_path / "h.h").write_text("inline void stop() {\n    goto there;\n}\n")
    assessor = Assessor(workspace=[tmp_path])
    text = '#include "h.h"\n#define LEAVE goto there\n' + KERNEL.format("LEAVE;")
    found = assessor.assess(text, str(tmp_path / "k.cl"), [], partial(second_opinion, clang))
    assert faults(found) == [
        (1, "in h.h, line 2: use of undeclared label 'there' (libclang)"),
        (10, "use of undeclared label 'there' (libclang) (in the expansion of the macro LEAVE)"),
    ]
    assert [k.facts.name for k in found.kernels] == ["other"]


@pytest.mark.parametrize(
    "text",
    [
        '#include "missing.h"\n' + KERNEL.format("goto there;"),
        KERNEL.format("int a[SIZE]; goto there;"),
        KERNEL.format("ONCE(i) goto there;"),
        "{% for a in b %}" + KERNEL.format("goto there;"),
    ],
    ids=["header", "number of the build", "macro of the build", "template"],
)
def test_it_is_not_asked_where_the_text_is_not_all_that_is_built(clang: Clang, text: str) -> None:
    assert not any("libclang" in message for _, message in faults(assessed(clang, text)))


def test_a_definition_of_the_build_makes_it_judge(clang: Clang) -> None:
    text = KERNEL.format("int a[SIZE]; goto there;")
    assert faults(assessed(clang, text, defines={"SIZE": 4})) == [(8, "use of undeclared label 'there' (libclang)")]
    assert faults(assessed(clang, text, defines={"SIZE": 4}, clang="off")) == []


@pytest.mark.parametrize("sign", ["#", "%:", "??="])
def test_it_opens_no_file_that_a_text_names(clang: Clang, tmp_path: Path, sign: str) -> None:
    (tmp_path / "secret").write_text("int secret = secret_word;\n")
    text = f'#define HASH {sign}\nHASH include "{tmp_path}/secret"\n{sign}include "{tmp_path}/secret"\n'
    assert not any("secret_word" in message for _, message in faults(assessed(clang, text + KERNEL.format(""))))


def test_without_libclang_everything_else_is_as_before(tmp_path: Path) -> None:
    file = tmp_path / "k.cl"
    file.write_text(KERNEL.format("goto there;"))
    command = [sys.executable, "-m", "burstline_server.cli.main", "check", str(file)]
    environment = {**os.environ, "LIBCLANG_PATH": str(tmp_path)}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=True)
    assert "k" in done.stdout
    assert done.stderr == ""


def test_an_answer_that_takes_too_long_is_not_waited_for(
    clang: Clang, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(running, "PATIENCE_S", 0.0)
    assert faults(assessed(clang, KERNEL.format("goto there;"))) == []
    assert "libclang gave no answer: it took longer than 0 s" in caplog.text
    monkeypatch.undo()
    assert len(faults(assessed(clang, KERNEL.format("goto there;")))) == 1


def test_whoever_waits_for_an_answer_does_not_hold_up_the_end(clang: Clang) -> None:
    clang.errors(b"")  # the process runs
    huge = b"void f() {" + b"int a = 1 + 2;{" * 30_000 + b"}" * 30_000 + b"}"
    waiting = Thread(target=clang.errors, args=(huge,))
    waiting.start()
    time.sleep(0.05)
    clang.close()
    waiting.join(running.PATIENCE_S / 2)
    assert not waiting.is_alive()
    assert clang.errors(b"") is None
