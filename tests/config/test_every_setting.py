"""Every option and setting with a wrong name, type, file and range: one clear line, exit status 2, no traceback.

The cases follow from the parsers and from the settings' schema: a new option has its own at once.
"""

import importlib
import io
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

import pytest

from burstline_server.clang.process import Clang
from burstline_server.cli.main import Parser, main
from burstline_server.config.settings import Settings
from burstline_server.words.commands import SUMMARIES

KERNEL = "__kernel void k(__global int *x, int n)\n{\n    for (int i = 0; i < n; i++)\n        x[i] = i;\n}\n"
WRONG = ("zz_no_such", "", "-1e999", "\N{SNOWMAN}" * 3, "a" * 5000, "[1", "1,2,3,4,5", "=", "x=", "k.cl/no")
OPEN = {"--help", "--version", "--pipe", "--tcp", "--stdio"}
GIVEN = {"explain": ["BL101"], "boards": ["list"], "schema": ["config"], "forget": [], "serve": None}
"""The words that a command needs; None: it does not end by itself."""
NEEDS_MORE = {"calibrate", "validate", "import-report"}
"""Commands whose input is no kernel."""


def options() -> Iterator[tuple[str, Any]]:
    """Every option of every command, as its parser has it."""
    for name in SUMMARIES:
        if GIVEN.get(name, []) is None or name in NEEDS_MORE:
            continue
        parser = Parser(prog="burstline")
        importlib.import_module(f"burstline_server.cli.{name.replace('-', '_')}").configure(parser)
        for action in parser._actions:
            if action.option_strings and not OPEN & set(action.option_strings):
                yield name, action


EVERY = [(name, action.option_strings[-1], action.nargs) for name, action in options()]


def run(words: list[str]) -> tuple[int, str]:
    """Exit status and what is written for errors."""
    errors = io.StringIO()
    with redirect_stdout(io.StringIO()), redirect_stderr(errors):
        try:
            status = main(words)
        except SystemExit as left:
            status = int(left.code or 0)
    return status, errors.getvalue()


@pytest.fixture
def words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, list[str]]:
    """What each command is given besides an option. Whether clang takes the kernel is asked elsewhere."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(Clang, "present", False)
    (tmp_path / "k.cl").write_text(KERNEL)
    return {name: [name, *(GIVEN.get(name) or ["k.cl"])] for name in SUMMARIES}


def refused(status: int, said: str) -> None:
    """One line of the command's own with what is wrong, and no figures."""
    assert status == 2
    lines = [line for line in said.splitlines() if not line.startswith("(see:")]
    assert len(lines) == 1, said
    assert lines[0].startswith("burstline: ")
    assert not any(word in said for word in ("Traceback", "pydantic", "Input should", "invalid literal")), said


TAKES_ANY = {
    "--output", "-o", "--output-file", "--resume", "--stdin-filename", "-D", "--define", "--title", "--color",
    "--write",
}  # fmt: skip
"""Options that take any text or file name there may be."""


@pytest.mark.parametrize(("command", "option", "nargs"), EVERY, ids=[f"{c} {o}" for c, o, _ in EVERY])
def test_a_wrong_value_of_an_option_is_reported(
    command: str, option: str, nargs: Any, words: dict[str, list[str]]
) -> None:  # fmt: skip
    if nargs == 0:
        refused(*run([*words[command], f"{option}=zz"]))
        return
    for value in WRONG:
        status, said = run([*words[command], f"{option}={value}"])
        assert status in {0, 1, 2}
        assert "Traceback" not in said
        if status == 2 or (value in {"zz_no_such", "[1"} and option not in TAKES_ANY):
            refused(status, said)


@pytest.mark.parametrize(("command", "option", "nargs"), EVERY, ids=[f"{c} {o}" for c, o, _ in EVERY])
def test_a_misspelt_option_is_reported_with_the_nearest(
    command: str, option: str, nargs: Any, words: dict[str, list[str]]
) -> None:
    if len(option) < 6:
        return
    status, said = run([*words[command], f"{option[:-2]}{option[-1]}{option[-2]}x", *(["1"] if nargs != 0 else [])])
    refused(status, said)
    assert "did you mean --" in said


def broken_settings() -> Iterator[tuple[str, str]]:
    """Each key of the settings, at the top and under a kernel, with values that it cannot have."""
    schema = Settings.model_json_schema()
    defs = schema.get("$defs", {})

    def keys(properties: dict[str, Any], above: str) -> Iterator[tuple[str, str]]:
        for key, of in properties.items():
            yield above, f"{key}x = 1"
            kinds = {one.get("type") for one in (of, *of.get("anyOf", ()))}
            for kind, value in (
                ("string", "{ a = 1 }"), ("integer", '"zz"'), ("number", '"zz"'), ("boolean", '"zz"'), ("array", "{}"),
                ("object", '"zz"'), ("any", "nan"), ("any", "1979-05-27"), ("any", "[[[[]]]]"),
            ):  # fmt: skip
                if kind == "any" or kind in kinds:
                    yield above, f"{key} = {value}"
            inner = of.get("additionalProperties")
            if isinstance(inner, dict) and "$ref" not in inner:
                yield above, f"{key} = {{ zz = [] }}"
                yield above, f'{key} = {{ "\\u0000" = {{ a = 1 }} }}'
        for of in properties.values():
            inner = of.get("additionalProperties")
            if isinstance(inner, dict) and "$ref" in inner:
                yield from keys(defs[inner["$ref"].rpartition("/")[2]]["properties"], "[kernels.k]\n")

    yield from keys(schema["properties"], "")


@pytest.mark.parametrize(("above", "line"), list(broken_settings()))
def test_a_wrong_setting_is_reported(above: str, line: str, words: dict[str, list[str]]) -> None:
    Path("burstline.toml").write_text(above + line + "\n")
    status, said = run(words["check"])
    assert status == 2, (line, said)
    assert said.startswith("burstline: ")
    assert "burstline.toml" in said
    assert not any(word in said for word in ("Traceback", "pydantic", "Input should", "invalid literal")), said
