"""Text that nobody writes by hand gets an answer from every surface, and what can be read of it is read."""

import logging

import pytest

from burstline_model.facts import Access
from burstline_server.assessment.assessor import Assessment
from burstline_server.diagnostics.catalogue import findings_of
from burstline_server.names.name_table import names_of
from burstline_server.names.tokens import tokens
from burstline_server.presentation.card_text import markdown, plain
from burstline_server.presentation.cards import access_card, kernel_card
from burstline_server.presentation.hints import unit_text
from burstline_server.presentation.report_build import file_report
from burstline_server.source.folds import folds
from tests.assessing import assess

HEAD = "__kernel void k(__global float *x, int n) { "
TWICE = "float f{0}(__global float *p) {{ return f{1}(p) + f{1}(p); }}\n"
TEXTS = {
    "parentheses": HEAD + "x[0] = " + "(" * 50_000 + "1" + ")" * 50_000 + "; }",
    "blocks": HEAD + "{" * 20_000 + "x[0] = 1;" + "}" * 20_000 + "}",
    "sum": HEAD + "int a = " + "+".join(["n"] * 10_000) + "; x[a] = 1; }",
    "loops": HEAD + "for (int i = 0; i < n; i++) " * 250 + "x[0] = 1; }",
    "branches": HEAD + "if (n) " * 3000 + "x[0] = 1; }",
    "else": HEAD + "".join(f"if (n == {i}) x[{i}] = 1; else " for i in range(2000)) + "x[0] = 2; }",
    "doubling": "float f0(__global float *p) { return p[0]; }\n"
    + "".join(TWICE.format(i, i - 1) for i in range(1, 23)) + HEAD + "x[0] = f22(x); }",
    "recursion": "float f(__global float *p) { return p[0] + f(p); }\n" + HEAD + "x[0] = f(x); }",
    "unroll": HEAD + "\n#pragma unroll 1000000000\nfor (int i = 0; i < n; i++) x[i * n] = 1; }",
    "coalesce": HEAD + "\n#pragma loop_coalesce 0x7fffffffffffffff\nfor (int i = 0; i < n; i++) x[i] = 1; }",
    "lanes": "__attribute__((num_simd_work_items(99999999))) " + HEAD + "x[get_global_id(0)] = 1; }",
    "operations": HEAD + "int a = n; " + "a = a / 3 + a % 5; " * 200 + "x[a] = 1; }",
    "product": HEAD + "int b = " + "*".join(["(n + n * n)"] * 40) + "; x[b] = 1; }",
    "structure": "struct s { struct s a; struct s *b; }; " + HEAD + "struct s q; x[q.a.b->a.b[3]] = 1; }",
    "division": HEAD + "float y[-5]; x[-1] = y[0]; x[n / 0] = 1; x[n % 0] = 2; x[1 << 200] = 1; }",
    "steps": HEAD + "for (int i = 10; i > n; i -= 0) x[i] = 1; for (int i = 0; i < -5; i++) x[i] = 1; }",
    "calls": HEAD + "vload4(); atomic_add(); read_channel_intel(); vstore4(n, x); x[get_global_id()] = 1; }",
    "digits": HEAD + f"for (int i = 0; i < {'9' * 400}; i++) "
    + f"x[i * {'7' * 5000}] = 0x{'f' * 400} * {'1ul << 62 * ' * 40} 1; }}",
    "nonsense": HEAD + 'x[0] = "abc"[n]; *(char *)0 = 1; (*&x)[2] = 1; case 3: goto away; } } ) ( else',
}  # fmt: skip


def every_surface(assessment: Assessment) -> list[Access]:
    """All answers there are; returns the accesses that were found."""
    file_report(assessment, findings_of(assessment))
    tokens(names_of(assessment.source))
    folds(assessment.source)
    found = []
    for kernel in assessment.kernels:
        assert plain(kernel_card(assessment, kernel))
        for access in kernel.facts.accesses[:20]:
            assert markdown(access_card(assessment, kernel, access))
        assert all(unit_text(u) for u in kernel.estimate.units)
        found += kernel.facts.accesses
    return found


@pytest.mark.parametrize("name", TEXTS)
def test_every_surface_answers(name: str, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR):
        assessment = assess(TEXTS[name], global_size=4096, arguments={"n": 16})
        found = every_surface(assessment)
    assert caplog.records == []
    # What a compiler would refuse has no figures, and says so.
    assert [k.facts.name for k in assessment.kernels] + [w.name for w in assessment.withheld] == ["k"]
    # Either the kernel's accesses are there, or the user reads why they are not.
    assert found or assessment.withheld or any(k.facts.remarks for k in assessment.kernels)


def test_thousands_of_accesses_are_all_costed() -> None:
    text = HEAD + "".join(f"x[{i} * n + {i}] = x[n * {i}]; " for i in range(1500)) + "}"
    (kernel,) = assess(text, arguments={"n": 16}).kernels
    assert len(kernel.facts.accesses) == 3000
    assert kernel.estimate.time_s is not None


def test_one_kernel_that_cannot_be_read_does_not_cost_the_next() -> None:
    text = TEXTS["blocks"] + "\n__kernel void fine(__global int *y) { y[get_global_id(0)] = 1; }"
    assessment = assess(text)
    assert [len(k.facts.accesses) for k in assessment.kernels] == [0, 1]


@pytest.mark.parametrize(("index", "model"), [("n", "single_work_item"), ("i", "ndrange")])
def test_an_id_that_is_never_used_makes_no_ndrange(index: str, model: str) -> None:
    (kernel,) = assess(HEAD + f"int i = get_global_id(0); x[{index}] = 1; }}").kernels
    assert kernel.facts.model == model


def test_what_a_kernel_writes_to_a_variable_of_the_file_is_unknown_to_the_next() -> None:
    first = "__kernel void first(__global int *x) { for (;;) { j++; x[j] = 1; } }\n"
    second = "__kernel void second(__global int *x) { x[j] = 1; }\n"
    alone = assess("int j = 3;\n" + " " * len(first) + second).kernels[0].facts
    assert assess("int j = 3;\n" + first + second).kernels[1].facts == alone
    assert alone.remarks == ()


def test_a_template_with_a_what_if_has_no_kernels() -> None:
    text = "{% for a in b %}\n// burstline: n=4\n" + HEAD + "x[0] = 1; }\n{% endfor %}"
    assert list(assess(text).kernels) == []
