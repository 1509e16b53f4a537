"""Features that are loaded once a client calls them; what `initialize` announces of each is here."""

from __future__ import annotations

import asyncio
from functools import partial
from importlib import import_module

from lsprotocol import types

from burstline_server.lsp.session import Session
from burstline_server.names.legend import MODIFIERS, TYPES

FIX_ALL = "source.fixAll.burstline"
_ACTIONS = [types.CodeActionKind.QuickFix, types.CodeActionKind.RefactorRewrite, FIX_ALL]
_LEGEND = types.SemanticTokensLegend(token_types=TYPES, token_modifiers=MODIFIERS)

METHODS: dict[str, dict[str, object]] = {
    "apply_variant": {"burstline/applyVariant": None},
    "call_hierarchy": {
        types.TEXT_DOCUMENT_PREPARE_CALL_HIERARCHY: None,
        types.CALL_HIERARCHY_INCOMING_CALLS: None,
        types.CALL_HIERARCHY_OUTGOING_CALLS: None,
    },
    "code_action": {
        types.TEXT_DOCUMENT_CODE_ACTION: types.CodeActionOptions(code_action_kinds=_ACTIONS, resolve_provider=True),
        types.CODE_ACTION_RESOLVE: None,
    },
    "code_lens": {types.TEXT_DOCUMENT_CODE_LENS: None},
    "completion": {
        types.TEXT_DOCUMENT_COMPLETION: types.CompletionOptions(
            trigger_characters=[".", ">", "#", "("], resolve_provider=True
        ),
        types.COMPLETION_ITEM_RESOLVE: None,
    },
    "definition": {types.TEXT_DOCUMENT_DEFINITION: None},
    "document_link": {types.TEXT_DOCUMENT_DOCUMENT_LINK: types.DocumentLinkOptions()},
    "document_symbol": {types.TEXT_DOCUMENT_DOCUMENT_SYMBOL: None},
    "explain": {},
    "folding_range": {types.TEXT_DOCUMENT_FOLDING_RANGE: None},
    "hover": {types.TEXT_DOCUMENT_HOVER: None},
    "inlay_hint": {
        types.TEXT_DOCUMENT_INLAY_HINT: types.InlayHintOptions(resolve_provider=True),
        types.INLAY_HINT_RESOLVE: None,
    },
    "references": {types.TEXT_DOCUMENT_REFERENCES: None, types.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT: None},
    "rename": {
        types.TEXT_DOCUMENT_PREPARE_RENAME: None,
        types.TEXT_DOCUMENT_RENAME: types.RenameOptions(prepare_provider=True),
    },
    "semantic_tokens": {
        types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL: _LEGEND,
        types.TEXT_DOCUMENT_SEMANTIC_TOKENS_RANGE: _LEGEND,
        types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL_DELTA: _LEGEND,
    },
    "signature_help": {
        types.TEXT_DOCUMENT_SIGNATURE_HELP: types.SignatureHelpOptions(trigger_characters=["(", ","]),
    },
    "sizes": {},
    "status": {"burstline/status": None, "burstline/boards": None},
    "view": {"burstline/view": None, "burstline/viewDocument": None},
    "workspace_symbol": {types.WORKSPACE_SYMBOL: types.WorkspaceSymbolOptions(work_done_progress=True)},
}
"""The methods of each module, with the options that they are announced with."""
COMMANDS = {
    "code_lens": ("burstline.showKernel",),
    "explain": ("burstline.explain",),
    "inlay_hint": ("burstline.toggleHints",),
    "sizes": ("burstline.giveSizes", "burstline.missingSizes"),
}
REST_S = 1.0
"""When a session is this old, the rest is loaded: an installation may be replaced under a server that runs for days."""


def register(session: Session) -> None:
    """Announce everything, and keep its places until it is called."""
    late = session.protocol.late
    for module, methods in METHODS.items():
        load = partial(_load, session, module)
        for method, options in methods.items():
            session.feature(method, options)(_place)
            late[method] = load
        for command in COMMANDS.get(module, ()):
            session.command(command)(_place)
            late[command] = load


def _place(_ls: Session, *_arguments: object) -> None:
    """Where a handler goes; the protocol has it loaded before it is called."""
    raise RuntimeError("called before it was loaded")


def _load(session: Session, module: str) -> None:
    """Put a feature's handlers in their places."""
    feature = import_module(f"{__package__}.{module}")
    protocol = session.protocol
    for places, names in ((protocol.fm.features, METHODS[module]), (protocol.fm.commands, COMMANDS.get(module, ()))):
        for name in names:
            del places[name], protocol.late[name]
    feature.register(session)


async def load_rest(session: Session) -> None:
    """Load what was not called yet, one module at a time between assessments."""
    await asyncio.sleep(REST_S)
    for module in METHODS:
        await session.in_turn(import_module, f"{__package__}.{module}")
    vocabulary = import_module("burstline_server.language.vocabulary").vocabulary
    await session.aside(vocabulary)  # else the first word pointed at would wait for all of the language
