"""The pages about findings, edits and the compiler's rules, as `burstline explain` prints them."""

from __future__ import annotations

from burstline_server.diagnostics.catalogue import RULES
from burstline_server.presentation.compiler_page import COMPILER, compiler_page
from burstline_server.rewrites.catalogue import REWRITES
from burstline_server.words.edits import ABOUT_EDITS

__all__ = ["COMPILER", "EDITS", "rule_pages"]
EDITS = "edits"


def rule_pages() -> dict[str, str]:
    """Every page in Markdown, by the name that `burstline explain` takes."""
    pages = {rule.code: rule.documentation() + _edits(rule.code) for rule in RULES}
    return pages | {COMPILER: compiler_page(), EDITS: _edits_page()}


def _edits(code: str) -> str:
    """The edits that answer a finding, as a section of its page."""
    found = [rewrite.documentation() for rewrite in REWRITES if code in rewrite.codes]
    return "\n## Edits\n\n" + "\n".join(found) if found else ""


def _edits_page() -> str:
    """All edits on a page."""
    lines = [
        "# Edits\n",
        f"{ABOUT_EDITS}\n",
    ]
    for rewrite in REWRITES:
        answers = f"Answers {', '.join(rewrite.codes)}.\n" if rewrite.codes else ""
        lines += [rewrite.documentation(), answers] if answers else [rewrite.documentation()]
    return "\n".join(lines)
