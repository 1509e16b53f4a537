"""Rows of a buffer that a work-item, or an iteration, uses again and again, in the forms that people write."""

from __future__ import annotations

import random
import re

ROWS = (8, 8, 16, 5)


def blocks(draw: random.Random, *, items: bool) -> str:
    """The body of a kernel around rows of `c`, which are stored to, and of `a` and `b`, which are loaded."""
    row = draw.choice(ROWS)
    base = draw.choice((f"i * {row}", f"i * {row}", f"{row} * i", "at", f"(i * {row})", f"(uint)i * {row}u"))
    if not items:
        base = draw.choice((base, base, f"i * {row} + lead", "first", f"i * {row} + n", "(i << 3) + n"))
    lines = [f"    const int at = i * {row};", "    int first = at + n;"]
    usual = draw.choice(("int", "int", "int", "int", "uint", "long"))
    lines += [line for _ in range(draw.randint(1, 3)) for line in _statement(draw, base, row, usual)]
    body = "\n".join(lines)
    if items:
        ends = draw.choice(("", "", "    if (i >= n + 3) return;\n", "    if (i > 20)\n        return;\n"))
        return f"    int i = get_global_id(0);\n{ends}{body}\n"
    opening = draw.choice(
        ("for (int i = 0; i < n; i++)", "for (int i = 0; i < n; ++i)", "for (uint i = 1; i < n; i++)")
    )
    return f"    {opening} {{\n{body}\n    }}\n"


def _statement(draw: random.Random, base: str, row: int, usual: str) -> list[str]:
    counter = draw.choice((*[usual] * 9, "uchar", "short"))
    head = f"for ({counter} j = 0; j < {row}; j++)"
    head = draw.choice(
        (head, head, head, f"for ({counter} j = {row - 1}; j >= 1; j--)", f"for (int j = 0; j < n % {row}; j++)")
    )
    one, other, own, kept = (_place(draw, base, row, array) for array in ("a", "b", "c", "c"))
    by = draw.choice(("=", "=", "=", "+=", "^="))
    store = f"{own} {by} {_value(draw, one, other, kept)};"
    outside, before = (re.sub(r"\bj\b", "3", text) for text in (one, store))
    leave, asked = draw.choice(("break", "continue")), draw.choice(("n > 3", "v & 1", f"{outside} > 20"))
    return draw.choice((
        [f"    {head}", f"        {store}"],
        [f"    {head}", f"        {store}", f"    {head.replace('j', 'q')}", f"        {head}",
         f"            v = v * 3 + {one} + {other} * {kept.replace('j', 'q')};"],
        [f"    {head} {{", f"        {store}", f"        v += {one} - {other};", "    }"],
        [f"    {head}", f"        c[{base} + j] = {one};", "    for (int r = 0; r < 4; r++)", f"        {head}",
         f"            v += {kept} * r;"],
        ["    for (int r = 0; r < 3; r++)", f"        {head} {{", f"            v = v * 3 + {one} * {one};",
         "        }"],
        [f"    {head} {{", f"        if ({one} > 40) {leave};", f"        {store}", "    }"],
        [f"    if ({asked}) {{", f"        {head}", f"            {store}", "    }"],
        [f"    {head} {{ int i = 1; {own} = {one} + i; }}"],
        [f"    {head} {{", f"        int t = j & 3; {own} = {other}; v ^= c[{base} + t];", "    }"],
        [f"    v = {outside};", f"    first += v & 1; {head} {store}"],
        [f"    v++; {before}", f"    {head} v += {kept};"],
        [f"    {head} {{ c[{base} + j] = v++; }}", f"    {head} v ^= {own} ? {kept} : {one};"],
    ))  # fmt: skip


def _place(draw: random.Random, base: str, row: int, array: str) -> str:
    inner = draw.choice((
        *["j"] * 8, f"({row - 1} - j)", "(j * 3 & 3)", "(b[i] & 3)", "(uint)j % 5u", "2", "j / 2", "(v & 3)",
        "(int)j", "(uchar)(j & 7) % 4",
    ))  # fmt: skip
    more = draw.choice(("", "", " + 1", " - 1 + 2", " + j")) if array != "c" else ""
    text = draw.choice((f"{base} + {inner}{more}", f"{base} + {inner}{more}", f"{inner}{more} + {base}"))
    return f"{array}[{text}]"


def _value(draw: random.Random, one: str, other: str, kept: str) -> str:
    return draw.choice(
        (one, f"{one} + {other}", f"({one} > 9 ? {kept} : {other})", f"mixed({one}, j)", f"{kept} * 2 + v")
    )
