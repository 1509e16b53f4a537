"""textDocument/signatureHelp: the function being called, and which argument is being written."""

from __future__ import annotations

from lsprotocol import types

from burstline_server.answers.calls import signature_at
from burstline_server.session import Session


def register(session: Session) -> None:
    """Answer signature help."""

    @session.feature(types.TEXT_DOCUMENT_SIGNATURE_HELP)
    async def signature_help(ls: Session, params: types.SignatureHelpParams) -> types.SignatureHelp | None:
        found = await ls.names("signature_help", params.text_document.uri)
        if found is None:
            return None
        names = found[1]
        shown = signature_at(names, names.source.original, ls.offset(names.source, params.position))
        if shown is None:
            return None
        signature = types.SignatureInformation(
            label=shown.label,
            documentation=shown.text or None,
            parameters=[types.ParameterInformation(label=p) for p in shown.parameters],
        )
        return types.SignatureHelp([signature], active_signature=0, active_parameter=shown.active)
