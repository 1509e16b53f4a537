"""Two loops that follow each other, made one: edits, refusals, results."""

from __future__ import annotations

from typing import Any

import pytest

from burstline_server.assessment.assessor import Assessor
from burstline_server.config.layers import Layer
from burstline_server.interpreter.verdicts import Equal
from burstline_server.rewrites.catalogue import offers_of, tried
from burstline_server.rewrites.fuse_loops import FuseLoops
from burstline_server.rewrites.rewrite import Offer
from burstline_server.words.edits import title_text
from burstline_server.words.obstacles import obstacle_text
from tests.assessing import once
from tests.rewrites.runtime import results, runtime

HEAD = (
    "__kernel void k(__global const int *restrict x, __global int *restrict y, __global int *restrict z, const int n)\n"
)
PLAIN = (
    HEAD
    + """{
    for (int i = 0; i < n; i++)
        y[i] = x[i] * 2; // twice
    // and then
    for (int j = 0; j < n; ++j) {
        z[j] = x[j + 1] - y[j];
    }
}
"""
)
BEHIND = (
    HEAD
    + """{
    int s = 0;
    for (int i = 3; i < n; i += 2) {
        const int t = x[i];
        y[i + 4] = t;
        for (int k = 0; k < 2; k++)
            y[k] = t - k;
    }
    int v = 5, w;
    for (int i = 3; i < n; i += 2) {
        int t = y[i + 3] + v;
        for (int k = 0; k < 3; k++)
            t += x[k];
        s += t;
        y[i] = t;
    }
    z[0] = s;
}
"""
)
CLASH = (
    HEAD
    + """{
    int t = n * 3;
    for (int r = 0; r < 4; r++) {
        for (int i = 0; i < n; i++) { int t = x[i]; y[i] = t; }
        for (int j = 0; j < n; j++) z[j] = t + r;
    }
}
"""
)
OUTSIDE = (
    HEAD
    + """{
    int j;
    for (j = 1; j < n; j++) { y[j] = x[j]; }
    for (j = 1; j < n; j++)
        z[j] += y[j - 1];
    z[90] = j;
}
"""
)
ARRAY = (
    HEAD
    + """{
    int t[91];
    for (int i = 0; i < n; i++)
        t[i] = x[i];
    for (int j = 0; j < n; j++)
        z[j] = t[j] + y[j];
}
"""
)
NAMES = (
    "enum { FIRST = 5 };\n"
    + HEAD
    + """{
    for (int i = 0; i < n; i++) { enum { FIRST = 1, SECOND }; y[i] = FIRST + SECOND; }
    for (int j = 0; j < n; j++) { enum { SECOND = 9 }; z[j] = x[j] + FIRST * SECOND; }
}
"""
)
CASES = {"plain": PLAIN, "behind": BEHIND, "clash": CLASH, "outside": OUTSIDE, "array": ARRAY, "names": NAMES}


@once
def assessed(text: str) -> Any:
    layers = [Layer("file", {"arguments": {"n": 1 << 20}, "aoc_version": "18.1"})]
    return Assessor().assess(text, "k.cl", layers), layers


@once
def offers(text: str) -> list[Offer]:
    return [o for o in offers_of(assessed(text)[0]) if o.title.kind.startswith("fuse_loops")]


@once
def refused(text: str) -> list[str]:
    assessment = assessed(text)[0]
    return [obstacle_text(one.reason) for one in FuseLoops().refusals(assessment, assessment.kernels[0])]


def applied(text: str) -> str:
    (offer,) = offers(text)
    assert offer.kind == "proved"
    return offer.applied(text.encode()).decode()


@pytest.mark.parametrize(
    ("text", "after"),
    [
        (
            PLAIN,
            """    for (int i = 0; i < n; i++) {
        y[i] = x[i] * 2;
        // twice
        // and then
        z[i] = x[i + 1] - y[i];
    }
}
""",
        ),
        (
            BEHIND,
            """    int v = 5, w;
    for (int i = 3; i < n; i += 2) {
        {
        const int t = x[i];
        y[i + 4] = t;
        for (int k = 0; k < 2; k++)
            y[k] = t - k;
        }
        {
        int t = y[i + 3] + v;
        for (int k = 0; k < 3; k++)
            t += x[k];
        s += t;
        y[i] = t;
        }
    }
    z[0] = s;
}
""",
        ),
        (
            CLASH,
            """        for (int i = 0; i < n; i++) {
            {
            int t = x[i]; y[i] = t;
            }
            {
            z[i] = t + r;
            }
        }
    }
}
""",
        ),
        (
            OUTSIDE,
            """    for (j = 1; j < n; j++) {
        y[j] = x[j];
        z[j] += y[j - 1];
    }
    z[90] = j;
}
""",
        ),
        (
            ARRAY,
            """    for (int i = 0; i < n; i++) {
        t[i] = x[i];
        z[i] = t[i] + y[i];
    }
}
""",
        ),
        (
            NAMES,
            """    for (int i = 0; i < n; i++) {
        {
        enum { FIRST = 1, SECOND }; y[i] = FIRST + SECOND;
        }
        {
        enum { SECOND = 9 }; z[i] = x[i] + FIRST * SECOND;
        }
    }
}
""",
        ),
    ],
    ids=CASES,
)
def test_edit_reads_like_the_file(text: str, after: str) -> None:
    found = applied(text)
    assert found.endswith(after)
    crlf = text.replace("\n", "\r\n")
    assert applied(crlf) == found.replace("\n", "\r\n")


def test_one_pass_is_faster_and_overlap_is_the_users_word() -> None:
    text = PLAIN.replace("restrict ", "")
    (offer,) = offers(text)
    assert title_text(offer.title) == (
        "Fuse the loops over i and j (one pass over x, y in place of two; unsafe: you assert that x does not overlap "
        "y, z and that y does not overlap z)"
    )
    for one in (PLAIN, text):
        assessment, layers = assessed(one)
        fix = tried(Assessor(), assessment, layers, offers(one)[0])
        assert fix is not None
        assert isinstance(fix.execution, Equal)
        assert one is text or (fix.speedup or 0) > 1.8


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (PLAIN.replace("- y[j]", "- y[j + 1]"),
         "a later iteration of the first loop may reach y[i] at what the second"),
        (PLAIN.replace("- y[j]", "- y[n - j]"), "a later iteration of the first loop"),
        (PLAIN.replace("- y[j]", "- y[x[j]]"), "a later iteration of the first loop"),
        (PLAIN.replace("y[i] =", "y[(uchar)i] ="), "a later iteration of the first loop"),
        (PLAIN.replace("int i = 0", "uchar i = 0").replace("int j = 0", "uchar j = 0"),
         "a later iteration of the first"),
        (PLAIN.replace("j < n", "j <= n"), ""),
        (ARRAY.replace("+ y[j]", "+ t[0]").replace("x[i]", "y[i]").replace("+ t", "+ y[j] + t"),
         "one of the loops sets t"),
        (PLAIN.replace("int j = 0", "long j = 0"), "start, end and step alike"),
        (PLAIN.replace("int j = 0; j < n", "int j = 1; j <= n"), "start, end and step alike"),
        (PLAIN.replace("    // and then", "    y[3] = 4;"), ""),
        (PLAIN.replace("    // and then", "    int q = x[3];"), ""),
        (PLAIN.replace("    // and then", "    #pragma unroll 4"), "a pragma already decides"),
        (PLAIN.replace("{\n    for", "{\n    __global int *q = (__global int *)(ulong)n;\n    for", 1)
         .replace("= x[i] * 2", "= q[i] = 3"), "part of what the kernel reads"),
        (PLAIN.replace("    // and then", "#if 1").replace("    }\n}", "    }\n#endif\n}"), "preprocessor conditions"),
        (PLAIN.replace("        z[j]", "        if (x[j] == 7) break;\n        z[j]"), ""),
        (PLAIN.replace("        z[j]", "        if (x[j] == 7) continue;\n        z[j]"), "do/goto/switch"),
        (PLAIN.replace("        z[j]", "        atomic_inc(&z[n]);\n        z[j]"), "side effect"),
        (PLAIN.replace("        z[j]", "        barrier(CLK_GLOBAL_MEM_FENCE);\n        z[j]"), ""),
        (PLAIN.replace("{\n    for", "{\n    int v = 1;\n    for", 1).replace("x[i] * 2", "(v += x[i])")
         .replace("- y[j]", "- v"), "one of the loops sets v"),
        (PLAIN.replace("{\n    for", "{\n    int i = 1;\n    for", 1).replace("- y[j]", "- i"),
         "one of the loops sets i"),
        (PLAIN.replace("{\n    for", "{\n    int m[4]; int *p = m;\n    for", 1).replace("= x[i] * 2", "= *p = x[i]"),
         "declares a pointer"),
        (PLAIN.replace("{\n    for", "{\n    int h = 1; int *p = &h;\n    for", 1).replace("- y[j]", "- h"),
         "declares a pointer"),
        ("#define AT j\n" + PLAIN.replace("- y[j]", "- y[AT]").replace("#define AT j", "#define AT (j + 0)"), ""),
        ("int add(int *p) { return *p += 3; }\n" + PLAIN.replace("{\n    for", "{\n    int h = 1;\n    for", 1)
         .replace("- y[j]", "- add(&h)"), "add has a side effect"),
        (PLAIN.replace("__global int *restrict y", "__global volatile int *restrict y"),
         "y is not in plain global memory"),
        (PLAIN.replace("< n; i++", "< n - y[2]; i++").replace("< n; ++j", "< n - y[2]; ++j"), ""),
    ],
)  # fmt: skip
def test_refused_with_the_reason(text: str, why: str) -> None:
    assert offers(text) == []
    assert why == "" or [one for one in refused(text) if why in one]


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("n", [0, 1, 2, 17, 90])
def test_edited_kernels_compute_the_same_on_a_real_runtime(name: str, n: int) -> None:
    np = pytest.importorskip("numpy")
    runtime()
    rng = np.random.default_rng(n)
    arrays = {one: rng.integers(-5, 1000, 400).astype(np.int32) for one in ("x", "y", "z")}
    text = CASES[name]
    left = [results(one, arrays, {"n": np.int32(n)}) for one in (text, applied(text))]
    assert all(np.array_equal(left[0][one], left[1][one]) for one in arrays)


def test_another_variable_of_the_first_counters_name_ends_the_second_loop() -> None:
    text = """__kernel void k(__global const int *restrict x, __global int *restrict y, __global int *restrict z, int n)
{
    int i = 7;
    for (int i = 0; i < n && i < 9; i++)
        y[i] = x[i];
    for (int j = 0; j < n && i < 9; j++)
        z[j] = x[j];
}
"""
    assert offers(text) == []
