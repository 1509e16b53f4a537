"""Data flows one way: each room has a row with what it may import, and no import runs back up."""

import ast
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SERVER = ROOT / "server" / "burstline_server"
MODEL = ROOT / "model" / "burstline_model"


MODEL_ROOMS = {
    "files": "",
    "record_class": "",
    "record": "pydantic pydantic_core record_class",
    "polynomial": "record",
    "body_operations": "record",
    "declared_ports": "record",
    "read_elsewhere": "record",
    "unasked": "record",
    "facts": "body_operations declared_ports polynomial read_elsewhere record unasked",
    "uncounted": "facts",
    "launch": "record",
    "target": "record",
    "lsu": "facts polynomial record",
    "devices": "record target pydantic",
    "boards": "devices files record target pydantic",
    "parallelism": "facts launch lsu polynomial record unasked pydantic",
    "vendor_report": "devices facts files lsu record",
    "middle": "facts parallelism polynomial target unasked",
    "walk": "facts lsu parallelism polynomial record",
    "resources": "boards body_operations devices facts launch lsu parallelism record target",
    "memory": "boards facts launch lsu parallelism record walk",
    "validation": "boards memory record",
    "compiler": "facts launch lsu parallelism polynomial record target walk",
    "pipeline": "body_operations compiler declared_ports devices facts lsu parallelism polynomial record target",
    "estimate": "boards body_operations compiler devices facts launch lsu memory parallelism pipeline "
    "polynomial record resources target uncounted walk",
    "explore": "boards body_operations compiler devices facts launch lsu memory parallelism pipeline record resources "
    "target walk numpy",
}
"""What each folder or top-level module of the model may import, from the ground up: no row names one below it."""

SERVER_ROOMS = {
    "caches": "",
    "language": "",
    "quantities": "",
    "version": "",
    "commands": "caches model.files",
    "source": "model.facts model.files model.record tree_sitter tree_sitter_c",
    "host": "caches model.files tree_sitter tree_sitter_c",
    "analysis": "caches source model.body_operations model.declared_ports model.facts model.middle model.polynomial "
    "model.record tree_sitter",
    "interpreter": "analysis model.polynomial model.record source tree_sitter",
    "names": "analysis caches language source model.facts model.files tree_sitter",
    "faults": "analysis language source model.facts model.parallelism model.record tree_sitter",
    "clang": "faults source",
    "llvm": "analysis caches clang source model.compiler model.facts model.lsu model.polynomial model.read_elsewhere "
    "model.record model.target",
    "config": "analysis caches commands source model.boards model.facts model.files model.launch model.record "
    "model.target annotated_types pydantic pydantic_core",
    "assessment": "analysis caches commands config faults host source model.boards model.compiler model.estimate "
    "model.facts model.files model.launch model.lsu model.middle model.record model.resources model.target "
    "model.vendor_report",
    "diagnostics": "analysis assessment config faults source model.estimate model.facts model.lsu model.memory "
    "model.pipeline model.record",
    "validation": "assessment config source model.boards model.compiler model.facts model.launch model.memory "
    "model.parallelism model.record model.target model.validation model.vendor_report",
    "rewrites": "analysis assessment caches config diagnostics host interpreter language source model.boards "
    "model.body_operations model.devices model.estimate model.facts model.lsu model.memory model.parallelism "
    "model.pipeline model.polynomial model.record tree_sitter",
    "words": "assessment config diagnostics interpreter llvm names quantities rewrites source validation "
    "model.boards model.body_operations model.devices model.estimate model.explore model.facts model.lsu "
    "model.middle model.parallelism model.pipeline model.record model.resources model.target model.uncounted "
    "model.validation model.vendor_report model.walk",
    "exploration": "analysis assessment config faults interpreter source words rewrites model.compiler model.devices "
    "model.estimate model.explore model.facts model.parallelism model.record distributed pydantic",
    "presentation": "assessment commands diagnostics exploration language names words quantities rewrites "
    "source validation version model.boards model.compiler model.devices model.estimate model.facts model.launch "
    "model.lsu model.pipeline model.record model.resources model.target model.vendor_report matplotlib pydantic",
    "presentation/page": "presentation",
    "lsp/wire": "attrs cattrs lsprotocol pygls",
    "lsp": "analysis assessment clang commands config diagnostics host interpreter llvm lsp/wire names words rewrites "
    "source version model.facts lsprotocol platformdirs pygls",
    "lsp/features": "assessment config diagnostics exploration host interpreter language lsp lsp/wire names "
    "presentation presentation/page words rewrites source model.facts lsprotocol pydantic "
    "pygls",
    "lsp/server": "lsp lsp/features",
    "cli": "analysis assessment clang commands config diagnostics exploration faults host interpreter llvm lsp "
    "lsp/server lsp/wire presentation presentation/page words quantities rewrites source validation "
    "version model.boards model.devices model.estimate model.files model.parallelism model.uncounted model.validation "
    "model.vendor_report shtab tqdm",
}
"""The same of the server, a part of a folder in a row of its own where it may import other things than the rest."""

ROOMS = (
    ("burstline_model", MODEL, MODEL_ROOMS),
    ("burstline_server", SERVER, SERVER_ROOMS),
)


def modules_of(tree: ast.AST) -> Iterator[str]:
    """Every module that a file imports, also inside functions and for types alone."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.module is not None, "a relative import"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


@cache
def modules_in(path: Path) -> list[str]:
    """Those that a file imports."""
    return [*modules_of(ast.parse(path.read_text("utf-8")))]


def room_of(parts: Sequence[str], rooms: Iterable[str]) -> str:
    """The longest room that a path inside a package lies in; empty for the package's face and for an unknown room."""
    path = "/".join(parts)
    return max((room for room in rooms if f"{path}/".startswith(f"{room}/")), key=len, default="")


def room_of_import(module: str, package: str) -> str:
    """What a room names to be allowed an import; empty for the standard library."""
    top, *inside = module.split(".")
    if top in sys.stdlib_module_names:
        return ""
    for name, _, rooms in ROOMS:
        if top == name:
            room = room_of(inside, rooms) or module
            return room if name == package else f"model.{room}" if name == "burstline_model" else module
    return top


def imports_by_room(package: str, folder: Path, rooms: Iterable[str]) -> dict[str, set[str]]:
    """What the files of each room import from outside it."""
    found = dict[str, set[str]]()
    for path in folder.rglob("*.py"):
        parts = path.relative_to(folder).with_suffix("").parts
        if parts == ("__init__",):
            continue
        room = room_of(parts, rooms) or parts[0]
        named = {room_of_import(m, package) for m in modules_in(path)}
        found.setdefault(room, set()).update(named - {"", room})
    return found


@pytest.mark.parametrize(("package", "folder", "rooms"), ROOMS, ids=[package for package, *_ in ROOMS])
def test_each_room_imports_what_its_row_allows_and_nothing_else(
    package: str, folder: Path, rooms: dict[str, str]
) -> None:
    allowed = {room: set(row.split()) for room, row in rooms.items()}
    assert imports_by_room(package, folder, rooms) == allowed


@pytest.mark.parametrize(("package", "folder", "rooms"), ROOMS, ids=[package for package, *_ in ROOMS])
def test_the_page_has_a_row_for_each_room(package: str, folder: Path, rooms: dict[str, str]) -> None:
    page = (ROOT / "docs" / "architecture.md").read_text("utf-8")
    rows = " ".join(line.split("|")[1] for line in page.splitlines() if line.startswith("| `"))
    paths = {room: f"{room}/" if (folder / room).is_dir() else f"{room}.py" for room in rooms if "/" not in room}
    assert [path for path in paths.values() if f"`{path}`" not in rows] == [], package


def circles_of(arrows: Mapping[str, set[str]]) -> set[str]:
    """What is left of a graph once everything has gone that leads to nothing else: circles, and what leads to them."""
    left = {name: set(to) for name, to in arrows.items()}
    while ends := [name for name, to in left.items() if not to & left.keys()]:
        for name in ends:
            del left[name]
    return set(left)


@pytest.mark.parametrize(("package", "folder", "rooms"), ROOMS, ids=[package for package, *_ in ROOMS])
def test_no_files_import_each_other_in_a_circle(package: str, folder: Path, rooms: dict[str, str]) -> None:
    """Also not for types alone, or from within a function."""
    assert rooms
    files = {".".join((package, *p.relative_to(folder).with_suffix("").parts)): p for p in folder.rglob("*.py")}
    arrows = {
        name: {m if m in files else m.rpartition(".")[0] for m in modules_in(path)}
        for name, path in files.items()
        if path.stem != "__init__"
    }
    assert circles_of(arrows) == set()


def test_every_function_and_class_is_used() -> None:
    """What has a decorator is reached through it; the names below are those that libraries call."""
    everything = [p for part in ("server", "model", "tests", "bench") for p in (ROOT / part).rglob("*.py")]
    texts = [path.read_text("utf-8") for path in everything]
    words = Counter(word for text in texts for word in re.findall(r"\w+", text))
    defined = re.compile(r"\b(?:def|class)\s+(\w+)")
    texts = [text for text in texts if any(words[name] == 1 for name in defined.findall(text))]
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    made = (n for text in texts for n in ast.walk(ast.parse(text)) if isinstance(n, kinds))
    library = re.compile(r"__\w+__|test_\w+|visit_\w+|handle_\w+|model_post_init|pytest_\w+|teardown")
    unused = {n.name for n in made if words[n.name] == 1 and not n.decorator_list and not library.fullmatch(n.name)}
    assert unused == set()


def test_a_base_name_means_one_thing() -> None:
    """Rooms that put another one's subject into words, commands or methods have its name, and every room its list."""
    named = dict[str, list[str]]()
    for path in [*MODEL.rglob("*.py"), *SERVER.rglob("*.py")]:
        room = path.parent.relative_to(SERVER if SERVER in path.parents else MODEL).as_posix()
        if room not in {"words", "cli", "lsp/features"}:
            named.setdefault(path.stem, []).append(room)
    several = {name: sorted(rooms) for name, rooms in named.items() if len(rooms) > 1}
    several.pop("__init__")
    assert several == {"catalogue": ["diagnostics", "rewrites"], "reasons": ["diagnostics", "rewrites"]}


@pytest.mark.parametrize("page", ["docs/architecture.md", "CONTRIBUTING.md"])
def test_files_that_the_pages_name_exist(page: str) -> None:
    named = re.findall(r"`([\w/]+/\w+\.(?:py|ts|js|toml))`", (ROOT / page).read_text("utf-8"))
    given = [path for path in named if not re.search(r"NAME|NNN", path)]
    assert given
    assert [path for path in given if not any((folder / path).is_file() for folder in (SERVER, MODEL, ROOT))] == []


def test_the_page_names_functions_of_the_files_that_it_says() -> None:
    """Where something is written twice, the page has the pairs."""
    page = (ROOT / "docs" / "architecture.md").read_text("utf-8")
    named = re.findall(r"`(\w+/\w+\.py)`: ((?:`\w+`(?:, )?)+)", page)
    assert named
    for path, functions in named:
        text = (MODEL / path).read_text("utf-8")
        gone = [name for name in re.findall(r"\w+", functions) if not re.search(rf"(def|class) {name}\b", text)]
        assert gone == [], path


@pytest.mark.parametrize("rooms", [MODEL_ROOMS, SERVER_ROOMS], ids=["model", "server"])
def test_no_room_may_import_one_above_it(rooms: dict[str, str]) -> None:
    floors = list(rooms)
    back = [(room, up) for room, row in rooms.items() for up in row.split() if up in floors[floors.index(room) :]]
    assert back == []


def test_a_room_without_a_row_is_found(tmp_path: Path) -> None:
    (tmp_path / "attic").mkdir()
    (tmp_path / "attic" / "box.py").write_text("from burstline_model.facts import Access\nimport numpy\n", "utf-8")
    assert imports_by_room("burstline_server", tmp_path, SERVER_ROOMS) == {"attic": {"model.facts", "numpy"}}


def test_the_command_line_does_not_load_the_protocol_library() -> None:
    files = [p for p in (SERVER / "cli").glob("*.py") if p.name != "serve.py"]
    assert files
    for path in files:
        assert "lsprotocol" not in path.read_text("utf-8")
        assert "pygls" not in path.read_text("utf-8")


def test_arrays_stay_in_the_exploration() -> None:
    users = {p for p in [*MODEL.rglob("*.py"), *SERVER.rglob("*.py")] if "import numpy" in p.read_text("utf-8")}
    assert {p.parent for p in users} == {MODEL / "explore"}


def test_checking_a_file_does_not_load_the_array_library() -> None:
    program = (
        "import sys; from burstline_server.cli.main import main; code = main(['check', sys.argv[1]]); "
        "import burstline_server.lsp.server; sys.exit(code or 'numpy' in sys.modules)"
    )
    command = [sys.executable, "-c", program, str(ROOT / "examples" / "tour.cl")]
    assert subprocess.run(command, capture_output=True, check=False).returncode == 0


def test_no_answer_depends_on_the_time_of_day() -> None:
    files = [*MODEL.rglob("*.py"), *SERVER.rglob("*.py")]
    clocks = ("time.time", "datetime", "localtime", "gmtime")
    assert [p.name for p in files if any(clock in p.read_text("utf-8") for clock in clocks)] == []


def test_each_cache_has_its_row_in_the_table() -> None:
    table = (ROOT / "docs" / "architecture.md").read_text("utf-8").split("| cache | key |")[1].split("\n\n")[0]
    rows = {line.split("|")[1].split("(")[0].strip() for line in table.splitlines()[2:]}
    named = re.compile(r'(?:BoundedCache(?:\[.*\])?|super\(\).__init__)\(\s*"([^"]+)"')
    caches = {name for path in SERVER.rglob("*.py") for name in named.findall(path.read_text("utf-8"))}
    assert caches
    assert caches - rows == set()


def test_nothing_is_forgotten_by_hand() -> None:
    users = [path.name for path in SERVER.rglob("*.py") if "OrderedDict" in path.read_text("utf-8")]
    assert users == ["bounded.py"]
