"""What cards and tables say of a kernel as a whole: how it runs, its loops, what its figures rest on."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from burstline_model.estimate.kernel_estimate import LoopEstimate, PotentialName
from burstline_model.facts import KernelFacts
from burstline_model.pipeline.dependence import Carried
from burstline_model.target import Target
from burstline_model.vendor_report.records import VendorReport
from burstline_server.quantities import in_words
from burstline_server.words.waits import wait_text

_MODELS = {"ndrange": "NDRange", "single_work_item": "single work-item", "autorun": "autorun"}
_CARRIED: dict[Carried, str] = {
    "DLCD": "a data dependence",
    "safe MLCD": "a safe memory dependence",
    "unsafe MLCD": "an unsafe memory dependence",
}
"""The feed-forward paper's classes of dependences."""
POTENTIALS: dict[PotentialName, str] = {
    "b_mem": "memory (B_mem)",
    "b_comp": "free resources (B_comp)",
    "b_balance": "balance of blocks (B_balance)",
    "b_itpp": "filling the pipeline (B_itpp)",
}
"""WANG's potentials: what each is about, and its name in the paper."""
NO_ACCESS = "no access to global memory"
NoKernel = Literal["template", "empty", "sycl", "hls", "cuda"]
"""Why a file has no kernel to show."""
_NO_KERNEL: dict[NoKernel, str] = {
    "template": "a template: not OpenCL until it is rendered",
    "empty": "no kernel in this file",
    "sycl": "SYCL: only kernels in OpenCL C are read",
    "hls": "C++ for high-level synthesis: only kernels in OpenCL C are read",
    "cuda": "CUDA: only kernels in OpenCL C are read",
}
Written = Literal["amd", "gpu"]
"""Whom kernels are written for besides."""
_WRITTEN: dict[Written, str] = {
    "amd": "attributes of AMD's compiler ({0}): figures are those of Intel's, which does not know them",
    "gpu": "written for GPUs ({0}): figures are those of a build for FPGAs",
}


def no_kernel_text(why: NoKernel) -> str:
    """Why a file has no kernel to show."""
    return _NO_KERNEL[why]


def written_text(kind: Written, word: str) -> str:
    """Whom kernels are written for besides, by a word in them."""
    return _WRITTEN[kind].format(word)


def kind_text(facts: KernelFacts) -> str:
    """How a kernel runs."""
    text = _MODELS[facts.model]
    if facts.simd > 1:
        text += f" · SIMD {facts.simd}"
    return f"{text} · {facts.compute_units} compute units" if facts.compute_units > 1 else text


def loop_text(loop: LoopEstimate, line: int, carried: tuple[Carried, ...]) -> str:
    """What a loop waits for, how often it starts an iteration, and what it carries."""
    interval = "one iteration after the other" if loop.serial else f"II {loop.ii:g}" if loop.ii else "not pipelined"
    why = wait_text(loop.serialised_by) if loop.serialised_by is not None else ""
    carries = in_words([_CARRIED[one] for one in carried])
    return f"line {line}: {interval}: {why}" + (f"; carries {carries}" if carried else "")


def define_text(name: str, value: str | int | bool, where: str) -> str:
    """A macro that a setting defines, and who gave it."""
    return f"-D {name}={value} ({where})"


def rules_text(target: Target, report: VendorReport | None) -> str:
    """What the units follow from: a build's report, a compiler's rules, or the papers' own classification."""
    if report is not None:
        return f"units by the report {Path(report.path).name}"
    version = ".".join(str(v) for v in target.aoc_version[:2])
    rules = "the papers' Table 1" if target.paper_rules else f"aoc {version}, {target.family}"
    return f"units by {rules}"


def as_inferred_text(agreed: int, places: int) -> str:
    """How many places a report has as they were inferred."""
    return f"{agreed} of {places} places as inferred"
