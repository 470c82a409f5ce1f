"""The other seeds' stories on the stage: the sums of pairs of a reduced product, and the tree of a dot product."""

from __future__ import annotations

import pytest

from tilewright.lab.watch.recording import watch

from .browser import chromium
from .opened import Opened
from .test_stage_in_browser import BOXES, SCREENS, TIMES

pytestmark = pytest.mark.slow
KERNELS = {
    "pairs": ("reduced_matmul/tiled", (8, 8, 8), 2),
    "line": ("reduced_matmul/naive_p", (8, 8, 8), None),
    "out": ("reduced_matmul/naive_4p", (8, 8, 8), None),
    "tree": ("dot/tiled", (1, 1, 64), 32),
    "warps": ("dot/tiled", (1, 1, 200), 64),
}
LOOKS = ["light", "dark"] * 2


@pytest.fixture(scope="module")
def opened(tmp_path_factory):
    """Open a page on a screen; whatever it complained about fails the test that asks."""
    folder = tmp_path_factory.mktemp("stories")
    pages = {
        case: watch(name, size, tile=tile).save(folder / f"{case}.html") for case, (name, size, tile) in KERNELS.items()
    }
    with chromium() as browser:

        def open_case(case: str, link: str = "", screen: str = "768", **options) -> Opened:
            width, height = SCREENS[screen]
            return Opened(browser, pages[case], link=link, viewport={"width": width, "height": height}, **options)

        yield open_case


def _press(page: Opened, count: int = 1) -> None:
    for _ in range(count):
        page.page.locator("body").press("ArrowRight")


def _told(page: Opened) -> list[str]:
    return [page.text("#sentence"), page.text("#because")]


def test_pairs_are_added_on_the_way_to_the_tiles(opened):
    """The thesis's figure 4.3: two numbers fly into one square, and the sums are multiplied."""
    page = opened("pairs", "#beat=1")
    assert _told(page) == [
        "Thread (0, 0) loads 8 from A[0][0] and 2 from A[1][0], adds them and puts 10 into sums_A[0][0].",
        "The sum is made once, and used by 2 threads of the block.",
    ]
    assert page.page.locator("#score .count").all_inner_texts() == ["2 of 16", "0 of 32"]
    page = opened("pairs")
    _press(page, 7)
    assert page.page.locator("#scene .flight").count() == 8
    a, c = (page.page.locator(f"#scene .of-{hue} .cell").first.bounding_box() for hue in "AC")
    assert c["width"] > 1.8 * a["width"]  # a square of C is where two rows meet two columns


def test_without_tiles_rows_and_columns_are_read_again(opened):
    """Figures 4.1 and 4.2: threads in one line, each with two rows and two columns of its own."""
    page = opened("line")
    assert "It adds rows 0 and 1 of A, columns 0 and 1 of B" in page.text("#sentence")
    _press(page, 3)
    assert page.shows() == "line"
    assert page.page.locator("#more .cell.now").count() == 30  # of C, and of the line of threads
    assert page.text("#because").endswith(f"those of an N {TIMES} N product take (N/2)\N{SUPERSCRIPT TWO}/1,024.")
    _press(page)
    assert page.text("#sentence") == "We follow block (0): 1,024 threads in one line, of which 16 have an element of C."
    _press(page, 2)
    assert page.text("#sentence") == f"Thread (0): (8 + 2) {TIMES} (8 + 2): 100 is added to its sum."
    page = opened("out", "#beat=2")
    products = " + ".join(f"{a} {TIMES} {b}" for a in (8, 2) for b in (8, 2))
    assert page.text("#sentence") == f"Thread (0): {products}: 100 is added to its sum."


def test_the_thesis_table_of_its_machine(opened):
    """Table 4.1 as printed, and the limits of its GPU, before the slider whose first chip it is."""
    page = opened("pairs", "#page=machine")
    tables = page.page.locator("#more table")
    assert tables.first.locator("td").all_inner_texts() == [
        *("Intel i5-9300H @2.40 GHz, 8 cores", "8 GB", "NVIDIA GeForce GTX 1050 Mobile", "11.7", "4 GB")
    ]
    assert tables.last.locator("td").all_inner_texts() == ["5", "1,024", "2,048", "49,152"]
    _press(page)
    assert page.page.locator("#tile-chip option").first.inner_text() == "GTX 1050 Mobile"


def test_pairs_without_the_second_barrier(opened):
    """Half of C turns red when the next sums are stored over those that the second warp has to read, and not before."""
    page = opened("pairs", "#page=barrier")
    _press(page)
    assert "32 of 64 elements of C came out wrong" in page.text("#because")
    page = opened("pairs", "#without=2&beat=15")
    assert page.page.locator("#scene .spoiled").count() == 0
    _press(page)
    assert "overwrites sums_B[4][0], which 4 threads have still to read" in page.text("#sentence")
    assert page.page.locator("#scene .cell.spoiled").count() == 3 * 32  # of sums_B, of C, and the threads
    page = opened("pairs", "#without=1&beat=7")
    assert page.text("#sentence").endswith("reads sums_B[4][0], which holds no number of this phase yet.")


def test_trees_without_a_barrier(opened):
    """A question leads to the run whose block has four warps; what is added too early is red, and its sums."""
    page = opened("tree", "#page=barrier")
    page.page.click("#because .answer >> text=nothing")
    assert page.text("#sentence").startswith("Not quite. A wrong sum: a fast warp")
    page.page.locator("#because .run").first.click()
    page.page.locator("html[data-ready=yes] h1", has_text="without barrier 2").wait_for()
    page = opened("tree", "#without=2&beat=13")
    assert page.page.locator("#scene .spoiled").count() == 0
    _press(page)
    assert page.text("#sentence").endswith("Too early: thread (0) adds sums[32], which does not hold its sum yet.")
    assert page.page.locator("#scene .cell.spoiled").count() == 32 + 32 + 1  # of both steps, and C
    assert page.page.locator("#scene .fold.wrong").count() == 64
    page = opened("tree", "#without=1")
    page.page.locator("body").press("End")
    assert _told(page) == ["The end: the block's sum is wrong.", "No error was reported. Only the number tells."]
    assert page.page.locator("#scene .cell.spoiled").count() == 63 + 1  # every sum of the tree, and C
    assert page.complaints == []


def test_a_tree_adds_the_sums_of_a_block(opened):
    """From the host's copies to the host's addition; each step of the tree halves the sums."""
    page = opened("tree")
    shown, told = [], []
    for _ in range(25):
        shown.append(page.shows())
        told.append(page.text("#sentence"))
        _press(page)
    assert shown[:8] == ["host", "host", "begin", "multiply", "share", "wait", "tree", "tree"]
    assert shown[-2:] == ["host", "host"]
    assert told[8] == "Thread (0) adds 42 from sums[16] to 64 in sums[0]: 106."
    assert [text for text in told if "adds" in text and "Thread" in text][-1].endswith("in sums[0]: 885.")
    assert told[-1] == "The host adds them: 885 + 794 = 1,679."
    assert page.page.locator("#scene .of-C .number").filter(has_text="794").count() == 1  # the other block's sum, too
    assert page.page.locator("#score .count").all_inner_texts() == ["5 of 5", "31 of 31"]
    assert page.complaints == []


def test_who_gives_to_whom_in_the_tree(opened):
    """In each step numbers fly from the upper half to the lower one, and lines stay."""
    page = opened("tree", "#beat=3")
    _press(page)
    page.page.click("#because .answer >> text=31")
    assert page.text("#sentence").startswith("Not quite. 5: each step halves")
    _press(page)
    assert page.page.locator("#scene .flight").count() == 32
    assert page.page.locator("#scene .fold.mine").count() == 2
    assert page.page.locator("#scene .fold.now").count() == 30
    assert page.page.locator("#beats .now").inner_text() == "+ 16"


@pytest.mark.parametrize("case", ["pairs", "line", "tree", "warps"])
@pytest.mark.parametrize(("screen", "look"), list(zip(SCREENS, LOOKS, strict=True)))
def test_one_screen_holds_the_story(opened, case, screen, look):
    """Nothing is cut off, nothing overlaps the controls, no text is under 11 px; in the longer language, too."""
    page = opened(case, "#lang=de" if screen == "phone" else "", screen, color_scheme=look, reduced_motion="reduce")
    for place in (*["next"] * 12, "End"):
        found = page.page.evaluate(BOXES)
        assert (max(found["wide"], 0), found["small"], found["cut"]) == (0, [], []), page.shows()
        assert found["told"] <= 0, page.shows()
        left, top, right, bottom = found["scene"]
        assert max(bottom, found["score"][3]) <= found["controls"][1] + 1
        for text, size, *box in found["texts"]:
            assert size >= 11, text
            assert max(left - box[0], top - box[1], box[2] - right, box[3] - bottom) <= 1, (text, page.shows())
        page.page.locator("body").press("ArrowRight" if place == "next" else place)
    assert page.complaints == []
    page.context.close()


@pytest.mark.parametrize(
    ("case", "stops", "look"), [("tree", 0, "light"), ("tree", 8, "dark"), ("pairs", 7, "dark"), ("line", 3, "light")]
)
def test_axe_finds_no_violation(opened, case, stops, look):
    """The host's program, the tree, the pairs."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="in the dependency group browser")
    page = opened(case, color_scheme=look, reduced_motion="reduce")
    _press(page, stops)
    found = axe.Axe().run(page.page)
    assert [(each["id"], [node["target"] for node in each["nodes"]]) for each in found.response["violations"]] == []
