"""Boards: memories, timings and defaults, a TOML file each."""
