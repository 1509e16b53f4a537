"""burstline/status and burstline/boards: what an editor's status bar shows, and the boards it offers."""

from typing import Any

from pygls.exceptions import JsonRpcInvalidParams

from burstline_server.lsp.session import Session
from burstline_server.presentation.status import board_choices, status_of


async def status(ls: Session, params: Any) -> dict[str, Any] | None:
    """What a file's figures rest on."""
    uri = getattr(params, "uri", None)
    if not isinstance(uri, str):
        raise JsonRpcInvalidParams("the parameters are an object with a uri")
    document = await ls.current(uri)
    if document is None or document.assessment is None:
        return None
    return status_of(document.assessment).model_dump()


async def boards(_ls: Session, _params: Any) -> list[dict[str, Any]]:
    """The boards that there are."""
    return [choice.model_dump() for choice in board_choices()]
