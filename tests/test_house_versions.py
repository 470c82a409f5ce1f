"""The version is one: in the package, in the compiled extra and in the changelog."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import tilewright

ROOT = Path(__file__).parents[1]
GROUPS = {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}


def test_the_changelogs_newest_version_is_the_packages():
    """Versions go down the page, below Unreleased; the newest is what the package and its extra say they are."""
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    first, *versions = re.findall(r"^## \[(.+?)\]", text, re.MULTILINE)
    native = tomllib.loads((ROOT / "native" / "pyproject.toml").read_text(encoding="utf-8"))

    assert first == "Unreleased"
    assert versions == sorted(versions, key=lambda version: [int(part) for part in version.split(".")], reverse=True)
    assert versions[0] == tilewright.__version__ == native["project"]["version"]
    assert set(re.findall(r"^### (.+)$", text, re.MULTILINE)) <= GROUPS
