"""The page in German: whatever can be read on it or is read aloud is German, unless it comes with the recording."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.repeats import sampled
from tilewright.lab.watch.page import PARTS, TEXTS
from tilewright.lab.watch.recording import watch

from .browser import chromium
from .opened import Opened

pytestmark = pytest.mark.slow
TRANSPOSE = """
__global__ void transpose(const float* in, float* out, int n, int m)
{
    __shared__ float tile[8][33];
    int x = threadIdx.x, y = threadIdx.y;
    if (x < n && y < m) tile[y][x] = in[y * n + x];
    __syncthreads();
    if (x < n && y < m) out[x * m + y] = tile[y][x];
}
"""
TABS = ("memory", "lanes", "tables", "findings", "blocks")
SHAPE = """() => {
  const plural = (count, one, many) => `${count} ${count === 1 ? one : many}`;
  const capital = (text) => text[0].toUpperCase() + text.slice(1);
  %s
  const parameters = (text) => text.toString().split('=>')[0].match(/\\w+/g) ?? [];
  const body = (text) => text.toString().split('=>').slice(1).join('=>');
  const used = (text) => parameters(text).filter((name) => new RegExp(`\\b${name}\\b`).test(body(text)));
  const shape = (text) => typeof text === 'string' ? 'text'
    : typeof text === 'function' ? [parameters(text).join(), used(text).join()]
    : Array.isArray(text) ? text.map(shape)
    : Object.fromEntries(Object.keys(text).sort().map((key) => [key, shape(text[key])]));
  return [shape(TEXTS.en), shape(TEXTS.de)];
}"""
"""For each text its kind, and of those that say numbers and names, which ones."""
WORDS = """() => {
  const { arrays, kernel, beside, made_by } = JSON.parse(document.getElementById('trace').textContent);
  const kernels = [kernel.name, beside?.kernel ?? ''].flatMap((name) => name.split(/(?<=[/_])/));
  const names = new Set([...arrays.map(({ name }) => name), ...kernels, `(${made_by})`]);
  const data = '[lang=en]:not(html), [translate=no], code, h1, select, .file, script, style, svg .number';
  const isData = (node) => node.closest(data);
  const found = [];
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const node = walk.currentNode.parentElement;
    if (!isData(node) && node.checkVisibility({ visibilityProperty: true })) found.push(walk.currentNode.textContent);
  }
  for (const node of document.querySelectorAll('body *')) {
    if (isData(node) && node.tagName !== 'SELECT' || !node.checkVisibility()) continue;
    found.push(...['aria-label', 'title', 'aria-valuetext'].map((name) => node.getAttribute(name) ?? ''));
  }
  const options = document.querySelectorAll('select:not(#tile-chip) option:not([lang])');
  found.push(document.title, ...[...options].map((option) => option.textContent));
  return found.map((text) => text.trim()).filter((text) => !names.has(text));
}"""
"""What is to be read, and the names and titles that are read aloud; without the names of arrays and kernels."""
CUT = """() => {
  const isClipped = (node) => node.scrollWidth > node.clientWidth + 1 && getComputedStyle(node).overflowX !== 'visible';
  const isOut = (node) => node.getBoundingClientRect().right > innerWidth + 1;
  const isUnseen = (node) => !node.checkVisibility() || getComputedStyle(node).clipPath !== 'none';
  const isWritten = ({ childNodes }) => [...childNodes].some((each) => each.nodeType === 3 && each.textContent.trim());
  const isElsewhere = (node) => node.closest('.scroll, .listing, [lang=en]:not(html)');
  const isCut = (node) => isWritten(node) && (isOut(node) || isClipped(node));
  const found = [...document.querySelectorAll('body *')].filter(isCut);
  const wide = document.documentElement.scrollWidth > innerWidth ? ['the page'] : [];
  return wide.concat(found.filter((node) => !isUnseen(node) && !isElsewhere(node)).map((node) => node.textContent));
}"""
"""What is cut off, or reaches over the right edge."""
NAMES = re.compile(r"\w*[_/.\[<]\w*|PValue|[MN]ds|threadIdx|blockIdx|float\d*|NumPy|DRAM|GiB|\(\d")
ENGLISH = re.compile(r"\b(the|of|and|are|has|with|its|from|by|each|step|row|line|threads? \(|block \()\b")
ALIKE = re.compile(
    r"\W*(?:[Tt]hread|Blocks?|Chip|Grid|Lane|Pause|Phase|Threads?|Threads \d.*"
    r"|Thread \(.*|Warps?|Warp \d+|Block \(.*|Phase \d+|Shared Memory"
    r"|Block, Warp, Thread|Thread, Block, Grid|Cluster|Warps, Block, Grid|CPU|GPU|1/\d+)\W*"
)
"""What is said alike in both languages."""


def _is_word(text: str) -> bool:
    """Whether a text says something beside names of arrays, files and types."""
    return re.search(r"[A-Za-z]{3}", NAMES.sub("", text)) is not None


@pytest.fixture(scope="module")
def browser():
    """One browser for all of them."""
    with chromium() as started:
        yield started


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """A page for each kind of recording."""
    folder = tmp_path_factory.mktemp("languages")
    source = folder / "transpose.cu"
    source.write_text(TRANSPOSE)
    given: dict[str, Any] = {
        "arrays": {"in": (6, 5)},
        "results": {"out": (5, 6)},
        "scalars": {"n": 5, "m": 6},
        "block": "32,8",
        "grid": "1,1",
    }
    recordings = {
        "product": lambda: watch("matmul/tiled"),
        "race": lambda: watch("matmul/tiled", (8, 8, 8), tile=4, without_barriers=[2], blocks=[(0, 0)]),
        "reduced": lambda: watch("reduced_matmul/tiled", (8, 8, 8), tile=2),
        "line": lambda: watch("reduced_matmul/naive_p", (8, 8, 8)),
        "dot": lambda: watch("dot/tiled", (1, 1, 64), tile=32),
        "file": lambda: watch(source, **given),
        "pipeline": lambda: watch("matmul/wgmma", (128, 128, 128)),
    }
    saved = {}

    def page_named(case: str):
        if case not in saved:
            saved[case] = recordings[case]().save(folder / f"{case}.html")
        return saved[case]

    return page_named


@pytest.mark.parametrize("more", ["dot", "pipeline"])
def test_every_text_is_translated_with_the_numbers_that_it_says(browser, more):
    """Each English text has a German one of its name, which takes the same numbers and names and says the same ones."""
    source = "\n".join((PARTS / name).read_text(encoding="utf-8") for name in (*TEXTS, f"texts/{more}.js"))
    page = browser.new_page()
    english, german = page.evaluate(SHAPE % source)
    page.close()
    for shape in (english, german):
        # What comes with the recording is English already.
        shape["findings"].pop("kinds")
        shape.get("pipeline", {}).pop("lanes", None)
    assert _lines(german) == _lines(english)


def _lines(shape, name="") -> set[str]:
    if isinstance(shape, dict):
        return {line for key, value in shape.items() for line in _lines(value, f"{name}.{key}")}
    return {f"{name}: {shape}"}


def _german(opened: Opened, where: str) -> None:
    """Compare the page with itself in English, and leave it in German."""
    opened.page.select_option("#language", "en")
    opened.settle()
    english = set(opened.page.evaluate(WORDS))
    opened.page.select_option("#language", "de")
    opened.settle()
    german = opened.page.evaluate(WORDS)
    assert opened.page.locator("html").get_attribute("lang") == "de"
    assert [text for text in german if re.search(r"undefined|\[object", text)] == []
    left = {
        text
        for text in german
        if _is_word(text) and (ENGLISH.search(text) or (text in english and not ALIKE.fullmatch(text)))
    }
    assert left == set(), where


@pytest.mark.parametrize("case", sampled(["product", "reduced", "line", "dot"]))
def test_the_story_is_german(browser, pages, case):
    """At every beat, and on the pages before and after the run."""
    opened = Opened(browser, pages(case), link="#lang=de", viewport={"width": 1366, "height": 768})
    kinds = set()
    for _ in range(80):
        if opened.shows() not in kinds or opened.shows() in ("reads", "host"):
            kinds.add(opened.shows())
            _german(opened, opened.shows())
        opened.page.locator("body").press("ArrowRight")
    assert len(kinds) > 5
    assert opened.complaints == []
    opened.context.close()


@pytest.mark.parametrize("case", sampled(["product", "race", "dot", "file"]))
def test_the_details_are_german(browser, pages, case):
    """In every tab, at the begin, at an access, at a barrier and at the end, with the sentence of the instruction."""
    opened = Opened(browser, pages(case), link="#lang=de", viewport={"width": 1366, "height": 768})
    staged = opened.page.locator("[role=tab]").count() > 0
    if staged:
        opened.page.check("#fine")
        opened.page.locator("#details").scroll_into_view_if_needed()
    steps = int(opened.page.locator("#scrub").get_attribute("max"))
    for at in sorted({0, 1, 2, 3, 4, 6, 9, steps // 2, steps - 2, steps}):
        opened.seek(at)
        for tab in TABS if staged else [None]:
            if tab:
                opened.tab(tab)
            _german(opened, f"{tab} {at}")
    assert opened.complaints == []
    opened.context.close()


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("size", [(390, 844), (1366, 768)])
def test_german_details_fit(browser, pages, size, theme):
    """Its words are longer: nothing is wider than the screen or its box, nothing is smaller than 11 px."""
    width, height = size
    for case in ("product", "race", "pipeline"):
        opened = Opened(
            browser, pages(case), link="#lang=de", viewport={"width": width, "height": height}, color_scheme=theme
        )
        opened.seek(20)
        for tab in TABS if case != "pipeline" else [None]:
            if tab:
                opened.tab(tab)
            assert opened.too_small() == []
            assert opened.page.evaluate(CUT) == [], (case, tab)
        opened.context.close()


def test_a_pipeline_is_german(browser, pages):
    """All of its panels, from the begin to the end."""
    opened = Opened(browser, pages("pipeline"), link="#lang=de", viewport={"width": 1366, "height": 768})
    steps = int(opened.page.locator("#scrub").get_attribute("max"))
    for at in (0, 1, steps // 4, steps // 2, 3 * steps // 4, steps):
        opened.seek(at)
        _german(opened, str(at))
    assert opened.text("#position").startswith(f"Ereignis {steps} von {steps}")
    assert opened.complaints == []
    opened.context.close()


def test_a_link_to_another_language_and_back(browser, pages):
    """What is shown stays, in the other language; the numbers are grouped as it groups them."""
    opened = Opened(browser, pages("race"), link="#beat=4&lang=de", viewport={"width": 1366, "height": 768})
    assert opened.page.title().endswith("Schritt für Schritt")
    assert opened.text("#position").startswith("Schritt 4 von")
    opened.page.select_option("#language", "en")
    assert opened.page.title().endswith("step by step")
    assert opened.text("#position").startswith("beat 4 of")
    assert opened.page.locator("html").get_attribute("lang") == "en"
    opened.context.close()


def test_an_old_browser_says_what_is_missing(browser, pages):
    """A page that cannot unpack itself says so in one sentence."""
    context = browser.new_context()
    context.add_init_script("delete window.DecompressionStream")
    page = context.new_page()
    page.goto(pages("product").as_uri())
    page.locator("#story", has_text="DecompressionStream").wait_for()
    context.close()
