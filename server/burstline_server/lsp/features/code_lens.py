"""textDocument/codeLens: the kernel's estimate over its name; the command shows its card, or only returns it.

A second lens gives the sizes that the estimate waits for.
"""

from lsprotocol import types

from burstline_server.assessment.assessor import Assessment
from burstline_server.assessment.costing import KernelAssessment
from burstline_server.assessment.missing_sizes import missing_sizes
from burstline_server.lsp.session import Session
from burstline_server.presentation.cards import kernel_card, plain
from burstline_server.presentation.words.verdict import headline
from burstline_server.quantities import in_words

SHOW = "burstline.showKernel"
GIVE = "burstline.giveSizes"
MISSING = "burstline.missingSizes"


def register(session: Session) -> None:
    """Answer code lenses and their command."""

    @session.feature(types.TEXT_DOCUMENT_CODE_LENS)
    async def code_lens(ls: Session, params: types.CodeLensParams) -> list[types.CodeLens]:
        document = await ls.current(params.text_document.uri)
        if document is None or document.assessment is None:
            return []
        assessment = document.assessment
        found = []
        for kernel in assessment.kernels:
            if kernel.facts.name_span.file is None:
                place = ls.range_of(assessment.source, kernel.facts.name_span)
                title = headline(assessment, kernel)
                show = types.Command(title, SHOW, arguments=[document.uri, kernel.facts.name])
                found.append(types.CodeLens(range=place, command=show))
                give = _give(ls, assessment, kernel, document.uri)
                if give is not None:
                    found.append(types.CodeLens(range=place, command=give))
        return found

    @session.command(SHOW)
    async def show_kernel(ls: Session, uri: str, name: str, *quietly: bool) -> str | None:
        document = await ls.current(uri)
        if document is None or document.assessment is None:
            return None
        kernel = next((k for k in document.assessment.kernels if k.facts.name == name), None)
        if kernel is None:
            return None
        text = plain(kernel_card(document.assessment, kernel))
        if not any(quietly):
            ls.window_show_message(types.ShowMessageParams(type=types.MessageType.Info, message=text))
        return text


def _give(ls: Session, assessment: Assessment, kernel: KernelAssessment, uri: str) -> types.Command | None:
    """The command that gives a kernel's sizes; None where none is missing, or the editor takes no edits."""
    missing = missing_sizes(assessment, kernel)
    if not missing or not ls.can("workspace", "apply_edit"):
        return None
    names = in_words([one.what for one in missing])
    return types.Command(f"Set {names} to see the time", GIVE, arguments=[uri, kernel.facts.name])
