"""Public kernels where they are: each with the build that its repository has for it, and clang's word on it.

Clang preprocesses and reads the file itself, given the macros and folders of that build, so that what it says rests on
nothing of ours but the header with the vendor's extensions.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from clang import cindex  # type: ignore[import-untyped]

import burstline_server.clang
from burstline_server.assessment.assessor import Assessor
from burstline_server.clang.library import library
from burstline_server.clang.worker import ARGUMENTS, ERROR
from burstline_server.commands.build_files import BuildFiles
from burstline_server.config.build_layer import build_layer
from burstline_server.config.layers import Layer
from burstline_server.config.settings import Settings
from burstline_server.source.read import PREDEFINED

HEADER = Path(burstline_server.clang.__file__).with_name("opencl_c.h")
CHANNELS = "-Dchannel="
"""The vendor's word for a channel, which that header has as a variable."""


@dataclass
class Repository:
    """The files of a repository, and what reads them."""

    folder: Path
    files: BuildFiles = field(default_factory=BuildFiles)

    @cached_property
    def assessor(self) -> Assessor:
        """One for all files: neighbours that include a file are looked up once."""
        return Assessor(workspace=[self.folder])

    def build_of(self, path: Path, text: bytes) -> tuple[Layer, ...]:
        """The build that is found for a file, as a layer of settings; none where there is none."""
        built = self.files.for_file(path, text.decode("utf-8", "replace"), self.folder, ())
        return (build_layer(built, (self.folder,)),) if built is not None else ()


def repositories(folder: Path) -> Iterator[Repository]:
    """A repository for each folder below, or the folder itself where kernels are right in it."""
    real = folder.resolve()
    if any(real.glob("*.cl")):
        yield Repository(real)
        return
    yield from (Repository(one) for one in sorted(real.iterdir()) if one.is_dir())


class Compiler:
    """Clang as libclang, reading files from the disk."""

    def __init__(self) -> None:
        if (path := library()) is not None and not cindex.Config.loaded:
            cindex.Config.set_library_file(path)
        self._index = cindex.Index.create()

    def compiles(self, path: Path, settings: Settings) -> bool:
        """Whether clang has no error to report of a file with the macros and folders of these settings."""
        given = [f"-D{name}={value}" for name, value in {**PREDEFINED, **settings.defines}.items()]
        folders = [f"-I{one}" for one in settings.include_paths]
        words = [*(word.decode() for word in ARGUMENTS), "-include", str(HEADER), *given, *folders]
        return any(self._is_clean(path, [*words, *more]) for more in ((), (CHANNELS,)))

    def _is_clean(self, path: Path, words: Sequence[str]) -> bool:
        unit = self._index.parse(str(path), args=list(words))
        return not any(one.severity >= ERROR and not one.option for one in unit.diagnostics)
