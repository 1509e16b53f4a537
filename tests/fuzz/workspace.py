"""A user at work in public files: folders, names that change, settings that come late, messages without sense."""

from __future__ import annotations

import json
import random
import re
import shutil
from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path

from tests.fuzz.client import Params
from tests.fuzz.editing import RULES as EDITING
from tests.fuzz.editing import Editing, Text

SUFFIXES = {".cl", ".h", ".cuh", ".clh"}
MOST_BYTES = 16_000
"""Largest public file that is taken."""
MOST_FILES = 6
"""Most files of a public folder that are taken."""
MEMBER_TOML = "global_size = 256\n[arguments]\nn = 9\n"
_WORD = re.compile(r"[A-Za-z_]\w*")


def folders_of(root: Path) -> tuple[tuple[Path, ...], ...]:
    """The public folders below a root that have a kernel: the files that are taken of each, a kernel's first."""
    found = []
    for folder in sorted({path.parent for path in root.rglob("*.cl")}):
        files = [p for p in sorted(folder.iterdir()) if p.suffix in SUFFIXES and p.is_file()]
        files = [p for p in files if 0 < p.stat().st_size <= MOST_BYTES and _is_text(p)]
        kernels = [p for p in files if p.suffix == ".cl"]
        if kernels:
            found.append((*kernels, *(p for p in files if p.suffix != ".cl"))[:MOST_FILES])
    return tuple(found)


def _is_text(path: Path) -> bool:
    try:
        path.read_text("utf-8")
    except UnicodeDecodeError:
        return False
    return True


class Workspace(Editing):
    """The rules of `Editing`, and those that need several files, folders or an editor that errs."""

    longest = 2 * MOST_BYTES

    def __init__(self, root: Path, chance: random.Random, files: Sequence[Path] = ()) -> None:
        self.taken = tuple(files)
        self.members: list[str] = []
        (root / "member").mkdir(parents=True, exist_ok=True)
        (root / "member" / "burstline.toml").write_text(MEMBER_TOML, "utf-8")
        for path in files:
            shutil.copyfile(path, root / path.name)
        super().__init__(root, chance)

    @cached_property
    def files(self) -> tuple[str, ...]:
        """Public files, and one in a folder of its own that may be one of the editor's; else the usual ones."""
        return (*(p.name for p in self.taken), "member/m.cl") if self.taken else (*super().files, "member/m.cl")

    @property
    def folders(self) -> list[Params]:
        """The editor's folders."""
        places = [self.root, *(self.root / name for name in self.members)]
        return [{"uri": place.as_uri(), "name": place.name} for place in places]

    def change_folders(self, _chance: random.Random) -> None:
        """Add a folder to the editor's, or take it away."""
        gone, self.members = self.members, [] if self.members else ["member"]
        event = {
            kind: [{"uri": (self.root / name).as_uri(), "name": name} for name in names]
            for kind, names in (("added", self.members), ("removed", gone))
        }
        self.client.notify("workspace/didChangeWorkspaceFolders", {"event": event})

    def rename(self, chance: random.Random) -> None:
        """Rename what is at a word, and make the edits that come back."""
        name = self._some(chance)
        words = list(_WORD.finditer(self.texts[name].text)) if name is not None else []
        if name is None or not words or self.client.held:
            return
        at = self._position(self.texts[name].text, chance.choice(words).start())
        new = chance.choice(("other", "i", "x2", "float", "", "9a"))
        params = {"textDocument": {"uri": self.uri(name)}, "position": at, "newName": new}
        answer = self.client.wait(self.client.ask("textDocument/rename", params)) or {}
        changes = dict(answer.get("changes") or {})
        for change in answer.get("documentChanges") or ():
            changes[change["textDocument"]["uri"]] = change["edits"]
        for own, text in self.texts.items():
            for edit in sorted(changes.get(self.uri(own), ()), key=_start, reverse=True):
                start, end = (self._offset(text.text, edit["range"][side]) for side in ("start", "end"))
                self._change(own, [((start, end), edit["newText"])])

    def _offset(self, text: str, position: Params) -> int:
        """The place in a text of a position in the protocol's units."""
        low = 0
        for match in re.finditer(r"\r\n|\n|\r", text):
            if position["line"] == 0:
                break
            position, low = {**position, "line": position["line"] - 1}, match.end()
        while low < len(text) and self._position(text, low)["character"] < position["character"]:
            low += 1
        return low

    def rename_file(self, chance: random.Random) -> None:
        """A file gets the name of another that is not open: closed, moved, and opened again."""
        name = self._some(chance)
        others = [other for other in self.files if other not in self.texts]
        if name is None or not others or not self.watching:
            return
        new, text = chance.choice(others), self.texts.pop(name)
        self.client.notify("textDocument/didClose", {"textDocument": {"uri": self.uri(name)}})
        self.client.published.pop(self.uri(name), None)
        (self.root / new).write_bytes(text.text.encode("utf-8"))
        (self.root / name).unlink(missing_ok=True)
        changes = [{"uri": self.uri(name), "type": 3}, {"uri": self.uri(new), "type": 1}]
        self.client.notify("workspace/didChangeWatchedFiles", {"changes": changes})
        self.versions[new] += 1
        self.texts[new] = Text(text.text, self.versions[new])
        item = {"uri": self.uri(new), "languageId": "opencl", "version": self.versions[new], "text": text.text}
        self.client.notify("textDocument/didOpen", {"textDocument": item})

    def hold_settings(self, chance: random.Random) -> None:
        """Leave the server's questions for settings open, or answer those that are, in any order."""
        if self.client.holding:
            self.client.release(chance)
        else:
            self.client.holding = True
            self.configure(chance)

    def err(self, chance: random.Random) -> None:
        """Send what is no message of the protocol."""
        uri = self.uri(chance.choice(self.files))
        place = {"textDocument": {"uri": uri}, "position": {"line": 0, "character": 0}}
        body = chance.choice(
            (
                "{", "[]", "null", '"text"', "\udcff{}", '{"jsonrpc":"2.0"}', '{"jsonrpc":"2.0","id":{},"method":1}',
                _message("$/cancelRequest", {"id": {}}), _message("$/cancelRequest", {"id": [1]}),
                _message("$/cancelRequest", None), _message("$/setTrace", {"value": 7}),
                _message("textDocument/didChange", {"textDocument": {"uri": 5}, "contentChanges": 1}),
                _message("textDocument/didChange", {"textDocument": {"uri": uri}, "contentChanges": "all"}),
                _message("textDocument/didOpen", {"textDocument": {"uri": uri}}),
                _message("workspace/didChangeWatchedFiles", {"changes": [{"uri": "\0", "type": 99}]}),
                _message("workspace/didChangeWorkspaceFolders", {"event": {"added": 1}}),
                _message("textDocument/hover", {**place, "position": {"line": -1, "character": 10**12}}, "bad1"),
                _message("textDocument/hover", {**place, "position": None}, "bad2"),
                _message("textDocument/inlayHint", {"textDocument": {"uri": "http://[/"}}, "bad3"),
                _message("burstline/status", {"uri": {}}, "bad4"), _message("no/such", {}, "bad5"),
                _message("workspace/executeCommand", {"command": "none", "arguments": {}}, "bad6"),
                _message("textDocument/rename", {**place, "newName": 5}, "bad7"),
            )
        )  # fmt: skip
        self.client.send_body(body.encode("utf-8", "surrogateescape"))

    def compare(self, chance: random.Random) -> int:
        """As that of `Editing`, with every question of the server answered."""
        self.client.release(chance)
        return super().compare(chance)

    def restart(self, chance: random.Random) -> None:
        """As that of `Editing`, with every question of the server answered."""
        self.client.release(chance)
        super().restart(chance)


def _start(edit: Params) -> tuple[int, int]:
    start = edit["range"]["start"]
    return start["line"], start["character"]


def _message(method: str, params: Params | None, number: str | None = None) -> str:
    """The text of a request, or of a notification without a number."""
    return json.dumps({"jsonrpc": "2.0", "method": method, "params": params, **({"id": number} if number else {})})


RULES: tuple[tuple[Callable[[Workspace, random.Random], None], int], ...] = (
    *EDITING, (Workspace.change_folders, 1), (Workspace.rename, 2), (Workspace.rename_file, 1),
    (Workspace.hold_settings, 2), (Workspace.err, 2),
)  # fmt: skip
"""What a user does in a workspace, and how often compared with the rest."""
