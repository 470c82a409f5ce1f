"""A matrix in a file, whatever its type, order, gaps and place: regions are NumPy's, by as few moves as can be."""

from __future__ import annotations

from contextlib import nullcontext
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tilewright.arrays.stores import memmap, store
from tilewright.arrays.stores.memmap import MemmapStore, of_memmap
from tilewright.arrays.stores.store import SAMPLE_ELEMENTS, SAMPLES, in_words, strips

WHOLE = slice(0, 6), slice(0, 5)


def mapped(folder: Path, dtype: str, order: Any, offset: int, steps: tuple[int, int] = (1, 1)):
    """A map of some of the elements of a file, each of which has another value."""
    size = 12 * 10 * numpy.dtype(dtype).itemsize
    path = folder / "a.raw"
    path.write_bytes(bytes(offset) + numpy.arange(12 * 10).astype(dtype).tobytes() + bytes(7))
    assert path.stat().st_size == offset + size + 7
    whole = numpy.memmap(path, dtype, "r+", offset, (12, 10), order)
    return whole[:: steps[0], :: steps[1]][:6, :5]


def noted(monkeypatch: pytest.MonkeyPatch, stored: MemmapStore, name: str) -> list[Any]:
    """Let a function go on as it is, and note what it is given first."""
    seen: list[Any] = []
    function = getattr(stored, name)

    def noting(first: Any, second: Any) -> None:
        seen.append(first)
        function(first, second)

    monkeypatch.setattr(stored, name, noting)
    return seen


@st.composite
def spans(draw, extent: int) -> slice:
    """A part of an extent."""
    first = draw(st.integers(0, extent - 1))
    return slice(first, draw(st.integers(first + 1, extent)))


@given(
    dtype=st.sampled_from(["f4", "i2", "f8", "u1"]),
    order=st.sampled_from("CF"),
    offset=st.sampled_from([0, 3, 4096, 5001]),
    steps=st.sampled_from([(1, 1), (2, 1), (1, 2), (2, 2)]),
    rows=spans(6),
    columns=spans(5),
    slab_bytes=st.sampled_from([1, 16, 2**22]),
)
def test_regions_are_numpys(dtype, order, offset, steps, rows, columns, slab_bytes):
    """As read, and as written; nothing else in the file changes."""
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(memmap, "SLAB_BYTES", slab_bytes)
        values = mapped(Path(folder), dtype, order, offset, steps)
        stored = of_memmap(values, "A")
        assert stored is not None
        expected = numpy.array(values)
        into = numpy.zeros((rows.stop - rows.start, columns.stop - columns.start), dtype)
        stored.read(rows, columns, into)
        numpy.testing.assert_array_equal(into, expected[rows, columns])
        whole = values.base
        around = numpy.array(whole)
        tile = (200 - expected[rows, columns].astype("i8")) % 100
        stored.write(rows, columns, tile)
        expected[rows, columns] = tile
        numpy.testing.assert_array_equal(values, expected)
        assert (whole != around).sum() == (tile != into).sum()
        del values


@pytest.mark.parametrize(
    ("order", "steps", "region", "slab_bytes", "moves"),
    [
        ("C", (1, 1), WHOLE, 2**22, 6),
        ("C", (1, 1), (slice(0, 1), slice(0, 5)), 2**22, 1),
        ("C", (1, 1), (slice(0, 6), slice(2, 3)), 2**22, 6),
        ("C", (1, 2), WHOLE, 2**22, 30),
        ("F", (1, 1), WHOLE, 2**22, 5),
        ("F", (1, 1), WHOLE, 6 * 4, 5),
        ("F", (1, 1), (slice(2, 3), slice(0, 5)), 2**22, 5),
        ("F", (2, 1), WHOLE, 2**22, 30),
    ],
)
def test_as_few_moves_as_can_be(tmp_path, monkeypatch, order, steps, region, slab_bytes, moves):
    """A row, or a column, is one; elements with gaps between them are moved one by one."""
    monkeypatch.setattr(memmap, "SLAB_BYTES", slab_bytes)
    stored = of_memmap(mapped(tmp_path, "f4", order, 0, steps), "A")
    assert stored is not None
    made = noted(monkeypatch, stored, "_fill")
    rows, columns = region
    stored.read(rows, columns, numpy.empty([span.stop - span.start for span in region], "f4"))

    assert len(made) == moves


@pytest.mark.parametrize(("order", "axis"), [("C", 0), ("F", 1)])
@pytest.mark.parametrize(("columns_at_once", "moves"), [(1, 5), (2, 3), (5, 1), (9, 1)])
def test_rows_without_gaps_are_moved_together(tmp_path, monkeypatch, order, axis, columns_at_once, moves):
    """All of them, or as many columns as a slab holds where the file lies column by column."""
    shape = (5, 8) if axis == 0 else (8, 5)
    values = numpy.memmap(tmp_path / "a.raw", "f4", "w+", 0, shape, order)
    values[...] = numpy.arange(40).reshape(shape)
    monkeypatch.setattr(memmap, "SLAB_BYTES", columns_at_once * 8 * 4)
    stored = of_memmap(values, "A")
    assert stored is not None
    made = noted(monkeypatch, stored, "_fill")
    into = numpy.empty(shape, "f4")
    stored.read(slice(0, shape[0]), slice(0, shape[1]), into)

    numpy.testing.assert_array_equal(into, values)
    assert len(made) == (1 if axis == 0 else moves)


@pytest.mark.parametrize(("mode", "is_writable"), [("r", False), ("r+", True), ("w+", True)])
def test_what_can_be_written(tmp_path, mode, is_writable):
    """A map that is read alone is not; nor is one that NumPy was told not to write to."""
    (tmp_path / "a.raw").write_bytes(bytes(400))
    values = numpy.memmap(tmp_path / "a.raw", "f4", mode, 0, (10, 10))
    found = of_memmap(values, "A")
    assert found is not None
    assert found.is_writable == is_writable
    assert found.shown == f"A ({tmp_path / 'a.raw'})"
    if is_writable:
        values.flags.writeable = False
        again = of_memmap(values, "A")
        assert again is not None
        assert not again.is_writable
    with pytest.raises(OSError, match=r"A .*a.raw. cannot be written") if not is_writable else nullcontext():
        found.write(slice(0, 1), slice(0, 1), numpy.ones((1, 1), "f4"))


@pytest.mark.parametrize("make", [lambda x: x[::-1], lambda x: x[:, ::-1], lambda x: x.copy(), numpy.asarray])
def test_what_is_no_map_of_its_file(tmp_path, make):
    """What runs backwards or was copied lies in memory, as far as a store knows; a plain view is NumPy's own."""
    values = numpy.memmap(tmp_path / "a.raw", "f4", "w+", 0, (10, 10))
    found = of_memmap(make(values), "A")
    assert found is None


def test_places_that_a_fingerprint_looks_at(tmp_path, monkeypatch):
    """The first row and the last one, the first elements and the last ones, and rows between them at even distances."""
    rows, columns = 401, 3 * SAMPLE_ELEMENTS
    path = tmp_path / "a.raw"
    path.write_bytes(bytes(rows * columns))
    stored = MemmapStore(path, "u1", (rows, columns), (columns, 1), 0, "A", writable=True)
    seen = noted(monkeypatch, stored, "_read")
    first = stored.fingerprint()

    assert len(seen) == SAMPLES
    assert seen[0] == (slice(0, 1), slice(0, SAMPLE_ELEMENTS))
    assert seen[-1] == (slice(rows - 1, rows), slice(columns - SAMPLE_ELEMENTS, columns))
    steps = {later[0].start - one[0].start for one, later in pairwise(seen)}
    assert max(steps) - min(steps) <= 1
    for at_row, at_column in ((0, 0), (rows - 1, columns - 1)):
        stored.write(slice(at_row, at_row + 1), slice(at_column, at_column + 1), numpy.ones((1, 1), "u1"))
        assert stored.fingerprint() != first
        stored.write(slice(at_row, at_row + 1), slice(at_column, at_column + 1), numpy.zeros((1, 1), "u1"))
    assert stored.fingerprint() == first
    (tmp_path / "b.raw").write_bytes(bytes(rows * columns))
    turned = MemmapStore(tmp_path / "b.raw", "u1", (columns, rows), (rows, 1), 0, "B")
    assert turned.fingerprint() != first
    assert stored.stamp()[:2] == [1, rows * columns]


@pytest.mark.parametrize(
    ("rows", "chunks", "strip_bytes", "row_bytes", "ends"),
    [
        ((0, 10), None, 40, 10, [4, 8, 10]),
        ((0, 10), None, 39, 10, [3, 6, 9, 10]),
        ((0, 10), None, 9, 10, list(range(1, 11))),
        ((0, 10), None, 9, 0, [9, 10]),
        ((0, 10), (3, 1), 40, 10, [3, 6, 9, 10]),
        ((0, 10), (3, 1), 60, 10, [6, 10]),
        ((0, 10), (3, 1), 5, 10, [3, 6, 9, 10]),
        ((4, 10), (3, 1), 60, 10, [6, 10]),
        ((4, 10), None, 20, 10, [6, 8, 10]),
    ],
)
def test_strips(rows, chunks, strip_bytes, row_bytes, ends):
    """As many rows as have so many bytes, one at least, and whole chunks."""
    found = strips(slice(*rows), chunks, strip_bytes, row_bytes)

    assert [part.stop for part in found] == ends
    assert [part.start for part in found] == [rows[0], *ends[:-1]]


def test_regions_in_words():
    """The last row is named, not the one behind it."""
    assert in_words(slice(0, 1000), slice(20, 30)) == "rows 0 to 999 and columns 20 to 29"
    assert store.extents(slice(3, 10), slice(2, 4)) == (7, 2)
