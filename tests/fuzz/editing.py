"""An editor's documents as its user leaves them, and all that a user may do: the rules of the protocol's fuzzing."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.fuzz.client import Client, Params, Server, Sessions
from tests.fuzz.failures import Failure
from tests.fuzz.seeds import KERNELS, MACROS, PIECES, STATEMENTS, WORDS
from tests.server.clients import EDITORS, RECORDED

FILES = ("a.cl", "b.cl", "sub/c.cl", "shared.h", "d.cl")
HEADER = """#define WIDTH 8
typedef struct { float a, b; } item;
static float first(__global const float *p) { return p[WIDTH]; }
"""
INCLUDING = """#include "shared.h"
__kernel void k(__global float *restrict x, __global item *y, int n)
{
    for (int i = 0; i < n; i++)
        x[i * WIDTH] = first(x) + y[i].b;
}
"""
SETTINGS: tuple[Params, ...] = (
    {}, {"board": "p385a"}, {"board": "s10mx_hbm2", "mode": "faithful"}, {"global_size": 4096, "arguments": {"n": 100}},
    {"hints": "everything"}, {"hints": "off"}, {"defines": {"N": 16, "WIDTH": 4}}, {"language_services": "off"},
    {"board": "nowhere", "mode": 3}, {"aoc_version": "17.1", "interleaving": False},
)  # fmt: skip
TOMLS = (
    None,
    "",
    'board = "p520"\n',
    "[kernels.k]\nglobal_size = 64\narguments = { n = 7 }\n",
    "board = [broken",
    "x = 1\n",
)
MAX_TEXT = 6000
TYPED = "abinxyNk0123;;(){}[]+-*/=<>&\n\n  \"'#,.\\é𝄞"
PLACED = ("hover", "definition", "references", "completion", "signatureHelp", "prepareRename", "prepareCallHierarchy")
WHOLE = ("documentSymbol", "foldingRange", "documentLink", "codeLens")


FAULT = re.compile(r'"code": "BL00[123]"')


@dataclass
class Text:
    """An open document."""

    text: str
    version: int
    past: list[str] = field(default_factory=list)
    tokens: tuple[str, list[int]] | None = None


class Editing:
    """A user at work in one folder. Each rule is one step."""

    longest = MAX_TEXT

    def __init__(self, root: Path, chance: random.Random) -> None:
        self.root = root
        self.texts: dict[str, Text] = {}
        self.versions = dict.fromkeys(self.files, 0)
        self.settings: Params = {}
        self.changed_settings = 0
        (root / "sub").mkdir(parents=True, exist_ok=True)
        if not (root / "shared.h").is_file():
            (root / "shared.h").write_text(HEADER, "utf-8")
        for name in self.files:
            if name.endswith(".cl") and not (root / name).is_file():
                (root / name).write_text(INCLUDING, "utf-8")
        self._fresh = Sessions(root)
        self.start(chance)

    def end(self) -> None:
        """End all processes."""
        self.client.server.kill()
        self._fresh.server.kill()

    def start(self, chance: random.Random) -> None:
        """Start a server for an editor of some kind."""
        recorded = json.loads((RECORDED / f"{chance.choice(EDITORS)}.json").read_text("utf-8"))
        self.capabilities: Params = recorded["capabilities"]
        self.capabilities.setdefault("general", {})["positionEncodings"] = [
            chance.choice(("utf-8", "utf-16", "utf-32"))
        ]
        server = Server(self.root)
        self.client = Client(server, server.streams, self.capabilities, self.folders, self.settings)

    @property
    def files(self) -> tuple[str, ...]:
        """Names of files in the folder that are opened."""
        return FILES

    @property
    def folders(self) -> list[Params]:
        """The editor's folders."""
        return [{"uri": self.root.as_uri(), "name": "fuzz"}]

    def uri(self, name: str) -> str:
        """The address of a file."""
        return (self.root / name).as_uri()

    @property
    def watching(self) -> bool:
        """Whether the editor watches files for the server; else the server looks only every few seconds."""
        watched = self.capabilities["workspace"].get("didChangeWatchedFiles", {})
        return bool(watched.get("dynamicRegistration"))

    # -- texts -------------------------------------------------------------------------------------------

    def open(self, chance: random.Random) -> None:
        """Open a document that is closed, often with another text than before."""
        closed = [name for name in self.files if name not in self.texts]
        if not closed:
            return self.close(chance)
        name = chance.choice(closed)
        on_disk = (self.root / name).read_text("utf-8") if (self.root / name).is_file() else ""
        text = chance.choice((on_disk, on_disk, INCLUDING, MACROS, chance.choice(KERNELS)))[: self.longest]
        if chance.random() < 0.1:
            text = text.replace("\n", chance.choice(("\r\n", "\r")))
        self.versions[name] += 1
        self.texts[name] = Text(text, self.versions[name])
        item = {"uri": self.uri(name), "languageId": "opencl", "version": self.versions[name], "text": text}
        self.client.notify("textDocument/didOpen", {"textDocument": item})
        return None

    def close(self, chance: random.Random) -> None:
        """Close a document."""
        name = self._some(chance)
        if name is not None:
            del self.texts[name]
            self.client.notify("textDocument/didClose", {"textDocument": {"uri": self.uri(name)}})
            self.client.published.pop(self.uri(name), None)

    def type(self, chance: random.Random) -> None:
        """Put a character in, mostly where there is code."""
        self._splice(chance, 0, chance.choice(TYPED))

    def put_in(self, chance: random.Random) -> None:
        """Paste a word or a line, or have one completed."""
        self._splice(chance, chance.choice((0, 0, 3)), chance.choice(chance.choice((PIECES, WORDS))))

    def write_line(self, chance: random.Random) -> None:
        """Write a line between others."""
        name = self._some(chance)
        if name is not None and len(self.texts[name].text) < self.longest:
            ends = [0, *(m.end() for m in re.finditer(r"\n", self.texts[name].text))]
            at = chance.choice(ends)
            self._change(name, [((at, at), chance.choice(STATEMENTS))])

    def delete(self, chance: random.Random) -> None:
        """Take a few characters out."""
        self._splice(chance, chance.choice((1, 1, 1, 2, 5, 40, 300)), "")

    def undo(self, chance: random.Random) -> None:
        """Go back to a text from before, by one edit or as a whole."""
        name = self._some(chance)
        if name is None or not self.texts[name].past:
            return
        now, before = self.texts[name].text, self.texts[name].past.pop()
        start = next(
            (i for i, (a, b) in enumerate(zip(now, before, strict=False)) if a != b), min(len(now), len(before))
        )
        room = min(len(now), len(before)) - start
        tail = next((i for i in range(room) if now[-1 - i] != before[-1 - i]), room)
        if chance.random() < 0.2:
            self._change(name, [(None, before)])
        else:
            self._change(name, [((start, len(now) - tail), before[start : len(before) - tail])], keep=False)

    def reorder(self, chance: random.Random) -> None:
        """Move lines elsewhere: two changes in one notification."""
        name = self._some(chance)
        if name is None:
            return
        text = self.texts[name].text
        ends = [0, *(m.end() for m in re.finditer(r"\r\n|\n|\r", text))]
        start = chance.randrange(len(ends))
        end = min(len(ends) - 1, start + chance.randint(1, 4))
        piece, rest = text[ends[start] : ends[end]], text[: ends[start]] + text[ends[end] :]
        places = [0, *(m.end() for m in re.finditer(r"\r\n|\n|\r", rest))]
        at = chance.choice(places)
        if piece and len(text) < self.longest:
            self._change(name, [((ends[start], ends[end]), ""), ((at, at), piece)])

    def _splice(self, chance: random.Random, removed: int, put_in: str) -> None:
        name = self._some(chance)
        if name is None:
            return
        text = self.texts[name].text
        if len(text) > self.longest:
            removed, put_in = 500, ""
        at = chance.randrange(len(text) + 1)
        self._change(name, [((at, min(len(text), at + removed)), put_in)])

    def _change(self, name: str, edits: list[tuple[tuple[int, int] | None, str]], *, keep: bool = True) -> None:
        """Edit a document, one edit after the other, in one notification."""
        document, changes = self.texts[name], []
        before = document.text
        for where, put_in in edits:
            if where is None:
                document.text = put_in
                changes.append({"text": put_in})
                continue
            start, end = (self._whole(document.text, at) for at in where)
            span = {"start": self._position(document.text, start), "end": self._position(document.text, end)}
            changes.append({"range": span, "text": put_in})
            document.text = document.text[:start] + put_in + document.text[end:]
        if keep:
            document.past = [*document.past[-20:], before]
        document.version += 1
        self.versions[name] = document.version
        identifier = {"uri": self.uri(name), "version": document.version}
        self.client.notify("textDocument/didChange", {"textDocument": identifier, "contentChanges": changes})

    @staticmethod
    def _whole(text: str, at: int) -> int:
        """No position lies inside a line end."""
        return at - 1 if text[at - 1 : at + 1] == "\r\n" else at

    def _position(self, text: str, at: int) -> Params:
        at = self._whole(text, at)
        lines = re.split(r"\r\n|\n|\r", text[:at])
        units = {"utf-8": "utf-8", "utf-16": "utf-16-le", "utf-32": "utf-32-le"}[self.client.encoding]
        size = {"utf-8": 1, "utf-16": 2, "utf-32": 4}[self.client.encoding]
        return {"line": len(lines) - 1, "character": len(lines[-1].encode(units)) // size}

    def _some(self, chance: random.Random) -> str | None:
        return chance.choice(list(self.texts)) if self.texts else None

    # -- next to the texts --------------------------------------------------------------------------------

    def save(self, chance: random.Random) -> None:
        """Write a document to disk; the editor's watcher reports it where it has one."""
        name = self._some(chance)
        if name is not None and self.watching:
            (self.root / name).write_bytes(self.texts[name].text.encode("utf-8"))
            self.client.notify("textDocument/didSave", {"textDocument": {"uri": self.uri(name)}})
            self._watched(name)

    def change_file(self, chance: random.Random) -> None:
        """Another program writes or deletes a header or the settings' file."""
        if not self.watching:
            return
        name = chance.choice(("shared.h", "burstline.toml"))
        contents = TOMLS if name == "burstline.toml" else (HEADER, HEADER.replace("8", "16"), None, "#define WIDTH (")
        content = chance.choice(contents)
        if content is None:
            (self.root / name).unlink(missing_ok=True)
        else:
            (self.root / name).write_text(content, "utf-8")
        self._watched(name)

    def _watched(self, name: str) -> None:
        changes = [{"uri": self.uri(name), "type": 2}]
        self.client.notify("workspace/didChangeWatchedFiles", {"changes": changes})

    def configure(self, chance: random.Random) -> None:
        """Change the editor's settings."""
        self.settings = self.client.settings = chance.choice(SETTINGS)
        self.changed_settings += 1
        self.client.notify("workspace/didChangeConfiguration", {"settings": {"burstline": self.settings}})

    def restart(self, chance: random.Random) -> None:
        """Start the server anew, after a goodbye or a crash, and open what was open."""
        if chance.random() < 0.5:
            self.client.leave()
            self.client.server.wait()
        self.client.server.kill()
        self.start(chance)
        self._open_all(self.client)

    def _open_all(self, client: Client) -> None:
        for name, text in self.texts.items():
            item = {"uri": self.uri(name), "languageId": "opencl", "version": text.version, "text": text.text}
            client.notify("textDocument/didOpen", {"textDocument": item})

    def be_rude(self, chance: random.Random) -> None:
        """Speak of documents that are not open."""
        closed = [name for name in self.files if name not in self.texts]
        uri = self.uri(chance.choice(closed)) if closed else "untitled:nothing"
        match chance.randrange(3):
            case 0:
                self.client.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
            case 1:
                self.client.notify("textDocument/didSave", {"textDocument": {"uri": uri}})
            case _:
                start = {"line": 0, "character": 0}
                self.client.ask("textDocument/hover", {"textDocument": {"uri": uri}, "position": start})

    # -- questions ---------------------------------------------------------------------------------------

    def ask(self, chance: random.Random) -> None:
        """Ask something and go on; the answer is awaited later."""
        name = self._some(chance)
        if name is not None:
            method, params = self._question(name, chance)
            self.client.ask(method, params)

    def ask_and_cancel(self, chance: random.Random) -> None:
        """Ask something and take it back at once."""
        name = self._some(chance)
        if name is not None:
            method, params = self._question(name, chance)
            self.client.cancel(self.client.ask(method, params))

    def _question(self, name: str, chance: random.Random) -> tuple[str, Params]:
        document: Params = {"textDocument": {"uri": self.uri(name)}}
        text = self.texts[name].text
        start, end = sorted(chance.randrange(len(text) + 1) for _ in "ab")
        span = {"start": self._position(text, start), "end": self._position(text, end)}
        at = {**document, "position": span["start"]}
        kind = chance.randrange(10)
        if kind < 4:
            method = chance.choice(PLACED)
            return f"textDocument/{method}", {
                **at,
                "context": {"includeDeclaration": True},
            } if method == "references" else at
        if kind < 6:
            return f"textDocument/{chance.choice(WHOLE)}", document
        if kind == 6:
            return "textDocument/inlayHint", {**document, "range": span}
        if kind == 7:
            return "textDocument/codeAction", {**document, "range": span, "context": {"diagnostics": []}}
        if kind == 8:
            return "textDocument/semanticTokens/range", {**document, "range": span}
        return chance.choice(
            (("burstline/status", {"uri": self.uri(name)}), ("workspace/symbol", {"query": chance.choice(("", "k"))}))
        )

    def tokens_by_edits(self, chance: random.Random) -> None:
        """Semantic tokens as edits of the ones before: together they are the whole."""
        name = self._some(chance)
        if name is None:
            return
        document: Params = {"textDocument": {"uri": self.uri(name)}}
        whole = self.client.wait(self.client.ask("textDocument/semanticTokens/full", document))
        self.type(chance)
        if whole is None or name not in self.texts:
            return
        asked = {**document, "previousResultId": whole["resultId"]}
        after = self.client.wait(self.client.ask("textDocument/semanticTokens/full/delta", asked))
        again = self.client.wait(self.client.ask("textDocument/semanticTokens/full", document))
        data = list(whole["data"])
        for edit in (after or {}).get("edits", ()):
            data[edit["start"] : edit["start"] + edit["deleteCount"]] = edit.get("data", [])
        data = (after or {}).get("data", data)
        if again is not None and data != again["data"]:
            raise Failure("semantic tokens by edits", f"{data}\n{again['data']}")

    # -- the invariant -----------------------------------------------------------------------------------

    def compare(self, chance: random.Random) -> int:
        """How many answers are those of a fresh server that is given the same texts and settings; raises `Failure`."""
        questions = [q for name in self.texts for q in self._questions(name, chance)]
        for name in self.texts:  # what is being typed has no faults yet; what is saved is finished
            self.client.notify("textDocument/didSave", {"textDocument": {"uri": self.uri(name)}})
        self.client.settle()
        with self._fresh.session(self.capabilities, self.folders, self.settings) as fresh:
            self._open_all(fresh)
            expected = self._answers(fresh, questions)
            for _ in range(3):  # settings that the server asks for may arrive after the questions
                found = self._answers(self.client, questions)
                if found == expected:
                    return len(expected)
                self._forget_figures(expected)
                self.client.settle(self.client.ask("workspace/symbol", {"query": "settle"}))
        key = next(k for k in expected if expected[k] != found[k])
        shown = {name: text.text for name, text in self.texts.items()}
        raise Failure(f"divergence: {key}", f"has: {found[key]}\nfresh: {expected[key]}\n{self.settings}\n{shown}")

    def _forget_figures(self, expected: dict[str, Any]) -> None:
        """Open again what does not compile: the last figures of its kernels stay as long as it is open."""
        for name, text in self.texts.items():
            uri = self.uri(name)
            own = [answer for question, answer in expected.items() if f'"{uri}"' in question]
            own.append(expected.get("published", {}).get(uri))
            if FAULT.search(json.dumps(own)):
                item = {"uri": uri, "languageId": "opencl", "version": text.version, "text": text.text}
                self.client.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
                self.client.notify("textDocument/didOpen", {"textDocument": item})

    def _questions(self, name: str, chance: random.Random) -> list[tuple[str, Params]]:
        document: Params = {"textDocument": {"uri": self.uri(name)}}
        text = self.texts[name].text
        span = {"start": self._position(text, 0), "end": self._position(text, len(text))}
        found = [(f"textDocument/{method}", document) for method in (*WHOLE, "semanticTokens/full")]
        found += [
            ("textDocument/inlayHint", {**document, "range": span}),
            ("textDocument/codeAction", {**document, "range": span, "context": {"diagnostics": []}}),
            ("burstline/status", {"uri": self.uri(name)}),
        ]
        if self._asks_for_findings:
            found.append(("textDocument/diagnostic", document))
        for _ in range(4):
            at = {**document, "position": self._position(text, chance.randrange(len(text) + 1))}
            found += [("textDocument/hover", at), ("textDocument/definition", at)]
        return found

    @property
    def _asks_for_findings(self) -> bool:
        refreshed = self.capabilities["workspace"].get("diagnostics", {}).get("refreshSupport")
        return bool(refreshed and "diagnostic" in self.capabilities["textDocument"])

    def _answers(self, client: Client, questions: list[tuple[str, Params]]) -> dict[str, Any]:
        asked = {f"{method} {json.dumps(params)}": client.ask(method, params) for method, params in questions}
        found = {question: _plain(client.wait(number)) for question, number in asked.items()}
        if not self._asks_for_findings:
            found["published"] = {self.uri(name): client.published.get(self.uri(name)) for name in self.texts}
        return found


def _plain(answer: Any) -> Any:
    """An answer without the stamps that no two servers share."""
    if isinstance(answer, dict):
        return {k: _plain(v) for k, v in answer.items() if k != "resultId"}
    return [_plain(one) for one in answer] if isinstance(answer, list) else answer


RULES: tuple[tuple[Callable[[Editing, random.Random], None], int], ...] = (
    (Editing.type, 30), (Editing.put_in, 5), (Editing.write_line, 8), (Editing.delete, 12), (Editing.undo, 14),
    (Editing.reorder, 3), (Editing.open, 2), (Editing.close, 1), (Editing.save, 2), (Editing.change_file, 1),
    (Editing.configure, 1),
    (Editing.be_rude, 1), (Editing.ask, 18), (Editing.ask_and_cancel, 5), (Editing.tokens_by_edits, 1),
)  # fmt: skip
"""What a user does, and how often compared with the rest. Restarts and comparisons come at the end of a sequence."""
