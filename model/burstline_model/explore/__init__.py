"""Every variant of a kernel at once: knobs, what they cost, and which of them are worth having."""
