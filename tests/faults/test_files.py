"""What lies around a file breaks, vanishes, or is no file: the rest is answered, and what is wrong is reported."""

import os
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.faults.raw import Raw

TEXT = """#include "width.h"
__kernel void copy(__global const float *restrict x, __global float *restrict y)
{
    for (int i = 0; i < COUNT; i++)
        y[i] = x[i];
}
"""
SETTINGS = "BL301"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A workspace."""
    folder = tmp_path / "workspace"
    folder.mkdir()
    (folder / "width.h").write_text("#define COUNT 4096\n")
    return folder


@pytest.fixture
def server(tmp_path: Path, folder: Path) -> Iterator[Raw]:
    """A server in the workspace."""
    with Raw(tmp_path / "log") as raw:
        raw.greet(folder=folder)
        yield raw
        assert raw.leave() == 0


def changed(server: Raw, *files: Path) -> None:
    """Notify that files have changed."""
    events = [{"uri": file.as_uri(), "type": 2} for file in files]
    server.notify("workspace/didChangeWatchedFiles", {"changes": events})


def about_settings(server: Raw, document: dict[str, str]) -> str:
    """What is reported about the settings."""
    return " ".join(finding for finding in server.findings(document) if finding.startswith(SETTINGS))


def title(server: Raw, document: dict[str, str]) -> str:
    """The lens over the only kernel."""
    (lens,) = server.ask("textDocument/codeLens", {"textDocument": document})
    return str(lens["command"]["title"])


def test_settings_break_and_are_mended(server: Raw, folder: Path) -> None:
    document = server.open((folder / "copy.cl").as_uri(), TEXT)
    unset = title(server, document)
    file = folder / "burstline.toml"
    titles = []
    for text, problem in (
        ('board = "de5net"\n', ""),
        ('board = "de5n', "not valid TOML"),
        ("board = 5\n", "board"),
        ('board = "de5net"\n', ""),
    ):
        file.write_text(text)
        changed(server, file)
        said = about_settings(server, document)
        assert problem in said
        assert bool(problem) == bool(said)
        titles.append(title(server, document))
    assert titles[0] == titles[3] != unset
    assert titles[1] == titles[2] == unset


@pytest.mark.parametrize("kind", ["folder", "pipe", "no text", "too large", "loop"])
def test_settings_that_are_no_text(server: Raw, folder: Path, kind: str) -> None:
    place(folder / "burstline.toml", kind)
    document = server.open((folder / "copy.cl").as_uri(), TEXT)
    assert server.kernels(document) == ["copy"]
    assert bool(about_settings(server, document)) == (kind in {"no text", "too large"})


def test_wrong_settings_of_the_editor(server: Raw, folder: Path) -> None:
    document = server.open((folder / "copy.cl").as_uri(), TEXT)
    right = title(server, document)
    for settings, problem in (([{"board": 5, "global_size": "many"}], "board"), ([{"board": "no such"}], "no such")):
        give(server, settings, "workspace/diagnostic/refresh")
        assert problem in about_settings(server, document)
    for settings in ([], "nonsense", 5):
        give(server, settings)
        assert "no such" in about_settings(server, document)  # what answers another question changes nothing
    give(server, ["nonsense"], "workspace/diagnostic/refresh")
    assert about_settings(server, document) == ""
    assert title(server, document) == right


def give(server: Raw, settings: object, then: str = "workspace/configuration") -> None:
    """Have the server ask for other settings, and wait for what it asks then."""
    server.settings = settings
    number = len(server.calls)
    server.notify("workspace/didChangeConfiguration", {"settings": None})
    server.until(lambda: any(call["method"] == then for call in server.calls[number:]))


def test_an_include_the_file_and_the_folder_vanish(server: Raw, folder: Path) -> None:
    path = folder / "copy.cl"
    path.write_text(TEXT)
    document = server.open(path.as_uri(), TEXT)
    with_include = title(server, document)
    (folder / "width.h").unlink()
    changed(server, folder / "width.h")
    assert title(server, document) != with_include
    path.unlink()
    server.notify("textDocument/didSave", {"textDocument": document})
    assert server.kernels(document) == ["copy"]
    shutil.rmtree(folder)
    changed(server, path, folder / "burstline.toml")
    assert server.kernels(document) == ["copy"]
    assert server.ask("workspace/symbol", {"query": "copy"}) == []
    folder.mkdir()
    (folder / "width.h").write_text("#define COUNT 4096\n")
    changed(server, folder / "width.h")
    assert title(server, document) == with_include


@pytest.mark.parametrize("kind", ["folder", "pipe", "no text", "loop"])
def test_includes_that_are_no_text(server: Raw, folder: Path, kind: str) -> None:
    (folder / "width.h").unlink()
    place(folder / "width.h", kind)
    place(folder / "neighbour.cl", kind)
    place(folder / "copy", kind)  # where a report would be
    document = server.open((folder / "copy.cl").as_uri(), TEXT)
    assert server.kernels(document) == (["copy"] if kind != "no text" else [])  # what is no text does not compile
    # A file without kernels is seen through its neighbours.
    header = server.open((folder / "other.h").as_uri(), "float f(__global float *x) { return x[0]; }\n")
    assert server.kernels(header) == []


def test_files_from_the_future(tmp_path: Path, folder: Path) -> None:
    header = folder / "width.h"
    with Raw(tmp_path / "log") as raw:
        raw.greet({}, folder)  # nobody watches: the server looks at the times
        document = raw.open((folder / "copy.cl").as_uri(), TEXT)
        published = "textDocument/publishDiagnostics"
        for count, written in ((4096, 4e9), (8192, 1e9), (16384, 4e9)):
            before = title(raw, document)
            raw.until(lambda: any(c["method"] == published for c in raw.calls))
            time.sleep(2.5)  # the server looks every two seconds
            raw.calls.clear()
            header.write_text(f"#define COUNT {count * 1000}\n")
            os.utime(header, (written, written))
            raw.until(lambda: any(c["method"] == published for c in raw.calls))
            assert title(raw, document) != before
        assert raw.leave() == 0


def place(path: Path, kind: str) -> None:
    """Put something that is no text file."""
    if kind == "folder":
        path.mkdir()
    elif kind == "pipe":
        os.mkfifo(path)
    elif kind == "loop":
        path.symlink_to(path.name)
    elif kind == "no text":
        path.write_bytes(b"\xff\xfe\x00" * 500)
    else:
        path.write_bytes(b"# " + b"x" * 2_000_000)
