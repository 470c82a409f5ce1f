"""Puts a Chromium on this machine for the tests of pages, unless there is one; `make test-all` runs it.

Debian and Ubuntu have it as a package, which root can install. Everyone else gets playwright's own, which lies in the
user's cache and needs neither root nor a package manager. Where no way leads to one, a sentence says so and why.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3]))
from tests.lab.watch.browser import chromium, executable

PACKAGES = ("chromium-headless-shell", "chromium")
APT = ("apt-get", "-qq", "-o", "Acquire::Retries=1", "-o", "Acquire::http::Timeout=20", "-o", "DPkg::Lock::Timeout=60")
MOST_SECONDS = 600
"""For each command: a network that swallows everything would be waited for without an end."""


def why_not() -> str:
    """Return why no browser starts, in a few words; empty if one does."""
    try:
        with chromium():
            return ""
    except Exception as error:  # noqa: BLE001  (whatever keeps it from starting, another one is needed)
        lines = [line.strip(" ║╔╗╚╝═") for line in str(error).splitlines()]
        return next(filter(None, lines), type(error).__name__)


def ways() -> Iterator[list[list[str]]]:
    """Yield the ways to a browser, each with the commands that it takes."""
    if shutil.which("apt-get") and hasattr(os, "geteuid") and os.geteuid() == 0:
        install = [*APT, "install", "-y", "--no-install-recommends"]
        yield from ([[*APT, "update"], [*install, package]] for package in PACKAGES)
    yield [[sys.executable, "-m", "playwright", "install", "--only-shell", "chromium"]]


def follow(way: list[list[str]]) -> str:
    """Run the commands of a way; return what the last one that failed said at its end, or nothing."""
    said = ""
    for command in way:
        try:
            done = subprocess.run(
                command,
                check=False,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                errors="replace",
                env=os.environ | {"DEBIAN_FRONTEND": "noninteractive"},
                timeout=MOST_SECONDS,
            )
            said = "" if done.returncode == 0 else reason(done.stdout + done.stderr) or f"status {done.returncode}"
        except (OSError, subprocess.TimeoutExpired) as error:
            said = str(error)
    return said


def reason(output: str) -> str:
    """Return the line of a failed command's output that says most: the first that speaks of an error."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    return next((line for line in lines if line.startswith(("Error", "E:"))), lines[-1] if lines else "")


def main() -> int:
    """Install a browser if none starts; return 0 when one does."""
    why, named = why_not(), os.environ.get("TILEWRIGHT_CHROMIUM")
    if why and named:
        sys.stderr.write(f"TILEWRIGHT_CHROMIUM is {named}, which does not start ({why}): name another, or unset it.\n")
        return 1
    if why:
        sys.stderr.write("installing a headless Chromium for the tests of pages\n")
    for way in ways() if why else ():
        said = follow(way)
        if not (why := why_not()):
            break
        why = said or why
    if why:
        because = why.removesuffix(", caused by").rstrip(".")
        sys.stderr.write(
            "The tests of pages need a headless Chromium, and none could be installed here "
            f"({because}): install one, or set TILEWRIGHT_CHROMIUM to its executable.\n"
        )
        return 1
    sys.stderr.write(f"pages are tested in {executable() or 'the Chromium of playwright'}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
