"""A reader for NIST's Matrix Market exchange format, as dense float64 matrices.

Read: `coordinate` and `array`; `real`, `integer`, `double` and `pattern` (every entry 1); `general`, `symmetric` and
`skew-symmetric`, which store the lower triangle alone. Entries named twice add up. Complex and Hermitian matrices are
refused, and so is what would not fit in memory as a dense matrix.
"""

from __future__ import annotations

import io
from typing import Any, TextIO

import numpy
from numpy.typing import NDArray

from tilewright.call.free_memory import free_memory_bytes
from tilewright.choose.quantities import in_words

from .errors import FileError
from .number_text import is_number, is_plain, is_whole_number

Matrix = NDArray[numpy.float64]

LARGEST_ELEMENTS = 2**31 - 1
MOST_LINE_CHARACTERS = 1 << 24
"""The standard has 1,024, but there are files with a matrix in a line."""
BLOCK_CHARACTERS = 1 << 22
"""Read and turned into numbers at a time."""
_FIELDS = ("real", "integer", "double", "pattern")
_SYMMETRIES = ("general", "symmetric", "skew-symmetric")


def read_matrix_market(text: str | TextIO, source: str) -> Matrix:
    """The matrix that `text` describes, or that a stream of text does, read no further than needed.

    source: names it in errors.

    Raises:
        FileError: the text is no Matrix Market matrix, or a kind of it that is not read.
    """
    lines = _Lines(io.StringIO(text) if isinstance(text, str) else text, source)
    layout, field, symmetry = _header(lines.next() or "", source)
    line = lines.next_data()
    if line is None:
        raise FileError(f"{source} is cut short: the line with the sizes is missing.")
    sizes = _sizes(line, 3 if layout == "coordinate" else 2, source)
    rows, columns = sizes[:2]
    if symmetry != "general" and rows != columns:
        raise FileError(f"{source} is called {symmetry}, but its {rows} rows and {columns} columns differ.")
    _check_extent(rows, columns, source)
    if layout == "coordinate":
        width = 2 if field == "pattern" else 3
        values = _numbers(lines, sizes[2] * width, source)
        return _from_coordinates(values, (rows, columns), sizes[2], (field, symmetry), source)
    return _from_array(_numbers(lines, _stored(rows, columns, symmetry), source), (rows, columns), symmetry, source)


class _Lines:
    """The lines of a stream, counted, and none longer than a matrix needs."""

    def __init__(self, stream: TextIO, source: str) -> None:
        self._stream = stream
        self._source = source
        self.number = 0

    def next(self) -> str | None:
        """Return the next line, None at the end."""
        line = self._stream.readline(MOST_LINE_CHARACTERS)
        if len(line) == MOST_LINE_CHARACTERS and not line.endswith("\n"):
            raise FileError(
                f"{self._source} has more than {MOST_LINE_CHARACTERS:,} characters in line {self.number + 1}; "
                "the format's lines have 1,024 at most."
            )
        self.number += 1
        return line or None

    def next_data(self) -> str | None:
        """Return the next line that is neither empty nor a comment; None at the end."""
        while (line := self.next()) is not None:
            if _holds_data(line):
                return line
        return None


def _stored(rows: int, columns: int, symmetry: str) -> int:
    """How many numbers an array holds."""
    if symmetry == "general":
        return rows * columns
    return rows * (rows + 1) // 2 if symmetry == "symmetric" else rows * (rows - 1) // 2


def _header(line: str, source: str) -> tuple[str, str, str]:
    words = line.lower().split()
    if len(words) != 5 or words[:2] != ["%%matrixmarket", "matrix"]:
        raise FileError(
            f"{source} is no Matrix Market matrix: its first line must read "
            "'%%MatrixMarket matrix coordinate real general' or the like."
        )
    layout, field, symmetry = words[2:]
    if field == "complex" or symmetry == "hermitian":
        raise FileError(f"{source} is {field[:40]} {symmetry[:40]}; matrices of real numbers are accepted.")
    for word, accepted in ((layout, ("coordinate", "array")), (field, _FIELDS), (symmetry, _SYMMETRIES)):
        if word not in accepted:
            raise FileError(f"{source} has {word[:40]!r} in its first line, where {', '.join(accepted)} are accepted.")
    if layout == "array" and field == "pattern":
        raise FileError(f"{source} is an array of a pattern, which has no values; a pattern needs coordinates.")
    return layout, field, symmetry


def _sizes(line: str, count: int, source: str) -> tuple[int, ...]:
    words = line.split()
    try:
        sizes = tuple(int(word) for word in words if is_whole_number(word))
    except ValueError:  # more digits than Python turns into a number
        sizes = ()
    if len(sizes) != count or len(words) != count:
        what = "rows, columns and entries" if count == 3 else "rows and columns"
        raise FileError(f"{source} has the sizes {line.strip()[:60]!r}, where {what} are needed as whole numbers.")
    return sizes


def _check_extent(rows: int, columns: int, source: str) -> None:
    if rows * columns > LARGEST_ELEMENTS:
        raise FileError(f"{source} has {rows} x {columns} elements; at most {LARGEST_ELEMENTS:,} are accepted.")
    needed, free = rows * columns * 8, free_memory_bytes()
    if free is not None and needed > free:
        raise FileError(
            f"{source} has {rows:,} x {columns:,} elements, which take {in_words(needed)} as a dense matrix, and "
            f"{in_words(free)} of memory are free."
        )


def _holds_data(line: str) -> bool:
    return bool(line.strip()) and not line.lstrip().startswith("%")


def _numbers(lines: _Lines, needed: int, source: str) -> Matrix:
    """The numbers that follow; of more than are needed not all."""
    blocks, count = [numpy.empty(0)], 0
    while count <= needed:
        block, characters = [], 0
        while characters < BLOCK_CHARACTERS and (line := lines.next_data()) is not None:
            block.append((lines.number, line))
            characters += len(line)
        if not block:
            break
        blocks.append(_numbers_of(block, source))
        count += blocks[-1].size
    return numpy.concatenate(blocks)


def _numbers_of(block: list[tuple[int, str]], source: str) -> Matrix:
    body = " ".join(line for _, line in block)
    try:
        if is_plain(body) or all(is_number(word) for word in body.split()):
            return numpy.array(body.split(), dtype=numpy.float64)
    except ValueError:
        pass
    number, word = next((number, word) for number, line in block for word in line.split() if not is_number(word))
    raise FileError(f"{source} has {word[:40]!r} in line {number}, where a number is needed.")


def _from_coordinates(
    numbers: Matrix, shape: tuple[int, int], entries: int, kind: tuple[str, str], source: str
) -> Matrix:
    field, symmetry = kind
    width = 2 if field == "pattern" else 3
    if numbers.size != entries * width:
        follow = f"{numbers.size} numbers follow" if numbers.size < entries * width else "more follow"
        raise FileError(
            f"{source} announces {entries} entries of {width} numbers, and {follow}; it is cut short or damaged."
        )
    table = numbers.reshape(entries, width)
    places, values = table[:, :2], table[:, 2] if width == 3 else numpy.ones(entries)
    outside = ~((places >= 1) & (places <= shape) & (places == numpy.floor(places))).all(axis=1)
    if outside.any():
        number = int(outside.argmax())
        row, column = places[number]
        raise FileError(
            f"{source} has entry {number + 1} at row {row:g}, column {column:g}, "
            f"outside its {shape[0]} rows and {shape[1]} columns, which count from 1."
        )
    row, column = (places.astype(numpy.intp) - 1).T
    if symmetry != "general" and bool((column > row).any()):
        number = int((column > row).argmax())
        raise FileError(
            f"{source} has entry {number + 1} at row {row[number] + 1}, column {column[number] + 1}, above the "
            f"diagonal; a {symmetry} file holds the lower triangle, which stands for both."
        )
    matrix = numpy.zeros(shape)
    numpy.add.at(matrix, (row, column), values)
    return _mirrored(matrix, (row, column), values, symmetry, source)


def _from_array(numbers: Matrix, shape: tuple[int, int], symmetry: str, source: str) -> Matrix:
    rows, columns = shape
    needed = _stored(rows, columns, symmetry)
    if numbers.size != needed:
        has = f"{numbers.size}" if numbers.size < needed else "more"
        raise FileError(f"{source} needs {needed} numbers and has {has}; it is cut short or damaged.")
    if symmetry == "general":
        return numpy.ascontiguousarray(numbers.reshape(columns, rows).T)
    # The file holds the lower triangle column by column, which is the upper triangle of the transpose row by row.
    column, row = numpy.triu_indices(rows, k=0 if symmetry == "symmetric" else 1)
    matrix = numpy.zeros(shape)
    matrix[row, column] = numbers
    return _mirrored(matrix, (row, column), numbers, symmetry, source)


def _mirrored(matrix: Matrix, place: tuple[Any, Any], values: Matrix, symmetry: str, source: str) -> Matrix:
    if symmetry == "general":
        return matrix
    row, column = place
    off = row != column
    if symmetry == "skew-symmetric" and bool((values[~off] != 0).any()):
        raise FileError(f"{source} is called skew-symmetric, but its diagonal is not zero.")
    sign = 1.0 if symmetry == "symmetric" else -1.0
    numpy.add.at(matrix, (column[off], row[off]), sign * values[off])
    return matrix
