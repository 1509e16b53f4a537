"""Awkward kernels that add to elements which counters and data choose together: what bounds a counter bounds those."""

from __future__ import annotations

import random

MOSTLY = 0.8
"""Share of the parts of such a loop that nothing is in the way of."""


def counters(draw: random.Random) -> str:
    """The body of a kernel with a loop around one that counts at places which both counters choose."""

    def one(plain: list[str], odd: list[str]) -> str:
        return draw.choice(plain if draw.random() < MOSTLY else odd)

    outer = one(
        ["for (int j = 0; j < 4; j++)", "for (uchar j = 1; j < 5; j += 2)", "for (int j = 0; j <= (n & 3); ++j)",
         "for (int j = lead; j < 4; j++)", "for (long j = 0; j < min(n, 5); j++)", "for (m = 0; m < 4; m++)"],
        ["for (int j = 3; j >= 0; j--)", "for (int j = 0; j != 4; j++)", "for (int j = 0; j < 5 && v < 90; j++)",
         "for (uint j = lead; j < 4u + (n & 1); j += 3)", "for (int j = 2; j < (n & 1) * 4; j++)",
         "for (short j = 0, l = 0; j < 4; j++)", "for (int j = n & 3; j < 4; j = j + 1)"],
    )  # fmt: skip
    j = "m" if " m = 0" in outer else "j"
    inner = one(
        ["for (int i = 0; i < n; i++)", "for (int i = n - 1; i >= 0; --i)", "for (uint i = lead; i < (uint)n; i += 2)"],
        [f"for (int i = {j}; i < n; i++)", "for (int i = 0; i < n && b[i] != 3; i++)"],
    )
    index = one(
        [f"(b[i] & 7) + {j} * 8", f"(b[i] & 15) * 4 + {j}", f"{j} * 8 + (a[i] > 5)", f"(b[i] >> {j} & 7) + {j} * 8"],
        [j, f"(uchar)(b[i] + {j}) & 31", "at", f"(b[i] & 7) + ({j} > 2 ? 3 : {j}) * 9", f"(b[i] & 7) - {j} + 8"],
    )
    what = one(
        [f"c[{index}] += 1;", f"c[{index}]++;", f"c[{index}] += b[i] * 2;", f"c[{index}] -= a[i] > 0;"],
        [f"c[{index}] ^= b[i];", f"c[{index}] = c[{index}] * 3 + 1;", f"v += c[{index}]++;", f"c[{index}] += v; v++;"],
    )
    before = one(
        ["", "", f"int key = b[i] & 3; key += {j}; "],
        [f"if (b[i] == 5 && {j} < 3) {j}++; ", f"if (a[i] < 0) {{ {j} += 1; break; }} ",
         "if (b[i] == 9) continue; ",
         f"int {j} = b[i] & 3; ", f"int *q = &at; *q = {j}; ", "if (b[i] > 60) v ^= i; "],
    )  # fmt: skip
    if f"int *q = &at; *q = {j}" not in before:
        before += f"at = (b[i] & 3) + {j}; " if index == "at" else ""
    last = one(["", ""], [f"        c[{j}] += 2;\n", "        v += c[3];\n"])
    body = f"        {inner} {{\n            {before}{what}\n        }}\n{last}"
    return f"    int m = 0, at = 0;\n    {outer}\n    {{\n{body}    }}\n    c[90] += v + m + at;\n"
