"""burstline/status and burstline/boards: what an editor's status bar shows, and the boards it offers."""

from typing import Any

from pygls.exceptions import JsonRpcInvalidParams

from burstline_server.lsp.session import Session
from burstline_server.presentation.status import board_choices, status_of


def register(session: Session) -> None:
    """Answer what a file's figures rest on, and which boards there are."""

    @session.feature("burstline/status")
    async def status(ls: Session, params: Any) -> dict[str, Any] | None:
        uri = getattr(params, "uri", None)
        if not isinstance(uri, str):
            raise JsonRpcInvalidParams("the parameters are an object with a uri")
        document = await ls.current(uri)
        if document is None or document.assessment is None:
            return None
        return status_of(document.assessment).model_dump()

    @session.feature("burstline/boards")
    async def boards(_ls: Session, _params: Any) -> list[dict[str, Any]]:
        return [choice.model_dump() for choice in board_choices()]
