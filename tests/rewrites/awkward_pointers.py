"""Forms of awkward kernels whose pointers may lead to several buffers, or to variables behind the loop's back."""

from __future__ import annotations

import random

POINTER_HELPERS = """typedef struct { int k, m; } st;
void pick(__global int **p, __global int *q, int n) { if (n & 1) *p = q; }
__global int *chosen(__global int *p, __global int *q, int n) { if (n & 1) return p; return q; }
void change(int *v, int by) { int *w = v; *w = by & 7; }
"""


def pointers(draw: random.Random) -> str:
    """The body of a kernel with a loop over such a pointer, and one that a kept address changes."""
    one = draw.choice
    made = one([
        "    __global int *p = n > 4 ? a : c + 1;", "    __global int *p = lead ? c : a;",
        "    __global int *p = a;\n    if (n > 4) p = c + 2;", "    __global int *p = chosen(a, c, n);",
        "    __global int *p = b;\n    pick(&p, c, n);",
        "    __global int *box[2] = { a, c };\n    __global int *p = box[n & 1];",
        "    __global int *p = a, *r = c;\n"
        "    for (int t = 0; t < (n & 3); t++) { __global int *o = p; p = r; r = o; }",
        "    __global int *p;\n    switch (n & 3) { case 0: p = a; break; case 1: p = c; break; default: p = b; }",
        "    struct { __global int *l, *r; } both2 = { a, c };\n    if (n & 1) both2.l = both2.r;\n"
        "    __global int *p = both2.l;", "    __global int *p = b[0] > 40 ? a : c;", "    __global int *p = a;",
    ])  # fmt: skip
    kept = one([
        "    int *q = &m;", "    int *q = n & 1 ? &m : &s;", "    int t[4] = { 1, 2, 3, 4 };\n    int *q = t + 1;",
        "    st pair = { 3, n };\n    st *o = &pair;\n    int *q = &o->k;",
        "    int *q = &m;\n    char *z = (char *)q;",
    ])  # fmt: skip
    index = "m & 15"
    index = "t[2] & 15" if "t[4]" in kept else "pair.k & 15" if "pair" in kept else index
    changes = ["*q = b[i] & 7;", "*q ^= 1;", "q[0] = i & 7;", "change(q, a[i]);", "if (a[i] > 30) (*q)++;"]
    change = one([*changes, "", ""])
    if "*z" in kept:
        change = one(["z[0] = b[i] & 7;", change])
    store = one([
        "c[i + 4] = c[i + 3] / 2 + p[i + 1];", "c[i + 2] = p[i] + p[i + 1];", "c[3] += p[i];", f"c[{index}] += p[i];",
        "c[i + 1] = p[i] + p[i + 1] - p[i + 2];", "c[i + 1] = a[i] * p[3];", "c[p[i] & 15] += a[i];",
        f"c[i + 9] = b[i] * a[{index}];", f"c[i + 1] = a[i + ({index})] + a[i + 1 + ({index})];",
        f"atomic_add(&c[2], {index});", f"atomic_add(&c[{index}], p[i]);", f"s += a[i] * ({index}); c[i + 1] = s;",
        "p[i + 1] += b[i]; c[i + 1] = a[i + 1];", "c[7] ^= p[i]; p[2] = i;", f"p[{index}] = a[i] + a[i + 1];",
    ])  # fmt: skip
    bound = one(["n", "n", "n", "m & 31" if "&m" in kept else "n"])
    order = [store, change]
    draw.shuffle(order)
    after = one(["", "    c[90] = m + s;\n", "    for (int i = 0; i < n; i++) c[i + 50] = b[i + 1] + s;\n"])
    loop = f"    for (int i = 0; i < {bound}; i++) {{ {' '.join(order)} }}\n"
    return f"    int m = n, s = 1;\n{made}\n{kept}\n{loop}{after}"
