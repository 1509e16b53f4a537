"""Awkward kernels that add to elements of an array on the chip which data choose, in the forms that people write."""

from __future__ import annotations

import random

MOSTLY = 0.85
"""Share of the parts of such a loop that nothing is in the way of."""


def bins(draw: random.Random) -> str:
    """The body of a kernel with an array that a loop counts in."""

    def one(plain: list[str], odd: list[str]) -> str:
        return draw.choice(plain if draw.random() < MOSTLY else odd)

    type_ = one(["int", "uint", "uint", "ushort"], ["long", "uchar", "short"])
    space = draw.choice(["__local ", "", ""])
    size = draw.choice([32, 40, 64])
    head = one(
        ["for (int i = 0; i < n; i++)", "for (int i = n - 1; i >= 0; --i)", "for (uint i = lead; i < (uint)n; i++)",
         "for (long i = 0; i <= n; ++i)", "for (ushort i = 1; i < n; i++)"],
        ["for (int i = 0; i < n; i += 2)", "for (short i = n; i > -3; i -= 3)", "for (uint i = 1; i < n; i += 12)",
         "for (place i = 0; i < n; i += 2)", "for (i = 0; i < n; i++)", "for (int i = 0; i < n && b[i] != 3; i++)",
         "for (uchar i = 0; i < n; i++)", "for (int i = -3; i < n; i++)", "while (i++ < n)",
         "for (int i = 0; i < n; i += (v & 1) + 1)", "for (int i = 1; i < n; i *= 2)"],
    )  # fmt: skip
    data = "b[i + 3]"
    index = one(
        [f"{data} & 31", f"(uchar){data} % 32", f"({data} >> 1) & 15", f"a[i + 3] > 7 ? {data} & 7 : 9", "at"],
        ["(i + 3) & 31", f"({data} + v) & 31", "at & 31", f"{data} % {size}"],
    )
    other = one([index, index, f"31 - ({data} & 31)"], ["3"])
    what = one(
        [f"hits[{index}]++;", f"++hits[{index}];", f"hits[{index}] += {data} * 3;", f"hits[{index}] -= a[i + 3];",
         f"hits[{index}] = hits[{index}] + {data};", f"hits[{index}] = (hits[{index}] - i);"],
        [f"hits[{index}] ^= {data};", f"v += hits[{index}]++;", f"hits[{index}] += v; v++;",
         f"hits[{index}] = {data} - hits[{index}];", f"hits[{index}] += hits[{other}];",
         f"int held = hits[{index}]; hits[{other}] = held + 1;", f"*(hits + ({index})) += 2;"],
    )  # fmt: skip
    again = one(["", "", f" if (a[i + 3] > 20) hits[{other}]--;", f" hits[{other}] += i;"], [" v += hits[4];"])
    before = one(
        ["", "", "if (a[i + 3] < 0) continue; "],
        [
            f"if ({data} == 9) break; ",
            "int hits_turns = 3; ",
            f"if ({data} == 70) i++; ",
            f"int hits[8] = {{{data}}}; ",
        ],
    )
    if "hits[8]" in before:
        index_of = "3"
        what, again = f"hits[{index_of}] += 5; v += hits[{index_of}];", ""
    declared = f"int at = {data} & 31; " if "at" in {index, other} or "at & 31" in index else ""
    first = draw.choice(["0", "k", "v * k"])
    pragma = draw.choice(["", "", "", "    #pragma unroll 1\n"])
    rest = one([""], ["    hits[3] += 7;\n", f"    hits[b[2] % {size}]--;\n"])
    named = f"    typedef {draw.choice(['int', 'ushort', 'long'])} place;\n" if "place i" in head else ""
    return (
        f"{named}    int i = 0;\n    {space}{type_} hits[{size}];\n"
        f"    for (int k = 0; k < {size}; k++)\n        hits[k] = {first};\n"
        f"{pragma}    {head} {{\n        {declared}{before}{what}{again}\n    }}\n{rest}"
        f"    for (int k = 0; k < {size}; k++)\n        c[k + 100] += hits[k];\n    c[90] += v + i;\n"
    )
