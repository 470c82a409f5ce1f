"""A page in the browser, and what it said on the console or asked the network for."""

from __future__ import annotations

from pathlib import Path

READY = "html[data-ready=yes]"
SMALLEST_TEXT = 11
"""In pixels."""
SMALL = """(least) => [...document.querySelectorAll('body *')].filter((node) =>
  [...node.childNodes].some((each) => each.nodeType === Node.TEXT_NODE && each.textContent.trim())
  && node.checkVisibility({ visibilityProperty: true }) && parseFloat(getComputedStyle(node).fontSize) < least
).map((node) => `${node.tagName} ${node.textContent}`)"""


class Opened:
    """A page of its own context."""

    def __init__(self, browser, path: Path, ready: str = READY, link: str = "", **options):
        self.context = browser.new_context(**options)
        self.page = self.context.new_page()
        self.complaints: list[str] = []
        self.page.on("console", lambda message: self.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("request", lambda request: self._note(request.url))
        self.page.goto(path.as_uri() + link)
        self.page.wait_for_selector(ready)
        self.settle()

    def _note(self, url: str) -> None:
        if not url.startswith(("file:", "data:", "about:")):
            self.complaints.append(f"asked for {url}")

    def seek(self, at: int) -> None:
        """Move the slider, as a finger does."""
        self.page.locator("#scrub").fill(str(at))
        self.settle()

    def settle(self) -> None:
        """Wait for the details, which follow the stage when a step is over."""
        self.page.wait_for_selector("html:not([data-details])")

    def wait_until(self, script: str) -> None:
        """Wait for a script to return true. The page's policy keeps playwright's own way, which evaluates text, out."""
        for _ in range(100):
            if self.page.evaluate(script):
                return
            self.page.wait_for_timeout(50)
        raise AssertionError(f"never true: {script}")

    def tab(self, name: str) -> None:
        """Show a group of the details below the stage."""
        self.page.locator(f"[role=tab][data-name={name}]").click()

    def too_small(self) -> list[str]:
        """Return what is written too small to be read."""
        self.settle()
        return list(self.page.evaluate(SMALL, SMALLEST_TEXT))

    def shows(self) -> str:
        """Return what the stage shows: the kind of a beat or of a page between beats."""
        return str(self.page.locator("#stage").get_attribute("data-shows"))

    def text(self, selector: str) -> str:
        """Return what an element says."""
        self.settle()
        return str(self.page.locator(selector).inner_text())

    def sums(self) -> list[str]:
        """Return the threads' running sums."""
        self.settle()
        return list(self.page.locator("#threads button span").all_inner_texts())

    def cells(self, name: str, look: str) -> list[str]:
        """Return the cells of an array that have a look."""
        self.settle()
        return list(self.page.locator(f'[aria-label="array {name}"] td.{look}').all_inner_texts())
