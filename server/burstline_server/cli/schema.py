"""``burstline schema``: the JSON schema of the answers, or of burstline.toml and the editor settings."""

from __future__ import annotations

import argparse
import json
import sys

from burstline_server.config.settings import Settings
from burstline_server.presentation.report import json_schema


def configure(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    parser.add_argument("what", choices=("output", "config"))


def run(arguments: argparse.Namespace) -> int:
    """Print a schema."""
    schema = json_schema() if arguments.what == "output" else Settings.model_json_schema()
    sys.stdout.write(json.dumps(schema, indent=2, ensure_ascii=False) + "\n")
    return 0
