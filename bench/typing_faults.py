"""What an editor shows of faults while public kernels are typed: `python bench/typing_faults.py FOLDER --files 200`.

Files without a fault are typed from their first character to their last. While one types no fault is shown; typing
pauses after characters drawn by chance, `--pauses` in a file, and what is shown then is counted. All that is written
before the cursor's own statement is right, so that a fault there is a false one, unless a block or an `#if` is still
open; none may be at the statement that is being written.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections import Counter
from pathlib import Path

from burstline_server.assessment.assessor import Assessor
from burstline_server.diagnostics.catalogue import FAULTS, findings_of
from burstline_server.diagnostics.finding import Finding
from burstline_server.lsp.documents import PAUSE_S, Document
from burstline_server.words.findings import message_text

MOST_BYTES = 20_000
OPEN = ("#if without #endif", "this comment does not end", "'}'", "')'", "']'", "'{'", "'('", "'['")
"""What is true of a text that ends here."""


def paused(text: bytes, path: Path, assessor: Assessor) -> Document:
    """A document whose last character was typed a while ago."""
    document = Document(path.as_uri(), path, text, 1)
    assessment = assessor.assess(text.decode("utf-8", "replace"), str(path), [])
    document.take(assessment, findings_of(assessment), 1)
    document.edited = (max(0, len(text) - 1), len(text))
    document.edited_at_s = time.monotonic() - 10 * PAUSE_S
    return document


def kind_of(document: Document, fault: Finding) -> str:
    """Whether a fault that is shown is true, false, or at the statement that is being written."""
    text = document.text
    begun = max(text.rfind(sign, 0, len(text)) for sign in (b";", b"{", b"}")) + 1
    if any(word in message_text(fault) for word in OPEN):
        return "open"
    return "at the cursor" if fault.span.end > begun and text[begun:].strip() else "false"


def main() -> int:
    """Type, and print what was shown; exit status 1 for what must not be."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--files", type=int, default=200)
    parser.add_argument("--pauses", type=int, default=25, help="in each file")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--examples", type=int, default=10)
    options = parser.parse_args()
    chance = random.Random(options.seed)  # noqa: S311 - drawn again for the same seed
    paths = sorted(p for p in options.folder.rglob("*.cl") if p.is_file() and p.stat().st_size <= MOST_BYTES)
    chance.shuffle(paths)
    counts: Counter[str] = Counter()
    for path in paths:
        if counts["files"] >= options.files:
            break
        text, assessor = path.read_bytes(), Assessor()
        whole = assessor.assess(text.decode("utf-8", "replace"), str(path), [])
        if not whole.kernels or whole.faults:
            continue
        counts["files"] += 1
        counts["characters"] += len(text)
        for end in sorted(chance.randrange(1, len(text)) for _ in range(options.pauses)):
            document = paused(text[:end], path, assessor)
            counts["pauses"] += 1
            for fault in document.findings.others:
                if fault.code in FAULTS and not document.is_waiting(fault):
                    kind = kind_of(document, fault)
                    counts[kind] += 1
                    if kind != "open" and counts[kind] <= options.examples:
                        near = text[max(0, end - 60) : end].decode("utf-8", "replace")
                        sys.stdout.write(f"{kind}: {message_text(fault)} … {near!r}\n")
    sys.stdout.write(", ".join(f"{name}: {counts[name]}" for name in
                               ("files", "characters", "pauses", "open", "at the cursor", "false")) + "\n")  # fmt: skip
    return int(counts["at the cursor"] + counts["false"] > 0)


if __name__ == "__main__":
    sys.exit(main())
