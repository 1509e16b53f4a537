"""Put a small table into the constant cache."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import partial

from burstline_server.assessment.assessor import Assessment
from burstline_server.assessment.costing import KernelAssessment
from burstline_server.rewrites.reasons import Title
from burstline_server.rewrites.rewrite import Candidate, NotOfferedError, Offer, Rewrite, TextEdit
from burstline_server.rewrites.small_tables import Table, tables

_GLOBAL = re.compile(rb"\b(?:__)?global\b(?=[^,(]{0,400}$)")


class Constant(Rewrite):
    """``__constant`` in place of ``__global`` for a small table: it is read from a cache that all kernels share.

    Offered where the kernel only reads the table, uses it in no other way, and every index is bounded by constants, up
    to 16 kB. Needs the host to fill the buffer before the kernel starts and nobody to write it while one runs, and
    ``-const-cache-bytes`` where all constant tables together are larger than 16 kB.
    """

    name = "constant"
    codes = ("BL102", "BL105", "BL106", "BL101")

    def candidates(self, assessment: Assessment, kernel: KernelAssessment) -> Iterable[Candidate]:
        """One edit for each table."""
        for table in tables(assessment, kernel):
            spans = (table.argument.span, *(a.span for a in table.accesses))
            yield Candidate(
                Title("constant", (table.argument.name,)),
                spans,
                partial(_offer, assessment, kernel, table),
            )


def _offer(assessment: Assessment, kernel: KernelAssessment, table: Table) -> Offer:
    text, name, span = assessment.source.original, table.argument.name, table.argument.span
    size = table.length * table.argument.element_bytes
    if table.tile:
        raise NotOfferedError("size_grows")
    word = _GLOBAL.search(text[: span.end]) if span.file is None else None
    if word is None:
        raise NotOfferedError("declaration_elsewhere")
    return Offer(
        title=Title("constant_host", (name, size)),
        kind="host",
        kernel=kernel.facts.name,
        edits=(TextEdit(word.start(), word.end(), "__constant"),),
        spans=(span, *(a.span for a in table.accesses)),
        codes=Constant.codes,
        host=f"cl_mem {name} = clCreateBuffer(context, CL_MEM_READ_ONLY, {size}, NULL, &status);\n",
    )
