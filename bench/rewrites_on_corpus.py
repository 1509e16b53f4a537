"""Edits on kernels of other people: each offered one is made, built, run on a real runtime, and compared byte for byte.

    python -m bench.rewrites_on_corpus FOLDER [FOLDER…] [--kernels 200] [--minutes 20] [--kept FILE] [--markdown PAGE]

Folders are searched for `.cl` files, their repositories in turn, each kernel's text once. A kernel is launched with
sizes made from its signature: those at which the interpreter finds that it stays in its buffers. Data are laid out as
the edit asks of the host. `--kernels` are those with an edit that could be judged. Runs that keep what came of their
kernels in the same file add up; nothing of a folder is kept but names.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from hashlib import blake2b
from itertools import chain, zip_longest
from pathlib import Path
from typing import Any

from bench.launched import NotJudgedError, Original, keeps, kept, laid_out

ROOT = Path(__file__).parents[1]
TIMEOUT_S = 400
PER_PROCESS = 6
"""Files that one process tries."""


def _here(paths: Sequence[Path], after: tuple[str, int] | None) -> None:
    """Try the kernels of some files in this process, those behind the kernel `after`, given by its file and number."""
    from tests.rewrites.equality import assessed  # noqa: PLC0415

    from burstline_server.rewrites.catalogue import offers_of  # noqa: PLC0415

    for path in paths:
        text = path.read_text("utf-8", "replace")
        _say(file=str(path), number=-1)
        assessment = assessed(text, path=str(path), arguments={})
        for number in range(len(assessment.kernels)):
            if after is not None and (str(path), number) <= after and str(path) == after[0]:
                continue
            name = assessment.kernels[number].facts.name
            _say(file=str(path), number=number, kernel=name)
            _kernel(path, text, assessment, number, offers_of(assessment, name))
            _say(end="kernel")
    _say(end="process")


def _kernel(path: Path, text: str, assessment: Any, number: int, offers: Sequence[Any]) -> None:
    from burstline_server.words.edits import title_text  # noqa: PLC0415

    facts = assessment.kernels[number].facts
    if not offers:
        return
    _say(step="original")
    try:
        original = Original.of(path, text, assessment.source, facts)
    except NotJudgedError as error:
        for offer in offers:
            came = _interpreted(path, text, assessment, offer) or f"not judged: {error}"
            _say(title=title_text(offer.title), edit=name_of(offer), kind=offer.kind, came=came)
        return
    for offer in offers:
        title = title_text(offer.title)
        _say(step=title, edit=name_of(offer), kind=offer.kind)
        _say(title=title, edit=name_of(offer), kind=offer.kind, came=_judged(original, offer))


def _interpreted(path: Path, text: str, assessment: Any, offer: Any) -> str:
    """What the interpreter alone finds of an edit of a kernel that the runtime cannot run; empty where it cannot."""
    from tests.rewrites.equality import assessed  # noqa: PLC0415

    from burstline_server.interpreter.equality import Edited, equal  # noqa: PLC0415
    from burstline_server.interpreter.host_side import NOTHING  # noqa: PLC0415
    from burstline_server.interpreter.verdicts import Different, Equal  # noqa: PLC0415

    after = offer.applied(text.encode("utf-8", "replace")).decode("utf-8", "replace")
    names = offer.replaced_by or (offer.kernel,)
    then = assessed(after, path=str(path), names=names, arguments={})
    edited = Edited(then.source, names, offer.arguments, offer.host_side or NOTHING, offer.joined)
    found = equal(assessment.source, offer.kernel, edited)
    if isinstance(found, Different):
        return "refused when it is executed" if offer.is_executed else f"unequal in the interpreter: {found}"
    return ALONE if isinstance(found, Equal) else ""


def name_of(offer: Any) -> str:
    """The name of an edit."""
    found: str = offer.title.kind
    return found.replace("_", " ")


def _judged(original: Original, offer: Any) -> str:
    """What came of an edit."""
    from tests.rewrites.equality import Kernel, assessed, ran  # noqa: PLC0415

    from burstline_server.interpreter.verdicts import Different  # noqa: PLC0415
    from burstline_server.rewrites.executed import execution  # noqa: PLC0415

    after = offer.applied(original.text.encode("utf-8", "replace")).decode("utf-8", "replace")
    made = offer.replaced_by or (original.facts.name,)
    then = assessed(after, path=str(original.path), names=made, arguments={})
    if isinstance(execution(original.source, then.source, offer), Different):
        return "refused when it is executed"
    kernels = {k.facts.name: k.facts for k in then.kernels}
    names = [n for n in made if n in kernels]
    group = next((kernels[n].work_group_size for n in names if kernels[n].work_group_size), None)
    host = offer.host_side
    if host is not None and (host.by_data or host.between is not None):
        return "not judged: data decide whether the assertion holds"
    try:
        if host is not None and (host.promises or host.holds) and not kept(original, offer):
            return "not judged: no launch keeps what is asserted"
        before = original.expected(
            group if group != original.facts.work_group_size else None,
            host.zeroed if host else (),
            host.given if host else (),
        )
    except NotJudgedError as error:
        return f"not judged: {error}"
    runs = {n: Kernel(tuple(a.name for a in kernels[n].arguments), kernels[n].work_group_size) for n in names}
    for data, left in before:
        if offer.replaced_by and original.is_long(data):
            return "not judged: more goes through its channels than is held"
        if host is not None and (host.promises or host.holds) and not keeps(original, offer, data):
            continue
        try:
            laid, back = laid_out(original, then.source, names, offer, data)
            each = host.each if host is not None else None
            found = back(ran(after, laid, runs, original.options, each=each))
        except NotJudgedError as error:
            return f"not judged: {error}"
        except Exception as error:  # noqa: BLE001 -- whatever a runtime says of a text, the text is wrong
            return f"does not compile: {type(error).__name__} {str(error)[:200]}"
        if any(found[name] != one for name, one in left.items()):
            return "not judged: its own results are open" if original.is_open(data) else f"unequal at {data.scalars}"
    return "equal"


def _say(**record: object) -> None:
    sys.stdout.write(json.dumps(record) + "\n")
    sys.stdout.flush()


@dataclass
class Counts:
    """What came of all edits."""

    kernels: int = 0
    offering: int = 0
    judged: int = 0
    came: Counter[str] = field(default_factory=Counter)
    by_kind: dict[str, Counter[str]] = field(default_factory=dict)
    wrong: list[str] = field(default_factory=list)
    kept: Path | None = None
    """Where each kernel is kept, a line each, for a run that goes on."""
    files: set[str] = field(default_factory=set)
    """Files that are done."""

    def go_on(self, kept: Path) -> None:
        """Add what earlier runs kept."""
        of_file = dict[str, dict[str, Any]]()
        for line in kept.read_text("utf-8").splitlines() if kept.exists() else ():
            one = json.loads(line)
            if "kernel" in one:
                of_file.setdefault(one["file"], {})[one["kernel"]] = one
            else:
                self.files.add(one["file"])
        for one in chain.from_iterable(of_file.get(file, {}).values() for file in sorted(self.files)):
            self.add(one["file"], one["kernel"], one["edits"])
        self.kept = kept

    def _keep(self, *records: Mapping[str, Any]) -> None:
        if self.kept is not None:
            with self.kept.open("a", encoding="utf-8") as out:
                out.writelines(json.dumps(one) + "\n" for one in records)

    def done(self, files: Iterable[Path]) -> None:
        """Some files have no further kernels."""
        self.files.update(map(str, files))
        self._keep(*({"file": str(one)} for one in files))

    def add(self, file: str, kernel: str, edits: Sequence[Mapping[str, str]]) -> None:
        """Add a kernel with what came of its edits."""
        self._keep({"file": file, "kernel": kernel, "edits": list(edits)})
        self.kernels += 1
        self.offering += bool(edits)
        self.judged += any(_short(one["came"]) in JUDGED for one in edits)
        for one in edits:
            self.came[one["came"] if one["came"].startswith("not judged") else _short(one["came"])] += 1
            self.by_kind.setdefault(f"{one['kind']}: {one['edit']}", Counter())[_short(one["came"])] += 1
            if one["came"].startswith(WRONG):
                self.wrong.append(f"{file}: {kernel}: {one['title']}: {one['came']}")


ALONE = "equal in the interpreter alone"
WRONG = ("unequal", "does not compile", "crashed")
JUDGED = {"equal", *WRONG}


def _short(came: str) -> str:
    return next((one for one in (*WRONG, "not judged") if came.startswith(one)), came)


def _tried(paths: Sequence[Path], after: tuple[str, int] | None, counts: Counts) -> None:
    """Try the kernels of some files; those behind one that ends its process go into another one."""
    command = [sys.executable, "-m", "bench.rewrites_on_corpus", "--only", *map(str, paths)]
    command += ["--after", after[0], str(after[1])] if after is not None else []
    try:
        run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
        out = run.stdout
    except subprocess.TimeoutExpired as error:
        out = error.stdout.decode() if isinstance(error.stdout, bytes) else error.stdout or ""
        late = True
    else:
        late = False
    at, kernel, edits, step = ("", -1), "", list[dict[str, str]](), ""
    done: tuple[str, int] | None = None
    for line in out.splitlines():
        one = json.loads(line) if line.startswith("{") else {}
        if "file" in one:
            at, kernel, edits, step = (one["file"], one["number"]), one.get("kernel", ""), [], ""
        elif "came" in one:
            edits.append(one)
            step = ""
        elif "step" in one:
            step = json.dumps(one)
        elif one.get("end") == "kernel":
            counts.add(at[0], kernel, edits)
            done, step = at, ""
        elif one.get("end") == "process":
            return
    left = [path for path in paths if str(path) >= at[0]] if at[0] else list(paths[1:])
    if late and done is not None:
        # Others took the time: the kernel that was begun last gets all of it.
        _tried(left, done if done[0] == at[0] else None, counts)
    elif kernel:
        begun = json.loads(step) if step else {}
        if "kind" in begun:
            edits.append(
                {
                    "title": begun["step"],
                    "edit": begun["edit"],
                    "kind": begun["kind"],
                    "came": "crashed, or did not end",
                }
            )
        elif step:
            edits.append(
                {
                    "title": "",
                    "edit": "all",
                    "kind": "whole kernel",
                    "came": "not judged: the kernel ends the runtime as it is",
                }
            )
        counts.add(at[0], kernel, edits)
        _tried(left, at, counts)
    elif left[1:]:
        _tried(left[1:], None, counts)


def files_of(folders: Sequence[Path]) -> list[Path]:
    """The files with kernels, each text once, those of the folders' folders in turn."""
    seen, by_folder = set[bytes](), dict[str, list[Path]]()
    for folder in folders:
        for path in sorted(folder.rglob("*.cl")):
            digest = blake2b(path.read_bytes()).digest()
            if digest not in seen:
                seen.add(digest)
                by_folder.setdefault(path.relative_to(folder).parts[0], []).append(path)
    return [path for path in chain.from_iterable(zip_longest(*by_folder.values())) if path is not None]


def main() -> int:
    """Print the counts; exit status 1 where an edit changed what is computed, or does not compile."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="*", type=Path)
    parser.add_argument("--kernels", type=int, default=200, help="kernels with a judged edit after which to stop")
    parser.add_argument("--minutes", type=float, default=60.0, help="after which no further files are begun")
    parser.add_argument("--jobs", type=int, default=2, help="processes at the same time")
    parser.add_argument("--markdown", type=Path, help="a page for the counts")
    parser.add_argument(
        "--kept", type=Path, metavar="FILE", help="kernels of earlier runs, behind which this one goes on"
    )
    parser.add_argument("--only", nargs="+", type=Path, metavar="FILE", help="some files, in this process")
    parser.add_argument("--after", nargs=2, metavar=("FILE", "NUMBER"), help="the last kernel of them to leave out")
    arguments = parser.parse_args()
    if arguments.only:
        _here(arguments.only, (arguments.after[0], int(arguments.after[1])) if arguments.after else None)
        return 0
    counts, until_s = Counts(), time.monotonic() + 60 * arguments.minutes
    if arguments.kept:
        counts.go_on(arguments.kept)
    files = [path for path in files_of(arguments.folders) if str(path) not in counts.files]

    def some(first: int) -> None:
        if counts.judged < arguments.kernels and time.monotonic() < until_s:
            paths = sorted(files[first : first + PER_PROCESS])
            _tried(paths, None, counts)
            counts.done(paths)

    with ThreadPoolExecutor(arguments.jobs) as pool:
        list(pool.map(some, range(0, len(files), PER_PROCESS)))
    sys.stdout.write(_text(counts))
    sys.stdout.writelines(f"{one}\n" for one in counts.wrong)
    if arguments.markdown:
        arguments.markdown.write_text(_page(counts, arguments), "utf-8")
    return 1 if counts.wrong else 0


def _text(counts: Counts) -> str:
    lines = [
        f"{len(counts.files)} files, {counts.kernels} kernels, {counts.offering} with an edit, {counts.judged} judged"
    ]
    lines += [f"  {came}: {n}" for came, n in counts.came.most_common()]
    lines += [f"  {kind}: {dict(came)}" for kind, came in sorted(counts.by_kind.items())]
    return "\n".join(lines) + "\n"


def _page(counts: Counts, arguments: argparse.Namespace) -> str:
    """The counts as a page."""
    lines = [
        "# Edits on public kernels",
        "",
        "Written by `python -m bench.rewrites_on_corpus FOLDER "
        f"--kernels {arguments.kernels} --minutes {arguments.minutes:g} --markdown docs/edits.md`.",
        "",
        "Every edit that is offered for a kernel, whatever it rests on, is made, built and run on PoCL next to the",
        "kernel as it was, with several sizes (0 and 1 among them), and all buffers are compared byte for byte.",
        "Buffers lie between pages that nobody may touch. Where an edit asks it of the host, data are laid out",
        "anew; where it rests on an assertion about data, it is run on data that keep it. Kernels that PoCL cannot",
        "run, such as those with channels, are run by the interpreter alone.",
        "",
        f"{len(counts.files)} files, {counts.kernels} kernels, {counts.offering} of them with an edit,",
        f"{counts.judged} with one that was judged.",
        "",
        "| came of it | edits |",
        "|---|---:|",
        *(f"| {came} | {n} |" for came, n in counts.came.most_common()),
        "",
        "| edit | equal | equal in the interpreter alone | wrong | refused when executed | not judged |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    for kind, came in sorted(counts.by_kind.items()):
        wrong = sum(came[one] for one in WRONG)
        refused = came["refused when it is executed"]
        lines.append(f"| {kind} | {came['equal']} | {came[ALONE]} | {wrong} | {refused} | {came['not judged']} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    raise SystemExit(main())
