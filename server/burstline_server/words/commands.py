"""What commands do, and what they answer besides figures and findings."""

from __future__ import annotations

from collections.abc import Mapping

from burstline_server.quantities import time_text

SUMMARIES: Mapping[str, str] = {
    "check": "cost every global memory access of kernels",
    "fix": "show or make the edits that pay",
    "explore": "cost the variants of kernels, rank them, make one",
    "view": "write a page about kernels: charts, tables, annotated source",
    "explain": "explain a finding's code",
    "boards": "list and show the boards",
    "import-report": "compare a vendor report with what is inferred from the source",
    "calibrate": "fit what a board's memory reaches from microbenchmarks",
    "validate": "compare the model with the papers' tables and measurements",
    "schema": "print the JSON schema of the answers or of the settings",
    "serve": "run the language server",
    "completion": "print what lets a shell complete commands, options and files",
    "forget": "let editors show every notification once more",
}
"""The commands, each with what it does."""
GUESSED = "warning: guessed, please check"
NO_EDIT_PAYS = "no edit pays"
HOST_CHANGED = "changed where it launches the kernel"
OF_PAGES = {
    "compiler": "the rules that load/store units are inferred by",
    "edits": "the edits that are offered, and when",
}
"""The pages that are not about one finding."""
SHARED_INPUTS = "inputs of all kernels"
_MEASURED = {True: "measured on this board", False: "measured, by technology"}


def measured_title(*, on_board: bool) -> str:
    """Whose measured figures a board has."""
    return _MEASURED[on_board]


def name_board_text(file: str) -> str:
    """How an imported board is used."""
    return f'name it in burstline.toml: board = "{file}"'


def refused_text(title: str, why: str) -> str:
    """An edit that is not offered; its title goes on in the sentence."""
    title = title[:1].lower() + title[1:] if title[1:2].islower() else title
    return f"not offered: {title}: {why}"


def gain_unknown_text(kernel: str, missing: str) -> str:
    """Why nobody can say whether an edit pays."""
    return f"{kernel}: what an edit gains is not known. {missing}"


def none_pays_text(kernel: str, missing: str) -> str:
    """That no edit pays at the sizes that are assumed."""
    return f"{kernel}: {NO_EDIT_PAYS} at assumed sizes. {missing}"


_TO_LIST = {"proved": "burstline fix", "assertion": "burstline fix --unsafe", "host": "burstline fix --host"}


def offered_text(title: str, alike: int, kind: str) -> str:
    """An edit that makes a kernel faster, and how many more there are like it."""
    return f"fix at hand: {title}" + (f" ({alike} more of this kind: {_TO_LIST[kind]})" if alike else "")


def no_figures_text(faults: str) -> str:
    """Why a kernel is not costed."""
    return f"no figures, {faults}"


def forgotten_text(count: int) -> str:
    """How many notifications are shown once more."""
    return f"{count} notification{'' if count == 1 else 's'} forgotten: each is shown once more"


def written_page_text(path: str) -> str:
    """What to do with a page."""
    return f"{path}: open it in any browser"


def files_text(files: int, kernels: int, withheld: int) -> str:
    """How much was looked at."""
    return f"{files} files, {kernels} kernels" + (f", {withheld} more without figures" if withheld else "")


def variant_made_text(path: str, number: int) -> str:
    """What a file is now."""
    return f"{path} is now variant {number}"


def explored_text(variants: int, texts: int, took_s: float) -> str:
    """How many variants of how many texts were costed, and in what time."""
    return f"{variants} variants of {texts} texts in {time_text(took_s)}"
