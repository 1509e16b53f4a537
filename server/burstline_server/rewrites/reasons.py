"""What an edit does, needs and gains, and why it is not offered, by kind: `words` makes the sentences."""

from __future__ import annotations

from typing import Literal

from burstline_model.devices.resource_use import Resource
from burstline_model.estimate.kernel_estimate import Limit
from burstline_model.parallelism.simd_limits import KeptApart
from burstline_model.record import fixed
from burstline_server.interpreter.verdicts import Different

Name = str | int | tuple[str, ...]
"""What a sentence names: a name or a place as it is written, a number, or several names."""

TitleKind = Literal[
    "private_atomic", "banks", "banks_shared", "forward_through_register", "channels", "constant", "constant_host",
    "aos_to_soa_several", "aos_to_soa_one", "aos_to_soa", "ivdep", "ivdep_over", "pad", "pad_by", "soa_to_aos",
    "soa_to_aos_host", "restrict", "shift_register", "shift_register_for", "simd", "simd_lanes", "simd_groups",
    "single_work_item", "single_work_item_over", "single_store", "single_store_chosen", "single_store_left_out",
    "split_two", "split_four", "split_eight", "split_two_queues", "split_four_queues", "split_eight_queues",
    "cache_on_chip", "cache_in_private_memory", "cache_in_local_memory", "compute_units", "uncached", "uncached_by",
    "unconditional", "unconditional_zeroed", "unroll", "exchange_ids", "exchange_ids_in_groups", "interchange",
    "unroll_and_jam", "unroll_by", "unroll_whole", "unroll_by_instead", "unroll_whole_instead", "unroll_together",
    "unroll_nest", "vectorise", "vectorise_by", "vector_items", "vector_items_of",
    "vendor_names", "sliding_window", "register_window", "register_window_of",
    "fuse_loops", "fuse_loops_over", "load_before", "load_before_stores", "load_before_end", "load_before_condition",
    "keep_in_variable", "histogram_on_chip", "private_histogram", "local_histogram",
    "local_histogram_groups", "bins_in_turn", "bins_in_turn_of",
    "row_tiles", "row_tiles_kept", "row_tiles_groups", "row_buffers", "row_buffers_of",
    "halo_tile", "halo_tile_kept", "halo_tile_groups",
    "partial_sums", "partial_sums_of", "sum_strips", "sum_strips_of", "terms_first", "terms_first_of",
    "transpose_tile", "transpose_tile_kept", "transpose_tile_groups",
    "group_size", "group_size_found", "no_dispatch", "no_dispatch_found",
    "others", "any_edit", "pragma_ii", "private_block", "private_block_loaded", "private_block_stored",
    "fixed_whole", "fixed_whole_found", "fixed_unroll", "fixed_unroll_found",
]  # fmt: skip
"""What an edit does, by the edit's own name. Where it is not certain yet that it can be made, the kind says less."""

AssertionKind = Literal[
    "holds", "holds_more", "holds_one_each", "not_read_later", "not_stored_later", "halves_apart", "apart",
    "not_stored_there", "is_element", "added_in_any_order", "multiplied_in_any_order", "run_as_often",
]  # fmt: skip


@fixed
class Assertion:
    """What the user asserts for an edit to keep results: lengths of buffers, or which accesses never meet."""

    kind: AssertionKind
    names: tuple[Name, ...] = ()


@fixed
class Title:
    """What an edit does, and what it needs.

    `kept_first`: after values that later iterations read were kept in variables; `over_items`: after the work-items
    became a loop; `each`: the host launches it for each value of this counter. `line` distinguishes it from others
    with the same names. `launched`: the host program's path and line that launch work-groups of that size already.
    """

    kind: TitleKind
    names: tuple[Name, ...] = ()
    asserts: tuple[Assertion, ...] = ()
    kept_first: bool = False
    over_items: bool = False
    each: str = ""
    line: int | None = None
    launched: tuple[Name, ...] = ()


@fixed
class Gain:
    """A kernel's time before and after an edit, in seconds for each launch, work-item or iteration.

    `more` is the resource that it takes most of beyond now, as a share of what the board leaves free; None where that
    is little. `before_range_s` and `after_range_s` are the least and the most of each time, for the quotient of both:
    by data, by what a compiler finds out by itself, and by clocks, as far as those of two builds are independent.
    `same_data` is the least and the most of the quotient where the same data decide both times: at equal data, not of
    the ends. `assumed`: both are times at assumed sizes. `restrict_as_much`: so does `restrict` on the kernel's buffers
    alone. `limits`: what sets each time. `bound`: loops may end before their count, so that each is the most;
    or each is the one at worst data.
    """

    before_s: float
    after_s: float
    per: Literal["launch", "item", "iteration"]
    more: tuple[Resource, float] | None
    before_range_s: tuple[float, float] | None = None
    after_range_s: tuple[float, float] | None = None
    same_data: tuple[float, float] | None = None
    assumed: bool = False
    restrict_as_much: bool = False
    limits: tuple[Limit, Limit] | None = None
    bound: Literal["most", "worst"] | None = None

    @property
    def speedup(self) -> float:
        """How many times faster."""
        return self.before_s / self.after_s

    @property
    def speedup_range(self) -> tuple[float, float] | None:
        """How many times faster at least, and at most."""
        if self.same_data is not None:
            return self.same_data
        if self.before_range_s is None or self.after_range_s is None:
            return None
        return self.before_range_s[0] / self.after_range_s[1], self.before_range_s[1] / self.after_range_s[0]

    @property
    def may_lose(self) -> bool:
        """Whether the kernel may become slower by more than what is worth saying."""
        return self.speedup_range is not None and self.speedup_range[0] * WORTH_SAYING < 1


WORTH_SAYING = 1.05
"""From this speed-up on at both ends, a gain is given as a range."""


ObstacleKind = Literal[
    "accesses_outside", "another_store", "argument_changes", "arguments_elsewhere", "asks_for_work_item",
    "asks_in_order", "asks_indirectly", "assignment_incomplete", "atomic_not_written_out", "attributes_name_groups",
    "autorun", "blocks_race", "body_not_plain", "bound_may_change", "bounds_of_other_type", "calls_printf",
    "calls_what_asks", "carried_outermost", "carries", "changes_in_loop", "comment_between", "comment_in_assignment",
    "condition_bounds_index", "conditional_atomic", "conditions_alike", "counter_outside", "data_choose_place",
    "declaration_elsewhere", "declares_other_type", "declares_pointer", "dimension_not_number", "distances_differ",
    "does_not_advance", "does_not_count_up", "early_exit", "few_bins", "first_not_constant", "group_not_multiple",
    "group_not_whole", "has_barrier",
    "has_atomics", "has_channel", "has_channels", "has_directives", "has_effect", "has_jumps", "has_printf",
    "head_has_effect", "head_incomplete", "head_loads", "head_without_first_value", "helper_stores", "holds_loop",
    "in_helper", "index_changes", "index_computed", "index_declared_with_load", "items_alike", "items_share",
    "iterations_meet", "launched_with", "load_in_head", "load_in_step", "load_outside", "load_under_effect",
    "loads_differ", "loads_hidden", "loop_may_store", "macro_in_declaration", "macro_in_head", "macro_in_it",
    "macro_in_text", "may_overlap", "mixed_types", "more_stores", "negative_index", "no_arguments", "no_divisor",
    "no_elementwise_builtin", "no_fixed_group", "no_fixed_step", "no_fixed_trips", "no_line_at_start",
    "no_line_before_use", "no_line_for_attributes", "no_line_for_declaration", "no_line_for_pragma",
    "no_line_for_remainder", "no_load_and_store", "no_outermost_loop", "no_padding_fits", "no_plain_name",
    "no_such_scalar", "no_such_vectors", "no_vector_operation", "not_a_for_loop", "not_all_elements",
    "not_each_iteration", "not_elementwise", "not_first_reader", "not_next_element", "not_one_element", "not_one_field",
    "not_plain_memory", "not_plain_numbers", "not_right_in_other", "not_whole_numbers", "opposite_order", "other_type",
    "padding_shifts_others",
    "others_may_store", "others_may_wait", "outside_outermost", "outermost_changes_counter",
    "outermost_ends_early", "outermost_not_fixed", "outermost_unsigned",
    "outermost_without_bound", "over_work_items", "path_stored_to", "place_from_data", "place_moves", "pragma_says",
    "proven_dependence", "read_again", "read_again_in_cache", "read_between", "reads_stored", "reads_unknown",
    "result_used", "return_in_loop", "set_outside", "several_elements", "several_in_head", "several_stores_read",
    "shifts_scalar", "size_grows", "statement_changes_place", "store_has_effect", "store_not_alone",
    "store_not_one_statement", "store_not_plain", "stored_again", "stores_and_decides", "stores_and_sets",
    "stores_apart", "stores_lanes", "index_first",
    "stores_need_no_load", "too_many_accesses", "too_many_loads", "uneven_steps", "unknown_function", "unknown_place",
    "unrolled_load", "unsafe_dependence", "used_elsewhere", "used_once", "value_has_effect", "without_elements",
    "bins_not_bounded", "conditional_store",
    "condition_differs", "counter_may_wrap", "few_trips", "group_not_fixed", "group_too_small",
    "kernel_stores", "nothing_in_order",
    "outside_undefined", "row_step_unknown", "tile_too_large", "trips_differ",
    "address_given", "not_a_sum", "not_plain_variable", "too_many_partials", "copies_too_large",
    "conditional_load", "heads_differ", "leads_to_several", "not_all_read", "later_in_first", "set_in_other",
    "argument_assigned", "argument_declared_again", "argument_varies", "host_passes_other", "no_such_value",
    "comment_before_body", "not_unrolled", "row_not_constant", "rows_too_large", "stored_in_loops",
    "halo_too_wide", "too_many_boxes", "term_of_other_type",
    "used_in_macros", "no_group_size", "return_inside", "local_behind_return", "used_elsewhere_in_kernel",
    "hides_another", "index_comes_round", "shares_no_load", "trips_may_differ", "not_asked_for", "nothing_suggests",
    "no_kind", "block_not_small", "copied_whole", "word_read_again", "not_priced",
    "iterations_share", "not_two_ends", "not_all_tasks", "not_one_loop", "trips_apart", "channel_declared_with",
    "channel_elsewhere", "too_many_joined", "no_vectors_fit", "sends_before_it_reads",
]  # fmt: skip
"""What is in the way of an edit."""


@fixed
class Obstacle:
    """What is in the way of an edit, and the names and numbers that belong to it."""

    kind: ObstacleKind
    names: tuple[Name, ...] = ()


@fixed
class NoLanes:
    """Work-items cannot run side by side."""

    why: KeptApart


@fixed
class NoGain:
    """The edit can be made and does not pay; `gain` is what it would bring, where that is known."""

    gain: Gain | None


Reason = Obstacle | NoLanes | NoGain | Different
"""Why an edit that suggests itself is not offered; `Different` where executing it shows that it is wrong."""
