"""Edits on kernels of other people: each offered one is made, run on a real runtime with made-up data, and compared.

    python -m bench.rewrites_on_corpus FOLDER [FOLDER…] [--unsafe] [--most 200]

A folder is searched for `.cl` files. Kernels that do not build without their host's options, that use channels already,
or that leave their buffers with the data made up here, are counted and left out. Nothing of a folder is kept.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from burstline_model.facts import Argument, KernelFacts

ROOT = Path(__file__).parents[1]
ELEMENTS = 1 << 14
LENGTHS = (0, 1, 3, 8)
"""Whole-number arguments that a kernel is launched with, one after the other."""
TIMEOUT_S = 120
MOST_NAMES = 8
"""Most builds for names that the host defines."""
DEFINED = 4
"""The value that such a name gets."""
_SCALARS = {
    "char": "int8", "uchar": "uint8", "short": "int16", "ushort": "uint16", "int": "int32", "uint": "uint32",
    "long": "int64", "ulong": "uint64", "size_t": "uint64", "float": "float32", "double": "float64",
    "unsigned int": "uint32", "unsigned": "uint32", "unsigned char": "uint8",
}  # fmt: skip


def values_of(argument: Argument, seed: int) -> Any:
    """Made-up data for a pointer: small whole numbers, as indexes lead back into buffers of this size."""
    import numpy as np  # noqa: PLC0415

    rng = np.random.default_rng(seed)
    scalar = argument.type.removesuffix("*").strip().rstrip("0123456789")
    whole = rng.integers(0, 9, ELEMENTS * max(argument.element_bytes, 4) // 4).astype(np.int32)
    return whole.astype(_SCALARS[scalar]) if scalar in _SCALARS else whole


def launches(facts: KernelFacts) -> Iterator[Any]:
    """The launches of a kernel, with other sizes each."""
    import numpy as np  # noqa: PLC0415
    from tests.rewrites.equality import Data  # noqa: PLC0415

    pointers = [a for a in facts.arguments if a.is_pointer and a.space in {"global", "constant"}]
    arrays = {a.name: values_of(a, i) for i, a in enumerate(pointers)}
    scalars = [a for a in facts.arguments if not a.is_pointer]
    if len(pointers) + len(scalars) < len(facts.arguments) or any(a.type not in _SCALARS for a in scalars):
        return
    group = facts.work_group_size or (8, 1, 1)
    rank = max((s.dimension for s in facts.symbols.values() if s.kind in {"global_id", "local_id"}), default=0) + 1
    items = (1,) if facts.model != "ndrange" else tuple(2 * n for n in group[:rank])
    for length in LENGTHS:
        yield Data(arrays, {a.name: np.dtype(_SCALARS[a.type]).type(length) for a in scalars}, items)


def _here(path: Path, number: int, unsafe: bool) -> None:
    """Try the edits of one kernel of a file in this process; prints what it is about to do, and what came of it."""
    from tests.rewrites.equality import (  # noqa: PLC0415
        LAID_OUT,
        Kernel,
        assessed,
        held_against,
        ran,
    )

    from burstline_server.rewrites.catalogue import offers_of  # noqa: PLC0415
    from burstline_server.words.edits import title_text  # noqa: PLC0415

    text = path.read_text("utf-8", "replace")
    assessment = assessed(text, path=str(path), arguments={})
    facts = assessment.kernels[number].facts
    data = list(launches(facts))
    _say(step="original", offers=0)
    options = _options(path, text)
    expected = [ran(text, one, {facts.name: Kernel.of(facts)}, options) for one in data]
    if not expected:
        return
    kinds = {"proved", "host", *(["assertion"] if unsafe else [])}
    for offer in offers_of(assessment):
        if offer.kernel != facts.name or offer.kind not in kinds or offer.title.kind in LAID_OUT:
            continue
        title = title_text(offer.title)
        _say(step=title, kind=offer.kind)
        after = offer.applied(text.encode()).decode("utf-8", "replace")
        names = offer.replaced_by or (facts.name,)
        now = {k.facts.name: Kernel.of(k.facts) for k in assessed(after, path=str(path)).kernels}
        tried = held_against(offer, after, data, expected, {n: now[n] for n in names if n in now}, options)
        _say(done=title, kind=offer.kind, why=tried.why)


def _options(path: Path, text: str) -> list[str]:
    """What the text is built with: a small number for each name that its host would define."""
    from tests.rewrites.runtime import runtime  # noqa: PLC0415

    cl, context, _ = runtime()
    options = ["-I", str(path.parent)]
    for _ in range(MOST_NAMES):
        try:
            cl.Program(context, text).build(options=["-w", *options])
            break
        except cl.RuntimeError as error:
            named = sorted(set(re.findall(r"use of undeclared identifier '([A-Z]\w*)'", str(error))))
            if not named:
                raise
            options += [f"-D{name}={DEFINED}" for name in named]
    return options


def _say(**record: object) -> None:
    sys.stdout.write(json.dumps(record) + "\n")
    sys.stdout.flush()


def _kernels(path: Path) -> int:
    from tests.rewrites.equality import assessed  # noqa: PLC0415

    try:
        return len(assessed(path.read_text("utf-8", "replace"), path=str(path)).kernels)
    except (OSError, RecursionError):
        return 0


def main() -> int:
    """Print the counts; exit status 1 where an edit changed what is computed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="*", type=Path)
    parser.add_argument("--unsafe", action="store_true", help="edits that assert something as well")
    parser.add_argument("--most", type=int, default=10_000, help="kernels to try at most")
    parser.add_argument("--only", nargs=2, metavar=("FILE", "NUMBER"), help="one kernel of a file, in this process")
    arguments = parser.parse_args()
    if arguments.only:
        _here(Path(arguments.only[0]), int(arguments.only[1]), arguments.unsafe)
        return 0
    files = sorted({path for folder in arguments.folders for path in folder.rglob("*.cl")})
    todo = [(path, number) for path in files for number in range(_kernels(path))][: arguments.most]
    counts, wrong, by_kind = Counter[str](), list[str](), Counter[str]()
    for path, number in todo:
        for what, title, kind, why in _outcomes(path, number, arguments.unsafe):
            counts[what] += 1
            if title:
                by_kind[f"{kind} {title.split(' ')[0]}"] += 1
            if what == "unequal":
                wrong.append(f"{path} kernel {number}: {title}: {why}")
    sys.stdout.write(f"{len(todo)} kernels, {counts['ran']} run; {counts['equal'] + counts['unequal']} edits, ")
    sys.stdout.write(f"{counts['equal']} equal, {counts['unequal']} unequal\n")
    sys.stdout.writelines(f"  {kind}: {n}\n" for kind, n in by_kind.most_common())
    sys.stdout.writelines(f"{one}\n" for one in wrong)
    return 1 if wrong else 0


def _outcomes(path: Path, number: int, unsafe: bool) -> Iterator[tuple[str, str, str, str]]:
    """What came of each edit of a kernel: (ran, not run, equal or unequal; title; kind; why)."""
    command = [sys.executable, "-m", "bench.rewrites_on_corpus", "--only", str(path), str(number)]
    command += ["--unsafe"] if unsafe else []
    try:
        run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
        status, out = run.returncode, run.stdout
    except subprocess.TimeoutExpired as error:
        status, out = 1, (error.stdout or b"").decode() if isinstance(error.stdout, bytes) else error.stdout or ""
    records = [json.loads(line) for line in out.splitlines() if line.startswith("{")]
    if not records or (status and "kind" not in records[-1]):
        yield "not run", "", "", ""
        return
    yield "ran", "", "", ""
    for one in records:
        if "done" in one:
            yield ("unequal" if one["why"] else "equal"), one["done"], one["kind"], one["why"]
    if status and "step" in records[-1]:
        yield "unequal", records[-1]["step"], records[-1]["kind"], "crashed, or did not end"


if __name__ == "__main__":
    raise SystemExit(main())
