"""One client served from its first message to its last."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import BinaryIO

from burstline_server.lsp.session import Session
from burstline_server.lsp.wire.streams import FAREWELL_S, Inbox, Outbox

LOOK_AGAIN_S = 0.02


async def serve(session: Session, incoming: BinaryIO, outgoing: BinaryIO) -> int:
    """Serve a client until it leaves or is gone; returns the exit status that the protocol asks for."""
    protocol = session.protocol
    inbox = Inbox(incoming)
    outbox = Outbox(outgoing, inbox)
    protocol.set_writer(outbox)
    while not (protocol.left or outbox.gone) and (message := await inbox.next()) is not None:
        protocol.receive(message)
        if protocol.busy:
            await asyncio.sleep(0)  # answers come before more is read
        while outbox.full:
            await asyncio.sleep(LOOK_AGAIN_S)
    with suppress(TimeoutError):
        async with asyncio.timeout(FAREWELL_S):
            while protocol.status == 0 and protocol.unanswered:
                await asyncio.sleep(0)
    outbox.close()
    session.shutdown()
    return protocol.status
