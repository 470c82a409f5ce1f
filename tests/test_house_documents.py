"""What the documents name exists, and what exists they name."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "tilewright"
DOCUMENTS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
LINK = re.compile(r"\]\((?!https?://)([^)#]+)")
TARGET = re.compile(r"\bmake ([a-z][a-z-]*)\b")


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_somewhere(document):
    """Every relative link is a file or folder."""
    text = document.read_text(encoding="utf-8")

    assert [link for link in LINK.findall(text) if not (document.parent / link).exists()] == []


@pytest.mark.parametrize("name", ["README.md", "CONTRIBUTING.md", "ARCHITECTURE.md"])
def test_make_targets_exist(name):
    """Every `make TARGET` in a document is a target."""
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    text = (ROOT / name).read_text(encoding="utf-8")
    named = set(TARGET.findall("\n".join(re.findall(r"`[^`\n]+`|^ *make .*", text, re.MULTILINE))))

    assert named <= targets


def test_architecture_names_every_folder_and_module_of_the_emulator():
    """ARCHITECTURE.md knows the package's folders and the emulator's files, no more and no fewer."""
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    folders = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    emulator = text.partition("## The emulator")[2].partition("## Beside")[0]

    assert {folder for folder in folders if f"| `{folder}/` |" not in text} == set()
    beside = {"tests", "benchmarks", "docs", "native"}
    assert set(re.findall(r"^\| `([a-z]+)/` \|", text, re.MULTILINE)) - beside == folders
    named = re.findall(r"`([a-z_]+(?:\*)?\.py)`", emulator)
    exists = {path.name for path in (PACKAGE / "emulate").rglob("*.py")} - {"__init__.py"}
    assert {path.name for name in named for path in (PACKAGE / "emulate").rglob(name)} == exists
    assert [name for name in named if not list((PACKAGE / "emulate").rglob(name))] == []
