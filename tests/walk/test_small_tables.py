"""A table that an index of few values reaches comes in once where a unit keeps it on the chip."""

from __future__ import annotations

import pytest

from tests.walk.walking import fetched, units

LOOKUP = """__kernel void lookup(__global const {type} *restrict in, __global const float *restrict table,
                     __global float *restrict out, int n)
{{
    for (int i = 0; i < n; i++)
        out[i] = table[{index}];
}}
"""


@pytest.mark.parametrize(
    ("type_", "index", "most"),
    [("int", "in[i] & 255", 2e3), ("uchar", "in[i]", 2e3), ("int", "in[i]", None)],
)
@pytest.mark.parametrize("version", ["17.1", "19.4"])
def test_an_index_of_few_values_reads_its_table_once(type_: str, index: str, most: float | None, version: str) -> None:
    text = LOOKUP.format(type=type_, index=index)
    unit = units(text, board="a10_ref", aoc_version=version, arguments={"n": 1 << 20})["load table"]
    assert fetched(unit) < most if most is not None else fetched(unit) > 16 * (1 << 20)


COMPACT = """__kernel void keep(__global const uchar *restrict in, __global uint *restrict out, int n)
{
    int c = 0;
    uchar last = 0;
    for (int i = 0; i < n; i++) {
        uchar v = in[i];
        %s
    }
}
"""


@pytest.mark.parametrize(
    "kept",
    [
        "if (v > 7) out[c++] = v;",
        "if (v != 7) out[c++] = v;",
        "if (v != last) { out[c++] = v; last = v; }",
        "if (v == last) { } else { out[c] = v; c += 1; last = v; }",
    ],
)
def test_what_data_keep_is_written_one_after_the_other(kept: str) -> None:
    unit = units(COMPACT % kept, board="a10_ref", arguments={"n": 1 << 20})["store out"]
    assert fetched(unit) == pytest.approx(4 * (1 << 20), rel=0.1)


@pytest.mark.parametrize(
    ("index", "least"),
    [("in[i] >> 23", 8), ("in[i] / 1000000", 8), ("(in[i] >> 24) & 127", 8), ("in[i] >> 30", 0)],
)
def test_high_bits_of_data_are_at_places_all_over_the_table(index: str, least: int) -> None:
    text = LOOKUP.format(type="int", index=index)
    unit = units(text, board="s10gx_ddr4_1866", arguments={"n": 1 << 20})["load table"]
    # A word of 64 B for most of the 1 M elements; two bits choose one of at most two places of an int's.
    assert fetched(unit) >= least * 4 * (1 << 20)
