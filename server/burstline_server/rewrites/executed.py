"""Edits that rest on a proof, executed: the kernel before and after on the same made-up data."""

from __future__ import annotations

from hashlib import blake2b

from burstline_server.caches.bounded import BoundedCache
from burstline_server.interpreter.equality import Edited, equal
from burstline_server.interpreter.reasons import Verdict
from burstline_server.rewrites.rewrite import Offer
from burstline_server.source.source import Source

MOST_VERDICTS = 512
_verdicts: BoundedCache[bytes, Verdict] = BoundedCache("executions", MOST_VERDICTS)


def execution(before: Source, after: Source, offer: Offer) -> Verdict | None:
    """What executing a proved edit shows, once for two texts; None for an edit that needs more than the text."""
    if offer.kind != "proved":
        return None
    kernels = offer.replaced_by or (offer.kernel,)
    key = blake2b(repr((before.text, after.text, offer.kernel, kernels)).encode(), digest_size=16).digest()
    found = _verdicts.find(key)
    return found or _verdicts.keep(key, equal(before, offer.kernel, Edited(after, kernels, offer.arguments)))
