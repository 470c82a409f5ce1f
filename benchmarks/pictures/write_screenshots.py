"""Write the pictures of pages in docs/screenshots: python -m benchmarks.pictures.write_screenshots; needs a browser."""

from __future__ import annotations

from pathlib import Path

import tilewright
from tests.lab.watch.browser import chromium
from tests.lab.watch.opened import READY

FOLDER = Path(__file__).parents[2] / "docs" / "screenshots"
STEP, WIDTH, HEIGHT = 63, 1500, 1120


def main() -> None:
    """Photograph the pipeline of matmul/wgmma in both themes."""
    FOLDER.mkdir(exist_ok=True)
    recording = tilewright.watch("matmul/wgmma")
    with chromium() as browser:
        for theme in ("light", "dark"):
            page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT})
            page.set_content(recording.page(theme))
            page.wait_for_selector(READY)
            page.locator("#scrub").fill(str(STEP))
            page.locator("#scrub").blur()
            page.wait_for_timeout(400)  # until what moves has come to rest
            page.screenshot(path=FOLDER / f"pipeline-{theme}.png")


if __name__ == "__main__":
    main()
