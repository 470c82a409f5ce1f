"""The Matrix Market format: read as SciPy reads it, and refused where it means something else."""

import numpy
import pytest
import scipy.io
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

from tilewright.call.files.errors import FileError
from tilewright.call.files.matrix_market import read_matrix_market
from tilewright.call.files.reading import read_matrix


@pytest.mark.parametrize("symmetry", ["general", "symmetric", "skew-symmetric"])
@pytest.mark.parametrize("field", ["real", "integer", "pattern"])
@pytest.mark.parametrize("layout", ["array", "coordinate"])
def test_matrix_market_as_scipy_writes_it(tmp_path, layout, field, symmetry):
    """Every kind that is read is read as SciPy reads it."""
    if field == "pattern" and (layout == "array" or symmetry == "skew-symmetric"):
        return
    generator = numpy.random.default_rng()
    matrix = generator.integers(-3, 4, (6, 6)).astype("f8") * generator.choice([0, 1.25], (6, 6))
    matrix = numpy.rint(matrix) if field == "integer" else (matrix != 0) * 1.0 if field == "pattern" else matrix
    if symmetry != "general":
        matrix = numpy.tril(matrix, -1 if symmetry == "skew-symmetric" else 0)
        matrix = matrix + numpy.tril(matrix, -1).T * (-1 if symmetry == "skew-symmetric" else 1)
    path = tmp_path / "a.mtx"
    stored = scipy.sparse.coo_array(matrix) if layout == "coordinate" else matrix
    scipy.io.mmwrite(path, stored, field=field, symmetry=symmetry, comment="% a comment")

    numpy.testing.assert_array_equal(read_matrix(path), matrix)


def test_matrix_market_by_hand():
    """The standard's own example of a coordinate file, with an entry named twice, which adds up."""
    text = "%%MatrixMarket matrix coordinate real general\n% comment\n\n3 2 3\n1 1 1.5\n3 2 -2e1\n1 1 0.5\n"

    numpy.testing.assert_array_equal(read_matrix_market(text, "a.mtx"), [[2, 0], [0, 0], [0, -20]])


@pytest.mark.slow
@given(st.text(max_size=200))
def test_no_text_breaks_the_matrix_market_reader(text):
    """Whatever stands behind a right first line, it is a matrix or a FileError."""
    for head in ("coordinate real general", "array real symmetric", "coordinate pattern skew-symmetric"):
        try:
            read = read_matrix_market(f"%%MatrixMarket matrix {head}\n{text}", "a.mtx")
        except FileError:
            continue
        assert read.ndim == 2


@pytest.mark.parametrize(
    "sizes", ["1_0 1", "\N{ARABIC-INDIC DIGIT ONE} 1", "1 1 1", "1", "-1 1", "1.0 1", "9" * 5000 + " 1"]
)
def test_sizes_that_are_no_whole_numbers(sizes):
    """The line with the sizes is read as strictly as the others."""
    with pytest.raises(FileError, match="as whole numbers"):
        read_matrix_market(f"%%MatrixMarket matrix array real general\n{sizes}\n1\n", "a.mtx")


@pytest.mark.parametrize("symmetry", ["symmetric", "skew-symmetric"])
def test_the_upper_triangle_of_a_symmetric_file(symmetry):
    """The format stores the lower one; an entry above the diagonal would count twice or hide a mistake."""
    text = f"%%MatrixMarket matrix coordinate real {symmetry}\n3 3 2\n3 1 5\n1 2 4\n"
    with pytest.raises(FileError, match="entry 2 at row 1, column 2, above the diagonal"):
        read_matrix_market(text, "a.mtx")


def test_the_line_of_a_fault_is_named():
    """A file of a million lines is not searched by hand."""
    with pytest.raises(FileError, match="entry 2 at row 9, column 1"):
        read_matrix_market("%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1\n9 1 1\n", "a.mtx")
