"""Counters that start over now and then still show how far an access moves from one iteration to the next."""

import pytest

from burstline_server.words.units import stride_text
from tests.assessing import assess

KERNEL = """
__kernel void k(__global float *restrict x, const int rows, const int columns)
{{
    int r = 0, c = 0, at = 0;
    for (int i = 0; i < rows * columns; i++) {{
        x[{index}] = 1.0f;
        {step}
    }}
}}
"""


@pytest.mark.parametrize(
    ("index", "step", "stride"),
    [
        ("r * columns + c", "c++; if (c == columns) { c = 0; r++; }", "1"),
        ("r * columns + c", "if (c == columns - 1) { c = 0; r++; } else c++;", "1"),
        ("r * columns + c", "if (c < columns - 1) c++; else { c = 0; if (r == rows - 1) r = 0; else r++; }", "1"),
        ("4 * c", "c = (c == columns - 1) ? 0 : c + 1;", "4"),
        ("c", "c = (c + 2) % columns;", "2"),
        ("c", "c = (c + 8) & 1023;", "8"),
        ("c * columns", "c++; if (c >= rows) c = 0;", "4·columns B"),
        ("at", "if (i % 16 == 15) at += columns; else at++;", "1"),
        # Whether these move is anybody's guess; if they do, by one.
        ("at", "if (i & 1) at++;", "1"),
        ("at", "if (x[i] == 2.0f) at++;", "1"),
        ("at", "switch (i & 3) { case 0: at++; }", "1"),
        ("at", "if (x[i] == 2.0f) at--;", "data-dependent"),
        ("at", "at = at * 3 + 1;", "not a fixed step"),
    ],
)
def test_stride_of_a_collapsed_loop(index: str, step: str, stride: str) -> None:
    (kernel,) = assess(KERNEL.format(index=index, step=step)).kernels
    stores = [u for u in kernel.lsus if u.op == "store"]
    assert [stride_text(u) for u in stores] == [stride]


def test_a_vector_walk_that_starts_over_stays_aligned() -> None:
    text = """
    __kernel void k(__global float *restrict x, const int n)
    {
        int c = 0;
        for (int i = 0; i < n; i++) {
            #pragma unroll
            for (int k = 0; k < 16; k++) x[c + k] = 1.0f;
            c += 16;
            if (c == 4096) c = 0;
        }
    }
    """
    (kernel,) = assess(text).kernels
    assert [(u.style, u.width_bits) for u in kernel.lsus] == [("Burst-coalesced", 512)]


@pytest.mark.parametrize(
    "index", ["(x)+(y)*8", "(x) - (-y)*8", "AT(x, y)", "of(x, y)", "((x)+(y)*4)+(y)*4", "(int)+(x) + (y)*8"]
)
def test_names_in_parentheses_in_front_of_a_sign_are_no_casts(index: str) -> None:
    text = f"""
#define AT(a, b) (a)+(b)*8
int of(int a, int b) {{ return (a)+(b)*8; }}
__kernel void k(__global const float *restrict in, __global float *restrict out)
{{
    int x = get_global_id(0), y = get_global_id(1);
    out[8 * y + x] = in[{index}];
}}
"""
    (kernel,) = assess(text).kernels
    assert [str(a.offset) for a in kernel.facts.accesses] == ["4·gid0 + 32·gid1"] * 2


@pytest.mark.parametrize(
    ("loops", "offset"),
    [
        ("for (int i = 0; i < n; i++) {{ for (int j = 0; j < 8; j++) {{ {0} }} }}", "32·i + 4·j"),
        # A loop that is another's whole body is passed as often without braces.
        ("for (int i = 0; i < n; i++) for (int j = 0; j < 8; j++) {{ {0} }}", "32·i + 4·j"),
        ("for (int i = 0; i < n; i++) for (int h = 0; h < 3; h++) for (int j = 0; j < 8; j++) {{ {0} }}",
         "32·h + 96·i + 4·j"),
        ("int i = 0; while (i++ < n) for (int j = 0; j < 8; j++) {{ {0} }}", "4·j + 32·loop0"),
    ],
)  # fmt: skip
def test_a_counter_moves_on_in_a_loop_that_is_the_whole_body_of_another(loops: str, offset: str) -> None:
    body = loops.format("x[at] = 1.0f; at++;")
    (kernel,) = assess(f"__kernel void k(__global float *restrict x, const int n) {{ int at = 0; {body} }}").kernels
    (store,) = kernel.facts.accesses
    assert str(store.offset) == offset


@pytest.mark.parametrize(
    ("step", "offset"),
    [
        ("int r = q + 1; o = r + 1;", "8·i"),
        ("o = o + 1 + 1;", "8·i"),
        ("int r = 3 + q, s = r - 1u; o = (s + (2));", "16·i"),
        ("o = q + w + 1;", "4·i + 4·i·w"),
        ("int r = q + 1; o = r + w;", "4·i + 4·i·w"),
        ("int r = q + w; o = r - 1;", "-4·i + 4·i·w"),
        ("int r = q + w; o = r + w;", None),
        ("int r = 2 - q; o = r + 1;", None),
        ("int r = q + 1; if (r > 9) o = r + 1;", None),
        ("int r = q + 1; o = q; o = r + 1;", None),
    ],
)
def test_several_numbers_on_the_way_through_temporaries(step: str, offset: str | None) -> None:
    text = """
    __kernel void k(__global int *restrict x, const int m, const int w)
    {
        int o = 0;
        for (int i = 0; i < m; i++) {
            int q = o;
            x[q] = i;
            STEP
        }
    }
    """.replace("STEP", step)
    (kernel,) = assess(text).kernels
    (store,) = kernel.facts.accesses
    said = str(store.offset)
    assert said == offset if offset else "·i" not in said


@pytest.mark.parametrize(
    ("step", "trips"),
    [
        ("s = get_global_size(0); t = s + i; i = t;", 64),
        ("s = n; t = i + s; i = t;", 256),
        ("s = n; s = 4; t = i + s; i = t;", None),  # which of both is not looked at
        ("t = s + i; i = t; s = x[i];", None),
    ],
)
def test_steps_that_a_temporary_holds(step: str, trips: int | None) -> None:
    text = """
    __kernel void k(__global int *restrict x, const int n)
    {
        int s, t, i;
        i = get_global_id(0);
        for (; i < 4096;) {
            x[i] += 1;
            STEP
        }
    }
    """.replace("STEP", step)
    (kernel,) = assess(text, global_size=[64], local_size=[64], arguments={"n": 16}).kernels
    assert (
        kernel.estimate.loops[0].trip == pytest.approx(trips, abs=2) if trips else kernel.estimate.loops[0].trip is None
    )
