"""A recording and tables as a notebook holds them: in a frame that is shut in, on light and on dark pages."""

from __future__ import annotations

import pytest

import tilewright

from .browser import chromium
from .opened import Opened

pytestmark = pytest.mark.slow
NOTEBOOK = """<!DOCTYPE html><html><head><meta charset="utf-8"><title>notebook</title><style>
body {{ margin: 0; background: {paper}; color: {ink}; font: 14px sans-serif; }}</style></head>
<body><div id="cell">{shown}</div></body></html>"""


@pytest.fixture(scope="module")
def browser():
    """One browser for all of them."""
    with chromium() as started:
        yield started


@pytest.fixture(scope="module")
def notebook(tmp_path_factory):
    """A light and a dark page that shows a recording and its trace."""
    folder = tmp_path_factory.mktemp("notebook")
    recording = tilewright.watch("matmul/tiled")
    assert recording.trace is not None
    found = {}
    for theme, paper, ink in (("light", "#fff", "#111"), ("dark", "#111", "#eee")):
        shown = recording.trace._repr_html_() + recording.frame(theme=theme)
        found[theme] = folder / f"{theme}.html"
        found[theme].write_text(NOTEBOOK.format(paper=paper, ink=ink, shown=shown), encoding="utf-8")
    return found


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_it_plays_in_a_cell(browser, notebook, theme):
    """Buttons and keys work within the frame, which has the theme that was asked for and complains about nothing."""
    opened = Opened(browser, notebook[theme], "iframe", viewport={"width": 950, "height": 900})
    frame = opened.page.frame_locator("iframe")
    frame.locator("html[data-ready=yes]").wait_for()
    frame.locator("#fine").check()
    frame.locator("[aria-label='on by an access']").click()
    opened.page.keyboard.press("ArrowRight")
    assert frame.locator("#position").inner_text() == "step 2 of 30, phase 0"
    assert frame.locator("html").get_attribute("data-theme") == frame.locator("#theme").input_value() == theme
    assert opened.page.evaluate("document.documentElement.scrollWidth") <= 950
    assert opened.complaints == []
    opened.context.close()


def test_the_frame_reaches_nothing_around_it(browser, notebook):
    """Its script runs with no origin: neither the notebook's document nor its storage is there for it."""
    opened = Opened(browser, notebook["light"], "iframe")
    opened.page.frame_locator("iframe").locator("html[data-ready=yes]").wait_for()
    inner = opened.page.frames[1]
    reach = "(() => { try { return String(parent.document.title); } catch (error) { return error.name; } })()"
    assert inner.evaluate(reach) == "SecurityError"
    assert inner.evaluate("self.origin") == "null"
    opened.context.close()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_tables_take_the_notebooks_colours(browser, notebook, theme):
    """Text of a cell has the colour of the text around it, and no background of its own."""
    opened = Opened(browser, notebook[theme], "iframe")
    look = "(node => [getComputedStyle(node).color, getComputedStyle(node).backgroundColor])"
    colour, background = opened.page.evaluate(f"{look}(document.querySelector('#cell td'))")
    assert colour == opened.page.evaluate(f"{look}(document.body)")[0]
    assert background == "rgba(0, 0, 0, 0)"
    opened.context.close()


def test_the_run_without_a_barrier_plays_in_a_cell_as_well(browser, notebook):
    """The frame reads its own page anew; it needs no address for that."""
    opened = Opened(browser, notebook["light"], "iframe", viewport={"width": 950, "height": 900})
    frame = opened.page.frame_locator("iframe")
    frame.locator("html[data-ready=yes]").wait_for()
    while not frame.locator("#because .run").first.is_visible():
        frame.locator("[aria-label='on by a beat']").click()
    frame.locator("#because .run").first.click()
    frame.locator("html[data-ready=yes] h1", has_text="without barrier 2").wait_for()
    assert opened.complaints == []
    opened.context.close()
