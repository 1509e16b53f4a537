"""What LLVM's reading of a kernel adds to ours."""

from __future__ import annotations

from collections.abc import Iterator

from burstline_server.llvm.agreement import Agreement

MOST_DIFFERENCES = 8
"""Most differences of a kernel that are listed."""


def agreement_lines(found: Agreement, version: int) -> Iterator[str]:
    """How far LLVM agrees on a kernel, and each place where it does not."""
    same = found.places - len(found.differences)
    yield f"{found.kernel}: LLVM {version} leaves as many accesses on {same} of {found.places} lines"
    for (file, line, op, pointer), here, there in found.differences[:MOST_DIFFERENCES]:
        where = f"{file}:{line}" if file else f"line {line}"
        yield f"  {where}: LLVM leaves {_accesses(there, op, pointer)}, units are for {here}"
    if (more := len(found.differences) - MOST_DIFFERENCES) > 0:
        yield f"  and {more} more"


def _accesses(count: int, op: str, pointer: str) -> str:
    words = f"{op}s" if count != 1 else op
    return f"{count or 'no'} {words} of {pointer}"


def no_answer_text(why: str) -> str:
    """Why LLVM says nothing of a file."""
    return f"LLVM says nothing: {why}"
