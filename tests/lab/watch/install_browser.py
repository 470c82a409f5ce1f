"""Puts a Chromium on this machine for the tests of pages, unless there is one; `make test-all` runs it.

Debian and Ubuntu have it as a package, which root can install; elsewhere playwright fetches its own.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3]))
from tests.lab.watch.browser import chromium, executable

PACKAGES = ("chromium-headless-shell", "chromium")


def starts() -> bool:
    """Whether there is a browser that starts."""
    try:
        with chromium():
            return True
    except Exception:  # noqa: BLE001  (whatever keeps it from starting, another one is needed)
        return False


def install() -> None:
    """Install a browser by the first way that there is."""
    if shutil.which("apt-get") and hasattr(os, "geteuid") and os.geteuid() == 0:
        quiet = {"stdout": subprocess.DEVNULL, "env": os.environ | {"DEBIAN_FRONTEND": "noninteractive"}}
        subprocess.run(["apt-get", "update", "-qq"], check=False, **quiet)  # type: ignore[call-overload]
        for package in PACKAGES:
            command = ["apt-get", "install", "-y", "-qq", "--no-install-recommends", package]
            done = subprocess.run(command, check=False, **quiet)  # type: ignore[call-overload]
            if done.returncode == 0:
                return
    subprocess.run([sys.executable, "-m", "playwright", "install", "--only-shell", "chromium"], check=False)


if __name__ == "__main__":
    if not starts():
        sys.stderr.write("installing a headless Chromium for the tests of pages\n")
        install()
    if not starts():
        sys.exit("The tests of pages need Chromium: install it, or set TILEWRIGHT_CHROMIUM to its executable.")
    sys.stderr.write(f"pages are tested in {executable() or 'the Chromium of playwright'}\n")
