"""One kernel written in several ways is one kernel: the same units, requests, walks, trip counts and intervals."""

from collections import Counter
from typing import Any

import pytest

from burstline_server.words.walks import moves_text
from tests.assessing import assess

Answer = tuple[Counter[object], list[float | None], list[float | None], float | None]


def answer(text: str, **settings: Any) -> Answer:
    """What a user sees of a kernel: its units with their walks, its loops' trips and intervals, and its time."""
    sizes = {"arguments": {"n": 4096, "m": 64}, "global_size": [65536]}
    done = assess(text, **{"f_max_mhz": 250, **sizes, **settings})
    assert not done.faults, done.faults
    (kernel,) = done.kernels
    units = Counter[object]()
    for unit in kernel.estimate.units:
        lsu = unit.lsu
        pointer = kernel.facts.accesses[lsu.members[0]].pointer
        walk = moves_text(unit.walk) if unit.walk is not None else ""
        units[lsu.op, pointer, lsu.style, lsu.width_bits, lsu.lanes, walk, unit.bytes] += lsu.count
    loops = sorted(kernel.estimate.loops, key=lambda one: (one.trip or 0, one.ii or 0))
    return units, [one.trip for one in loops], [one.ii for one in loops], kernel.estimate.time_s


HEAD = "(__global const float *restrict a, __global const int *restrict c, __global float *restrict b, int n, int m) "
SUM = f"""__kernel void k{HEAD}{{
  float s = 0;
  for (int i = 0; i < n; i++) s += a[i] * a[i + 1];
  b[0] = s;
}}
"""
ITEM = f"""__kernel void k{HEAD}{{
  int g = get_global_id(0);
  b[g] = a[2 * g] + a[2 * g + 1];
}}
"""
GUARDED = f"""__kernel void k{HEAD}{{
  int g = get_global_id(0);
  if (g < n) {{
    if (c[g] > 0) b[g] = a[g];
    else b[g] = -a[g];
  }}
}}
"""
WIDE = f"""__kernel void k{HEAD}{{
  for (int i = 0; i < n; i++) {{
    float s = 0;
    #pragma unroll
    for (int j = 0; j < 8; j++) s += a[8 * i + j];
    b[i] = s;
  }}
}}
"""
ROWS = f"""__kernel void k{HEAD}{{
  for (int i = 0; i < n; i++) {{
    float s = 0;
    for (int j = 0; j < m; j++) s += a[i * m + j] * b[j];
    b[m + i] = s;
  }}
}}
"""

HELPERS = {
    "a sum": (
        SUM,
        f"""float both(__global const float *p, int at) {{ return p[at] * p[at + 1]; }}
__kernel void k{HEAD}{{
  float s = 0;
  for (int i = 0; i < n; i++) s += both(a, i);
  b[0] = s;
}}
""",
    ),
    "all of it": (
        SUM,
        f"""void all(__global const float *restrict p, __global float *restrict to, int many) {{
  float s = 0;
  for (int i = 0; i < many; i++) s += p[i] * p[i + 1];
  to[0] = s;
}}
__kernel void k{HEAD}{{ all(a, b, n); }}
""",
    ),
    "an index": (
        ITEM,
        f"""int twice(int x) {{ return 2 * x; }}
__kernel void k{HEAD}{{
  int g = get_global_id(0);
  b[g] = a[twice(g)] + a[twice(g) + 1];
}}
""",
    ),
    "a pointer": (
        WIDE,
        f"""float eight(__global const float *p) {{
  float s = 0;
  #pragma unroll
  for (int j = 0; j < 8; j++) s += p[j];
  return s;
}}
__kernel void k{HEAD}{{
  for (int i = 0; i < n; i++) b[i] = eight(a + 8 * i);
}}
""",
    ),
    "a loop": (
        ROWS,
        f"""float row(__global const float *p, __global const float *q, int i, int wide) {{
  float s = 0;
  for (int j = 0; j < wide; j++) s += p[i * wide + j] * q[j];
  return s;
}}
__kernel void k{HEAD}{{
  for (int i = 0; i < n; i++) b[m + i] = row(a, b, i, m);
}}
""",
    ),
    "a condition": (
        GUARDED,
        f"""float signed_by(__global const float *p, int at, int sign) {{ return sign > 0 ? p[at] : -p[at]; }}
__kernel void k{HEAD}{{
  int g = get_global_id(0);
  if (g < n) b[g] = signed_by(a, g, c[g]);
}}
""",
    ),
}


@pytest.mark.parametrize(("plain", "moved"), HELPERS.values(), ids=list(HELPERS))
def test_what_moves_into_a_helper_stays_the_same(plain: str, moved: str) -> None:
    assert answer(moved) == answer(plain)


@pytest.mark.parametrize("text", [SUM, ITEM, GUARDED, WIDE, ROWS])
def test_lines_may_be_broken_anywhere(text: str) -> None:
    """At each blank but those of pragmas, which end with their line."""
    lines = [line if "#" in line else line.strip().replace(" ", "\n") for line in text.splitlines()]
    assert answer("\n".join(lines)) == answer(text)


COUNTERS = {
    "a sum": (SUM, "int at = i; s += a[at] * a[at + 1]"),
    "a longer way": (SUM, "int x = i + 1; int y = x - 1; s += a[y] * a[x]"),
    "of another type": (SUM, "size_t at = i; s += a[at] * a[at + 1]"),
    "a pointer": (SUM, "__global const float *p = a + i; s += *p * p[1]"),
}


@pytest.mark.parametrize(("text", "body"), COUNTERS.values(), ids=list(COUNTERS))
def test_a_counter_may_go_through_temporaries(text: str, body: str) -> None:
    assert answer(text.replace("s += a[i] * a[i + 1]", f"{{ {body}; }}")) == answer(text)


WALKS = {
    "a pointer that moves": (
        SUM,
        SUM.replace("float s = 0;", "float s = 0; __global const float *p = a;").replace(
            "s += a[i] * a[i + 1];", "{ s += p[0] * p[1]; p++; }"
        ),
    ),
    "a pointer that counts": (
        SUM.replace("a[i] * a[i + 1]", "a[i]"),
        SUM.replace("int i = 0; i < n; i++", "__global const float *p = a; p < a + n; p++").replace(
            "a[i] * a[i + 1]", "*p"
        ),
    ),
    "from the end": (
        SUM.replace("a[i] * a[i + 1]", "a[n - 1 - i]"),
        SUM.replace("int i = 0; i < n; i++", "int i = n - 1; i >= 0; i--").replace("a[i] * a[i + 1]", "a[i]"),
    ),
    "a base that moves": (
        ROWS,
        ROWS.replace("  for (int i", "  int base = 0;\n  for (int i")
        .replace("i * m + j", "base + j")
        .replace("= s;\n  }", "= s; base += m;\n  }"),
    ),
}


@pytest.mark.parametrize(("plain", "walked"), WALKS.values(), ids=list(WALKS))
def test_an_address_may_be_walked_in_any_way(plain: str, walked: str) -> None:
    assert walked != plain
    assert answer(walked) == answer(plain)


def test_a_counter_may_be_stepped_through_another_variable() -> None:
    stepped = SUM.replace("for (int i = 0; i < n; i++)", "int i = 0;\n  while (i < n)")
    stepped = stepped.replace("s += a[i] * a[i + 1];", "{ s += a[i] * a[i + 1]; int next = i + 1; i = next; }")
    assert answer(stepped) == answer(SUM)


STRUCTURED = """typedef struct { int first; int wide; float scale; } shape;
__kernel void k(__global const float *restrict a, __global float *restrict b, SHAPE) {
  int g = get_global_id(0);
  float s = 0;
  for (int j = 0; j < WIDE; j++) s += a[FIRST + g * WIDE + j] * SCALE;
  b[g] = s;
}
"""


def fields(text: str, *pairs: tuple[str, str]) -> str:
    for old, new in pairs:
        text = text.replace(old, new)
    return text


def test_pointers_may_come_in_a_structure() -> None:
    inside = "typedef struct { __global const float *from; __global float *to; } ends;\n" + fields(
        ITEM, ("  int g", "  ends e; e.from = a; e.to = b;\n  int g"), ("b[", "e.to["), ("a[", "e.from[")
    )
    assert answer(inside) == answer(ITEM)


def test_a_structure_of_arguments_may_be_taken_apart() -> None:
    whole = fields(STRUCTURED, ("SHAPE", "shape s_"), ("WIDE", "s_.wide"), ("FIRST", "s_.first"), ("SCALE", "s_.scale"))
    apart = fields(
        STRUCTURED, ("SHAPE", "int first, int wide, float scale"), ("WIDE", "wide"), ("FIRST", "first"),
        ("SCALE", "scale"),
    )  # fmt: skip
    given = {"s_.wide": 16, "s_.first": 64}
    assert answer(whole, arguments=given) == answer(apart, arguments={"wide": 16, "first": 64})


RETURNS = {
    "around all": (
        GUARDED,
        GUARDED.replace("  if (g < n) {\n", "  if (g >= n) return;\n").replace("g];\n  }\n}", "g];\n}"),
    ),
    "of one arm": (
        GUARDED,
        GUARDED.replace("b[g] = a[g];\n    else b[g] = -a[g];", "{ b[g] = a[g]; return; }\n    b[g] = -a[g];"),
    ),
    "in a loop": (
        f"__kernel void k{HEAD}{{\n  for (int i = 0; i < n; i++) {{ if (c[i] > 0) {{ b[i] = a[i]; }} }}\n}}\n",
        f"__kernel void k{HEAD}{{\n  for (int i = 0; i < n; i++) {{ if (c[i] <= 0) continue; b[i] = a[i]; }}\n}}\n",
    ),
    "inside out": (
        GUARDED,
        GUARDED.replace("  if (g < n) {\n", "  if (g >= n) { }\n  else {\n"),
    ),
}


@pytest.mark.parametrize(("plain", "early"), RETURNS.values(), ids=list(RETURNS))
def test_an_early_return_is_an_else(plain: str, early: str) -> None:
    assert early != plain
    assert answer(early) == answer(plain)


ONCE = {
    "a macro's block": (SUM, SUM.replace("s += a[i] * a[i + 1];", "do { s += a[i] * a[i + 1]; } while (0);")),
    "that steps a variable": (
        SUM.replace("float s", "int j = 0; float s").replace("s += a[i] * a[i + 1];", "{ s += a[j]; j++; }"),
        SUM.replace("float s", "int j = 0; float s").replace(
            "s += a[i] * a[i + 1];", "{ do s += a[j]; while (0); do { j++; } while (false); }"
        ),
    ),
    "left early": (
        GUARDED,
        GUARDED.replace("  if (g < n) {\n", "  do {\n    if (g >= n) break;\n").replace("  }\n}", "  } while (0);\n}"),
    ),
    "left before a sum": (
        SUM.replace("s +=", "if (c[i] > 0) s +="),
        SUM.replace("s += a[i] * a[i + 1];", "do { if (c[i] <= 0) break; s += a[i] * a[i + 1]; } while (0);"),
    ),
    "a loop of one iteration": (
        SUM,
        SUM.replace("s += a[i] * a[i + 1];", "for (int j = 0; j < 1; j++) s += a[i + j] * a[i + j + 1];"),
    ),
    "loops of no iteration": (
        SUM,
        SUM.replace("s += a[i] * a[i + 1];", "{ s += a[i] * a[i + 1]; while (0) s += b[i]; }"),
    ),
}


@pytest.mark.parametrize(("plain", "looped"), ONCE.values(), ids=list(ONCE))
def test_what_runs_once_is_no_loop(plain: str, looped: str) -> None:
    assert looped != plain
    units, trips, intervals, time_s = answer(looped)
    plainly = answer(plain)
    assert units == plainly[0]
    left = [(one, ii) for one, ii in zip(trips, intervals, strict=True) if one is None or one > 1]
    assert left == list(zip(plainly[1], plainly[2], strict=True))
    assert time_s == pytest.approx(plainly[3])


def test_a_block_that_a_break_ends_is_not_followed_where_a_variable_is_set_twice() -> None:
    twice = SUM.replace(
        "s += a[i] * a[i + 1];", "{ int j = i; do { if (c[i]) break; j = 3; j = i; } while (0); s += a[j]; }"
    )
    walks = {pointer: walk for (op, pointer, *_, walk, _) in answer(twice)[0] if op == "load"}
    assert walks == {"c": "+4 B", "a": "anywhere (data decide)"}
