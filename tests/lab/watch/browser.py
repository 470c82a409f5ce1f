"""A headless Chromium for the tests of pages: found on the machine, driven by playwright."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def executable() -> str | None:
    """Return the browser to drive: $TILEWRIGHT_CHROMIUM, one on the path, or None: playwright's own."""
    named = os.environ.get("TILEWRIGHT_CHROMIUM")
    return named or next((path for name in NAMES if (path := shutil.which(name))), None)


@contextmanager
def chromium() -> Iterator[Any]:
    """Start the browser; raises what playwright raises where there is none."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=executable(),
            args=["--no-sandbox"],  # root in a container has none
        )
        try:
            yield browser
        finally:
            browser.close()
