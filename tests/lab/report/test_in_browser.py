"""The report in a real browser, and its numbers against those of the library."""

from __future__ import annotations

import re
from pathlib import Path

import numpy
import pytest

from tests.lab.watch.browser import chromium
from tilewright import cli

pytestmark = pytest.mark.slow
SECTIONS = ["answer", "kernels", "occupancy", "roofline", "sweep", "animation"]


@pytest.fixture(scope="module")
def browser():
    """One browser for all of them."""
    with chromium() as started:
        yield started


@pytest.fixture(scope="module")
def matrices():
    """A (7, 5) and B (5, 9) of small whole numbers."""
    generator = numpy.random.default_rng(3)
    return generator.integers(-9, 10, (7, 5)).astype("float32"), generator.integers(-9, 10, (5, 9)).astype("float32")


@pytest.fixture(scope="module")
def written(tmp_path_factory, matrices):
    """The report of two files."""
    folder = tmp_path_factory.mktemp("report")
    for name, matrix in zip("AB", matrices, strict=True):
        numpy.save(folder / f"{name}.npy", matrix)
    page = folder / "report.html"
    files = [str(folder / "A.npy"), str(folder / "B.npy")]
    assert cli.run(["report", *files, "-o", str(page), "--device", "emulator"]) == cli.PASSED
    return page


class Opened:
    """The page, and what it complained about or asked for."""

    def __init__(self, browser, path: Path, **options):
        self.context = browser.new_context(**options)
        self.page = self.context.new_page()
        self.complaints: list[str] = []
        self.page.on("console", lambda message: self.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("request", lambda request: self._note(request.url))
        self.page.goto(path.as_uri())
        self.page.wait_for_selector("html[data-ready=yes]")

    def _note(self, url: str) -> None:
        if not url.startswith(("file:", "data:", "about:")):
            self.complaints.append(f"asked for {url}")

    def rows(self, caption: str) -> dict[str, list[str]]:
        """A table's rows by their header."""
        rows = self.page.locator("table", has=self.page.locator("caption", has_text=caption)).locator("tbody tr").all()
        found = {}
        for row in rows:
            head, *cells = row.locator("th, td").all_inner_texts()
            found[head.strip("▸ ")] = cells
        return found


@pytest.fixture
def opened(browser, written):
    """Open the report; whatever it complained about fails the test."""
    pages: list[Opened] = []

    def open_page(**options) -> Opened:
        pages.append(Opened(browser, written, **options))
        return pages[-1]

    yield open_page
    for page in pages:
        page.context.close()
    assert [complaint for page in pages for complaint in page.complaints] == []


def test_it_says_what_was_computed_and_counted(opened, matrices):
    """C, the loads by the seeds' formulas, a verdict for each kernel that takes these sizes."""
    a, b = matrices
    c, report = a @ b, opened()
    cells = report.rows("The corners of C")
    assert [float(cells["0"][column]) for column in (0, 1, 2, 4, 5, 6)] == [*c[0, :3], *c[0, -3:]]
    counted = report.rows("Counted by execution")
    assert counted["matmul/naive"][1] == f"{2 * 5 * 7 * 9:,}"
    assert counted["matmul/tiled"][1] == f"{7 * 5 + 5 * 9:,}"
    times = report.rows("Right or wrong")
    assert {cells[5] for cells in times.values()} == {"✓ PASS"}
    assert "matmul/tiled_exact was not run" in report.page.locator("#kernels").inner_text()
    assert report.page.locator(".cards b").first.inner_text() == "yes"
    assert "all elements compared" in report.page.locator("#answer .right").inner_text()


def test_the_winner_of_the_sweep_is_marked(opened):
    """In the table as in the sentences and on the card."""
    report = opened()
    marked = report.page.locator("#sweep tr.marked th").inner_text().strip("▸ ")
    assert (
        report.page.locator("#sweep section, #sweep > ul li")
        .first.inner_text()
        .startswith(f"Tile {marked} comes first")
    )
    assert report.page.locator(".cards b").nth(2).inner_text() == marked


def test_the_animation_plays_the_same_numbers(opened, matrices):
    """A's own first element, in the page within the page; and it follows the choice of colours."""
    report = opened()
    frame = report.page.frame_locator("#watch")
    report.page.locator("#watch").scroll_into_view_if_needed()
    frame.locator("html[data-ready=yes]").wait_for()
    cell = frame.locator('[aria-label="array A"] td:not(.corner)').first
    assert float(cell.inner_text()) == matrices[0][0, 0]
    frame.locator("#fine").check()
    frame.locator("[aria-label='on by an access']").click()
    assert frame.locator("#position").inner_text().startswith("step 1 of")
    report.page.select_option("#theme", "dark")
    frame.locator('html[data-theme="dark"] #position').wait_for()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [400, 1600])
def test_it_fits(opened, width, scheme):
    """Nothing is wider than the window, one figure of each pair is shown, and text stands out from its ground."""
    report = opened(viewport={"width": width, "height": 900}, color_scheme=scheme)
    assert report.page.evaluate("document.documentElement.scrollWidth") == width
    shown = report.page.locator("figure svg:visible")
    assert shown.count() == 3
    grounds = report.page.evaluate(
        "[...document.querySelectorAll('body, section')].map(e => getComputedStyle(e).backgroundColor)"
    )
    ink = report.page.evaluate("getComputedStyle(document.documentElement).color")
    light, dark = _lightness(grounds[1]), _lightness(ink)
    assert (light > 0.9 and dark < 0.2) if scheme == "light" else (light < 0.2 and dark > 0.8)


def test_the_accessibility_tree_names_everything(opened):
    """Sections in the order of the links, pictures with a name and a description, tables with captions."""
    report = opened()
    tree = report.page.locator("body").aria_snapshot()
    for heading in ("The answer", "Each kernel", "Which tile", "A small block, step by step"):
        assert f'heading "{heading}" [level=2]' in tree
    links = report.page.locator("nav a").evaluate_all("links => links.map(link => link.hash.slice(1))")
    assert links == SECTIONS == report.page.locator("main > section").evaluate_all("all => all.map(one => one.id)")
    assert len(re.findall(r'img "[^"]{10,}', tree)) == 3
    ids = report.page.evaluate("[...document.querySelectorAll('[id]')].map(e => e.id)")
    assert len(ids) == len(set(ids))
    report.page.keyboard.press("Tab")
    assert report.page.evaluate("document.activeElement.hash") == "#answer"


def _lightness(colour: str) -> float:
    numbers = [int(part) for part in re.findall(r"\d+", colour)[:3]]
    return sum(numbers) / 3 / 255


def test_paper_is_light_and_cuts_nothing(opened):
    """Whatever the system's colours are, and however wide a table is."""
    report = opened(color_scheme="dark", viewport={"width": 760, "height": 1000})
    report.page.emulate_media(media="print", color_scheme="dark")
    ink = report.page.evaluate("getComputedStyle(document.body).color")
    assert max(map(int, re.findall(r"\d+", ink)[:3])) < 64
    assert report.page.locator(".scroll").evaluate_all(
        "all => all.every((each) => each.scrollWidth <= each.clientWidth)"
    )
