"""Products in brackets whose last factor has brackets of its own, as macros for indices write them."""

import random

import pytest

from burstline_server.source.sections import parsed_section
from tests.assessing import assess
from tests.walk.walking import SINGLE

KERNEL = (
    SINGLE
    + """int twice(int i) { return 2 * i; }
typedef struct { int at; } place;
#define INDEX(i, j) (((i) * (n)) + (j))
__kernel void k(__global const float *restrict x, __global float *restrict y, int n, int m)
{
    place p = {m};
    for (int i = 0; i < n; i++)
        y[i] = x[%s];
}
"""
)


@pytest.mark.parametrize(
    ("index", "offset"),
    [
        ("i + (n * (m)) + (n * m * (2))", "12·n·m"),
        ("(n * (i)) + m", "4·i·n"),
        ("(n*(i))-(m*(i))", "4·i·n"),
        ("((n) * (i)) + m", "4·i·n"),
        ("(n * (i * m)) + 1", "4·i·n·m"),
        ("(n * (p.at)) + i", "4·n·m"),
        ("(n * (twice(i))) + 1", "8·i·n"),
        ("(n * ((i))) + 1", "4·i·n"),
        ("(n * (int)(i)) + 1", "4·i·n"),
        ("(n * ((int)(i))) + 1", "4·i·n"),
        ("((n) * (size_t)((i) * (m))) + 1", "4·i·n·m"),
        ("INDEX(i, m)", "4·i·n"),
        ("INDEX(i, 3) - INDEX(0, m)", "4·i·n"),
    ],
)
def test_a_product_in_brackets_is_no_cast(index: str, offset: str) -> None:
    (load,) = [a for a in assess(KERNEL % index).kernels[0].facts.accesses if a.op == "load"]
    assert load.offset is not None
    monomial = tuple(sorted(offset.split("·")[1:]))
    assert {tuple(sorted(m)): c for m, c in load.offset.terms}[monomial] == int(offset.split("·", maxsplit=1)[0])


@pytest.mark.parametrize(
    "text",
    [
        "(float)(n)",
        "(__global float *)(x)",
        "(n * (int)(i + 1)) + 2",
        "(n * (i + 1)) + 2",
        "f(n * (i), m) + 2",
    ],
)
def test_what_brackets_keep_apart_stays_so(text: str) -> None:
    code = f"void f() {{ y = {text}; }}".encode()
    read = parsed_section(code, 0, len(code))
    assert read.text == code


@pytest.mark.parametrize("sign", [b"+", b"*"])
def test_many_brackets_are_read_in_time(sign: bytes) -> None:
    code = b"void f() { y = " + b"(n*(" * 4000 + b"i" + (b"))" + sign + b"1") * 4000 + b"; }"
    assert parsed_section(code, 0, len(code)) is not None


VALUES = {"i": 3, "n": 11, "m": 7}


def expression(chance: random.Random, depth: int) -> str:
    """A sum or product with brackets where none are needed, and casts."""
    if not depth or chance.random() < 0.25:
        return chance.choice(["{}", "({})"]).format(chance.choice([*VALUES, "2"]))
    sides = [expression(chance, depth - 1) for _ in range(2)]
    sides = [s if s.strip("()").isalnum() else chance.choice(["({})", "({})", "(int)({})"]).format(s) for s in sides]
    return chance.choice(["{} * {}", "{}*{}", "{} + {}", "{}-{}"]).format(*sides)


@pytest.mark.parametrize("seed", range(4))
def test_brackets_anywhere_leave_indices_what_they_are(seed: int) -> None:
    chance = random.Random(seed)
    every = [expression(chance, 3) for _ in range(30)]
    body = " ".join(f"y[{k} * n + i] = x[{e}];" for k, e in enumerate(every))
    facts = assess(KERNEL.replace("y[i] = x[%s];", f"{{ {body} }}")).kernels[0].facts
    found = {a.offset.evaluate(VALUES) for a in facts.accesses if a.op == "load" and a.offset is not None}
    assert found == {4 * eval(one.replace("(int)", ""), {}, VALUES) for one in every}  # noqa: S307
