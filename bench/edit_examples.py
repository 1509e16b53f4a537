"""Every kind of edit on a kernel of `examples/edits`: what it answers, what it changes, what the host does.

python -m bench.edit_examples [--markdown docs/rules/edit_examples.md]
"""

from __future__ import annotations

import argparse
import difflib
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "examples" / "edits"


def path_of(edit: Any) -> Path:
    """The kernel that shows a kind of edit."""
    name = type(edit).__module__.rpartition(".")[2]
    return FOLDER / f"{name}.cl"


def shown(edit: Any) -> tuple[Any, Any, Any]:
    """The file's assessment, the first edit of this kind in it, and what comes of executing it."""
    from burstline_server.assessment.assessor import Assessor  # noqa: PLC0415
    from burstline_server.cli.options import layers_of  # noqa: PLC0415
    from burstline_server.rewrites.catalogue import executed  # noqa: PLC0415

    path = path_of(edit)
    text, assessor = path.read_text("utf-8"), Assessor()
    layers, _ = layers_of(path, text, None)
    assessment = assessor.assess(text, str(path), layers)
    offer = next(o for kernel in assessment.kernels for o in edit.offers(assessment, kernel))
    return assessment, offer, executed(assessor, assessment, layers, offer)


def page() -> str:
    """All of them, in the order of their page."""
    from burstline_server.rewrites.catalogue import REWRITES  # noqa: PLC0415

    lines = [
        "# Edits, each on a kernel",
        "",
        "Written by `python -m bench.edit_examples --markdown docs/rules/edit_examples.md` from the kernels in "
        "[examples/edits](../../examples/edits). [edits.md](edits.md) says when each is offered, and what is in its "
        "way; `burstline fix --all --host --unsafe FILE` adds the time before and after.",
    ]
    for edit in REWRITES:
        lines += ["", *_section(edit)]
    return "\n".join(lines) + "\n"


def _section(edit: Any) -> Iterator[str]:
    from burstline_server.diagnostics.catalogue import findings_of  # noqa: PLC0415
    from burstline_server.words.edits import shown_text, title_text  # noqa: PLC0415

    assessment, offer, execution = shown(edit)
    before = assessment.source.original
    after = offer.applied(before).decode()
    found = sorted({f.code for f in findings_of(assessment) if offer.answers(f)})
    yield f"## {edit.name[:1].upper()}{edit.name[1:]}"
    yield ""
    yield title_text(offer.title) + (f". Answers {', '.join(found)}." if found else ".")
    yield f"Rests on {shown_text(offer.kind, execution)}."
    yield ""
    yield "```diff"
    lines = difflib.unified_diff(before.decode().splitlines(), after.splitlines(), lineterm="", n=99)
    yield from list(lines)[3:]
    yield "```"
    if offer.host:
        yield ""
        yield "The host:"
        yield ""
        yield "```c"
        yield offer.host.rstrip("\n")
        yield "```"


def main() -> int:
    """Print the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--markdown", type=Path, help="a page for it")
    arguments = parser.parse_args()
    text = page()
    if arguments.markdown:
        arguments.markdown.write_text(text, "utf-8")
    else:
        sys.stdout.write(text)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
