"""Types of scalar expressions, as far as the text shows them, and expressions converted to a type."""

from __future__ import annotations

import re
from collections.abc import Mapping

from tree_sitter import Node

from burstline_server.rewrites.syntax import SourceNode, alone, declared_types, plain_type

_LITERAL = re.compile(r"(0[xX][0-9a-fA-F]+|\d+)([uUlL]*)")
_REAL = re.compile(r"(?:\d+\.\d*|\.\d+|\d+(?=[eEfF]))(?:[eE][-+]?\d+)?([fF]?)")
_RANKS = ("int", "uint", "long", "ulong", "float", "double")
SMALL = {"char", "uchar", "short", "ushort", "bool"}
_NAMES = {"size_t": "ulong", "ptrdiff_t": "long"}
_COMPARE = {"<", "<=", ">", ">=", "==", "!=", "&&", "||"}
_OPERANDS = {"subscript_expression", "call_expression", "parenthesized_expression"}
_NUMBERS = ("char", "uchar", "short", "ushort", "int", "uint", "long", "ulong", "float", "double", "half")
NUMBERS = frozenset(f"{one}{lanes}" for one in _NUMBERS for lanes in ("", 2, 3, 4, 8, 16))
"""Types of numbers and of vectors of them, by their shortest names."""
LARGEST = {"int": 2**31 - 1, "uint": 2**32 - 1, "long": 2**63 - 1, "ulong": 2**64 - 1}


def canonical(type_: str) -> str:
    """A scalar type by one name, whatever it was called."""
    plain = plain_type(type_)
    return _NAMES.get(plain, plain)


def type_of(node: Node, text: bytes, types: Mapping[str, str]) -> str | None:
    """The type of a scalar expression by C's conversions; None where a part of it is not known."""

    def of(inner: Node | None) -> str | None:
        return type_of(inner, text, types) if inner is not None else None

    said = text[node.start_byte : node.end_byte].decode("utf-8", "replace")
    match node.type:
        case "number_literal":
            return _literal(said)
        case "identifier":
            return canonical(types[said]) if said in types else None
        case "parenthesized_expression":
            return of(next((c for c in node.named_children if c.type != "comment"), None))
        case "cast_expression":
            named = node.child_by_field_name("type")
            cast = text[named.start_byte : named.end_byte].decode("utf-8", "replace") if named is not None else ""
            found = canonical(cast)
            return found if found in {*_RANKS, *SMALL} else None
        case "subscript_expression" | "pointer_expression":
            operator = node.child_by_field_name("operator")
            return _element(node, text) if operator is None or operator.type == "*" else None
        case "sizeof_expression":
            return "ulong"
        case "unary_expression":
            operator = node.child_by_field_name("operator")
            inner = of(node.child_by_field_name("argument"))
            return "int" if operator is not None and operator.type == "!" else _promoted(inner)
        case "binary_expression":
            operator = node.child_by_field_name("operator")
            left, right = (of(node.child_by_field_name(n)) for n in ("left", "right"))
            if operator is not None and operator.type in _COMPARE:
                return "int"
            return _promoted(left) if operator is not None and operator.type in {"<<", ">>"} else _common(left, right)
        case _:
            return None


def converted(place: SourceNode, type_: str) -> str:
    """An expression as an operand of a type, with a conversion unless it certainly has that type."""
    own = type_of(place.node, place.source.text, declared_types(place.source, place.node))
    operand = place.text if place.node.type in _OPERANDS else alone(place.text)
    return operand if own == canonical(type_) else f"({type_}){operand}"


def _element(node: Node, text: bytes) -> str | None:
    """The type of ``array[index]`` or ``*array``, by the only declaration of its name in the function around."""
    array, function = node.child_by_field_name("argument"), node.parent
    while function is not None and function.type != "function_definition":
        function = function.parent
    if array is None or array.type != "identifier" or function is None:
        return None
    found, waiting = set[str](), [function]
    while waiting:
        one = waiting.pop()
        waiting.extend(one.named_children)
        named = one.child_by_field_name("type")
        if one.type not in {"parameter_declaration", "declaration"} or named is None:
            continue
        for declarator in one.children_by_field_name("declarator"):
            inner, depth = declarator.child_by_field_name("declarator"), 1
            while inner is not None and inner.type != "identifier":
                inner, depth = inner.child_by_field_name("declarator"), depth + 1
            if inner is not None and inner.text == array.text:
                plain = depth == 1 and declarator.type in {"pointer_declarator", "array_declarator"}
                type_ = canonical(text[named.start_byte : named.end_byte].decode("utf-8", "replace"))
                found.add(type_ if plain else "")
    type_ = found.pop() if len(found) == 1 else ""
    return type_ if type_ in {*_RANKS, *SMALL} else None


def _literal(text: str) -> str | None:
    whole = _LITERAL.fullmatch(text)
    if whole is None:
        real = _REAL.fullmatch(text)
        return None if real is None else "float" if real[1] else "double"
    if len(whole[1]) > 1 and whole[1][0] == "0" and whole[1][1].isdigit():
        return None  # octal: nobody writes one here
    value, suffix = int(whole[1], 0), whole[2].lower()
    kinds = [k for k in _RANKS[:4] if ("l" not in suffix or "long" in k) and ("u" not in suffix or k[0] == "u")]
    if "u" not in suffix and whole[1][:2].lower() != "0x":
        kinds = [k for k in kinds if k[0] != "u"]
    return next((kind for kind in kinds if value <= LARGEST[kind]), None)


def _promoted(type_: str | None) -> str | None:
    return "int" if type_ in SMALL else type_


def _common(left: str | None, right: str | None) -> str | None:
    one, other = _promoted(left), _promoted(right)
    if one not in _RANKS or other not in _RANKS:
        return None
    return max(one, other, key=_RANKS.index)
