"""The sizes that are assumed of a kernel, for pricing its edits at the same ones."""

from __future__ import annotations

from typing import Any

from burstline_server.assessment.assessor import Assessment
from burstline_server.assessment.costing import KernelAssessment
from burstline_server.config.layers import Layer
from burstline_server.rewrites.rewrite import Offer

SAME = 0.02
"""How far a time at given sizes may be from that at assumed ones, as a share: both are shown as one."""


def loops_over(offer: Offer) -> tuple[str, ...]:
    """The arguments that give loops over what were work-items their bounds."""
    return offer.host_side.sizes if offer.host_side is not None else ()


def assumed_again(assessment: Assessment, guess: KernelAssessment, offer: Offer) -> Layer:
    """What is assumed of a kernel, to be assumed of its edited text: the iterations of any loop that nothing counts."""
    others = {  # of a network, which run at sizes of their own
        one.facts.name: {"assumed_trips": other.launch.assumed_trips}
        for one in assessment.kernels
        if (other := one.at_assumed) is not None and other.launch.assumed_trips and one.facts.name != offer.kernel
    }
    return _layer(guess, offer, {}, assumed_trips=guess.launch.assumed_trips, kernels=others or None)


def as_given(kernel: KernelAssessment, guess: KernelAssessment, offer: Offer) -> Layer | None:
    """The same as if somebody gave it, where all trips follow from arguments: an edit may make other loops then.

    None where a loop is assumed to run so often by itself, or other kernels run at sizes of their own.
    """
    found = kernel.estimate.at_assumed
    apart = kernel.facts.channels and not offer.joined
    if found is None or found.sizes.alone or not found.sizes.arguments or apart:
        return None
    return _layer(guess, offer, found.sizes.arguments)


def is_same(kernel: KernelAssessment, guess: KernelAssessment) -> bool:
    """Whether a kernel takes as long at given sizes as at the same ones assumed."""
    times = kernel.estimate.time_s, guess.estimate.time_s
    return None not in times and abs((times[0] or 0.0) - (times[1] or 0.0)) <= SAME * (times[1] or 0.0)


def _layer(guess: KernelAssessment, offer: Offer, arguments: dict[str, int], **more: object) -> Layer:
    """A launch in the settings' words; what is None is left out."""
    items = dict(zip(loops_over(offer), guess.launch.global_size or (), strict=False))
    sizes: dict[str, Any] = {
        "global_size": guess.launch.global_size,
        "local_size": guess.launch.local_size,
        "arguments": {**arguments, **items} or None,
        **more,
    }
    return Layer("option", {key: value for key, value in sizes.items() if value is not None})
