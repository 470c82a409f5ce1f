"""The Matrix Market format: read as SciPy reads it, and refused where it means something else."""

import io

import numpy
import pytest
import scipy.io
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

from tilewright.call.files import matrix_market
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


@pytest.mark.parametrize(
    ("head", "rest", "said"),
    [
        ("coordinate real general", "2 2\n1 1 1\n", "'2 2', where rows, columns and entries are needed as whole numb"),
        ("array real general", "2 2 4\n", "'2 2 4', where rows and columns are needed as whole numbers"),
        ("coordinate real general", "2 2 2\n1 1 1\n", "announces 2 entries of 3 numbers, and 3 numbers follow; it is"),
        ("coordinate real general", "2 2 1\n1 1 1 2\n", "announces 1 entries of 3 numbers, and more follow; it is cut"),
        ("coordinate pattern general", "2 2 2\n1 1\n", "announces 2 entries of 2 numbers, and 2 numbers follow; it is"),
        ("array real general", "2 2\n1 2 3\n", "needs 4 numbers and has 3; it is cut short or damaged"),
        ("array real general", "2 2\n1 2 3 4 5\n", "needs 4 numbers and has more; it is cut short or damaged"),
        ("array real symmetric", "2 3\n", "is called symmetric, but its 2 rows and 3 columns differ"),
        ("array real skew-symmetric", "2 2\n1 2\n", "needs 1 numbers and has more"),
        ("coordinate real skew-symmetric", "2 2 1\n1 1 5\n", "is called skew-symmetric, but its diagonal is not zero"),
        ("coordinate real general", "2 2 1\n0 1 5\n", "entry 1 at row 0, column 1, outside its 2 rows and 2 columns"),
        ("coordinate real general", "2 2 1\n1 3 5\n", "entry 1 at row 1, column 3, outside its 2 rows and 2 columns"),
        ("coordinate real general", "2 2 1\n1 1.5 5\n", "entry 1 at row 1, column 1.5, outside its 2 rows"),
        ("coordinate complex general", "", "is complex general; matrices of real numbers are accepted"),
        ("coordinate real hermitian", "", "is real hermitian; matrices of real numbers are accepted"),
        ("array pattern general", "", "is an array of a pattern, which has no values; a pattern needs coordinates"),
        ("lists real general", "", "has 'lists' in its first line, where coordinate, array are accepted"),
        ("array real general", "% only comments\n\n", "is cut short: the line with the sizes is missing"),
        ("array real general", "1 2\n1\nx\n", "has 'x' in line 4, where a number is needed"),
    ],
)
def test_what_is_wrong_is_said(head, rest, said):
    """With the line or the entry, in a sentence."""
    with pytest.raises(FileError) as refused:
        read_matrix_market(f"%%MatrixMarket matrix {head}\n{rest}", "a.mtx")
    assert str(refused.value).startswith("a.mtx ")
    assert said in str(refused.value)


def test_the_largest_matrix(monkeypatch):
    """An element more than indices count is refused, and a byte more than is free."""
    monkeypatch.setattr(matrix_market, "free_memory_bytes", lambda: None)
    matrix_market._check_extent(2**31 - 1, 1, "a.mtx")
    with pytest.raises(FileError, match="2147483648 x 1 elements; at most 2,147,483,647 are accepted"):
        matrix_market._check_extent(2**31, 1, "a.mtx")
    for free in (80, 79):
        monkeypatch.setattr(matrix_market, "free_memory_bytes", lambda free=free: free)
        if free == 80:
            matrix_market._check_extent(2, 5, "a.mtx")
        else:
            with pytest.raises(
                FileError, match="2 x 5 elements, which take 80 bytes as a dense matrix, and 79 bytes of"
            ):
                matrix_market._check_extent(2, 5, "a.mtx")


def test_a_line_that_does_not_end(monkeypatch):
    """A line of the most characters is read, one more is refused."""
    monkeypatch.setattr(matrix_market, "MOST_LINE_CHARACTERS", 60)
    text = "%%MatrixMarket matrix array real general\n1 1\n{}\n"
    assert read_matrix_market(text.format("1".rjust(59)), "a.mtx") == [[1]]
    with pytest.raises(FileError, match="more than 60 characters in line 3; the format's lines have 1,024 at most"):
        read_matrix_market(text.format("1".rjust(60)), "a.mtx")


@pytest.mark.parametrize(
    ("head", "sizes", "entry", "lines"),
    [
        ("coordinate real general", "9 9 4", "1 1 1", 4 + 1),
        ("coordinate pattern general", "9 9 4", "1 1", 4 + 1),
        ("array real general", "2 2", "1", 4 + 1),
        ("array real symmetric", "3 3", "1", 6 + 1),
        ("array real skew-symmetric", "3 3", "0", 3 + 1),
    ],
)
def test_no_more_is_read_than_is_needed(monkeypatch, head, sizes, entry, lines):
    """Of a stream that goes on and on: a number more than there should be is enough to refuse it."""
    monkeypatch.setattr(matrix_market, "BLOCK_CHARACTERS", 1)
    stream = io.StringIO(f"%%MatrixMarket matrix {head}\n{sizes}\n" + f"{entry}\n" * 100)
    with pytest.raises(FileError, match="more"):
        read_matrix_market(stream, "a.mtx")
    assert 100 - len(stream.read().splitlines()) == lines
