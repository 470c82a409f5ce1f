"""What the documents name exists, and what exists they name."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "tilewright"
BUILT = ROOT / "docs" / "_build"
DOCUMENTS = sorted(path for path in (*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")) if BUILT not in path.parents)
LINK = re.compile(r"\]\((?!https?://)([^)#]+)")
TARGET = re.compile(r"\bmake ([a-z][a-z0-9-]*)\b")


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_somewhere(document):
    """Every relative link is a file or folder."""
    text = document.read_text(encoding="utf-8")

    assert [link for link in LINK.findall(text) if not (document.parent / link).exists()] == []


@pytest.mark.parametrize("name", ["README.md", "CONTRIBUTING.md", "ARCHITECTURE.md"])
def test_make_targets_exist(name):
    """Every `make TARGET` in a document is a target."""
    targets = set(re.findall(r"^([a-z0-9-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    text = (ROOT / name).read_text(encoding="utf-8")
    named = set(TARGET.findall("\n".join(re.findall(r"`[^`\n]+`|^ *make .*", text, re.MULTILINE))))

    assert named <= targets


def test_workflows_run_targets_that_exist():
    """Every target of CI's table is a target of the Makefile."""
    targets = set(re.findall(r"^([a-z0-9-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    named = re.findall(r"target: ([\w-]+)", (ROOT / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8"))

    assert set(named) > {"test"}
    assert set(named) <= targets


def test_architecture_names_every_folder():
    """ARCHITECTURE.md names each folder of the package, only folders that exist, and stays short."""
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    named = {path for path in re.findall(r"`([\w./-]+)/`", text) if not (ROOT / path).is_dir()}
    files = (path for path in PACKAGE.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    folders = {path.parent.relative_to(PACKAGE).as_posix() for path in files} - {"."}

    assert folders - named == set(), "folders that have no row"
    assert named - folders == set(), "rows without a folder"
    assert len(text.splitlines()) <= 100


def test_architectures_interfaces_exist():
    """The names that ARCHITECTURE.md gives for interfaces can be imported."""
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8").partition("## The interfaces")[2]
    names = re.findall(r"^- `([\w.]+)`", text, re.MULTILINE)

    assert names
    for name in names:
        module, _, attribute = name.rpartition(".")
        assert hasattr(import_module(f"tilewright.{module}"), attribute), name
