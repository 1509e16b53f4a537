"""The titles of edits: what each does, what it needs, and what it gains."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from burstline_model.devices.use import WORDS
from burstline_server.assessment.missing_sizes import Missing
from burstline_server.interpreter.verdicts import NotExecuted, Verdict
from burstline_server.quantities import cost_text, factor_text, in_words, share_text, time_text
from burstline_server.rewrites.reasons import Assertion, AssertionKind, Gain, Title, TitleKind
from burstline_server.words.executions import not_executed_text
from burstline_server.words.lanes import loop_text
from burstline_server.words.missing import size_text
from burstline_server.words.names import listed

if TYPE_CHECKING:
    from burstline_server.rewrites.catalogue import Fix

_HOST = " (needs a host change: "
_NEEDS = re.compile(r" \((?=[^()]*(?:needs a host change|unsafe|you assert))")
"""Where the part of a title begins that says what an edit needs."""
_TITLES: dict[TitleKind, str] = {
    "gather_atomic": "Gather {0} in a variable, one {1} after the loop",
    "separate_banks": "Place {0} in separate banks" + _HOST + "-no-interleaving=default, buffers in those banks)",
    "keep_in_variable": "Keep {0} in a variable for the next iteration",
    "channel_each": "Give {0} a channel each" + _HOST + "buffers in those channels)",
    "constant_table": "Declare {0} __constant",
    "constant_cache": "Declare {0} __constant" + _HOST + "a read-only buffer; {1} B of the constant cache)",
    "fields_in_arrays": "Give each field of {0} its own array",
    "field_apart": "Give each field of {0} its own array" + _HOST + "a buffer of {1})",
    "fields_apart": "Give each field of {0} its own array" + _HOST + "buffers of {1})",
    "ivdep_loop": "Add #pragma ivdep: assert no loop-carried dependence",
    "ivdep": "Add #pragma ivdep over {0}: assert no loop-carried dependence on {1} "
    "(unsafe: results change if one exists)",
    "pad": "Pad {0}",
    "pad_elements": "Pad {0}" + _HOST + "{1} elements in front of its data)",
    "array_of_structures": "Keep {0} in one array of structures",
    "array_of_structures_host": "Keep {0} in one array of structures" + _HOST + "one buffer, element by element)",
    "restrict": "Declare {0} restrict (you assert that no two buffers overlap)",
    "shift_register": "Keep {0} in a shift register",
    "shift_register_for": "Keep {0} in a shift register for {1} iterations",
    "simd": "Set num_simd_work_items",
    "simd_lanes": "Set num_simd_work_items({0})" + _HOST + "a work-group size that is a multiple of it)",
    "simd_groups": "Set num_simd_work_items({0})" + _HOST + "the host must launch work-groups of {1})",
    "one_work_item": "Make it one work-item that loops",
    "one_work_item_over": "Make it one work-item that loops over {0}" + _HOST + "launch it as a task)",
    "write_once": "Write {0} once",
    "choose_value": "Write {0} once: the condition chooses the value",
    "leave_out_store": "Leave out the store to {0} that the next one overwrites",
    "split_two": "Split into a memory and a compute kernel joined by {0}",
    "split_four": "Split into two memory and two compute kernels joined by {0}",
    "split_two_queues": "Split into a memory and a compute kernel joined by {0}" + _HOST + "a queue each{asserted})",
    "split_four_queues": "Split into two memory and two compute kernels joined by {0}"
    + _HOST + "a queue each{asserted})",
    "copy_to_chip": "Copy {0} to the chip once",
    "copy_to_private": "Copy {0} to a private array once ({1} kbit of RAM{asserted})",
    "copy_to_local": "Copy {0} to local memory once ({1} kbit of RAM{asserted})",
    "volatile": "Declare {0} volatile",
    "uncached": "Declare {0} volatile: no private cache, {1} kbit of RAM free (each place is read once)",
    "unconditional": "Store to {0} without conditions",
    "unconditional_zeroed": "Store to {0} without conditions"
    + _HOST + "it holds all iterations, and is zeroed before each launch)",
    "unroll_loop": "Unroll the loop over {0}",
    "unroll": "Unroll the loop over {0} {1} times",
    "vectorise_loop": "Vectorise the loop over {0}",
    "vectorise": "Vectorise the loop over {0} by {1} ({2})",
    "vendor_names": "Use the vendor's present names (…_altera → …_intel)",
    "window": "Keep {0} to {1} in a window, one load an iteration",
}  # fmt: skip
_ASSERTIONS: dict[AssertionKind, str] = {
    "holds": "{0} holds {1} elements",
    "holds_more": "{0} holds {1} elements more than there are work-items",
    "holds_one_each": "{0} holds an element for each work-item",
    "not_read_later": "nothing is read after it was stored to {0}",
    "not_stored_later": "nothing that is loaded is stored to {0} later",
    "halves_apart": "neither half of the outermost loop touches what the other one stores",
}

ABOUT_EDITS = (
    "Offered in the editor and by `burstline fix`, where their condition holds and the prediction for the edited text "
    "is faster. `burstline fix --unsafe` adds those that assert what the source does not show, `--host` those that "
    "need a change of the host program, `--all` those that do not pay."
)


def title_text(title: Title) -> str:
    """What an edit does and needs."""
    names = listed(title.names)
    if title.kind in {"ivdep", "unroll_loop", "unroll", "vectorise_loop", "vectorise"}:
        names[0] = loop_text(names[0])
    asserted = " and that ".join(assertion_text(one) for one in title.asserts)
    text = _TITLES[title.kind].format(*names, asserted=f"; unsafe: you assert that {asserted}" if asserted else "")
    if title.kept_first:
        text = f"Keep carried values in variables, then {text[:1].lower()}{text[1:]}"
    return text if title.line is None else f"{text} (line {title.line})"


def assertion_text(assertion: Assertion) -> str:
    """What the user asserts for an edit."""
    return _ASSERTIONS[assertion.kind].format(*listed(assertion.names))


def fix_title(fix: Fix) -> str:
    """What an edit does and needs, what it gains where it is made for time's sake, and whether it was not executed."""
    title, note = title_text(fix.offer.title), not_executed_note(fix.execution)
    if not fix.offer.codes:
        return title + note
    gain = _gain(fix.gain) if fix.gain is not None else "gain not known"
    # Editors cut long titles: what an edit does and gains comes before what it needs.
    needs = _NEEDS.search(title)
    at = needs.start() if needs is not None else len(title)
    return f"{title[:at]}: {gain}{title[at:]}{note}"


def not_executed_note(execution: Verdict | None) -> str:
    """What a title adds for a proved edit that was not executed."""
    return f" (not executed: {not_executed_text(execution.reason)})" if isinstance(execution, NotExecuted) else ""


def sizes_title(given: Sequence[Missing]) -> str:
    """Which sizes a comment gives, with their values."""
    settings = " ".join(f"{one.setting}={one.usual}" for one in given)
    host = next((text for one in given if (text := host_text(one))), "")
    return (
        f"Give {in_words([size_text(one) for one in given])} for a known time: {settings}{f' ({host})' if host else ''}"
    )


def host_text(size: Missing) -> str:
    """Where a size was read in a host program; empty where it was not."""
    return f"{size.host[0].name}, line {size.host[1]}" if size.host is not None else ""


def launched_text(proposed: Sequence[Missing]) -> str:
    """The sizes that a host program launches a kernel with, as a comment gives them; empty without any."""
    said = [one for one in proposed if one.host is not None]
    settings = " ".join(f"{one.setting}={one.usual}" for one in said)
    return f"{host_text(said[0])}, launches it with // burstline: {settings}" if said else ""


def _gain(gain: Gain) -> str:
    after = time_text(gain.after_s) if gain.per == "launch" else cost_text(None, gain.after_s, gain.per)
    times = f"kernel {time_text(gain.before_s)} → {after}"
    price = ""
    if gain.more is not None:
        resource, share = gain.more
        price = f" for {share_text(share)} more of the board's {WORDS[resource]}"
    return f"{times}, {factor_text(gain.speedup)}{price}"
