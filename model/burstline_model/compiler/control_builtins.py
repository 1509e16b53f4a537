"""Units the programmer asks for: the control built-ins, and the hidden store of printf."""

from burstline_model.compiler.context import Context
from burstline_model.lsu import AskedFor, Reason, Style

_FORCED: dict[str, Style] = {
    "__pipelined_load": "Pipelined",
    "__pipelined_store": "Pipelined",
    "__prefetching_load": "Prefetching",
    "__burst_coalesced_load": "Burst-coalesced",
    "__burst_coalesced_store": "Burst-coalesced",
    "__burst_coalesced_cached_load": "Burst-coalesced cached",
}


EARLY_RECORD_BITS = 256
"""What a record of printf takes at least before 17.0, with no arguments too."""


def hinted(context: Context) -> tuple[Style, Reason] | None:
    """The style a control built-in forces (Best Practices Guide 3.6.3), or printf's hidden store."""
    hint = context.access.hint
    if hint == "printf":
        size = context.access.element_bytes
        aligned = not size & (size - 1) and not least_bits(context)
        style: Style = "Burst-coalesced" if aligned else "Burst-coalesced non-aligned"
        return style, Reason(rule="printf", why="hidden_buffer")
    if hint in _FORCED:
        return _FORCED[hint], Reason(rule="control built-in", why=AskedFor(builtin=hint))
    return None


def least_bits(context: Context) -> int:
    """The least width of a unit that the compiler adds by itself."""
    early = context.target.aoc_version < (17, 0, 0)
    return EARLY_RECORD_BITS if context.access.hint == "printf" and early else 0
