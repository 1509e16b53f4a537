"""Remainders and choices that conditions and bounds decide are gone where an access runs; others stay."""

from __future__ import annotations

import pytest

from burstline_model.facts import KernelFacts
from tests.assessing import assess

KERNEL = """
__kernel void k(__global const float *restrict a, __global float *restrict y, int n, int m)
{
    for (uint i = 0; i < TRIPS; i++) {
        BODY
    }
}
"""


def read(body: str, trips: str = "300") -> KernelFacts:
    text = KERNEL.replace("BODY", body).replace("TRIPS", trips)
    (kernel,) = assess(text).kernels
    return kernel.facts


def offset(body: str, trips: str = "300") -> str:
    (load,) = [a for a in read(body, trips).accesses if a.op == "load"]
    return str(load.offset)


@pytest.mark.parametrize(
    ("body", "trips", "expected"),
    [
        ("if (i < 256) y[i] = a[i & 255];", "300", "4·i"),
        ("if (i < 256) y[i] = a[(i & 255) * 8 + 3];", "300", "32·i + 12"),
        ("if (i < 256) y[i] = a[(8 * i) % 2048];", "300", "32·i"),
        ("if (i < n) y[i] = a[i % n];", "m", "4·i"),
        ("y[i] = a[i % n];", "n", "4·i"),
        ("y[i] = a[i & 255];", "256", "4·i"),
        ("y[i] = a[i & 255];", "257", "4·(i % 256)"),
        ("if (i <= 256) y[i] = a[i & 255];", "300", "4·(i % 256)"),
        ("if (i < m) y[i] = a[i % n];", "m", "4·(i % n)"),
        ("if (i > 256) y[i] = a[i & 255];", "300", "4·(i % 256)"),
        ("if (i < 256) y[i] = a[(i - 1) & 255];", "300", "4·((i - 1) % 256)"),
        ("if (i > 0 && i < 256) y[i] = a[(i - 1) & 255];", "300", "4·i - 4"),
        ("if (i > 0) y[i] = a[i > 0 ? i - 1 : n];", "300", "4·i - 4"),
        ("if (i < n) y[i] = a[min((int)i, n - 1)];", "m", "4·i"),
        ("if (i < 16) y[i] = a[i / 16 + m];", "300", "4·m"),
        ("y[i] = a[max(0, (n - (int)i) / 2)];", "300", "4·max(0, ((-i + n) / 2))"),
        ("y[i] = a[max(0, (int)i / 2)];", "300", "4·(i / 2)"),
        ("if (i >= 256) continue; y[i] = a[i & 255];", "300", "4·i"),
    ],
)
def test_what_conditions_decide_is_gone(body: str, trips: str, expected: str) -> None:
    assert offset(body, trips) == expected


def test_accesses_of_one_place_stay_at_one_place() -> None:
    facts = read("float v = a[i & 255]; if (i < 256) y[i] = v + a[(i & 255) + 1];")
    assert [str(a.offset) for a in facts.accesses if a.op == "load"] == ["4·(i % 256)", "4·(i % 256) + 4"]
