"""From source text to an assessment, for tests."""

from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from burstline_server.assessment.assessor import Assessment, Assessor
from burstline_server.caches.bounded import BoundedCache
from burstline_server.config.layers import Layer

Asked = ParamSpec("Asked")
Answer = TypeVar("Answer")
MOST_KEPT = 64


def assess(text: str, path: str = "kernel.cl", **settings: Any) -> Assessment:
    """Assess a text under these settings."""
    return Assessor().assess(text, path, [Layer("file", settings)])


def once(function: Callable[Asked, Answer]) -> Callable[Asked, Answer]:
    """A function of texts and numbers alone, each answer of which is worked out once for the tests of a process.

    For tests that ask the same of the same kernel one after the other: what is tested is the answer.
    """
    kept: BoundedCache[str, tuple[Answer]] = BoundedCache(function.__name__, MOST_KEPT)

    @wraps(function)
    def known(*given: Asked.args, **named: Asked.kwargs) -> Answer:
        key = repr((given, sorted(named.items())))
        return (kept.find(key) or kept.keep(key, (function(*given, **named),)))[0]

    return known
