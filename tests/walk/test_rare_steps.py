"""Addresses that move on after many places: a scale for each channel of an image."""

import pytest

from tests.walk.walking import SINGLE, fetched, units

SCALE = (
    SINGLE
    + """__kernel void scale(__global const float *restrict a, __global const float *restrict s,
                    __global float *restrict b)
{
    for (int i = 0; i < 200704; i++)
        b[i] = a[i] * s[%s];
}
"""
)


@pytest.mark.parametrize("pixels", [49, 784, 12544])
def test_a_scale_for_each_channel_is_fetched_once(pixels: int) -> None:
    found = units(SCALE % f"i / {pixels}")["load s"]
    assert found.walk is not None
    assert found.walk.kind == "advances"
    assert fetched(found) == pytest.approx(200704 / pixels * 4, rel=0.5, abs=64)


def test_one_scale_for_all_stays_in_one_word() -> None:
    found = units(SCALE % "i / 200704")["load s"]
    assert found.walk is not None
    assert found.walk.kind == "same"
    assert fetched(found) == 64
