"""textDocument/codeAction: edits with their predicted gain in the title."""

from lsprotocol import types

from burstline_model.facts import Span
from burstline_server.rewrites.catalogue import Fix
from burstline_server.session import Session
from burstline_server.source.source import Source

_KINDS = [types.CodeActionKind.QuickFix, types.CodeActionKind.RefactorRewrite]


def register(session: Session) -> None:
    """Answer requests for actions."""

    @session.feature(types.TEXT_DOCUMENT_CODE_ACTION, types.CodeActionOptions(code_action_kinds=_KINDS))
    async def code_action(ls: Session, params: types.CodeActionParams) -> list[types.CodeAction]:
        document = await ls.current(params.text_document.uri)
        if document is None or document.assessment is None:
            return []
        source, version = document.assessment.source, document.version
        lines = source.lines
        start, end = (lines.offset(p.line, p.character, ls.encoding) for p in (params.range.start, params.range.end))
        fixes = await ls.fixes_at(document, Span(start=start, end=max(start, end)))
        wanted = [str(k) for k in params.context.only or ()]
        return [
            _action(ls, source, params, version, fix)
            for fix in fixes
            if not wanted or any(f"{_kind(fix)}.".startswith(f"{kind}.") for kind in wanted)
        ]


def _kind(fix: Fix) -> str:
    return str(types.CodeActionKind.QuickFix.value if fix.offer.codes else types.CodeActionKind.RefactorRewrite.value)


def _action(ls: Session, source: Source, params: types.CodeActionParams, version: int, fix: Fix) -> types.CodeAction:
    edits = [
        types.TextEdit(range=ls.range_of(source, Span(start=e.start, end=e.end)), new_text=e.text)
        for e in fix.offer.edits
    ]
    uri = params.text_document.uri
    if ls.can("workspace", "workspace_edit", "document_changes"):
        document = types.OptionalVersionedTextDocumentIdentifier(uri=uri, version=version)
        change = types.WorkspaceEdit(document_changes=[types.TextDocumentEdit(text_document=document, edits=edits)])
    else:
        change = types.WorkspaceEdit(changes={uri: edits})
    return types.CodeAction(
        title=fix.title,
        kind=_kind(fix),
        diagnostics=[d for d in params.context.diagnostics if d.code in fix.offer.codes] or None,
        is_preferred=True if fix.offer.kind == "proved" and fix.speedup is not None else None,
        edit=change,
    )
