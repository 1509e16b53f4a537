"""What the compiler would refuse is reported at its place, and what it touches has no figures."""

import json
from pathlib import Path

import pytest

from burstline_server.assessment.assessor import Assessor
from burstline_server.cli.main import main
from burstline_server.diagnostics.catalogue import findings_of
from burstline_server.words.findings import message_text
from tests.assessing import assess

GOOD = """
__kernel void other(__global const float *restrict a, __global float *restrict b)
{
    int i = get_global_id(0);
    b[i] = a[i];
}
"""
KERNEL = """__kernel void k(__global const float *restrict x, __global float *restrict y, const int n)
{{
    int i = get_global_id(0);
    {0}
    y[i] = x[i];
}}
"""
TAKEN = [
    "int w[2]; int d = &w[1] - w; y[d] = *(w + 1);",
    "const float w[2][2] = {\n{1, 2},\n{3, 4}\n}; y[i] = w[0][0];",
    "const float w[2][2] =\n    {\n    {1, 2},\n    {3, 4}\n    }; y[i] = w[0][0];",
    "const float w[1][2][2] =\n    {\n    {\n    {1, 2},\n    {3, 4}\n    }\n    }; y[i] = w[0][0][0];",
    "y[i] = 1; /**/ y[i] = 2; /***/",
    "y[i] = 1; /**/",
    "\u00a0y[i]\u00a0= 1;\u3000",
    "static n2 = 4; y[n2] = 0;",
    "const m = 8; y[m] = 0;",
    "static const q = 2; y[q] = 0;",
    "register r = 1; y[r] = 0;",
    "int const s = 1; float static t = 2; y[s] = t;",
]
REFUSED = [
    ("y[0] = ;", 4, "BL001", "expected an expression before ';'"),
    ("float s = x[i]", 4, "BL001", "expected ';' after ']'"),
    ("barrier(CLK_LOCAL_MEM_FENCE)", 4, "BL001", "expected ';' after ')'"),
    ("float s = sqrt(x[i];", 4, "BL001", "expected ')'"),
    ('printf(\\"%d\\n\\", i);', 4, "BL001", "unexpected '\\'"),
    ("y[i] = x[@i];", 4, "BL001", "unexpected '@'"),
    ("if (i < n {y[i] = 0; }", 4, "BL001", "expected ')'"),
    ("for (int j = 0; j < n; j++ {y[j] = 0; }", 4, "BL001", "expected ')'"),
    ("y[i = 0;", 4, "BL001", "expected ']'"),
    ("y[i]] = 0;", 4, "BL001", "unexpected ']'"),
    ("y[j] = 0;", 4, "BL002", "use of undeclared identifier 'j'"),
    ("for (int j = 0; j < 4; j++) y[j] = 0; y[j] = 1;", 4, "BL002", "use of undeclared identifier 'j'"),
    ("y[i] = get_globl_id(0);", 4, "BL002", "call of undeclared function 'get_globl_id'"),
    ("flaot s = x[i];", 4, "BL002", "unknown type name 'flaot'; did you mean 'float'?"),
    ("unsigned itn s = 1;", 4, "BL002", "unknown type name 'itn'"),
    ("real_t s = x[i];", 4, "BL002", "unknown type name 'real_t'"),
    ("y[i] = x[i].real;", 4, "BL003", "no member 'real' in 'float'"),
    ("y[i] = fma(x[i], 2.0f);", 4, "BL003", "'fma' takes 3 arguments, 2 given"),
    ("y[mad24()] = mul24(i);", 4, "BL003", "'mad24' takes 3 arguments, 0 given"),
    ("y[i] = get_global_id();", 4, "BL003", "'get_global_id' takes 1 argument, 0 given"),
    ("x[i] = 1.0f;", 4, "BL003", "cannot assign to 'x'"),
    ("n = 3;", 4, "BL003", "cannot assign to 'n'"),
    ("y[x[i]] = 1.0f;", 4, "BL003", "array subscript of type 'float' is not an integer"),
    ("y[i] = i[n];", 4, "BL003", "subscripted value of type 'int' is no array or pointer"),
    ("y[i] = x[i] % 2;", 4, "BL003", "'%' does not take a 'float' and a 'int'"),
    ("float4 v = (float4)(0); y[i] = v.s7;", 4, "BL003", "'float4' has no element 's7'"),
    ("int w[2]; y[i] = w * 3;", 4, "BL003", "'*' does not take a 'int[]' and a 'int'"),
    ("y[i] += x;", 4, "BL003", "'+=' does not take a 'float' and a 'float *'"),
    ("y[i] = x + y;", 4, "BL003", "'+' does not take a"),
    ("struct { int a; float a; } s; y[i] = s.a;", 4, "BL003", "redefinition of 'a'"),
    ("const float w[2][2] = {{1, 2}, {3, 4}; y[i] = w[0][0];", 4, "BL001", "expected '}'"),
    ("int i = 3;", 4, "BL003", "redefinition of 'i'"),
    ("int one(int a) { return a; } y[i] = one(i);", 4, "BL003", "function definition is not allowed here"),
    ("break;", 4, "BL003", "'break' is in no loop"),
    ("while (y[i] < 1) { y[i]++; } if (n) break;", 4, "BL003", "'break' is in no loop"),
    ("switch (n) { case 1: continue; }", 4, "BL003", "'continue' is in no loop"),
    ("return 3;", 4, "BL003", "must not return a value"),
    ("#error not this way", 4, "BL003", "#error not this way"),
    ("#if n", 4, "BL003", "#if without #endif"),
]


@pytest.mark.parametrize("line", TAKEN)
def test_a_declaration_without_a_type_is_one_of_int(line: str) -> None:
    done = assess("static add(int a) { return a + 1; }\n" + KERNEL.format(line))
    assert not [f for f in findings_of(done) if f.code < "BL1"]
    assert [k.facts.name for k in done.kernels] == ["k"]
    assert {a.element_bytes for a in done.kernels[0].facts.accesses if a.space == "global"} == {4}


def test_a_parameter_without_a_type_is_one_of_int() -> None:
    text = """
__kernel void k(__global const int *restrict x, __global int *restrict y, const n)
{
    for (int i = 0; i < n; i++) y[i] = x[i] + n;
}
"""
    done = assess(text)
    assert not [f for f in findings_of(done) if f.code < "BL1"]
    (kernel,) = done.kernels
    assert [(one.name, one.type) for one in kernel.facts.arguments][2:] == [("n", "int")]


def test_lanes_divide_the_work_group() -> None:
    head = "__attribute__((reqd_work_group_size({}, 1, 1)))\n__attribute__((num_simd_work_items(16)))\n"
    body = KERNEL.format("")
    assert [k.facts.name for k in assess(head.format(64) + body + GOOD).kernels] == ["k", "other"]
    done = assess(head.format(60) + body + GOOD)
    assert [k.facts.name for k in done.kernels] == ["other"]
    found = [f for f in findings_of(done) if f.code == "BL003"]
    assert [(f.code, done.source.lines.line_of(f.span.start) + 1) for f in found] == [("BL003", 2)]


def test_what_uses_a_type_that_the_build_gives_has_no_figures() -> None:
    item = "typedef struct { REAL a; int b; } item;\n__kernel void u(__global item *x) { x[0].b = 1; }\n"
    assert [k.facts.name for k in assess(item + GOOD).kernels] == ["other"]


@pytest.mark.parametrize(("line", "at", "code", "message"), REFUSED, ids=[r[0] for r in REFUSED])
def test_a_fault_is_reported_at_its_place_and_its_kernel_has_no_figures(
    line: str, at: int, code: str, message: str
) -> None:
    done = assess(KERNEL.format("\n    ".join([line])) + (GOOD if not line.startswith("#") else ""))
    reported = [
        (done.source.lines.line_of(f.span.start) + 1, f.code, message_text(f))
        for f in findings_of(done)
        if f.code < "BL1"
    ]
    assert any(where == at and what == code and message in text for where, what, text in reported), reported
    assert [w.name for w in done.withheld] == ["k"]
    assert [k.facts.name for k in done.kernels] == ([] if line.startswith("#") else ["other"])


@pytest.mark.parametrize(
    ("text", "code", "message"),
    [
        ("__kernel int k(__global int *x) { x[0] = 1; return 1; }", "BL003", "a kernel must return void, not 'int'"),
        (
            "__attribute__((reqd_work_group_size(64, 0, 1))) __kernel void k(__global int *x) { x[0] = 1; }",
            "BL003",
            "reqd_work_group_size: each dimension must be greater than 0",
        ),
        ("__kernel k(__global int *x) { x[0] = 1; }", "BL001", "a kernel must return void: 'k' has no type"),
        (
            "int f(int n) { return n ? f(n - 1) : 0; }\n__kernel void k(__global int *x) { x[0] = f(3); }",
            "BL003",
            "recursion is not allowed: 'f' calls itself",
        ),
        (
            "__constant int t[2] = {1, 2};\n__kernel void k(__global int *x) { t[0] = x[0]; }",
            "BL003",
            "cannot assign to 't'",
        ),
        (
            "float f(float a, float b) { return a + b; }\n__kernel void k(__global float *x) { x[0] = f(1.0f); }",
            "BL003",
            "'f' takes 2 arguments, 1 given",
        ),
        (
            "#define F(a, b) ((a) + (b))\n__kernel void k(__global float *x) { x[0] = F(1.0f); }",
            "BL002",
            "'F' takes 2 arguments, 1 given",
        ),
        (
            "typedef struct { float re, im; } c_t;\n__kernel void k(__global c_t *x) { x[0].real = 1; }",
            "BL002",
            "no member named 'real'",
        ),
        (
            "__kernel void k(__global int *x) {\n#pragma unroll UNR\nfor (int i = 0; i < 8; i++) x[i] = i; }",
            "BL002",
            "UNR is not defined here",
        ),
        (
            "__kernel void k(__global int *x) {\n#pragma unroll\nfor (int i = 0; i < WIDE; i++) x[i] = i; }",
            "BL002",
            "WIDE is not defined here, and must be a number in the build",
        ),
        (
            "__kernel void k(__global int *x) {\n#pragma unroll\nfor (int i = 2 * WIDE + 2; i > 0; --i) x[i] = i; }",
            "BL002",
            "WIDE is not defined here, and must be a number in the build",
        ),
        ("__kernel void k(__global DT *x) { x[0] = 1; }", "BL002", "DT is not defined here: give it with -D DT="),
        (
            "#ifdef WIDE\n__kernel void w(__global DT *x) {}\n#endif\n__kernel void k(__global DT *x) { x[0] = 1; }",
            "BL002",
            "DT is not defined here: give it with -D DT=",
        ),
        (
            "#ifdef WIDE\ntypedef float DT;\n#endif\n__kernel void k(__global DT *x) { x[0] = 1; }",
            "BL002",
            "'DT' is declared on line 2, in a branch that is not compiled: give -D WIDE",
        ),
        (
            "#if 0\n#elif defined(REAL)\ntypedef float DT;\n#endif\n__kernel void k(__global DT *x) { x[0] = 1; }",
            "BL002",
            "'DT' is declared on line 3, in a branch that is not compiled: give -D REAL",
        ),
        (
            "#if WIDE > 2\ntypedef float DT;\n#endif\n__kernel void k(__global DT *x) { x[0] = 1; }",
            "BL002",
            "'DT' is declared on line 2, in a branch that is not compiled: check its -D",
        ),
        (
            '#include "types.h"\n__kernel void k(__global real_t *x) { x[get_global_id(0)] = 1; }',
            "BL002",
            '"types.h" not found, and nothing else declares real_t',
        ),
        (
            '#include "types.h"\nSTENCIL(rows, WIDTH, 7, uchar, float, a[0], b[0], c, 6)\n'
            "constant short t[2] = {1, 2};\n__kernel void k(__global short *x) { x[get_global_id(0)] = t[1]; }",
            "BL002",
            '"types.h" not found, and nothing else declares STENCIL',
        ),
        (
            '#include "types.h"\n__kernel void k(__global flt *x) { x[get_global_id(0)] = 1; }',
            "BL002",
            "unknown type name 'flt'; did you mean 'float'? Or a header that is not found declares it",
        ),
        (
            '#include "types.h"\n__kernel void k(__global int *x) { x[get_global_id(0)] = n_items; }',
            "BL002",
            "use of undeclared identifier 'n_items'; or a header that is not found declares it",
        ),
        (
            '#include "log.h"\n__kernel void k(__global int *x) {\nMARK(k)\nfor (int i = 0; i < 8; i++) x[i] = i; }',
            "BL002",
            '"log.h" not found, and nothing else declares MARK',
        ),
        ("__kernel void k(__global int *x) {\n    x[0] = 1;\n", "BL001", "expected '}'"),
        ("__kernel void k(__global int *x) { x[0] = 1; /* to do }\n", "BL001", "this comment does not end with '*/'"),
        (
            '#include "ihc_apint.h"\n__kernel void k(__global uint5_t *x) { vidq y; }',
            "BL002",
            "unknown type name 'vidq'",
        ),
        (
            "__kernel void k(__global int *x) {\n    // {\n    if (x[0] == '}') {\n    x[0] = 1;\n}\n",
            "BL001",
            "expected '}'",
        ),
        ("__kernel void k(__global int *x) {\n    x[0] = 1;\n}\n}\n", "BL001", "unexpected '}'"),
    ],
)
def test_a_fault_of_a_whole_kernel_withholds_its_figures(text: str, code: str, message: str) -> None:
    done = assess(text)
    assert any(f.code == code and message in message_text(f) for f in findings_of(done)), [
        message_text(f) for f in findings_of(done)
    ]
    assert list(done.kernels) == []
    assert [w.name for w in done.withheld] == ["k"]


@pytest.mark.parametrize(
    ("before", "kernel", "message"),
    [
        (
            "constant int t[2] = {1, nope};",
            "void k(global int *x) { x[0] = t[1]; }",
            "use of undeclared identifier 'nope'",
        ),
        ("typedef foo bar;", "void k(global bar *x) { x[0] = 1; }", "unknown type name 'foo'"),
        ("struct s { foo v; };\ntypedef struct s t;", "void k(global t *x) { x[0].v = 1; }", "unknown type name 'foo'"),
        (
            "struct s { int v; struct s next; };",
            "void k(global struct s *x) { x[0].v = 1; }",
            "field has incomplete type",
        ),
        (
            "struct a { struct b x[2]; };\nstruct b { int v; };",
            "void k(global struct a *x) { x[0].x[0].v = 1; }",
            "field has incomplete type 'b'",
        ),
    ],
)
def test_a_fault_at_file_scope_touches_the_kernels_that_use_what_it_declares(
    before: str, kernel: str, message: str
) -> None:
    done = assess(f"{before}\nkernel {kernel}\n{GOOD}")
    assert [k.facts.name for k in done.kernels] == ["other"]
    ((name, (fault,)),) = [(w.name, w.faults) for w in done.withheld]
    assert name == "k"
    assert message in fault.message


@pytest.mark.parametrize("declared", ["const int N = n;", "const unsigned N = (1 << n);", "unsigned long N = 2 * (n);"])
@pytest.mark.parametrize("value", ["8", "256"])
def test_a_name_that_is_a_macro_is_refused_at_that_name(declared: str, value: str) -> None:
    (fault,) = findings_of(assess(f"#define N {value}\n" + KERNEL.format(declared)))
    assert (fault.code, message_text(fault)) == ("BL001", f"unexpected '{value}' (in the expansion of the macro N)")
    assert (fault.span.end - fault.span.start) == 1


@pytest.mark.parametrize("bound", ["n", "c.N", "min(n, 8)", "(1 << 3)", "EIGHT"])
def test_the_trips_of_a_fully_unrolled_loop_may_be_any_known_name(bound: str) -> None:
    done = assess(
        "typedef struct { int N; } conf;\nenum { EIGHT = 8 };\n__kernel void k(__global int *x, int n, conf c) {\n"
        f"#pragma unroll\nfor (int i = 0; i < {bound}; i++) x[i] = i; }}"
    )
    assert [message_text(f) for f in findings_of(done) if f.code == "BL002"] == []
    assert len(done.kernels) == 1


@pytest.mark.parametrize(
    "body",
    [
        "float4 v = (float4)(x[i], 0.0f, 0.0f, 0.0f); v.xy = v.zw; y[i] = v.s0 + v.lo.x;",
        "const __global float *p = x; p++; y[i] = *p;",
        "__local float t[WIDTH]; t[i % WIDTH] = x[i]; y[i] = t[0];",
        "y[i] = TWICE(x[i]) + (i == 0 ? 1.0f : 2.0f);",
        "switch (i) { case 0: y[i] = 1; break; default: y[i] = 2; }",
        "struct pair { int a, b; } p = { .a = 1, .b = 2 }; y[i] = p.a + p.b;",
        "typedef int small; small s = (small)x[i]; y[i] = s;",
        "struct link { struct link *next; struct { int v; } in; union { int d; float e; } u; } p; y[i] = p.in.v;",
        "union { __constant float *w; __constant uchar *c; } t; t.w = 0; t.c++; y[i] = i ? x[i] : *t.w;",
        "y[i] = as_float(as_int(x[i]) ^ 1) + convert_float_rtz(i);",
        "int *q, a[4] = {0}; q = a; q[1] = i & 3; y[i] = q[1] + a[i & 3];",
        "goto done; done: y[i] = 0;",
        "for (int j = 0; j < n; j++) { if (j > 3) break; switch (j) { case 1: continue; default: break; } }",
        "do { if (n) { continue; } y[i] = 1; } while (0); switch (n) { case 2: { break; } }",
        "float s = 0; do { s += x[i]; } while (s < 3); y[i] = s;",
        "enum { A, B = 4 }; y[i] = A + B + sizeof(float4) + vload4(0, x).x;",
        'printf("%d\\n", i); mem_fence(CLK_GLOBAL_MEM_FENCE);',
        "atomic_add((volatile __global int *)y, 1); prefetch(x, 4);",
        "bool ok = true; y[i] = ok && !isnan(x[i]) ? M_PI_F : FLT_MAX;",
        "#pragma unroll 4\nfor (uint j = 0; j < 4u; ++j) y[i + j] = x[i + j];",
    ],
)
def test_what_compiles_is_not_refused(body: str) -> None:
    done = assess("#define TWICE(v) (2 * (v))\n" + KERNEL.format(body))
    assert done.faults == ()
    assert [k.facts.name for k in done.kernels] == ["k"]


def test_check_ends_with_1_and_prints_no_figure_of_a_kernel_with_a_fault(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "k.cl"
    path.write_text(KERNEL.format("y[i] = ;") + GOOD)
    assert main(["check", str(path), "--format", "json"]) == 1
    (file,) = json.loads(capsys.readouterr().out)["files"]
    assert [k["name"] for k in file["kernels"]] == ["other"]
    assert [(w["name"], w["line"]) for w in file["withheld"]] == [("k", 1)]
    assert [d["line"] for d in file["diagnostics"] if d["severity"] == "error"] == [4]
    assert main(["check", str(path)]) == 1
    text = capsys.readouterr().out
    assert "k: no figures, it does not compile" in text
    assert "ns/item" in text
    path.write_text(GOOD)
    assert main(["check", str(path)]) == 0


def test_a_definition_of_the_build_mends_what_lacks_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "k.cl"
    path.write_text("__kernel void k(__global DT *x) {\n#pragma unroll UNR\nfor (int i = 0; i < 8; i++) x[i] = i; }")
    assert main(["check", str(path)]) == 1
    capsys.readouterr()
    assert main(["check", str(path), "-D", "DT=float", "-D", "UNR=4"]) == 0
    assert "no figures" not in capsys.readouterr().out


@pytest.mark.parametrize("comment", ["/* it does not end", "/*/", "/* one */ /* two"])
def test_a_comment_that_swallows_every_kernel_is_a_fault(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], comment: str
) -> None:
    path = tmp_path / "k.cl"
    path.write_text(f"// a kernel\n{comment}\n{GOOD}")
    assert main(["check", str(path)]) == 1
    (shown,) = [line.split() for line in capsys.readouterr().out.splitlines() if " BL0" in line]
    assert shown[0] == f"2:{comment.rindex('/*') + 1}"
    assert "does not end with '*/'" in " ".join(shown)
    path.write_text(f"// a kernel\n{comment} */\n{GOOD}")
    assert main(["check", str(path)]) == 0


PART = """__kernel void part(__global const float *restrict x, __global float *restrict y)
{
    int i = get_global_id(0);
    y[i] = scaled(x[i]) * gain;
}
"""
WHOLE = """constant float gain = 2.0f;
float scaled(float v) { return 3.0f * v; }
#include "part.cl"
"""


def test_what_a_file_lacks_is_looked_for_where_another_file_includes_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    part, whole = tmp_path / "part.cl", tmp_path / "whole.cl"
    part.write_text(PART)
    assert main(["check", str(part)]) == 1
    assert "call of undeclared function 'scaled'" in capsys.readouterr().out
    whole.write_text(WHOLE)
    assert main(["check", str(part)]) == 0
    assert "no figures" not in capsys.readouterr().out
    part.write_text(PART.replace("gain", "gian"))
    assert main(["check", str(part)]) == 1
    shown = capsys.readouterr().out
    assert "use of undeclared identifier 'gian'" in shown
    assert "scaled" not in shown


def test_what_is_being_typed_counts_before_it_is_saved(tmp_path: Path) -> None:
    part = tmp_path / "part.cl"
    (tmp_path / "whole.cl").write_text(WHOLE)
    part.write_text(PART)
    assessor = Assessor(workspace=[tmp_path])
    assert assessor.assess(PART, str(part), []).faults == ()
    (fault,) = assessor.assess(PART.replace("gain", "gian"), str(part), []).faults
    assert fault.message.startswith("use of undeclared identifier 'gian'")
    (kernel,) = assessor.assess(PART.replace("y[i] =", "y[2 * i] ="), str(part), []).kernels
    assert {u.lsu.stride for u in kernel.estimate.units if u.lsu.op == "store"} == {2}


@pytest.mark.parametrize(
    "around",
    [
        "#ifndef ROWS\n#error give the rows\n#endif\n",
        "#if ROWS < 4\n#error give the rows\n#endif\n",
        "#if ROWS == 4\n#elif ROWS == 8\n#else\n#error give the rows\n#endif\n",
    ],
)
def test_an_error_that_a_definition_of_the_build_avoids_names_it(
    around: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "k.cl"
    path.write_text(around + GOOD)
    assert main(["check", str(path)]) == 1
    shown = capsys.readouterr().out
    assert "#error give the rows: ROWS is not defined here, give it with -D ROWS=…" in shown
    assert "something is missing" in shown
    assert main(["check", str(path), "-D", "ROWS=8"]) == 0


def test_an_error_that_no_definition_avoids_names_none(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "k.cl"
    path.write_text("#define ROWS 3\n#if ROWS < 4\n#error too few rows\n#endif\n" + GOOD)
    assert main(["check", str(path)]) == 1
    assert "-D" not in capsys.readouterr().out


def test_a_missing_brace_is_placed_where_its_block_ends() -> None:
    """The lines below it may be indented by any style, and begin with words that plain C does not have."""
    text = """\
int first(__global const int *a,
                   uint line) {
    return a[line];
                           //<- here
__kernel void second(__global const int *a,
                     __global int *b) {
    b[0] = first(a, 1);
}
__constant int rows[3][2] = {
    { 1, 2 },
    { 3, 4,                //<- here
    { 5, 6 },
};
__kernel void third(__global int *b) { b[1] = rows[1][1]; }
"""
    expected = [number for number, line in enumerate(text.splitlines(), 1) if "<- here" in line]
    code = "\n".join(line.partition("//<-")[0].rstrip() for line in text.split("\n"))
    found = findings_of(Assessor().assess(code, "braces.cl", [])).others
    assert [code.count("\n", 0, f.span.start) + 1 for f in found if f.code == "BL001"] == expected


def test_a_fault_behind_a_hundred_names_of_an_includer_is_reported(tmp_path: Path) -> None:
    """A part that is compiled only where another file includes it lacks what that file declares, which is no fault."""
    uses = "".join(f"    x[{n}] = (count)SIZE;\n" for n in range(120))
    part = f"__kernel void part(__global count *x)\n{{\n{uses}    y[0] = 1;\n}}\n"
    (tmp_path / "part.cl").write_text(part)
    (tmp_path / "all.cl").write_text('typedef int count;\n#define SIZE 4\n#include "part.cl"\n')
    found = Assessor(workspace=[tmp_path]).assess(part, str(tmp_path / "part.cl"), [])
    assert [f.message for f in found.faults] == ["use of undeclared identifier 'y'"]
    assert not found.kernels


def test_a_name_that_is_not_declared_is_said_once_however_often_it_is_used(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "k.cl"
    path.write_text("__kernel void k(__global int *x) { x[rows] = rows; x[cols] = rows * cols; x[1] = rows; }\n")
    assert main(["check", str(path)]) == 1
    shown = capsys.readouterr().out
    assert shown.count("use of undeclared identifier 'rows'") == 2  # the kernel's line has it as well
    assert "BL002  use of undeclared identifier 'rows' (and 3 more)" in shown
    assert "BL002  use of undeclared identifier 'cols' (and 1 more)" in shown


def test_names_alone_in_the_brackets_of_a_definition_are_ints() -> None:
    old = "uchar twice(part, times) { uchar a = part; return a << times; }\n"
    (kernel,) = assess(old + GOOD.replace("a[i]", "a[i] * twice(i, 1)")).kernels
    assert kernel.estimate.units
    wrong = assess(old.replace("part, times", "part, flot times") + GOOD)
    assert "unknown type name 'flot'; did you mean 'float'?" in {message_text(f) for f in findings_of(wrong)}
