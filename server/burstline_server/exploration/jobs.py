"""Explorations: one job a text, whose facts are read once; its sweep is the model's.

A job knows all it needs, so that any process of any machine with the same files can do it, and its answer can be kept.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product
from math import nan
from pathlib import Path
from typing import TYPE_CHECKING, Any

from burstline_model.devices.resource_use import FULL
from burstline_model.parallelism.knobs import Knobs, Variant
from burstline_model.record import Record
from burstline_server.assessment.assessor import Assessment, Assessor
from burstline_server.assessment.costing import KernelAssessment
from burstline_server.config.layers import Layer, Where
from burstline_server.exploration.forms import ON_BOARD, Place
from burstline_server.exploration.variant_edits import Choice, NoSuchEditError, define_edits, edits_for
from burstline_server.exploration.what_if import loops_by_line
from burstline_server.faults.fault import faults_text
from burstline_server.interpreter.verdicts import Different, Verdict
from burstline_server.rewrites.catalogue import Fix, tried, tried_of
from burstline_server.rewrites.executed import execution
from burstline_server.rewrites.line_settings import following
from burstline_server.rewrites.rewrite import Offer, TextEdit, edited
from burstline_server.words.edits import short_title_text, shown_text, title_text
from burstline_server.words.executions import different_text
from burstline_server.words.exploring import Nothing, knobs_text, nothing_text
from burstline_server.words.refusals import refusal_text
from burstline_server.words.variants import UNKNOWN_GAIN, banks_text, define_text, full_text, host_text

if TYPE_CHECKING:
    from burstline_model.explore.sweep import Sweep

SAME_WORK = 0.01
"""Launches whose stores differ by less than this share do the same work: borders and remainders differ."""
MAX_KEPT = 500
"""Rows of one job that are kept, the best by time; those on its front of time and resources come on top."""


class NothingToExploreError(Exception):
    """The kernel cannot be explored as asked; the message says what to give."""

    def __init__(self, why: Nothing, *names: object) -> None:
        super().__init__(nothing_text(why, *names))


class Job(Record):
    """One text and its knobs; `unroll` names loops by line, counted from 1, as a user does."""

    path: str
    text: str
    kernel: str
    settings: tuple[tuple[Where, dict[str, Any]], ...]
    """Layers of settings, weakest first, as (where, keys)."""
    workspace: tuple[str, ...] = ()
    defines: dict[str, str] = {}
    board: str | None = None
    edit: str | None = None
    """The id of an offered edit that is made first, such as a vector type or the feed-forward split."""
    knobs: Knobs = Knobs()
    unroll: dict[int, tuple[int, ...]] = {}
    data: Place = ON_BOARD
    most: float = FULL
    """The largest share of any resource that a variant may take of what the board leaves free."""

    @property
    def key(self) -> str:
        """What the answer is kept under: equal jobs have equal keys."""
        return hashlib.sha256(self.model_dump_json().encode()).hexdigest()


class Setting(Record):
    """The knobs of one variant, those that were asked for; None is as the source says."""

    board: str | None = None
    defines: dict[str, str] = {}
    edit: str | None = None
    """The title of the edit that is made first."""
    edit_short: str | None = None
    """The same without what the edit needs."""
    edit_id: str | None = None
    edit_shown: str | None = None
    """What it rests on, and whether the text was executed next to the one before: there it left the same."""
    simd: int | None = None
    compute_units: int | None = None
    unroll: dict[int, int] = {}
    """By line; 0 is fully, 1 not at all."""
    local_size: tuple[int, ...] | None = None
    banks: dict[str, int] = {}
    f_max_mhz: float | None = None


class Row(Record):
    """One variant. Shares are of the device's free part, 0 to 1 and more; `front`: nothing beats it in all of them."""

    setting: Setting
    time_ms: float
    logic: float
    rams: float
    dsps: float
    front: bool = False

    @property
    def use(self) -> float:
        """The share of the scarcest resource."""
        return max(self.logic, self.rams, self.dsps)


class Outcome(Record):
    """What a job found. `now_ms` is the time of the unchanged source; `refused` counts variants by reason.

    `stored_bytes` is what the kernel stores in a launch, `now_stored_bytes` what the unchanged source stores: texts
    that store unequal amounts do unequal work. None is not known.
    """

    key: str
    path: str
    kernel: str
    variants: int
    now_ms: float | None
    refused: dict[str, int]
    rows: tuple[Row, ...]
    stored_bytes: float | None = None
    now_stored_bytes: float | None = None

    @property
    def work(self) -> float:
        """The work of a launch over that of the unchanged source; 1 where that is not known."""
        if not self.stored_bytes or not self.now_stored_bytes:
            return 1.0
        ratio = self.stored_bytes / self.now_stored_bytes
        return ratio if abs(ratio - 1) > SAME_WORK else 1.0


def jobs_of(
    files: Mapping[Path, tuple[str, Sequence[Layer]]],
    workspace: Sequence[Path],
    kernels: Sequence[str],
    boards: Sequence[str],
    defines: Mapping[str, Sequence[str]],
    knobs: Knobs,
    unroll: Mapping[int, tuple[int, ...]],
    *,
    edits: bool = False,
    most: float = FULL,
    data: Place = ON_BOARD,
) -> Iterator[Job]:
    """One job for each file, kernel, board, combination of macro values and (`edits`) offered edit.

    Raises `NothingToExploreError`.
    """
    for path, (text, layers) in files.items():
        settings = tuple((layer.where, dict(layer.keys)) for layer in layers)
        names = list(kernels)
        if not names:
            first = {name: values[0] for name, values in defines.items()}
            done = Assessor(list(workspace)).assess(text, str(path), _on_top(layers, first, None))
            names = [k.facts.name for k in done.kernels]
        if not names:
            if done.withheld:
                first_one = done.withheld[0]
                raise NothingToExploreError("withheld", path, first_one.name, faults_text(first_one))
            raise NothingToExploreError("no_kernel", path)
        for name, board in product(names, boards or (None,)):
            for values in product(*defines.values()):
                job = Job(
                    path=str(path), text=text, kernel=name, settings=settings, board=board, knobs=knobs,
                    workspace=tuple(str(w) for w in workspace), defines=dict(zip(defines, values, strict=True)),
                    unroll=dict(unroll), most=most, data=data,
                )  # fmt: skip
                yield job
                if edits:
                    # An edit moves lines, so that loops are not named by them any more.
                    yield from (job.model_copy(update={"edit": edit, "unroll": {}}) for edit in _offered(job))


def _offered(job: Job) -> list[str]:
    """The ids of the edits that are offered for a job's kernel."""
    done, _ = assessed(job)
    return [offer.id for offer in tried_of(done) if offer.kernel == job.kernel]


def assessed(job: Job) -> tuple[Assessment, KernelAssessment]:
    """The job's kernel under its own macros and board, before its edit; raises `NothingToExploreError`."""
    done = Assessor([Path(w) for w in job.workspace]).assess(_defined(job), job.path, _layers(job))
    for kernel in done.kernels:
        if kernel.facts.name == job.kernel:
            return done, kernel
    names = ", ".join(k.facts.name for k in done.kernels) or "none"
    raise NothingToExploreError("no_such_kernel", job.path, job.kernel, names)


def _defined(job: Job) -> str:
    """The job's text with its macros where the text defines them itself: that wins over any option."""
    data = job.text.encode()
    for name, value in job.defines.items():
        data = edited(data, define_edits(data, name, value))
    return data.decode()


def _now(job: Job, kernel: KernelAssessment) -> dict[str, float | None]:
    """The time of the kernel, and what it stores, without the job's macros and board."""
    if job.defines or job.board is not None:
        try:
            kernel = assessed(job.model_copy(update={"defines": {}, "board": None}))[1]
        except NothingToExploreError:
            return {"now_ms": None, "now_stored_bytes": None}
    time = job.data.launch_s(kernel)
    return {"now_ms": time * 1e3 if time is not None else None, "now_stored_bytes": stored_bytes(kernel)}


def stored_bytes(kernel: KernelAssessment) -> float | None:
    """What a kernel stores in a launch, in bytes of global memory; None where that is not known."""
    sizes = [u.bytes for u in kernel.estimate.units if u.lsu.space == "global" and u.lsu.op != "load"]
    known = [size for size in sizes if size is not None]
    return sum(known) if len(known) == len(sizes) else None


def _layers(job: Job) -> list[Layer]:
    return _on_top([Layer(where, keys) for where, keys in job.settings], job.defines, job.board)


def _on_top(layers: Sequence[Layer], defines: Mapping[str, str], board: str | None) -> list[Layer]:
    """The layers with a job's macros and board over the options."""
    options: dict[str, Any] = next((dict(layer.keys) for layer in layers if layer.where == "option"), {})
    if defines:
        options["defines"] = {**options.get("defines", {}), **defines}
    if board is not None:
        options["board"] = board
    return [*(layer for layer in layers if layer.where != "option"), Layer("option", options)]


def explore(job: Job, progress: Callable[[int, int], None] | None = None) -> Outcome:
    """Do a job; raises `NothingToExploreError`."""
    done, kernel = assessed(job)
    if job.edit is not None:
        return _with_edit(job, job.edit, done, kernel)
    lines = loops_by_line(done, kernel)
    for line in job.unroll:
        if line not in lines:
            known = ", ".join(str(n) for n in sorted(lines)) or "none"
            raise NothingToExploreError("no_loop", line, job.kernel, known)
    knobs = job.knobs.model_copy(update={"unroll": {lines[n]: factors for n, factors in job.unroll.items()}})
    outcome = varied(done, kernel, knobs, progress, job.most, job.data)
    if outcome is None:
        raise NothingToExploreError("no_time", job.kernel)
    own = {"board": job.board, "defines": job.defines}
    rows = [row.model_copy(update={"setting": row.setting.model_copy(update=own)}) for row in outcome.rows]
    return outcome.model_copy(update={"key": job.key, **_now(job, kernel), "rows": tuple(rows)})


def explored(job: Job, progress: Callable[[int, int], None] | None = None) -> Outcome:
    """Do one job of many: one that cannot be done is an outcome without rows that says why."""
    try:
        return explore(job, progress)
    except NothingToExploreError as error:
        return Outcome(
            key=job.key, path=job.path, kernel=job.kernel, variants=1, now_ms=None, refused={str(error): 1}, rows=()
        )


def _with_edit(job: Job, edit: str, assessment: Assessment, kernel: KernelAssessment) -> Outcome:
    """An offered edit, and the knobs over what it makes where that is still one kernel."""
    offer = _offer(assessment, edit)
    assessor = Assessor([Path(w) for w in job.workspace])
    fix = tried(assessor, assessment, _layers(job), offer, every=True)
    now = kernel.estimate.time_s
    own = {"board": job.board, "defines": job.defines, "edit_id": edit}
    own |= {"edit": title_text(offer.title), "edit_short": short_title_text(offer.title)}
    nothing = Outcome(
        key=job.key, path=job.path, kernel=job.kernel, variants=1, now_ms=None, refused={}, rows=(),
    ).model_copy(update=_now(job, kernel))  # fmt: skip
    if fix is not None and isinstance(fix.execution, Different):
        return nothing.model_copy(update={"refused": {different_text(fix.execution): 1}})
    elsewhere = offer.replaced_by and job.data != ON_BOARD
    if fix is None or fix.speedup is None or now is None or elsewhere:
        return nothing.model_copy(update={"refused": {UNKNOWN_GAIN: 1}})
    if offer.replaced_by:
        shares = fix.shares
        row = Row(
            setting=Setting.model_validate({**own, "edit_shown": shown_text(offer.kind, fix.execution)}),
            time_ms=now * 1e3 / fix.speedup,
            logic=shares.get("logic_alms", 0.0), rams=shares.get("rams", 0.0), dsps=shares.get("dsps", 0.0),
        )  # fmt: skip
        return nothing.model_copy(update={"rows": (row,)})
    text = offer.applied(assessment.source.original).decode("utf-8", "replace")
    layers = following([Layer(where, keys) for where, keys in job.settings], assessment.source.original, offer.edits)
    settings = tuple((layer.where, dict(layer.keys)) for layer in layers)
    after = job.model_copy(update={"text": text, "edit": None, "settings": settings})
    arguments = {"arguments": dict(offer.arguments)}
    if offer.arguments:
        after = after.model_copy(update={"settings": (*after.settings, ("option", arguments))})
    outcome = explore(after)
    groups = {row.setting.local_size for row in outcome.rows}
    shown = {group: _execution(after, assessment, fix, group) for group in groups}
    wrong = {group: different_text(one) for group, one in shown.items() if isinstance(one, Different)}
    rows = []
    for row in outcome.rows:
        group = row.setting.local_size
        if group not in wrong:
            setting = {**own, "edit_shown": shown_text(offer.kind, shown[group])}
            rows.append(row.model_copy(update={"setting": row.setting.model_copy(update=setting)}))
    refused = Counter(wrong[row.setting.local_size] for row in outcome.rows if row.setting.local_size in wrong)
    # An edit keeps what the kernel computes, however its stores are counted then.
    own_work = {"stored_bytes": stored_bytes(kernel), "now_stored_bytes": nothing.now_stored_bytes}
    found = {"rows": tuple(rows), "refused": dict(refused + Counter(outcome.refused)), **own_work}
    return outcome.model_copy(update={"key": job.key, "now_ms": nothing.now_ms, **found})


def _execution(after: Job, before: Assessment, fix: Fix, group: tuple[int, ...] | None) -> Verdict | None:
    """What executing an edit shows with a chosen work-group size; the other knobs change no statement."""
    if group is None or not fix.offer.is_executed:
        return fix.execution
    done, kernel = assessed(after)
    text = edited(done.source.original, edits_for(done, kernel, Choice(local_size=group)))
    sized, _ = assessed(after.model_copy(update={"text": text.decode("utf-8", "replace")}))
    return execution(before.source, sized.source, fix.offer)


def _offer(assessment: Assessment, edit: str) -> Offer:
    for offer in tried_of(assessment):
        if offer.id == edit:
            return offer
    raise NothingToExploreError("not_offered", assessment.path, edit)


def varied(
    assessment: Assessment,
    kernel: KernelAssessment,
    knobs: Knobs,
    progress: Callable[[int, int], None] | None = None,
    most: float = FULL,
    data: Place = ON_BOARD,
) -> Outcome | None:
    """All variants of an assessed kernel; None where no time is known. Raises `NothingToExploreError`."""
    from burstline_model.explore.pareto import pareto  # noqa: PLC0415
    from burstline_model.explore.sweep import sweep  # noqa: PLC0415

    try:
        one = kernel.facts, assessment.target, assessment.board, kernel.launch
        found = data.sent(sweep(*one, knobs, progress, on_chip=data.on_chip), kernel)
    except ValueError as error:
        raise NothingToExploreError("knobs", assessment.path, knobs_text(error)) from error
    known = found.time_s == found.time_s
    if not known.any():
        return None
    fits = known & found.feasible
    for share in (found.logic, found.registers, found.rams, found.dsps):
        fits = fits & (share <= most)
    # What does not fit must not keep what fits from the front: nan is on none.
    times = found.time_s.copy()
    times[~fits] = nan
    front = pareto(times, found.logic, found.rams, found.dsps)
    order = found.time_s.argsort(kind="stable")
    best = [int(i) for i in order[fits[order]][:MAX_KEPT]]
    chosen = list(dict.fromkeys([*best, *(int(i) for i in front.nonzero()[0])]))
    by_loop = {number: line for line, number in loops_by_line(assessment, kernel).items()}
    now = data.launch_s(kernel)
    return Outcome(
        key="", path=assessment.path, kernel=kernel.facts.name, variants=len(found), stored_bytes=stored_bytes(kernel),
        refused=_refused(found, fits, most), now_ms=now * 1e3 if now is not None else None,
        rows=tuple(
            Row(
                setting=_setting(knobs, found.variant(i), by_loop), time_ms=float(found.time_s[i]) * 1e3,
                logic=float(found.logic[i]), rams=float(found.rams[i]), dsps=float(found.dsps[i]), front=bool(front[i]),
            )
            for i in chosen
        ),
    )  # fmt: skip


def _refused(found: Sweep, fits: Any, most: float) -> dict[str, int]:
    """Why variants are left out, with how many."""
    counts = Counter(found.reason[~found.feasible].tolist())
    reasons = {refusal_text(why): n for code, n in counts.items() if (why := found.reasons[code]) is not None}
    full = int((found.feasible & (found.time_s == found.time_s) & ~fits).sum())
    return reasons | ({full_text(most): full} if full else {})


def usual(assessment: Assessment, kernel: KernelAssessment) -> Outcome | None:
    """The variants that anybody would try first; None where no time is known, or there is nothing to turn."""
    facts, outer = kernel.facts, {loop.parent for loop in kernel.facts.loops}
    inner = [loop.id for loop in facts.loops if loop.id not in outer and loop.kind != "copy" and loop.span.file is None]
    ndrange = facts.model == "ndrange"
    own = {loop.id: (loop.unroll if loop.unroll is not None else 1) for loop in facts.loops}
    knobs = Knobs(
        simd=tuple(sorted({facts.simd, 1, 2, 4, 8, 16})) if ndrange else (),
        compute_units=tuple(sorted({facts.compute_units, 1, 2, 4, 8})) if ndrange else (),
        unroll={i: tuple(sorted({own[i], 1, 2, 4, 8, 16})) for i in inner[:MOST_LOOPS]},
    )
    return varied(assessment, kernel, knobs) if ndrange or knobs.unroll else None


MOST_LOOPS = 2


def _setting(knobs: Knobs, variant: Variant, by_loop: Mapping[int, int]) -> Setting:
    """A variant's knobs, those that are turned."""
    return Setting(
        simd=variant.simd if knobs.simd else None,
        compute_units=variant.compute_units if knobs.compute_units else None,
        unroll={by_loop[loop]: factor for loop, factor in variant.unroll.items()},
        local_size=variant.local_size if knobs.local_size else None,
        banks=variant.banks if knobs.banks else {},
        f_max_mhz=variant.f_max_mhz if knobs.f_max_mhz else None,
    )


def made(setting: Setting, job: Job) -> tuple[str, tuple[str, ...]]:
    """The job's text edited into a variant, and what is left to do outside it; raises `NoSuchEditError`."""
    done, kernel = assessed(job)
    if setting.edit_id is None:
        edits, left = edits_of(setting, done, kernel)
        return edited(done.source.original, edits).decode("utf-8", "replace"), left
    offer = _offer(done, setting.edit_id)
    text = offer.applied(done.source.original).decode("utf-8", "replace")
    host = (host_text(offer.title),) if offer.kind == "host" else ()
    if offer.replaced_by:
        return text, host
    text, left = made(setting.model_copy(update={"edit_id": None}), job.model_copy(update={"text": text, "edit": None}))
    return text, (*host, *left)


def edits_of(
    setting: Setting, assessment: Assessment, kernel: KernelAssessment
) -> tuple[tuple[TextEdit, ...], tuple[str, ...]]:
    """The edits that make a variant, and what is left to do outside the text; raises `NoSuchEditError`."""
    lines = loops_by_line(assessment, kernel)
    if gone := [line for line in setting.unroll if line not in lines]:
        raise NoSuchEditError("loop_gone", gone[0])
    own, left = {}, []
    for name, value in setting.defines.items():
        if define_edits(assessment.source.original, name, value):
            own[name] = value
        else:
            left.append(define_text(name, value))
    if setting.banks:
        left.append(banks_text(setting.banks))
    choice = Choice(
        simd=setting.simd, compute_units=setting.compute_units, local_size=setting.local_size, defines=own,
        unroll={lines[n]: factor for n, factor in setting.unroll.items()},
    )  # fmt: skip
    return edits_for(assessment, kernel, choice), tuple(left)
