"""How results look in a notebook: tables that are whole, escaped, and in nobody's colours."""

from xml.etree import ElementTree

import pytest

import tilewright
from tilewright.choose import Problem, choose_plan, find_chip, notebook


def parsed(html):
    """The element; a notebook's HTML is well-formed here, so that no browser has to guess."""
    return ElementTree.fromstring(html)  # noqa: S314  (our own text)


def words(root):
    """All text of an element."""
    return " ".join("".join(root.itertext()).split())


def test_what_would_be_markup_is_text():
    """A file may be called anything."""
    shown = notebook.together(
        notebook.table(["<b>"], [["<script>"]], caption="a & b"),
        notebook.facts({"x": "<i>"}),
        notebook.sentences(["<u>"]),
    )
    root = parsed(shown)

    assert {element.tag for element in root.iter()}.isdisjoint({"script", "i", "u"})
    assert "<script>" in words(root)


def test_rows_have_headers_and_marked_ones_are_bold():
    """For a screen reader, and without colour."""
    root = parsed(notebook.table(["kernel", "loads"], [["naive", 8], ["tiled", 4]], marked=[1]))

    assert [th.get("scope") for th in root.findall(".//th")] == ["col", "col", "row", "row"]
    assert [row.get("style") for row in root.findall("tbody/tr")] == [None, "font-weight:bold"]


def test_what_is_empty_is_left_out():
    """No row without a fact, no list without an item."""
    assert len(parsed(notebook.facts({"a": "", "b": 1})).findall(".//tr")) == 1
    assert notebook.sentences([]) == ""


@pytest.mark.parametrize(
    ("shown", "said"),
    [
        (tilewright.explain([[1.0]], [[2.0]], kernel="tiled", device="emulator", tile=4), "4 x 4"),
        (tilewright.explain([[1.0]], [[2.0]]), "machine host"),
        (tilewright.occupancy("matmul/tiled", "g80", tile=16), "G80"),
        (tilewright.roofline("matmul/tiled", "g80", tile=16), "345.6"),
    ],
    ids=["plan", "host plan", "occupancy", "roofline"],
)
def test_plans_occupancy_and_rooflines_show_themselves(shown, said):
    """Each with its table and every sentence that it prints; nothing sets a colour."""
    root = parsed(shown._repr_html_())

    assert root.findall(".//table")
    assert said in " ".join(" ".join(element.itertext()) for element in root.iter("tr")) + words(root)
    assert "color" not in shown._repr_html_()


def test_a_gpus_plan_shows_its_launches():
    """A row for each launch, then why."""
    product = Problem.of("matmul", 63, 65, 4096, "float16")
    plan = choose_plan(product, find_chip("h200"))
    root = parsed(plan._repr_html_())

    assert len(root.findall(".//tbody/tr")) == len(plan.facts()) + len(plan.launches)
    assert len(plan.launches) > 1
    assert [item.text for item in root.iter("li")] == list(plan.reasons)
