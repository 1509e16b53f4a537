"""From load/store units to an answer: a kernel's time, what limits it, and what would change it."""
