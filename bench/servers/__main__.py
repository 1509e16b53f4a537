"""``python -m bench.servers``: this server next to clangd and any other, on generated and real files.

Times are in ms as p50 / p95 / max, memory in MB. *Edit → both* is from one typed character until diagnostics and the
hints in sight have both been answered; *edit → diagnostics* asks for nothing else. Clangd comes with
`burstline[bench]`.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path

from bench.generated import file_of
from bench.servers.compare import compared, starts
from bench.servers.keystrokes import WHERE
from bench.servers.known import OURS, OURS_PUSHED, clangd, named
from bench.servers.tables import json_of, side_by_side, start_table


def files(lines: list[int], folders: list[Path]) -> Iterator[tuple[str, str, Path | None]]:
    """Each file's name, its text, and the folder it is measured in, if it has one."""
    for number in lines:
        yield "generated.cl", file_of(number), None
    for folder in folders:
        for path in sorted(folder.rglob("*.cl")):
            yield path.name, path.read_text("utf-8", "replace"), path.parent


def main() -> None:
    """Measure, and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("folders", nargs="*", type=Path, metavar="FOLDER", help="measure on the .cl files below it as well")
    add("--lines", type=int, nargs="*", default=[100, 1_000, 10_000], help="sizes of generated files")
    add("--where", choices=WHERE, nargs="+", default=["kernel"], help="what is typed: %(default)s")
    add("--rounds", type=int, default=30, help="edits of either kind at each server")
    add("--pushed", action="store_true", help="ours a second time, at an editor that does not ask for diagnostics")
    add("--server", type=named, action="append", default=[], metavar="NAME=COMMAND", help="another one")
    add("--json", type=Path, metavar="FILE", help="write every figure")
    arguments = parser.parse_args()
    servers = [OURS, *([OURS_PUSHED] if arguments.pushed else []), *filter(None, [clangd()]), *arguments.server]
    measured = [
        one
        for name, text, folder in files(arguments.lines, arguments.folders)
        for where in arguments.where
        for one in compared(servers, name, text, arguments.rounds, where, folder)
    ]
    started = starts(servers, 5)
    print(side_by_side(measured), start_table(started), sep="\n\n")
    if arguments.json is not None:
        arguments.json.write_text(json.dumps(json_of(measured, started), indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
