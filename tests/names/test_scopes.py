"""Which declaration a name means: carets under a name are labelled by the line that declares it."""

import pytest

from burstline_server.names.resolve import read_names
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
def test_the_declaration_that_is_meant(label) -> None:
    names = read_names(read_source(TEXT))
    offset = sum(len(line) + 1 for line in TEXT.splitlines()[: label.line - 1]) + label.start
    found = names.at(offset)
    assert found is not None
    name, place = found
    assert (place.start, place.end) == (offset, offset + label.end - label.start)
    assert f"line {names.source.lines.line_of(name.place.start) + 1}" == label.text
