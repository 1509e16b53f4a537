"""What of a file or a kernel could not be read, or was read otherwise than it is written."""

from __future__ import annotations

from collections.abc import Collection

from burstline_model.facts import Remark, RemarkKind, Unknown, UnknownKind
from burstline_model.uncounted import LEFT_OUT
from burstline_server.quantities import in_words
from burstline_server.source.preprocessed import Skipped

_TEXTS: dict[RemarkKind, str] = {
    "images": "{0}: accesses of images are not costed: the vendor documents no load/store unit for them",
    "not_defined": "{0} is not defined here: its accesses to {1} are not counted",
    "calls_itself": "{0} calls itself: its accesses are not followed",
    "calls_too_deep": "{0} is called more than {1} deep: its accesses are not followed",
    "undefined_name": "{0} is undefined here and counts as an unknown constant (give it with -D {0}=…)",
    "unknown_origin": "accesses through a pointer of unknown origin are not counted",
    "at_file_scope": "{0} is stored to at file scope, where OpenCL 1.2 has constants: its accesses are not counted",
    "global_at_file_scope": "{0} is a global array at file scope, which OpenCL 1.2 lacks: it counts as a buffer",
    "index_too_complex": "index too complex: a product of more than {0} terms",
    "nested_more": "nested more than {0} deep: what is inside is not analysed",
    "nested_too_deeply": "nested too deeply: the rest of the kernel is not analysed",
    "kernel_too_large": "kernel too large: the rest of it is not analysed",
    "program_error": "the rest of the kernel could not be analysed (an error of this program, see its log)",
    "lanes_not_built": "num_simd_work_items({0}) has no effect: not all work-items run the loop over {1} alike",
    "lanes_not_offered": "num_simd_work_items({0}) has no effect: the compiler builds 2, 4, 8 or 16 lanes",
    "loop_repeats": "each iteration does the same: the compiler runs the loop over {0} once",
    "misspelt_pragma": "the compiler knows no #pragma {0}, which has no effect: {1} is nearest to it",
    "misplaced_pragma": "no loop follows #pragma {0}, which has no effect here: put it on the line before its loop",
    "before_label": "{0} before a label is not for its loop, and has no effect: put it behind the label",
    "run_time_channel": "{0} is chosen at run time: 18.1 Standard refuses it, Pro builds an access to each channel",
    "address_sent": "{0} is an address, and {1} carries values: what lies there is not loaded",
    "lanes_without_group": "num_simd_work_items({0}) needs reqd_work_group_size, a multiple of {0}: lanes counted",
}

MOST_NAMED = 3
"""Buffers that are named one by one."""


def unread_text(kind: RemarkKind, names: tuple[str, ...]) -> str:
    """A remark of a kernel's reader in a sentence."""
    if kind == "lanes_not_built":
        names = (names[0], names[1] or "its counter")
    elif kind == "not_defined":
        name, *reached = names
        names = (name, in_words(reached) if len(reached) <= MOST_NAMED else f"{len(reached)} buffers")
    return _TEXTS[kind].format(*names)


def left_out_text(remarks: Collection[Remark]) -> str:
    """What is left out of a kernel's time, in a sentence; empty where nothing is."""
    left = [unread_text(one.kind, one.names) for one in remarks if one.kind in LEFT_OUT]
    more = f" (and {len(left) - 1} more)" if len(left) > 1 else ""
    return f"{left[0]}{more}" if left else ""


_SKIPPED: dict[Skipped, str] = {
    "long_file": "only the first {0} bytes are analysed",
    "long_includes": "includes grow beyond {0} bytes: not read",
    "long_expansions": "macros expand to more than {0} bytes: the rest is read unexpanded",
    "long_use": "{0} expands to too much text: left as it is",
    "not_found": 'include "{0}" not found: what it declares is unknown',
    "nested_include": 'include "{0}" includes itself or is nested too deep: not read again',
    "unclear_condition": "#if {0}: not understood ({1}), counted as false",
}


def skipped_text(kind: Skipped, names: tuple[str, ...]) -> str:
    """What of a file is not read as it is written, in a sentence."""
    if kind == "unclear_condition":
        condition, why, *strange = names
        names = (condition, _UNCLEAR.get(why, "").format(*strange))
    return _SKIPPED[kind].format(*names)


_UNCLEAR: dict[str, str] = {
    "strange": "{0}",
    "nested": "nested too deeply",
    "no_colon": "a ':' is missing",
    "too_early": "the expression ends too early",
    "no_parenthesis": "a ')' is missing",
    "zero": "division by zero",
    "too_long": "it expands to too much text",
}
"""Why a condition is not understood, by the kinds of `source/conditions.py`."""


_UNKNOWN: dict[UnknownKind, str] = {
    "endless": "endless: only a break or return ends it",
    "no_condition": "no condition: the loop does not end by itself",
    "no_bound": "the condition {0} is not a bound of a counter",
    "no_integers": "the condition {0} compares no integers",
    "no_fixed_step": "no counter in {0} moves by a fixed step",
    "bound_changes": "the bound in {0} changes inside the loop",
    "step_no_number": "the step in {0} is not a number",
    "never_false": "{0} does not become false by counting",
    "read_from_memory": "its bound is data: {0}",
    "chosen_address": "address chosen by a condition",
    "chosen_buffer": "buffer chosen by a condition",
    "changes_each_trip": "the pointer changes from trip to trip",
    "moved_in_loop": "the pointer was moved in a loop",
    "set_in_places": "the pointer is set in several places",
    "no_size": "the size of {0} is not known",
    "no_field": "no field {0} in {1}",
    "no_offset": "unknown offset",
    "no_distance": "unknown distance",
    "no_element_size": "unknown element size",
    "printf_buffer": "hidden buffer of printf",
}


MOST_NAMES = 4
"""Most values from memory that a reason names."""


def not_analysable_text(why: Unknown | None) -> str:
    """That an address cannot be analysed, with the reason as far as it is known."""
    return f"not analysable: {unknown_text(why) if why is not None else 'its index is not known'}"


def unknown_text(why: Unknown) -> str:
    """Why a trip count or an address is not known."""
    if why.kind == "read_from_memory":
        # What a variable is at a place of the text has the variable's name with a number.
        loaded = [*dict.fromkeys(name.partition("#")[0] for name in why.names)]
        shown = [*loaded[:MOST_NAMES], *(["…"] if len(loaded) > MOST_NAMES else [])]
        return _UNKNOWN[why.kind].format(", ".join(shown))
    return _UNKNOWN[why.kind].format(*why.names)
