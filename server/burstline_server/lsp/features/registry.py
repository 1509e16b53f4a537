"""What answers each method and command, and what `initialize` announces of it: all but what a session starts with.

The modules are loaded once a client calls them.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from functools import partial
from importlib import import_module

from lsprotocol import types

from burstline_server.lsp.session import Session
from burstline_server.names.token_legend import MODIFIERS, TYPES

FIX_ALL = "source.fixAll.burstline"
_ACTIONS = [types.CodeActionKind.QuickFix, types.CodeActionKind.RefactorRewrite, FIX_ALL]
_LEGEND = types.SemanticTokensLegend(token_types=TYPES, token_modifiers=MODIFIERS)


@dataclass(frozen=True, slots=True)
class Handler:
    """A function of a module of this folder, and the options that its method is announced with."""

    module: str
    function: str
    options: object = None


SHOW_KERNEL, SHOW_VARIANTS = "burstline.showKernel", "burstline.showVariants"
GIVE_SIZES, MISSING_SIZES = "burstline.giveSizes", "burstline.missingSizes"
EXPLAIN, TOGGLE_HINTS = "burstline.explain", "burstline.toggleHints"
MAKE_EDIT = "burstline.makeEdit"

METHODS = {
    types.TEXT_DOCUMENT_PREPARE_CALL_HIERARCHY: Handler("call_hierarchy", "prepare"),
    types.CALL_HIERARCHY_INCOMING_CALLS: Handler("call_hierarchy", "incoming"),
    types.CALL_HIERARCHY_OUTGOING_CALLS: Handler("call_hierarchy", "outgoing"),
    types.TEXT_DOCUMENT_CODE_ACTION: Handler(
        "code_action", "code_action", types.CodeActionOptions(code_action_kinds=_ACTIONS, resolve_provider=True)
    ),
    types.CODE_ACTION_RESOLVE: Handler("code_action", "resolve"),
    types.TEXT_DOCUMENT_CODE_LENS: Handler("code_lens", "code_lens"),
    types.TEXT_DOCUMENT_COMPLETION: Handler(
        "completion", "completion",
        types.CompletionOptions(trigger_characters=[".", ">", "#", "("], resolve_provider=True),
    ),
    types.COMPLETION_ITEM_RESOLVE: Handler("completion", "resolve"),
    types.TEXT_DOCUMENT_DEFINITION: Handler("definition", "definition"),
    types.TEXT_DOCUMENT_DOCUMENT_LINK: Handler("document_link", "document_link", types.DocumentLinkOptions()),
    types.TEXT_DOCUMENT_DOCUMENT_SYMBOL: Handler("document_symbol", "document_symbol"),
    types.TEXT_DOCUMENT_FOLDING_RANGE: Handler("folding_range", "folding_range"),
    types.TEXT_DOCUMENT_HOVER: Handler("hover", "hover"),
    types.TEXT_DOCUMENT_INLAY_HINT: Handler("inlay_hint", "inlay_hint", types.InlayHintOptions(resolve_provider=True)),
    types.INLAY_HINT_RESOLVE: Handler("inlay_hint", "resolve"),
    types.TEXT_DOCUMENT_REFERENCES: Handler("references", "references"),
    types.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT: Handler("references", "highlight"),
    types.TEXT_DOCUMENT_PREPARE_RENAME: Handler("rename", "prepare"),
    types.TEXT_DOCUMENT_RENAME: Handler("rename", "rename", types.RenameOptions(prepare_provider=True)),
    types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL: Handler("semantic_tokens", "full", _LEGEND),
    types.TEXT_DOCUMENT_SEMANTIC_TOKENS_RANGE: Handler("semantic_tokens", "of_range", _LEGEND),
    types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL_DELTA: Handler("semantic_tokens", "delta", _LEGEND),
    types.TEXT_DOCUMENT_SIGNATURE_HELP: Handler(
        "signature_help", "signature_help", types.SignatureHelpOptions(trigger_characters=["(", ","])
    ),
    types.WORKSPACE_SYMBOL: Handler(
        "workspace_symbol", "workspace_symbol", types.WorkspaceSymbolOptions(work_done_progress=True)
    ),
    "burstline/applyEdit": Handler("view", "apply"),
    "burstline/applyVariant": Handler("apply_variant", "apply"),
    "burstline/boards": Handler("status", "boards"),
    "burstline/status": Handler("status", "status"),
    "burstline/view": Handler("view", "view"),
    "burstline/viewDocument": Handler("view", "shown"),
    "burstline/viewEdits": Handler("view", "edits"),
}  # fmt: skip
COMMANDS = {
    EXPLAIN: Handler("explain", "show_page"),
    GIVE_SIZES: Handler("sizes", "give_sizes"),
    MAKE_EDIT: Handler("make_edit", "make"),
    MISSING_SIZES: Handler("sizes", "missing"),
    SHOW_KERNEL: Handler("code_lens", "show_kernel"),
    SHOW_VARIANTS: Handler("variants", "show_variants"),
    TOGGLE_HINTS: Handler("inlay_hint", "toggle_hints"),
}
MODULES = tuple(sorted({handler.module for handler in (*METHODS.values(), *COMMANDS.values())}))
REST_S = 1.0
"""When a session is this old, the rest is loaded: an installation may be replaced under a server that runs for days."""


def register(session: Session) -> None:
    """Announce everything; what answers a method is loaded once it is called."""
    for method, handler in METHODS.items():
        session.feature(method, handler.options)(_place)
    for command in COMMANDS:
        session.command(command)(_place)
    loads = {module: partial(_load, session, module) for module in MODULES}
    session.protocol.late |= {name: loads[handler.module] for name, handler in (METHODS | COMMANDS).items()}


def _place(_ls: Session, *_arguments: object) -> None:
    """Where a handler goes; the protocol has it loaded before it is called."""
    raise RuntimeError("called before it was loaded")


def _load(session: Session, module: str) -> None:
    """Put the functions of a module in their places."""
    functions = import_module(f"{__package__}.{module}")
    manager = session.protocol.fm
    for name, handler in (METHODS | COMMANDS).items():
        if handler.module == module:
            del (manager.commands if name in COMMANDS else manager.features)[name], session.protocol.late[name]
            put = session.command if name in COMMANDS else session.feature
            put(name)(getattr(functions, handler.function))


async def load_rest(session: Session) -> None:
    """Load what was not called yet, one module at a time between assessments."""
    await asyncio.sleep(REST_S)
    for module in MODULES:
        await session.in_turn(import_module, f"{__package__}.{module}")
    vocabulary = import_module("burstline_server.language.vocabulary").vocabulary
    await session.aside(vocabulary)  # else the first word pointed at would wait for all of the language
