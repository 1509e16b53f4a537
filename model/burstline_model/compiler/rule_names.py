"""Names of the rules that the code implements; `lsu_rules/switches.py` has their rows, with scope and evidence."""

from collections.abc import Collection

ACROSS_CONDITIONS = "neighbours under different conditions"
ACROSS_CONDITIONS_EARLY = "neighbours under different conditions, up to 15.x"
ANY_ARM = "accesses of exclusive arms"
ANY_ARM_EARLY = "accesses of exclusive arms, up to 15.x"
LAST_STORES = "last stores of exclusive arms"
PAIRED_LOADS = "loads of exclusive arms in pairs"
STREAMS_APART = "streams of work-items apart"
ITEMS_INTERLEAVE = "iterations of work-items interleave"
BARE_HELPERS = "no cache in helper functions"
CHOSEN_STORE = "store under a condition"
WHOLE_BLOCKS = "whole blocks"

OF_STYLES = frozenset({BARE_HELPERS, ITEMS_INTERLEAVE})
"""Those that decide a unit's style; the others decide which accesses share one."""

Switches = Collection[str]
"""The names of those in force."""
