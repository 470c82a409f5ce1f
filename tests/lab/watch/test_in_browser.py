"""The page in a real browser: it plays, steps and counts what the trace says, and complains about nothing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tilewright.kernels import find_taught
from tilewright.kernels.catalogue import find
from tilewright.lab.check.options import Options
from tilewright.lab.check.sizes import Sizes
from tilewright.lab.trace.catalogue_subject import catalogue_subject
from tilewright.lab.trace.document import document_of
from tilewright.lab.trace.file_subject import file_subject
from tilewright.lab.trace.record import record
from tilewright.lab.trace.trace import Selection
from tilewright.lab.watch.page import page_of

from .browser import chromium
from .opened import Opened

pytestmark = pytest.mark.slow
FIRST_PRODUCT = "A[0][0] \N{MULTIPLICATION SIGN} B[0][0]"
CASES = {
    "example": ("matmul/tiled", (4, 4, 4), 2, ()),
    "boundary": ("matmul/tiled", (7, 9, 5), 4, ()),
    "race": ("matmul/tiled", (8, 8, 8), 4, (2,)),
    "large": ("matmul/tiled", (16, 16, 32), 16, ()),
    "reduced": ("reduced_matmul/tiled", (8, 8, 8), 2, ()),
    "dot": ("dot/tiled", (1, 1, 64), 32, ()),
    "naive": ("matmul/naive", (4, 4, 6), 2, ()),
    "tensor": ("matmul/mma_sync", (32, 32, 16), None, ()),
}


PLANTED = Path(__file__).parents[1] / "planted" / "bad"
WRONG = {"outside": ("no_guard_a", (20, 18, 17)), "hanging": ("barrier_in_branch", (40, 40, 20))}
"""Files with a mistake, and sizes that bring it out."""
DIVERGING = """
__global__ void product(const float* A, const float* B, float* C, int n)
{
    int row = threadIdx.y, column = threadIdx.x;
    float sum = 0;
    if (column % 2)
        for (int p = 0; p < n; ++p)
            sum += A[row * n + p] * B[p * n + column];
    else
        for (int p = n - 1; p >= 0; --p)
            sum += A[row * n + p] * B[p * n + column];
    C[row * n + column] = sum;
}
"""


@pytest.fixture(scope="module")
def browser():
    """One browser for all of them."""
    with chromium() as started:
        yield started


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    """Each case's document and page, by name."""
    folder = tmp_path_factory.mktemp("pages")
    found = {}
    for case, (name, (m, n, k), tile, without) in CASES.items():
        document = document_of(record(catalogue_subject(find(*name.split("/")), Sizes(m, k, n), tile, without=without)))
        path = folder / f"{case}.html"
        path.write_text(page_of(document), encoding="utf-8")
        found[case] = document, path
    document = document_of(
        record(catalogue_subject(find_taught("matmul", "tiled"), Sizes(8, 8, 8), 4), Selection(blocks=((1, 1, 0),)))
    )
    path = folder / "one.html"
    path.write_text(page_of(document), encoding="utf-8")
    found["one block"] = document, path
    for case, (name, (m, n, k)) in WRONG.items():
        document = document_of(record(file_subject(PLANTED / f"{name}.cu", Sizes(m, k, n), Options())))
        found[case] = document, folder / f"{case}.html"
        found[case][1].write_text(page_of(document), encoding="utf-8")
    source = folder / "product.cu"
    source.write_text(DIVERGING)
    options = Options(operation="matmul", arguments="A,B,C,rows", block="cols,rows", grid="1")
    document = document_of(record(file_subject(source, Sizes(4, 4, 4), options)))
    path = folder / "diverging.html"
    path.write_text(page_of(document), encoding="utf-8")
    return found | {"diverging": (document, path)}


@pytest.fixture
def opened(browser, recorded):
    """Open cases; whatever they complained about fails the test."""
    pages: list[Opened] = []

    def open_case(case: str, **options) -> Opened:
        pages.append(Opened(browser, recorded[case][1], **options))
        return pages[-1]

    yield open_case
    for page in pages:
        page.context.close()
    assert [complaint for page in pages for complaint in page.complaints] == []


def loads_by_thread(document, until, block=0):
    """Return how many elements of global arrays each thread has loaded after so many steps, counted from the trace."""
    counts: dict[int, int] = {}
    shared = [array["space"] == "shared" for array in document["arrays"]]
    threads = document["launch"]["block"][0] * document["launch"]["block"][1]
    for step in document["blocks"][block]["steps"][:until]:
        if step["k"] == "load" and not shared[step["a"]]:
            for lane in range(min(32, threads - 32 * step["w"])):
                if step.get("m", -1) >> lane & 1:
                    counts[32 * step["w"] + lane] = counts.get(32 * step["w"] + lane, 0) + step.get("n", 1)
    return counts


def test_the_example_ends_at_eight_and_four(opened, recorded):
    """Seed 002: with tiling 4 loads per thread, without it 8; and C holds the product."""
    document = recorded["example"][0]
    page = opened("example")
    page.seek(len(document["blocks"][0]["steps"]))
    assert (page.text("#loads-thread"), page.text("#loads-thread-beside")) == ("4", "8")
    assert (page.text("#loads-block"), page.text("#loads-block-beside")) == ("16", "32")
    assert (page.text("#loads-launch"), page.text("#loads-launch-beside")) == ("64", "128")
    after = document["arrays"][2]["after"]
    assert page.sums() == [str(after[i]) for i in (0, 1, 4, 5)]


def test_counters_tick_as_the_trace_says(opened, recorded):
    """After every step, for each thread in turn."""
    document = recorded["boundary"][0]
    page = opened("boundary")
    for at in range(0, len(document["blocks"][0]["steps"]) + 1, 3):
        page.seek(at)
        counts = loads_by_thread(document, at)
        assert page.text("#loads-block") == str(sum(counts.values()))
        for thread in (0, 5, 15):
            page.page.locator("#threads button").nth(thread).click()
            assert page.text("#loads-thread") == str(counts.get(thread, 0))


def test_a_block_and_its_launch_are_counted_in_one_unit(opened):
    """Of a kernel that copies 16 bytes at a time; its only block is the launch."""
    page = opened("tensor")
    page.page.locator("body").press("End")
    assert page.text("#loads-block") == page.text("#loads-launch") != "0"


def test_it_plays_all_phases_to_the_end(opened, recorded):
    """From the button, at full speed."""
    page = opened("example")
    page.page.select_option("#speed", "300")
    page.page.click("#play")
    page.page.locator("#play", has_text="Play").wait_for()
    assert page.text("#position") == "beat 13 of 13"
    page.page.check("#fine")
    count = len(recorded["example"][0]["blocks"][0]["steps"])
    assert page.text("#position") == f"step {count} of {count}, phase 1"
    assert page.text("#play") == "▶ Play"
    assert page.text("#source li[aria-current=step] .number") != ""


def test_steps_by_access_line_and_phase(opened):
    """With buttons and with keys; back as well as on."""
    page = opened("example")

    def position() -> str:
        return str(page.text("#position").split(" of ")[0])

    page.page.check("#fine")
    page.page.click("[aria-label='on by an access']")
    assert position() == "step 1"
    page.page.click("[aria-label='on by a source line']")
    assert position() == "step 2"
    page.page.keyboard.press("Escape")
    page.page.locator("body").press("Shift+ArrowRight")
    assert page.text("#position") == "step 15 of 30, phase 1"
    page.page.locator("body").press("Shift+ArrowLeft")
    assert page.text("#position") == "step 0 of 30, phase 0"
    page.page.locator("body").press("End")
    assert position() == "step 30"
    page.page.locator("body").press("ArrowLeft")
    assert position() == "step 29"
    page.page.locator("body").press("Home")
    assert position() == "step 0"


def test_what_moves_is_shown_where_it_is(opened):
    """Step 1 reads a tile of A; step 2 writes it to shared memory; the line that does it is marked."""
    page = opened("example")
    page.seek(1)
    assert len(page.cells("A", "read")) == 4
    assert len(page.cells("A", "tile")) == 4
    read = page.cells("A", "read")
    page.seek(2)
    assert page.cells("tile_A", "written") == read
    assert "tile_A[ty][tx] = A[" in page.text("#source li.executing code")


def test_boundary_tiles_are_filled_and_threads_switched_off(opened):
    """Phase 1 of block (0,0): one column of A, one row of B; all else is 0 and looks different."""
    page = opened("boundary")
    page.seek(21)
    assert len(page.page.locator("#threads button.off").all()) == 12
    page.seek(24)
    assert page.cells("tile_A", "filled") == ["0"] * 12
    assert page.cells("tile_B", "filled") == ["0"] * 12
    page.tab("blocks")
    page.page.locator("#blocks button", has_text="(2, 1)").click()
    page.tab("memory")
    page.page.locator("body").press("End")
    assert len(page.page.locator("#threads button.done").all()) == 3
    assert len(page.page.locator("#threads button.idle").all()) == 13
    page.page.locator("#threads button").nth(1).click()
    assert page.text("#thread-facts").split("has stored\n")[1].startswith("nothing")


def test_a_race_lights_up_where_it_happens(opened, recorded):
    """The findings lead there: the cells, the threads, and an alarm that says which line."""
    finding = recorded["race"][0]["findings"][0]
    page = opened("race")
    assert page.page.locator("#alarm").is_hidden()
    page.tab("findings")
    page.page.locator("#findings button").first.click()
    assert finding["message"] in page.text("#alarm")
    name = finding["address"].partition("[")[0]
    assert len(page.cells(name, "bad")) > 0
    assert len(page.page.locator("#threads button.bad").all()) > 0
    assert page.page.locator("#source li.faulty").count() == 3


def test_barriers_say_who_waits_for_whom(opened):
    """Eight warps: one after the other comes to the first barrier."""
    page = opened("large")
    page.page.select_option("#warp", "1")
    seen = set()
    for _ in range(12):
        page.page.locator("body").press("ArrowRight")
        seen.add(page.text("#barrier"))
    assert any("waits for warps" in text or "wait for warp" in text for text in seen)


def test_an_access_outside_of_an_array_is_named_below_it(opened):
    """It has no cell; the button of the finding leads there, and what was counted is said to have been stopped."""
    page = opened("outside")
    assert page.page.locator(".beyond:visible").count() == 0
    page.tab("findings")
    page.page.locator("#findings button").first.click()
    assert "outside of A: A[20][0]" in page.text(".beyond:visible")
    assert page.text("#loads-launch") == "stopped"
    assert "out of bounds" in page.text("#alarm")
    page.wait_until(
        "(() => { const box = document.querySelector('.beyond:not([hidden])').getBoundingClientRect();"
        " return box.top > 0 && box.bottom < innerHeight; })()"
    )


def test_a_block_that_hangs_is_there_and_says_for_whom_it_waits(opened, recorded):
    """Block (2, 0) has a boundary; of each of its warps half comes to the barrier."""
    document = recorded["hanging"][0]
    assert [block["block"] for block in document["blocks"]] == [[0, 0, 0], [2, 0, 0]]
    assert {block for block, _, _ in document["findings"][0]["at"]} == {1}
    page = opened("hanging")
    page.tab("findings")
    page.page.locator("#findings button").first.click()
    assert page.text("#picked").endswith("of block (2, 0)")
    assert page.text("#barrier").endswith("warp 7 waits for warps 0 to 6 and for 16 other threads of its own.")


def test_lines_of_threads_that_part(opened, recorded):
    """Threads of one warp in two loops: both lines are marked, with how many are where, and some are switched off."""
    page = opened("diverging")
    page.seek(len(recorded["diverging"][0]["blocks"][0]["steps"]) * 2 // 3)
    lines = page.page.locator("#source li.occupied")
    assert {line.strip() for line in lines.locator(".badge").all_inner_texts()} == {"8 threads"}
    assert lines.count() == 2
    assert len(page.page.locator("#threads button.off").all()) == 8


def test_the_keys_work_on_the_slider_as_well(opened):
    """Whoever has dragged it need not click elsewhere first."""
    page = opened("example")
    page.page.check("#fine")
    page.seek(5)
    assert page.page.evaluate("document.activeElement.id") == "scrub"
    page.page.keyboard.press("ArrowRight")
    assert page.text("#position").startswith("step 6 ")
    page.page.keyboard.press("End")
    assert page.text("#position").startswith("step 30 ")
    page.page.keyboard.press("Space")
    assert page.text("#play") == "\N{HEAVY VERTICAL BAR}\N{HEAVY VERTICAL BAR} Pause"
    page.page.keyboard.press("Space")


def test_another_block(opened):
    """From the list above or the picture of the grid; one that was not recorded says how to record it."""
    page = opened("boundary")
    page.page.select_option("#block", "5")
    assert page.page.locator("#blocks [aria-pressed=true]").inner_text() == "(2, 1)"
    assert page.text("#picked").endswith("of block (2, 1)")
    page = opened("one block")
    assert page.page.locator("#block-choice").is_hidden()
    page.tab("blocks")
    page.page.locator("#blocks button", has_text="(1, 0)").click()
    assert "add --show-block 1,0 to the command, or blocks=[(1, 0)] to watch()" in page.text("#unrecorded")
    assert page.text("#picked").endswith("of block (1, 1)")


def test_long_lines_of_the_source_are_whole(opened):
    """They go on below: nothing has to be scrolled to the side; the line that executes is in sight."""
    page = opened("large")
    page.seek(200)
    listing = "document.querySelector('.listing')"
    assert page.page.evaluate(f"{listing}.scrollWidth <= {listing}.clientWidth")
    page.page.wait_for_function(
        f"(() => {{ const box = {listing}.getBoundingClientRect(), line = {listing}.querySelector('.executing')"
        ".getBoundingClientRect(); return line.top >= box.top && line.bottom <= box.bottom; })()"
    )


def test_seed_001s_tables(opened):
    """In its notation for its own example, and marked; row first when it is switched off, and everywhere else."""
    page = opened("example")
    page.tab("tables")
    table = page.text("#tables table.order >> nth=0")
    assert "M0,0 * N0,0" in table.replace("\n", "")
    assert "P1,0\nthread1,0" in table
    assert "as seed 001 writes it" in page.text(".marked")
    assert "Phase 1" in page.text("#tables table.order >> nth=1")
    page.page.uncheck("#notation")
    assert FIRST_PRODUCT in page.text("#tables table.order >> nth=0")
    assert "Phase 0" in page.text("#tables table.order >> nth=1")
    other = opened("boundary")
    other.tab("tables")
    other.page.click("#tables summary")
    assert other.page.locator("#notation").count() == 0
    assert FIRST_PRODUCT in other.text("#tables table.order >> nth=0")


@pytest.mark.parametrize("case", sorted(CASES))
def test_every_step_of_every_case_is_shown(opened, recorded, case):
    """Forwards, and back from the end: no error, and the same sums on both ways."""
    page = opened(case)
    steps = len(recorded[case][0]["blocks"][0]["steps"])
    stride = max(1, steps // 40)
    # In sight, the details follow at once.
    page.page.evaluate("document.getElementById('threads').scrollIntoView()")
    page.page.wait_for_timeout(100)
    there = {}
    for at in range(0, steps + 1, stride):
        page.seek(at)
        there[at] = page.sums()
    for at in sorted(there, reverse=True)[::5]:
        page.seek(at)
        assert page.sums() == there[at]


@pytest.mark.parametrize("width", [360, 400, 900, 1600, 3840])
def test_nothing_sticks_out_at_any_width(opened, width):
    """From a phone to a wall, the page never scrolls sideways."""
    page = opened("large", viewport={"width": width, "height": 900})
    page.seek(100)
    assert page.page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("case", ["example", "large", "tensor", "diverging"])
@pytest.mark.parametrize("width", [390, 1280, 1920])
def test_all_text_is_legible(opened, case, width):
    """Eleven pixels at least, in the details as well, whatever the size of their grids."""
    page = opened(case, viewport={"width": width, "height": 800})
    page.seek(12)
    assert page.too_small() == []


def test_both_themes(opened):
    """As the system says, or as one picks."""
    page = opened("example", color_scheme="dark")
    colour = "getComputedStyle(document.documentElement).backgroundColor"
    dark = page.page.evaluate(colour)
    page.page.select_option("#theme", "light")
    assert page.page.evaluate(colour) != dark


def test_what_a_screen_reader_hears(opened):
    """Everything that can be operated has a name; the step is told in a sentence; tables have headers."""
    page = opened("example")
    page.seek(3)
    client = page.context.new_cdp_session(page.page)
    nodes = client.send("Accessibility.getFullAXTree")["nodes"]
    operable = {"button", "slider", "combobox", "checkbox", "option"}
    unnamed = [
        node
        for node in nodes
        if node.get("role", {}).get("value") in operable
        and not node.get("ignored")
        and not node.get("name", {}).get("value")
    ]
    assert unnamed == []
    roles = [node["role"]["value"] for node in nodes if "role" in node]
    assert {"main", "banner", "slider", "grid", "columnheader", "rowheader", "status"} <= set(roles)
    names = json.dumps([node.get("name", {}).get("value") for node in nodes], ensure_ascii=False)
    assert "thread (1, 0): no running sum yet; takes part in this step" in names
    assert "step 3 of 30, phase 0" in page.page.locator("#scrub").get_attribute("aria-valuetext")
    assert "4 threads load" in page.text("#story")


def test_threads_are_reached_by_keys(opened):
    """One Tab into the grid; arrow keys from thread to thread."""
    page = opened("example")
    page.page.locator("#threads button[tabindex='0']").focus()
    page.page.keyboard.press("ArrowRight")
    page.page.keyboard.press("ArrowDown")
    assert page.text("#picked").startswith("thread (1, 1) of block (0, 0)")
    assert page.page.evaluate("document.activeElement.getAttribute('aria-pressed')") == "true"
