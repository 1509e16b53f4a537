"""Which load/store units the vendor compiler builds for a kernel."""
