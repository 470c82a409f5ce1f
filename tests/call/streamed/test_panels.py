"""Panels are read in strips, cast and added in pairs; products of panels are added by blocks; tiles are written."""

from __future__ import annotations

import os
import threading
import zlib
from typing import Any

import ml_dtypes
import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tilewright.arrays.stores.memory import ArrayStore
from tilewright.call.streamed.copiers import MOST_COPIERS, Copiers, copier_count
from tilewright.call.streamed.host_tiles import add_product, read_checksum, write_strip, write_tile
from tilewright.call.streamed.panels import load_panel, widened


class Noting(ArrayStore):
    """A matrix in memory that notes which rows are read and written at a time."""

    def __init__(self, values: Any, chunks: tuple[int, int] | None = None) -> None:
        super().__init__(values, "A")
        self.chunks = self.written_chunks = chunks
        self.moved: list[tuple[int, int]] = []

    def _read(self, region, into):
        self.moved.append((region[0].start, region[0].stop))
        super()._read(region, into)

    def _write(self, region, tile):
        self.moved.append((region[0].start, region[0].stop))
        super()._write(region, tile)


def numbers(rows: int, columns: int, dtype: Any = "f4"):
    """Small integers, another for each element of a row and of a column."""
    return (numpy.arange(rows * columns) % 97).reshape(rows, columns).astype(dtype)


@given(
    dtype=st.sampled_from(["f4", "f2", "f8", ml_dtypes.bfloat16]),
    axis=st.sampled_from([None, 0, 1]),
    chunks=st.sampled_from([None, (3, 2), (4, 5), (1, 1)]),
    strip_bytes=st.sampled_from([1, 50, 200, 10_000]),
    rows=st.tuples(st.integers(0, 5), st.integers(1, 5)),
    columns=st.tuples(st.integers(0, 5), st.integers(1, 5)),
)
def test_panels_are_regions_in_float32(dtype, axis, chunks, strip_bytes, rows, columns):
    """Or sums of two rows, or columns, that are neighbours; each row is read once."""
    stored = Noting(numbers(20, 20, dtype), chunks)
    down, across = slice(rows[0], sum(rows)), slice(columns[0], sum(columns))
    into = numpy.full((rows[1], columns[1]), numpy.nan, "f4")
    load_panel(stored, down, across, into, strip_bytes, axis)

    values = stored.values.astype("f4")
    if axis == 0:
        values = values[0::2] + values[1::2]
    elif axis == 1:
        values = values[:, 0::2] + values[:, 1::2]
    numpy.testing.assert_array_equal(into, values[down, across])
    factor = 2 if axis == 0 else 1
    assert [end for _, end in stored.moved][-1] == factor * down.stop
    assert [first for first, _ in stored.moved] == [factor * down.start, *[end for _, end in stored.moved][:-1]]
    assert axis != 0 or all(first % 2 == end % 2 == 0 for first, end in stored.moved)


@pytest.mark.parametrize(
    ("axis", "chunks", "strip_bytes", "ends"),
    [
        (None, None, 4 * 40, [4, 8, 12]),
        (None, None, 4 * 40 - 1, [3, 6, 9, 12]),
        (None, (5, 1), 4 * 40, [5, 10, 12]),
        (0, None, 4 * 40, [4, 8, 12, 16, 20, 24]),
        (0, None, 4 * 40 - 1, [2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24]),
        (0, None, 1, [2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24]),
        (0, (3, 1), 1, [6, 12, 18, 24]),
        (0, (4, 1), 1, [4, 8, 12, 16, 20, 24]),
        (1, None, 4 * 80, [4, 8, 12]),
        (1, None, 4 * 80 - 1, [3, 6, 9, 12]),
    ],
)
def test_how_much_is_read_at_a_time(axis, chunks, strip_bytes, ends):
    """As many bytes as are allowed, in whole chunks; of pairs of rows, both."""
    stored = Noting(numbers(24, 20), chunks)
    into = numpy.empty((12, 10), "f4")
    load_panel(stored, slice(0, 12), slice(0, 10), into, strip_bytes, axis)

    assert [end for _, end in stored.moved] == ends


def test_values_of_bfloat16_may_be_bits():
    """Of torch's tensors NumPy sees no type; numbers of another type are what they are."""
    values = numpy.array([1.5, -3.0, 0.0], ml_dtypes.bfloat16)
    assert widened(values.view("u2"), "bfloat16", numpy.dtype("f4")).tolist() == [1.5, -3.0, 0.0]
    assert widened(values.view("u2"), "uint16", numpy.dtype("f4")).tolist() == values.view("u2").tolist()
    assert widened(values, "bfloat16", numpy.dtype("f4")).tolist() == [1.5, -3.0, 0.0]


@given(
    sizes=st.tuples(st.integers(1, 9), st.integers(1, 9), st.integers(1, 5)),
    room=st.integers(1, 90),
    types=st.sampled_from([("f4", "f4"), ("f4", "f8")]),
)
def test_products_are_added_by_blocks(sizes, room, types):
    """However little room there is for them; the first product is written over what was there."""
    m, n, k = sizes
    left, right = numbers(m, k, types[0]), numbers(k, n, types[0])
    c, added = numpy.full((m, n), numpy.nan, types[1]), numpy.full(max(room, n), numpy.nan, types[1])
    add_product(left, right, c, added, is_first=True)
    numpy.testing.assert_array_equal(c, left.astype("f8") @ right)
    add_product(left, right, c, added, is_first=False)
    numpy.testing.assert_array_equal(c, 2 * (left.astype("f8") @ right))


@pytest.mark.parametrize(
    ("m", "n", "room", "blocks"),
    [(8, 8, 64, 1), (8, 8, 16, 4), (8, 2, 16, 1), (8, 2, 8, 4), (8, 16, 16, 8), (2, 16, 16, 4), (9, 9, 16, 9)],
)
def test_blocks_are_squares(monkeypatch, m, n, room, blocks):
    """For which BLAS packs least; of narrow tiles they are higher."""
    from tilewright.call.streamed import host_tiles

    shapes: list[Any] = []
    product = host_tiles._product

    def noting(left, right, into):
        shapes.append(into.shape)
        product(left, right, into)

    monkeypatch.setattr(host_tiles, "_product", noting)
    add_product(numbers(m, 3), numbers(3, n), numbers(m, n), numpy.empty(room, "f4"), is_first=False)

    assert len(shapes) == blocks
    assert all(rows * columns <= room for rows, columns in shapes)


@pytest.mark.parametrize("chunks", [None, (2, 3)])
@pytest.mark.parametrize(("strip_bytes", "ends"), [(1, [3, 4, 5, 6, 7, 8]), (16, [4, 6, 8]), (1000, [8])])
def test_tiles_are_written_in_strips(chunks, strip_bytes, ends):
    """Of whole chunks; the checksum is that of all bytes, and what is read again has the same."""
    out = Noting(numpy.zeros((10, 10), "f2"), chunks)
    tile = numbers(6, 4)
    rows, columns = slice(2, 8), slice(5, 9)
    checksum = write_tile(out, rows, columns, tile, strip_bytes)

    numpy.testing.assert_array_equal(out.values[2:8, 5:9], tile)
    assert out.values.sum() == tile.sum()
    written = [end for _, end in out.moved]
    assert written == (ends if chunks is None else [4, 6, 8] if strip_bytes < 1000 else [8])
    assert checksum == zlib.crc32(tile.astype("f2").tobytes())
    assert read_checksum(out, rows, columns, strip_bytes) == checksum
    assert write_tile(out, rows, columns, tile, strip_bytes, checks=False) == 0
    assert write_strip(out, rows, columns, tile, 77, checks=False) == 77
    assert write_strip(out, rows, columns, tile, 77, checks=True) == zlib.crc32(tile.astype("f2").tobytes(), 77)


def test_what_overflows_in_the_outputs_type_is_infinite():
    """Without a warning, as in a kernel."""
    out = ArrayStore(numpy.zeros((1, 2), "f2"), "out")
    write_tile(out, slice(0, 1), slice(0, 2), numpy.array([[1e6, -1e6]], "f4"), 100)
    assert out.values.tolist() == [[numpy.inf, -numpy.inf]]


def test_parts_are_copied_by_threads():
    """By as many as were asked for; what the first to fail raised is raised where it is awaited."""
    with Copiers(3, "test") as threads:
        both, done = threading.Barrier(3), []
        copies = threads.begin([lambda: both.wait(30)] * 3)  # none ends alone
        copies.wait()
        copies.wait()  # nothing is left
        failing = threads.begin([lambda: done.append(1), lambda: 1 / 0, lambda: done.append(2)])
        with pytest.raises(ZeroDivisionError):
            failing.wait()
        assert sorted(done) == [1, 2]
        assert failing.settle() == []
        found = threads.begin([lambda: 1 / 0, lambda: None]).settle()
        assert sorted(type(each).__name__ for each in found) == ["NoneType", "ZeroDivisionError"]
        assert threads.count == 3
        assert len([each for each in threading.enumerate() if each.name.startswith("tilewright-test-")]) == 3
    assert not [each for each in threading.enumerate() if each.name.startswith("tilewright-test-")]


@pytest.mark.parametrize(("cores", "count"), [(1, 1), (2, 1), (3, 2), (11, MOST_COPIERS), (64, MOST_COPIERS)])
def test_how_many_threads_copy(monkeypatch, cores, count):
    """One fewer than cores, and no more than help."""
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: range(cores), raising=False)
    assert copier_count() == count
    monkeypatch.delattr(os, "sched_getaffinity")
    monkeypatch.setattr(os, "cpu_count", lambda: None if cores == 1 else cores)
    assert copier_count() == count
