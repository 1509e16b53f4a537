"""What the compiler knows by name without a declaration."""

from __future__ import annotations

import re
import tomllib
from functools import cache, lru_cache
from pathlib import Path

import burstline_server.language
from burstline_server.faults.certain_types import INT, UNKNOWN, Type, named
from burstline_server.language.vocabulary import find

_FAMILIES = re.compile(
    r"__builtin_\w+|(?:vload|vstore)(?:a?_half)?(?:2|3|4|8|16)?(?:_rt[ezpn])?|ap_u?int\d+_t|u?int\d+_t"
    r"|intel_sub_group_\w+|(?:__)?(?:intel|ihc|acl|amd|nv)_\w+|async_work_group_\w+|__(?:pipelined|prefetching|burst)\w+"
)
_TYPES = re.compile(r"image\w+_t|intel\w*_t|ap_u?int\d+_t|u?int\d+_t|u?(?:char|short|int|long|half|float|double)\d+")
_LAST = 9_999


@cache
def _more() -> tuple[dict[str, tuple[int, int]], frozenset[str], frozenset[str]]:
    """Functions with how few and how many arguments they take, types, and constants."""
    path = Path(burstline_server.language.__file__).parent / "more.toml"
    data = tomllib.loads(path.read_text("utf-8"))
    functions = {}
    for counts, names in data["functions"].items():
        ends = [int(c) for c in counts.split()]
        functions.update(dict.fromkeys(names.split(), (ends[0], ends[-1])))
    return functions, frozenset(data["types"]["names"].split()), frozenset(data["constants"]["names"].split())


@lru_cache(4096)
def is_known(name: str) -> bool:
    """Whether a name is a constant, a function or a type of the language."""
    functions, _, constants = _more()
    if name in constants or name in functions or is_type(name) or _FAMILIES.fullmatch(name):
        return True
    return find(name, "function", "constant") is not None


@lru_cache(4096)
def is_type(name: str) -> bool:
    """Whether a name is a type of the language."""
    known = named(name).kind != "unknown" or name in _more()[1] or _TYPES.fullmatch(name) is not None
    return known or find(name, "type") is not None


@lru_cache(4096)
def arguments_of(name: str) -> tuple[int, int] | None:
    """The fewest and the most arguments that a function of the language takes; None where that is not known."""
    more = _more()[0].get(name)
    if more is not None:
        return more
    entry = find(name, "function")
    if entry is None or _FAMILIES.fullmatch(name):
        return None
    parameters = entry.parameters
    return (
        (len(parameters) - 1, _LAST) if parameters and parameters[-1] == "..." else (len(parameters), len(parameters))
    )


@lru_cache(4096)
def result_of(name: str) -> Type:
    """What a function of the language returns, where that is one integer; unknown otherwise."""
    return INT if re.fullmatch(r"get_(?:global|local|group|enqueued|num|work)_\w+|get_compute_id", name) else UNKNOWN
