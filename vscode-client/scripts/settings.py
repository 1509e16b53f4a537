"""Writes the server's settings into the extension: package.json, package.nls.json and docs/editors/vscode.md.

python vscode-client/scripts/settings.py
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from burstline_server.config.settings import Settings

CLIENT = Path(__file__).resolve().parents[1]
PAGE = CLIENT.parent / "docs" / "editors" / "vscode.md"
BEGIN, END = "<!-- settings -->", "<!-- /settings -->"


def files() -> dict[Path, str]:
    """The text of each file with the settings as the server has them now."""
    schema = Settings.model_json_schema()
    settings = {name: _inlined(one, schema["$defs"]) for name, one in schema["properties"].items()}
    package, strings = CLIENT / "package.json", CLIENT / "package.nls.json"
    return {
        package: _package(package.read_text("utf-8"), settings),
        strings: _strings(json.loads(strings.read_text("utf-8")), settings),
        PAGE: _page(PAGE.read_text("utf-8"), settings),
    }


def _package(text: str, settings: dict[str, Any]) -> str:
    """The manifest with one property for each setting, each on a line; what is written by hand stays as it is."""
    properties = [
        f"          {json.dumps(f'burstline.{name}')}: {json.dumps(_property(name, one), ensure_ascii=False)}"
        for name, one in settings.items()
    ]
    head, _, rest = text.partition('"title": "%settings.analysis%",')
    tail = rest[rest.index("\n    ],") :]
    block = ",\n".join(properties)
    return f'{head}"title": "%settings.analysis%",\n        "properties": {{\n{block}\n        }}\n      }}{tail}'


def _property(name: str, setting: dict[str, Any]) -> dict[str, Any]:
    """A setting as the editor declares it: of a resource, since the server reads all of them file by file."""
    shown = {k: v for k, v in setting.items() if k != "description"}
    return {**shown, "scope": "resource", "markdownDescription": f"%setting.{name}%"}


def _strings(strings: dict[str, str], settings: dict[str, Any]) -> str:
    own = {k: v for k, v in strings.items() if not k.startswith("setting.") or "." in k.removeprefix("setting.")}
    texts = {f"setting.{name}": one["description"] for name, one in settings.items()}
    return json.dumps({**own, **texts}, indent=2, ensure_ascii=False) + "\n"


def _page(text: str, settings: dict[str, Any]) -> str:
    rows = ["| setting | default | what |", "|---|---|---|"]
    for name, one in settings.items():
        default = json.dumps(one["default"]) if one["default"] not in (None, {}, []) else "–"
        choices = [c for c in one.get("enum", []) if c is not None]
        values = f" One of {', '.join(f'`{c}`' for c in choices)}." if choices else ""
        rows.append(f"| `burstline.{name}` | {default} | {one['description']}{values} |")
    head, _, rest = text.partition(BEGIN)
    tail = rest.partition(END)[2]
    return "\n".join([head + BEGIN, *rows, END]) + tail


def _inlined(value: Any, records: dict[str, Any]) -> Any:
    """A schema without references, titles, or a choice between one type and null, none of which the editor shows."""
    if isinstance(value, list):
        return [_inlined(one, records) for one in value]
    if not isinstance(value, dict):
        return value
    if "$ref" in value:
        value = {**records[value["$ref"].rpartition("/")[2]], **value}
    titled = isinstance(value.get("title"), str)
    plain = {k: _inlined(v, records) for k, v in value.items() if k != "$ref" and not (k == "title" and titled)}
    choice = plain.get("anyOf", [])
    if len(choice) == 2 and choice[1] == {"type": "null"}:
        only = choice[0]
        nullable = {**only, "type": [only["type"], "null"]}
        if "enum" in only:
            nullable["enum"] = [*only["enum"], None]
        plain = {**{k: v for k, v in plain.items() if k != "anyOf"}, **nullable}
    elif len(choice) == 2 and choice[1].get("type") == "object":
        return choice[0]  # a table of fields: the editor's form has a row for each path (size.x) instead
    return plain


if __name__ == "__main__":
    for path, text in files().items():
        path.write_text(text, "utf-8")
