"""What LLVM's reading of a kernel adds to ours."""

from __future__ import annotations

from collections.abc import Iterator

from burstline_server.llvm.agreement import Agreement
from burstline_server.llvm.invocation import NoAnswer

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


_NO_ANSWER: dict[NoAnswer, str] = {
    "no_programs": "there is no clang with its opt",
    "no_question": "the text is no kernel file that clang can read",
    "refused": "clang refuses the text",
    "failed": "opt fails: {0}",
    "too_long": "the code is too long",
    "too_slow": "too slow",
    "not_started": "it does not start ({0})",
}


def no_answer_text(why: NoAnswer, said: str) -> str:
    """Why LLVM says nothing of a file."""
    return f"LLVM says nothing: {silence_text(why, said)}"


def silence_text(why: NoAnswer, said: str) -> str:
    """The reason alone."""
    return _NO_ANSWER[why].format(said)
