"""Panels of A and B in memory: read in strips, widened, and summed by pairs of rows or columns."""

from __future__ import annotations

from typing import Any

import numpy

from tilewright.arrays.stores.store import Array, Store, extents, strips


def load_panel(
    store: Store, rows: slice, columns: slice, into: Array, strip_bytes: int, pair_axis: int | None = None
) -> None:
    """Fill a panel with a region of a stored matrix, in the panel's type.

    Args:
        store: the matrix.
        rows: the panel's rows, those of pair sums where ``pair_axis`` is 0.
        columns: its columns, those of pair sums where ``pair_axis`` is 1.
        into: the panel (rows, columns), contiguous.
        strip_bytes: what is read at a time.
        pair_axis: the axis along which neighbours are added, or None.

    Raises:
        StoreError: a part cannot be read; the sentence names the file and the region.
    """
    read_rows, read_columns = (
        slice(2 * span.start, 2 * span.stop) if pair_axis == axis else span for axis, span in enumerate((rows, columns))
    )
    chunks = store.chunks
    if chunks is not None and pair_axis == 0 and chunks[0] % 2:
        chunks = (2 * chunks[0], chunks[1])
    row_bytes = (read_columns.stop - read_columns.start) * store.element.itemsize
    if pair_axis == 0:  # an even number of rows
        strip_bytes = max(2, strip_bytes // max(1, row_bytes) // 2 * 2) * max(1, row_bytes)
    for strip in strips(read_rows, chunks, strip_bytes, row_bytes):
        first, last = strip.start - read_rows.start, strip.stop - read_rows.start
        if store.element == into.dtype and pair_axis is None:
            store.read(strip, read_columns, into[first:last])
            continue
        part = numpy.empty(extents(strip, read_columns), store.element)
        store.read(strip, read_columns, part)
        values = widened(part, store.dtype, into.dtype)
        if pair_axis == 0:
            numpy.add(values[0::2], values[1::2], out=into[first // 2 : last // 2])
        elif pair_axis == 1:
            numpy.add(values[:, 0::2], values[:, 1::2], out=into[first:last])
        else:
            into[first:last] = values


def widened(values: Array, dtype: str, to: numpy.dtype[Any]) -> Array:
    """Values in another type; those of bfloat16 may be given by their bits."""
    if dtype == "bfloat16" and values.dtype == numpy.uint16:
        values = (values.astype(numpy.uint32) << 16).view(numpy.float32)
    return values.astype(to, copy=False)
