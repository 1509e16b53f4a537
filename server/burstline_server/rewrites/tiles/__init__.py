"""Tiles in local memory: what a group loads together, in the order of addresses."""
