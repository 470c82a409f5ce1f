"""Getting a browser: by which ways, and what is said where none leads to one."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

import pytest

from . import install_browser


@pytest.fixture
def machine(monkeypatch):
    """A machine of ours: who one is, whether there is apt, which commands succeed, after which a browser starts."""
    ran = []

    monkeypatch.delenv("TILEWRIGHT_CHROMIUM", raising=False)

    def make(*, user=1000, apt=False, helps="", says="Error: no network"):
        def run(command, **_options):
            ran.append(" ".join(command))
            is_done = bool(helps) and helps in ran[-1]
            return subprocess.CompletedProcess(
                command, 0 if is_done else 1, "", "" if is_done else f"progress\n{says}\n"
            )

        monkeypatch.setattr(os, "geteuid", lambda: user, raising=False)
        monkeypatch.setattr(shutil, "which", lambda name: "/usr/bin/apt-get" if apt and name == "apt-get" else None)
        monkeypatch.setattr(subprocess, "run", run)
        monkeypatch.setattr(
            install_browser, "why_not", lambda: "" if helps and any(helps in each for each in ran) else "nothing starts"
        )
        return ran

    return make


def test_a_browser_that_starts_is_left_alone(monkeypatch):
    """Nothing is run."""
    monkeypatch.setattr(install_browser, "why_not", lambda: "")
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: pytest.fail("something ran"))
    assert install_browser.main() == 0


def test_root_has_it_from_apt(machine):
    """The smallest package first."""
    ran = machine(user=0, apt=True, helps="chromium-headless-shell")
    assert install_browser.main() == 0
    assert [command.split()[-1] for command in ran] == ["update", "chromium-headless-shell"]


def test_without_root_or_without_apt_playwright_fetches_its_own(machine):
    """Into the user's cache: no package manager is asked for anything."""
    for options in ({"apt": True}, {"user": 0}, {}):
        ran = machine(helps="playwright install", **options)
        ran.clear()
        assert install_browser.main() == 0
        assert ran == [f"{sys.executable} -m playwright install --only-shell chromium"]


def test_where_nothing_helps_one_sentence_says_so(machine, capsys):
    """With the reason that the last way gave, and what to do; no traceback of another program."""
    machine(user=0, apt=True, says="E: Unable to locate package\n    at ChildProcess.<anonymous>")
    assert install_browser.main() == 1
    [first, last] = capsys.readouterr().err.splitlines()
    assert first.startswith("installing")
    assert last == (
        "The tests of pages need a headless Chromium, and none could be installed here (E: Unable to locate package): "
        "install one, or set TILEWRIGHT_CHROMIUM to its executable."
    )


def test_a_named_browser_that_does_not_start_is_told(machine, monkeypatch, capsys):
    """Nothing is installed in its place."""
    ran = machine()
    monkeypatch.setenv("TILEWRIGHT_CHROMIUM", "/nowhere/chromium")
    assert install_browser.main() == 1
    assert ran == []
    assert "TILEWRIGHT_CHROMIUM is /nowhere/chromium, which does not start (nothing starts)" in capsys.readouterr().err


@pytest.mark.slow
def test_what_keeps_a_browser_from_starting_is_a_line(monkeypatch):
    """Of playwright's many."""
    monkeypatch.setenv("TILEWRIGHT_CHROMIUM", "/nowhere/chromium")
    assert "/nowhere/chromium" in install_browser.why_not()
    assert "\n" not in install_browser.why_not()
