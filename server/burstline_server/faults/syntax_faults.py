"""What a section's grammar refuses, placed and worded as a compiler would."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from itertools import pairwise
from operator import itemgetter

from tree_sitter import Node

from burstline_server.faults.delimiters import Broken, open_comment, unmatched
from burstline_server.source.queries import odd

MAX_FAULTS = 3
"""Most faults of syntax that are reported of one section: what follows the first is often its consequence."""
MAX_ERRORS_A_LINE = 8
"""Most errors of the tree on one line that are looked into: a generated line may hold thousands."""
_GAP = rb"""(?:\s++|//(?:[^\\\n]++|\\(?:\r?\n)?)*+|/\*(?:[^*]++|\*(?!/))*+(?:\*/|\Z))*+"""
_TOKEN = re.compile(
    _GAP + rb"""(?:(?P<text>"(?:\\.|[^"\\\n])*+"?|'(?:\\.|[^'\\\n]){0,16}+'?)"""
    rb"""|(?P<number>\.?\d(?:[eEpP][+-]|[\w.])*+)|(?P<name>[A-Za-z_]\w*+)"""
    rb"""|(?P<sign><<=|>>=|\.\.\.|->|\+\+|--|<<|>>|[<>=!]=|&&|\|\||[-+*/%&|^]=|.)|\Z)""",
    re.DOTALL,
)
_HEADS = {b"if", b"for", b"while", b"switch", b"sizeof"}
_TYPES = {b"unsigned", b"signed", b"void", b"int", b"float", b"char", b"short", b"long", b"double"}
_NO_OPERANDS = {
    *_TYPES, b"return", b"else", b"do", b"case", b"goto", b"const", b"volatile", b"restrict", b"static", b"inline",
    b"struct", b"union", b"enum", b"typedef", b"extern", b"register", b"sizeof",
}  # fmt: skip
_STATEMENTS = {
    "expression_statement", "if_statement", "for_statement", "while_statement", "do_statement", "return_statement",
    "switch_statement", "compound_statement", "goto_statement", "break_statement", "continue_statement",
}  # fmt: skip
_TYPED_NUMBER = re.compile(rb"\b(?:" + b"|".join(sorted(_TYPES)) + rb")\b" + _GAP + rb"\.?\d")
"""A number behind the word of a type, perhaps in a comment."""
_UNREAD = re.compile(
    rb"""//(?:[^\\\n]++|\\(?:\r?\n)?)*+|/\*(?:[^*]++|\*(?!/))*+(?:\*/|\Z)|"(?:\\.|[^"\\\n])*+"?|'(?:\\.|[^'\\\n]){0,16}+'?"""
)
_STRAYS = frozenset(b"\\@`")
_MISSING = {"identifier": "an expression", "type_identifier": "a type", "number_literal": "an expression"}


def faults_in(text: bytes, root: Node, start: int, written: bytes) -> list[Broken]:
    """The faults of a section, `text` being its own and `root` its tree, in which it begins at `start`.

    `written` is the text with its qualifiers, of the same length.
    """
    strange = [] if root.has_error else _odd(root, text, start)
    # A tree may have been made of a text whose blocks were ended for it.
    if _even(text) and not root.has_error and not strange and open_comment(text) is None:
        return []
    found = unmatched(written)[:MAX_FAULTS]
    if not found and not root.has_error and not strange:
        return []
    stray = _no_characters_of_c(text)
    if stray and (not found or stray[0].start < found[0].start):
        return stray
    if not found:
        found = strange or _numbers_for_names(text) or _of_errors(text, tokens_of(text), root, start)
    return found or [Broken(0, min(1, len(text)), "this declaration is not understood")]


def _numbers_for_names(text: bytes) -> list[Broken]:
    """Numbers behind the words of a type, where a name belongs, as a macro of that name leaves them.

    The grammar may take the head of the function for part of such a declaration, and name a brace far from it.
    """
    if _TYPED_NUMBER.search(text) is None:
        return []
    wrong = [two for one, two in pairwise(tokens_of(text)) if one[3] in _TYPES and two[2] == "number"]
    return [Broken(begin, end, f"unexpected '{_shown(word)}'") for begin, end, _, word in wrong[:MAX_FAULTS]]


def _no_characters_of_c(text: bytes) -> list[Broken]:
    """Characters that C has in literals and comments alone, the first of each line."""
    if not _STRAYS & set(text):
        return []
    stray: dict[int, Broken] = {}
    for begin, end, _, word in tokens_of(text):
        if len(word) == 1 and word[0] in _STRAYS and text[end : end + 1] not in {b"\n", b"\r"}:
            stray.setdefault(text.count(b"\n", 0, begin), Broken(begin, end, f"unexpected '{_shown(word)}'"))
    return list(stray.values())[:MAX_FAULTS]


def _even(text: bytes) -> bool:
    """Whether as many brackets of each kind close as open, those in comments and literals left out."""
    own = _UNREAD.sub(b" ", text)
    return all(own.count(a) == own.count(b) for a, b in ((b"{", b"}"), (b"(", b")"), (b"[", b"]")))


def _of_errors(text: bytes, tokens: Tokens, root: Node, start: int) -> list[Broken]:
    """The faults behind the tree's error and missing nodes, one a line."""
    found: dict[int, Broken] = {}
    by_row = Counter[int]()
    for node in _errors(root):
        by_row[node.start_point.row] += 1
        if by_row[node.start_point.row] > MAX_ERRORS_A_LINE:
            continue
        one = _missing(tokens, node, start) if node.is_missing else _wrong(text, tokens, node, start)
        line = text.count(b"\n", 0, one.start)
        found.setdefault(line, one)
        if len(found) >= MAX_FAULTS:
            break
    return sorted(found.values(), key=lambda b: b.start)


def _errors(node: Node) -> list[Node]:
    """Error and missing nodes in order, the outermost of them."""
    found, waiting = [], [node]
    while waiting:
        one = waiting.pop()
        if one.is_missing or (one.type == "ERROR" and one.parent is not None):
            found.append(one)
        elif one.has_error:
            waiting += reversed(one.children)
    return found or [node]


Tokens = list[tuple[int, int, str, bytes]]
_START, _END = itemgetter(0), itemgetter(1)


def tokens_of(text: bytes) -> Tokens:
    """Start, end, kind and text of each token, comments and blanks left out."""
    return [(*m.span(kind), kind, m[kind]) for m in _TOKEN.finditer(text) if (kind := m.lastgroup) is not None]


def _missing(tokens: Tokens, node: Node, start: int) -> Broken:
    place = node.start_byte - start
    number = bisect_right(tokens, place, key=_END)
    before = tokens[number - 1] if number else (0, 1, "", b"")
    what = _MISSING.get(node.type, f"'{node.type}'")
    if node.type in _MISSING:
        number = bisect_left(tokens, place, key=_START)
        after = tokens[number] if number < len(tokens) else before
        return Broken(after[0], after[1], f"expected {what} before '{_shown(after[3])}'")
    return Broken(before[1] - 1, before[1], f"expected {what} after '{_shown(before[3])}'")


def _wrong(text: bytes, tokens: Tokens, node: Node, start: int) -> Broken:
    """What is wrong around text that no rule of the grammar takes."""
    low, high = node.start_byte - start, node.end_byte - start
    number = min(bisect_right(tokens, low, key=_END), len(tokens) - 1)
    if number < 0:
        return Broken(0, 1, "this text is not understood")
    first = number
    while first > 0 and tokens[first - 1][3] not in {b";", b"{", b"}"}:
        first -= 1
    last = min(max(bisect_left(tokens, high, key=_START), number), len(tokens) - 1)
    for i in range(max(first, number - 40), min(last, number + 40)):
        if _ends_before(text, tokens, i):
            end = tokens[i][1]
            return Broken(end - 1, end, f"expected ';' after '{_shown(tokens[i][3])}'")
    begin, end, _, word = tokens[number]
    before = tokens[number - 1][3] if number else b""
    if word in {b";", b")", b"]", b","} and (before in {b"(", b","} or not re.fullmatch(rb"[\w\])\"']+", before)):
        return Broken(begin, end, f"expected an expression before '{_shown(word)}'")
    # An operator that the grammar leaves over comes before what is wrong.
    if tokens[number][2] == "sign" and number + 1 < len(tokens) and word not in {b"(", b"{", b"["}:
        after = tokens[number + 1]
        if after[3] in {b";", b")", b"]", b",", b"}"}:
            return Broken(after[0], after[1], f"expected an expression before '{_shown(after[3])}'")
    return Broken(begin, end, f"unexpected '{_shown(word)}'")


def _ends_before(text: bytes, tokens: Tokens, number: int) -> bool:
    """Whether a statement must end behind a token, as the next one, on another line, begins anew."""
    if number + 1 >= len(tokens):
        return False
    (_, end, kind, word), (begin, _, next_kind, _) = tokens[number], tokens[number + 1]
    if b"\n" not in text[end:begin] or next_kind != "name":
        return False
    if kind in {"number", "text"} or word in {b"]", b"++", b"--"}:
        return True
    if word == b")":
        return _before_partner(tokens, number) not in _HEADS
    return kind == "name" and word not in _NO_OPERANDS


def _before_partner(tokens: Tokens, number: int) -> bytes:
    """The token before the parenthesis that one closes."""
    depth = 0
    for i in range(number, -1, -1):
        depth += (tokens[i][3] == b")") - (tokens[i][3] == b"(")
        if depth == 0:
            return tokens[i - 1][3] if i else b""
    return b""


def spills(text: bytes, root: Node) -> bool:
    """Whether a section holds what belongs into the function before it, which ends too early."""
    return any(c.type in _STATEMENTS and c.named_child_count for c in root.children) or text.count(b"}") > text.count(
        b"{"
    )


def _odd(root: Node, text: bytes, start: int) -> list[Broken]:
    """Forms that the grammar takes and C does not: what a missing semicolon makes of two statements."""
    outside = [c for c in root.children if c.type in _STATEMENTS and c.named_child_count]
    found = [
        Broken(c.start_byte - start, c.end_byte - start, "a statement must be inside a function") for c in outside[:1]
    ]
    for node in odd(root):
        if node.type == "macro_type_specifier":
            end = node.end_byte - start
            found.append(Broken(end - 1, end, "expected ';' after ')'"))
            continue
        parent = node.parent
        if parent is None or parent.type not in {"binary_expression", "unary_expression", "cast_expression"}:
            continue
        operator = parent.child_by_field_name("operator")
        before = operator.prev_sibling if operator is not None else None
        if (
            operator is not None
            and before is not None
            and b"\n" in text[before.end_byte - start : operator.start_byte - start]
        ):
            end = before.end_byte - start
            found.append(
                Broken(end - 1, end, "expected ';' after '" + _shown(text[max(0, end - 20) : end].split()[-1]) + "'")
            )
        else:
            found.append(Broken(node.start_byte - start, node.end_byte - start, "expression is not assignable"))
    return found[:MAX_FAULTS]


def _shown(word: bytes) -> str:
    text = word.decode("utf-8", "replace")
    return text if len(text) <= 40 else f"{text[:40]}…"
