"""From the files and settings on the command line to assessments, the same for every command that shows them."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from burstline_server.assessment.assessor import Assessment, Assessor
from burstline_server.clang.opinion import second_opinion
from burstline_server.clang.process import Clang
from burstline_server.cli.engines import with_llvm
from burstline_server.cli.options import (
    UnusableInputError,
    layers_of,
    problem_line,
    refuse_bad_options,
    text_of,
    unusable,
    workspace_of,
)
from burstline_server.config.layers import Layer, Problem
from burstline_server.config.mistakes import nearest
from burstline_server.host.host_files import HOSTS, Hosts
from burstline_server.host.host_launch import HostLaunch
from burstline_server.words.settings import problem_text

if TYPE_CHECKING:  # the rewrites are loaded where fixes are asked for
    from burstline_server.rewrites.catalogue import Fix


def assessed(
    files: Sequence[Path],
    options: Layer,
    arguments: argparse.Namespace,
    *,
    with_fixes: bool,
    left: list[str] | None = None,
    texts: Mapping[Path, str] = MappingProxyType({}),
) -> Iterator[tuple[Assessment, list[Fix]]]:
    """Each file with the kernels of --kernel (all without it), and the fixes that pay, for `with_fixes`.

    A file with settings that cannot be used is left out and listed in `left`; without it, and for options that no file
    can use, raises `UnusableInputError`. `texts` are those that are not to be read.
    """
    assessor, clang, hosts = Assessor(), Clang(), HOSTS
    second = partial(second_opinion, clang)
    assessor.workspace = sorted({workspace_of(path.resolve()) for path in files})
    assessor.launches = lambda path: partial(_launch_of, hosts, Path(path), assessor.workspace)
    known: set[str] = set()
    unbound: list[dict[tuple[str, ...], str]] = []
    unused: list[list[Problem]] = []
    done: list[tuple[Assessment, list[Layer]]] = []
    for path in files:
        text = texts[path] if path in texts else text_of(path)
        layers, problems = layers_of(path, text, arguments.config)
        assessment = assessor.assess(text, str(path), [*layers, options], second, with_llvm)
        refuse_bad_options(assessment.problems)
        known |= kernel_names(assessment)
        if assessment.kernels or assessment.withheld:
            given = [p for p in assessment.problems if p.where == "option"]
            unbound.append({p.about: problem_text(p) for p in given if not p.confined})
            unused.append([p for p in given if p.confined])
        several = (*problems, *(p for p in assessment.problems if p.where != "option" or not p.confined))
        bad = [p for p in several if p.where != "option" and not p.confined]
        print_problems(p for p in several if p.confined and p.where != "build")
        if bad and left is None:
            raise UnusableInputError(problem_line(bad[0]))
        if bad and left is not None:
            left += [text for text in map(problem_line, bad) if text not in left]
            continue
        done.append((assessment.with_problems(tuple(p for p in several if p.confined)), layers))
    clang.close()
    _refuse_unbound(unbound)
    # What one of the files has a use for is in its place.
    print_problems(p for p in (unused[0] if unused else ()) if all(p in other for other in unused))
    refuse_kernels(arguments.kernel, known)
    for assessment, layers in done:
        one = assessment.with_only(arguments.kernel) if arguments.kernel else assessment
        fixes: list[Fix] = []
        if with_fixes:
            from burstline_server.rewrites.catalogue import fixes_of  # noqa: PLC0415

            fixes = fixes_of(assessor, one, [*layers, options])
        yield one, fixes


def _launch_of(hosts: Hosts, path: Path, workspace: Sequence[Path], kernel: str) -> HostLaunch | None:
    found = hosts.launch_of(kernel, path, workspace)
    return found[1] if found is not None else None


def print_problems(problems: Iterable[Problem]) -> None:
    """Print problems that did not end the command."""
    sys.stderr.writelines(f"burstline: {problem_line(p)}\n" for p in problems)


def _refuse_unbound(files: Sequence[Mapping[tuple[str, ...], str]]) -> None:
    """An option that names something must find it in one of the files."""
    for about, message in files[0].items() if files else ():
        if all(about in other for other in files):
            raise UnusableInputError(f"{_SPELLED.get(about[0], about[0])}: {message}")


_SPELLED = {
    "arguments": "--arg",
    "banks": "--bank",
    "kernels": "--bank",
    "trips": "--trip",
    "global_size": "--global-size",
    "local_size": "--local-size",
    "include_paths": "-I",
    "report": "--report",
    "defines": "-D",
}


def kernel_names(assessment: Assessment) -> set[str]:
    """The names of a file's kernels, of those without figures as well."""
    return {k.facts.name for k in assessment.kernels} | {w.name for w in assessment.withheld}


def refuse_kernels(named: Sequence[str], known: Collection[str]) -> None:
    """Raise `UnusableInputError` for a name that no kernel has."""
    missing = [k for k in named if k not in known]
    if missing:
        names = sorted(known)
        near, there = nearest(missing[0], names), ", ".join(names) or "none"
        raise unusable("no_such_kernel", missing[0], nearest=near, known=there)
