"""Whether an edited file is answered for as one that nothing is known of: `python -m bench.warm_answers FOLDER…`.

In each kernel file, statements are changed, added, taken out and brought back, at places drawn by chance in kernels
and their loops. After each edit the answer (``check --format json``) of what has read the texts before is compared with
that of a reading from scratch, what functions keep by their arguments dropped. Exits with 1 where two differ.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from bench.quiet import without_log
from bench.real_edits import files_in

from burstline_model.parallelism.kept_means import forget_means
from burstline_model.walk.kept_shares import forget_shares
from burstline_server.analysis.liveness import forget_statements
from burstline_server.assessment.assessor import Assessor
from burstline_server.diagnostics.catalogue import findings_of
from burstline_server.presentation.report_build import file_report

_STATEMENT = re.compile(r"(?<=[;{}\n])[^;{}\n#]*[^;{}\s#][ \t]*;[ \t]*(?=\n)")
_NUMBER = re.compile(r"(?<![\w.])\d+(?![\w.])")
_SIGN = re.compile(r"(?<=\w) ?([-+*<>]) ?(?=\w)")
_NAME = re.compile(r"(?<![\w.#])[A-Za-z_]\w*")


def edited(text: str, chance: random.Random) -> str:
    """The text with one statement changed, added or taken out."""
    found = [*_STATEMENT.finditer(text)]
    if not found:
        return text
    place = chance.choice(found)
    one = place[0]
    match chance.randrange(7):
        case 0:
            new = ""
        case 1:
            new = f"{one}\n{one}"
        case 2:
            new = one.replace(";", f" + {chance.randrange(1, 9)};", 1)
        case 3:
            new = _NUMBER.sub(lambda _: str(chance.randrange(1, 99)), one, count=1)
        case 4:
            new = _SIGN.sub(lambda _: f" {chance.choice('+-*<>')} ", one, count=1)
        case 5:
            names = sorted({*_NAME.findall(text[max(0, place.start() - 400) : place.end()])})
            new = _NAME.sub(lambda m: chance.choice(names) if chance.random() < 0.3 else m[0], one)
        case _:
            new = f"{one}\n    const int added_{chance.randrange(4)} = {chance.randrange(9)};"
    return text[: place.start()] + new + text[place.end() :]


def answer(assessor: Assessor, text: str, path: Path) -> str:
    """What ``check`` answers for a text."""
    assessment = assessor.assess(text, str(path), [])
    return file_report(assessment, findings_of(assessment)).model_dump_json()


def from_scratch(text: str, path: Path) -> str:
    """The same of what knows nothing."""
    forget_means()
    forget_shares()
    forget_statements()
    return answer(Assessor([path.parent]), text, path)


def differing(text: str, path: Path, chance: random.Random, edits: int) -> Iterator[str]:
    """The texts, one edit after the other, after which both answers differ; every third edit is taken back."""
    warm = Assessor([path.parent])
    answer(warm, text, path)
    for number in range(edits):
        new = edited(text, chance)
        if answer(warm, new, path) != from_scratch(new, path):
            yield new
        answer(warm, new, path)  # what was worked out anew is there again
        text = new if number % 3 < 2 else text


@without_log()
def main(argv: Sequence[str] | None = None) -> int:
    """Edit and compare, and name the files in which answers differ."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path, metavar="FOLDER")
    parser.add_argument("--files", type=int, default=100)
    parser.add_argument("--edits", type=int, default=6, help="of each file")
    parser.add_argument("--lines", type=int, default=40, help="of a file, at least")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args(argv)
    counts = Counter[str]()
    for path in files_in(arguments.folders, arguments.files, arguments.lines):
        chance = random.Random(f"{arguments.seed} {path.name}")  # noqa: S311 - drawn again for the same seed
        counts["files"] += 1
        counts["edits"] += arguments.edits
        for _ in differing(path.read_text("utf-8"), path, chance, arguments.edits):
            counts["differ"] += 1
            sys.stdout.write(f"differs: {path}\n")
    sys.stdout.write(f"{counts['files']} files, {counts['edits']} edits: {counts['differ']} answers differ\n")
    return int(counts["differ"] > 0)


if __name__ == "__main__":
    sys.exit(main())
