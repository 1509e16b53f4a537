"""A form of awkward kernels: loops that walk along a row in each iteration of the loop around, unrolled or not."""

from __future__ import annotations

import random

MOSTLY = 0.93
"""Share of the parts of such a loop that nothing is in the way of."""


def taps(draw: random.Random) -> str:
    """The body of a kernel that reads neighbours of a place in loops of constant trips."""

    def one(plain: list[str], odd: list[str]) -> str:
        return draw.choice(plain if draw.random() < MOSTLY else odd)

    outer = one(["", "", "", "for (int r = 0; r < 2; r++)"], ["if (n > 1)", "for (int r = 0; r < n; r += 20)"])
    row = " + r * 20" if "r < 2" in outer else ""
    head = one(
        ["for (int i = 0; i < n; i++)", "for (int i = 0; i < n; ++i)", "for (long i = 1; i <= n; i++)",
         "for (int i = lead; i < n - 1; i++)", "#pragma unroll 2\n    for (int i = (n & 1); i < n; i++)"],
        ["for (uint i = 0; i < (uint)n; i++)", "for (short i = 0; i < n; i++)", "for (int i = 0; i < n; i += 2)",
         "for (int i = n; i > 0; i--)", "for (int i = v++ & 1; i < n; i++)", "for (int i = 0; i < 11; i++)"],
    )  # fmt: skip
    first, last = draw.choice([(0, 4), (-2, 2), (1, 6), (0, 2)])
    inner = one(
        [f"for (int k = {first}; k < {last}; k++)", f"for (int k = {first}; k <= {last}; ++k)",
         f"for (int k = {last} - 1; k >= {first}; k--)"],
        [f"for (uchar k = 1; k < {last}; k++)", f"for (k = {first}; k < {last}; k++)", "for (int k = 0; k < n; k++)",
         f"for (int k = {first}; k < {last}; k += 2)"],
    )  # fmt: skip
    pragma = one(["#pragma unroll", "#pragma unroll 16"], ["", "#pragma unroll 2"])
    at = one(
        ["i + k + 9", "i - k + 9", "9 + i + k", "i + 2 * k + 9", "(i + 9) - (k)", "at", "at"],
        ["i * 2 + k + 9", "i + k * (n & 7) + 90", "(uchar)i + k + 9", "i + k + (v & 3) + 9", "i + b[k + 3] + 9"],
    )  # fmt: skip
    index = f"{at}{row}" if at != "at" else "at"
    declared = f"const int at = i {draw.choice('+-')} k + 9{row}; " if at == "at" else ""
    guard = one(
        ["", "", "", f"if ({index} >= 9) ", f"if ({index} < n && {index} > 9) ", f"if (!({index} > n)) ",
         f"if ({index} < 11) continue; ", f"if ({index} > 99) v += 3; else "],
        ["if (i - k >= 0) ", "if (k < n) ", "if (b[i + 4] > 20) ", "if (i > 2) ", f"if ({index} == n) break; ",
         f"if ({index} > 9 || lead > k) "],
    )  # fmt: skip
    value = one(
        [f"a[{index}]", f"a[{index}] * (k + 3)", f"({index} > 10 ? a[{index}] : k)", f"a[{index}] - a[{index} + 1]"],
        [f"second(a, {index})", f"a[{index}] + a[i + 9]", f"a[{index}] * b[{index}]", f"a[a[{index}] & 63]"],
    )  # fmt: skip
    body = one(
        [f"s = s * 3 + {value};", f"s ^= {value};"], [f"s += {value}; c[i + 150] = s;", f"v += {value}; s += v;"]
    )
    braced = bool(declared) or ";" in guard or draw.random() < 0.4
    nested = braced and draw.random() < 0.2
    lines = [
        "int s = 0;" if draw.random() < 0.8 else f"int s = a[i + 9{row}];",
        pragma,
        inner + (" {" if braced else ""),
    ]
    lines += ["#pragma unroll", "for (int l = 0; l < 2; l++) {"] if nested else []
    lines += [f"    {declared}{guard}{body}"] + (["}"] if nested else []) + (["}"] if braced else [])
    lines += [one(["", "", "if (s == 7) continue;"], ["if (s == 7) break;", "a[i + 8] = s;", "b[i + 9] = v;"])]
    lines += [f"c[i + {draw.randint(0, 3)}{row}] = s;"]
    text = "\n".join(f"        {line}" for line in lines if line)
    brace = "{" if draw.random() < 0.8 else "{ // taps"
    return f"    int k = 0;\n    {outer}\n    {head} {brace}\n{text}\n    }}\n    c[180] += v + k;\n"
