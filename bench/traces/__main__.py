"""Run public kernels and compare: ``python -m bench.traces FOLDER… [--json FILE] [--each N] [--only TEXT]``."""

from __future__ import annotations

import argparse
import json
import logging
import sys
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import nullcontext
from dataclasses import asdict
from pathlib import Path

from bench.corpus import jobs_of, named
from bench.marked import MarkedPart
from bench.traces.compare import compare
from bench.traces.launches import Launch, NoLaunchError, launch_for
from bench.traces.oracle import NoRunError, build_plugin, compiled, run
from bench.traces.report import Ran, report
from bench.traces.said import said_of

from burstline_model.facts import KernelFacts
from burstline_server.assessment.assessor import Assessor, defines_of
from burstline_server.cli.options import layers_of
from burstline_server.config.layers import Layer, resolve

PART = MarkedPart("python -m bench.traces")


def run_file(job: tuple[Path, Path, Path, str]) -> list[Ran]:
    """All kernels of a file."""
    folder, path, plugin, only = job
    name = f"{folder.name}/{path.relative_to(folder)}"
    logging.disable(logging.CRITICAL)
    text = path.read_bytes().decode("utf-8-sig", "replace")
    try:
        layers, _ = layers_of(path, text, None)
        assessor = Assessor(workspace=[folder])
        first = assessor.assess(text, str(path), layers)
    except Exception as error:  # noqa: BLE001 - a failure is a result here
        return [Ran(name, "", f"raises {type(error).__name__}")]
    if first.source.template or not first.kernels:
        return [Ran(name, w.name, "withheld") for w in first.withheld]
    settings = resolve(layers).settings
    with tempfile.TemporaryDirectory() as made:
        work = Path(made)
        folders = [str(path.parent), str(folder), *settings.include_paths]
        try:
            code, given = compiled(path, defines_of(settings.defines), folders, work)
        except NoRunError as error:
            return [Ran(name, k.facts.name, str(error)) for k in first.kernels]
        if given:
            layers = [*layers, Layer("option", {"defines": given})]
            first = assessor.assess(text, str(path), layers)
        launches = {k.facts.name: _launch(k.facts) for k in first.kernels}
        given_sizes = {k: _keys(one) for k, one in launches.items() if isinstance(one, Launch)}
        now = assessor.assess(text, str(path), [*layers, Layer("file", {"kernels": given_sizes})])
        found = [Ran(name, w.name, "withheld") for w in now.withheld]
        for kernel in now.kernels:
            one = Ran(name, kernel.facts.name)
            if only and only not in one.kernel:
                continue
            found.append(one)
            launch = launches[one.kernel]
            try:
                if isinstance(launch, Launch):
                    one.launch = _keys(launch)
                    traces = run(code, one.kernel, launch, plugin, work)
                    one.verdicts = compare(traces, said_of(kernel, now.source, now.target), _pointers(kernel.facts))
                else:
                    one.why = launch
            except NoRunError as error:
                one.why = str(error)
            except Exception as error:  # noqa: BLE001 - a failure is a result here
                one.why = f"raises {type(error).__name__}: {error}"
    return found


def _launch(facts: KernelFacts) -> Launch | str:
    """A kernel's launch, or why it has none."""
    if facts.model == "autorun":
        return "starts by itself"
    if any(a.is_pointer and a.space == "private" for a in facts.arguments):
        return "argument of another kind"
    try:
        return launch_for(facts)
    except NoLaunchError as error:
        return str(error)


def _keys(launch: Launch) -> dict[str, object]:
    return {"arguments": launch.integers, "global_size": launch.global_size, "local_size": launch.local_size}


def _pointers(facts: KernelFacts) -> list[str]:
    """The buffers' names in their order, "" for one that is not global memory."""
    buffers = [a for a in facts.arguments if a.is_pointer and a.space != "local"]
    return [a.name if a.space == "global" else "" for a in buffers]


def all_of(jobs: Sequence[tuple[Path, Path, Path, str]], workers: int) -> Iterator[list[Ran]]:
    """The kernels of all files, in their order."""
    with ProcessPoolExecutor(workers) as pool:
        for done, found in enumerate(pool.map(run_file, jobs, chunksize=2), 1):
            if sys.stderr.isatty():
                sys.stderr.write(f"\r{done} of {len(jobs)} files")
            yield found


def main(argv: Sequence[str] | None = None) -> int:
    """Print the summary."""
    parser = argparse.ArgumentParser(description="Kernels really run, against what is said of them.")
    parser.add_argument("folders", nargs="+", type=Path, metavar="FOLDER")
    parser.add_argument("--markdown", type=PART.page, metavar="FILE", help="write it into a page as well")
    parser.add_argument("--json", type=Path, metavar="FILE", help="every verdict, a line a kernel")
    parser.add_argument("--each", type=int, help="only so many files of a folder, evenly spaced")
    parser.add_argument("--only", default="", help="kernels with this in their name")
    parser.add_argument("--workers", type=int, default=2)
    arguments = parser.parse_args(argv)
    folders = [f.resolve() for f in arguments.folders if f.is_dir()]
    files = jobs_of(folders, {named(f): arguments.each for f in folders} if arguments.each else {})
    with tempfile.TemporaryDirectory() as made:
        plugin = build_plugin(Path(made))
        jobs = [(a, b, plugin, arguments.only) for a, b in files]
        with arguments.json.open("w") if arguments.json else nullcontext() as out:
            found = []
            for one in (one for several in all_of(jobs, arguments.workers) for one in several):
                found.append(one)
                if out is not None:
                    out.write(json.dumps(asdict(one)) + "\n")
                    out.flush()
    print(report(found))
    if arguments.markdown:
        PART.write(arguments.markdown, report(found))
    return 0


if __name__ == "__main__":
    sys.exit(main())
