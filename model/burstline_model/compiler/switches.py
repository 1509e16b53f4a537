"""Names of the rules that stand in the code; `rules/switches.py` has their rows, with scope and evidence."""

from collections.abc import Collection

ACROSS_CONDITIONS = "neighbours under different conditions"
ANY_ARM = "accesses of exclusive arms"
SHARED_STREAMS = "streams of work-items share a unit"
ITEMS_IN_ORDER = "iterations of work-items in order"
IN_HELPERS = "cached in helper functions"
CHOSEN_STORE = "store under a condition"

Switches = Collection[str]
"""The names of those in force."""
