"""The lanes of a warp as a picture: sectors, banks, who gives to whom, who takes turns; drawn from what ran."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

from tilewright.lab.watch.recording import watch

from .browser import chromium
from .opened import Opened

pytestmark = pytest.mark.slow
REDUCE = """
__global__ void add_up(const float* x, float* total, int n)
{
    float sum = x[2 * threadIdx.x];
    for (int offset = 16; offset > 0; offset /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, offset);
    atomicAdd(&total[threadIdx.x / 16], sum);
}
"""
TRANSPOSE = """
__global__ void transpose(const float* in, float* out, int n)
{
    __shared__ float tile[32][32];
    for (int y = 0; y < 32; ++y)
        tile[y][threadIdx.x] = in[y * n + threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = tile[threadIdx.x][5];
}
"""


@pytest.fixture(scope="module")
def opened(tmp_path_factory):
    """Open the page of a kernel, and go to the first step of a kind."""
    folder = tmp_path_factory.mktemp("lanes")
    recordings = {}
    cases: list[tuple[str, str, dict[str, Any]]] = [
        ("reduce", REDUCE, {"arrays": {"x": 64}, "results": {"total": 2}, "zero_output": True}),
        ("transpose", TRANSPOSE, {"arrays": {"in": numpy.ones((32, 32), numpy.float32)}, "results": {"out": 32}}),
    ]
    for name, source, given in cases:
        path = folder / f"{name}.cu"
        path.write_text(source)
        recordings[name] = watch(path, scalars={"n": 32}, block="32", grid="1", **given)
        recordings[name].save(folder / f"{name}.html")
    with chromium() as browser:

        def open_at(name: str, is_wanted) -> Opened:
            page = Opened(browser, folder / f"{name}.html", viewport={"width": 1366, "height": 768})
            steps = recordings[name].document["blocks"][0]["steps"]
            page.seek(1 + next(number for number, step in enumerate(steps) if is_wanted(step)))
            return page

        yield open_at


def test_sectors_and_the_words_that_are_used(opened):
    """Every other float: twice the sectors, half of their bytes."""
    page = opened("reduce", lambda step: step["k"] == "load")
    assert page.text("#lanes figcaption") == (
        "x, global memory: 32 lanes read 8 sectors of 32 bytes; 128 of 256 bytes are used."
    )
    assert page.page.locator("#lanes .sector").count() == 8
    assert page.page.locator("#lanes .word.used").count() == 32
    assert page.complaints == []


def test_who_gives_to_whom_in_a_shuffle(opened):
    """Lane 0 gets lane 16's number; the upper half keeps its own. Its thread's line is the outlined one."""
    page = opened("reduce", lambda step: step["k"] == "give")
    assert page.text("#lanes figcaption").startswith("Shuffle: 16 lanes get a number from another lane's register, 16")
    assert page.page.locator("#lanes .way").count() == 32
    assert page.page.locator("#lanes .way.own").count() == 16
    assert "Thread (0) gets" in page.text("#story")
    assert "from thread (16)" in page.text("#story")


def test_lanes_that_want_the_same_element_take_turns(opened):
    """Sixteen atomics on each of two elements."""
    page = opened("reduce", lambda step: step["k"] == "atomic")
    assert page.text("#lanes figcaption").endswith("2 elements; up to 16 lanes want the same one, and take turns.")
    assert page.page.locator("#lanes .way.turn").count() == 32


def test_banks_and_their_conflicts(opened):
    """A row lies in 32 banks, a column in one."""
    page = opened("transpose", lambda step: step["k"] == "store" and step.get("u"))
    assert page.text("#lanes figcaption").endswith("1 turn, no conflict.")
    page = opened("transpose", lambda step: step["k"] == "load" and step.get("u", [0])[0] == 32)
    assert page.text("#lanes figcaption").endswith("32 turns instead of 1, a bank conflict.")
    assert page.page.locator("#lanes .word.turn").count() == 8
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="in the dependency group browser")
    assert axe.Axe().run(page.page).response["violations"] == []
