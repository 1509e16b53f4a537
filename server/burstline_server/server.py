"""The language server put together: one session, every feature registered on it."""

from burstline_server.features import (
    call_hierarchy,
    code_action,
    code_lens,
    completion,
    configuration,
    definition,
    document_link,
    document_symbol,
    folding_range,
    hover,
    initialize,
    inlay_hint,
    references,
    rename,
    semantic_tokens,
    signature_help,
    synchronization,
    watched_files,
    workspace_symbol,
)
from burstline_server.session import Session

FEATURES = (
    initialize, configuration, watched_files, synchronization, hover, inlay_hint, code_lens, code_action,
    document_symbol, definition, references, rename, semantic_tokens, folding_range, document_link, completion,
    signature_help, call_hierarchy, workspace_symbol,
)  # fmt: skip


def create_server() -> Session:
    """A server that answers every feature."""
    session = Session()
    for feature in FEATURES:
        feature.register(session)
    return session
