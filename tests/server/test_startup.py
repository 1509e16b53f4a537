"""What starting loads, and the protocol's types that are finished on first use. Each runs in a separate process."""

import subprocess
import sys
from pathlib import Path

from burstline_server.lsp.features.registry import MODULES
from tests.server.clients import RECORDED

TOUR = Path(__file__).parents[2] / "examples" / "tour.cl"
LATE = "from burstline_server.lsp.wire import lazy_types; lazy_types.load()\n"
SERVER = LATE + "from burstline_server.lsp.server import create_server; create_server()\n"
GREETED = """
import asyncio, json, sys

class Client:
    def write(self, data):
        assert b'"hoverProvider"' in data, data
        self.greeted = True

async def greet(announced):
    session, client = create_server(), Client()
    session.protocol.set_writer(client)
    params = {"processId": None, "rootUri": None, "capabilities": announced}
    message = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}
    session.protocol.receive(json.dumps(message).encode())
    await asyncio.sleep(0)
    assert client.greeted

asyncio.run(greet(json.load(open(sys.argv[1], encoding="utf-8"))["capabilities"]))
"""
LOADED = "import sys; print(*sys.modules, file=sys.stderr)\n"

LATE_MODULES = (
    "exploration.variant_edits", "exploration.jobs", "exploration.kernel_roofline", "lsp.pricing", "names.resolve",
    "names.table",
    "names.workspace_index", "presentation.report_build", "presentation.cards", "presentation.page.page",
    "presentation.view_build", "rewrites.catalogue",
)  # fmt: skip

TYPES = """
import json, re, sys
import attrs
from lsprotocol import converters, types

converter = converters.get_converter()
for file in sys.argv[1:]:
    announced = json.load(open(file, encoding="utf-8"))["capabilities"]
    read = converter.structure(announced, types.ClientCapabilities)
    print(read, json.dumps(converter.unstructure(read)))
for name, class_ in types.ALL_TYPES_MAP.items():
    if isinstance(class_, type) and attrs.has(class_):
        methods = [method for method in ("__init__", "__eq__", "__repr__", "__lt__") if method in vars(class_)]
        fields = [(f.name, f.type, f.default, f.validator, f.eq, f.order, f.init) for f in attrs.fields(class_)]
        print(name, class_.__hash__ is None, methods, re.sub(" at 0x[0-9a-f]+", "", repr(fields)))
"""

THREADS = """
from concurrent.futures import ThreadPoolExecutor
from lsprotocol import types

def place(line):
    return types.Range(types.Position(line, 0), types.Position(line, 9))

with ThreadPoolExecutor(16) as threads:
    print(all(range_.start.line == line for line, range_ in enumerate(threads.map(place, range(200)))))
"""


def run(program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", program, *arguments]
    return subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=True)


def test_checking_a_file_loads_neither_the_protocol_nor_the_rewrites() -> None:
    check = "from burstline_server.cli.main import main; main(['check', *__import__('sys').argv[1:]])\n"
    loaded = set(run(check + LOADED, str(TOUR)).stderr.split())
    assert "burstline_server.assessment.assessor" in loaded
    assert not loaded & {"lsprotocol", "pygls", "cattrs", "numpy", "burstline_server.rewrites.catalogue"}


def test_initialize_is_answered_before_anything_is_loaded_that_only_some_sessions_ask_for() -> None:
    loaded = set(run(SERVER + GREETED + LOADED, str(RECORDED / "vscode_1_139.json")).stderr.split())
    assert {
        "burstline_server.assessment.assessor",
        "burstline_server.diagnostics.catalogue",
        "burstline_model.estimate.kernel",
    } <= loaded
    assert not loaded & {f"burstline_server.lsp.features.{feature}" for feature in MODULES}
    assert not loaded & {f"burstline_server.{module}" for module in LATE_MODULES}
    assert not loaded & {"numpy", "distributed", "matplotlib", "tqdm", "burstline_model.explore.sweep"}


def test_the_rest_is_loaded_in_time_but_for_what_most_never_ask_for() -> None:
    rest = """
import asyncio
from burstline_server.lsp.features import registry

async def wait():
    registry.REST_S = 0
    await registry.load_rest(create_server())

asyncio.run(wait())
"""
    loaded = set(run(SERVER + rest + LOADED).stderr.split())
    assert {f"burstline_server.lsp.features.{feature}" for feature in MODULES} <= loaded
    assert "burstline_server.rewrites.catalogue" in loaded
    assert not loaded & {"numpy", "distributed", "matplotlib", "tqdm", "burstline_model.explore.sweep"}


def test_a_server_starts_with_nearly_all_types_of_the_protocol_unfinished() -> None:
    count = (
        "import attrs; from lsprotocol import types\n"
        "own = [vars(c).get('__attrs_attrs__') for c in vars(types).values() if isinstance(c, type)]\n"
        "print(sum(type(a) is lazy_types._Unfinished for a in own), sum(isinstance(a, tuple) for a in own))"
    )
    unfinished, finished = map(int, run(SERVER + GREETED + count, str(RECORDED / "vscode_1_139.json")).stdout.split())
    assert unfinished > 500
    assert finished < 40


def test_types_finished_late_are_those_of_the_library() -> None:
    files = sorted(str(file) for file in RECORDED.glob("*.json"))
    library = run(TYPES, *files).stdout.splitlines()
    assert len(library) > 500
    assert run(LATE + TYPES, *files).stdout.splitlines() == library


def test_threads_that_use_a_type_at_once_all_get_it_finished() -> None:
    assert run(LATE + THREADS).stdout == "True\n"


def test_types_that_are_loaded_already_stay_as_they_are() -> None:
    program = "from lsprotocol import types\n" + LATE + "print(types.Position(1, 2) < types.Position(1, 3))"
    assert run(program).stdout == "True\n"
