"""`tilewright.compare`: as data, in words, and as a notebook's table."""

from xml.etree import ElementTree

import numpy
import pytest

import tilewright


@pytest.fixture(scope="module")
def found():
    """A product of given matrices by two kernels on the emulator, and NumPy."""
    a = numpy.arange(15, dtype=numpy.float32).reshape(5, 3)
    b = numpy.arange(12, dtype=numpy.float32).reshape(3, 4)
    kernels = ("naive", "tiled", "numpy")
    return tilewright.compare(a, b, kernels=kernels, tiles=[2], device="emulator"), a @ b


def test_rows_are_right_and_counted(found):
    """Each kernel's C is the product; loads are counted where kernels run on the emulator."""
    comparison, product = found

    assert comparison.is_right
    assert [row.name for row in comparison.rows] == ["matmul/naive", "matmul/tiled", "matmul/numpy"]
    assert comparison.rows[0].run.counts.global_loads == 5 * 4 * 2 * 3
    assert comparison.rows[2].run.counts is None
    numpy.testing.assert_array_equal(comparison.c, product)
    assert [row["kernel"] for row in comparison.as_dict()["results"]] == ["naive", "tiled", "numpy"]


def test_a_notebooks_table_has_a_row_for_each(found):
    """The same cells as the text's, which names the problem."""
    comparison, _ = found
    root = ElementTree.fromstring(comparison._repr_html_())  # noqa: S314  (our own text)

    assert len(root.findall("table/tbody/tr")) == 3
    assert "as given" in str(comparison)
    assert len(repr(comparison)) < 3000
    assert [item.text for item in root.findall("ul/li")] == list(comparison.notes)


@pytest.mark.parametrize(
    ("given", "error", "words"),
    [
        ({"a": [[1.0]]}, ValueError, "Only one of A and B"),
        ({"a": [[1.0]], "b": [[1.0]], "size": (1, 1, 1)}, ValueError, "sizes of their own"),
        ({"a": [1.0], "b": [[1.0]]}, ValueError, "takes matrices"),
        ({"a": [[1]], "b": [[1]]}, TypeError, "float32 and float64"),
        ({"kernels": ["nope"]}, ValueError, "no kernel 'nope'"),
        ({"operation": "dot", "kernels": ["naive"]}, ValueError, "dot has no kernel naive"),
        ({"kernels": ["tiled_exact"], "size": (3, 3, 3), "device": "emulator"}, ValueError, "multiples of its tile"),
        ({"dtype": "int8"}, ValueError, "float32 and float64"),
        ({"device": "moon"}, ValueError, "moon"),
    ],
)
def test_refusals(given, error, words):
    """A sentence, before anything runs."""
    with pytest.raises(error, match=words):
        tilewright.compare(**given)


def test_one_kernel_and_one_tile():
    """They may be given as they are, without a list."""
    found = tilewright.compare(size=(4, 4, 4), kernels="tiled", tiles=2, device="emulator")

    assert [(row.name, row.candidate.tile) for row in found.rows] == [("matmul/tiled", 2)]
    with pytest.raises(ValueError, match="There is no kernel 'tlied'"):
        tilewright.compare(size=(4, 4, 4), kernels="tlied", device="emulator")
