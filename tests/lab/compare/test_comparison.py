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
        ({"dtype": "int8"}, ValueError, "takes the types float32, float64, float16 and bfloat16"),
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


@pytest.mark.parametrize(
    ("sizes", "dtype", "idea"),
    [
        pytest.param((3, 9, 40), "float32", "few_lines", id="few rows"),
        pytest.param((9, 7, 8), "float64", "outer_products", id="a short k"),
        pytest.param((9, 1, 40), "float16", "matrix_vector", id="a vector"),
    ],
)
def test_kernels_of_some_shapes_stay_out_of_others(sizes, dtype, idea):
    """They are compared where they take the product."""
    at_theirs = tilewright.compare(size=sizes, dtype=dtype, device="emulator")
    elsewhere = tilewright.compare(size=(10, 9, 40), dtype=dtype, device="emulator")

    assert at_theirs.is_right
    assert idea in [row.candidate.idea for row in at_theirs.rows]
    assert idea not in [row.candidate.idea for row in elsewhere.rows]


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_16_bit_types_have_their_kernels_and_tolerances(dtype):
    """What the emulator executes runs, each within its own bound; what only a GPU runs is named; seeds' stay out."""
    found = tilewright.compare(size=(9, 7, 33), dtype=dtype, device="emulator")

    ideas = ["cuda_cores_16bit", "mma_sync", "mma_direct", "short_k", "wgmma", "wgmma_classes", "small_batched"]
    assert [row.candidate.idea for row in found.rows] == ideas
    assert found.is_right
    assert found.c is not None
    assert found.c.dtype == numpy.float32
    one_by_one, on_tensor_cores, *_ = (row.verdict for row in found.rows)
    assert one_by_one is not None
    assert on_tensor_cores is not None
    assert (one_by_one.rule, on_tensor_cores.rule) == ("gamma_k |A| |B|", "gamma_{k+16} |A| |B|")
    assert 0 < one_by_one.error <= one_by_one.bound < on_tensor_cores.bound < 1e-3


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_sums_of_pairs_are_rounded_to_16_bits(dtype):
    """The bound is that of the product of these sums, which are not those that float32 would hold."""
    found = tilewright.compare(operation="reduced_matmul", size=(8, 6, 33), dtype=dtype, device="emulator")

    assert [row.candidate.idea for row in found.rows] == ["pair_sums", "fused"]
    assert found.is_right
    for row in found.rows:
        assert row.verdict is not None
        assert row.verdict.rule == f"gamma_{{k+16}} |A| |B|, A and B being the pairs' sums rounded to {dtype}"
        assert row.verdict.error <= row.verdict.bound < 1e-3


def test_given_numbers_are_rounded_to_16_bits():
    """Half a unit goes to the even neighbour; float16 arrays stay what they are."""
    ones = numpy.ones((1, 1), numpy.float32)

    def by_mma_sync(a, b, dtype=None):
        return tilewright.compare(a, b, kernels="mma_sync", device="emulator", dtype=dtype)

    for beyond, rounded in ((1 + 2**-8, 1), (1 + 3 * 2**-8, 1 + 2**-6), (numpy.inf, numpy.inf)):
        assert by_mma_sync(ones * numpy.float32(beyond), ones, "bfloat16").c == rounded
    halves = numpy.full((2, 2), 0.1, numpy.float16)
    found = by_mma_sync(halves, halves)
    assert (found.inputs.problem.dtype, found.inputs.notes) == ("float16", ())


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"kernels": "mma_sync"}, "in float32, and matmul/mma_sync takes float16 or bfloat16"),
        ({"kernels": "tiled", "dtype": "float16"}, "in float16, and matmul/tiled takes float32 or float64"),
        ({"kernels": "numpy", "dtype": "float16"}, "NumPy does not sum float16 in float32"),
    ],
)
def test_what_a_type_s_kernels_are_not(given, words):
    """A sentence that names the types."""
    with pytest.raises(ValueError, match=words):
        tilewright.compare(device="emulator", **given)
