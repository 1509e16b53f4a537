"""Units the programmer asks for: the control built-ins, and the hidden store of printf."""

from burstline_model.compiler.context import Context
from burstline_model.compiler.lsu import Reason, Style

_FORCED: dict[str, Style] = {
    "__pipelined_load": "Pipelined",
    "__pipelined_store": "Pipelined",
    "__prefetching_load": "Prefetching",
    "__burst_coalesced_load": "Burst-coalesced",
    "__burst_coalesced_store": "Burst-coalesced",
    "__burst_coalesced_cached_load": "Burst-coalesced cached",
}


def hinted(context: Context) -> tuple[Style, Reason] | None:
    """The style a control built-in forces (Best Practices Guide 3.6.3), or printf's hidden store."""
    hint = context.access.hint
    if hint == "printf":
        size = context.access.element_bytes
        style: Style = "Burst-coalesced non-aligned" if size & (size - 1) else "Burst-coalesced"
        return style, Reason(rule="printf", text="printf writes its arguments to a hidden buffer, record after record")
    if hint in _FORCED:
        return _FORCED[hint], Reason(rule="control built-in", text=f"{hint} asks for it")
    return None
