"""Queries and code stay in step."""

import re

import pytest

from burstline_server.diagnostics.catalogue import findings_of
from burstline_server.source import queries
from burstline_server.source.folds import folds
from burstline_server.source.read import read_source
from tests.assessing import assess


def test_every_query_is_loaded_by_name_and_every_capture_is_used() -> None:
    code = queries.__loader__.get_source(queries.__name__) or ""  # type: ignore[union-attr]
    files = sorted(queries.folder().glob("*.scm"))
    assert files
    for file in files:
        text = file.read_text("utf-8")
        assert text.startswith("; "), f"{file.name} needs a header comment"
        assert f'query("{file.stem}")' in code
        for capture in set(re.findall(r"@([\w.]+)", text)):
            assert f'"{capture}"' in code


def test_functions_are_found_through_masked_qualifiers() -> None:
    text = "static inline float *f(__global float *p) { return p; }\n__attribute__((task)) __kernel void k() {}\n"
    assert [f.name for f in queries.functions(read_source(text))] == ["f", "k"]


@pytest.mark.parametrize("order", ["const {0} float", "const float {0}", "{0} const float", "float {0} const"])
def test_attributes_among_the_specifiers_of_a_variable(order: str) -> None:
    declared = order.format("__attribute__((aligned(4)))")
    text = f"__kernel void k(__global float *x)\n{{\n    {declared} first = x[0];\n    x[1] = first;\n}}\n"
    (kernel,) = assess(text).kernels
    assert [(a.op, a.type) for a in kernel.facts.accesses] == [("load", "float"), ("store", "float")]
    assert not [f for f in findings_of(assess(text)) if f.code == "BL001"]


def test_what_is_found_in_sections_follows_edits() -> None:
    text = "#define TWO(a) a a\nint f(int p)\n{\n    return p;\n}\n// one\n// two\nvoid g()\n{\n    TWO(f(1);)\n}\n"
    source = read_source(text)
    for before, after in [
        ("return p", "return p + 1"),
        ("// two", "/* two\n*/"),
        ("}", ""),
        ("void", "int h() {\n}\nvoid"),
    ]:
        assert folds(source) == folds(read_source(text))
        assert queries.functions(source) == queries.functions(read_source(text))
        text = text.replace(before, after, 1)
        source = read_source(text, before=source)
    assert [f.name for f in queries.functions(source)] == [f.name for f in queries.functions(read_source(text))]
    assert folds(source) == folds(read_source(text))
