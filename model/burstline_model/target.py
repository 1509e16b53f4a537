"""Which compiler builds for which device: what the unit rules depend on."""

from typing import Literal

from burstline_model.record import Record

Family = Literal["Cyclone V", "Stratix V", "Arria 10", "Stratix 10", "Agilex"]
FAMILIES: tuple[Family, ...] = ("Cyclone V", "Stratix V", "Arria 10", "Stratix 10", "Agilex")
STANDARD_FAMILIES: tuple[Family, ...] = ("Cyclone V", "Stratix V")
"""Families that the compiler's Standard Edition alone builds for, which changed little after 17.1."""


class Target(Record):
    """A device family, a compiler version and the memory the units connect to.

    `aoc_version` is (major, minor, patch). `word_bytes` is the width of one memory word (dq·bl: 64 on DDR, 32 on
    an HBM2 pseudo-channel); `separate_channels`: every pointer has its own channel (HBM2),
    where atomics do not exist. `relaxed`: the compiler may reorder floating-point operations (``-fp-relaxed``).
    `paper_rules` asks for the classification of the papers' Table 1 in place of the compiler's.
    """

    family: Family
    aoc_version: tuple[int, int, int]
    word_bytes: int = 64
    separate_channels: bool = False
    paper_rules: bool = False
    relaxed: bool = False
