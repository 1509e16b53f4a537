"""The cache with a bound, the sequence that makes its items when asked, and the page's list of all that is kept."""

import ast
import itertools
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from burstline_server.analysis.types import MAX_NAMED
from burstline_server.caches.bounded import BoundedCache
from burstline_server.caches.lazy import LazySequence

ROOT = Path(__file__).resolve().parents[1]


class Squares(LazySequence[int]):
    def __init__(self, size: int) -> None:
        super().__init__(size)
        self.asked: list[int] = []

    def make(self, number: int) -> int:
        self.asked.append(number)
        return number * number


def test_what_was_used_longest_ago_goes_first() -> None:
    cache = BoundedCache[str, int]("test", 2)
    cache.keep("a", 1)
    cache.keep("b", 2)
    assert cache.find("a") == 1
    cache.keep("c", 3)
    assert (cache.find("a"), cache.find("b"), cache.find("c")) == (1, None, 3)
    assert (cache.statistics.hits, cache.statistics.misses, cache.statistics.evicted) == (3, 1, 1)


def test_a_bound_on_weight_keeps_the_last_value_whatever_it_weighs() -> None:
    gone = list[str]()
    cache = BoundedCache[int, str]("test", 5, len, gone.append)
    cache.keep(1, "ab")
    cache.keep(2, "cd")
    cache.keep(2, "cde")
    cache.keep(3, "much too long")
    assert (len(cache), cache.find(3), gone) == (1, "much too long", ["ab", "cde"])
    assert cache.drop(3) == "much too long"
    assert cache.drop(3) is None
    assert len(cache) == 0


def test_items_are_made_once_and_only_when_asked_for() -> None:
    squares = Squares(5)
    assert (squares[2], squares[-1], list(squares[1:3])) == (4, 16, [1, 4])
    assert squares.asked == [2, 4, 1]
    assert list(squares) == [0, 1, 4, 9, 16]
    assert sorted(squares.asked) == [0, 1, 2, 3, 4]


@cache
def nodes() -> list[ast.AST]:
    """All syntax of the files of the server and the model that name a cache."""
    texts = (path.read_text("utf-8") for part in ("server", "model") for path in (ROOT / part).rglob("*.py"))
    return [node for text in texts if "cache" in text.lower() for node in ast.walk(ast.parse(text))]


def calls(name: str) -> Iterator[ast.Call]:
    """The calls of a name, also with types in brackets."""
    for node in (node for node in nodes() if isinstance(node, ast.Call)):
        function = node.func.value if isinstance(node.func, ast.Subscript) else node.func
        if isinstance(function, ast.Name) and function.id == name:
            yield node


def rows(heading: str) -> list[list[str]]:
    """The rows of the table of the page that begins with a heading."""
    lines = iter((ROOT / "docs" / "architecture.md").read_text("utf-8").splitlines())
    next(line for line in lines if line.startswith(f"| {heading} |"))
    return [line.strip("| ").split(" | ") for line in itertools.takewhile(lambda line: line.startswith("|"), lines)][1:]


def test_the_page_names_every_cache() -> None:
    made = [call.args[0] for call in calls("BoundedCache")]
    classes = [node for node in nodes() if isinstance(node, ast.ClassDef)]
    for one in classes:
        if any("BoundedCache[" in ast.unparse(base) for base in one.bases):
            begun = (n for n in ast.walk(one) if isinstance(n, ast.Call) and ast.unparse(n.func) == "super().__init__")
            made.append(next(begun).args[0])
    names = [node.value for node in made if isinstance(node, ast.Constant)]
    assert len(names) == len(made) == len(set(names))
    assert {row[0].partition(" (")[0] for row in rows("cache")} == {*names, "findings"}


def test_the_page_names_every_function_that_is_kept_with_its_bound() -> None:
    kept = dict[str, int]()
    for function in (node for node in nodes() if isinstance(node, ast.FunctionDef)):
        for decorator in function.decorator_list:
            if isinstance(decorator, ast.Call) and ast.unparse(decorator.func) == "lru_cache":
                (bound,) = [*decorator.args, *(keyword.value for keyword in decorator.keywords)]
                kept[function.name] = MAX_NAMED if ast.unparse(bound) == "MAX_NAMED" else ast.literal_eval(bound)
    said = dict[str, int]()
    for names, _, bounds in rows("functions"):
        functions = re.findall(r"`(\w+)`", names)
        numbers = [int(bound.replace(" ", "")) for bound in re.findall(r"\d[\d ]*", bounds)]
        said |= dict(zip(functions, numbers * len(functions) if len(numbers) == 1 else numbers, strict=True))
    assert said == kept


def test_the_rest_of_what_a_process_keeps_is_named_by_files() -> None:
    """`@cache` has no bound: what is asked by a text of the user's would grow."""
    arguments = {
        ast.unparse(function.args)
        for function in (node for node in nodes() if isinstance(node, ast.FunctionDef))
        if any(ast.unparse(decorator) == "cache" for decorator in function.decorator_list)
    }
    assert arguments == {"", "name: str", "code: str", "family: Family", "kind: Kind, space: str | None"}
