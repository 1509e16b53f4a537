"""How far what Burstline says is from what was measured: every figure from kernel text, in the default mode."""
