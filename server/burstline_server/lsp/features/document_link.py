"""textDocument/documentLink: includes that were found lead to their files."""

from __future__ import annotations

import re
from pathlib import Path

from lsprotocol import types

from burstline_model.facts import Span
from burstline_server.lsp.session import Session

_FILE = re.compile(rb'["<]([^"<>]*)[">]')


async def document_link(ls: Session, params: types.DocumentLinkParams) -> list[types.DocumentLink]:
    """Answer document links."""
    found = await ls.served("document_link", params.text_document.uri)
    if found is None:
        return []
    source = found[1]
    # What an included file includes is shown at the same directive, after it.
    direct = {(start, end): file for start, end, file in reversed(source.includes)}
    links = []
    for (start, end), file in sorted(direct.items()):
        name = _FILE.search(source.original, start, end)
        if file is not None and name is not None:
            span = Span(start=name.start(1), end=name.end(1))
            links.append(types.DocumentLink(ls.range_of(source, span), target=Path(file).as_uri()))
    return links
