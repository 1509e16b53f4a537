"""What of a kernel could not be read, or was read otherwise than it is written."""

from __future__ import annotations

from burstline_model.facts import RemarkKind

_TEXTS: dict[RemarkKind, str] = {
    "images": "{0}: images go through no load/store unit of the guide's; their accesses are not costed",
    "not_defined": "{0} is not defined here: what it does with {1} is not counted",
    "calls_itself": "{0} calls itself: its accesses are not followed",
    "calls_too_deep": "{0} is called more than {1} deep: its accesses are not followed",
    "undefined_name": "{0} is undefined here and counts as an unknown constant (give it with -D {0}=…)",
    "unknown_origin": "accesses through a pointer of unknown origin are not counted",
    "index_too_complex": "index too complex: {0}",
    "nested_more": "nested more than {0} deep: what is inside is not analysed",
    "nested_too_deeply": "nested too deeply: the rest of the kernel is not analysed",
    "kernel_too_large": "kernel too large: the rest of it is not analysed",
    "program_error": "the rest of the kernel could not be analysed (an error of this program, see its log)",
    "lanes_not_built": "num_simd_work_items({0}) has no effect: not all work-items run the loop over {1} alike",
}


def unread_text(kind: RemarkKind, names: tuple[str, ...]) -> str:
    """A remark of a kernel's reader in a sentence."""
    if kind == "lanes_not_built":
        names = (names[0], names[1] or "its counter")
    return _TEXTS[kind].format(*names)
