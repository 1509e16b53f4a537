"""The titles of edits: what each does, what it needs, and what it gains."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from burstline_model.devices.resource_use import WORDS
from burstline_server.assessment.missing_sizes import Missing
from burstline_server.interpreter.verdicts import Equal, NotExecuted, Verdict
from burstline_server.quantities import ASSUMED, AT_WORST, cost_text, factor_text, share_text, time_text, times_text
from burstline_server.rewrites.reasons import WORTH_SAYING, Assertion, AssertionKind, Gain, Title, TitleKind
from burstline_server.words.executions import not_executed_text
from burstline_server.words.lanes import loop_text
from burstline_server.words.missing import sizes_text
from burstline_server.words.names import listed

if TYPE_CHECKING:
    from burstline_server.rewrites.catalogue import Fix
    from burstline_server.rewrites.rewrite import Kind

_ACTIONS: dict[TitleKind, str] = {
    "private_atomic": "Gather {0} in a variable, one {1} after the loop",
    "banks": "Place {0} in separate banks",
    "banks_shared": "Spread {0} over {1} banks",
    "exchange_ids": "Swap get_global_id(0) and get_global_id(1)",
    "exchange_ids_in_groups": "Swap get_global_id(0) and get_global_id(1), and the other ids and sizes alike",
    "group_size": "Set reqd_work_group_size({0})",
    "group_size_found": "Set reqd_work_group_size({0})",
    "no_dispatch": "Set max_global_work_dim(0): no dispatch logic, {0} ALMs free",
    "no_dispatch_found": "Set max_global_work_dim(0): no dispatch logic, {0} ALMs free",
    "unroll_and_jam": "Compute {1} iterations of the loop over {0} together (unroll and jam)",
    "interchange": "Interchange the loops over {0} and {1}",
    "fixed_whole": "Fix {0} in the kernel: the loop over {1} is built whole ({2} iterations)",
    "fixed_whole_found": "Fix {0} in the kernel: the loop over {1} is built whole ({2} iterations)",
    "fixed_unroll": "Fix {0} in the kernel, and unroll the loop over {1} whole ({2} iterations)",
    "fixed_unroll_found": "Fix {0} in the kernel, and unroll the loop over {1} whole ({2} iterations)",
    "forward_through_register": "Keep {0} in a variable for the next iteration",
    "keep_in_variable": "Keep {0} in a variable, and store it after the loop",
    "fuse_loops": "Fuse the loops over {0} and {1}",
    "fuse_loops_over": "Fuse the loops over {0} and {1}",
    "load_before": "Load {0} once, before the loop",
    "load_before_stores": "Load {0} once, before the loop",
    "load_before_end": "Load {0} once, before the loop",
    "load_before_condition": "Load {0} once, before the loop",
    "histogram_on_chip": "Gather what goes to {0} on the chip",
    "private_histogram": "Gather what the loop does to {0} in a private array",
    "local_histogram": "Gather what a work-group adds to {0} in local memory",
    "local_histogram_groups": "Gather what a work-group adds to {0} in local memory",
    "bins_in_turn": "Use several copies of {0} in turn",
    "bins_in_turn_of": "Use {1} copies of {0} in turn",
    "channels": "Give {0} a channel each",
    "compute_units": "Set num_compute_units({0})",
    "constant": "Declare {0} __constant",
    "constant_host": "Declare {0} __constant",
    "aos_to_soa": "Give each field of {0} its own array",
    "aos_to_soa_one": "Give each field of {0} its own array",
    "aos_to_soa_several": "Give each field of {0} its own array",
    "ivdep": "Add #pragma ivdep",
    "ivdep_over": "Add #pragma ivdep over {0} for {1}",
    "pad": "Pad {0}",
    "terms_first": "Put the terms of {0} together first",
    "terms_first_of": "Put the terms of {0} together first, and take them in by one operation",
    "partial_sums": "Keep partial results of {0} in a shift register",
    "sum_strips": "Make {0} from strips of several terms",
    "sum_strips_of": "Make {0} from strips of {1} terms, with {2} partial results in a shift register",
    "partial_sums_of": "Keep {1} partial results of {0} in a shift register",
    "pad_by": "Pad {0}",
    "soa_to_aos": "Keep {0} in one array of structures",
    "soa_to_aos_host": "Keep {0} in one array of structures",
    "restrict": "Declare {0} restrict",
    "shift_register": "Keep {0} in a shift register",
    "shift_register_for": "Keep {0} in a shift register for {1} iterations",
    "simd": "Set num_simd_work_items",
    "simd_lanes": "Set num_simd_work_items({0})",
    "simd_groups": "Set num_simd_work_items({0})",
    "single_work_item": "Make it one work-item that loops",
    "single_work_item_over": "Make it one work-item that loops over {0}",
    "single_store": "Write {0} once",
    "single_store_chosen": "Write {0} once: the condition chooses the value",
    "single_store_left_out": "Leave out the store to {0} that the next one overwrites",
    "split_two": "Split into a memory and a compute kernel joined by {0}",
    "split_four": "Split into two memory and two compute kernels joined by {0}",
    "split_eight": "Split into four memory and four compute kernels joined by {0}",
    "split_two_queues": "Split into a memory and a compute kernel joined by {0}",
    "split_four_queues": "Split into two memory and two compute kernels joined by {0}",
    "split_eight_queues": "Split into four memory and four compute kernels joined by {0}",
    "cache_on_chip": "Copy {0} to the chip once",
    "cache_in_private_memory": "Copy {0} to a private array once",
    "cache_in_local_memory": "Copy {0} to local memory once",
    "uncached": "Declare {0} volatile",
    "uncached_by": "Declare {0} volatile: no private cache, {1} kbit of RAM free (each place is read once)",
    "unconditional": "Store to {0} without conditions",
    "unconditional_zeroed": "Store to {0} without conditions",
    "unroll": "Unroll the loop over {0}",
    "unroll_by": "Unroll the loop over {0} {1} times",
    "unroll_whole": "Unroll the loop over {0} whole ({1} iterations)",
    "unroll_by_instead": "Unroll the loop over {0} {1} times in place of {2}",
    "unroll_whole_instead": "Unroll the loop over {0} whole ({1} iterations) in place of {2}",
    "unroll_together": "Unroll the {0} slowest loops by {1}",
    "unroll_nest": "Unroll {0} nested loops whole",
    "vectorise": "Vectorise the loop over {0}",
    "vectorise_by": "Vectorise the loop over {0} by {1} ({2})",
    "vector_items": "Send vectors through {0}",
    "vector_items_of": "Send {0} through {1}, at both ends",
    "vendor_names": "Use the vendor's present names (…_altera → …_intel)",
    "private_block": "Keep what is used of {0} together in a private array",
    "private_block_loaded": "Copy {1} elements of {0} to a private array first, in wide requests",
    "private_block_stored": "Load {1} elements of {0} from a private array that holds what was stored",
    "pragma_ii": "Remove #pragma ii from the loop over {0}",
    "others": "Edits of other kinds ({0})",
    "any_edit": "An edit",
    "row_tiles": "Load {0} through local memory",
    "row_tiles_kept": "Load {0} in tiles through local memory",
    "row_tiles_groups": "Load {0} in tiles through local memory",
    "transpose_tile": "Exchange {0} in a tile in local memory",
    "transpose_tile_kept": "Exchange {0} in a tile in local memory",
    "transpose_tile_groups": "Exchange {0} in a tile in local memory",
    "row_buffers": "Keep rows of {0} on chip",
    "row_buffers_of": "Keep {1} rows of {0} on chip, one load an iteration",
    "halo_tile": "Load {0} and what is around it through local memory",
    "halo_tile_kept": "Load {0} with its neighbours in a tile in local memory",
    "halo_tile_groups": "Load {0} with its neighbours in a tile in local memory",
    "sliding_window": "Keep {0} to {1} in a window, one load an iteration",
    "register_window": "Keep a row of {0} in a shift register",
    "register_window_of": "Keep {1} elements of {0} in a shift register, one load an iteration",
}
_HOST_CHANGES: dict[TitleKind, str] = {
    "banks": "-no-interleaving=default, buffers in those banks",
    "banks_shared": "-no-interleaving=default, buffers in those banks",
    "channels": "buffers in those channels",
    "constant_host": "a read-only buffer; {1} B of the constant cache",
    "aos_to_soa_one": "a buffer of {1}",
    "aos_to_soa_several": "buffers of {1}",
    "exchange_ids": "its global and local sizes change places",
    "exchange_ids_in_groups": "its global and local sizes change places",
    "group_size": "it must launch work-groups of that size alone",
    "no_dispatch": "launch it as a task",
    "pad_by": "{1} elements in front of its data",
    "soa_to_aos_host": "one buffer, element by element",
    "simd_groups": "reqd_work_group_size is added, the host must launch work-groups of {1}",
    "local_histogram_groups": "reqd_work_group_size is added, the host must launch work-groups of {2}",
    "single_work_item_over": "launch it as a task",
    "halo_tile_groups": "reqd_work_group_size is added, the host must launch work-groups of {2}",
    "transpose_tile_groups": "reqd_work_group_size is added, the host must launch work-groups of {2}",
    "row_tiles_groups": "reqd_work_group_size is added, the host must launch work-groups of {2}",
    "split_two_queues": "a queue each",
    "split_four_queues": "a queue each",
    "split_eight_queues": "a queue each",
    "unconditional_zeroed": "it holds all iterations, and is zeroed before each launch",
}
"""What the host program has to do for an edit."""
_CONDITIONS: dict[TitleKind, str] = {
    "group_size_found": "the host must launch work-groups of that size alone, as {1} does already in line {2}",
    "no_dispatch_found": "the host must launch it as a task, as {1} does already in line {2}",
    "fixed_whole": "the host must pass exactly {0} at every launch",
    "fixed_whole_found": "the host must pass exactly {0} at every launch, as {3} does already in line {4}",
    "fixed_unroll": "the host must pass exactly {0} at every launch",
    "fixed_unroll_found": "the host must pass exactly {0} at every launch, as {3} does already in line {4}",
    "cache_in_private_memory": "{1} kbit of RAM",
    "private_histogram": "{1} kbit of RAM",
    "private_block_loaded": "{2} kbit on the chip",
    "private_block_stored": "{2} kbit on the chip",
    "local_histogram": "{1} kbit of RAM",
    "local_histogram_groups": "{1} kbit of RAM",
    "bins_in_turn_of": "{2} kbit of RAM",
    "cache_in_local_memory": "{1} kbit of RAM",
    "halo_tile_kept": "{1} kbit of RAM",
    "halo_tile_groups": "{1} kbit of RAM",
    "row_buffers_of": "{2} kbit of RAM",
    "row_tiles_kept": "{1} kbit of RAM",
    "row_tiles_groups": "{1} kbit of RAM",
    "transpose_tile_kept": "{1} kbit of RAM",
    "transpose_tile_groups": "{1} kbit of RAM",
    "ivdep_over": "unsafe: you assert that no iteration touches an element of {1} that another one stores",
    "fuse_loops_over": "one pass over {2} in place of two",
    "load_before_stores": "the compiler does not: the loop stores to {1}",
    "load_before_end": "the compiler does not: the loop may end early",
    "load_before_condition": "the compiler does not: a condition decides whether it is loaded",
    "restrict": "you assert that no two buffers overlap",
}
"""What else an edit needs, or takes."""
_OF_LOOPS = {
    "ivdep_over", "pragma_ii", "unroll", "unroll_by", "unroll_whole", "unroll_by_instead", "unroll_whole_instead",
    "vectorise", "vectorise_by",
}  # fmt: skip
_ASSERTIONS: dict[AssertionKind, str] = {
    "holds": "{0} holds {1} elements",
    "holds_more": "{0} holds {1} elements more than there are work-items",
    "holds_one_each": "{0} holds an element for each work-item",
    "not_read_later": "nothing is read after it was stored to {0}",
    "not_stored_later": "nothing that is loaded is stored to {0} later",
    "is_element": "{0} is an element of its buffer whenever the loop is reached",
    "not_stored_there": "nothing in the loop stores to {0}",
    "apart": "{0} does not overlap {1}",
    "halves_apart": "no part of the outermost loop touches what another one stores",
    "added_in_any_order": "the terms of {0} may be added in another order",
    "multiplied_in_any_order": "the factors of {0} may be multiplied in another order",
    "run_as_often": "the loops of {0} run equally often in each launch",
}

ABOUT_EDITS = (
    "Offered in the editor and by `burstline fix`, where their condition holds and the prediction for the edited text "
    "is faster. `burstline fix --unsafe` adds those that assert what the source does not show, `--host` those that "
    "need a change of the host program, `--all` those that do not pay. Where no edit answers a finding, it lists what "
    "is in the way of each; `--why` names the kinds as well that nothing there suggests, and for each edit what "
    "limits its kernel before and after it. Editors and pages show the same. What "
    "an edit asks of the host program is an edit of its file, where a C or C++ program near by launches the kernel: "
    "the launch itself, or a comment in front of it. Where a kernel moves a pointer before it uses its elements "
    "(`p += offset;`, `const float *row = p + y * w;`), or writes them as `*(p + i)`, an edit that needs elements of "
    "the argument writes them so first (`p[y * w + i]`)."
)


def title_text(title: Title) -> str:
    """What an edit does and needs."""
    return short_title_text(title) + _needs_text(title)


def short_title_text(title: Title) -> str:
    """What an edit does."""
    text = _ACTIONS[title.kind].format(*_names(title)).replace(f"the loop over {loop_text('')}", "the loop")
    if title.kept_first:
        text = f"Keep carried values in variables, then {text[:1].lower()}{text[1:]}"
    if title.over_items:
        text = f"Loop over work-items, then {text[:1].lower()}{text[1:]}"
    if title.each:
        text = f"{text}, launched for each {title.each}"
    if title.line is None:
        return text
    note = text.endswith(")") and text[: text.rindex("(")].endswith(" ")
    return f"{text.removesuffix(')')}, line {title.line})" if note else f"{text} (line {title.line})"


def _needs_text(title: Title) -> str:
    """What an edit needs, in brackets; empty where that is nothing."""
    host, condition = _HOST_CHANGES.get(title.kind), _CONDITIONS.get(title.kind)
    if host is not None and title.launched:
        path, line = listed(title.launched)
        needs = [f"{host.replace('the host must launch', f'{path} launches')} in line {line}"]
    else:
        needs = [f"needs a host change: {host}"] if host is not None else []
    needs += [condition] if condition is not None else []
    needs = [text.format(*_names(title)) for text in needs]
    if title.asserts:
        asserted = " and that ".join(assertion_text(one) for one in title.asserts)
        needs.append(f"unsafe: you assert that {'in each launch ' if title.each else ''}{asserted}")
    return f" ({'; '.join(needs)})" if needs else ""


def _names(title: Title) -> list[str]:
    names = listed(title.names)
    at = 0 if title.kind in _OF_LOOPS else 1 if title.kind in _OF_VALUES_AND_LOOPS else len(names)
    return [loop_text(name) if place == at else name for place, name in enumerate(names)]


_OF_VALUES_AND_LOOPS: frozenset[TitleKind] = frozenset(
    {"fixed_whole", "fixed_whole_found", "fixed_unroll", "fixed_unroll_found"}
)


def assertion_text(assertion: Assertion) -> str:
    """What the user asserts for an edit."""
    return _ASSERTIONS[assertion.kind].format(*listed(assertion.names))


def fix_title(fix: Fix) -> str:
    """What an edit does and needs, what it gains where it is made for time's sake, and whether it was not executed."""
    title, note = fix.offer.title, not_executed_note(fix.execution)
    if not fix.offer.codes:
        return title_text(title) + note
    gain = gain_text(fix.gain) if fix.gain is not None else "gain not known"
    # Editors cut long titles: what an edit does and gains comes before what it needs.
    return f"{short_title_text(title)}: {gain}{_needs_text(title)}{note}"


def edit_in_headline(title: Title, after_s: float, *, assumed: bool) -> str:
    """The edit that leaves the least of a kernel's time."""
    text = short_title_text(title)
    return f"{text[:1].lower()}{text[1:]} → {f'{ASSUMED} ' if assumed else ''}{time_text(after_s)}"


_RESTS_ON: dict[Kind, str] = {"proved": "a proof", "host": "the host program", "assertion": "what you assert"}


def shown_text(kind: Kind, execution: Verdict | None) -> str:
    """What an edit rests on, and whether it was executed; attributes and qualifiers alone are not."""
    done = isinstance(execution, Equal) and not execution.shorter
    return f"{_RESTS_ON[kind]}{', executed' if done else not_executed_note(execution)}"


def not_executed_note(execution: Verdict | None) -> str:
    """What a title adds for a proved edit that was not executed, or not with the loops as they are."""
    if isinstance(execution, Equal) and execution.shorter:
        return " (executed with shorter loops)"
    return f" (not executed: {not_executed_text(execution.reason)})" if isinstance(execution, NotExecuted) else ""


def sizes_title(given: Sequence[Missing]) -> str:
    """Which sizes a comment gives, with their values."""
    settings = " ".join(f"{one.setting}={one.usual}" for one in given)
    host = next((text for one in given if (text := host_text(one))), "")
    return f"Give {sizes_text(given)} for a known time: {settings}{f' ({host})' if host else ''}"


def host_text(size: Missing) -> str:
    """Where a size was read in a host program; empty where it was not."""
    return f"{size.host[0]}, line {size.host[1]}" if size.host is not None else ""


def launched_text(proposed: Sequence[Missing]) -> str:
    """The sizes that a host program launches a kernel with, as a comment gives them; empty without any."""
    said = [one for one in proposed if one.host is not None]
    settings = " ".join(f"{one.setting}={one.usual}" for one in said)
    return f"{host_text(said[0])}, launches it with // burstline: {settings}" if said else ""


def gain_text(gain: Gain) -> str:
    """The times before and after an edit, the factor between them, and what it takes more of the device."""
    before, after = gain_times(gain)
    factor, rest = factor_text(gain.speedup), ""
    if is_range(gain) and gain.speedup_range is not None:
        low, high = map(factor_text, gain.speedup_range)
        factor = f"{low.removesuffix('×')}–{high}" if low != high else low
        rest = " on the same data" if gain.same_data is not None and low != high else ""
    elif gain.restrict_as_much or gain.may_lose:
        factor = f"up to {factor}"
        rest = "; restrict alone may do as much" if gain.restrict_as_much else ""
    times = f"kernel {before} → {after}"
    price = ""
    if gain.more is not None:
        resource, share = gain.more
        price = f" for {share_text(share)} more of the board's {WORDS[resource]}"
    return f"{times}, {factor}{price}{rest}"


def gain_times(gain: Gain) -> tuple[str, str]:
    """The times before and after an edit: ranges where the gain is one, so that they give its ends."""
    mark = f"{ASSUMED} " if gain.assumed else ""
    most = "at most " if gain.bound == "most" else ""
    if is_range(gain) and gain.before_range_s is not None and gain.after_range_s is not None:
        return f"{mark}{most}{times_text(*gain.before_range_s)}", f"{mark}{times_text(*gain.after_range_s)}"
    after = time_text(gain.after_s) if gain.per == "launch" else cost_text(None, gain.after_s, gain.per)
    return f"{mark}{most}{time_text(gain.before_s)}", f"{mark}{after}{AT_WORST if gain.bound == 'worst' else ''}"


def is_range(gain: Gain) -> bool:
    """Whether a gain is given as a range: it pays at both ends."""
    return gain.speedup_range is not None and gain.speedup_range[0] >= WORTH_SAYING
