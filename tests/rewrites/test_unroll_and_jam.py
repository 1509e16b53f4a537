"""Iterations of an outer loop together: the text, what is refused, and that it computes the same."""

from __future__ import annotations

import pytest

from burstline_server.assessment.assessor import Assessor
from burstline_server.config.layers import Layer
from burstline_server.interpreter.verdicts import Equal
from burstline_server.rewrites.catalogue import fixes_of, offers_of
from burstline_server.rewrites.rewrite import NotOfferedError, Offer
from burstline_server.rewrites.unroll_and_jam import UnrollAndJam
from burstline_server.words.edits import fix_title
from burstline_server.words.obstacles import obstacle_text
from tests.assessing import once
from tests.rewrites.equality import Data, tried

HEAD = "__kernel void mm(const int m, const int n, const int p, __global const float *restrict a,\n"
HEAD += "                 __global const float *restrict b, __global float *restrict c)\n{\n"
PRODUCT = (
    HEAD
    + """    for (int i = 0; i < m; ++i)
        for (int j = 0; j < n; j++) {
            float sum = 0; // of a row and a column
            for (int k = 0; k < p; ++k)
                sum += a[i * p + k] * b[k * n + j];
            c[i * n + j] = sum;
        }
}
"""
)
JAMMED = (
    HEAD
    + """    for (long i_first = 0; i_first < m; i_first += 16)
        for (int j = 0; j < n; j++) {
            float sum[16];
            #pragma unroll
            for (int lane = 0; lane < 16; lane++) {
                sum[lane] = 0;
            } // of a row and a column
            for (int k = 0; k < p; ++k) {
                const float b_shared = b[k * n + j];
                #pragma unroll
                for (int lane = 0; lane < 16; lane++) {
                    if (i_first + lane < m) {
                        const int i = i_first + lane;
                        sum[lane] += a[i * p + k] * b_shared;
                    }
                }
            }
            #pragma unroll
            for (int lane = 0; lane < 16; lane++) {
                if (i_first + lane < m) {
                    const int i = i_first + lane;
                    c[i * n + j] = sum[lane];
                }
            }
        }
}
"""
)
ROWS = (
    HEAD
    + """    for (int i = 0; i < m; i++)
        for (int k = 0; k < p; k++) {
            #pragma unroll 16
            for (int j = 0; j < n; j++)
                c[i * n + j] += a[i * p + k] * b[k * n + j];
        }
}
"""
)
ODD = (
    """#define P 24
#define SCALE 0.5f
float scaled(float v) { return v * SCALE; }
"""
    + HEAD
    + """  int lane = 3; float i_first = 2;
  for(int i=1;i<m - lane;i += 1) /* rows */
  {
	// of the result
	const float first = a[i], low = -1.5f; float low2;
	for (int j = 0; j < n; j++) { float sum = first, last; last = 0;
      for (int k = p - 1; k >= 0; --k) {
        /* from the end */
        float one = scaled(b[k * n + j]) * a[i * P + k]; // a product
        sum += one - i * i_first;

        if (one > last) { float t = one; last = t; }
      }
      low2 = fmax(low, last);
      c[i * n + j] = sum > low ? sum * low2 : sum; } // stored
  }
}
"""
)
KEPT = (
    "#define P 67\n"
    + HEAD
    + """    for (int i = 0; i < m; i++) {
        float row[P + 1], rest[2][P];
        for (int k = 0; k < P; k++) {
            row[k] = a[i * P + k] * 2;
            rest[k & 1][k] = k + i;
        }
        for (int j = 0; j < n; j++) {
            float sum = 0;
            for (int k = 0; k < P; k++)
                sum += row[k] * b[k * n + j] - rest[k & 1][k];
            c[i * n + j] = sum;
        }
    }
}
"""
)
VECTORS = """typedef struct { float x; float4 v; } part;
__kernel void mm(const int m, const int n, const int p, __global const float *restrict a,
                 __global const float4 *restrict b, __global float *restrict c)
{
    for (int i = 0; i < m; ++i)
        for (int j = 0; j < n; j++) {
            float sum = 0;
            for (int k = 0; k < p; ++k)
                sum += a[i * p + k] * b[k * n + j].s1 - b[k * n + j].s2;
            c[i * n + j] = sum;
        }
}
"""
PARTS = VECTORS.replace("const float4 *", "const part *").replace("].s1", "].v.s1").replace("].s2", "].x")
WHOLE = PRODUCT.replace("i < m", "i < 64")
OUTSIDE = (
    PRODUCT.replace("    for (int i", "    int i, j, k;\n    for (i").replace("(int j", "(j").replace("(int k", "(k")
)

LAST = "c[i * n + j] = sum;"
SUM = "sum += a[i * p + k] * b[k * n + j];"
USED = {
    "after": OUTSIDE.replace("i, j, k;", "i, j = 1, k = 2;").replace(
        "        }\n}", "        }\n    c[3000] = i + k * j;\n}"
    ),
    "again": OUTSIDE.replace("for (i = 0", "for (i = i0").replace(
        "i, j, k;", "i, j, k; i = m - 1; int i0 = i - m + 1;"
    ),
    "an argument": OUTSIDE.replace("int i, j, k;", "int j, k;").replace("const int m,", "const int m, int i,"),
    "its variables": OUTSIDE.replace("int i, j, k;", "int i, j, k; float sum, term = 3;")
    .replace("float sum = 0;", "")
    .replace("for (k = 0;", "for (k = 0, sum = a[i];")
    .replace(SUM, "{ term = a[i * p + k]; sum += term * b[k * n + j]; }"),
}


@once
def offered(text: str) -> list[Offer]:
    """The edits of this kind for a text."""
    return [o for o in offers_of(Assessor().assess(text, "k.cl", [])) if o.title.kind == "unroll_and_jam"]


def over_rows(text: str) -> list[Offer]:
    """Those that take rows together; columns, whose elements lie next to each other, have tests of their own."""
    return [one for one in offered(text) if one.title.names[0] == "i"]


def after(text: str) -> str:
    """The text after the edit of the outermost loop."""
    offer, *others = offered(text)
    assert offer.kind == "proved"
    assert {one.title.names[0] for one in others} <= {"j"}
    return offer.applied(text.encode()).decode()


@once
def refused(text: str) -> list[str]:
    """Why the edit is not offered for a text."""
    assessment, found = Assessor().assess(text, "k.cl", []), list[str]()
    for candidate in UnrollAndJam().candidates(assessment, assessment.kernels[0]):
        try:
            candidate.make()
        except NotOfferedError as error:
            found.append(obstacle_text(error.reason))
    return found


def test_iterations_run_in_unrolled_loops_and_share_a_load() -> None:
    assert after(PRODUCT) == JAMMED
    assert after(PRODUCT.replace("\n", "\r\n")) == JAMMED.replace("\n", "\r\n")


def test_whole_strips_ask_for_no_end() -> None:
    assert "if (" not in after(WHOLE)
    assert "if (i_first + lane < 60)" in after(PRODUCT.replace("i < m", "i < 60"))


def test_a_place_that_is_loaded_is_loaded_with_what_it_finds() -> None:
    text = after(PRODUCT.replace(LAST, "c[i * n + j] = sum * b[(int)b[j] + 1];"))
    assert "const float b_shared2 = b[(int)b[j] + 1];" in text
    assert "c[i * n + j] = sum[lane] * b_shared2;" in text


def test_a_vector_is_loaded_once_and_a_part_of_a_structure_is_left() -> None:
    text = after(VECTORS)
    assert "const float4 b_shared = b[k * n + j];" in text
    assert "sum[lane] += a[i * p + k] * b_shared.s1 - b_shared.s2;" in text
    assert offered(PARTS) == []


def test_arrays_of_an_iteration_become_rows() -> None:
    text = after(KEPT)
    assert "float row[16][P + 1];" in text
    assert "float rest[16][2][P];" in text
    assert "rest[lane][k & 1][k] = k + i;" in text


def test_names_in_use_are_left_alone() -> None:
    text = after(ODD)
    assert "long i_first_ = 1; i_first_ < m - lane; i_first_ += " in text
    assert "int lane_ = 0;" in text
    assert "/* from the end */" in text


@pytest.mark.parametrize("text", [PRODUCT, ROWS, ODD, KEPT, WHOLE, OUTSIDE])
def test_not_offered_again(text: str) -> None:
    assert over_rows(after(text)) == []


@pytest.mark.parametrize("settings", [{"arguments": {"m": 1024, "n": 1024, "p": 1024}}, {"assumed_trips": 1024}])
def test_it_pays_and_is_executed(settings: dict[str, object]) -> None:
    assessor, layers = Assessor(), [Layer("option", dict(settings))]
    assessment = assessor.assess(PRODUCT, "k.cl", layers)
    (fix, *others) = fixes_of(assessor, assessment, layers, chosen=lambda one: one.title.kind == "unroll_and_jam")
    # Along j, where elements of b lie next to each other, as well.
    assert {one.offer.title.names[0] for one in others} <= {"j"}
    assert isinstance(fix.execution, Equal)
    assert fix.speedup is not None
    assert fix.speedup > 8
    assert fix_title(fix).startswith("Compute 16 iterations of the loop over i together (unroll and jam): kernel ")


@pytest.mark.parametrize(
    "text", [PRODUCT, ROWS, ODD, KEPT, VECTORS, WHOLE, OUTSIDE, USED["after"], USED["its variables"]]
)
def test_it_computes_the_same_on_a_real_runtime(text: str) -> None:
    np = pytest.importorskip("numpy")
    rng = np.random.default_rng(3)
    arrays = {name: rng.normal(size=64 * 24 * 4).astype(np.float32) for name in "abc"}
    sizes = [(0, 3, 3), (1, 1, 1), (5, 24, 24), (16, 7, 24), (35, 24, 9), (48, 5, 24)]
    data = [Data(arrays, {"m": np.int32(m), "n": np.int32(n), "p": np.int32(p)}, group=(1,)) for m, n, p in sizes]
    found = [one for one in tried(text, data) if one.offer.title.kind == "unroll_and_jam"]
    assert {(one.unequal, one.why) for one in found} == {(None, "")}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (PRODUCT.replace("    for (int i", "    #pragma ivdep\n    for (int i"), "pragma"),
        (PRODUCT.replace("++i", "i += 2"), "does not count up by one"),
        (PRODUCT.replace("int i = 0", "short i = 0"), "does not count up by one"),
        (PRODUCT.replace("i < m", "i < (uint)m"), "bounds are not of its counter's type"),
        (PRODUCT.replace("float sum = 0;", "float sum = 0; int k = 2;"), "k is the name of two variables"),
        (PRODUCT.replace("    for (int i", "    int k = 2;\n    for (int i"), "k is the name of two variables"),
        (PRODUCT.replace("float sum", "int w = p; float sum").replace("k < p", "k < w"), "may run more often"),
        (PRODUCT.replace(SUM, "{ float *q = &sum; *q += a[i * p + k] * b[k * n + j]; }"), "address of sum"),
        (PRODUCT.replace(SUM, "{ if (a[i * p + k] < 0) continue; " + SUM + " }"), "goto"),
        (PRODUCT.replace(SUM, "if (a[i * p + k] > 0) " + SUM), "made without a condition"),
        (PRODUCT.replace(SUM, "sum += a[i * p + k] > 0 ? b[k * n + j] : 0;"), "made without a condition"),
        ("#define B b[k * n + j]\n" + PRODUCT.replace("b[k * n + j]", "B"), "macro"),
        (PRODUCT.replace(SUM, "\n#if 1\n " + SUM + "\n sum += 1;\n#endif\n"), "preprocessor"),
        (PRODUCT.replace("{\n    for", "{\n    global float *t = c + 3;\n    for").replace("c[i * n", "t[i * n"),
         "t is set in the loops"),
        (PRODUCT.replace("float sum = 0;", "volatile float sum = 0;"), "plain"),
        # Rows may overlap: nothing says that there are no more columns than elements in a row.
        (PRODUCT.replace("j < n", "j < p"), "may read what another one stores"),
    ],
)  # fmt: skip
def test_refused_with_the_reason(text: str, reason: str) -> None:
    assert over_rows(text) == []
    assert [one for one in refused(text) if reason in one], refused(text)


@pytest.mark.parametrize(
    "text",
    [
        PRODUCT.replace("k < p", "k < i"),
        PRODUCT.replace("{\n    for", "{\n    float t[4];\n    for").replace(
            LAST, "t[j & 3] = sum; for (int l = 0; l < 2; l++) c[i * n + j] = t[j & 3] + l;"),
        PRODUCT.replace("k < p", "k < p && sum < 9"),
        PRODUCT.replace("*restrict", "*"),
        PRODUCT.replace(LAST, 'c[i * n + j] = sum; printf("%d", i);'),
        PRODUCT.replace("    for (int i", "    float sum = 2;\n    for (int i").replace("float sum = 0;", "sum *= 0;"),
        PRODUCT.replace("float sum = 0;", "float sum = i ? c[(i - 1) * n + j] : 0;"),
        PRODUCT.replace(LAST, "c[j] = sum;"),
        PRODUCT.replace(LAST, "c[i * n + j] = sum; if (sum < 0) return;"),
        PRODUCT.replace("{\n    for", "{\n    float all = 0;\n    for").replace(LAST, "all += sum; c[i] = all;"),
    ],
)  # fmt: skip
def test_not_offered_where_iterations_need_each_other_or_differ(text: str) -> None:
    assert over_rows(text) == []


def test_a_store_of_a_number_stays_behind_the_end_of_the_last_strip() -> None:
    # An element past the last row is none of the buffer's: only what the loop declares may be set there.
    text = ROWS.replace("c)", "c, __global int *restrict rows)").replace("i++)\n", "i++) {\n        rows[i] = -1;\n")
    text = text.replace("        }\n}", "        }\n    }\n}")
    np = pytest.importorskip("numpy")
    data = [
        Data({"a": np.ones(m * 2, np.float32), "b": np.ones(6, np.float32), "c": np.zeros(m * 3, np.float32),
              "rows": np.zeros(m, np.int32)}, {"m": np.int32(m), "n": np.int32(3), "p": np.int32(2)})
        for m in (1, 5, 16, 17)
    ]  # fmt: skip
    found = [one for one in tried(text, data) if one.offer.title.kind == "unroll_and_jam"]
    assert [(one.offer.title.names[0], one.unequal) for one in found] == [("i", None)]


@pytest.mark.parametrize("text", USED.values(), ids=USED)
def test_what_is_declared_outside_has_its_value_after_the_loop(text: str) -> None:
    assert refused(text) == []
    lines = [line.strip() for line in after(text).splitlines()]
    kept = [line for line in lines if line.startswith("i = ") and "?" in line]
    assert kept == {"again": ["i = i0 < m ? m : i0;"], "its variables": []}.get(
        next(name for name, one in USED.items() if one == text), ["i = 0 < m ? m : 0;"]
    )


def test_variables_that_an_iteration_sets_anew_are_declared_in_it() -> None:
    lines = [line.strip() for line in after(USED["its variables"]).splitlines()]
    assert "int i, j, k;" in lines
    assert not any(line.startswith(("float sum,", "float sum;", "float term;")) for line in lines)
    assert "float sum[16];" in lines
    assert "sum[lane] = a[i];" in lines
    assert "for (k = 0; k < p; ++k)" in lines
    assert "float term = a[i * p + k]; sum[lane] += term * b_shared;" in lines


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (OUTSIDE.replace("= sum;", "= sum + k;"), "its counter is declared outside it"),
        (OUTSIDE.replace("int i, j, k;", "int i, j, k, *w = &i; *w = 2;").replace("= sum;", "= sum; c[2] = i;"), ""),
        # The next iteration, or what follows the loop, needs what this one leaves.
        (USED["its variables"].replace("sum = a[i]", "sum = sum + a[i]"), None),
        (USED["its variables"].replace("        }\n}", "        }\n    c[3000] = term;\n}"), None),
        (USED["its variables"].replace("{ term = a[i * p + k];", "{ if (k) term = a[i * p + k];"), None),
    ],
)
def test_what_iterations_hand_on_stays_where_it_is(text: str, reason: str | None) -> None:
    assert text.count("for (") == 3
    assert over_rows(text) == []
    assert reason is None or any(reason in one for one in refused(text))


GEMM = """// c = beta * c + a * b
#define N 256
__kernel void gemm(__global const float *restrict a, __global const float *restrict b, __global float *restrict c,
                   const float beta)
{
    int i, j, k;
    for (i = 0; i < N; i++)
        for (j = 0; j < N; j++) {
            c[i * N + j] *= beta; // é
            for (k = 0; k < N; k++)
                c[i * N + j] += a[i * N + k] * b[k * N + j];
        }
}
"""
NAKED = """__kernel void gemm(__global const float *restrict a, __global const float *restrict b,
                   __global float *restrict c, const float beta, const int n)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int k = 0; k < n; k++)
                c[i * n + j] += a[i * n + k] * b[k * n + j] * beta;
}
"""
ALONE = GEMM.replace("N 256", "N 21").replace("c[i * N + j] *= beta", "c[i * N + j] = 0")


def test_an_element_that_the_inner_loop_reads_and_writes_is_kept_in_a_variable_first() -> None:
    assessor = Assessor()
    fixes = fixes_of(assessor, assessor.assess(GEMM, "k.cl", [Layer("file", {})]), [Layer("file", {})])
    titles = {fix_title(fix).partition(" (")[0]: fix for fix in fixes}
    fix = titles["Keep carried values in variables, then compute 16 iterations of the loop over j together"]
    assert isinstance(fix.execution, Equal)
    assert fix.execution.trials
    assert fix.speedup is not None
    assert fix.speedup > 10
    text = fix.offer.applied(GEMM.encode()).decode()
    assert "            float c_kept[16];\n" in text
    assert "c_kept[lane] += a_shared * b[k * N + j];" in text
    assert text.startswith(GEMM[: GEMM.index("        for (j")])
    assert text.endswith(GEMM[GEMM.rindex("}\n") :])


def test_loops_without_braces_are_jammed_as_those_with_them() -> None:
    assessor, layers = Assessor(), [Layer("file", {"arguments": {"n": 1024}})]
    fixes = fixes_of(assessor, assessor.assess(NAKED, "k.cl", layers), layers)
    best = max(fixes, key=lambda fix: fix.speedup or 0)
    assert best.offer.title.kept_first
    assert isinstance(best.execution, Equal)
    assert (best.speedup or 0) > 10


@pytest.mark.parametrize("text", [GEMM, ALONE, NAKED])
def test_what_is_kept_first_computes_the_same_on_a_real_runtime(text: str) -> None:
    np = pytest.importorskip("numpy")
    rng = np.random.default_rng(5)
    arrays = {name: rng.normal(size=256 * 256).astype(np.float32) for name in "abc"}
    scalars = {"beta": np.float32(0.5), **({"n": np.int32(21)} if text == NAKED else {})}
    data = [Data(arrays, scalars, group=(1,))]
    found = [one for one in tried(text, data) if one.offer.title.kept_first]
    assert found
    assert {(one.unequal, one.why) for one in found} == {(None, "")}


def test_what_is_not_kept_for_certain_is_jammed_as_it_is_or_not() -> None:
    assert not any(o.title.kept_first for o in offered(GEMM.replace("restrict ", "")))
