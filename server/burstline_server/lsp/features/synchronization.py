"""textDocument/didOpen, didChange, didSave, didClose: keep the texts, have them assessed."""

from lsprotocol import types

from burstline_server.lsp.session import Session


def register(session: Session) -> None:
    """Handle document notifications."""

    @session.feature(types.TEXT_DOCUMENT_DID_OPEN)
    async def did_open(ls: Session, params: types.DidOpenTextDocumentParams) -> None:
        ls.open(params.text_document)

    @session.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    async def did_change(ls: Session, params: types.DidChangeTextDocumentParams) -> None:
        uri, version = params.text_document.uri, params.text_document.version
        document = ls.documents.get(uri) or ls.settings_files.get(uri)
        if document is not None:
            document.apply(params.content_changes, version, ls.encoding)
        if uri in ls.documents:
            ls.schedule(uri)

    @session.feature(types.TEXT_DOCUMENT_DID_SAVE)
    async def did_save(ls: Session, params: types.DidSaveTextDocumentParams) -> None:
        document = ls.documents.get(params.text_document.uri)
        if document is not None and document.saved():
            document.outdate()
            ls.schedule(document.uri)
        elif document is not None and document.assessment is not None and document.assessment.source.includes:
            document.outdate()  # its includes may have been saved as well
            ls.schedule(document.uri)

    @session.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    async def did_close(ls: Session, params: types.DidCloseTextDocumentParams) -> None:
        ls.close(params.text_document.uri)
