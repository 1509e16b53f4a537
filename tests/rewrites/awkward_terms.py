"""Loops that take several factors into one variable, in the forms that people write."""

from __future__ import annotations

import random

TYPES = ("int", "uint", "long", "ulong", "int", "size_t")


def terms(draw: random.Random) -> str:
    """Loops around products of several factors, whose variables end in `c`."""
    lines: list[str] = []
    for at in range(draw.randint(1, 3)):
        name = draw.choice(("p", "q", "t1"))
        first, step = draw.choice(("0", "1", "lead & 1")), draw.choice(("i++", "i += 2"))
        lines += [
            f"    {{ {draw.choice(TYPES)} {name} = {draw.choice(('1', '3', 'n | 1'))};",
            f"    for (int i = {first}; i < n; {step}){_body(draw, name)}",
            f"    c[{3 * at}] = {name}; c[{3 * at} + 1] = (int)({name} >> 16); }}",
        ]
    return "\n".join(lines) + "\n"


def _factor(draw: random.Random) -> str:
    near = draw.randint(0, 3)
    return draw.choice((
        f"a[i + {near}]", f"(b[i + {near}] | 1)", "(i ^ 5)", f"(uchar)a[i + {near}]", "-3", "7u", "(n - i)",
        "(long)b[i]", f"mixed(a[i], b[i + {near}])", f"(a[i] > {near} ? b[i] : 3)", f"(a[i] - b[i + {near}])",
        "(a[i] & 31) ", "(\n            b[i] + 1)", "(lead + 1)",
    ))  # fmt: skip


def _update(draw: random.Random, name: str) -> str:
    one, two, three = _factor(draw), _factor(draw), _factor(draw)
    return draw.choice((
        f"{name} *= {one};", f"{name} = {name} * {one};", f"{name} = {one} * {name};",
        f"{name} = {name} * {one} * {two};", f"{name} = {one} * {name} * {two} * {three};",
        f"{name} = ({one} * {name}) * ({two} + {three});", f"{name} = {one} * ({two} * {name}) ;",
        f"{name} *= {one} /* and */ * {two};", f"{name}*={one}+{two};",
    ))  # fmt: skip


def _body(draw: random.Random, name: str) -> str:
    one, two, three = (_update(draw, name) for _ in range(3))
    shown = draw.choice(("", "", "", f" c[i + 9] = {name};", f" if (a[i] == 3) {name} = 5;"))
    return draw.choice((
        f" {{ {one} {two}{shown} }}",
        f"\n        {one.replace('/* and */', '')}",
        f" {{\n        {one}\n        int u = a[i];\n        {two} {three}\n        c[i + 9] = u;{shown}\n    }}",
        f" {{ if (a[i] > 5) {one} else {{ {two} }}{shown} {three} }}",
        f" {{ if (b[i] > 9) {{ {one} {two} }}{shown} }}",
        f"\n        #pragma unroll\n        for (int k = 0; k < 3; k++)\n            {one}",
        f" {{\n        #pragma unroll\n        for (int k = 0; k < 3; k++) {{ {one} }}\n        {two} }}",
        f" {{ if (a[i] == 7) continue; {one} {two} }}",
        f" {{ int {name}_term1 = 2; {one} {two} c[i + 9] = {name}_term1;{shown} }}",
    ))  # fmt: skip
