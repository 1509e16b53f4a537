"""The kernel view in a real browser: what a user sees, sorts, clicks and saves."""

import io
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from PIL import Image

from burstline_server.cli.main import main
from burstline_server.presentation.page.page import page as made
from tests.view.conftest import until, update
from tests.view.documents import GATHER, ROOT, SOR, VARIANTS, document

LIGHT = {"rgb(26, 31, 38)", "rgb(86, 96, 109)"}
"""The light theme's colours of text."""
PICTURE = ROOT / "docs" / "pictures" / "view.png"


def texts(page: Any, selector: str) -> list[str]:
    return [text.strip() for text in page.locator(selector).all_text_contents()]


def column(page: Any, caption: str, label: str) -> list[str]:
    """The cells of a table's column, top down."""
    table = page.locator("table", has=page.locator("caption", has_text=caption))
    heads = [head.strip() for head in table.locator("thead th").all_text_contents()]
    place = heads.index(label)
    return [row.locator("th, td").nth(place).inner_text().strip() for row in table.locator("tbody tr").all()]


def test_the_command_writes_a_page_with_every_kernel(show: Any, tmp_path: Path) -> None:
    out = tmp_path / "tour.html"
    assert main(["view", str(ROOT / "examples" / "tour.cl"), "-o", str(out)]) == 0
    page = show(out)
    names = [text.split("NDRange")[0].split("single")[0] for text in texts(page, "section.kernel h2")]
    assert names == ["blur", "closing", "gather", "histogram"]
    times = [
        "≈ 10.2 ms (10.2 ms to 10.4 ms)", "≈ 26.6 ms (26.6 ms to 27.7 ms)", "36.5 ms to 134 ms by data", "≈ 5.46 s",
    ]  # fmt: skip
    assert texts(page, "p.time") == times
    assert texts(page, "nav a") == [f"{n} {t.removeprefix('≈ ')}" for n, t in zip(names, times, strict=True)]
    lines = (ROOT / "examples" / "tour.cl").read_text("utf-8").splitlines()
    assert page.locator(".source .code").all_text_contents() == lines


def test_bars_tables_and_roofs_show_the_documents_figures(show: Any) -> None:
    given = document(SOR)
    (kernel,) = given.files[0].kernels
    page = show(given)
    units = [unit for access in kernel.accesses for unit in access.units]
    assert texts(page, ".bar .figure") == [f"{row.time} · {row.share_text}" for row in kernel.rows]
    assert column(page, "Accesses", "Time") == [u.time for u in units]
    at = next(i for i, row in enumerate(kernel.rows) if row.ideal_s)
    bar = page.locator(".bar").nth(at).locator("rect.ideal, rect.overhead").all()
    widths = [float(part.get_attribute("width")) for part in bar]
    assert widths[0] / sum(widths) == pytest.approx(kernel.rows[at].ideal_s / kernel.rows[at].time_s)
    assert kernel.roofline is not None
    labels = texts(page, ".roof-label")
    assert {label.split(" · ")[0] for label in labels} == {roof.label for roof in kernel.roofline.roofs}
    assert texts(page, ".point-label")[-1].startswith("sor · ")


def test_a_kernel_on_its_roof_is_on_the_line(show: Any) -> None:
    """The kernel waits for its own pipeline, so its point lies on the lowest compute roof, as both axes place it."""
    page = show(document(SOR))
    point = float(page.locator("circle.point").last.get_attribute("cy"))
    roofs = [float(roof.get_attribute("y1")) for roof in page.locator("line.roof.compute").all()]
    assert max(roofs) == pytest.approx(point, abs=1.0)


def test_unknown_sizes_give_the_time_at_assumed_ones(show: Any) -> None:
    page = show(document(GATHER.split("\n", 1)[1]))
    shown = page.locator("p.time").inner_text()
    assert re.fullmatch(r"≈\? [\d.]+ µs to [\d.]+ µs by data at assumed sizes", shown)
    assert page.locator(".figure-title").all_text_contents() == ["Where the time goes"]
    figures = texts(page, ".bar .figure")
    assert [figure.split(" · ")[1] for figure in figures][:3] == ["77 %", "8 %", "7 %"]
    assert all(re.fullmatch(r"≈\? [\d.]+ [µn]s · \d+ %", figure) for figure in figures), figures
    assert column(page, "Loops", "Trips") == ["not known"]


def test_columns_are_sorted_by_a_click_with_the_unknown_last(show: Any) -> None:
    page = show(document(SOR, variants={"sor": VARIANTS}))
    assert column(page, "Variants", "#") == ["2", "5", "1", "3", "4"]
    button = page.get_by_role("button", name="Time").last
    button.click()
    assert column(page, "Variants", "Time") == ["9.00 ms", "31.5 ms", "61.0 ms", "120 ms", "not known"]
    button.click()
    assert column(page, "Variants", "Time") == ["120 ms", "61.0 ms", "31.5 ms", "9.00 ms", "not known"]
    assert page.locator("th[aria-sort=descending]").inner_text() == "Time"
    assert "largest first" in page.locator("#status").inner_text()
    assert "does not fit: logic 112 %" in column(page, "Variants", "Remark")
    assert column(page, "Variants", "Logic") == ["10 %", "20 %", "40 %", "112 %", "10 %"]
    assert "Registers" not in texts(page, "thead th")


def test_no_table_of_variants_without_variants(show: Any) -> None:
    assert "Variants" not in texts(show(document(SOR)), "caption")


def test_a_bar_leads_to_its_line(show: Any) -> None:
    page = show(document("\n" * 200 + GATHER))
    row = page.locator("#file-0-line-206")
    assert page.evaluate("row => row.getBoundingClientRect().top > innerHeight", row.element_handle())
    page.locator(".bar").first.press("Enter")
    until(page, "row => row.getBoundingClientRect().bottom < innerHeight", row.element_handle())
    page.keyboard.press("Enter")
    assert page.locator("tr.detail:visible").count() == 1
    assert "x[at[i]] · load in gather" in page.locator("tr.detail:visible").inner_text()


def test_dark_follows_the_system_and_the_switch(show: Any) -> None:
    def ground(page: Any) -> int:
        colour = page.evaluate("getComputedStyle(document.body).backgroundColor")
        return sum(int(part) for part in re.findall(r"\d+", colour)[:3])

    page = show(document(SOR), color_scheme="dark")
    assert ground(page) < 150
    page.get_by_role("button", name="Light colours").click()
    assert ground(page) > 700
    page.get_by_role("button", name="Dark colours").click()
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")
    assert ground(page) > 700
    assert not page.locator("#bar").is_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_accessibility_rules_hold(show: Any, scheme: str) -> None:
    """axe-core's rules, contrast among them, with every line's detail open."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="needs axe-playwright-python").Axe()
    page = show(document(GATHER, variants={"gather": VARIANTS}), color_scheme=scheme)
    for line in page.locator(".reveal").all():
        line.click()
    found = axe.run(page).response
    assert found["passes"]
    assert [(one["id"], one["nodes"][0]["html"]) for one in found["violations"]] == []


def test_hostile_text_is_shown_and_never_run(show: Any) -> None:
    text = (
        "// </script><script>alert(1)</script> <!-- <img src=http://127.0.0.1/x onerror=alert(2)> \u2028 ]]>\n"
        "__kernel void k(__global float *x) { x[get_global_id(0)] = 1; } // \"'`${alert(3)}\n"
    )
    page = show(document(text, "a<b>&\"'.cl", global_size=4096))
    assert page.locator(".source .code").all_text_contents() == text.split("\n")[:-1]
    assert page.locator("h1").inner_text().startswith("a<b>&\"'.cl")
    assert page.locator("script").count() == 2
    assert page.evaluate("document.querySelectorAll('img, b b, iframe').length") == 0


def test_the_policy_stops_foreign_scripts(browser: Any, tmp_path: Path) -> None:
    path = tmp_path / "changed.html"
    path.write_text(made(document(SOR)).replace("</body>", "<script>window.ran = true</script></body>"), "utf-8")
    page = browser.new_page()
    page.goto(path.as_uri())
    assert page.evaluate("window.ran") is None
    assert page.locator("section.kernel").count() == 1
    page.close()


def test_charts_are_saved_as_drawings_of_their_own(show: Any) -> None:
    page = show(document(SOR), color_scheme="dark")
    for name in ("sor-time", "sor-roofline"):
        with page.expect_download() as saving:
            page.get_by_role("button", name=f"Save {name} as SVG").click()
        assert saving.value.suggested_filename == f"{name}.svg"
        drawing = ET.parse(saving.value.path()).getroot()  # noqa: S314 - our own
        every = list(drawing.iter())
        assert not any("class" in one.attrib or "var(" in str(one.attrib) for one in every)
        assert {one.attrib["fill"] for one in every if one.tag.endswith("text")} <= LIGHT
        with page.expect_download() as saving:
            page.get_by_role("button", name=f"Save {name} as PNG").click()
        image = Image.open(saving.value.path())
        assert image.size == tuple(3 * int(float(drawing.attrib[side])) for side in ("width", "height"))
        assert len(image.convert("RGB").getcolors(1 << 20) or []) > 20


def test_an_editor_gets_what_the_user_does_and_sends_documents(show: Any) -> None:
    given = document(SOR, controls=True)
    page = show(given, hosted=True)
    assert page.evaluate("sent") == []
    row = next(row for row in given.files[0].kernels[0].rows if row.place)
    assert row.place
    page.get_by_role("link", name=f"{row.text}, {row.detail}").first.click()
    place = {"line": row.place.line, "column": row.place.column, "path": None}
    assert page.evaluate("sent.at(-1)") == {"type": "reveal", **place}

    page.get_by_text("Try another board").click()
    page.get_by_label("Board").select_option("p520")
    page.get_by_label("work-items").fill("1024, 1024")
    page.locator("#f-max").fill("300")
    until(page, "sent.at(-1).overrides?.f_max_mhz === 300")
    expected = {"board": "p520", "f_max_mhz": 300, "sizes": [["global_size", "1024, 1024"]]}
    assert page.evaluate("sent.at(-1)") == {"type": "set", "overrides": expected}
    page.get_by_label("compute units").fill("4")
    until(page, "sent.at(-1).overrides.knobs?.[0][1] === 4")
    page.get_by_role("button", name="Drop what was tried").click()
    until(page, "sent.at(-1).overrides === null")
    page.get_by_text("Figures", exact=True).click()

    page.get_by_role("button", name="Share").click()
    before = page.locator("p.time").inner_text()
    update(page, document(SOR, controls=True, f_max_mhz=100))
    until(page, "before => document.querySelector('p.time').innerText !== before", before)
    assert page.locator("th[aria-sort]").inner_text() == "Share"
    page.get_by_role("button", name="Save sor-time as PNG").click()
    until(page, "sent.at(-1).type === 'save'")
    assert page.evaluate("sent.at(-1).data").startswith("data:image/png;base64,")


def test_a_file_of_its_own_has_no_controls_and_takes_no_messages(show: Any) -> None:
    page = show(document(SOR, controls=True))
    assert not page.locator("form").is_visible()
    update(page, document(GATHER))
    page.wait_for_timeout(100)
    assert texts(page, "section.kernel h2")[0].startswith("sor")


def test_the_picture(show: Any, pytestconfig: pytest.Config) -> None:
    """What the README shows; `pytest tests/view --write-pictures` writes it."""
    page = show(document(SOR, "examples/roofline/sor.cl", usual=True), device_scale_factor=2)
    shot = page.screenshot(full_page=True)
    image = Image.open(io.BytesIO(shot))
    assert image.width == 2560
    assert image.height > 1500
    if pytestconfig.getoption("--write-pictures"):
        image.convert("P", palette=Image.Palette.ADAPTIVE, colors=128).save(PICTURE, optimize=True)
