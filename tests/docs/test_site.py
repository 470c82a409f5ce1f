"""The site: it builds without a warning, its pages are complete, ask nothing of the network, and fit a phone."""

from __future__ import annotations

import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

import tilewright
from tests.lab.watch.browser import chromium

DOCS = Path(__file__).parents[2] / "docs"
REFERENCE = "".join(path.read_text(encoding="utf-8") for path in (DOCS / "reference").glob("*.md"))
PLAYER, PLAYERS = "player.html", "players"


def test_the_reference_names_what_is_exported():
    """Nothing that `tilewright` has not; what it has and no page names is added by docs/_site/pages.py."""
    documented = set(re.findall(r"auto\w+:: tilewright\.([A-Za-z_]+)$", REFERENCE, re.MULTILINE))
    assert documented <= set(tilewright.__all__)
    assert {"matmul", "reduced_matmul", "dot", "plan", "ShapeError", "Plan"} <= documented


def test_markdown_links_lead_somewhere():
    """Also on a code host, where no site is: each relative link is a file that is there."""
    missing = []
    for path in DOCS.rglob("*.md"):
        if "_build" in path.parts:
            continue
        text = re.sub(r"```.*?```", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
        missing += [
            f"{path.relative_to(DOCS)}: {target}"
            for target in re.findall(r'(?:\]\(|src="|srcset=")([^)#"\s]+)', text)
            if not target.startswith(("http", "mailto")) and not (path.parent / target).exists()
        ]
    assert missing == []


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The site, built anew; warnings are errors. The tutorial is run by its own test."""
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-b", "html", "-D", "nb_execution_mode=off"]
    built = subprocess.run([*command, str(DOCS), str(folder)], capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr
    return folder


class Links(HTMLParser):
    """What a page links to, shows and loads; and the places in it that have a name."""

    def __init__(self, page: Path) -> None:
        super().__init__()
        self.targets: list[str] = []
        self.loaded: list[str] = []
        self.names: set[str] = set()
        self.feed(page.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attrs):
        """Note an element's addresses."""
        given = {name: value or "" for name, value in attrs}
        self.names.update(value for name, value in given.items() if name in ("id", "name"))
        if tag == "a" and "href" in given:
            self.targets.append(given["href"])
        elif tag in ("link", "script", "img", "source", "iframe"):
            self.loaded += [value for name, value in given.items() if name in ("src", "href", "srcset")]


@pytest.mark.slow
def test_pages_ask_nothing_of_the_network_and_link_to_what_is_there(site):
    """Scripts, styles and pictures come with the site; every link within it leads to a page and to a place on it."""
    pages = {page: Links(page) for page in site.rglob("*.html")}
    assert len(pages) > 40
    for page, links in pages.items():
        for address in [*links.targets, *links.loaded]:
            parts = urlsplit(address)
            if parts.scheme == "data":
                continue
            if parts.scheme or parts.netloc:
                assert address in links.targets, f"{page.name} loads {address}"
                continue
            target = page if not parts.path else (page.parent / unquote(parts.path)).resolve()
            assert target.exists(), f"{page.name}: {address}"
            # Sphinx guesses the names that sources link back to; the player's fragment says what it plays.
            named = "_modules" not in page.parts and target.name != PLAYER and target.parent.name != PLAYERS
            if parts.fragment and target in pages and named:
                assert unquote(parts.fragment) in pages[target].names, f"{page.name}: {address}"


@pytest.mark.slow
def test_the_reference_says_shapes_errors_and_source(site):
    """Of matmul: its parameters with shapes, what it raises, and where its source is."""
    text = (site / "reference" / "functions.html").read_text(encoding="utf-8")
    section = text[text.index('id="tilewright.matmul"') : text.index('id="tilewright.reduced_matmul"')]
    plain = re.sub(r"<[^>]+>", "", section)
    for words in ("(..., m, k)", "Parameters", "Returns", "Raises", "ShapeError", "[source]"):
        assert words in plain
    commands = (site / "reference" / "commands.html").read_text(encoding="utf-8")
    assert "tilewright report" in commands
    assert "--output" in commands


@pytest.mark.slow
@pytest.mark.parametrize("words", ["emulator", "barrier", "cuda files"])
def test_search_finds_how_to_before_why(site, words):
    """A record of a decision comes after every page that says how something is used."""
    with chromium() as browser:
        page = browser.new_page()
        page.goto(f"{(site / 'search.html').as_uri()}?q={words}")
        page.locator("#search-results ul.search li a").first.wait_for()
        page.locator("#search-results p.search-summary", has_text="finished").wait_for()
        found = [str(link.get_attribute("href")) for link in page.locator("ul.search li > a").all()]
        found = [address for address in found if "#" not in address]  # places on a page are listed after pages
        why = ["decisions/" in address or "project/" in address for address in found]
        assert not why[0]
        assert why == sorted(why)


@pytest.mark.slow
def test_pages_fit_phones_and_walls_in_both_themes(site):
    """Nothing is wider than the window, nothing complains, and of each pair of pictures the theme's own is shown."""
    complaints: list[str] = []
    with chromium() as browser:
        for scheme in ("light", "dark"):
            for width in (400, 1600):
                context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
                page = context.new_page()
                page.on("console", lambda message: complaints.append(message.text))
                page.on("pageerror", lambda error: complaints.append(str(error)))
                for name in (
                    "index",
                    "kernels/wgmma",
                    "reference/functions",
                    "products",
                    "plots",
                    "tutorial",
                    "learn/5-lanes",
                ):
                    page.goto((site / f"{name}.html").as_uri())
                    assert page.evaluate("document.documentElement.scrollWidth") == width, name
                    other = "dark" if scheme == "light" else "light"
                    assert page.locator(f"img.only-{other}:visible").count() == 0
                    shown = page.locator(f"img.only-{scheme}:visible").count()
                    assert shown > 0 or name not in ("kernels/wgmma", "plots")
                    if name == "index":
                        page.frame_locator("iframe.player").locator(
                            "html[data-ready=yes] #scene .cell"
                        ).first.wait_for()
                context.close()
    assert complaints == []


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_violation_on_the_site(site, scheme):
    """On the landing page with the player in it, in a lesson, in a how-to whose code scrolls, and in search."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="in the dependency group browser")
    found = []
    with chromium() as browser:
        context = browser.new_context(
            viewport={"width": 1366, "height": 768}, color_scheme=scheme, reduced_motion="reduce"
        )
        page = context.new_page()
        for name in ("index", "learn/3-barriers", "watch", "search"):
            page.goto((site / f"{name}.html").as_uri())
            if name in ("index", "learn/3-barriers"):
                page.frame_locator("iframe.player >> nth=0").locator("html[data-ready=yes]").wait_for()
            violations = axe.Axe().run(page).response["violations"]
            found += [(name, each["id"], [node["target"] for node in each["nodes"]]) for each in violations]
        context.close()
    assert found == []
