"""textDocument/codeAction: edits with their predicted gain in the title; codeAction/resolve fills them in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from burstline_model.facts import Span
from burstline_server.exploration.jobs import usual
from burstline_server.interpreter.verdicts import Different, Equal
from burstline_server.lsp.document_edits import can_preview, edit_of, with_host
from burstline_server.lsp.documents import Document
from burstline_server.lsp.features import explain, sizes
from burstline_server.lsp.features.registry import FIX_ALL, SHOW_VARIANTS
from burstline_server.lsp.features.text_document_content import can_show, command_for, whole_edit
from burstline_server.lsp.pricing import executed_at, fixes_at, left_out_at, refusals_at, with_safe_fixes
from burstline_server.lsp.session import Session
from burstline_server.rewrites.catalogue import Fix, most_useful_first, offers_of
from burstline_server.rewrites.host_edit import host_edit
from burstline_server.rewrites.rewrite import WORTH_OFFERING, Offer, Refusal, TextEdit, in_front_of, line_end
from burstline_server.source.edit import difference
from burstline_server.source.lines import LineTable
from burstline_server.words.actions import ALL_FIXES, ignore_title, variants_title
from burstline_server.words.edits import fix_title, title_text
from burstline_server.words.executions import different_text
from burstline_server.words.obstacles import obstacle_text


async def code_action(ls: Session, params: types.CodeActionParams) -> list[types.CodeAction | types.Command]:
    """The edits and commands on offer at a place."""
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
        actions += await sizes.actions_at(ls, document, span, list(params.context.diagnostics))
    actions += [_action(ls, document, params, fix, span) for fix in most_useful_first(fixes)]
    # Editors ask at every move of the caret whether there is anything; variants are tried where a user asks.
    if quick and params.context.trigger_kind != types.CodeActionTriggerKind.Automatic:
        actions += await _variants(ls, document, span, params.context.diagnostics)
    if quick:
        actions += explain.actions(ls, params.context.diagnostics)
        if ls.can("text_document", "code_action", "disabled_support"):
            refused = await refusals_at(ls, document, span)
            if params.context.trigger_kind != types.CodeActionTriggerKind.Automatic:
                refused += await left_out_at(ls, document, span)
            actions += map(_disabled, refused)
        actions += _suppression(ls, document, params.context.diagnostics)
    # The whole file's fixes are made only where they are asked for by name.
    if only and asked(FIX_ALL):
        every = await _every(ls, document)
        actions += [every] if every is not None else []
    return actions


async def resolve(ls: Session, action: types.CodeAction) -> types.CodeAction:
    """An action with its edit, made once it is chosen."""
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
    offer = next((o for o in offers if o.id == data.get("offer")), None)
    if offer is not None:
        # No edit is made as proved that was not executed before, or that executing it contradicts.
        found = await executed_at(ls, document, offer)
        if isinstance(found, Different):
            raise JsonRpcException(message=different_text(found), code=types.LSPErrorCodes.RequestFailed.value)
        unknown = found is None and offer.kind == "proved"  # the user stopped the work
        if unknown or document.version != data.get("version"):
            return action
        action.edit = edit_of(ls, document, whole_edit(ls, document, offer))
        if can_preview(ls):
            host = await ls.in_turn(host_edit, document.assessment, offer)
            action.edit = with_host(ls, action.edit, host) if host is not None else action.edit
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
        edit=None if lazy else edit_of(ls, document, whole_edit(ls, document, fix.offer)),
        command=_command(ls, fix.offer),
        data={"uri": document.uri, "version": document.version, "offer": fix.offer.id, **asked} if lazy else None,
    )


def _disabled(one: Refusal) -> types.CodeAction:
    """An edit that is not offered, with the reason."""
    why = types.CodeActionDisabled(reason=obstacle_text(one.reason))
    return types.CodeAction(title=title_text(one.title), kind=types.CodeActionKind.QuickFix, disabled=why)


def _command(ls: Session, offer: Offer) -> types.Command | None:
    return command_for(ls, offer) if offer.host and can_show(ls) else None


def _suppression(ls: Session, document: Document, diagnostics: Sequence[types.Diagnostic]) -> list[types.CodeAction]:
    """One action that switches off all findings here, by a comment over each line."""
    own = [d for d in diagnostics if d.source == "burstline"]
    lines: dict[int, list[str]] = {}
    for one in own:
        codes = lines.setdefault(one.range.start.line, [])
        codes += [code for code in [str(one.code)] if code not in codes]
    if not lines:
        return []
    edits = [_comment(ls, document, line, codes) for line, codes in sorted(lines.items())]
    every = list(dict.fromkeys(code for codes in lines.values() for code in codes))
    title, kind = ignore_title(every, lines=len(lines)), types.CodeActionKind.QuickFix
    return [types.CodeAction(title=title, kind=kind, diagnostics=own, edit=edit_of(ls, document, edits))]


def _comment(ls: Session, document: Document, line: int, codes: Sequence[str]) -> TextEdit:
    """The comment that switches codes off at a line."""
    text = document.text
    offset = LineTable(text).offset(line, 0, ls.encoding)
    first = offset + len(text[offset:]) - len(text[offset:].lstrip(b" \t"))
    place = in_front_of(text, first)
    at, indent = place if place is not None else (offset, "")
    return TextEdit(at, at, f"{indent}// burstline: ignore {' '.join(codes)}{line_end(text)}")


async def _variants(
    ls: Session, document: Document, span: Span, diagnostics: Sequence[types.Diagnostic]
) -> list[types.CodeAction] | list[types.Command]:
    """An action that shows the variants of the kernel at a place, where one of them is faster than it is now."""
    assessment = document.assessment
    found = assessment.kernels_at(span.start, span.end) if assessment is not None else ()
    if assessment is None or len(found) != 1 or not found[0].estimate.time_s:
        return []
    outcome = await ls.in_turn(usual, assessment, found[0])
    best_s = min((row.time_ms / 1e3 for row in outcome.rows), default=None) if outcome is not None else None
    if best_s is None or found[0].estimate.time_s < WORTH_OFFERING * best_s:
        return []
    title, kind = variants_title(best_s), types.CodeActionKind.QuickFix
    show = types.Command(title, SHOW_VARIANTS, arguments=[document.uri, found[0].facts.name])
    # Editors put what answers a finding first; where nothing is found here, a fix would keep them from looking nearby.
    answered = [d for d in diagnostics if d.source == "burstline"]
    return [types.CodeAction(title=title, kind=kind, diagnostics=answered, command=show)] if answered else [show]


async def _every(ls: Session, document: Document) -> types.CodeAction | None:
    """All proved fixes of the file that pay, in one edit."""
    version = document.version
    after = await with_safe_fixes(ls, document)
    if after is None or document.version != version:
        return None
    now = after.encode()
    edit = difference(document.text, now)
    changed = TextEdit(edit.start, edit.old_end, now[edit.start : edit.new_end].decode("utf-8", "replace"))
    return types.CodeAction(title=ALL_FIXES, kind=FIX_ALL, edit=edit_of(ls, document, [changed]))
