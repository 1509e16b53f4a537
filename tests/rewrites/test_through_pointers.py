"""Edits of elements that moved pointers lead to: what is seen through, what is not, and equal results."""

from __future__ import annotations

import pytest

from burstline_server.assessment.assessor import Assessor
from burstline_server.config.layers import Layer
from burstline_server.rewrites.catalogue import offers_of, refusals_of
from burstline_server.rewrites.plain_subscripts import with_subscripts
from burstline_server.words.obstacles import obstacle_text
from tests.assessing import assess, once
from tests.rewrites.equality import Data, tried

HEAD = "__kernel void k(__global const float *restrict a, __global float *restrict c, const int n, const int m)\n{\n"
MOVED = (
    HEAD
    + """    a += m * n;
    c = c + 3;
    for (int i = 1; i < n; i++)
        for (int j = 0; j < n; j++)
            *(c + i) += a[i + j] * m;
}
"""
)
ROWS = (
    HEAD
    + """    for (int r = 0; r < m; r++) {
        __global const float *row = &a[r * n] + 1;
        __global float *to = c + r * n;
        for (int i = 1; i < n; i++)
            to[i] = row[i - 1] + 2 * row[i] - *(row + i + 1);
    }
}
"""
)
CASES = {"moved": (MOVED, "keep_in_variable"), "rows": (ROWS, "sliding_window")}


def spelled(text: str) -> str:
    """The text with plain subscripts; empty where nothing is written anew."""
    assessment = assess(text)
    found = with_subscripts(assessment, assessment.kernels[0], {"a", "c"})
    return found[0].source.original.decode() if found is not None else ""


@once
def offered(text: str, kind: str) -> list[str]:
    """The texts after the edits of a kind."""
    layers = [Layer("file", {"arguments": {"n": 1000, "m": 8}})]
    found = offers_of(Assessor().assess(text, "k.cl", layers))
    return [one.applied(text.encode()).decode() for one in found if one.title.kind == kind]


def test_an_argument_that_is_moved_first_is_seen_through() -> None:
    (after,) = offered(MOVED, "keep_in_variable")
    lines = [line.strip() for line in after.splitlines()]
    assert "c = c + 3;" not in lines
    assert "float c_kept = 0 < n ? c[3 + i] : 0;" in lines
    # The other pointer is none of this edit's.
    assert "a += m * n;" in lines
    assert "c_kept += a[i + j] * m;" in lines


def test_a_row_that_keeps_its_place_is_seen_through() -> None:
    (after,) = offered(ROWS, "sliding_window")
    assert "*row" not in after
    assert "a_2 = a[r * n + 1 + i + 1];" in after
    assert "to[i] = a_0 + 2 * a_1 - a_2;" in after


def test_every_pointer_is_written_as_the_argument_that_it_leads_to() -> None:
    after = spelled(ROWS)
    assert "c[r * n + i] = a[r * n + 1 + (i - 1)] + 2 * a[r * n + 1 + i] - a[r * n + 1 + i + 1];" in after
    assert spelled(after) == ""


def test_a_pointer_that_is_left_out_takes_its_address_space_along() -> None:
    after = spelled(ROWS.replace("        __global float *to = c + r * n;\n", "").replace("to[i]", "c[i]"))
    assert "__global" not in after.partition("{")[2]
    assert "    for (int r = 0; r < m; r++) {\n        for (int i = 1; i < n; i++)\n" in after


PLAIN = MOVED.replace("    c = c + 3;\n", "").replace("*(c + i)", "c[i]")
ROW = ROWS.replace("        __global float *to = c + r * n;\n", "").replace("to[i]", "c[i]")


@pytest.mark.parametrize(
    "text",
    [
        PLAIN.replace("a += m", "if (m > 2) a += m"),
        PLAIN.replace("a += m * n;", "a += m * n;\n    a += n;"),
        PLAIN.replace("a += m * n;", "const uint o = m;\n    a += o;"),
        PLAIN.replace("    a +=", "    c[0] = a[1];\n    a +="),
        PLAIN.replace("m * n;", "c[1] > 2;"),
        PLAIN.replace("    a += m * n;", "    int o = n;\n    a += o;\n    o = 2;"),
        ROW.replace("            c[i] =", "            row += 0, c[i] ="),
        ROW.replace("&a[r * n] + 1", "(__global float *)a"),
        ROW.replace("const float *row", "const volatile float *row"),
        ROW.replace("row[i - 1]", "row[i - 1] + (row > a)"),
    ],
)
def test_what_may_lead_elsewhere_is_left_alone(text: str) -> None:
    assert text not in {PLAIN, ROW}
    assert spelled(text) == ""


def test_the_reason_is_what_is_in_the_way_of_its_elements() -> None:
    text = MOVED.replace("*(c + i) += a[i + j] * m", "*(c + i) += a[i + j] * c[j]")
    said = [obstacle_text(one.reason) for one in refusals_of(assess(text)) if one.title.kind == "keep_in_variable"]
    assert said
    assert not any("used other than as one element" in one for one in said)


@pytest.mark.parametrize("name", CASES)
def test_they_compute_the_same_on_a_real_runtime(name: str) -> None:
    np = pytest.importorskip("numpy")
    text, kind = CASES[name]
    arrays = {key: np.arange(400, dtype=np.float32) % 17 for key in "ac"}
    data = [Data(arrays, {"n": np.int32(n), "m": np.int32(m)}, group=(1,)) for n, m in ((0, 2), (1, 0), (9, 3))]
    found = [one for one in tried(text, data) if one.offer.title.kind == kind]
    assert found
    assert all(one.unequal is None and one.launches for one in found)
