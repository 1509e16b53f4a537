"""Kernels whose loops end at arguments that every launch passes the same value as, said by a comment."""

from __future__ import annotations

import random

FIXED = {"n": 13, "lead": 1}
HELPERS = """#define TWICE(v) ((v) * 2 + n)
#define ROW n
#define FEW 3
int cut(int a, int most) { most = a < most ? a : most; return most; }
void more(int *v, int n) { for (int i = 0; i < n; i++) *v += i ^ n; }
"""


def fixed(seed: int) -> str:
    """The kernel of a seed, with ``n`` and ``lead`` said by a comment; some of its forms must not be changed."""
    draw = random.Random(seed)

    def one(*what: str) -> str:
        return draw.choice(what)

    n, lead = one("int n", "int n", "const int n"), one("uint lead", "uint lead", "const uint lead")
    lines = [f"// burstline: n={FIXED['n']} lead={FIXED['lead']}"]
    lines += [
        HELPERS
        + f"__kernel void k(__global int *restrict a, __global int *b, __global int *c, {n}, {lead}, float part)"
    ]
    lines += [one("{ int v = 1;", "{\n    int v = 1;", "{ // start\n\tint v = 1, q = n / 2;", "{ /* n */ int v = n;")]
    free = "const" not in n
    for depth in range(draw.randint(1, 3)):
        i = f"i{depth}"
        type_ = one("int", "int", "uint", "short", "long", "size_t")
        bound = one("n", "n", "n", "n - 3", "(n)", "ROW", "n * 2", "n + lead", "(int)lead * 4", "n - FEW", "cut(n, 9)")
        if type_ in {"uint", "size_t"}:
            bound = one("n", "lead * 5", "(uint)n - lead", "n + 2")
        head = one(
            f"for ({type_} {i} = 0; {i} < {bound}; {i}++)", f"for ({type_} {i} = 1; {i} <= {bound}; ++{i})",
            f"for ({type_} {i} = 0; {i} < {bound}; {i} += 2)", f"for (int {i} = n - 1; {i} >= 0; {i}--)",
            f"for (int {i} = lead; {i} < n; {i}++)", f"for (int {i} = 0; {i} != n; {i}++)",
            f"for (int {i} = 0, n2 = n; {i} < n2; {i}++)",
        )  # fmt: skip
        statement = one(
            f"c[{i} + 1] = a[{i} + n] * n;", f"v = v * 3 + a[{i} * 2 + lead];", f"c[{i}] += TWICE(a[{i}]) - n;",
            f"v += max(a[{i}], n) + sizeof(n) - sizeof(lead);", f"more(&v, n); c[{i}] = v;",
            f"c[{i} + 1] = c[{i}] / n + (v << lead);", f"v ^= cut(n, {i}) - (n - {i}) / 3u;",
            f"{{ int t = n; t -= {i}; c[(t + 2) & 63] = a[n % ({i} + 1)]; }}",
            f"if (a[{i}] > n) continue; v += b[{i}] % n;",
            f"if (a[{i}] == n * 3) break; c[{i}] = v++;", f"for (int r = 0; r < lead * 3; r++) v += a[{i} + r] * n;",
            f"for (uint r = 0; r < n; r++) c[{i}] = c[{i}] * 3 + r - lead;",
        )  # fmt: skip
        odd = one(*[""] * 12, "{ int n = v & 3; c[n] = n; }", "{ struct { int n; } s = { n }; v += s.n; }",
                  "n++;" if free else "", "more(&n, 2);" if free else "", "n = n;" if free else "",
                  "{ enum { n = 4 }; v += n; }", "{ int *p = &n; *p += 1; }" if free else "")  # fmt: skip
        lines += [f"    {odd}"] if odd else []
        pragma = one(*[""] * 5, "#pragma unroll\n", "#pragma unroll 4\n", "#pragma unroll 1\n")
        lines += [
            one(
                f"{pragma}    {head} {{",
                f"{pragma}    {head}\n    {{",
                f"    if (v != {depth})\n{pragma}        {head} {{",
            )
        ]
        lines += [f"        {statement}", "    }"]
    lines += ["    c[90] = v - n;", "}"]
    return "\n".join(line for line in lines if line) + "\n"
