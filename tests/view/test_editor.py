"""The page as an editor's web view shows it: in the editor's colours, at any width, with what the user can try."""

import json
from typing import Any

import pytest

from burstline_server.assessment.assessor import Assessor
from burstline_server.presentation.view_document import ViewDocument
from burstline_server.presentation.view_edits import edit_views
from burstline_server.rewrites.catalogue import fixes_of
from tests.assessing import assess
from tests.view.conftest import until, update
from tests.view.documents import GATHER, ROOT, SOR, document

PADDING = (ROOT / "examples" / "padding.cl").read_text("utf-8")
THEMES = {
    "vscode-light": {
        "editor-background": "#ffffff",
        "editor-foreground": "#3b3b3b",
        "descriptionForeground": "#3b3b3b",
    },
    "vscode-dark": {"editor-background": "#1f1f1f", "editor-foreground": "#cccccc", "descriptionForeground": "#9d9d9d"},
    "vscode-high-contrast": {
        "editor-background": "#000000",
        "editor-foreground": "#ffffff",
        "contrastBorder": "#6fc3df",
    },
}
WEAR = """([kind, colours]) => {
  for (const [name, colour] of Object.entries(colours))
    document.documentElement.style.setProperty("--vscode-" + name, colour);
  document.body.className = kind;
}"""


def send(page: Any, **message: Any) -> None:
    page.evaluate("message => window.postMessage(message, '*')", message)


def edits(text: str, kernel: str) -> list[dict[str, Any]]:
    done = assess(text)
    return [json.loads(one.model_dump_json()) for one in edit_views(done, fixes_of(Assessor(), done, []), kernel)]


@pytest.mark.parametrize("kind", THEMES)
@pytest.mark.parametrize(("text", "name"), [(SOR, "sor"), (GATHER, "gather"), (PADDING, "pad_rows")])
def test_the_page_has_the_editors_colours_and_fits_a_narrow_column(show: Any, kind: str, text: str, name: str) -> None:
    page = show(document(text, controls=True, usual=True), hosted=True, viewport={"width": 420, "height": 900})
    page.evaluate(WEAR, [kind, THEMES[kind]])
    send(page, type="edits", kernel=name, edits=edits(text, name))
    until(page, "document.querySelectorAll('.edits > *').length > 0")
    for fold in page.locator("summary").all():
        fold.click()
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
    red, green, blue = (int(THEMES[kind]["editor-background"][i : i + 2], 16) for i in (1, 3, 5))
    assert ground == f"rgb({red}, {green}, {blue})"
    assert page.evaluate("document.documentElement.scrollWidth") == 420
    # Every text of a drawing lies inside it.
    assert page.evaluate(
        """() => [...document.querySelectorAll("svg.bars text, svg.network text")].filter((text) => {
          const [own, whole] = [text.getBoundingClientRect(), text.ownerSVGElement.getBoundingClientRect()];
          return own.left < whole.left - 1 || own.right > whole.right + 1;
        }).map((text) => text.textContent)"""
    ) == []  # fmt: skip


def test_what_is_decided_comes_first_and_asks_for_what_is_missing(show: Any) -> None:
    page = show(document(GATHER.split("\n", 1)[1], controls=True), hosted=True, viewport={"width": 420, "height": 900})
    top = page.evaluate("document.querySelector('.head .time').getBoundingClientRect().bottom")
    assert top < 180  # of 900, two lines
    assert page.locator(".asked").inner_text() == "Set n to see the time"
    page.get_by_label("n", exact=True).fill("4096")
    until(page, "sent.at(-1)?.overrides?.sizes?.[0]?.[1] === '4096'")
    page.get_by_role("button", name="Write them to the source").click()
    assert page.evaluate("sent.at(-1)") == {"type": "keep", "sizes": {"n": "4096"}}
    update(page, document(GATHER, controls=True))
    until(page, "document.querySelector('.asked').hidden")


def test_edits_show_the_lines_before_and_after_and_are_made_by_a_click(show: Any) -> None:
    page = show(document(GATHER, controls=True), hosted=True)
    assert "Trying edits" in page.locator(".edits").inner_text()
    found = edits(GATHER, "gather")
    send(page, type="edits", kernel="gather", edits=found)
    until(page, "document.querySelector('.hunk') !== null")
    first = page.locator(".edit").first
    assert f"{found[0]['before']} → {found[0]['after']}" in first.inner_text()
    assert first.locator("td.come").first.inner_text().strip() == "#pragma unroll 16"
    first.get_by_role("button", name="Make this edit").click()
    assert page.evaluate("sent.at(-1)") == {"type": "applyEdit", "kernel": "gather", "edit": found[0]["id"]}


def test_kernels_joined_by_channels_are_drawn_with_the_slowest(show: Any) -> None:
    given: ViewDocument = document(PADDING, controls=True)
    page = show(given, hosted=True)
    (network,) = given.files[0].networks
    slowest = next(stage for stage in network.stages if stage.slowest)
    assert {stage.kernel for stage in network.stages} == {"send_rows", "pad_rows"}
    shown = page.locator(".network").first
    assert shown.locator(".slowest .name").text_content() == slowest.kernel
    assert shown.locator(".slowest .figure").text_content() == f"{slowest.time} · slowest"
    assert shown.locator(".channel").count() == 1


def test_the_line_of_the_caret_is_marked(show: Any) -> None:
    page = show(document(SOR, controls=True), hosted=True)
    line = page.locator(".bar[data-line]").first.get_attribute("data-line")
    here = page.locator(".bar.here")
    assert here.count() == 0
    send(page, type="caret", line=int(line))
    here.first.wait_for()
    assert {bar.get_attribute("data-line") for bar in here.all()} == {line}
    send(page, type="caret", line=1)
    here.first.wait_for(state="detached")
    assert here.count() == 0
