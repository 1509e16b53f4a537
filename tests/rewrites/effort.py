"""How many kernels are generated: `make test` draws few of them, CI draws more (`make test-generated`)."""

from __future__ import annotations

import os

EFFORT = int(os.environ.get("BURSTLINE_EFFORT", "1"))
"""How many times as many as `make test` draws."""
