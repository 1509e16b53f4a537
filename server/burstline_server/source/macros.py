"""Macro expansion as C defines it, on tokens that remember where the user wrote them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache

from burstline_model.record import fixed

TOKEN = re.compile(
    r"""(?P<space>(?:\s|//(?:[^\\\n]++|\\(?:\r?\n)?)*+|/\*(?:[^*]++|\*(?!/))*(?:\*/|\Z)|\\\r?\n)+)|(?P<name>[A-Za-z_]\w*)"""
    r"""|(?P<text>"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?)|(?P<number>\.?\d(?:[eEpP][+-]|[\w.])*)"""
    r"""|(?P<sign>\#\#|<<=|>>=|\.\.\.|->|\+\+|--|<<|>>|[<>=!]=|&&|\|\||[-+*/%&|^]=|.)""",
    re.DOTALL | re.VERBOSE,
)
MAX_TOKENS = 30_000
"""Most tokens one use of a macro may expand to."""

LONG = 16
"""As many characters of one token, a string's say, count as a token more."""


class ExpansionTooLargeError(ValueError):
    """A macro expands to more tokens than are allowed."""


@fixed
class Macro:
    """A definition. `parameters` is None for an object-like macro; `file` None means the user's file.

    Definitions of the user's file have a `number`, as what is edited before them moves them; others have their place.
    """

    name: str
    parameters: tuple[str, ...] | None
    variadic: bool
    body: str
    file: str | None = None
    start: int = 0
    end: int = 0
    number: int = -1


@fixed
class Token:
    """A piece of text. `position` is its byte offset when it is there verbatim, else -1."""

    text: str
    kind: str
    position: int = -1
    hidden: frozenset[str] = frozenset()


Table = Mapping[str, Macro]
Special = Callable[[str], str | None]


def tokens_of(text: str, position: int = -1) -> list[Token]:
    """The tokens of a text; blanks and comments become one token each."""
    found = []
    for match in TOKEN.finditer(text):
        kind = match.lastgroup or "sign"
        at = -1 if position < 0 else position
        found.append(Token(" " if kind == "space" else match[0], kind, at))
        if position >= 0:
            position += len(match[0].encode())
    return found


def parse_definition(rest: str) -> tuple[str, tuple[str, ...] | None, bool, str] | None:
    """Name, parameters, variadic and body from the text after ``#define``; None when there is no name."""
    match = re.match(r"\s*([A-Za-z_]\w*)(\()?", rest)
    if not match:
        return None
    name, after = match[1], rest[match.end() :]
    if not match[2]:
        return name, None, False, after.strip()
    closing = after.find(")")
    if closing < 0:
        return None
    names = [p.strip() for p in after[:closing].split(",")] if after[:closing].strip() else []
    variadic = bool(names) and names[-1].endswith("...")
    if variadic:
        names[-1] = names[-1][:-3].strip() or "__VA_ARGS__"
    return name, tuple(names), variadic, after[closing + 1 :].strip()


@lru_cache(maxsize=2048)
def _body(text: str) -> list[Token]:
    """The tokens of a macro's body, which nobody changes."""
    return tokens_of(text)


@fixed
class Definition:
    """A macro that is defined, or undefined (None), by what is in a range of the user's file."""

    start: int
    end: int
    name: str
    macro: Macro | None


def given_macros(defines: Mapping[str, str]) -> dict[str, Macro]:
    """Macros that are defined before a text."""
    macros = {}
    for name, body in defines.items():
        definition = parse_definition(f"{name} {body}")
        if definition:
            macros[definition[0]] = Macro(*definition, file="<defined>")
    return macros


def apply(definitions: Iterable[Definition], macros: dict[str, Macro]) -> None:
    """Define, and undefine."""
    for one in definitions:
        if one.macro is not None:
            macros[one.name] = one.macro
        else:
            macros.pop(one.name, None)


_JOINING = frozenset({"#", "##"})


class Expander:
    """Expands token lists with a table of macros, to `most` tokens. `special` gives ``__LINE__`` and its like."""

    def __init__(self, table: Table, special: Special = lambda _name: None, most: int = MAX_TOKENS) -> None:
        self._table = table
        self._special = special
        self._most = most
        self.made = 0
        """Tokens that were looked at on the way."""

    def expand(self, tokens: Iterable[Token]) -> list[Token]:
        """All macros in `tokens` replaced; raises `ExpansionTooLargeError`."""
        waiting = list(tokens)[::-1]
        done: list[Token] = []
        while waiting:
            token = waiting.pop()
            self.made += 1 + len(token.text) // LONG
            if self.made > self._most:
                raise ExpansionTooLargeError
            if token.kind != "name" or token.text in token.hidden:
                done.append(token)
                continue
            special = self._special(token.text)
            if special is not None:
                done.append(Token(special, "number" if special.isdigit() else "text"))
                continue
            macro = self._table.get(token.text)
            if macro is None:
                done.append(token)
                continue
            if macro.parameters is None:
                body = _body(macro.body)
                hidden = token.hidden | {macro.name}
                replaced = self._substitute(body, {}, hidden) if "##" in macro.body else [
                    Token(t.text, t.kind, -1, t.hidden | hidden) for t in body
                ]  # fmt: skip
                waiting.extend(reversed(replaced))
                continue
            call = self._arguments(waiting)
            if call is None:
                done.append(token)
                continue
            arguments, length, closing = call
            bound = self._bind(macro, arguments)
            if bound is None:
                done.append(token)
                continue
            del waiting[len(waiting) - length :]
            hidden = (token.hidden & closing.hidden) | {macro.name}
            waiting.extend(reversed(self._substitute(_body(macro.body), bound, hidden)))
        return done

    @staticmethod
    def _arguments(waiting: list[Token]) -> tuple[list[list[Token]], int, Token] | None:
        """The arguments that follow (`waiting` is reversed), their length in tokens, and the closing one."""
        i = len(waiting) - 1
        while i >= 0 and waiting[i].kind == "space":
            i -= 1
        if i < 0 or waiting[i].text != "(":
            return None
        depth, arguments, current = 0, [], []  # type: int, list[list[Token]], list[Token]
        while i >= 0:
            token = waiting[i]
            if token.text in {"(", "[", "{"} and token.kind == "sign":
                depth += token.text == "("
                if depth > 1 or token.text != "(":
                    current.append(token)
            elif token.text == ")" and token.kind == "sign":
                depth -= 1
                if depth == 0:
                    arguments.append(current)
                    return arguments, len(waiting) - i, token
                current.append(token)
            elif token.text == "," and depth == 1:
                arguments.append(current)
                current = []
            else:
                current.append(token)
            i -= 1
        return None

    @staticmethod
    def _bind(macro: Macro, arguments: list[list[Token]]) -> dict[str, list[Token]] | None:
        names = macro.parameters or ()
        if macro.variadic:
            fixed = len(names) - 1
            rest: list[Token] = []
            for i, argument in enumerate(arguments[fixed:]):
                rest += ([Token(",", "sign")] if i else []) + argument
            arguments = [*arguments[:fixed], rest]
        if not names and len(arguments) == 1 and not _trimmed(arguments[0]):
            arguments = []
        if len(arguments) != len(names):
            return None
        return {name: _trimmed(a) for name, a in zip(names, arguments, strict=True)}

    def _substitute(self, body: list[Token], bound: dict[str, list[Token]], hidden: frozenset[str]) -> list[Token]:
        """The body with parameters replaced, ``#`` and ``##`` carried out, and the macro hidden in it."""
        out: list[Token] = []
        expanded: dict[str, list[Token]] = {}
        joins = any(token.text in _JOINING for token in body)
        i = 0
        while i < len(body):
            token = body[i]
            following = next((k for k in range(i + 1, len(body)) if body[k].kind != "space"), -1) if joins else -1
            if token.text == "#" and bound and following >= 0 and body[following].text in bound:
                out.append(Token(_stringized(bound[body[following].text]), "text"))
                i = following + 1
                continue
            if token.text == "##" and out and following >= 0:
                while out and out[-1].kind == "space":
                    out.pop()
                right = bound.get(body[following].text, [body[following]])
                left = out.pop() if out else Token("", "sign")
                pasted = left.text + (right[0].text if right else "")
                out += [*tokens_of(pasted), *right[1:]]
                i = following + 1
                continue
            pasting = following >= 0 and body[following].text == "##"
            if token.kind == "name" and token.text in bound:
                before = len(out)
                if pasting:
                    out += bound[token.text] or [Token("", "sign")]
                else:
                    if token.text not in expanded:
                        expanded[token.text] = self.expand(bound[token.text])
                    out += expanded[token.text]
                self.made += len(out) - before
                if self.made > self._most:
                    raise ExpansionTooLargeError
            else:
                out.append(token)
            i += 1
        return [Token(t.text, t.kind, t.position, t.hidden | hidden if t.hidden else hidden) for t in out]


def _trimmed(tokens: list[Token]) -> list[Token]:
    start, end = 0, len(tokens)
    while start < end and tokens[start].kind == "space":
        start += 1
    while end > start and tokens[end - 1].kind == "space":
        end -= 1
    return tokens[start:end]


def _stringized(tokens: list[Token]) -> str:
    text = "".join(t.text.replace("\\", "\\\\").replace('"', '\\"') if t.kind == "text" else t.text for t in tokens)
    return f'"{text}"'
