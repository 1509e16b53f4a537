"""Run public kernels and compare: ``python -m bench.traces FOLDER… [--kept FOLDER] [--each N] …``."""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

from bench.folders import chosen, found_by, parser_for
from bench.marked import MarkedPart
from bench.quiet import without_log
from bench.traces.compare import Verdict, compare
from bench.traces.kept import Kept, Runs, folder_version, model_version
from bench.traces.launches import Launch, NoLaunchError, launch_for
from bench.traces.oracle import NoRunError, build_plugin
from bench.traces.report import Ran, report
from bench.traces.said import said_of

from burstline_model.facts import KernelFacts
from burstline_server.assessment.assessor import Assessor, defines_of
from burstline_server.cli.options import layers_of
from burstline_server.config.layers import Layer, resolve

PART = MarkedPart("python -m bench.traces")


class Job(NamedTuple):
    """A file of a repository's folder, and of its kernels those with `only` in their name."""

    folder: Path
    path: Path
    plugin: Path
    only: str = ""
    kept: Kept = Kept()


@without_log()
def run_file(job: Job) -> list[Ran]:
    """All kernels of a file."""
    folder, path = job.folder, job.path
    follows_from = (model_version(), folder_version(folder), str(path.relative_to(folder)), job.only)
    found = job.kept.result(follows_from, lambda: [asdict(one) for one in _run(job)], _lasts)
    return [Ran(**{**one, "verdicts": [Verdict(**v) for v in one["verdicts"]]}) for one in found]


def _lasts(found: list[dict[str, Any]]) -> bool:
    """Whether each kernel ran, or did not for a reason of its own: what fails here is tried again."""
    return not any(one["why"].startswith("raises") for one in found)


def _run(job: Job) -> list[Ran]:
    folder, path = job.folder, job.path
    name = f"{folder.name}/{path.relative_to(folder)}"
    text = path.read_bytes().decode("utf-8-sig", "replace")
    try:
        layers = [*layers_of(path, text, None)[0], Layer("option", {"report": "off"})]
        assessor = Assessor(workspace=[folder])
        first = assessor.assess(text, str(path), layers)
    except Exception as error:  # noqa: BLE001 - a failure is a result here
        return [Ran(name, "", f"raises {type(error).__name__}")]
    if first.source.template or not first.kernels:
        return [Ran(name, w.name, "withheld") for w in first.withheld]
    settings = resolve(layers).settings
    with tempfile.TemporaryDirectory() as made:
        folders = [str(path.parent), str(folder), *settings.include_paths]
        runs = Runs(path, dict(defines_of(settings.defines)), folders, Path(made), job.plugin, job.kept)
        try:
            given = runs.given()
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
            if job.only and job.only not in one.kernel:
                continue
            found.append(one)
            launch = launches[one.kernel]
            try:
                if isinstance(launch, Launch):
                    one.launch = _keys(launch)
                    traces = runs.traces(one.kernel, launch)
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


def main(argv: Sequence[str] | None = None) -> int:
    """Print the summary."""
    parser = parser_for("Kernels really run, against what is said of them.", PART)
    parser.add_argument("--json", type=Path, metavar="FILE", help="every verdict, a line a kernel")
    parser.add_argument("--kept", type=Path, metavar="FOLDER", help="keep results here, and go on from those that are")
    arguments = parser.parse_args(argv)
    kept = Kept(arguments.kept.resolve() if arguments.kept else None)
    with tempfile.TemporaryDirectory() as made:
        plugin = build_plugin(Path(made))
        jobs = [Job(a, b, plugin, arguments.only, kept) for a, b in chosen(arguments)]
        with arguments.json.open("w") if arguments.json else nullcontext() as out:
            found = []
            for one in found_by(run_file, jobs, arguments.workers, 2):
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
