"""Iterations of an outer loop together whose elements lie next to each other: columns that are added up."""

from __future__ import annotations

import pytest

from burstline_server.assessment.assessor import Assessor
from burstline_server.config.layers import Layer
from burstline_server.interpreter.verdicts import Equal
from burstline_server.rewrites.catalogue import Fix, fixes_of, offers_of
from burstline_server.rewrites.rewrite import Offer
from burstline_server.words.edits import fix_title
from tests.assessing import once
from tests.rewrites.equality import Data, tried

HEAD = "__kernel void k(__global const float *restrict a, __global float *restrict y, const int n, const int m)\n{\n"
COLUMNS = (
    HEAD
    + """    for (int i = 0; i < n; i++) {
        float sum = 0.5f;
        for (int j = 0; j < m; j++)
            sum += a[j * n + i];
        y[i] = sum;
    }
}
"""
)
JAMMED = (
    HEAD
    + """    for (long i_first = 0; i_first < n; i_first += 16) {
        float sum[16];
        #pragma unroll
        for (int lane = 0; lane < 16; lane++) {
            sum[lane] = 0.5f;
        }
        for (int j = 0; j < m; j++) {
            #pragma unroll
            for (int lane = 0; lane < 16; lane++) {
                if (i_first + lane < n) {
                    const int i = i_first + lane;
                    sum[lane] += a[j * n + i];
                }
            }
        }
        #pragma unroll
        for (int lane = 0; lane < 16; lane++) {
            if (i_first + lane < n) {
                const int i = i_first + lane;
                y[i] = sum[lane];
            }
        }
    }
}
"""
)
LARGEST = COLUMNS.replace("sum += a[j * n + i];", "if (a[j * n + i] > sum) sum = a[j * n + i];")
BACK = COLUMNS.replace("a[j * n + i]", "a[j * n - i + n - 1]")
STORED = (
    HEAD
    + """    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            float t = a[i * m + j];
            y[j * n + i] = t * t;
        }
}
"""
)
TURNED = (
    HEAD
    + """    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            y[j * n + i] = a[i * m + j];
}
"""
)
TEXTS = {"columns": COLUMNS, "largest": LARGEST, "back": BACK, "stored": STORED, "turned": TURNED}


@once
def offered(text: str) -> list[Offer]:
    """The edits of this kind for a text."""
    layers = [Layer("option", {"arguments": {"n": 1024, "m": 1024}})]
    return [o for o in offers_of(Assessor().assess(text, "k.cl", layers)) if o.title.kind == "unroll_and_jam"]


def fixed(text: str, **sizes: int) -> Fix:
    """The edit with its gain."""
    assessor, layers = Assessor(), [Layer("option", {"arguments": sizes, "aoc_version": "19.4"})]
    assessment = assessor.assess(text, "k.cl", layers)
    (fix,) = fixes_of(assessor, assessment, layers, chosen=lambda one: one.title.kind == "unroll_and_jam")
    return fix


def test_neighbouring_columns_are_added_up_together() -> None:
    (offer,) = offered(COLUMNS)
    assert offer.kind == "proved"
    assert offer.applied(COLUMNS.encode()).decode() == JAMMED
    assert offered(JAMMED) == []


def test_each_word_is_fetched_once_in_place_of_once_for_each_column() -> None:
    fix = fixed(COLUMNS, n=1024, m=1024)
    assert isinstance(fix.execution, Equal)
    assert fix.gain is not None
    # A word of 64 bytes for each of 2^20 elements before, for 16 of them after.
    assert fix.gain.before_s == pytest.approx(64 * 2**20 / 14e9, rel=0.15)
    assert fix.speedup == pytest.approx(16, rel=0.1)
    assert "together (unroll and jam): kernel " in fix_title(fix)


def test_a_transposed_plane_is_stored_in_whole_words() -> None:
    fix = fixed(TURNED, n=1024, m=1024)
    assert isinstance(fix.execution, Equal)
    assert fix.offer.kind == "proved"
    assert fix.gain is not None
    # A word of 64 bytes was stored for each of 2^20 elements; now 16 rows are read side by side, an element at a time.
    assert fix.gain.before_s == pytest.approx(68 * 2**20 / 14e9, rel=0.15)
    assert 3 < (fix.speedup or 0) < 16


@pytest.mark.parametrize(("type_", "bound", "together"), [("float", "n", 16), ("double", "n", 8), ("float", "12", 8)])
def test_as_many_as_fill_a_word_and_no_more_than_there_are(type_: str, bound: str, together: int) -> None:
    (offer,) = offered(COLUMNS.replace("float", type_).replace("i < n", f"i < {bound}"))
    assert offer.title.names == ("i", together)


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_it_computes_the_same_on_a_real_runtime(text: str) -> None:
    np = pytest.importorskip("numpy")
    rng = np.random.default_rng(5)
    arrays = {name: rng.normal(size=48 * 24).astype(np.float32) for name in "ay"}
    sizes = [(0, 3), (1, 1), (5, 24), (16, 7), (35, 0), (48, 24)]
    data = [Data(arrays, {"n": np.int32(n), "m": np.int32(m)}, group=(1,)) for n, m in sizes]
    found = [one for one in tried(text, data) if one.offer.title.kind == "unroll_and_jam"]
    assert [(one.unequal, one.why, one.launches) for one in found] == [(None, "", len(sizes))]


@pytest.mark.parametrize(
    "text",
    [
        # A column that is read when the one before has been stored, and buffers that may be one.
        COLUMNS.replace("a[j * n + i]", "y[j * n + i]"),
        COLUMNS.replace("restrict ", ""),
        COLUMNS.replace("j < m", "j < i"),
        COLUMNS.replace("a[j * n + i]", "a[j * n + 2 * i]"),
        COLUMNS.replace("i < n", "i < 1"),
    ],
)
def test_refused(text: str) -> None:
    assert offered(text) == []
