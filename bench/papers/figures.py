"""Our figures for the printed numbers, each from kernel text as a user's would be, by name and arguments."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from statistics import mean
from typing import Any

from bench.papers.microbenchmarks import MICROBENCHMARKS
from bench.papers.registry import named
from bench.papers.stages import STAGES
from bench.scoreboard import papers as stories

import burstline_model
from burstline_model.estimate.concurrent import time_together
from burstline_model.launch import Mode
from burstline_model.pipeline.blocks import transactions_of
from burstline_model.validation.paper import TABLE_4, TABLE_5, TABLE_IV
from burstline_server.assessment.assessor import Assessment, Assessor
from burstline_server.assessment.costing import KernelAssessment
from burstline_server.config.layers import Layer
from burstline_server.rewrites.catalogue import priced
from burstline_server.rewrites.split.kernel_statements import CannotSplitError
from burstline_server.rewrites.split.split import PAIRS, Split
from burstline_server.validation.errors import RunError, estimate_run
from burstline_server.validation.papers import (
    ApplicationRow,
    ComparisonRow,
    application_kernel,
    application_row,
    comparison_row,
)
from burstline_server.validation.suites import published_runs

BOARDS = {"DDR4": "s10gx_ddr4_1866", "HBM2": "s10mx_hbm2"}
BOARD_FILES = Path(burstline_model.__file__).parent / "boards"
ITEMS = 1 << 24


def kernel(text: str, **settings: Any) -> KernelAssessment:
    """The first kernel of a text under these settings."""
    return Assessor().assess(text, "kernel.cl", [Layer("option", settings)]).kernels[0]


def milliseconds(assessed: KernelAssessment) -> float:
    """Its time; not a number where there is none."""
    time = assessed.estimate.time_s
    return math.nan if time is None else time * 1e3


@cache
def _rows() -> dict[tuple[str, str, str], ApplicationRow]:
    assessor = Assessor()
    tables = {"IV": TABLE_IV, "4": TABLE_4}
    return {(t, r.name, r.memory): application_row(r, assessor) for t, rows in tables.items() for r in rows}


@named
def application(table: str, name: str, memory: str) -> float:
    """The faithful time of a row of M20's Table IV or M21's Table 4, in ms."""
    return _rows()[table, name, memory].faithful_ms or math.nan


@named
def saturated_rows() -> float:
    """How many rows of M21's Table 4 are saturated where the print gives a time, and not where it gives none."""
    assessor = Assessor()
    right = 0
    for row in (r for r in TABLE_4 if r.file is not None):
        units = application_kernel(row, assessor, "faithful").estimate.units
        slowest = max(units, key=lambda u: u.time_s or 0.0)
        right += bool(slowest.saturated) == (row.printed_ms is not None)
    return right


@cache
def _runs() -> dict[str, RunError]:
    assessor = Assessor()
    return {run.id: estimate_run(run, assessor) for run in published_runs() if run.id.startswith("z")}


def _of(prefix: str) -> Sequence[RunError]:
    return [row for name, row in _runs().items() if name.startswith(prefix)]


@named
def worst_run(prefix: str, but: str = "") -> float:
    """The largest error of the default mode on runs of the authors' microbenchmarks, in percent."""
    return 100 * max(abs(row.calibrated) for row in _of(prefix) if row.run.id != but)


@named
def mean_error(memory: str) -> float:
    """The mean error of the default mode on microbenchmarks and applications of a memory, in percent."""
    prefix = {"DDR4-1866": "zmicro-s10gx", "HBM2": "zmicro-s10mx"}[memory]
    rows = [row for (table, _, m), row in _rows().items() if (table, m) == ("4", memory)]
    applications = [r.calibrated_ms / r.printed.measured_ms - 1 for r in rows if r.calibrated_ms is not None]
    return 100 * mean(abs(e) for e in (*(row.calibrated for row in _of(prefix)), *applications))


@named
def bandwidth(run: str) -> float:
    """What the default mode says that a run's bank delivers, in GB/s."""
    row = _runs()[run]
    return row.run.bank_bytes / (row.calibrated_s or math.nan) / 1e9


STREAMS = (
    "__attribute__((num_simd_work_items({lanes}))) __attribute__((reqd_work_group_size(256, 1, 1)))\n"
    "__kernel void k(__global const float *restrict x, __global const float *restrict y, __global float *restrict z)\n"
    "{{ const int i = get_global_id(0); {body} }}\n"
)


def streams(memory: str, body: str, lanes: int = 16, mode: Mode = "faithful", **settings: Any) -> KernelAssessment:
    """Work-items that each run `body` on x, y and z, every pointer in a channel of its own on HBM2."""
    banks = {"x": 0, "y": 1, "z": 2} if memory == "HBM2" else {}
    text = STREAMS.format(lanes=lanes, body=body)
    return kernel(text, board=BOARDS[memory], mode=mode, global_size=[ITEMS], banks=banks, **settings)


def _strided(memory: str, stride: int, *, loads: int, stores: int) -> float:
    body = f"z[{stores} * i] = x[{loads} * i] + y[{loads} * i];" if stride else ""
    return milliseconds(streams(memory, body))


@named
def stride_ratio(memory: str, stride: str) -> float:
    """How much longer the aligned vector sum takes with a stride in all three accesses (M21, Fig. 6)."""
    n = int(stride)
    return _strided(memory, n, loads=n, stores=n) / _strided(memory, 1, loads=1, stores=1)


@named
def clock_ratio(memory: str, lanes: str, slow_mhz: str, fast_mhz: str) -> float:
    """How much longer a copy takes at the slower of two clocks (M21, Fig. 4)."""
    clocks = float(slow_mhz), float(fast_mhz)
    slow, fast = (milliseconds(streams(memory, "z[i] = x[i];", int(lanes), f_max_mhz=f)) for f in clocks)
    return slow / fast


@named
def threshold(memory: str, lanes: str, body: str, share: str = "1", place: str = "0") -> float:
    """From which clock on a unit saturates its bank, in MHz; `share`: 2 where two or more are in the bank."""
    unit = streams(memory, body, int(lanes)).estimate.units[int(place)]
    return (unit.f_min_hz or math.nan) / 1e6 / int(share)


@named
def step(story: str, what: str, memory_part: str = "m21") -> float:
    """The gain of a step of one of WANG's stories; with the memory part `wang` by the framework's own equations."""
    (found,) = [s for s in stories.STEPS if (s.story, s.what) == (story, what)]
    before, after = (stories.seconds(name, memory_part=memory_part) for name in (found.before, found.after))
    return before / after


@named
def right_sides() -> float:
    """How many of the steps of WANG's stories are on the printed side of no gain."""
    ours = (stories.seconds(one.before) / stories.seconds(one.after) for one in stories.STEPS)
    return sum(
        stories.side(gain) == stories.side(one.gain or 2.0) for gain, one in zip(ours, stories.STEPS, strict=True)
    )


@named
def stages_as_printed(what: str) -> float:
    """How many of the stages of WANG's stories have the paper's bottleneck ("limit"), or its next step first."""
    return sum(one.same_limit if what == "limit" else one.same_step for one in STAGES)


@named
def transactions(pointer: str, copies: str) -> float:
    """Transactions of an access of the matrix product whose loop is unrolled (WANG, Eq. 2)."""
    path = stories.EXAMPLES / "tuning" / "mm_baseline.cl"
    text = path.read_text("utf-8").replace("    for (", f"    #pragma unroll {copies}\n    for (")
    lsus = kernel(text, board="de5net").lsus
    accesses = kernel(text, board="de5net").facts.accesses
    return sum(transactions_of(u)[0] for u in lsus if accesses[u.members[0]].pointer == pointer)


@named
def gain_of_split(name: str) -> float:
    """What the split is said to gain."""
    return stories.split_gain(name) or 1.0


OPERATION = (
    "__kernel void k(__global const {type} *restrict a, __global {type} *restrict b, {type} c)\n"
    "{{ const int i = get_global_id(0); b[i] = {expression}; }}\n"
)


@named
def latency(type_: str, expression: str) -> float:
    """The cycles of one operation on Stratix V, on the way from a load to a store."""
    text = OPERATION.format(type=type_, expression=expression)
    (block,) = kernel(text, device_family="Stratix V", aoc_version="16.1", global_size=1024).estimate.blocks
    return block.depth - 1


@named
def board(name: str, key: str) -> float:
    """A figure of a board's memory, by its key in the board's file."""
    table = tomllib.loads((BOARD_FILES / f"{name}.toml").read_text("utf-8"))
    return float(table["memory"][key])


@named
def run_ms(name: str) -> float:
    """The faithful time of one of the authors' runs."""
    return 1e3 * (_runs()[name].faithful_s or math.nan)


@named
def slowest_ack() -> float:
    """How much longer data-dependent addresses take than a stream, at most, over the authors' runs on DDR4."""
    runs, first = _runs(), "zmicro-s10gx-ACK"
    pairs = [(row, runs.get(name.replace("ACK", "BCA"))) for name, row in runs.items() if name.startswith(first)]
    return max((a.calibrated_s or 0.0) / (b.calibrated_s or math.nan) for a, b in pairs if b is not None)


@named
def atomics_ratio() -> float:
    """The time of five atomics over that of one, sixteen lanes; the runs are named by their pointers."""
    six, two = (_runs()[f"zmicro-s10gx-ATOMIC-{n}-16"].calibrated_s or math.nan for n in (6, 2))
    return six / two


@cache
def _comparisons() -> dict[tuple[str, str], ComparisonRow]:
    runs, assessor = {run.id: run for run in published_runs()}, Assessor()
    return {(row.name, row.memory): comparison_row(row, runs, assessor) for row in TABLE_5}


@named
def table_5(name: str, memory: str) -> float:
    """The faithful mode's error in a row of M21's Table 5, in percent."""
    error = _comparisons()[name, memory].faithful
    return math.nan if error is None else error


@named
def word_of_board(name: str) -> float:
    """A memory word of a board: data width times burst length."""
    return board(name, "data_width_bytes") * board(name, "burst_length")


TWO_LOOPS = """__attribute__((reqd_work_group_size(64, 1, 1)))
__kernel void k(__global const float *restrict a, __global float *restrict d, __constant float *b)
{
    const int gid = get_global_id(0);
    float s = a[gid], t = 1.0f;
    for (int j = 0; j < 128; j++)
        s = s * b[j] + 1.0f;
    for (int j = 0; j < 16; j++)
        t = t * b[j] + s;
    d[gid] = t;
}
"""


@named
def balance_of_two_loops() -> float:
    """B_balance of a kernel with two loops of 128 and 16 trips (WANG, Algorithm 1)."""
    found = kernel(TWO_LOOPS, board="de5net", global_size=[1 << 20]).estimate.potentials.b_balance
    return math.nan if found is None else found


@named
def local_latency() -> float:
    """Cycles of a load from local memory on Stratix V."""
    text = (
        "__attribute__((reqd_work_group_size(64, 1, 1)))\n"
        "__kernel void k(__global const float *restrict a, __global float *restrict b)\n"
        "{ __local float tile[64]; const int l = get_local_id(0);\n"
        "  tile[l] = a[get_global_id(0)]; barrier(CLK_LOCAL_MEM_FENCE); b[get_global_id(0)] = tile[63 - l]; }\n"
    )
    blocks = kernel(text, device_family="Stratix V", aoc_version="16.1", global_size=1024).estimate.blocks
    return max(b.depth for b in blocks) - 1


@named
def story_items(name: str) -> float:
    """The work-items that a version of a story is launched with."""
    _, done, _ = stories.assessed("tuning", name, board="de5net")
    return float(math.prod(done.kernels[0].launch.global_size or (math.nan,)))


@named
def free(resource: str) -> float:
    """What the shell leaves free of a resource on DE5-Net, in percent."""
    use = kernel("__kernel void k(__global int *restrict z) { z[0] = 1; }", board="de5net").estimate.resources
    if use is None:
        return math.nan
    return 100 * (1 - getattr(use.shell, resource) / getattr(use.device, resource))


@named
def interval(name: str) -> float:
    """The initiation interval of the main loop of one of FFD's kernels."""
    _, done, _ = stories.assessed("feedforward", name)
    return float(done.kernels[0].estimate.loops[-1].ii or math.nan)


@named
def splits_on_the_right_side() -> float:
    """How many of FFD's ten kernels are said to gain from the split where they do, and not where they do not."""
    said = [(stories.split_gain(row.kernel) or 1.0) >= stories.WORTH for row in stories.SPLITS]
    return sum(one == (row.gain >= stories.WORTH) for one, row in zip(said, stories.SPLITS, strict=True))


def _logic(done: Assessment) -> float:
    """The share of the device that the kernels of a file and the shell take."""
    uses = [k.estimate.resources for k in done.kernels]
    known = [use for use in uses if use is not None]
    return (known[0].shell.logic_alms + sum(use.logic_alms for use in known)) / known[0].device.logic_alms


@named
def logic_of_splits() -> float:
    """How much more logic the split kernels take than the whole ones, on average over FFD's ten, in percent."""
    more = []
    for row in stories.SPLITS:
        assessor, done, layers = stories.assessed("feedforward", row.kernel)
        offer = next(iter(Split().offers(done, done.kernels[0])), None)
        if offer is not None:
            path = stories.EXAMPLES / "feedforward" / f"{row.kernel}.cl"
            after = assessor.assess(offer.applied(path.read_bytes()).decode(), str(path), layers)
            more.append(100 * (_logic(after) / _logic(done) - 1))
    return mean(more)


@cache
def _split_in(text: str, path: str, pairs: int) -> float:
    """The gain of so many pairs of a memory and a compute kernel; 1 where the kernel cannot be split so."""
    assessor = Assessor()
    done = assessor.assess(text, path, [])
    candidates = dict(zip(PAIRS, Split().all_candidates(done, done.kernels[0]), strict=True))
    try:
        fix = priced(assessor, done, [], candidates[pairs].make(), every=True)
    except CannotSplitError:
        return 1.0
    return fix.speedup if fix is not None and fix.speedup is not None else 1.0


def _ffd_text(name: str) -> tuple[str, str]:
    path = stories.EXAMPLES / "feedforward" / f"{name}.cl"
    return path.read_text("utf-8"), str(path)


@named
def pairs_gain(name: str, pairs: str, before: str = "1") -> float:
    """What more pairs of kernels gain over fewer, for one of FFD's kernels."""
    text, path = _ffd_text(name)
    return _split_in(text, path, int(pairs)) / _split_in(text, path, int(before))


@named
def mean_pairs_gain() -> float:
    """What two pairs gain over one, on average over FFD's ten kernels."""
    return mean(pairs_gain(row.kernel, "2") for row in stories.SPLITS)


@named
def microbenchmark(name: str) -> float:
    """What two pairs gain over the whole kernel, for one of the microbenchmarks of FFD's Table 3."""
    return _split_in(MICROBENCHMARKS[name], "kernel.cl", 2)


@named
def microbenchmark_ms(name: str) -> float:
    """The time of one of them as a whole."""
    return milliseconds(kernel(MICROBENCHMARKS[name]))


@named
def padding(how: str) -> float:
    """What restructuring M21's padding gains at the 480 MHz that its other predictions assume."""
    texts = [(stories.EXAMPLES / f"{name}.cl").read_text("utf-8") for name in ("padding", "padding_restructured")]
    before, after = (Assessor().assess(text, "k.cl", [Layer("option", {"f_max_mhz": 480})]) for text in texts)

    def seconds(done: Assessment, *names: str) -> float:
        chosen = [(k.facts, k.launch, k.estimate) for k in done.kernels if k.facts.name in names]
        return time_together(chosen, done.board, "launch") or math.nan

    zeroing = seconds(after, "zero_rows") if how == "zeroed" else 0.0
    return seconds(before, "send_rows", "pad_rows") / (seconds(after, "send_rows", "pad_rows") + zeroing)
