"""initialize and initialized: what depends on what the editor can do."""

from __future__ import annotations

import asyncio

from lsprotocol import types

from burstline_server.lsp.features import configuration, diagnostic, registry, text_document_content, watched_files
from burstline_server.lsp.session import Session


def register(session: Session) -> None:
    """Greet the editor."""

    @session.feature(types.INITIALIZE)
    def initialize(ls: Session, params: types.InitializeParams) -> None:
        options = params.initialization_options
        others = options.get("otherServers") if isinstance(options, dict) else None
        ls.other_servers = tuple(str(name) for name in others) if isinstance(others, list | tuple) else ()
        ls.follows_commands = isinstance(options, dict) and options.get("commandLinks") is True
        diagnostic.register(ls)

    @session.feature(types.INITIALIZED)
    async def initialized(ls: Session, _params: types.InitializedParams) -> None:
        await configuration.start(ls)
        await watched_files.start(ls)
        await text_document_content.start(ls)
        ls.keep(asyncio.get_running_loop().create_task(registry.load_rest(ls)))
