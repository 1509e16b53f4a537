"""textDocument/codeAction: edits with their predicted gain in the title; codeAction/resolve fills them in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from burstline_model.facts import Span
from burstline_server.host.find import Hosts
from burstline_server.interpreter.reasons import Different, Equal
from burstline_server.lsp.documents import Document
from burstline_server.lsp.features import explain, sizes
from burstline_server.lsp.features.late import FIX_ALL
from burstline_server.lsp.features.text_document_content import can_show, command_for
from burstline_server.lsp.pricing import executed_at, fixes_at, refusals_at, with_safe_fixes
from burstline_server.lsp.session import Session
from burstline_server.presentation.words.edits import fix_title, title_text
from burstline_server.presentation.words.executions import different_text
from burstline_server.presentation.words.obstacles import obstacle_text
from burstline_server.rewrites.catalogue import Fix, offers_of
from burstline_server.rewrites.rewrite import Offer, TextEdit, in_front_of, line_end
from burstline_server.source.edit import difference
from burstline_server.source.lines import LineTable


def register(session: Session) -> None:
    """Answer requests for actions, and for their edits."""
    hosts = Hosts()

    @session.feature(types.TEXT_DOCUMENT_CODE_ACTION)
    async def code_action(ls: Session, params: types.CodeActionParams) -> list[types.CodeAction | types.Command]:
        document = await ls.current(params.text_document.uri)
        if document is None or document.assessment is None:
            return []
        lines, version = document.assessment.source.lines, document.version
        start, end = (lines.offset(p.line, p.character, ls.encoding) for p in (params.range.start, params.range.end))
        span = Span(start=start, end=max(start, end))
        only = [str(getattr(k, "value", k)) for k in params.context.only or ()]

        def asked(kind: str) -> bool:
            return not only or any(f"{kind}.".startswith(f"{one}.") for one in only)

        fixes = [fix for fix in await fixes_at(ls, document, span) if asked(_kind(fix))]
        if document.version != version:
            return []  # typed on meanwhile: edits of the text before would spoil this one
        quick = asked(_value(types.CodeActionKind.QuickFix))
        # While sizes are missing, all gains are guesses: to give them comes first.
        actions: list[types.CodeAction | types.Command] = []
        if quick:
            actions += await sizes.actions_at(ls, hosts, document, span, list(params.context.diagnostics))
        actions += [_action(ls, document, params, fix, span) for fix in fixes]
        if quick:
            actions += explain.actions(ls, params.context.diagnostics)
            if ls.can("text_document", "code_action", "disabled_support"):
                actions += [
                    types.CodeAction(
                        title=title_text(one.title),
                        kind=types.CodeActionKind.QuickFix,
                        disabled=types.CodeActionDisabled(reason=obstacle_text(one.reason)),
                    )
                    for one in await refusals_at(ls, document, span)
                ]
            actions += _suppressions(ls, document, params.context.diagnostics)
        # The whole file's fixes are made only where they are asked for by name.
        if only and asked(FIX_ALL):
            every = await _every(ls, document)
            actions += [every] if every is not None else []
        return actions

    @session.feature(types.CODE_ACTION_RESOLVE)
    async def resolve(ls: Session, action: types.CodeAction) -> types.CodeAction:
        data: dict[str, Any] = action.data if isinstance(action.data, dict) else {}
        document = await ls.current(str(data.get("uri", "")))
        if document is None or document.assessment is None or document.version != data.get("version"):
            # The text has moved on: an edit made for another one must not be applied.
            return action
        whole = Span(start=0, end=len(document.text))
        span = Span(start=int(data.get("start", whole.start)), end=int(data.get("end", whole.end)))
        offers = await ls.in_turn(lambda a: offers_of(a.near(span)), document.assessment)
        if document.version != data.get("version"):
            return action
        offer = next((o for o in offers if title_text(o.title) == data.get("offer")), None)
        if offer is not None:
            # No edit is made as proved that was not executed before, or that executing it contradicts.
            found = await executed_at(ls, document, offer)
            if isinstance(found, Different):
                raise JsonRpcException(message=different_text(found), code=types.LSPErrorCodes.RequestFailed.value)
            unknown = found is None and offer.kind == "proved"  # the user stopped the work
            if unknown or document.version != data.get("version"):
                return action
            action.edit = _edit(ls, document, _edits(ls, document, offer))
            action.command = _command(ls, offer)
        return action


def _value(kind: types.CodeActionKind) -> str:
    return str(kind.value)


def _kind(fix: Fix) -> str:
    return _value(types.CodeActionKind.QuickFix if fix.offer.codes else types.CodeActionKind.RefactorRewrite)


def _action(ls: Session, document: Document, params: types.CodeActionParams, fix: Fix, span: Span) -> types.CodeAction:
    asked = {"start": span.start, "end": span.end}
    lazy = "edit" in ls.listed("text_document", "code_action", "resolve_support", "properties")
    return types.CodeAction(
        title=fix_title(fix),
        kind=_kind(fix),
        diagnostics=[d for d in params.context.diagnostics if d.code in fix.offer.codes] or None,
        is_preferred=True if isinstance(fix.execution, Equal) and fix.speedup is not None else None,
        edit=None if lazy else _edit(ls, document, _edits(ls, document, fix.offer)),
        command=_command(ls, fix.offer),
        data={"uri": document.uri, "version": document.version, "offer": title_text(fix.offer.title), **asked}
        if lazy
        else None,
    )


def _command(ls: Session, offer: Offer) -> types.Command | None:
    return command_for(ls, offer) if offer.host and can_show(ls) else None


def _edits(ls: Session, document: Document, offer: Offer) -> list[TextEdit]:
    """An offer's edits; what the host does as a comment at the file's end, where the client cannot show it apart."""
    if not offer.host or can_show(ls):
        return list(offer.edits)
    end = line_end(document.text)
    comment = "".join(f"// {line}".rstrip() + end for line in offer.host.splitlines())
    return [*offer.edits, TextEdit(len(document.text), len(document.text), end + comment)]


def _edit(ls: Session, document: Document, edits: list[TextEdit]) -> types.WorkspaceEdit:
    lines = document.lines
    made = [types.TextEdit(range=ls.range_in(lines, e.start, e.end), new_text=e.text) for e in edits]
    return ls.workspace_edit(document, made)


def _suppressions(
    ls: Session, document: Document, diagnostics: Sequence[types.Diagnostic]
) -> list[types.CodeAction]:  # fmt: skip
    """A comment for each code and line among findings; behind all that makes a kernel faster."""
    own = {(str(d.code), d.range.start.line): d for d in diagnostics if d.source == "burstline"}
    return [_suppression(ls, document, d) for d in own.values()]


def _suppression(ls: Session, document: Document, diagnostic: types.Diagnostic) -> types.CodeAction:
    """A comment that switches a finding off at its line."""
    text = document.text
    offset = LineTable(text).offset(diagnostic.range.start.line, 0, ls.encoding)
    first = offset + len(text[offset:]) - len(text[offset:].lstrip(b" \t"))
    place = in_front_of(text, first)
    at, indent = place if place is not None else (offset, "")
    comment = f"{indent}// burstline: ignore {diagnostic.code}{line_end(text)}"
    return types.CodeAction(
        title=f"Ignore {diagnostic.code} on this line",
        kind=types.CodeActionKind.QuickFix,
        diagnostics=[diagnostic],
        edit=_edit(ls, document, [TextEdit(at, at, comment)]),
    )


async def _every(ls: Session, document: Document) -> types.CodeAction | None:
    """All proved fixes of the file that pay, in one edit."""
    version = document.version
    after = await with_safe_fixes(ls, document)
    if after is None or document.version != version:
        return None
    now = after.encode()
    edit = difference(document.text, now)
    changed = TextEdit(edit.start, edit.old_end, now[edit.start : edit.new_end].decode("utf-8", "replace"))
    return types.CodeAction(
        title="Make every edit that is proved and pays", kind=FIX_ALL, edit=_edit(ls, document, [changed])
    )
