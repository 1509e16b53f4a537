"""Clang's messages in the words of our own."""

from __future__ import annotations

import re

NO_VALUE = r"a '\1' is no value for a '\2'"
WORDS = (
    (r"implicit declaration of function '(\w+)'.*", r"call of undeclared function '\1'"),
    (r"no matching function for call to '(\w+)'", r"no variant of '\1' takes these arguments"),
    (r"illegal vector component name '(.*)'", r"no vector element is called '\1'"),
    (r"assigning to '(.*)' from incompatible type '(.*)'", r"a '\2' is no value for a '\1'"),
    (r"assigning '(.*)' to '(.*)' changes address space of pointer", NO_VALUE),
    (r"initializing '(.*)' with an expression of (?:incompatible )?type '(.*?)'.*", r"a '\2' is no value for a '\1'"),
    (r"passing '(.*)' to parameter of (?:incompatible )?type '(.*?)'.*", NO_VALUE),
    (r"returning '(.*)' from a function with (?:incompatible )?result type '(.*?)'.*", NO_VALUE),
    (r"invalid operands to binary expression \('(.*)' and '(.*)'\)", r"the operator does not take a '\1' and a '\2'"),
    (r"invalid argument type '(.*)' to unary expression", r"the operator does not take a '\1'"),
    (r"indirection requires pointer operand \('(.*)' invalid\)", r"'*' needs a pointer, not a '\1'"),
    (r"subscripted value is not an array, pointer, or vector", r"the subscripted value is no array or pointer"),
    (r"array subscript is not an integer", r"the array subscript is not an integer"),
    (r"member reference base type '(.*)' is not a structure or union", r"a '\1' has no members"),
    (r"member reference type '(.*)' is a pointer.*", r"'\1' is a pointer: its members follow '->'"),
    (r"member reference type '(.*)' is not a pointer.*", r"'\1' is no pointer: its members follow '.'"),
    (r"called object type '(.*)' is not a function.*", r"a '\1' is not a function"),
    (r"cannot assign to variable '(\w+)' with const-qualified type.*", r"cannot assign to '\1': it is constant"),
    (r"'(break|continue)' statement not in .*", r"'\1' is in no loop"),
)
_NOISE = re.compile(
    r" \(aka '[^']*'\)| \(vector of \d+ '[^']*' values\)|\b__private | __private\b|\b__global |(?<=\*)restrict\b"
)
_VECTOR = re.compile(r" __attribute__\(\(ext_vector_type\((\d+)\)\)\)")


def worded(message: str) -> str:
    """A message of clang's in our words, one without such words as it is; and where it comes from."""
    text = _VECTOR.sub(r"\1", _NOISE.sub("", message))
    for pattern, to in WORDS:
        if match := re.fullmatch(pattern, text):
            text = match.expand(to)
            break
    return f"{text} (libclang)"
