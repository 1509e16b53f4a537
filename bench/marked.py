"""The part of a page that a measurement writes anew, between two lines that mark it."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path

END = "<!-- end of what is measured -->"


@dataclass(frozen=True)
class MarkedPart:
    """What one command writes; a page that is not there yet is made, and holds nothing else."""

    command: str

    @property
    def start(self) -> str:
        """The line before it."""
        return f"<!-- measured: {self.command} -->"

    def page(self, word: str) -> Path:
        """A page named on the command line; one without the marks is refused before anything is measured."""
        path = Path(word)
        if path.exists():
            _, found, rest = path.read_text("utf-8").partition(self.start)
            if not found or END not in rest:
                raise argparse.ArgumentTypeError(f"{path} lacks the lines '{self.start}' and '{END}' to write between")
        return path

    def write(self, path: Path, text: str) -> None:
        """Write it into its page."""
        page = path.read_text("utf-8") if path.exists() else f"{self.start}{END}\n"
        before, _, rest = page.partition(self.start)
        path.write_text(f"{before}{self.start}\n\n{text}\n\n{END}{rest.partition(END)[2]}", "utf-8")
