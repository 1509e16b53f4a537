"""The language server put together: one session, every feature registered on it."""

from burstline_server.features import (
    code_action,
    code_lens,
    configuration,
    document_symbol,
    hover,
    inlay_hint,
    synchronization,
    text_document_content,
)
from burstline_server.session import Session

FEATURES = (
    synchronization, configuration, hover, inlay_hint, code_lens, code_action, document_symbol, text_document_content,
)  # fmt: skip


def create_server() -> Session:
    """A server that answers every feature."""
    session = Session()
    for feature in FEATURES:
        feature.register(session)
    return session
