"""Values that nobody uses: they neither serialise a loop nor need a load."""

from __future__ import annotations

import pytest

from burstline_server.analysis.liveness import dead_names
from tests.assessing import assess

KERNEL = """
__attribute__((max_global_work_dim(0)))
__kernel void k(__global const float *restrict x, __global const float *restrict w, __global float *restrict y, int n)
{{
    double norm = 0.0;
    for (int i = 0; i < n; i++) {{
        const float weight = w[i];
        norm += x[i] * weight;
        y[i] = x[i] * 2.0f;
    }}
    {end}
}}
"""


def test_an_unused_sum_neither_serialises_nor_loads() -> None:
    (kernel,) = assess(KERNEL.format(end=""), device_family="Arria 10", aoc_version="17.1").kernels
    assert kernel.estimate.loops[0].ii == 1
    assert {a.pointer for a in kernel.facts.accesses} == {"x", "y"}


def test_a_sum_that_is_stored_does() -> None:
    (kernel,) = assess(KERNEL.format(end="y[0] = norm;"), device_family="Arria 10", aoc_version="17.1").kernels
    assert kernel.estimate.loops[0].ii > 1
    assert {a.pointer for a in kernel.facts.accesses} == {"x", "w", "y"}


@pytest.mark.parametrize(("trips", "reached"), [("0", {"y"}), ("2", {"x", "y"}), ("n", {"x", "y"})])
def test_a_body_that_no_iteration_reaches_is_not_built(trips: str, reached: set[str]) -> None:
    (kernel,) = assess(f"""
__kernel void k(__global const float *restrict x, __global float *restrict y, int n)
{{
    for (int i = 0; i < n; i++) {{
        float sum = 0;
        #pragma unroll
        for (int j = 0; j < {trips}; j++)
            sum += x[i + j];
        y[i] = sum;
    }}
}}
""").kernels
    assert {a.pointer for a in kernel.facts.accesses} == reached


@pytest.mark.parametrize(
    ("body", "dead"),
    [
        ("{ int a = 0; a = a + 1; }", {"a"}),
        ("{ int a = n, b = a; a += b; b += a; }", {"a", "b"}),
        ("{ float a = 0, m, s[32]; for (int i = 0; i < 32; i++) { s[i] = x[i]; a += s[i]; } m = a / 2; }", {"a", "s"}),
        ("{ int a = n, b = 2; y[a] = b; }", set()),
        ("{ int b = 0, a = g(b, 2); y[0] = b; }", set()),
        ("{ float4 v; v.x = p[0]; v.y += 1.0f; }", {"v"}),
        ("{ int a = f(b); }", set()),  # f may do anything with b; a's statement stays
        ("{ int a = 0; if (a > 2) y[0] = 1; }", set()),
        ("{ int a = 0; y[a++] = 1; }", set()),
        ("{ int a = 0; g(&a); }", set()),
        ("{ int a = sqrt(b), c; }", {"a", "c"}),
        ("{ float a = sqrt(b); (void)a; }", {"a"}),
        ("{ volatile int a = 0; }", set()),
        ("{ int a = 0; while (a < 3) { a++; } }", set()),
        ("{ float a[64]; for (int i = 0; i < 64; i++) { a[i] = x[i]; } }", {"a"}),
        ("{ float a[8][8]; a[i][j].x += x[i] * 2.0f; }", {"a"}),
        ("{ float a[64]; a[i] = x[i]; y[i] = a[i]; }", set()),
        ("{ float a[64]; a[i] = x[i]; g(a); }", set()),
        ("{ float a[64]; a[b[i]] = x[i]; float b[4]; b[0] = a[1]; y[0] = b[0]; }", set()),
        ("{ __local float a[64]; a[i] = x[i]; }", set()),
        ("{ volatile float a[64]; a[i] = x[i]; }", set()),
        ("{ a[i] = x[i]; }", set()),  # a parameter
        ("{ int a = x[0]; int b = 0; if (a > 2) b = 1; else { b = a; } }", {"a", "b"}),
        ("{ int a = x[0]; int b = 0; if (a > 2) { b = 1; y[0] = b; } }", set()),
        ("{ int a = x[0]; if (a > 2) return; y[0] = 1; }", set()),
        ("{ int a = x[0]; int b = 0; if (a > 2) ; else y[0] = b; }", set()),
        ("{ int a = x[0]; int b = 0; if (a++ > 2) { b = 1; } }", set()),
        ("{ int a = x[0]; int b = 0; while (a > 2) { b = 1; } }", set()),
    ],
)
def test_dead_names(body: str, dead: set[str]) -> None:
    found = dead_names(body)
    assert dead <= found
    if not dead:
        assert "a" not in found or "f(" in body


SET_ANEW = """
inline float squared(float a) {{ return a * a; }}
__kernel void k(__global const float *x, __global const int *n, __global float *y)
{{
    const int i = get_global_id(0);
    float kept = squared(x[i + 1]); // kept may be overwritten
    y[i] = 0.0f;
    {later}
}}
"""


@pytest.mark.parametrize(
    ("later", "loaded"),
    [
        ("if (n[i] > 0) { kept = x[i + 2]; y[i] = kept; }", False),
        ("kept = x[i + 2]; y[i] = kept;", False),
        ("if (n[i] > 0) kept = 1.0f; else { kept = 2.0f; } y[i] = kept;", False),
        ("if (n[i] > 0) { kept = x[i + 2]; } y[i] = kept;", True),
        ("if (n[i] > 0) { y[i] = kept; kept = x[i + 2]; }", True),
        ("if (kept > 0) { kept = x[i + 2]; y[i] = kept; }", True),
        ("for (int k = 0; k < n[i]; k++) { y[k] = kept; kept = x[k]; }", True),
        ("if (n[i] > 0) { kept += x[i + 2]; y[i] = kept; }", True),
    ],
)
def test_a_value_that_is_overwritten_before_it_is_read_is_not_loaded(later: str, loaded: bool) -> None:
    (kernel,) = assess(SET_ANEW.format(later=later)).kernels
    assert any(a.op == "load" and a.index == "i + 1" for a in kernel.facts.accesses) == loaded


@pytest.mark.parametrize(
    ("loop", "kept"),
    [
        ("for (int j = 0; j < n; j++) unused += 3.0f * j;", False),
        ("for (int j = 0; j < n; j++) { for (int k = 0; k < j; k++) unused += x[k]; }", False),
        ("for (int j = n; j > 0; j -= 2) { }", False),
        ("for (int j = 0; j < n; j++) { unused += x[j]; y[j] = 0; }", True),
        ("for (int j = 0; j < n; y[j] = j) j++;", True),
        ("for (int j = 0; n; j++) unused += 1;", True),  # it may not end
    ],
)
def test_a_loop_that_only_counts_is_not_built(loop: str, kept: bool) -> None:
    text = "__kernel void k(__global const float *restrict x, __global float *restrict y, int n)\n"
    (kernel,) = assess(f"{text}{{\n    float unused = 0, other;\n    y[n] = 1.0f;\n    {loop}\n}}\n").kernels
    assert bool(kernel.facts.loops) == kept
    assert all(a.pointer == "y" for a in kernel.facts.accesses)


def test_a_private_array_that_nobody_reads_needs_no_load() -> None:
    text = """
__kernel void k(__global const float *restrict x, __global const float *restrict w, __global float *restrict y, int n)
{
    float kept[256];
    for (int i = 0; i < 256; i++)
        kept[i] = w[i];
    for (int i = 0; i < n; i++)
        y[i] = x[i] + END;
}
"""
    for end, pointers in (("1.0f", {"x", "y"}), ("kept[i & 255]", {"x", "w", "y"})):
        (kernel,) = assess(text.replace("END", end), device_family="Stratix 10", aoc_version="20.2").kernels
        assert {a.pointer for a in kernel.facts.accesses} == pointers


@pytest.mark.parametrize("unused", ["z += 0.5f * x[get_global_id(0)];", "float4 v = vload4(get_local_id(0), x);"])
def test_what_work_item_functions_and_vector_loads_give_an_unused_variable_is_not_loaded(unused: str) -> None:
    text = "__kernel void k(__global const float *restrict x, __global float *restrict y, float z)\n"
    (kernel,) = assess(f"{text}{{\n    y[get_global_id(0)] = 1.0f;\n    {unused}\n}}\n").kernels
    assert {a.pointer for a in kernel.facts.accesses} == {"y"}


def test_a_constant_of_the_kernel_is_a_number() -> None:
    text = """
__kernel void k(__global const float *restrict x, __global float *restrict y)
{
    __constant int WIDE = 8;
    int row = get_global_id(0);
    float sum = 0;
    for (int j = 0; j < WIDE; j++) sum += x[row * WIDE + j];
    y[row] = sum;
}
"""
    (kernel,) = assess(text).kernels
    assert [str(loop.trip) for loop in kernel.facts.loops] == ["8"]
    assert {a.pointer: a.offset.coefficient("gid0").constant for a in kernel.facts.accesses if a.offset} == {
        "x": 32, "y": 4,
    }  # fmt: skip


RECORD = """
struct record {{ int count; {member} }};
__kernel void k(__global const struct record *restrict records, __global const int *restrict kinds,
                __global const float *restrict limits, __global int *restrict total)
{{
    int found = 0;
    for (int i = 0; i < 1000; i++) {{
        struct record kept = records[i];
        float mean = 0.0f;
        if (kinds[i] > 3) {{ mean = limits[i]; }}
        if (mean > 2.0f * limits[2 * i]) {{
            const int slot = i & 7; float half = limits[i] / 2;
            kept.values[slot] = mean - half; kept.count = 1;
        }}
        found += kinds[3000 + i]; {later}
    }}
    total[0] = found;
}}
"""


@pytest.mark.parametrize(
    ("member", "later", "loaded"),
    [
        ("float values[8];", "", {"kinds"}),
        ("float values[8];", "found += kept.count;", {"kinds", "limits", "records"}),
        ("__global float *values;", "", {"kinds", "limits", "records"}),
    ],
)
def test_what_decides_over_values_that_nobody_uses_is_not_loaded(member: str, later: str, loaded: set[str]) -> None:
    """An Arria 10 report (19.4) lists no load for a structure that is filled and never read, nor for its conditions."""
    (kernel,) = assess(RECORD.format(member=member, later=later)).kernels
    assert {a.pointer for a in kernel.facts.accesses if a.op == "load"} == loaded


@pytest.mark.parametrize(
    ("constant", "condition", "reached"),
    [
        ("", "if (0) y[0] = unused;", False),
        ("", "if (2 > 3) { y[0] = unused; } else y[1] = 2.0f;", False),
        ("", "if (1) y[1] = 2.0f; else { if (n) y[0] = unused; }", False),
        ("const int level = 1;", "if (level > 2) { if (level) y[0] = unused; }", False),
        (
            "const int low = 1, level = low + 1;",
            "for (int i = 0; i < n; i++) { if (level == 3) y[i] = unused; }",
            False,
        ),
        ("", "if (QUIET) ; else y[0] = unused;", False),
        ("", "if (1) y[0] = unused;", True),
        ("int level = 1;", "if (level > 2) y[0] = unused;", True),  # said of constants alone
        ("const int level = n;", "if (level > 2) y[0] = unused;", True),
        ("const int level = 1; { const int level = n; }", "if (level > 2) y[0] = unused;", True),
        ("if (n) goto end;", "if (0) { end: y[0] = unused; }", True),
        ("", "if (0 && n) y[0] = unused;", True),  # names whose values nobody knows are not looked at
    ],
)
def test_what_is_used_where_constants_lead_to_nobody_is_not_built(constant: str, condition: str, reached: bool) -> None:
    text = f"""
__constant int QUIET = 1;
__kernel void k(__global const float *restrict x, __global float *restrict y, int n)
{{
    {constant}
    float unused = 0;
    for (int j = 0; j < n; j++) unused += x[j];
    y[n] = 1.0f;
    {condition}
}}
"""
    (kernel,) = assess(text).kernels
    assert any(a.pointer == "x" for a in kernel.facts.accesses) == reached
