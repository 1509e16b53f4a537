"""Arguments fixed in the kernel: the text, what is refused and why, and that it computes the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from burstline_server.assessment.assessor import Assessment, Assessor
from burstline_server.interpreter.verdicts import Equal
from burstline_server.rewrites.catalogue import fixes_of, offers_of, refusals_of
from burstline_server.rewrites.rewrite import Offer
from burstline_server.words.edits import fix_title, title_text
from burstline_server.words.obstacles import obstacle_text
from tests.rewrites.equality import Data, tried

SAID = "// burstline: n=16 m=256\n"
HEAD = "__kernel void k(__global const float *restrict a, __global float *restrict b, const int n, int m)\n"
ROWS = (
    HEAD
    + """{
    for (int i = 0; i < m; i++) {
        float s = 0;
        for (int j = 0; j < n; j++)
            s += a[i * n + j];
        b[i] = s;
    }
}
"""
)
HOST = """#include <CL/cl.h>
#define COLUMNS 8
int main(int argc, char **argv) {
    cl_kernel rows = clCreateKernel(program, "k", &status);
    int columns = 2 * COLUMNS, lines = atoi(argv[1]);
    clSetKernelArg(rows, 0, sizeof(cl_mem), &a);
    clSetKernelArg(rows, 1, sizeof(cl_mem), &b);
    clSetKernelArg(rows, 2, sizeof(cl_int), &columns);
    clSetKernelArg(rows, 3, sizeof(cl_int), &lines);
    clEnqueueTask(queue, rows, 0, NULL, NULL);
}
"""


def assessed(text: str, path: str | Path = "k.cl", workspace: tuple[Path, ...] = ()) -> Assessment:
    """A text as it is assessed in a workspace."""
    assessor = Assessor()
    assessor.workspace = workspace
    return assessor.assess(text, str(path), [])


def of_kind(assessment: Assessment) -> list[Offer]:
    """The edits of this kind."""
    return [one for one in offers_of(assessment) if one.title.kind.startswith("fixed")]


def after(text: str) -> str:
    """The text after the only edit of this kind."""
    (offer,) = of_kind(assessed(text))
    assert offer.kind == "host"
    return offer.applied(text.encode()).decode()


def reasons(assessment: Assessment) -> list[str]:
    """Why edits of this kind are not offered."""
    found = [one for one in refusals_of(assessment) if one.title.kind.startswith("fixed")]
    return [obstacle_text(one.reason) for one in found]


def test_uses_become_a_constant_and_the_loop_is_unrolled() -> None:
    expected = ROWS.replace("{\n", "{\n    const int fixed_n = 16;\n", 1).replace("< n;", "< fixed_n;")
    expected = expected.replace("i * n", "i * fixed_n").replace("        for", "        #pragma unroll\n        for")
    assert after(SAID + ROWS) == SAID + expected
    windows = (SAID + ROWS).replace("\n", "\r\n")
    assert after(windows) == (SAID + expected).replace("\n", "\r\n")
    assert of_kind(assessed(SAID + expected)) == []


def test_the_compiler_unrolls_short_loops_by_itself() -> None:
    text = SAID.replace("16", "4") + ROWS
    assert "#pragma" not in after(text)
    (offer,) = of_kind(assessed(text))
    assert title_text(offer.title) == (
        "Fix n = 4 in the kernel: the loop over j is built whole (4 iterations) "
        "(the host must pass exactly n = 4 at every launch)"
    )


def test_macros_keep_the_argument_and_other_names_stay() -> None:
    text = SAID + "#define AT(r, c) a[(r) * n + (c)]\n#define LAST n\n" + ROWS.replace("a[i * n + j]", "AT(i, j)")
    text = text.replace("float s = 0;", "float s = LAST; struct { int n; } one; one.n = n;").replace(
        "{\n", "{ // all\n", 1
    )
    edited = after(text)
    assert "float s = LAST; struct { int n; } one; one.n = fixed_n;" in edited
    assert "s += AT(i, j);" in edited
    assert "{ // all\n    const int fixed_n = 16;\n" in edited
    assert "const int n, int m)" in edited


def test_a_nest_is_built_whole() -> None:
    text = (
        HEAD
        + """{
  for (int i = 0; i < m; i++) { float s = 0;
    for (int y = -n; y <= n; y++)
      for (int x = 0; x < n + 1; x++)
        s += a[i * 8 + y * 3 + x + 9];
    b[i] = s; }
}
"""
    )
    said = "// burstline: n=3 m=256\n"
    (offer,) = of_kind(assessed(said + text))
    assert offer.title.names[1:] == ("y", 7)
    assert "for (int y = -fixed_n; y <= fixed_n; y++)\n      for (int x = 0; x < fixed_n + 1; x++)\n" in after(
        said + text
    )
    # Sixteen iterations are more than the compiler unrolls unasked.
    larger = "// burstline: n=15 m=256\n" + text.replace("y = -n", "y = 12")
    (nest, inner) = (one.applied(larger.encode()).decode() for one in of_kind(assessed(larger)))
    assert nest.count("    #pragma unroll\n") == 2
    assert "    #pragma unroll\n    for (int y" in nest
    assert inner.count("    #pragma unroll\n") == 1
    assert of_kind(assessed(larger.replace("n=15", "n=75"))) == []


@pytest.mark.parametrize("text", [SAID + ROWS, SAID.replace("16", "4") + ROWS])
def test_it_pays_and_is_executed_with_that_value(text: str) -> None:
    assessor = Assessor()
    fixes = fixes_of(assessor, assessor.assess(text, "k.cl", []), [])
    (fix,) = [one for one in fixes if one.offer.title.kind.startswith("fixed")]
    assert isinstance(fix.execution, Equal)
    assert fix.speedup is not None
    assert fix.speedup > 1.5
    assert "not executed" not in fix_title(fix)


def test_the_value_of_the_host_program_and_its_line(tmp_path: Path) -> None:
    (tmp_path / "device").mkdir()
    kernels = tmp_path / "device" / "k.cl"
    kernels.write_text(ROWS)
    (tmp_path / "main.c").write_text(HOST)
    text = "// burstline: m=256\n" + ROWS
    (offer,) = of_kind(assessed(text, kernels, (tmp_path,)))
    assert title_text(offer.title).endswith(
        "(the host must pass exactly n = 16 at every launch, as main.c does already in line 8)"
    )
    assert "every launch passes exactly 16 as n, as in line 8 of main.c" in offer.host
    assert "clSetKernelArg(k, 2, sizeof n, &n);" in offer.host
    # It has a time though nobody gives n: before and after are at the host's value.
    assessor = Assessor()
    assessor.workspace = (tmp_path,)
    found = assessor.assess(text, str(kernels), [])
    (fix,) = fixes_of(assessor, found, [], chosen=lambda one: one.title.kind == "fixed_unroll_found")
    assert fix.gain is not None
    assert fix.gain.speedup > 1.5
    assert isinstance(fix.execution, Equal)


@pytest.mark.parametrize(
    ("was", "now", "reason"),
    [
        (
            "lines = atoi(argv[1]);",
            "lines = atoi(argv[1]); if (argc > 2) columns = 32;",
            "does not pass one constant as n",
        ),
        ("int columns = 2 * COLUMNS", "int columns = atoi(argv[2])", "does not pass one constant as n"),
        ("clEnqueueTask", "columns = 8; clSetKernelArg(rows, 2, 4, &columns); clEnqueueTask", "does not pass one"),
        ("#define COLUMNS 8", "#ifndef COLUMNS\n#define COLUMNS 8\n#endif", "does not pass one constant as n"),
        ("#define COLUMNS 8", "#define COLUMNS 16", "main.c passes 32 as n in line 8"),
        ("    clSetKernelArg(rows, 3, sizeof(cl_int), &lines);\n", "", "does not pass one constant as n"),
    ],
)
def test_refused_where_the_host_may_pass_another_value(tmp_path: Path, was: str, now: str, reason: str) -> None:
    (tmp_path / "k.cl").write_text(ROWS)
    assert was in HOST
    (tmp_path / "main.c").write_text(HOST.replace(was, now))
    found = assessed(SAID + ROWS, tmp_path / "k.cl", (tmp_path,))
    assert of_kind(found) == []
    assert [one for one in reasons(found) if reason in one], reasons(found)


def test_every_host_program_of_the_folder_has_to_agree(tmp_path: Path) -> None:
    (tmp_path / "k.cl").write_text(ROWS)
    (tmp_path / "main.c").write_text(HOST)
    (tmp_path / "other.c").write_text(HOST)
    assert len(of_kind(assessed(SAID + ROWS, tmp_path / "k.cl", (tmp_path,)))) == 1
    (tmp_path / "other.c").write_text(HOST.replace("COLUMNS 8", "COLUMNS 4"))
    found = assessed(SAID + ROWS, tmp_path / "k.cl", (tmp_path,))
    assert of_kind(found) == []
    assert len(reasons(found)) == 1


@pytest.mark.parametrize(
    ("was", "now", "reason"),
    [
        ("    }\n}", "    }\n    n = 3;\n    b[0] = n;\n}", "the kernel gives n another value"),
        ("    }\n}", "    }\n    b[0] = n++;\n}", "the kernel gives n another value"),
        ("    }\n}", "    }\n    int *p = &n;\n    b[0] = *p;\n}", "or its address away"),
        ("b[i] = s;", "{ int n = 3; b[i] = s + n; }", "the kernel declares n again"),
        ("b[i] = s;", "enum { n = 4 }; b[i] = s + n;", "the kernel declares n again"),
        ("        for (int j", "        #pragma unroll 1\n        for (int j", "a pragma already decides"),
        ("            s +=", "            if (a[j] > 3) break; else s +=", "it may end before its trips are over"),
        ("const int n", "const uchar n", "1600 is no uchar"),
    ],
)
def test_refused_with_the_reason(was: str, now: str, reason: str) -> None:
    assert was in ROWS
    text = SAID + ROWS.replace("const int n", "int n" if "const" not in was else "const int n").replace(was, now)
    if "uchar" in now:
        text = text.replace("n=16", "n=1600").replace("j < n;", "j < n - 1590;")
    found = assessed(text)
    assert of_kind(found) == []
    assert [one for one in reasons(found) if reason in one], reasons(found)


def test_nothing_suggests_itself() -> None:
    for text in (
        ROWS,
        SAID.replace("16", "65") + ROWS,
        SAID.replace("16", "1") + ROWS,
        SAID.replace("16", "-3") + ROWS,
    ):
        assert of_kind(assessed(text)) == []
        assert reasons(assessed(text)) == []
    # Another kernel calls it, with what it likes.
    caller = "__kernel void other(__global const float *a, __global float *b, int q)\n{\n    k(a, b, q, q);\n}\n"
    assert of_kind(assessed(SAID + ROWS + caller)) == []


def test_a_pragma_that_asks_for_all_iterations_becomes_possible() -> None:
    text = SAID + ROWS.replace("        for (int j", "        #pragma unroll\n        for (int j")
    assert after(text).count("#pragma unroll") == 1
    assert "j < fixed_n" in after(text)


@pytest.mark.parametrize(
    "text",
    [
        SAID + ROWS,
        SAID + ROWS.replace("int n", "ushort n").replace("a[i * n + j]", "a[i * n + j] * (n - 20)"),
        SAID + ROWS.replace("j < n", "j < n / 2 + n % 3 && j < n").replace("a[i * n + j]", "max(n, 3)"),
        SAID + "#define ALL n\n" + ROWS.replace("b[i] = s;", "b[i] = s + ALL;"),
    ],
)
def test_it_computes_the_same_on_a_real_runtime(text: str) -> None:
    np = pytest.importorskip("numpy")
    arrays = {name: np.random.default_rng(3).normal(size=16 * 24).astype(np.float32) for name in "ab"}
    kind = np.uint16 if "ushort" in text else np.int32
    data = [Data(arrays, {"n": kind(16), "m": np.int32(m)}, group=(1,)) for m in (0, 1, 24)]
    found = [one for one in tried(text, data) if one.offer.title.kind.startswith("fixed")]
    assert [(one.unequal, one.why) for one in found] == [(None, "")] * len(found)
    assert len(found) == ("&&" not in text)


def test_a_loop_without_a_variable_is_named_all_the_same() -> None:
    counted = "int left = n; while (left >= 1) {\n            s += a[i * n + left - 1];\n            left--;\n        }"
    text = SAID + ROWS.replace("for (int j = 0; j < n; j++)\n            s += a[i * n + j];", counted)
    titles = [title_text(one.title) for one in of_kind(assessed(text))]
    assert titles
    assert all("unroll the loop whole" in title for title in titles)
