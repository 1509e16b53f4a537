"""How many kernels and edits are drawn at random: few of them in `make test`, more in CI (`make test-generated`)."""

from __future__ import annotations

import os

EFFORT = int(os.environ.get("BURSTLINE_EFFORT", "1"))
"""How many times as many as `make test` draws."""
