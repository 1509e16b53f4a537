"""Messages out of a stream of bytes; a wrong header costs its own message, not those after it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import BinaryIO

MAX_MESSAGE_BYTES = 256_000_000
MAX_LINE_BYTES = 65_536
"""Headers are short: a longer line is the body of a message whose header was wrong."""
_CHUNK_BYTES = 65_536
# A header may follow directly on a body that is longer than announced.
_LENGTH = re.compile(rb"content-length:[ \t]*(\d{1,18})[ \t]*\r?\n", re.IGNORECASE)


class UnreadableMessage(bytes):
    """In place of a message that cannot be read: the reason, in words."""


class Framing:
    """Splits a stream into messages. Line ends inside JSON are escaped, so a header cannot be part of a body."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._buffer = bytearray()

    def messages(self) -> Iterator[bytes]:
        """The bodies, as they come, until the stream ends."""
        while (length := self._header()) is not None:
            if length < 0:
                yield UnreadableMessage(b"a message without a usable Content-Length")
                continue
            while len(self._buffer) < length and self._more():
                pass
            complete = len(self._buffer) >= length
            body = bytes(self._buffer[: self._end(length)])
            del self._buffer[: len(body)]
            yield body if complete else UnreadableMessage(b"a message that ends too early")

    def _end(self, length: int) -> int:
        """Where a body of this length ends: earlier, when a part of the next message is counted in."""
        following = _LENGTH.search(self._buffer, 0, length)
        return following.start() if following else self._buffer.rfind(b"}", 0, length) + 1 or length

    def _header(self) -> int | None:
        """The length that a header announces, -1 for one that gives none, None at the end of the stream."""
        length, seen = -1, False
        while (line := self._line()) is not None:
            if not line.strip():
                if seen:
                    return length if length <= MAX_MESSAGE_BYTES else -1
                continue
            seen = True
            found = _LENGTH.search(line)
            length = int(found[1]) if found is not None else length
        return None

    def _line(self) -> bytes | None:
        start = 0
        while (end := self._buffer.find(b"\n", start)) < 0:
            if len(self._buffer) > MAX_LINE_BYTES:
                del self._buffer[:-64]
            start = len(self._buffer)
            if not self._more():
                return None
        line = bytes(self._buffer[: end + 1])
        del self._buffer[: end + 1]
        return line

    def _more(self) -> bool:
        chunk = self._stream.read1(_CHUNK_BYTES)  # type: ignore[attr-defined]
        self._buffer += chunk
        return bool(chunk)
