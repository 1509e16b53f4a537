"""The preprocessor: one pass that hides what is not compiled and expands macros, and remembers origins.

Active text is copied byte for byte, comments included, so that a file without macros keeps every offset.
Directives and inactive branches become blanks. A macro use becomes its expansion, an include its text;
`Segment`s say where each piece came from.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from burstline_server.source.conditions import BadConditionError, evaluate
from burstline_server.source.includes import MAX_INCLUDE_DEPTH, IncludeFolders
from burstline_server.source.macros import (
    MAX_TOKENS,
    Definition,
    Expander,
    ExpansionTooLargeError,
    Macro,
    Special,
    Token,
    apply,
    given_macros,
    parse_definition,
    tokens_of,
)
from burstline_server.source.mask import blank
from burstline_server.source.preprocessed import BadDirective, Pragma, Preprocessed, Segment, Skipped, SourceRemark
from burstline_server.source.splices import between, joined, within

_SKIP = (
    rb"""//(?:[^\n\\]++|\\\r?\n|[^\n])*"""
    rb"""|/\*(?:[^*]++|\*(?!/))*(?:\*/|\Z)|"(?:\\.|[^"\\\n])*+"?|'(?:\\.|[^'\\\n]){0,16}+'"""
)
SKIPPED = re.compile(_SKIP)
"""Comments, strings and characters."""
DIRECTIVE = re.compile(rb"(?<![^\r\n])[ \t]*#[ \t]*(\w*)((?:[^\r\n\\]|\\\r?\n|\\)*)")
WORD = re.compile(_SKIP + rb"|\.?\d(?:[eEpP][+-]|[\w.])*|(?P<name>[A-Za-z_]\w*)")
_ARGUMENT = re.compile(_SKIP + rb"|[()]|[^\s()]+?")
_NAMES = re.compile(rb"[A-Za-z_]\w*")
_LETTERS = "_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
_CONTINUED = re.compile(r"\\\r?\n")
_DEFINED = re.compile(r"\bdefined\s*(?:\(\s*(\w+)\s*\)|(\w+))")
_CONDITION_NAME = re.compile(r"(?<!\w)[A-Za-z_]\w*+")
MAX_CONDITION = 1000
"""Characters of a condition in which names are looked for."""
_FILE_NAME = re.compile(r"[\w./-]+\.\w+")
VENDOR_HEADERS = frozenset({"ihc_apint.h"})
"""Headers that come with the compiler, whose names are known without them (Programming Guide, arbitrary precision)."""
MAX_NAME = 200
"""Longest name of a file that is looked for in what an include says without quotes."""
_COUNTED = {"__LINE__", "__COUNTER__"}
_SPECIAL = {"__FILE__", *_COUNTED}
MAX_RENAMED = 8
"""Longest chain of macros that each expand to the next one's name."""
MIN_OUTPUT_BOUND = 4_000_000
MAX_GROWTH = 8


@dataclass(slots=True)
class _Branch:
    """An open ``#if``: whether the text around it is live, whether a branch of it was chosen, and the names it asks."""

    outside: bool
    chosen: bool
    start: int
    end: int
    asks: list[str]


def most_expanded(length: int) -> int:
    """Most tokens that all macros of a text of this length may expand to, one with another."""
    return max(2 * MAX_TOKENS, MAX_GROWTH * length)


def preprocess(text: bytes, path: str | None, defines: Mapping[str, str], folders: IncludeFolders) -> Preprocessed:
    """Run the pass over a file."""
    return preprocess_part(text, path, given_macros(defines), folders)


def preprocess_part(text: bytes, path: str | None, macros: dict[str, Macro], folders: IncludeFolders) -> Preprocessed:
    """Run the pass over live text, places counted from its start. New definitions are added to `macros`."""
    work = _Pass(folders, len(text))
    work.result.macros = macros
    work.file(text, Path(path) if path else None, None)
    return work.result


def not_compiled(text: bytes) -> Preprocessed:
    """What the pass gives for text between two directives that is not compiled."""
    long = [match.span() for match in SKIPPED.finditer(text) if b"\n" in match[0]]
    segments = [Segment(0, 0, len(text), verbatim=True)]
    return Preprocessed(out=bytearray(blank(text)), segments=segments, long=long)


class _Pass:
    def __init__(self, folders: IncludeFolders, length: int) -> None:
        self.result = Preprocessed()
        self.folders = folders
        self.bound = max(MIN_OUTPUT_BOUND, MAX_GROWTH * length)
        self.most = most_expanded(length)
        self.including: list[Path] = []
        self.spliced: Sequence[tuple[int, int]] = ()
        """The words of the file that a line's end splits."""
        self.once: set[Path] = set()
        """Files that are not included again."""
        self.asked_at = 0
        self.counter = 0

    def file(self, text: bytes, path: Path | None, at: tuple[int, int] | None) -> None:
        """One file; `at` is the user's ``#include`` that asked for it (None: the user's file)."""

        def hidden(match: re.Match[bytes]) -> bytes:
            if at is None and b"\n" in match[0]:
                self.result.long.append(match.span())
            return match[0] if match[0][:1] in b"\"'" else blank(match[0])

        plain = SKIPPED.sub(hidden, text)
        asking, (text, self.spliced) = self.spliced, joined(text, lambda: _unread(text, plain))
        stack: list[_Branch] = []
        live, position = True, 0
        for match in DIRECTIVE.finditer(plain):
            self._region(text, position, match.start(), path, at, live=live)
            position = match.end()
            whole = _CONTINUED.sub("", (match[1] + match[2]).decode("utf-8", "replace")).lstrip()
            rest = whole.lstrip(_LETTERS)
            word = whole.removesuffix(rest) if rest else whole
            where = at or match.span()
            live = self._directive(word, rest, where, match.span(), stack, live=live)
            if live and word == "pragma":
                self._pragma(rest)
            self._blank(text, match.start(), match.end())
            if live and word in {"include", "import"}:
                self._include(rest, where, path, once=word == "import")
        self._region(text, position, len(text), path, at, live=live)
        for branch in stack:
            self._refuse(BadDirective(*(at or (branch.start, branch.end)), "unclosed_if"))
        self.spliced = asking

    # -- text ----------------------------------------------------------------------------------------

    def _region(
        self, text: bytes, start: int, end: int, path: Path | None, at: tuple[int, int] | None, *, live: bool
    ) -> None:
        if start >= end:
            return
        if not live:
            if at is None and text[start:end].strip():
                self.result.inactive.append((start, end))
            self._blank(text, start, end)
            return
        piece = text[start:end]
        macros = self.result.macros
        names = {n.decode() for n in set(_NAMES.findall(piece)) if n.isascii()}
        used = names & (macros.keys() | _SPECIAL)
        if not used or len(self.result.out) > self.bound:
            self._copy(text, start, end)
            return
        self._expanded(text, start, end, path, at)

    def _expanded(self, text: bytes, start: int, end: int, path: Path | None, at: tuple[int, int] | None) -> None:
        """Copy a region, replacing every macro use in it."""
        macros = self.result.macros
        done = start
        search = start
        while match := WORD.search(text, search, end):
            search = match.end()
            if match.lastgroup != "name":
                continue
            name = match[0].decode("ascii", "replace")
            macro = macros.get(name)
            if macro is None and name not in _SPECIAL:
                continue
            use_end = match.end()
            called = self._called(macro)
            if called is not None and called.parameters is not None:
                closing = _call_end(text, use_end, end)
                if closing < 0 and called is macro:
                    continue
                use_end = max(use_end, closing)
            split = within(self.spliced, use_end - 1)
            use_end = split[1] if split is not None else use_end
            use = (match.start(), use_end)
            expanded = self._use(text, use, macro, path, at or use)
            if expanded is None:
                search = use_end
                continue
            self._copy(text, done, use[0])
            self._emit(expanded, use, macro)
            done = search = use_end
            if len(self.result.out) > self.bound:
                self._remark(at or use, "long_expansions", str(self.bound))
                break
        self._copy(text, done, end)

    def _called(self, macro: Macro | None) -> Macro | None:
        """The macro that a use ends up with: one may expand to another's name, which takes arguments."""
        for _ in range(MAX_RENAMED):
            other = self.result.macros.get(macro.body) if macro is not None and macro.parameters is None else None
            if other is None:
                break
            macro = other
        return macro

    def _use(
        self,
        text: bytes,
        use: tuple[int, int],
        macro: Macro | None,
        path: Path | None,
        where: tuple[int, int],
    ) -> list[Token] | None:
        """The expansion of one macro use; None to leave it as it is."""
        written = text[use[0] : use[1]].decode("utf-8", "replace")
        if macro is not None and macro.parameters is None and not macro.body:
            return []
        line = text.count(b"\n", 0, use[0]) + 1 if "__LINE__" in self._reachable(written, macro) else 0
        try:
            return self._replaced(tokens_of(written, use[0]), self._special(line, path))
        except (ExpansionTooLargeError, RecursionError):
            self._remark(where, "long_use", written.split("(")[0])
            return None

    def _replaced(self, tokens: list[Token], special: Special = lambda _name: None) -> list[Token]:
        """Tokens with their macros expanded; raises `ExpansionTooLargeError` once all uses together are too much."""
        left = self.most - self.result.expanded
        expander = Expander(self.result.macros, special, min(MAX_TOKENS, left))
        try:
            return expander.expand(tokens)
        except ExpansionTooLargeError:
            self.result.counted = True
            raise
        finally:
            self.result.expanded += expander.made

    @staticmethod
    def _reachable(written: str, macro: Macro | None) -> str:
        return f"{written} {macro.body if macro else ''}"

    def _special(self, line: int, path: Path | None) -> Special:
        def special(name: str) -> str | None:
            self.result.counted |= name in _COUNTED
            if name == "__LINE__":
                return str(line)
            if name == "__FILE__":
                return f'"{path.name if path else ""}"'
            if name == "__COUNTER__":
                self.counter += 1
                return str(self.counter - 1)
            return None

        return special

    def _emit(self, tokens: list[Token], use: tuple[int, int], macro: Macro | None) -> None:
        """Write an expansion; tokens that the user wrote (arguments) keep their own places."""
        out, segments, file, at = self.result.out, self.result.segments, self._file, self.asked_at
        previous = b" "
        for token in tokens or [Token(" ", "space")]:
            piece = token.text.encode("utf-8", "replace")
            if previous[-1:].isalnum() and piece[:1].isalnum():
                segments.append(Segment(len(out), *use, verbatim=False, macro=macro, use=use, file=file, asked_at=at))
                out += b" "
            if token.position >= 0 and token.kind != "space" and within(self.spliced, token.position) is None:
                place = (token.position, token.position + len(piece))
                segments.append(Segment(len(out), *place, verbatim=True, macro=macro, use=use, file=file, asked_at=at))
            else:
                segments.append(Segment(len(out), *use, verbatim=False, macro=macro, use=use, file=file, asked_at=at))
            out += piece
            previous = piece or previous

    def _copy(self, text: bytes, start: int, end: int) -> None:
        for first, last in between(self.spliced, start, end):
            self._copy_piece(text, start, first)
            segment = Segment(
                len(self.result.out), first, last, verbatim=False, file=self._file, asked_at=self.asked_at
            )
            self.result.segments.append(segment)
            self.result.out += text[first:last]
            start = last
        self._copy_piece(text, start, end)

    def _copy_piece(self, text: bytes, start: int, end: int) -> None:
        if start < end:
            self._mark(start, end)
            self.result.out += text[start:end]

    def _blank(self, text: bytes, start: int, end: int) -> None:
        if start < end:
            self._mark(start, end)
            self.result.out += blank(text[start:end])

    @property
    def _file(self) -> str | None:
        return str(self.including[-1]) if self.including else None

    def _mark(self, start: int, end: int) -> None:
        segments = self.result.segments
        made = Segment(len(self.result.out), start, end, verbatim=True, file=self._file, asked_at=self.asked_at)
        joined = made.joined_to(segments[-1]) if segments else None
        segments[-1 if joined else len(segments) :] = [joined or made]

    # -- directives ----------------------------------------------------------------------------------

    def _directive(
        self, word: str, rest: str, where: tuple[int, int], place: tuple[int, int], stack: list[_Branch], *, live: bool
    ) -> bool:
        """Carry out a directive at `place` in its file; returns whether the text after it is live."""
        match word:
            case "if" | "ifdef" | "ifndef":
                holds = live and self._condition(word, rest, where)
                stack.append(_Branch(live, holds, *where, _names_in(rest)))
                return holds
            case "elif" | "else" | "endif" if not stack:
                self._refuse(BadDirective(*where, "without_if", word))
                return live
            case "elif":
                branch = stack[-1]
                branch.asks += _names_in(rest)
                holds = branch.outside and not branch.chosen and self._condition("if", rest, where)
                branch.chosen = branch.chosen or holds
                return holds
            case "else":
                branch = stack[-1]
                holds, branch.chosen = branch.outside and not branch.chosen, True
                return holds
            case "endif":
                return stack.pop().outside
            case "define" if live:
                definition = parse_definition(rest)
                if definition:
                    number = len(self.result.definitions)
                    macro = Macro(*definition, self._file, *place) if self.including else None
                    self._define(definition[0], macro or Macro(*definition, number=number), where)
                else:
                    self._refuse(BadDirective(*where, "incomplete_define"))
            case "error" if live:
                self._refuse(BadDirective(*where, "error", rest.strip(), self._lacking(stack)))
            case "undef" if live:
                self._define(rest.strip(), None, where)
            case _:
                pass
        return live

    def _define(self, name: str, macro: Macro | None, where: tuple[int, int]) -> None:
        self.result.definitions.append(Definition(*where, name, macro))
        apply(self.result.definitions[-1:], self.result.macros)

    def _condition(self, word: str, rest: str, where: tuple[int, int]) -> bool:
        macros = self.result.macros
        if word != "if":
            name = (rest.split() or [""])[0]
            return (name in macros) == (word == "ifdef")
        text = _DEFINED.sub(lambda m: "1" if (m[1] or m[2]) in macros else "0", rest)
        try:
            tokens = self._replaced(tokens_of(text))
            return bool(evaluate("".join(t.text for t in tokens)))
        except BadConditionError as error:
            self._remark(where, "unclear_condition", rest.strip(), error.kind, error.text)
        except (ExpansionTooLargeError, RecursionError):
            self._remark(where, "unclear_condition", rest.strip(), "too_long")
        return False

    def _pragma(self, rest: str) -> None:
        words = rest.strip().split(None, 1)
        text = rest.strip()
        if text == "once" and self.including:
            self.once.add(self.including[-1])
        if len(words) > 1 and words[0] != "OPENCL":
            with suppress(ExpansionTooLargeError, RecursionError):
                tokens = self._replaced(tokens_of(words[1]))
                text = f"{words[0]} {''.join(t.text for t in tokens)}"
        self.result.pragmas.append(Pragma(len(self.result.out), len(self.result.out), text))

    def _include(self, rest: str, where: tuple[int, int], path: Path | None, *, once: bool) -> None:
        name = rest.strip()
        if name and name[0] not in '"<':
            with suppress(ExpansionTooLargeError, RecursionError):
                name = "".join(t.text for t in self._replaced(tokens_of(name)))
            if not name.lstrip().startswith(('"', "<")) and (inner := _FILE_NAME.search(name[:MAX_NAME])):
                name = inner[0]  # a macro of the build makes the name: what its parentheses hold
        name = name.strip('"<> \t')
        within = self.including[-1] if self.including else path
        found = self.folders.find(name, within) if name else None
        self.result.looked_for.append((name, within, found))
        if found is None and name in VENDOR_HEADERS:
            return
        self.result.includes.append((*where, str(found.path) if found else None))
        if found is None:
            self._remark(where, "not_found", name)
            return
        if found.path in self.once:
            return
        if once:
            self.once.add(found.path)
        if len(self.including) >= MAX_INCLUDE_DEPTH or found.path in self.including:
            self._remark(where, "nested_include", name)
            return
        if len(self.result.out) > self.bound:
            self._remark(where, "long_includes", str(self.bound))
            return
        self.including.append(found.path)
        self.asked_at = where[1]
        self.result.files[str(found.path)] = found.text
        self.file(found.text.replace(b"\0", b" "), found.path, where)
        self.result.out += b"\n"
        self.including.pop()
        self.asked_at = self.asked_at if self.including else 0

    def _refuse(self, directive: BadDirective) -> None:
        self.result.remarks.setdefault((directive.kind, directive.text), directive)

    def _lacking(self, stack: list[_Branch]) -> str:
        """The innermost name that the open conditions ask for, that has no definition and that a build may give."""
        names = (name for branch in reversed(stack) for name in branch.asks)
        return next((n for n in names if n not in self.result.macros and not n.startswith(("__", "cl_"))), "")

    def _remark(self, where: tuple[int, int], kind: Skipped, *names: str) -> None:
        self.result.remarks.setdefault((kind, names), SourceRemark(*where, kind, names))


def _unread(text: bytes, plain: bytes) -> list[tuple[int, int]]:
    """The comments, strings and directives of a text; `plain` is the same without comments."""
    return sorted((*(m.span() for m in SKIPPED.finditer(text)), *(m.span() for m in DIRECTIVE.finditer(plain))))


def _names_in(condition: str) -> list[str]:
    """The macros that a condition asks for."""
    return [m[0] for m in _CONDITION_NAME.finditer(condition[:MAX_CONDITION]) if m[0] != "defined"]


def _call_end(text: bytes, start: int, end: int) -> int:
    """The offset after the arguments of a function-like macro's use, or -1 when there are none."""
    depth = 0
    for match in _ARGUMENT.finditer(text, start, end):
        sign = match[0]
        if sign == b"(":
            depth += 1
        elif sign == b")":
            depth -= 1
            if depth <= 0:
                return match.end() if depth == 0 else -1
        elif depth == 0 and sign[:2] not in {b"//", b"/*"}:
            return -1
    return -1
