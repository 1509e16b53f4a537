"""A real browser for the kernel view: the system's Chromium; every page must stay silent and off the network."""

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from burstline_server.presentation.page.page import page as made
from burstline_server.presentation.view_document import ViewDocument

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
HOST = "window.sent = []; window.acquireVsCodeApi = () => ({ postMessage: (message) => window.sent.push(message) });"


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Skips where there is none. The driver keeps an event loop running, so it must end before asynchronous tests."""
    sync = pytest.importorskip("playwright.sync_api", reason="needs Playwright: pip install playwright")
    program = next((found for name in NAMES if (found := shutil.which(name))), None)
    if program is None:
        pytest.skip("needs a browser: apt-get install chromium")
    with sync.sync_playwright() as driver:
        started = driver.chromium.launch(executable_path=program)
        yield started
        started.close()


@pytest.fixture
def show(browser: Any, tmp_path: Path) -> Iterator[Callable[..., Any]]:
    """Opens a document, or a page that is written already; in an editor's web view with `hosted`."""
    reported: list[str] = []
    contexts = []

    def shown(what: ViewDocument | Path, *, hosted: bool = False, **options: Any) -> Any:
        path = what if isinstance(what, Path) else tmp_path / "view.html"
        if isinstance(what, ViewDocument):
            path.write_text(made(what), "utf-8")
        context = browser.new_context(**{"viewport": {"width": 1280, "height": 900}, **options})
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: reported.append(message.text))
        page.on("pageerror", lambda error: reported.append(str(error)))
        page.on("dialog", lambda dialog: reported.append(dialog.message))
        page.on("request", lambda request: reported.append(request.url) if request.url.startswith("http") else None)
        if hosted:
            page.add_init_script(HOST)
        page.goto(path.as_uri())
        return page

    yield shown
    for context in contexts:
        context.close()
    assert reported == []


def until(page: Any, expression: str, argument: object = None) -> None:
    """Wait for an expression to be true; the page's policy forbids the driver's own way of waiting."""
    for _ in range(800):
        if page.evaluate(expression, argument):
            return
        page.wait_for_timeout(25)
    pytest.fail(f"never true: {expression}")


def update(page: Any, document: ViewDocument) -> None:
    """Send a document as an editor does."""
    data = json.loads(document.model_dump_json())
    page.evaluate("document => window.postMessage({ type: 'update', document }, '*')", data)
