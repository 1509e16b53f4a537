"""A client's two streams, each with its own thread: neither a silent nor a slow client holds the session up."""

from __future__ import annotations

import asyncio
import logging
import threading
from contextlib import suppress
from queue import SimpleQueue
from typing import BinaryIO

from burstline_server.lsp.wire.framing import Framing

MAX_UNHANDLED = 256
"""Most messages that are read before the first of them is handled."""
MAX_UNSENT_BYTES = 16_000_000
"""More than this unsent, and nothing is read until the client has taken some of it."""
FAREWELL_S = 2.0
"""How long a leaving client is given to take what it was answered."""

_log = logging.getLogger(__name__)


class Inbox:
    """The messages of a client, in order; None once it is gone."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._loop = asyncio.get_running_loop()
        self._messages: asyncio.Queue[bytes | None] = asyncio.Queue()
        self._room = threading.Semaphore(MAX_UNHANDLED)
        threading.Thread(target=self._read, name="inbox", daemon=True).start()

    async def next(self) -> bytes | None:
        """The next message."""
        message = await self._messages.get()
        self._room.release()
        return message

    def close(self) -> None:
        """Nothing comes any more."""
        self._put(None)

    def _read(self) -> None:
        try:
            for message in Framing(self._stream).messages():
                self._room.acquire()
                self._put(message)
        except (OSError, ValueError) as error:
            _log.warning("the client cannot be read: %s", error)
        self._put(None)

    def _put(self, message: bytes | None) -> None:
        with suppress(RuntimeError):  # the session is over
            self._loop.call_soon_threadsafe(self._messages.put_nowait, message)


class Outbox:
    """Sends to a client, in order, without making the sender wait. `inbox` is closed when the client takes no more."""

    def __init__(self, stream: BinaryIO, inbox: Inbox) -> None:
        self._stream = stream
        self._inbox = inbox
        self._waiting: SimpleQueue[bytes | None] = SimpleQueue()
        self._lock = threading.Lock()
        self._unsent = 0
        self.gone = False
        """Whether the client takes nothing any more."""
        self._thread = threading.Thread(target=self._write, name="outbox", daemon=True)
        self._thread.start()

    @property
    def full(self) -> bool:
        """Whether the client leaves more unread than it should."""
        return self._unsent > MAX_UNSENT_BYTES and not self.gone

    def write(self, data: bytes) -> None:
        """Send a message."""
        self._count(len(data))
        self._waiting.put(data)

    def close(self) -> None:
        """Send what is waiting, unless the client does not take it."""
        self._waiting.put(None)
        self._thread.join(FAREWELL_S)

    def _count(self, more: int) -> None:
        with self._lock:
            self._unsent += more

    def _write(self) -> None:
        while (data := self._waiting.get()) is not None:
            try:
                self._stream.write(data)
                self._stream.flush()
            except (OSError, ValueError) as error:
                _log.warning("the client cannot be written to: %s", error)
                self.gone = True
                self._inbox.close()
                return
            self._count(-len(data))
