"""Whether ``burstline check --format json`` answers as it did at a commit: ``python -m bench.same_answers FOLDER…``.

Each kernel file of the folders is checked by the working tree and by the commit that ``--before`` names, each in a
process of its own. Answers are compared byte by byte; where they differ in their sentences alone (`SENTENCES`), that is
counted apart. A folder may be a git directory, whose files at HEAD are taken. Exits with 1 where a figure differs.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import re
import subprocess
import sys
import tarfile
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from bench.corpus import SUFFIXES

Answer = tuple[int, str, str]
ROOT = Path(__file__).parent.parent
SENTENCES = {"message", "title", "why", "reason", "text", "advice"}
"""Keys of the answer whose values are sentences."""
PHRASES = {"lever", "moves", "serialised_by"}
"""Keys whose values are a few words and figures: the figures are compared."""
_PARTS = ("server", "model", "queries")
"""The folders of the repository that the program is."""
_MOST_BYTES = 100_000
"""A file above this is left out: it takes minutes and says no more."""


def kernels(folder: Path, most: int, into: Path) -> list[Path]:
    """The kernel files of a folder or of a git directory (written below `into`), evenly spaced where there are more."""
    if (folder / "HEAD").is_file() or (folder / ".git").exists():
        folder = _unpacked(folder, into)
    found = sorted(p for p in folder.rglob("*") if p.suffix in SUFFIXES and p.is_file())
    small = [p for p in found if p.stat().st_size <= _MOST_BYTES]
    step = max(1, len(small) // most)
    return small[::step][:most]


def _unpacked(repository: Path, into: Path) -> Path:
    """The kernel files of a repository, below a folder of their own."""
    patterns = [f"*{suffix}" for suffix in sorted(SUFFIXES)]
    git = ["git", "-C", str(repository)]
    names = subprocess.run(
        [*git, "ls-files", "--with-tree=HEAD", "-z", "--", *patterns], capture_output=True, check=False
    )
    folder = into / f"{len(list(into.iterdir()))}"
    folder.mkdir()
    for name in filter(None, names.stdout.decode("utf-8", "replace").split("\0")):
        text = subprocess.run([*git, "show", f"HEAD:{name}"], capture_output=True, check=False)
        if text.returncode == 0:
            file = folder / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(text.stdout)
    return folder


def answers(files: Sequence[Path], tree: Path) -> Iterator[Answer]:
    """What the program in a tree answers for each file: exit status, output and errors."""
    path = os.pathsep.join(str(tree / one) for one in ("server", "model"))
    command = [sys.executable, "-c", _CHECK, *map(str, files)]
    with subprocess.Popen(
        command, env=os.environ | {"PYTHONPATH": path}, cwd=ROOT, stdout=subprocess.PIPE, text=True
    ) as child:
        for line in child.stdout or ():
            status, out, err = json.loads(line)
            yield status, out, err


_CHECK = """
import contextlib, io, json, sys
from burstline_server.cli.main import main
for file in sys.argv[1:]:
    with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(io.StringIO()) as err:
        status = main(["check", "--format", "json", file])
    print(json.dumps([status, out.getvalue(), err.getvalue()]), flush=True)
"""


def figures(answer: Answer) -> object:
    """An answer without its sentences."""
    status, text, _ = answer
    return status, _without_sentences(json.loads(text)) if text else None


def _without_sentences(value: object) -> object:
    if isinstance(value, dict):
        kept = {key: one for key, one in value.items() if key not in SENTENCES}
        return {key: _figures_in(one) if key in PHRASES else _without_sentences(one) for key, one in kept.items()}
    return [_without_sentences(one) for one in value] if isinstance(value, list) else value


def _figures_in(phrase: object) -> object:
    return re.findall(r"\d[\d.]*", phrase) if isinstance(phrase, str) else phrase


def main() -> int:
    """Compare, and say how many answers are the same."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="*", type=Path, default=[ROOT / "examples"], metavar="FOLDER")
    parser.add_argument("--before", default="HEAD", metavar="COMMIT", help="what to compare with")
    parser.add_argument("--most", type=int, default=1_000, metavar="N", help="files of each folder")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        before, texts = Path(name) / "before", Path(name) / "texts"
        texts.mkdir()
        archive = ["git", "-C", str(ROOT), "archive", arguments.before, *_PARTS]
        packed = subprocess.run(archive, capture_output=True, check=True).stdout
        with tarfile.open(fileobj=io.BytesIO(packed)) as tar:
            tar.extractall(before, filter="data")
        files = [file for folder in arguments.folders for file in kernels(folder, arguments.most, texts)]
        counts = Counter[str]()
        for file, old, new in zip(files, answers(files, before), answers(files, ROOT), strict=True):
            how = "equal" if old == new else "other sentences" if figures(old) == figures(new) else "other figures"
            counts[how] += 1
            if how != "equal":
                print(f"{how}: {file}")
    print(f"{len(files)} files: " + ", ".join(f"{count} {how}" for how, count in counts.items()))
    return 1 if counts["other figures"] else 0


if __name__ == "__main__":
    sys.exit(main())
