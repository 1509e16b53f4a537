"""What starting costs, next to an older state of the program in the same run.

    python -m bench.starting --before DIR [--times 15] [--markdown docs/performance.md]

`burstline check` of a small file, as text and as JSON, and a server that is asked to initialize and to leave: the
processor's time of each process, both states in turn. `--before` is a folder with another state of the program
(``git archive COMMIT | tar -x -C DIR``). What Python compiles of the modules is there before the first one counts.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from bench.marked import MarkedPart
from bench.real_edits import ROOT
from bench.times import Times, cell, table

PART = MarkedPart("python -m bench.starting")
KERNEL = """__kernel void add(__global const float *restrict a, __global float *restrict b, int n)
{
    for (int i = 0; i < n; i++)
        b[i] = a[i] + 1.0f;
}
"""
ASKED = (
    {"id": 1, "method": "initialize", "params": {"processId": None, "rootUri": None, "capabilities": {}}},
    {"id": 2, "method": "shutdown"},
    {"method": "exit"},
)


def commands(file: str) -> dict[str, tuple[list[str], bytes]]:
    """What is started, by its name, and what it is sent."""
    bodies = [json.dumps({"jsonrpc": "2.0", **one}).encode() for one in ASKED]
    sent = b"".join(b"Content-Length: %d\r\n\r\n%s" % (len(body), body) for body in bodies)
    return {
        "burstline check": (["check", file], b""),
        "burstline check --format json": (["check", "--format", "json", file], b""),
        "burstline serve, until it was asked to leave": (["serve"], sent),
    }


def spent_s(program: Path, words: Sequence[str], sent: bytes) -> float:
    """The processor's time of one process, in seconds."""
    places = [str(program / "server"), str(program / "model")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(places)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        [sys.executable, "-m", "burstline_server.cli.main", *words],
        input=sent, stdout=subprocess.DEVNULL, env=environment, check=True,
    )  # fmt: skip
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main(argv: Sequence[str] | None = None) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--before", type=Path, required=True, metavar="DIR", help="another state of the program")
    parser.add_argument("--times", type=int, default=15, help="how often each is started")
    parser.add_argument("--markdown", type=PART.page, metavar="FILE", help="write the table into a page as well")
    arguments = parser.parse_args(argv)
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "add.cl"
        file.write_text(KERNEL, "utf-8")
        (file.parent / ".git").mkdir()  # nothing around it is looked at
        for name, (words, sent) in commands(str(file)).items():
            programs = {"before": arguments.before.resolve(), "now": ROOT}
            found: dict[str, list[float]] = {side: [] for side in programs}
            for number in range(arguments.times + 1):
                for side, program in programs.items():
                    spent = spent_s(program, words, sent)
                    found[side] += [spent] if number else []
            old, new = (Times(tuple(found[side])) for side in programs)
            rows.append((name, cell(old), cell(new), f"{old.p50_s / new.p50_s:.2f} ×"))
    text = table(("process", "before, ms", "now, ms", "less, p50"), rows)
    print(text)
    if arguments.markdown:
        PART.write(arguments.markdown, text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
