"""Makes docs/performance.md: what is measured, the goals, and how both are written."""
