"""Coverage-guided fuzzing: ``python -m tests.fuzz TARGET --minutes 30`` looks for inputs that a target fails on.

Needs the extra ``fuzz``. Interesting inputs are kept in ``.fuzz/TARGET/corpus``, failing ones in
``.fuzz/TARGET/found``, one for each cause. Exit status 1 when there are any.
"""

from __future__ import annotations

import argparse
import importlib
import os
import random
import re
import sys
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["burstline_model", "burstline_server"]):
    from tests.fuzz.failures import MAX_BYTES, Failure

TARGETS = sorted(p.stem for p in (Path(__file__).parent / "targets").glob("[a-z]*.py"))


def main() -> None:
    """Fuzz one target."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("target", choices=TARGETS)
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--folder", type=Path, default=Path(".fuzz"))
    arguments = parser.parse_args()
    with atheris.instrument_imports(include=["burstline_model", "burstline_server"]):
        target = importlib.import_module(f"tests.fuzz.targets.{arguments.target}")

    folder = arguments.folder / arguments.target
    corpus, found = folder / "corpus", folder / "found"
    for one in (corpus, found):
        one.mkdir(parents=True, exist_ok=True)
    for number, seed in enumerate(target.seeds()):
        (corpus / f"seed-{number}").write_bytes(seed)

    known: set[str] = set()

    def once(data: bytes) -> None:
        try:
            target.check(data)
        except Failure as failure:
            name = re.sub(r"[^\w.:-]+", "-", failure.place)[:100]
            if name not in known:
                known.add(name)
                (found / name).write_bytes(data)
                (found / f"{name}.txt").write_text(str(failure)[:4000], "utf-8")
                sys.stderr.write(f"FOUND {name}\n")

    def mutate(data: bytes, most: int, seed: int) -> bytes:
        changed: bytes = target.mutate(data, most, random.Random(seed))
        return changed

    options = [
        f"-max_total_time={int(60 * arguments.minutes)}", f"-max_len={MAX_BYTES}", f"-seed={arguments.seed}",
        "-timeout=120", "-rss_limit_mb=4096", "-print_final_stats=1", "-len_control=0", str(corpus),
    ]  # fmt: skip
    atheris.Setup([sys.argv[0], *options], once, custom_mutator=mutate)
    atheris.Fuzz()


if __name__ == "__main__":
    os.environ.setdefault("PYTHONHASHSEED", "0")
    main()
