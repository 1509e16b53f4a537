"""``burstline fix``: the edits that pay, shown, or made."""

from __future__ import annotations

import argparse
import difflib
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import filterfalse
from pathlib import Path

from burstline_server.assessment.assessor import Assessment, Assessor, SecondOpinion
from burstline_server.clang.opinion import second_opinion
from burstline_server.clang.process import Clang
from burstline_server.cli.assessing import kernel_names, refuse_kernels
from burstline_server.cli.options import (
    UnusableInputError,
    add_settings,
    files_of,
    layers_of,
    options_of,
    refuse,
    refuse_unknown_codes,
    text_of,
    workspace_of,
)
from burstline_server.cli.writing import rewrite, write_file
from burstline_server.config.layers import Layer
from burstline_server.diagnostics.catalogue import findings_of
from burstline_server.interpreter.verdicts import Different
from burstline_server.rewrites.catalogue import Fix, contradicted, fixes_of, most_useful_first, offers_of, refusals_of
from burstline_server.rewrites.chain import CHAIN_WORK, Chain
from burstline_server.rewrites.host_edit import host_edit
from burstline_server.rewrites.left_out import is_answered, not_asked_for, unpaid, unpriced, unsuggested
from burstline_server.rewrites.pricing_budget import Budget
from burstline_server.rewrites.rewrite import Offer, Refusal, TextEdit, edited
from burstline_server.words.commands import HOST_CHANGED, NO_EDIT_PAYS, gain_unknown_text, none_pays_text, refused_text
from burstline_server.words.edit_reasons import reason_text
from burstline_server.words.edits import fix_title, title_text
from burstline_server.words.missing import missing_text
from burstline_server.words.obstacles import obstacle_text


def configure(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    add = parser.add_argument
    add("paths", nargs="+", metavar="FILE", help="kernel files, or folders of them")
    add("--code", action="append", default=[], metavar="CODE", help="only what answers this finding")
    add("--kernel", action="append", default=[], metavar="NAME", help="only this kernel")
    add("--unsafe", action="store_true", help="also what rests on your word (restrict, ivdep)")
    add("--host", action="store_true", help="also what needs a change of the host program")
    add("--all", action="store_true", dest="every", help="also edits that gain nothing")
    add("--pipes", action="store_true", help="join split kernels by OpenCL pipes in place of the vendor's channels")
    add(
        "--why",
        action="store_true",
        help="also what each edit relieves, and for findings without one the kinds that nothing suggests",
    )
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--diff", action="store_true", help="show the edits as a patch")
    how.add_argument(
        "--apply",
        action="store_true",
        help="make the edits, one after the other, each priced anew; with --host those of a host program too",
    )
    add_settings(parser)


def run(arguments: argparse.Namespace) -> int:
    """List, show or make the edits; exit status 2 for unusable input."""
    try:
        options = options_of(arguments)
        refuse_unknown_codes("--code", (code.upper() for code in arguments.code))
        if arguments.pipes:
            options = replace(options, keys={**options.keys, "pipes": True})
        files = list(files_of(arguments.paths))
        assessor = Assessor(workspace=sorted({workspace_of(path.resolve()) for path in files}))
        clang = Clang()
        second = partial(second_opinion, clang)
        known: set[str] = set()
        ready: list[tuple[Path, str, list[Layer]]] = []
        for path in files:
            text = text_of(path)
            found, problems = layers_of(path, text, arguments.config)
            layers = [*found, options]
            assessment = assessor.assess(text, str(path), layers)
            refuse(problems, assessment.problems)
            known |= kernel_names(assessment)
            ready.append((path, text, layers))
        refuse_kernels(arguments.kernel, known)
        for path, text, layers in ready:
            _one(assessor, second, path, text, layers, arguments)
        clang.close()
    except UnusableInputError as error:
        sys.stderr.write(f"burstline: {error}\n")
        return 2
    return 0


def _one(
    assessor: Assessor,
    second: SecondOpinion,
    path: Path,
    text: str,
    layers: Sequence[Layer],
    arguments: argparse.Namespace,
) -> None:
    budget = Budget(CHAIN_WORK)
    assessment, fixes = _chosen(assessor, second, path, text, layers, arguments, budget)
    if not (arguments.diff or arguments.apply):
        for one in most_useful_first(fixes):
            reason = reason_text(assessment, one) if arguments.why else ""
            sys.stdout.write(f"{path}: {fix_title(one)}{_needs(one)}\n" + (f"    {reason}\n" if reason else ""))
        if not fixes:
            sys.stdout.writelines(_nothing(path, assessment))
        wrong = contradicted(assessor, assessment, layers, _chosen_by(arguments))
        left = _left_out(assessor, assessment, layers, fixes, arguments)
        sys.stdout.writelines(_refused(path, assessment, arguments, (*wrong, *refusals_of(assessment), *left)))
        return
    chain = Chain(text, assessment, layers)
    while chain.advance(fixes):
        _, fixes = _chosen(assessor, second, path, chain.text, chain.layers, arguments, budget)
    made, after = chain.made, chain.text
    hosts, host = _hosts(assessment, made)
    if arguments.diff:
        # Before the patch, where programs that apply one pass over it.
        sys.stdout.writelines(f"{text}\n" for text in host)
        for name, then, now in [(path, text, after), *hosts]:
            lines = then.splitlines(keepends=True), now.splitlines(keepends=True)
            sys.stdout.writelines(difflib.unified_diff(*lines, str(name), str(name)))
        return
    if made:
        rewrite(path, after)
    for name, _, now in hosts:
        write_file(name, now)
    sys.stdout.writelines(f"{path}: {fix_title(one)}{_needs(one)}\n" for one in made)
    sys.stdout.writelines(f"{name}: {HOST_CHANGED}\n" for name, _, _ in hosts)
    sys.stdout.writelines(f"\n{text}" for text in host)
    if not made:
        sys.stdout.write(f"{path}: {NO_EDIT_PAYS}\n")


def _hosts(assessment: Assessment, made: Sequence[Fix]) -> tuple[list[tuple[Path, str, str]], list[str]]:
    """Host programs with their texts before and after, and what the host does that is not written there."""
    texts: dict[Path, tuple[bytes, list[TextEdit]]] = {}
    left, kernels = list[str](), set[str]()
    for fix in (one for one in made if one.offer.host):
        found = host_edit(assessment, fix.offer) if fix.offer.kernel not in kernels else None
        kernels.add(fix.offer.kernel)
        if found is None:
            left.append(fix.offer.host)
        else:
            texts.setdefault(found.file, (found.before, []))[1].extend(found.edits)
    hosts = [(file, text.decode(), edited(text, edits).decode()) for file, (text, edits) in texts.items()]
    return hosts, left


def _chosen(
    assessor: Assessor,
    second: SecondOpinion,
    path: Path,
    text: str,
    layers: Sequence[Layer],
    arguments: argparse.Namespace,
    budget: Budget,
) -> tuple[Assessment, list[Fix]]:
    """The edits that the options ask for, the best first."""
    assessment, chosen = assessor.assess(text, str(path), layers, second), _chosen_by(arguments)
    return assessment, fixes_of(assessor, assessment, layers, every=arguments.every, chosen=chosen, budget=budget)


def _chosen_by(arguments: argparse.Namespace) -> Callable[[Offer], bool]:
    """Whether the options ask for an edit."""
    kinds = {"proved", *(["assertion"] if arguments.unsafe else []), *(["host"] if arguments.host else [])}
    codes = {code.upper() for code in arguments.code}

    def chosen(offer: Offer) -> bool:
        answers = not codes or not codes.isdisjoint(offer.codes)
        return offer.kind in kinds and answers and (not arguments.kernel or offer.kernel in arguments.kernel)

    return chosen


def _nothing(path: Path, assessment: Assessment) -> Iterator[str]:
    """Why no edit is listed: none pays, also at assumed sizes, or nobody can say, as a kernel's time is not known."""
    open_ = [kernel for kernel in assessment.kernels if kernel.estimate.time_s is None]
    for kernel in open_:
        say = none_pays_text if kernel.estimate.at_assumed is not None else gain_unknown_text
        yield f"{path}: {say(kernel.facts.name, missing_text(assessment, kernel))}\n"
    if len(open_) < len(assessment.kernels) or not open_:
        yield f"{path}: {NO_EDIT_PAYS}\n"


def _left_out(
    assessor: Assessor,
    assessment: Assessment,
    layers: Sequence[Layer],
    fixes: Sequence[Fix],
    arguments: argparse.Namespace,
) -> Iterator[Refusal]:
    """For findings that no listed edit answers: edits that do not pay, that wait for an option, and other kinds."""
    found = (f for f in findings_of(assessment) if is_answered(f))
    left = [f for f in found if not any(fix.offer.answers(f) for fix in fixes)]
    chosen = _chosen_by(arguments)
    every = offers_of(assessment)
    offers, others = list(filter(chosen, every)), list(filterfalse(chosen, every))
    known = [o for o in Budget().taken(assessment, offers) if any(o.answers(f) for f in left)]
    yield from unpaid(assessor, assessment, layers, known)
    waiting = [o for o in others if any(o.answers(f) for f in left)]
    yield from not_asked_for(assessor, assessment, layers, Budget().taken(assessment, waiting))
    yield from unpriced(assessment, offers)
    if arguments.why:
        yield from unsuggested(assessment, left)


def _refused(
    path: Path, assessment: Assessment, arguments: argparse.Namespace, refusals: Iterable[Refusal]
) -> Iterator[str]:
    """For each finding, the edits that would answer it and cannot be made, with the reason; all that are wrong.

    With ``--why`` those as well that answer no finding.
    """
    findings = {(f.code, f.span) for f in findings_of(assessment)}
    codes = {code.upper() for code in arguments.code}
    said = set[str]()
    for one in refusals:
        answers = {code for code in one.codes for span in one.spans if (code, span) in findings}
        asked = bool(answers) and (not codes or not codes.isdisjoint(answers))
        asked = asked or (arguments.why and not one.codes and not codes)
        if not asked and not isinstance(one.reason, Different):
            continue
        if arguments.kernel and one.kernel not in arguments.kernel:
            continue
        line = assessment.source.lines.line_of(one.spans[0].start) + 1
        refusal = f"{path}:{line}: {refused_text(title_text(one.title), obstacle_text(one.reason))}\n"
        if refusal not in said:
            said.add(refusal)
            yield refusal


def _needs(fix: Fix) -> str:
    return {"proved": "", "host": " [host]", "assertion": " [unsafe]"}[fix.offer.kind]
