"""Pragmas in front of loops that share their line with what comes before them."""

from __future__ import annotations

import pytest

from burstline_server.assessment.assessor import Assessor
from burstline_server.interpreter.verdicts import Equal
from burstline_server.rewrites.catalogue import refusals_of
from tests.rewrites.equality import Data, tried
from tests.rewrites.test_unroll import fixes

np = pytest.importorskip("numpy")

ONE_LINE = """__kernel void k(__global const float *restrict in, __global float *restrict x, int n)
{
    BODY
}
"""
LOOP = "for (int i = 0; i < n; i++) x[i] = 2.0f * in[i];"
SINGLE = {"global_size": 1, "arguments": {"n": 1 << 20}}
OWN_LINE = f"#pragma unroll 16\n    {LOOP}"
INNER = f"\n        #pragma unroll 16\n        {LOOP}"


@pytest.mark.parametrize(
    ("body", "after"),
    [
        (LOOP, OWN_LINE),
        (f"x[0] = 1.0f; {LOOP}", f"x[0] = 1.0f;\n    {OWN_LINE}"),
        (f"x[0] = 1.0f;{LOOP} x[1] = 2.0f;", f"x[0] = 1.0f;\n    {OWN_LINE} x[1] = 2.0f;"),
        (f"if (n > 3) {LOOP}", f"if (n > 3){INNER}"),
        (f"if (n > 3) {{ {LOOP} }}", f"if (n > 3) {{{INNER} }}"),
        (f"if (n < 3) x[0] = 1.0f; else {LOOP}", f"if (n < 3) x[0] = 1.0f; else{INNER}"),
        (f"/* all */ {LOOP}", f"/* all */{INNER}"),
        (
            "int i = 0; while (i < n) { x[i] = in[i]; i++; }",
            "int i = 0;\n    #pragma unroll 16\n    while (i < n) { x[i] = in[i]; i++; }",
        ),
    ],
)
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_the_loop_moves_to_a_line_of_its_own(body: str, after: str, line_end: str) -> None:
    text = ONE_LINE.replace("BODY", body).replace("\n", line_end)
    (fix,) = fixes(text, **SINGLE)
    assert fix.offer.applied(text.encode()).decode() == ONE_LINE.replace("BODY", after).replace("\n", line_end)
    assert isinstance(fix.execution, Equal)
    assert fix.gain is not None
    assert fix.gain.after_s < fix.gain.before_s / 8


def test_a_kernel_on_one_line_takes_tabs_as_the_file_does() -> None:
    text = "__kernel void k(__global const float *restrict in, __global float *restrict x, int n) { " + LOOP + " }\n"
    (fix,) = fixes(text, **SINGLE)
    assert fix.offer.applied(text.encode()).decode() == text.replace(
        f"{{ {LOOP}", f"{{\n    #pragma unroll 16\n    {LOOP}"
    )
    tabs = text + "__kernel void other(__global int *y)\n{\n\ty[0] = 1;\n}\n"
    (fix,) = fixes(tabs, **SINGLE)
    assert "\n\t#pragma unroll 16\n\tfor (" in fix.offer.applied(tabs.encode()).decode()


@pytest.mark.parametrize(
    "macro",
    [
        "#define DO(body) body\n",
        "#define DO(body) if (n > 3) { body }\n",
    ],
)
def test_no_directive_comes_among_the_arguments_of_a_macro(macro: str) -> None:
    text = macro + ONE_LINE.replace("BODY", f"DO({LOOP})").replace("DO(for", "DO(x[0] = 1.0f; for")
    assert fixes(text, **SINGLE) == []


def test_no_directive_comes_into_a_macro() -> None:
    text = f"#define DO if (n > 3) {LOOP}\n" + ONE_LINE.replace("BODY", "DO")
    assert fixes(text, **SINGLE) == []
    assert "unroll" in {r.title.kind for r in refusals_of(Assessor().assess(text, "k.cl", []))}


def test_the_kernel_computes_the_same() -> None:
    body = f"if (n < 3) {{ x[0] = 1.0f; x[1] = 2.0f; }} else {LOOP} if (n > 0) x[n] = 3.0f;"
    x = np.arange(64, dtype=np.float32)
    data = [Data({"in": x, "x": np.zeros(64, np.float32)}, {"n": np.int32(n)}, (1,)) for n in (0, 1, 3, 16, 37)]
    found = tried(ONE_LINE.replace("BODY", body), data, **SINGLE)
    found = [one for one in found if one.offer.title.kind.startswith("unroll")]
    assert found
    assert [one.why for one in found if one.unequal is not None] == []
