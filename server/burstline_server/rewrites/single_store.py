"""One store where two go to the same place."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from itertools import pairwise

from burstline_model.facts import Access
from burstline_model.parallelism.alias import may_alias
from burstline_server.assessment.assessor import Assessment
from burstline_server.assessment.costing import KernelAssessment
from burstline_server.rewrites.legality.effects import Effects
from burstline_server.rewrites.legality.exact_places import require_exact
from burstline_server.rewrites.plain_stores import Store, in_type
from burstline_server.rewrites.reasons import Title
from burstline_server.rewrites.rewrite import Candidate, NotOfferedError, Offer, Rewrite, TextEdit
from burstline_server.rewrites.syntax import SourceNode


class SingleStore(Rewrite):
    """A store that a later one of the same iteration overwrites, folded into that one.

    ``y[i] = a; if (c) y[i] = b;`` becomes ``y[i] = c ? b : a;``, one store without a condition, and an earlier store
    under a condition that is always overwritten goes. Offered for statements that follow each other directly and only
    compute; the buffer is not read in between. No result changes. Stores in both arms of an if need no edit: the
    compiler makes them one.
    """

    name = "single store"
    codes = ("BL103", "BL106")

    def candidates(self, assessment: Assessment, kernel: KernelAssessment) -> Iterable[Candidate]:
        """One edit for each pair of neighbouring stores."""
        facts = kernel.facts
        stores = [a for a in facts.accesses if a.op == "store" and a.space == "global" and not a.call_chain]
        for first, second in pairwise(stores):
            same = first.pointer == second.pointer and first.loops == second.loops and first.offset == second.offset
            if same and first.offset is not None and not first.volatile:
                yield Candidate(
                    Title("single_store", (first.pointer,)),
                    (first.span, second.span),
                    partial(_offer, assessment, kernel, first, second),
                )


def _offer(assessment: Assessment, kernel: KernelAssessment, first: Access, second: Access) -> Offer:
    one, two = Store.of(assessment, first), Store.of(assessment, second)
    if one is None or two is None or two.whole.previous is None or two.whole.previous.start != one.whole.start:
        raise NotOfferedError("stores_apart")
    effects = Effects(assessment.source)
    require_exact(assessment.source, kernel.facts, (first, second))
    between = [a for a in kernel.facts.accesses if first.id < a.id < second.id and a.space == "global"]
    if any(may_alias(kernel.facts, first, a) for a in between):
        raise NotOfferedError("read_between", first.pointer)
    edits: tuple[TextEdit, ...]
    if two.condition is not None and one.condition is None:
        if not effects.pure(one.value.node, two.value.node, two.condition.node):
            raise NotOfferedError("value_has_effect")
        chosen = f"{in_type(second.type, two.value)} : {in_type(first.type, one.value)}"
        text = f"{two.left.text} = {two.condition.text} ? {chosen};"
        edits = (_removed(assessment, one.whole), TextEdit(two.whole.start, two.whole.end, text))
        title = Title("single_store_chosen", (first.pointer,))
    elif one.condition is not None and two.condition is None:
        if not effects.pure(one.value.node, one.condition.node):
            raise NotOfferedError("value_has_effect")
        edits = (_removed(assessment, one.whole),)
        title = Title("single_store_left_out", (first.pointer,))
    else:
        raise NotOfferedError("conditions_alike")
    return Offer(
        title=title, kind="proved", kernel=kernel.facts.name, edits=edits, spans=(first.span, second.span),
        codes=SingleStore.codes,
    )  # fmt: skip


def _removed(assessment: Assessment, whole: SourceNode) -> TextEdit:
    """A statement taken out, its line with it where it is alone."""
    text = assessment.source.original
    start = text.rfind(b"\n", 0, whole.start) + 1
    end = text.find(b"\n", whole.end)
    end = len(text) if end < 0 else end + 1
    alone = not text[start : whole.start].strip() and not text[whole.end : end].strip()
    return TextEdit(start, end, "") if alone else TextEdit(whole.start, whole.end, "")
