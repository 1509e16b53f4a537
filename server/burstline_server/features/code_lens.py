"""textDocument/codeLens: the kernel's estimate over its name; the command shows its card, or only returns it."""

from lsprotocol import types

from burstline_server.answers.cards import kernel_card, kernel_title, plain
from burstline_server.session import Session

SHOW = "burstline.showKernel"


def register(session: Session) -> None:
    """Answer code lenses and their command."""

    @session.feature(types.TEXT_DOCUMENT_CODE_LENS)
    async def code_lens(ls: Session, params: types.CodeLensParams) -> list[types.CodeLens]:
        document = await ls.current(params.text_document.uri)
        if document is None or document.assessment is None:
            return []
        assessment = document.assessment
        return [
            types.CodeLens(
                range=ls.range_of(assessment.source, kernel.facts.name_span),
                command=types.Command(
                    title=kernel_title(kernel), command=SHOW, arguments=[document.uri, kernel.facts.name]
                ),
            )
            for kernel in assessment.kernels
            if kernel.facts.name_span.file is None
        ]

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
