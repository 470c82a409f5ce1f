"""The tutorial: a notebook through the five seeds, in order; every cell runs, and its own assertions hold."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
NOTEBOOK = DOCS / "tutorial.ipynb"
SEEDS = ["000", "001", "002", "003", "004"]


@pytest.fixture(scope="module")
def cells():
    """The notebook's cells: kind and text."""
    content = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
    return [(cell["cell_type"], "".join(cell["source"])) for cell in content["cells"]]


def test_the_seeds_come_in_order(cells):
    """One section each, and each runs something and watches a kernel or plots."""
    text = "\n".join(source for _, source in cells)
    assert re.findall(r"^## Seed (\d+)", text, re.MULTILINE) == SEEDS
    sections = re.split(r"^## Seed ", text, flags=re.MULTILINE)[1:]
    for section in sections:
        assert "tilewright." in section
        assert re.search(r"watch\(|SVG\(|compare\(", section)


def test_outputs_are_stripped():
    """What a run shows belongs to the run, not to the repository."""
    for cell in json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]:
        assert cell["metadata"] == {}
        if cell["cell_type"] == "code":
            assert (cell["outputs"], cell["execution_count"]) == ([], None)


def test_its_links_lead_somewhere(cells):
    """To files beside it."""
    for kind, source in cells:
        if kind == "markdown":
            for target in re.findall(r"\]\(([^)#]+)", source):
                assert (DOCS / target).is_file(), target


@pytest.mark.slow
def test_every_cell_runs(monkeypatch):
    """From first to last in a fresh kernel: nothing fails, nothing is said on standard error but that it compiles."""
    import nbformat
    from nbclient import NotebookClient

    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(DOCS.parent / "src"), os.environ.get("PYTHONPATH", "")]))
    notebook = nbformat.read(NOTEBOOK, 4)
    NotebookClient(notebook, timeout=300, kernel_name="python3", resources={"metadata": {"path": str(DOCS)}}).execute()

    outputs = [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]
    told = "".join(output.text for output in outputs if output.get("name") == "stderr")
    assert all(line.startswith("Compiling") for line in told.splitlines()), told
    shown = [output.data for output in outputs if "data" in output]
    assert sum("<iframe" in data.get("text/html", "") for data in shown) == 5
    assert sum("image/svg+xml" in data for data in shown) == 3
    assert sum("<table" in data.get("text/html", "") for data in shown) >= 5
