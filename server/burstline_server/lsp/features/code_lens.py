"""textDocument/codeLens: the kernel's estimate over its name; the command shows its card, or only returns it.

A second lens gives the sizes that the estimate waits for.
"""

from lsprotocol import types

from burstline_server.assessment.assessor import Assessment
from burstline_server.assessment.costing import KernelAssessment
from burstline_server.assessment.missing_sizes import missing_sizes
from burstline_server.lsp.features.registry import GIVE_SIZES, SHOW_KERNEL
from burstline_server.lsp.session import Session
from burstline_server.presentation.card_text import plain
from burstline_server.presentation.cards import kernel_card
from burstline_server.words.actions import set_sizes_title
from burstline_server.words.verdict import headline


async def code_lens(ls: Session, params: types.CodeLensParams) -> list[types.CodeLens]:
    """The lens over each kernel."""
    document = await ls.current(params.text_document.uri)
    if document is None or document.assessment is None:
        return []
    assessment = document.assessment
    found = []
    for kernel in assessment.kernels:
        if kernel.facts.name_span.file is None:
            place = ls.range_of(assessment.source, kernel.facts.name_span)
            title = headline(assessment, kernel)
            show = types.Command(title, SHOW_KERNEL, arguments=[document.uri, kernel.facts.name])
            give = _give(ls, assessment, kernel, document.uri)
            # What is asked for comes first: it is short, and a narrow window cuts the line off.
            found += [types.CodeLens(range=place, command=one) for one in (give, show) if one is not None]
    return found


async def show_kernel(ls: Session, uri: str, name: str, *quietly: bool) -> str | None:
    """A kernel's card as text, shown as well where not `quietly`."""
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
    return types.Command(set_sizes_title(missing), GIVE_SIZES, arguments=[uri, kernel.facts.name])
