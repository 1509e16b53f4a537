"""Two loops in the other order: the text, what is refused, and that it computes the same."""

from __future__ import annotations

import pytest

from burstline_server.assessment.assessor import Assessor
from burstline_server.config.layers import Layer
from burstline_server.interpreter.verdicts import Equal
from burstline_server.rewrites.catalogue import fixes_of, offers_of, refusals_of
from burstline_server.rewrites.interchange import Interchange
from burstline_server.rewrites.rewrite import NotOfferedError, Offer
from burstline_server.words.edits import fix_title
from burstline_server.words.obstacles import obstacle_text
from tests.assessing import once
from tests.rewrites.equality import Data, tried

HEAD = "__kernel void k(__global const float *restrict a, __global const float *restrict b,\n"
HEAD += "                __global float *restrict c, const int n)\n"
COLUMNS = (
    HEAD
    + """{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            c[j * n + i] = a[j * n + i] * 2;
}
"""
)
PRODUCT = (
    HEAD
    + """{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) { // columns
            for (int k = 0; k < n; k++) {
                c[i * n + j] += a[i * n + k] * b[k * n + j];
            }
        }
    }
}
"""
)
ODD = (
    """#define N 24
#define AT(p, r, q) p[(r) * N + (q)]
float twice(float v) { return v * 2; }
"""
    + HEAD
    + """{
  int row, col;
  for (col=N-1;col>=0;--col) /* all */
  {
    // of a column
    for(row = 0; row < N ; row += 1) {
      float v = twice(AT(a, row, col));
      if (v < 1) continue;
      for (int t = 0; t < 2; t++) v += t;
      AT(c, row, col) = v + b[row * N + col];
    }
  }
  for (row = 0; row < 3; row++) c[row] += 1;
}
"""
)


@once
def offered(text: str) -> list[Offer]:
    """The edits of this kind for a text."""
    return [o for o in offers_of(Assessor().assess(text, "k.cl", [])) if o.title.kind == "interchange"]


def after(text: str) -> str:
    """The text after the edit."""
    (offer,) = offered(text)
    assert offer.kind == "proved"
    return offer.applied(text.encode()).decode()


def test_the_heads_change_places_and_nothing_else() -> None:
    head, other = "for (int i = 0; i < n; i++)", "for (int j = 0; j < n; j++)"
    assert after(COLUMNS) == COLUMNS.replace(f"{head}\n        {other}", f"{other}\n        {head}")
    two, three = "for (int j = 0; j < n; j++) { // columns", "for (int k = 0; k < n; k++) {"
    inner = after(PRODUCT)
    assert inner.index("int i = 0") < inner.index("int k = 0; k < n; k++) { // columns") < inner.index("int j = 0")
    assert (two in PRODUCT, three in PRODUCT) == (True, True)
    odd = after(ODD)
    assert (
        "for (row = 0; row < N ; row += 1) /* all */\n  {\n    // of a column\n    for(col=N-1;col>=0;--col) {" in odd
    )
    assert after(ODD.replace("\n", "\r\n")) == odd.replace("\n", "\r\n")


@pytest.mark.parametrize("text", [COLUMNS, PRODUCT, ODD])
def test_not_offered_again(text: str) -> None:
    assert offered(after(text)) == []


@pytest.mark.parametrize("text", [COLUMNS, PRODUCT])
def test_it_pays_and_is_executed(text: str) -> None:
    assessor, layers = Assessor(), [Layer("option", {"arguments": {"n": 512}})]
    assessment = assessor.assess(text, "k.cl", layers)
    (fix,) = fixes_of(assessor, assessment, layers, chosen=lambda one: one.title.kind == "interchange")
    assert isinstance(fix.execution, Equal)
    assert fix.speedup is not None
    assert fix.speedup > 1.1
    assert fix_title(fix).startswith("Interchange the loops over ")


@pytest.mark.parametrize("text", [COLUMNS, PRODUCT, ODD])
def test_it_computes_the_same_on_a_real_runtime(text: str) -> None:
    np = pytest.importorskip("numpy")
    rng = np.random.default_rng(3)
    arrays = {name: rng.normal(size=24 * 24).astype(np.float32) for name in "abc"}
    data = [Data(arrays, {"n": np.int32(n)}, group=(1,)) for n in (0, 1, 5, 24)]
    found = [one for one in tried(text, data) if one.offer.title.kind == "interchange"]
    assert [(one.unequal, one.why) for one in found] == [(None, "")]


BODY = "c[j * n + i] = a[j * n + i] * 2;"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        # With n = -1, the outer loop kept these from running 2^32 times.
        (COLUMNS.replace("j < n", "j != n"), "its trips are not known"),
        (COLUMNS.replace("int j", "uint j"), "its trips are not known"),
        (COLUMNS.replace("i < n", "i != n"), "its trips are not known"),
        # The first column reads the last one of two rows before.
        (COLUMNS.replace("a[j * n + i] * 2", "c[(j - 1) * n + i - 1] + a[j * n + i]"), "in the opposite order"),
        # A value of an earlier iteration of the outer loop, from further on in the inner one.
        (COLUMNS.replace("a[j * n + i] * 2", "c[(j + 1) * n + i - 1] + a[j * n + i]"), "in the opposite order"),
        # Rows may overlap: nothing says that there are no more columns than elements in a row.
        (COLUMNS.replace("i < n", "i < n + 4"), "in the opposite order"),
        (COLUMNS.replace("__global float *restrict c", "__global float *c").replace("*restrict a", "*a"),
         "may overlap"),
        (COLUMNS.replace("j < n", "j < n - i"), "its bound or its counter may change"),
        (COLUMNS.replace("j < n", "j < (int)b[0]"), "its bound or its counter may change"),
        (COLUMNS.replace("        for", "        #pragma unroll 1\n        for"), "preprocessor conditions"),
        (COLUMNS.replace("    for (int i", "    #pragma ivdep\n    for (int i"), "pragma"),
        (COLUMNS.replace("i++)\n", "i++) { float s = 2;\n").replace("* 2;\n", "* s; }\n"), "between the two loops"),
        (COLUMNS.replace(BODY, "{ if (a[j * n + i] < 0) break; " + BODY + " }"), "before its trips are over"),
        (COLUMNS.replace("{\n", "{\n    float last = 0;\n", 1).replace(BODY, "{ " + BODY + " last += 1; }"),
         "last is set in the loops"),
        (COLUMNS.replace("{\n", "{\n    float t[4];\n", 1).replace(BODY, "{ " + BODY + " t[j & 3] = 1; }"),
         "t is set in the loops"),
        (COLUMNS.replace(BODY, '{ printf("%d", i); ' + BODY + " }"), "printf"),
        (COLUMNS.replace("int i = 0", "i = 0").replace("{\n", "{\n    int i;\n", 1).replace(
            "\n}\n", "\n    c[n] = i;\n}\n"), "uses i in another place"),
    ],
)  # fmt: skip
def test_refused_with_the_reason(text: str, reason: str) -> None:
    assert offered(text) == []
    found = refused(text)
    assert [one for one in found if reason in one], found


@once
def refused(text: str) -> list[str]:
    """Why the edit is not offered for a text."""
    assessment, found = Assessor().assess(text, "k.cl", []), list[str]()
    for candidate in Interchange().candidates(assessment, assessment.kernels[0]):
        try:
            candidate.make()
        except NotOfferedError as error:
            found.append(obstacle_text(error.reason))
    return found


def test_refusals_are_shown_where_the_model_would_interchange() -> None:
    shown = refusals_of(Assessor().assess(COLUMNS.replace("i < n", "i < n + 4"), "k.cl", []))
    assert [r.title.kind for r in shown if r.title.kind == "interchange"] == ["interchange"]


@pytest.mark.parametrize(
    "text",
    [
        # From earlier iterations of both loops, and of one alone: the order of each pair stays.
        COLUMNS.replace("a[j * n + i] * 2", "c[(j - 1) * n + i - 1] + a[j * n + i]").replace("i = 0", "i = 1"),
        COLUMNS.replace("a[j * n + i] * 2", "c[(j - 1) * n + i] + a[j * n + i]"),
        COLUMNS.replace("a[j * n + i] * 2", "c[(j + 1) * n + i] + a[j * n + i]"),
    ],
)
def test_dependences_that_keep_their_order_are_no_obstacle(text: str) -> None:
    assert len(offered(text)) == 1
