"""Edits, executed: the kernel before and after on the same made-up data, laid out as the host program would."""

from __future__ import annotations

from hashlib import blake2b

from burstline_server.caches.bounded import BoundedCache
from burstline_server.interpreter.equality import Edited, equal
from burstline_server.interpreter.host_side import NOTHING
from burstline_server.interpreter.verdicts import Equal, Verdict
from burstline_server.rewrites.rewrite import Offer
from burstline_server.source.source import Source

MOST_VERDICTS = 512
_verdicts: BoundedCache[bytes, Verdict] = BoundedCache("executions", MOST_VERDICTS)


def execution(before: Source, after: Source, offer: Offer) -> Verdict | None:
    """What executing an edit shows, once for two texts; None for one that changes attributes or qualifiers alone.

    An edit that puts in pragmas alone leaves every statement, so that nothing is run.
    """
    if not offer.is_executed:
        return None
    alone = offer.host_side is None and not offer.replaced_by and not offer.arguments
    if alone and before.text.split() == after.text.split():
        return Equal(0)
    kernels, host = offer.replaced_by or (offer.kernel,), offer.host_side or NOTHING
    # Attributes are blank in the text that is parsed, and ask for sizes of work-groups.
    texts = (before.text, before.original, after.text, after.original)
    key = blake2b(repr((*texts, offer.kernel, kernels, host)).encode(), digest_size=16).digest()
    found = _verdicts.find(key)
    edited = Edited(after, kernels, offer.arguments, host, offer.joined)
    return found or _verdicts.keep(key, equal(before, offer.kernel, edited))
