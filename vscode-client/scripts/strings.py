"""Writes the texts that translators start from: vscode-client/l10n/bundle.l10n.json, from the extension's source.

python vscode-client/scripts/strings.py
"""

from __future__ import annotations

import json
import re
from pathlib import Path

CLIENT = Path(__file__).resolve().parents[1]
BUNDLE = CLIENT / "l10n" / "bundle.l10n.json"
_TEXT = re.compile(r'l10n\.t\(\s*("(?:[^"\\]|\\.)*")')


def bundle() -> str:
    """The bundle as the source has the texts now."""
    sources = sorted((CLIENT / "src").rglob("*.ts"))
    texts = {json.loads(text) for source in sources for text in _TEXT.findall(source.read_text("utf-8"))}
    return json.dumps({text: text for text in sorted(texts)}, indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    BUNDLE.write_text(bundle(), "utf-8")
