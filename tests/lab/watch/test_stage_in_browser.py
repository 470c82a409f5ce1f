"""The stage in a real browser: the story of a product, legible on one screen of any size."""

from __future__ import annotations

import pytest

from tests.repeats import by_turns
from tilewright.lab.watch.recording import watch

from .browser import chromium
from .opened import Opened

pytestmark = pytest.mark.slow
TIMES = "\N{MULTIPLICATION SIGN}"
SCREENS = {"phone": (390, 844), "720": (1280, 720), "768": (1366, 768), "full": (1920, 1080)}
FRAME = 864, 624
KERNELS = {
    "example": ("matmul/tiled", (4, 4, 4), 2),
    "boundary": ("matmul/tiled", (7, 9, 5), 4),
    "large": ("matmul/tiled", (32, 32, 32), 16),
    "naive": ("matmul/naive", (4, 4, 4), None),
}
BOXES = """() => {
  const box = (node) => { const b = node.getBoundingClientRect(); return [b.left, b.top, b.right, b.bottom]; };
  const all = (selector) => [...document.querySelectorAll(selector)];
  const size = (node) => parseFloat(getComputedStyle(node).fontSize);
  const isShown = (node) => node.textContent && box(node)[2] > box(node)[0];
  const isWider = (node, room) => isShown(node) && node.scrollWidth > room.clientWidth + 1;
  const texts = all('#scene text').filter((node) => isShown(node) && getComputedStyle(node).visibility !== 'hidden');
  const written = ['p', 'h2', 'li', 'button', 'label', 'code', '.plot text'].map((each) => '#stage ' + each);
  const words = all([...written, '#score span', '.controls button', '.controls label'].join()).filter(isShown);
  const names = all('#beats button span').filter((node) => isWider(node, node.parentElement));
  const buttons = all('#beats .phase, .controls button, #stage-source code').filter((node) => isWider(node, node));
  return {
    texts: texts.map((node) => [node.textContent, size(node), ...box(node)]),
    scene: box(document.getElementById('scene')),
    controls: box(document.querySelector('.controls')),
    score: box(document.getElementById('score')),
    wide: document.documentElement.scrollWidth - innerWidth,
    small: words.filter((node) => size(node) < 11).map((node) => node.textContent),
    cut: [...names, ...buttons].map((node) => node.textContent),
    told: box(document.getElementById('because'))[3] - box(document.getElementById('scene-box'))[1],
  };
}"""

NUMBERS_OF_A_BEAT = {"example": 4, "boundary": 16, "large": 32, "naive": 32}
FLOWN = """() => {
  const tokens = [...document.querySelectorAll('#scene .flight')];
  const box = document.getElementById('scene').getBoundingClientRect();
  const frames = tokens.flatMap((token) => token.getAnimations()[0].effect.getKeyframes());
  const ends = frames.map(({ transform }) => transform.match(/-?[0-9.]+/g).map(Number));
  return [tokens.length, ends.filter(([x, y]) => x < 0 || y < 0 || x > box.width || y > box.height).length];
}"""
"""How many numbers fly, and how many ends of their ways are out of sight."""

SLOWLY = """() => {
  const animate = Element.prototype.animate;
  Element.prototype.animate = function (...given) {
    const flight = animate.apply(this, given);
    flight.playbackRate = 0.01;
    return flight;
  };
}"""
"""Lets numbers fly so slowly that they are seen on the slowest machine."""

STEPPED = """async () => {
  const took = [];
  for (let i = 0; i < 40; i++) {
    const begun = performance.now();
    document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowRight', bubbles: true }));
    document.getElementById('scene').getBoundingClientRect();
    took.push(performance.now() - begun);
    await new Promise((done) => requestAnimationFrame(done));
  }
  return took;
}"""
"""Milliseconds of each beat from the key to the laid out page."""


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """Each kernel's page, by name."""
    folder = tmp_path_factory.mktemp("stages")
    return {
        case: watch(name, size, tile=tile).save(folder / f"{case}.html") for case, (name, size, tile) in KERNELS.items()
    }


@pytest.fixture(scope="module")
def opened(pages):
    """Open a page; whatever it complains about fails the test that asks."""
    with chromium() as browser:

        def open_case(case: str, link: str = "", screen: str = "768", **options) -> Opened:
            width, height = FRAME if screen == "frame" else SCREENS[screen]
            page = Opened(browser, pages[case], viewport={"width": width, "height": height}, **options)
            if link:
                page.page.goto(pages[case].as_uri() + link)
                page.page.reload()
                page.page.wait_for_selector("html[data-ready=yes]")
            return page

        yield open_case


def _press_beats(page: Opened, count: int) -> None:
    for _ in range(count):
        page.page.locator("body").press("ArrowRight")


def test_each_beat_says_what_one_thread_does_and_why(opened):
    """The example of seed 002 from its first load to its last store."""
    page = opened("example", "#beat=1")
    told = []
    for _ in range(15):
        told.append((page.text("#sentence"), page.text("#because")))
        _press_beats(page, 1)
    assert told[0][0] == "Thread (0, 0) loads 8 from A[0][0] and puts it into tile_A[0][0]."
    assert "4 threads load one number each" in told[0][1]
    assert "serves the 2 threads in its row of the block" in told[0][1]
    assert "both tiles are complete" in told[2][0]
    assert told[3] == (
        f"Thread (0, 0): 8 {TIMES} 6: 48 is added to its sum.",
        "The 8 also serves the thread on its right, the 6 the one below: each was loaded once.",
    )
    assert "all have multiplied" in told[5][0]
    assert told[14][0] == "Thread (0, 0) stores its sum, 107, to C[0][0]."
    assert page.complaints == []


def test_both_operands_have_their_colours(opened):
    """In the sentence, in the tiles and in the thread; dashed arcs lead to the neighbours that they serve as well."""
    page = opened("example", "#beat=4")
    assert page.page.locator("#sentence b").all_inner_texts() == ["8", "6"]
    assert page.page.locator("#scene .cell.mine").count() == 2
    assert page.page.locator("#scene .product .told").all_text_contents() == ["8", "6", "8", "6"]
    arcs = page.page.locator("#scene .arc")
    assert [arcs.nth(i).get_attribute("class") for i in range(4) if arcs.nth(i).is_visible()] == [
        *("arc of-A", "arc of-B"),
        *("arc also of-A", "arc also of-B"),
    ]


def test_threads_at_a_barrier_are_dotted(opened):
    """All that wait, while the beat is about them."""
    page = opened("example", "#beat=3")
    assert page.page.locator("#scene .cell.thread.waits").count() == 4
    _press_beats(page, 1)
    assert page.page.locator("#scene .cell.thread.waits").count() == 0


def test_what_is_said_for_the_first_time_stays_until_it_is_read(opened):
    """The first multiply-add has a sentence of a hundred letters, above four seconds; the second is one beat."""
    page = opened("example", "#beat=3")
    page.page.clock.install()
    page.page.click("#play")
    for milliseconds, beat in ((3500, 4), (1500, 5), (1000, 6), (1500, 6)):
        page.page.clock.run_for(milliseconds)
        assert page.text("#position") == f"beat {beat} of 13"


def test_the_score_is_there_from_the_start(opened):
    """Planned loads with tiles and without, then those made; what will be asked for is not told before."""
    page = opened("example")
    assert page.page.locator("#score .count").all_inner_texts() == ["?", "0 of 8"]
    assert not page.page.locator("#score .own .dots").is_visible()
    _press_beats(page, 6)
    assert page.page.locator("#score .count").all_inner_texts() == ["0 of 4", "0 of 8"]
    assert page.page.locator("#score .own i").count() == 4
    page = opened("example", "#beat=4")
    assert page.page.locator("#score .count").all_inner_texts() == ["2 of 4", "2 of 8"]
    assert page.page.locator("#score .own i.full").count() == 2
    naive = opened("naive", "#beat=3")
    assert naive.page.locator("#score .count").all_inner_texts()[0] == "6 of 8"
    assert "loaded again for 3 other threads" in naive.text("#because")


@pytest.mark.parametrize("case", KERNELS)
def test_every_load_is_seen_to_fly(opened, case):
    """One number for each thread and load, from one square in sight to another, at every beat that loads."""
    page, seen = opened(case), 0
    page.page.evaluate(SLOWLY)
    while page.shows() != "wait" if case != "naive" else page.shows() != "store":
        _press_beats(page, 1)
        if page.shows().startswith("load ") or (case == "naive" and page.shows() == "multiply"):
            seen += 1
            assert page.page.evaluate(FLOWN) == [NUMBERS_OF_A_BEAT[case], 0]
    assert seen > 1
    page.page.evaluate("location.hash = '#beat=1'")
    _press_beats(page, 1)
    page.page.evaluate("document.getElementById('told').style.paddingBottom = '2em'")  # as a longer sentence does
    page.page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    assert page.page.evaluate(FLOWN) == [NUMBERS_OF_A_BEAT[case], 0]
    calm = opened(case, "#beat=2", reduced_motion="reduce")
    _press_beats(calm, 1)
    assert calm.page.locator("#scene .flight").count() == 0


def test_how_long_a_step_takes(opened, record_property):
    """Of a block of 16 x 16 threads, the median of forty beats. Reported; a slow machine fails nobody."""
    page = opened("large", "#beat=20")
    took = page.page.evaluate(STEPPED)
    record_property("step_ms", sorted(took)[20])
    assert int(page.text("#position").split()[1]) > 50
    assert page.complaints == []


def test_zeros_beyond_the_edge_are_told(opened):
    """The last thread of the corner block has nothing to load."""
    page = opened("boundary", "#block=1,1&beat=1")
    page.page.select_option("#picker", label="(0, 3)")
    assert page.text("#sentence") == "Thread (0, 3) lies outside of the matrix: it writes 0 into tile_A[3][0]."
    assert page.page.locator("#scene .cell.filled").count() > 0


def test_a_lens_magnifies_what_is_too_small(opened):
    """Under the pointer, with its neighbours, as they were recorded; not where squares show their numbers."""
    page = opened("large", "#beat=40")
    assert not page.page.locator("#lens").is_visible()
    cell = page.page.locator("#scene .of-A .cell").nth(3 * 32 + 20)
    cell.hover(force=True)
    assert page.page.locator("#lens caption").inner_text() == "A[3][20]"
    number = page.page.evaluate(
        "JSON.parse(document.getElementById('trace').textContent).arrays[0].before[3 * 32 + 20]"
    )
    assert page.page.locator("#lens td.at").inner_text() == str(number)
    small = opened("example", "#beat=4")
    small.page.locator("#scene .of-A .cell").first.hover(force=True)
    assert not small.page.locator("#lens").is_visible()


def test_links_name_block_beat_and_language(opened):
    """What teachers put into their pages."""
    page = opened("example", "#block=1,0&beat=4&lang=de&embed=1")
    assert page.text("#sentence").endswith("kommt zu seiner Summe.")
    assert page.page.locator("#block").input_value() == "1"
    assert not page.page.locator("main").is_visible()
    assert page.page.locator("#beats .now").inner_text() == "rechnen"


def test_instructions_behind_a_switch(opened):
    """The switch brings single instructions, and their sentence, back."""
    page = opened("example")
    assert not page.page.locator("[aria-label='on by an access']").is_visible()
    page.page.check("#fine")
    _press_beats(page, 1)
    assert page.text("#position").startswith("step 1 of 30")
    assert "loads 8 from A[0][0]" in page.text("#sentence")
    assert "4 threads load" in page.text("#story")


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize(("screen", "case"), by_turns(SCREENS, list(KERNELS)))
def test_one_screen_holds_the_story(opened, case, screen, theme):
    """At the start, in the middle and at the end: nothing cut off, nothing overlapping, no text under 11 px."""
    page = opened(case, screen=screen, color_scheme=theme, reduced_motion="reduce")
    for place in (*["next"] * 8, "#beat=4", "#beat=9", "End", *["ArrowLeft"] * 4):
        if place.startswith("#"):
            page.page.evaluate("(link) => { location.hash = link; }", place)
            page.page.wait_for_timeout(50)
        elif place != "next":
            page.page.locator("body").press(place)
        found = page.page.evaluate(BOXES)
        assert (max(found["wide"], 0), found["small"], found["cut"]) == (0, [], []), (place, page.shows())
        assert found["told"] <= 0
        left, top, right, bottom = found["scene"]
        assert max(bottom, found["score"][3]) <= found["controls"][1] + 1
        assert found["controls"][3] <= SCREENS[screen][1] + 1
        for text, size, *box in found["texts"]:
            assert size >= 11, text
            outside = max(left - box[0], top - box[1], box[2] - right, box[3] - bottom)
            assert outside <= 1, text
        numbers = [box for text, _, *box in found["texts"] if text.lstrip("-").isdigit()]
        for i, one in enumerate(numbers):
            for other in numbers[i + 1 :]:
                across = min(one[2], other[2]) - max(one[0], other[0])
                assert across <= 0.5 or min(one[3], other[3]) - max(one[1], other[1]) <= 4, (place, one, other)
        if place == "next":
            _press_beats(page, 1)
    assert page.complaints == []
    page.context.close()


def test_a_frame_of_the_site_holds_the_story(opened):
    """Picture, source and controls at once, as wide as the site's text and lower than its first screen."""
    page = opened("example", "#embed", screen="frame", reduced_motion="reduce")
    for _ in range(12):
        found = page.page.evaluate(BOXES)
        assert (max(found["wide"], 0), found["small"], found["cut"]) == (0, [], []), page.shows()
        assert found["told"] <= 0
        assert found["scene"][2] < found["score"][0]
        assert found["score"][3] <= found["controls"][1] + 1
        assert found["controls"][3] <= FRAME[1] + 1
        _press_beats(page, 1)
    assert page.complaints == []


def test_german_fits_a_phone_as_well(opened):
    """Its words are longer."""
    page = opened("example", "#lang=de", screen="phone", reduced_motion="reduce")
    for _ in range(31):
        found = page.page.evaluate(BOXES)
        assert (max(found["wide"], 0), found["small"], found["cut"]) == (0, [], []), page.shows()
        assert found["told"] <= 0, page.shows()
        _press_beats(page, 1)
    assert page.complaints == []


def test_details_stand_in_tabs_below_the_stage(opened):
    """One group at a time, by pointer and by arrow keys, which step everywhere else; with both languages."""
    page = opened("example", "#beat=4")
    panels = {name: f"main [data-tab={name}]" for name in ("memory", "lanes", "tables", "findings", "blocks")}

    def visible() -> list[str]:
        return [name for name, selector in panels.items() if page.page.locator(selector).first.is_visible()]

    assert visible() == ["memory"]
    for name in panels:
        page.tab(name)
        assert visible() == [name]
        assert page.page.locator("[role=tab][aria-selected=true]").get_attribute("data-name") == name
    page.tab("memory")
    page.page.keyboard.press("ArrowLeft")
    assert visible() == ["tables"]
    assert page.text("#position") == "beat 4 of 13"
    page.page.select_option("#language", "de")
    assert page.page.locator("[role=tab][aria-selected=true]").inner_text() == "Tabellen"
    assert page.complaints == []
