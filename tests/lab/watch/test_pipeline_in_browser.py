"""The page of a pipeline in a real browser: it plays and steps, says what happens, and complains about nothing."""

from __future__ import annotations

import pytest

from tests.lab.pipeline.made_up import document_of_made_up
from tilewright.lab.watch.page import page_of

from .browser import chromium
from .opened import Opened

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def browser():
    """One browser for all of them."""
    with chromium() as started:
        yield started


@pytest.fixture(scope="module")
def made_up(tmp_path_factory):
    """A document, and where its page is."""
    document = document_of_made_up()
    path = tmp_path_factory.mktemp("pages") / "pipeline.html"
    path.write_text(page_of(document), encoding="utf-8")
    return document, path


@pytest.fixture
def opened(browser, made_up):
    """Open it; whatever it complained about fails the test."""
    pages: list[Opened] = []

    def open_page(**options) -> Opened:
        pages.append(Opened(browser, made_up[1], **options))
        return pages[-1]

    yield open_page
    for page in pages:
        page.context.close()
    assert [complaint for page in pages for complaint in page.complaints] == []


def at_of(document, text):
    """Return the position of the slider behind a step."""
    return next(number for number, step in enumerate(document["blocks"][0]["steps"], 1) if step["t"].startswith(text))


def test_every_step_is_told(opened, made_up):
    """Forwards and back: the sentence, the line, the states of the stages as the record says."""
    page = opened()
    steps = made_up[0]["blocks"][0]["steps"]
    words = {"empty": "empty", "arriving": "arriving", "full": "full", "read": "being multiplied"}
    for order in (1, -1):
        for number in range(1, len(steps) + 1)[::order]:
            page.seek(number)
            states = {}
            for step in steps[:number]:
                for stage, slot, state, *_ in step.get("s", []):
                    states[stage, slot] = state
            assert page.text("#story") == steps[number - 1]["t"]
            assert page.page.locator("#source .executing .number").inner_text().endswith(str(steps[number - 1]["l"]))
            shown = page.page.locator(".stage .state").all_inner_texts()
            for stage, text in enumerate(shown):
                of_stage = {states.get((stage, slot), "empty") for slot in range(2)}
                assert any(text.endswith(words[state]) for state in of_stage)


def test_a_tile_on_its_way_and_multiplied(opened, made_up):
    """In the matrices, in its stage, at its barrier, and in the lanes."""
    page = opened()
    page.seek(at_of(made_up[0], "The copy engine has written A[0:128, 64:128]"))
    assert page.text(".stage:nth-child(2) .slot:first-of-type") == "A[0:128, 64:128]\n16,384 of 16,384 bytes"
    assert "1 of 1 arrivals, 16,384 bytes to come" in page.text(".stage:nth-child(2) .barrier:nth-of-type(3)")
    assert page.page.locator(".of-B .part.is-arriving").count() >= 1
    page.seek(at_of(made_up[0], "Consumer 1 multiplies A[64:128, 64:128]"))
    assert page.page.locator(".of-A .part.is-multiplied").count() == 3
    assert page.page.locator(".of-C .part.is-summed").count() == 3
    page.seek(at_of(made_up[0], "Consumer 0 waits for phase 0 (parity 0) of full[0]"))
    assert "❚❚ consumer 0 waits" in page.text(".stage:nth-child(1)")
    assert page.page.locator(".bar.is-wait.now").all_inner_texts() == ["waits for full[0], phase 0"]


def test_the_keys_are_those_of_the_other_page(opened, made_up):
    """Space plays; arrows step; Shift and Right go to where a stage is full; Home and End; a lane by itself."""
    steps = made_up[0]["blocks"][0]["steps"]
    page = opened()
    press = page.page.keyboard.press
    press("ArrowRight")
    press("ArrowRight")
    press("ArrowLeft")
    assert page.text("#position") == f"event 1 of {len(steps)}, 0 stages filled"
    press("Shift+ArrowRight")
    assert page.text("#story").endswith("Phase 0 of full[0] ends: stage 0 is full.")
    press("Shift+ArrowRight")
    assert page.text("#story").endswith("Phase 0 of full[1] ends: stage 1 is full.")
    press("End")
    assert page.text("#story") == steps[-1]["t"]
    press("Home")
    page.page.locator("#warp").select_option("3")
    page.page.locator("#story").click()
    press("ArrowRight")
    assert page.text("#story").startswith("Consumer 1 waits for phase 0")
    page.page.locator("#warp").select_option("")
    page.page.locator("#speed").select_option("300")
    page.page.locator("#play").click()
    page.page.locator("#position", has_text=f"event {len(steps)} of").wait_for()


def test_every_button_does_something(opened):
    """Beats, which need a stage, are not offered; each of the others shows another place, or plays."""
    page = opened()
    buttons = page.page.locator(".controls button:visible")
    assert buttons.count() == 7
    for number in range(buttons.count()):
        page.seek(20)
        before = page.text("#position"), page.text("#play")
        buttons.nth(number).click()
        page.wait_until(f"document.getElementById('position').textContent !== {before[0]!r}")
        if "Pause" in page.text("#play"):
            page.page.click("#play")


def test_a_click_into_the_lanes_goes_there(opened):
    """To the event of that column."""
    page = opened(viewport={"width": 1600, "height": 1000})
    box = page.page.locator(".bar.is-multiply").first.bounding_box()
    page.page.mouse.click(box["x"] + 2, box["y"] + 4)
    assert page.text("#story").startswith("Consumer 0 multiplies A[0:64, 0:64]")


@pytest.mark.parametrize("width", [360, 400, 700, 1000, 1600, 2560])
def test_nothing_sticks_out_at_any_width(opened, width):
    """From a phone to a wall, in both themes, the page never scrolls sideways, and all of it can be read."""
    page = opened(viewport={"width": width, "height": 900}, color_scheme="dark" if width % 400 else "light")
    page.seek(30)
    assert page.page.evaluate("document.documentElement.scrollWidth") == width
    assert page.too_small() == []


def test_what_a_screen_reader_hears(opened):
    """Matrices say what is on its way; everything that can be operated has a name; no time is claimed."""
    page = opened()
    page.seek(30)
    labels = [node.get_attribute("aria-label") for node in page.page.locator(".matrix").all()]
    assert labels[0].startswith("A: ")
    assert "being multiplied" in labels[0]
    for node in page.page.locator("button:visible, select:visible, input:visible").all():
        name = node.evaluate("e => e.getAttribute('aria-label') || (e.labels?.[0] ?? e).innerText")
        assert name.strip()
    assert "how long it takes on a GPU is not to be seen here" in page.text("#lanes-title")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_violation(opened, scheme):
    """Of contrast, too, in what is still to come."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="in the dependency group browser")
    page = opened(color_scheme=scheme)
    page.seek(20)
    found = axe.Axe().run(page.page).response["violations"]
    assert [(each["id"], [node["target"] for node in each["nodes"]]) for each in found] == []
