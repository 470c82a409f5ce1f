"""What the stage tells around the run: before it, after it, what it asks, and the run that goes wrong."""

from __future__ import annotations

import pytest

from tilewright.lab.watch.recording import watch

from .browser import chromium
from .opened import Opened

pytestmark = pytest.mark.slow
MOST_BYTES = 200_000
"""Of the page of a 4 x 4 product."""
TIMES = "\N{MULTIPLICATION SIGN}"
BEGINS = ["reads", "reads", "reads", "blocks", "begin", "loads", "loads", "load A"]


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """The page of the README's example."""
    return watch("matmul/tiled").save(tmp_path_factory.mktemp("story") / "watch.html")


@pytest.fixture(scope="module")
def browser():
    """One browser for all of them."""
    with chromium() as started:
        yield started


@pytest.fixture
def opened(browser, saved):
    """Open the page, at a link; whatever it complained about fails the test."""
    pages: list[Opened] = []

    def open_at(link: str = "", **options) -> Opened:
        pages.append(Opened(browser, saved, link=link, viewport={"width": 1366, "height": 768}, **options))
        return pages[-1]

    yield open_at
    for page in pages:
        page.context.close()
    assert [complaint for page in pages for complaint in page.complaints] == []


def _press(page: Opened, count: int = 1) -> None:
    for _ in range(count):
        page.page.locator("body").press("ArrowRight")


def test_the_page_is_small(saved):
    """It goes by mail."""
    assert saved.stat().st_size < MOST_BYTES


def test_it_begins_with_how_often_numbers_are_read_without_tiles(opened):
    """One thread, its neighbour, all of them; then all blocks, then one, and a question."""
    page = opened()
    shown = []
    for number in range(len(BEGINS)):
        shown.append(page.shows())
        if number == 0:
            assert page.page.locator("#scene .cell.mine").count() == 9  # a row, a column, and one element of C
        if number == 2:
            assert page.text("#sentence") == "All 16 threads make 128 loads for 32 numbers."
            assert page.page.locator("#scene .of-A .number").all_text_contents()[:16] == [f"4{TIMES}"] * 16
        if number == 3:
            assert page.page.locator("#scene .block-name:visible").all_text_contents() == [
                *("(0, 0)", "(1, 0)", "(0, 1)", "(1, 1)")
            ]
        _press(page)
    assert shown == BEGINS


def test_a_prediction_is_asked_before_the_answer_is_shown(opened):
    """While the number is asked for, the score does not tell it; an answer is judged and explained."""
    page = opened()
    _press(page, 5)
    assert page.text("#sentence").startswith("Predict: how many numbers will thread (0, 0) load")
    assert page.page.locator("#score .count").all_inner_texts() == ["?", "0 of 8"]
    assert page.page.locator("#because .answer").all_inner_texts() == ["2", "4", "8", "16"]
    page.page.click("#because .answer >> text=8")
    assert page.text("#sentence") == "Not quite. 4: one of A and one of B in each of 2 phases."
    assert page.page.locator("#score .count").all_inner_texts() == ["0 of 4", "0 of 8"]
    _press(page)
    assert page.shows() == "load A"


def test_without_the_second_barrier_c_turns_red_when_it_is_spoiled(opened):
    """The question leads to the recorded run; nothing is red before the overwriting, half of C from then on."""
    page = opened("#beat=6")
    _press(page)
    page.page.click("#because .answer >> text=wrong sums")
    assert page.text("#sentence").startswith("Right. Wrong sums")
    assert "32 of 64 elements of C came out wrong" in page.text("#because")
    assert page.page.locator("#because .run").all_inner_texts() == ["Play without barrier 2", "Play without barrier 1"]
    page.page.locator("#because .run").first.click()
    page.page.locator("html[data-ready=yes] h1", has_text="without barrier 2").wait_for()
    page.page.locator("#play").click()  # pauses
    page.page.evaluate("location.hash = '#without=2&beat=15'")
    page.page.locator("#position", has_text="beat 15 ").wait_for()
    assert page.page.locator("#scene .spoiled").count() == 0
    _press(page)
    assert "overwrites tile_B[4][0], which 4 threads have still to read" in page.text("#sentence")
    assert page.text("#because") == "32 elements of C are wrong from this moment on."
    spoiled = page.page.locator("#scene .cell.spoiled")
    assert spoiled.count() == 32 + 32 + 32  # of tile_B, of C, and the threads
    frames = spoiled.evaluate_all("(cells) => new Set(cells.map((cell) => getComputedStyle(cell).stroke)).size")
    assert frames == 2  # red, but for the black one of the thread that is told of
    page.page.locator("body").press("End")
    assert page.text("#sentence") == "The end: 32 of the 64 elements of C are wrong."
    page.page.click("#other-run button")
    page.page.locator("html[data-ready=yes] h1", has_text="matmul/tiled").wait_for()
    assert page.shows() == "reads"


def test_without_the_first_barrier_a_thread_reads_too_early(opened):
    """What it reads was not written yet."""
    page = opened("#without=1&beat=6")
    assert page.page.locator("#scene .spoiled").count() == 0
    _press(page)
    assert page.text("#sentence").endswith("which holds no number of this phase yet.")


def test_it_ends_with_what_tiles_save_and_what_bounds_them(opened):
    """Loads of every tile, as counted; the tile of a block that a chip does not take is refused."""
    page = opened()
    page.page.locator("body").press("End")
    assert page.shows() == "tiles"
    page.page.locator("#tile-range").fill("15")
    assert page.text("#tiles .loads").startswith("4,096 loads from global memory, counted: 1/16")
    assert page.text("#tiles .takes") == "A block: 256 threads, 2,048 bytes of shared memory"
    page.page.locator("#tile-range").fill("31")
    assert "2 such blocks" in page.text("#tiles .holds")
    page.page.select_option("#tile-chip", label="G80 (8800 GTX)")
    assert page.text("#tiles .holds") == "The G80 (8800 GTX) takes no such block: at most 512 threads"
    assert page.page.locator(".plot .dot").count() == 32
    assert page.page.locator(".plot .middle").all_text_contents() == ["1", *map(str, range(4, 33, 4))]
    page.page.locator("#beats .page").first.click()
    assert page.shows() == "reads"


def test_links_lead_to_what_is_told_after_the_run(opened):
    """How a matrix lies in memory, where variables live, how far warps drift apart: all of it counted or compiled."""
    page = opened("#block=1,1&page=index")
    page.page.select_option("#picker", label="(1, 1)")
    assert "thread (1, 1) of block (1, 1) wants A[3][3], which is number 3 \N{MIDDLE DOT} 4 + 3 = 15." in page.text(
        "#sentence"
    )
    assert page.page.locator("#more .cell.mine").count() == 2  # in the matrix, and in the line
    page = opened("#page=memories")
    boxes = page.page.locator("#more .scope")
    assert [boxes.nth(i).locator("> p").first.inner_text().split(":")[0] for i in range(3)] == [
        *("global memory", "shared memory", "registers")
    ]
    page = opened("#page=timing")
    assert page.text("#sentence") == ("Barriers keep warps together: at most 1 phase apart; without them up to 6.")
    assert page.page.locator("#more .timing").count() == 2
    _press(page)
    assert page.shows() == "tiles"


def test_every_text_has_both_languages(opened):
    """The stage, its questions and its controls."""
    page = opened("#lang=de")
    for _ in range(34):
        said = f"{page.text('#sentence')} {page.text('#because')}"
        assert not {"the", "loads", "from", "thread", "threads", "block", "number", "is"} & set(said.split()), said
        _press(page)
    assert page.text("#play") == "\N{BLACK RIGHT-POINTING TRIANGLE} Abspielen"
    assert page.page.locator("#speed option:checked").inner_text() == "1 je Sek."


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(
    ("link", "stops"),
    [("", 0), ("", 2), ("", 5), ("#beat=4", 0), ("#beat=13", 2), ("#without=2&beat=16", 0), ("#page=timing", 0)],
)
def test_axe_finds_no_violation(opened, scheme, link, stops):
    """Names, roles, contrast and the order of headings, at the start, within the run and at the end."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="in the dependency group browser")
    page = opened(link, color_scheme=scheme, reduced_motion="reduce")
    _press(page, stops)
    found = axe.Axe().run(page.page)
    assert [(each["id"], [node["target"] for node in each["nodes"]]) for each in found.response["violations"]] == []


def test_when_it_is_painted_first(opened, record_property):
    """Measured and reported, the median of five; how fast this machine is today fails nobody."""
    painted = []
    for _ in range(5):
        first = opened().page.evaluate("performance.getEntriesByType('paint').map(({ startTime }) => startTime)")
        assert first
        painted.append(min(first))
    record_property("first_paint_ms", sorted(painted)[2])
    assert min(painted) > 0
