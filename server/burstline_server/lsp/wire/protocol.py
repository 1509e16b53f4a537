"""The protocol's rules for what should not come: every request is answered once, and nothing else is lost for it."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

from lsprotocol import types
from pygls.exceptions import (
    JsonRpcException,
    JsonRpcInternalError,
    JsonRpcInvalidParams,
    JsonRpcInvalidRequest,
    JsonRpcParseError,
    JsonRpcServerNotInitialized,
)
from pygls.protocol import LanguageServerProtocol

from burstline_server.lsp.wire.framing import UnreadableMessage

_log = logging.getLogger(__name__)
MANY_UNANSWERED = 64
"""From so many requests that wait for an answer on, these come before more is read."""
logging.getLogger("pygls.protocol.json_rpc").addFilter(
    lambda record: "deserialize" not in str(record.msg)  # it is refused in one line here
)
_OWN_TEXTS = (types.TEXT_DOCUMENT_DID_OPEN, types.TEXT_DOCUMENT_DID_CHANGE, types.TEXT_DOCUMENT_DID_CLOSE)


def _names_a_request(params: object) -> bool:
    return isinstance(params, dict) and isinstance(params.get("id"), int | str)


class Json(tuple[bytes, ...]):
    """Pieces of what is JSON already: to write thousands of findings anew takes longer than to find them."""

    __slots__ = ()


class Protocol(LanguageServerProtocol):
    """pygls' protocol, for clients that make mistakes."""

    _leaving = False
    """Whether the client has said `shutdown`."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.left = False
        """Whether the client has said `exit`."""
        self.late: dict[str, Callable[[], None]] = {}
        """What loads the handler of a method or command that was not called yet."""
        # The session keeps the texts; a second copy of each would be edited as well.
        for method in _OWN_TEXTS:
            del self.fm.builtin_features[method]
        self.fm.builtin_features.update({types.SHUTDOWN: self._shut_down, types.EXIT: self._leave})

    @property
    def status(self) -> int:
        """The exit status that the protocol asks for: 0 once the client has asked for the end, 1 before."""
        return 0 if self._leaving else 1

    @property
    def unanswered(self) -> bool:
        """Whether the client still waits for something."""
        return any(isinstance(future, asyncio.Future) for future in self._request_futures.values())

    @property
    def busy(self) -> bool:
        """Whether many requests are not answered yet."""
        return len(self._request_futures) > MANY_UNANSWERED

    def receive(self, body: bytes) -> None:
        """Handle one message. A request that cannot be understood is answered with what is wrong with it."""
        if isinstance(body, UnreadableMessage):
            self._refuse(None, JsonRpcParseError(body.decode()))
            return
        try:
            data = json.loads(body.decode("utf-8", "replace"))
        except (ValueError, RecursionError) as error:
            self._refuse(None, JsonRpcParseError(f"not JSON: {error}"))
            return
        known = isinstance(data, dict) and data.get("jsonrpc") == self.VERSION
        if not known or not isinstance(data.get("id"), int | str | None):
            self._refuse(None, JsonRpcInvalidRequest(f"not a message of JSON-RPC {self.VERSION}"))
            return
        if "method" in data:
            self._take_call(data)
        else:
            self._take_answer(data)

    def _send_data(self, data: Any) -> None:
        ready = next((n for n in ("result", "params") if isinstance(getattr(data, n, None), Json)), None)
        if ready is None or self.writer is None:
            super()._send_data(data)
            return
        known = {"method": data.method} if ready == "params" else {"id": data.id}
        head = json.dumps({"jsonrpc": self.VERSION, **known})
        body = (f'{head[:-1]}, "{ready}": '.encode(), *getattr(data, ready), b"}")
        self.writer.write(b"".join((b"Content-Length: %d\r\n\r\n" % sum(map(len, body)), *body)))

    def _serialize_message(self, data: Any) -> dict[str, Any]:
        """What is plain already is sent as it is."""
        if isinstance(result := getattr(data, "result", None), dict):
            return {"jsonrpc": self.VERSION, "id": data.id, "result": result}
        if isinstance(params := getattr(data, "params", None), dict) and not hasattr(data, "id"):
            return {"jsonrpc": self.VERSION, "method": data.method, "params": params}
        return super()._serialize_message(data)

    def _take_call(self, data: dict[str, Any]) -> None:
        """A request, or a notification without an id."""
        number, method = data.get("id"), data["method"]
        if (wrong := self._untimely(method)) is not None:
            self._refuse(number, wrong)
            return
        if method == types.CANCEL_REQUEST and not _names_a_request(data.get("params")):
            self._refuse(number, JsonRpcInvalidParams("a request to be cancelled is named by a number or a text"))
            return
        if self.get_message_type(method) is None:
            data.setdefault("params", None)
        try:
            message = self.structure_message(data)
        except JsonRpcException as error:
            why = repr(error.__cause__)[:200]
            self._refuse(number, JsonRpcInvalidParams(f"the parameters of {method} cannot be read: {why}"))
            return
        called = message.params.command if method == types.WORKSPACE_EXECUTE_COMMAND else method
        try:
            if called in self.late:
                self.late[called]()
        except Exception:  # noqa: BLE001 - a broken installation costs what is broken
            _log.exception("%s could not be loaded", called)
            self._refuse(number, JsonRpcInternalError(f"what answers {called} could not be loaded"))
            return
        self.handle_message(message)

    def _take_answer(self, data: dict[str, Any]) -> None:
        """The client's answer to a request of the server; one that cannot be read counts as a refusal."""
        number: Any = data.get("id")
        waiting = self._request_futures.get(number)
        if waiting is None or waiting.done():  # who asked has stopped waiting
            self._request_futures.pop(number, None)
            self._result_types.pop(number, None)
            return
        try:
            message = self.structure_message(data)
        except JsonRpcException:
            error = types.ResponseError(types.ErrorCodes.InvalidParams, "the answer cannot be read")
            self._handle_response(number, error=error)
            return
        self.handle_message(message)

    def _untimely(self, method: object) -> JsonRpcException | None:
        """Why a method may not be called now."""
        if method == types.EXIT:
            return None
        if not isinstance(method, str):
            return JsonRpcInvalidRequest("a method is a string")
        if self._leaving:
            return JsonRpcInvalidRequest("the server is shutting down")
        if method == types.INITIALIZE:
            return JsonRpcInvalidRequest("already initialized") if self._is_initialized else None
        return None if self._is_initialized else JsonRpcServerNotInitialized()

    @property
    def _is_initialized(self) -> bool:
        try:
            return self.workspace is not None
        except RuntimeError:  # how pygls says that there is none yet
            return False

    def _refuse(self, number: int | str | None, error: JsonRpcException) -> None:
        """Answer a request with an error; what cannot be answered is logged."""
        _log.warning("refused: %s", error.message)
        if number is not None or isinstance(error, JsonRpcParseError):
            failure = {"code": error.code, "message": error.message}
            self._send_data({"jsonrpc": self.VERSION, "id": number, "error": failure})

    def _execute_handler(
        self, msg_id: int | str, handler: Callable[..., Any], callback: Callable[..., None], *given: Any, **named: Any
    ) -> None:
        """A handler's future goes once it is done: pygls keeps those of notifications for ever."""

        def done(future: Future[Any]) -> None:
            self._request_futures.pop(msg_id, None)
            callback(future)

        super()._execute_handler(msg_id, handler, done, *given, **named)

    def _send_handler_result(self, future: Future[Any], *, msg_id: int | str) -> None:
        """Answer with what a handler gave; a refusal that it means is no fault to be logged."""
        error = None if future.cancelled() else future.exception()
        if isinstance(error, JsonRpcException):
            self._request_futures.pop(msg_id, None)
            self._send_response(msg_id, error=error.to_response_error())
        else:
            super()._send_handler_result(future, msg_id=msg_id)

    def _shut_down(self, _params: object) -> None:
        """The client wants to leave: nothing that it still waits for is worth finishing."""
        for future in list(self._request_futures.values()):
            future.cancel()
        self._leaving = True

    def _leave(self, _params: object) -> None:
        self.left = True
