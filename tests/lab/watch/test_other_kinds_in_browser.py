"""Kernels that are no product, on the page: their arrays, atomics, conflicts, and nothing that speaks of products."""

from __future__ import annotations

from pathlib import Path

import numpy
import pytest

from tilewright.lab.watch.recording import watch

from .browser import chromium
from .opened import Opened

pytestmark = pytest.mark.slow
CORRECT = Path(__file__).parents[1] / "planted" / "correct"
TRANSPOSE = """
#define TILE 32
__global__ void transpose(const float* in, float* out, int n)
{
    __shared__ float tile[TILE][TILE];
    int x = threadIdx.x, y = threadIdx.y;
    for (int j = 0; j < TILE; j += 8)
        tile[y + j][x] = in[(y + j) * n + x];
    __syncthreads();
    for (int j = 0; j < TILE; j += 8)
        out[(y + j) * n + x] = tile[x][y + j];
}
"""


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    """A histogram, a transposition with conflicts, a smoothing: recordings and their pages."""
    folder = tmp_path_factory.mktemp("kinds")
    source = folder / "transpose.cu"
    source.write_text(TRANSPOSE)
    values = numpy.arange(64, dtype=numpy.uint8)
    square = numpy.arange(1024, dtype=numpy.float32).reshape(32, 32)
    found = {
        "histogram": watch(
            CORRECT / "histogram_aggregated.cu",
            arrays={"x": values},
            results={"bins": 64},
            scalars={"n": 64},
            block="32",
            grid="2",
            zero_output=True,
        ),
        "transpose": watch(
            source,
            arrays={"in": square},
            expect={"out": square.T},
            scalars={"n": 32},
            block="32,8",
            grid="1",
        ),
        "smooth": watch(
            CORRECT / "smooth_grid_stride.cu",
            arrays={"x": 40},
            results={"y": 40},
            scalars={"n": 40},
            block="16",
            grid="2",
        ),
    }
    return {name: (one, one.save(folder / f"{name}.html")) for name, one in found.items()}


@pytest.fixture(scope="module")
def browser():
    """One browser for all of them."""
    with chromium() as started:
        yield started


@pytest.fixture
def opened(browser, recorded):
    """Open a recording's page; whatever it complained about fails the test."""
    pages = []

    def open_page(name: str, **options) -> Opened:
        pages.append(Opened(browser, recorded[name][1], **options))
        return pages[-1]

    yield open_page
    for page in pages:
        page.context.close()
    assert [complaint for page in pages for complaint in page.complaints] == []


def test_atomics_leave_on_the_page_what_they_left_in_memory(opened, recorded):
    """Block (1) counts the second 32 numbers: 8 bins of 4, and no more is known of what block (0) did."""
    page = opened("histogram")
    steps = len(recorded["histogram"][0].document["blocks"][0]["steps"])
    page.seek(steps)
    bins = page.page.locator('[aria-label="array bins"] td:not(.corner)').all_inner_texts()
    assert bins == ["4"] * 8 + ["0"] * 56
    assert page.text("#held") == "the number that each moved last"
    assert page.text("#problem") == "n = 64"


def test_zeros_of_a_kernel_that_is_no_product_are_constants(opened):
    """They stand for nothing outside of a matrix."""
    page = opened("histogram")
    page.seek(2)
    assert len(page.cells("own", "filled")) > 0
    assert page.text("#filled") == "a constant: nothing was loaded for it"
    assert "having loaded nothing" in page.text("#story")


def test_conflicts_name_the_lanes(opened):
    """A column of a square tile: every lane wants a word of its own of one bank, and the cells light up."""
    page = opened("transpose")
    page.page.locator("#findings button").first.click()
    assert "lanes 0 to 31 each want a word of their own; 32 wavefronts instead of 1" in page.text("#traffic")
    assert len(page.cells("tile", "collides")) == 32
    assert "right, compared with what was expected" in page.text("#launch")
    assert page.page.locator("#alarm").is_hidden()


def test_every_step_is_shown_at_every_width(opened, recorded):
    """Forwards at a phone's width: nothing sticks out, nothing complains."""
    for name in recorded:
        page = opened(name, viewport={"width": 400, "height": 850}, color_scheme="dark")
        steps = len(recorded[name][0].document["blocks"][0]["steps"])
        for at in range(0, steps + 1, max(1, steps // 20)):
            page.seek(at)
        assert page.page.evaluate("document.documentElement.scrollWidth") <= 400
        assert page.page.locator("#tables-box").is_visible() is (name != "smooth")
