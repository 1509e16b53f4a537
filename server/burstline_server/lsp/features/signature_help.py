"""textDocument/signatureHelp: the function being called, and which argument is being written."""

from __future__ import annotations

from lsprotocol import types

from burstline_server.lsp.documents import Document
from burstline_server.lsp.session import Session
from burstline_server.names.name_table import NameTable
from burstline_server.presentation.signatures import Signature, signature_at


async def signature_help(ls: Session, params: types.SignatureHelpParams) -> types.SignatureHelp | None:
    """Answer signature help."""

    def answer(_: Document, names: NameTable) -> Signature | None:
        return signature_at(names, names.source.original, ls.offset(names.source, params.position))

    shown = await ls.named("signature_help", params.text_document.uri, answer)
    if shown is None:
        return None
    signature = types.SignatureInformation(
        label=shown.label,
        documentation=shown.text or None,
        parameters=[types.ParameterInformation(label=p) for p in shown.parameters],
    )
    return types.SignatureHelp([signature], active_signature=0, active_parameter=shown.active)
