"""Comments typed in a kernel: facts, costs and findings are those of the text read anew, and nothing is read again."""

import re
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

from burstline_server.analysis import kernels, relaid, reuse
from burstline_server.assessment import costing
from burstline_server.assessment.assessor import Assessment, Assessor
from burstline_server.diagnostics import catalogue
from burstline_server.diagnostics.catalogue import findings_of
from burstline_server.source import source
from burstline_server.words.findings import message_text

TEXT = """#define SCALE 3
#define AT(i) a[(i) * SCALE]
int third(int x) { return x / 3; }
__attribute__((reqd_work_group_size(64, 1, 1)))
__kernel void k(__global const float *restrict a, __global float *b, int n)
{
    int g = get_global_id(0);
    float s = 0; /* a sum */
    #pragma unroll 4
    for (int i = 0; i < n; i++)
        s += AT(i + g) + a[third(i)];
    b[g] = s; // stored
}
__kernel void after(__global int *b) { b[get_global_id(0)] = b[get_global_id(0) + 1]; }
"""

CONDITIONS = """__constant int third_of[3] = {0, 0, 1};
int third(int x)
{
    // of x
    return x / 3;
}
__kernel void k(__global const int *restrict a, __global int *b, int n)
{
    // in front of a directive
#ifdef BY_ITEM
    // by item
    int g = get_global_id(0);
#else
    int g = n;
#endif
    for (int i = 0; i < n; i++)
        g += third(a[i]);
    printf("// %d /* '\\n", g);
    // the sum
    b[0] = g + 'x';
}
"""


def said(done: Assessment) -> list[Any]:
    """All that is said of a file, with places."""
    found: list[Any] = [(f.code, f.span, message_text(f)) for f in findings_of(done)]
    return [*found, *(k.facts for k in done.kernels), *(k.estimate for k in done.kernels)]


def typed(text: str, at: str, written: str, monkeypatch: pytest.MonkeyPatch) -> tuple[int, list[str]]:
    """Type letter by letter in front of `at`: how often a kernel was read, and which texts were not as read anew."""
    reads, other = [], []
    assessor = Assessor()
    assessor.assess(text, "k.cl", [])
    first = kernels._FileScope.read
    place = text.index(at)
    for length in range(1, len(written) + 1):
        now = text[:place] + written[:length] + text[place:]
        with monkeypatch.context() as patched:
            patched.setattr(kernels._FileScope, "read", lambda *given: reads.append(given) or first(*given))
            followed = assessor.assess(now, "k.cl", [])
        if said(followed) != said(Assessor().assess(now, "k.cl", [])):
            other.append(now)
    return len(reads), other


@pytest.mark.parametrize("at", [" a sum */", " stored\n"])
def test_a_comment_that_grows_reads_nothing_again(at: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert typed(TEXT, at, " of all\tof them", monkeypatch) == (0, [])


@pytest.mark.parametrize("at", ["    b[g] = s", "    float s", "        s +=", "    int g", "b[g] = s"])
def test_new_comments_are_read_until_they_are_ones(at: str, monkeypatch: pytest.MonkeyPatch) -> None:
    written = "    // is new\n"
    reads, other = typed(TEXT, at, written, monkeypatch)
    assert other == []
    assert 0 < reads < len(written)


@pytest.mark.parametrize("at", [" of x", " in front", " the sum"])
def test_a_comment_reads_nothing_again_next_to_strings_directives_and_helpers(
    at: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert typed(CONDITIONS, at, " it's a\tsum", monkeypatch) == (0, [])


@pytest.mark.parametrize(
    "at", ["// by item", "int g = get", "#else", "#ifdef", "/* '", "// of", "// the sum", "#endif"]
)
@pytest.mark.parametrize("written", ["/* on */", "#endif\n", "\\\n", '"', "\n// c\n", "*/"])
def test_what_decides_what_is_compiled_is_read(at: str, written: str, monkeypatch: pytest.MonkeyPatch) -> None:
    _, other = typed(CONDITIONS, at, written, monkeypatch)
    assert other == []


@pytest.mark.parametrize("written", ["\n", "  ", "/* on\ntwo lines */", "/**/"])
@pytest.mark.parametrize("at", ["= s;", "AT(i", "[third", ") + a", "4\n", "(int i"])
def test_blanks_between_words_of_a_line_are_followed(at: str, written: str, monkeypatch: pytest.MonkeyPatch) -> None:
    _, other = typed(TEXT, at, written, monkeypatch)
    assert other == []


@pytest.mark.parametrize(("at", "written"), [("x / 3", "1 + "), ("third(i)", "2 * "), ("3\n#define AT", "1")])
def test_words_are_read_again(at: str, written: str, monkeypatch: pytest.MonkeyPatch) -> None:
    reads, other = typed(TEXT, at, written, monkeypatch)
    assert other == []
    assert reads > 0


@pytest.mark.parametrize("written", ["\n and on", "*/ + 2 /*", "\\\n", "/*", "//", ' "'])
@pytest.mark.parametrize("at", [" a sum */", " stored\n", "* a sum"])
def test_what_a_comment_holds_or_ends_is_followed(at: str, written: str, monkeypatch: pytest.MonkeyPatch) -> None:
    _, other = typed(TEXT, at, written, monkeypatch)
    assert other == []


NESTED = """enum kinds {
    ONE,
    TWO
};
struct pair {
    int left;
    int right[third];
};
__constant float weights[2] = {
    1.0f, 2.0f
};
void lost(__global int *b) { b[0] = unknown; }
__kernel void k(__global struct pair *restrict a, __global int *b, int n)
{
    for (int i = 0;
         i < n;
         i++) {
        switch (i & TWO) {
        case ONE:
            b[i] = a[i].left;
            break;
        default: {
            b[i] = 16 * weights[1];
        }
        }
    }
    gone(n);
}
__kernel void calls(__global int *b) { lost(b); }
"""


@pytest.mark.parametrize("text", [TEXT, CONDITIONS, NESTED], ids=["plain", "conditions", "nested"])
def test_a_comment_of_its_own_lines_is_not_even_parsed(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    behind = [m.end() for m in re.finditer(r"[;{}]\n(?!#)", text)]
    assert len(behind) > 5
    for place in behind:
        assessor, comment = Assessor(), "    // as lost(b) does\n"
        assessor.assess(text, "k.cl", [])
        parses = []
        for length in (len(comment), len(comment) - 7):  # the comment, and a shorter one
            now = text[:place] + comment[: length - 1] + "\n" + text[place:]
            with monkeypatch.context() as patched:
                parsed = Mock(wraps=source.section_tree)
                patched.setattr(source, "section_tree", parsed)
                followed = assessor.assess(now, "k.cl", [])
            parses.append(parsed.call_count)
            fresh = Assessor().assess(now, "k.cl", [])
            assert said(followed) == said(fresh)
            assert (followed.faults, followed.withheld) == (fresh.faults, fresh.withheld)
        # Types and tables are read again where an edit is in them.
        assert parses == [0, 0] or place < text.index("__kernel")


FAULTY = """__kernel void first(__global int *a, __global float *b)
{
    int g = get_global_id(0);
    a[g] = lost + 16 * b[g] + sizeof(int[4]);
    b[16] = gone(g % 8, 40.5f) + 0x2f + 7u;
}
__kernel void second(__global int *a) { a[get_global_id(0) + 12] = 3; }
"""


@pytest.mark.parametrize("number", ["16 *", "4]", "16]", "8,", "40", "5f", "2f", "7u", "12]", "3;"])
@pytest.mark.parametrize("now", ["1{}", "{}0", "0", "", "08", "2.5", "9999999999", "x", "7 /* {} */"])
def test_faults_are_those_of_a_fresh_reading_after_a_number_changed(number: str, now: str) -> None:
    assessor = Assessor()
    assessor.assess(FAULTY, "k.cl", [])
    figure = re.match(r"\d+", number)
    assert figure is not None
    for text in (FAULTY.replace(number, now.format(figure[0]) + number[figure.end() :], 1), FAULTY):
        followed, anew = assessor.assess(text, "k.cl", []), Assessor().assess(text, "k.cl", [])
        assert (followed.faults, followed.withheld) == (anew.faults, anew.withheld)


def test_a_comment_typed_in_an_included_file_keeps_its_faults_in_place(tmp_path: Path) -> None:
    helper = "int twice(int x) { /* */ return 2 * x; }\nint other(int x)\n{\n    // \n    return twice(x) + lost;\n}\n"
    kernel = '#include "helper.cl"\n__kernel void k(__global int *a) { a[get_global_id(0)] = other(3); }\n'
    (tmp_path / "k.cl").write_text(kernel)
    path = tmp_path / "helper.cl"
    path.write_text(helper)
    assessor = Assessor([tmp_path])
    assessor.assess(helper, str(path), [])
    for at in ("/* ", "// "):
        now = helper
        for letter in "of it":
            place = now.index(at) + len(at)
            now = now[:place] + letter + now[place:]
            followed, anew = (one.assess(now, str(path), []) for one in (assessor, Assessor([tmp_path])))
            assert (followed.faults, followed.withheld) == (anew.faults, anew.withheld)
            assert [now[f.span.start : f.span.end] for f in followed.faults] == ["lost"]


def test_a_comment_typed_in_an_included_file_costs_nothing_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    part = "__kernel void inner(__global item *restrict a, int n)\n{\n    a[n] = a[n + 1];\n    // of it\n}\n"
    other = "__kernel void outer(__global item *restrict a)\n{\n    a[get_global_id(0)] = 0;\n}\n"
    (tmp_path / "all.cl").write_text(f'typedef float item;\n#include "part.cl"\n{other}')
    path = tmp_path / "part.cl"
    path.write_text(part)
    assessor = Assessor([tmp_path])
    assert [k.facts.name for k in assessor.assess(part, str(path), []).kernels] == ["inner"]
    built: list[object] = []
    first = costing.CostingContext.cost_of
    for number in range(1, 4):
        now = part.replace("// of it", f"// of it{' now' * number}")
        with monkeypatch.context() as patched:
            patched.setattr(costing.CostingContext, "cost_of", lambda *given: built.append(given) or first(*given))
            followed = assessor.assess(now, str(path), [])
        assert said(followed) == said(Assessor([tmp_path]).assess(now, str(path), []))
    assert built == []


JOINED = """#pragma OPENCL EXTENSION cl_intel_channels : enable
channel float items;
extern float scaled(float x);
__kernel void source(__global const float *restrict a, int n)
{
    for (int i = 0; i < n; i++)
        write_channel_intel(items, a[i]); // sent
}
__kernel void sink(__global float *restrict b, int n)
{
    for (int i = 0; i < n; i++) {
        float x = read_channel_intel(items); // taken
        b[i] = x;
    }
}
"""


@pytest.mark.parametrize("at", [" // sent", " // taken", "    for (int i = 0; i < n; i++) {", "\n__kernel void source"])
def test_comments_cost_and_find_nothing_again(at: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assessor, text = Assessor(), JOINED
    before = assessor.assess(text, "k.cl", [])
    list(findings_of(before))
    asked: list[object] = []
    monkeypatch.setattr(catalogue, "_found", lambda *given: asked.append(given) or ())
    monkeypatch.setattr(reuse, "relocated", lambda *given: asked.append(given) or given[0])
    for written in ("/* a */", "/* a, then b */", "/* b */", "/* a,\tnow b */"):
        now = assessor.assess(text.replace(at, written + at), "k.cl", [])
        findings_of(now)
        assert [k.cost for k in now.kernels] == [k.cost for k in before.kernels]
    assert asked == []


def test_comments_at_many_places_keep_all_places(monkeypatch: pytest.MonkeyPatch) -> None:
    reads: list[object] = []
    assessor, now = Assessor(), JOINED
    assessor.assess(now, "k.cl", [])
    first = kernels._FileScope.read
    monkeypatch.setattr(kernels._FileScope, "read", lambda *given: reads.append(given) or first(*given))
    for number in range(2 * relaid.MOST_GAPS):
        places = [match.end() for match in re.compile(r"(?:[;{)]|\*/)(?=\s)").finditer(now, now.index("__kernel"))]
        place = places[(7 * number) % len(places)]
        now = f"{now[:place]}/* {number} */{now[place:]}"
        followed = assessor.assess(now, "k.cl", [])
        read = len(reads)
        assert said(followed) == said(Assessor().assess(now, "k.cl", []))
        del reads[read:]
    assert reads == []
    for number in range(0, 2 * relaid.MOST_GAPS, 3):
        now = now.replace(f"/* {number} */", "", 1)
        assert said(assessor.assess(now, "k.cl", [])) == said(Assessor().assess(now, "k.cl", []))


def test_a_comment_between_a_declaration_and_a_kernel_reads_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    text = JOINED.replace("float x);\n", "float x);\n// of items\n")
    assert typed(text, "items\n__kernel", "many, many ", monkeypatch) == (0, [])


def test_costs_stay_where_a_declaration_changes_no_figure() -> None:
    assessor = Assessor()
    before = assessor.assess(JOINED, "k.cl", [])
    now = assessor.assess(JOINED.replace("float scaled", "typedef int whole;\nextern float scaled"), "k.cl", [])
    assert [k.estimate for k in now.kernels] == [k.estimate for k in before.kernels]
    assert all(a.lsus is b.lsus for a, b in zip(now.kernels, before.kernels, strict=True))
