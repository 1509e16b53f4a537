"""Texts made to send patterns back again and again are answered, on every surface that reads them."""

import pytest

from burstline_model.vendor_report.plain_text import quartus_summary, usage_table
from burstline_server.rewrites.catalogue import offers_of
from burstline_server.words.edits import title_text
from tests.assessing import assess
from tests.test_hostile import every_surface

pytestmark = pytest.mark.usefixtures("patience")
KERNEL = "\n__kernel void k(__global float *x, int n) { x[get_global_id(0)] = n; }\n"
N = 40_000
TEXTS = {
    "quotes": "\\'" * N,
    "double quotes": '\\"' * N,
    "comments": "/*" * N,
    "digits of a constant": f"#define C ({'0' * N}!)\n",
    "a what-if": f"// burstline: {'a' * N} {'b = ( ' * N}",
    "include marks": f"#include {'<' * N}",
    "include words": f"#include A{'0' * N}!",
    "qualifiers": "__kernel " * N + ";",
    "globals": f"void f({'global ' * N});",
    "an identifier": f"int {'a' * N};",
    "spaces": "#" + " " * N + "pragma" + " " * N + "unroll" + " " * N,
    "pragmas": "#pragma pack(" + "pack(" * N,
}


@pytest.mark.parametrize("name", TEXTS)
def test_a_text_is_answered(name: str) -> None:
    assessment = assess(KERNEL + TEXTS[name])
    assert [k.facts.name for k in assessment.kernels] == ["k"]
    assert every_surface(assessment)


def test_a_constant_of_many_digits_does_not_stop_edits() -> None:
    loop = "for (int i = 0; i < 4096; i++) y[i] = x[i + C];"
    text = "#define C {}\n__kernel void k(__global float *restrict x, __global float *restrict y) {{ {} }}"
    offers = [
        {title_text(offer.title) for offer in offers_of(assess(text.format(c, loop)))}
        for c in ("(0)", f"({'0' * 60}!)")
    ]
    assert offers[0] > offers[1]


@pytest.mark.parametrize("text", [" " * N, ";" + " " * N, "ALUTs" + " " * N + ":" + " " * N, "; ;" * N, "1," * N])
def test_tables_of_a_report_are_read_line_by_line(text: str) -> None:
    assert quartus_summary(f"{text}\nALUTs: 1,200 / 3,000\nActual clock freq : 301.5\n")[0] == 301.5
    assert usage_table(f"{text}\n; Logic utilization ; 66% ;\n") == {"logic": 0.66}
