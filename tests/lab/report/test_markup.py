"""Tables of the report."""

from xml.etree import ElementTree

from tilewright.lab.report.markup import cards, facts, table


def test_a_table_is_escaped_and_named():
    """Headers have their scope, the region is reached by keyboard and has a name, bars are hidden from readers."""
    text = table("a < b", ["name", "n & m"], [["<x>", "1"], ["y", "2"]], shares={1: [0.5, 1.0]}, marked=(1,))
    root = ElementTree.fromstring(text)  # noqa: S314  (our own text)

    assert root.attrib == {"class": "scroll", "role": "region", "tabindex": "0", "aria-label": "a < b"}
    assert [cell.text for cell in root.iter("th")] == ["name", "n & m", "<x>", "y"]
    assert [cell.get("scope") for cell in root.iter("th")] == ["col", "col", "row", "row"]
    assert [bar.attrib for bar in root.iter("i")] == [
        {"style": "width:50%", "aria-hidden": "true"},
        {"style": "width:100%", "aria-hidden": "true"},
    ]
    assert [row.get("class") for row in root.iter("tr")] == [None, "", "marked"]


def test_what_is_empty_is_left_out():
    """A name without a value says nothing."""
    assert facts({"a": "1", "b": ""}) == '<dl class="facts"><dt>a</dt><dd>1</dd></dl>'
    assert "<b>&lt;2&gt;</b>" in cards([("n", "<2>", "m")])
