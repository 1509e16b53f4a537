"""Which declaration a name means: carets under a name are labelled by the line that declares it."""

import pytest

from burstline_server.names.name_table import names_of
from burstline_server.source.read import read_source
from tests.fixtures import labels

TEXT = """
    struct narrow { float data; int tag; };
    typedef struct { float data[4]; } wide;
    struct pair { struct narrow left; wide right; };
    #define APPLY(f, a) f(a, 1)
    static float shift(float v, int by);
    enum { FIRST, SECOND };
    __kernel void k(__global struct narrow *n, __global wide *w, __local struct pair *p, int v)
    {
        n[0].data = w[1].data[2];
        //   ^^^^ line 2
        //               ^^^^ line 3
        p->right.data[0] = p->left.data;
        //       ^^^^ line 3
        //                         ^^^^ line 2
        int by = v, FIRST = 2;
        //       ^ line 8
        for (int v = 0; v < by; v++) {
        //              ^ line 18
            float data = APPLY(shift, v);
            //                 ^^^^^ line 31
            //                        ^ line 18
            n[v].data = data + FIRST + SECOND;
            //          ^^^^ line 20
            //                 ^^^^^ line 16
            //                         ^^^^^^ line 7
        }
        by = v;
        //   ^ line 8
    }
    static float shift(float v, int by) { return v * by; }
"""


@pytest.mark.parametrize("label", labels(TEXT), ids=lambda label: f"line {label.line}, column {label.start}")
def test_the_declaration_that_a_use_refers_to(label) -> None:
    names = names_of(read_source(TEXT))
    offset = sum(len(line) + 1 for line in TEXT.splitlines()[: label.line - 1]) + label.start
    found = names.at(offset)
    assert found is not None
    name, place = found
    assert (place.start, place.end) == (offset, offset + label.end - label.start)
    assert f"line {names.source.lines.line_of(name.place.start) + 1}" == label.text


def test_macros_do_not_move_what_can_be_seen() -> None:
    text = "#define LONG (1 + 2 + 3 + 4 + 5 + 6)\nvoid f(int a) { int b = LONG + LONG + LONG; }\n"
    names = names_of(read_source(text))
    inside = {name.text for name in names.visible(text.index(" }"))}
    assert inside == {"a", "b", "f", "LONG"}
    assert {name.text for name in names.visible(len(text))} == {"f", "LONG"}


def test_a_macro_is_known_at_the_end_of_its_directive() -> None:
    text = "#define SHOWN 0\n#if SHOWN\nint a;\n#endif\n"
    found = names_of(read_source(text)).at(text.index("SHOWN\nint") + len("SHOWN"))
    assert found is not None
    assert found[0].kind == "macro"


def test_arguments_of_macros_are_names_wherever_they_go() -> None:
    text = "#define BOTH(a) a; int g() { return a; }\nint before;\nint f(int v) { return BOTH(before) }\n"
    names = names_of(read_source(text))
    found = names.at(text.index("BOTH(before") + 6)
    assert found is not None
    assert [text[s.start : s.end] for s in names.places(found[0])] == ["before", "before"]
    assert found[0].place.start == text.index("before;")
