"""``burstline explore``: cost the variants of a kernel, rank them, make one."""

from __future__ import annotations

import argparse
import csv
import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from tqdm import tqdm

from burstline_model.parallelism.knobs import Knobs
from burstline_server.assessment.assessor import Assessor
from burstline_server.cli.forms import add_form, data_of
from burstline_server.cli.options import (
    UnusableInputError,
    add_settings,
    files_of,
    layers_of,
    options_of,
    refuse,
    text_of,
    unusable,
    workspace_of,
)
from burstline_server.cli.value_lists import numbers_of, values_of
from burstline_server.cli.writing import rewrite
from burstline_server.config.layers import Layer
from burstline_server.exploration.jobs import Job, NothingToExploreError, Outcome, Row, jobs_of, made
from burstline_server.exploration.ranking import ranked
from burstline_server.exploration.runners import Kept, runner_of
from burstline_server.exploration.variant_edits import NoSuchEditError
from burstline_server.presentation.variant_table import csv_of, json_of, text_table
from burstline_server.words.commands import explored_text, variant_made_text


def configure(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    add = parser.add_argument
    add("paths", nargs="+", metavar="FILE", help="kernel files, or folders of them")
    add("--kernel", action="append", default=[], metavar="NAME", help="only this kernel")
    add("--simd", metavar="LIST", help="SIMD lanes, for example 1,2,4,8,16 or 1..16*2")
    add("--compute-units", metavar="LIST", help="compute units")
    add(
        "--unroll", action="append", default=[], metavar="LINE:LIST", help="unrolling of the loop on a line; 0 is fully"
    )
    add("--define", action="append", default=[], metavar="NAME=LIST", help="values of a macro of the kernel")
    add("--fmax-list", metavar="LIST", help="kernel clocks in MHz")
    add("--group", action="append", default=[], metavar="X[,Y[,Z]]", help="a work-group size; may be repeated")
    add("--place", action="append", default=[], metavar="P=BANK,Q=BANK", help="banks of pointers; may be repeated")
    add("--boards", metavar="LIST", help="boards, by name")
    add("--edits", action="store_true", help="also each offered edit: vector types, the feed-forward split, …")
    add("--max-use", type=float, default=80.0, metavar="PERCENT", help="most of any resource of the device (80)")
    add("--max-time", type=float, metavar="MS", help="only variants at most this slow")
    add("--top", type=int, default=20, metavar="N", help="how many to print (20)")
    add("--front", action="store_true", help="only those that nothing beats in time and all resources")
    add("--format", choices=("text", "json", "csv"), default="text", help="how to print them")
    add("--apply", type=int, metavar="N", help="edit the file into variant N of the list")
    add("--resume", metavar="FILE", help="keep finished parts in a file, and do not do them again")
    add("--scheduler", metavar="ADDRESS", help="spread the work with Dask: local, or tcp://HOST:PORT of a cluster")
    add_form(parser)
    add_settings(parser)


def run(arguments: argparse.Namespace) -> int:
    """Explore; exit status 0, 1 when no variant fits, 2 for unusable input."""
    began = time.perf_counter()
    try:
        jobs = _jobs(arguments)
        outcomes = _done(jobs, arguments)
        rows = ranked(outcomes, arguments.max_time, front=arguments.front)
        if arguments.apply is not None:
            _apply(rows, arguments.apply, jobs)
    except (UnusableInputError, NothingToExploreError, NoSuchEditError) as error:
        sys.stderr.write(f"burstline: {error}\n")
        return 2
    _print(rows, outcomes, arguments, time.perf_counter() - began)
    return 0 if rows else 1


def _jobs(arguments: argparse.Namespace) -> list[Job]:
    options = options_of(arguments)
    files = {path: text_of(path) for path in files_of(arguments.paths)}
    read: dict[Path, tuple[str, list[Layer]]] = {}
    for path, text in files.items():
        layers, problems = layers_of(path, text, arguments.config)
        refuse(problems, Assessor().assess(text, str(path), [*layers, options]).problems)
        read[path] = (text, [*layers, options])
    workspace = sorted({workspace_of(path.resolve()) for path in files})
    defines = dict(_pair(d, "--define") for d in arguments.define)
    unroll = {}
    for asked in arguments.unroll:
        line, sign, factors = asked.partition(":")
        if not sign or not line.isdigit():
            raise unusable("unroll_needed", asked)
        unroll[int(line)] = numbers_of(factors, "--unroll", least=0)
    knobs = Knobs(
        simd=numbers_of(arguments.simd, "--simd") if arguments.simd else (),
        compute_units=numbers_of(arguments.compute_units, "--compute-units") if arguments.compute_units else (),
        f_max_mhz=tuple(map(float, numbers_of(arguments.fmax_list, "--fmax-list"))) if arguments.fmax_list else (),
        local_size=tuple(numbers_of(g, "--group") for g in arguments.group),
        banks=tuple(dict(_bank(p) for p in place.split(",")) for place in arguments.place),
    )
    boards = values_of(arguments.boards, "--boards") if arguments.boards else ()
    return list(
        jobs_of(
            read,
            workspace,
            arguments.kernel,
            boards,
            defines,
            knobs,
            unroll,
            edits=arguments.edits,
            most=arguments.max_use / 100,
            data=data_of(arguments),
        )
    )


def _pair(text: str, option: str) -> tuple[str, tuple[str, ...]]:
    name, sign, values = text.partition("=")
    if not sign or not name.strip().isidentifier():
        raise unusable("names_and_lists_needed", option, text)
    return name.strip(), values_of(values, option)


def _bank(text: str) -> tuple[str, int]:
    name, sign, bank = text.partition("=")
    if not sign or not bank.strip().isdigit():
        raise unusable("places_needed", text)
    return name.strip(), int(bank)


def _done(jobs: Sequence[Job], arguments: argparse.Namespace) -> list[Outcome]:
    kept = Kept(Path(arguments.resume) if arguments.resume else None)
    alone = len(jobs) == 1
    unit, total = ("variant", None) if alone else ("text", len(jobs))
    bar = tqdm(total=total, desc="exploring", unit=unit, disable=None, leave=False, delay=0.5, file=sys.__stderr__)

    def of_one(done: int, total: int) -> None:
        if alone:
            bar.total = total
            bar.update(done - bar.n)

    found = []
    with runner_of(arguments.scheduler, of_one) as run_all, bar:
        for outcome in kept.through(jobs, run_all):
            found.append(outcome)
            if not alone:
                bar.update()
    return found


def _apply(rows: Sequence[tuple[Outcome, Row]], number: int, jobs: Sequence[Job]) -> None:
    if not 1 <= number <= len(rows):
        raise unusable("no_such_variant", number, len(rows))
    outcome, row = rows[number - 1]
    job = next(job for job in jobs if job.key == outcome.key)
    text, left = made(row.setting, job)
    path = Path(job.path)
    rewrite(path, text)
    notes = "".join(f"; {one}" for one in left)
    sys.stderr.write(f"burstline: {variant_made_text(str(path), number)}{notes}\n")


def _print(
    rows: Sequence[tuple[Outcome, Row]], outcomes: Sequence[Outcome], arguments: argparse.Namespace, took_s: float
) -> None:
    if arguments.format == "text":
        sys.stdout.write(text_table(rows, outcomes, arguments.top))
        total = sum(o.variants for o in outcomes)
        sys.stdout.write(f"{explored_text(total, len(outcomes), took_s)}\n")
    elif arguments.format == "json":
        sys.stdout.write(json.dumps(json_of(rows[: arguments.top], outcomes), indent=2) + "\n")
    else:
        csv.writer(sys.stdout).writerows(csv_of(rows[: arguments.top]))
