"""The kernel's own pipeline: dependences, initiation intervals, and WANG's framework over its blocks."""
