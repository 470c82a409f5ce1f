"""Tiles of C on the host: NumPy's BLAS multiplies panels, and their products are added in the order of k.

`multiply_tiles` is a plain function of stores, a plan and tiles: any process that opens the stores computes the same.
"""

from __future__ import annotations

import time
import zlib
from collections.abc import Callable, Iterable
from math import isqrt

import numpy

from tilewright.arrays.stores.store import Array, Store, bytes_of, strips
from tilewright.choose.streamed import StreamedPlan

from .panels import load_panel
from .prefetch import Filled, Prefetch, Step
from .tile_steps import Done, Timing, steps_of


def multiply_tiles(
    a: Store,
    b: Store,
    out: Store,
    plan: StreamedPlan,
    numbers: Iterable[int],
    *,
    sum_dtype: str,
    panel_element: str,
    done: Done | None = None,
    stepped: Callable[[], object] | None = None,
) -> Timing:
    """Compute tiles of C and write them.

    Args:
        a: A.
        b: B.
        out: what is written, tile by tile; it is never read.
        plan: the tiles and the steps along k.
        numbers: the tiles, by their places in ``plan.tiles()``; drawn as they are needed.
        sum_dtype: the type of C's tile.
        panel_element: NumPy's type of the panels.
        done: called when a tile is written.
        stepped: called after each step.

    Returns:
        What was measured.

    Raises:
        StoreError: a part of a store cannot be read or written. Tiles that were reported are whole.
    """
    (rows, columns), k = plan.tile, min(plan.step, plan.problem.sizes[2])
    count = plan.buffers
    panels_a = [numpy.empty(rows * k, panel_element) for _ in range(count)]
    panels_b = [numpy.empty(k * columns, panel_element) for _ in range(count)]
    tile = numpy.empty(rows * columns, sum_dtype)
    added = numpy.empty(plan.added_rows * columns if plan.step_count > 1 else 0, sum_dtype)
    pairs = plan.problem.pairs == 2
    timing, started = Timing(), time.perf_counter()

    def panel(buffers: list[Array], buffer: int, one: slice, other: slice) -> Array:
        extents = one.stop - one.start, other.stop - other.start
        return buffers[buffer][: extents[0] * extents[1]].reshape(extents)

    def fill(operand: str, buffer: int, step: Step) -> None:
        if operand == "A":
            into = panel(panels_a, buffer, step.rows, step.along)
            load_panel(a, step.rows, step.along, into, plan.strip_bytes, 0 if pairs else None)
        else:
            into = panel(panels_b, buffer, step.along, step.columns)
            load_panel(b, step.along, step.columns, into, plan.strip_bytes, 1 if pairs else None)

    def multiplied(filled: Filled) -> Array:
        step = filled.step
        c = panel([tile], 0, step.rows, step.columns)
        left, right = (
            panel(panels_a, filled.a, step.rows, step.along),
            panel(panels_b, filled.b, step.along, step.columns),
        )
        add_product(left, right, c, added, is_first=step.is_first)
        return c

    # What overflows is infinite, and what is invalid NaN, as in a kernel: neither is news of this thread alone.
    with numpy.errstate(all="ignore"), Prefetch(steps_of(plan, numbers), fill, count) as prefetch:
        for filled in prefetch.filled():
            c = multiplied(filled)
            prefetch.finished()
            if stepped is not None:
                stepped()
            if filled.step.is_last:
                before = time.perf_counter()
                checksum = write_tile(
                    out, filled.step.rows, filled.step.columns, c, plan.strip_bytes, checks=done is not None
                )
                timing.writing_seconds += time.perf_counter() - before
                timing.tiles += 1
                if done is not None:
                    done(filled.step.number, checksum)
        timing.stalled_seconds, timing.first_seconds = prefetch.stalled_seconds, prefetch.first_seconds
    timing.seconds = time.perf_counter() - started
    return timing


def add_product(left: Array, right: Array, c: Array, added: Array, *, is_first: bool) -> None:
    """C = A B, or C += A B for a later step, by blocks whose product fits in ``added``."""
    if is_first:
        _product(left, right, c)
        return
    side = max(1, isqrt(added.size))  # a square, for which BLAS packs least of A and B
    height = max(side, added.size // max(1, c.shape[1]) if c.shape[1] < side else 1)
    width = added.size // height
    for first in range(0, c.shape[0], height):
        for column in range(0, c.shape[1], width):
            block = c[first : first + height, column : column + width]
            part = added[: block.size].reshape(block.shape)
            _product(left[first : first + height], right[:, column : column + width], part)
            numpy.add(block, part, out=block)


def _product(left: Array, right: Array, into: Array) -> None:
    if left.dtype == into.dtype:
        numpy.matmul(left, right, out=into)
    else:  # the dot product of two vectors, whose panels are summed in float64
        into[...] = numpy.matmul(left, right)


def write_tile(out: Store, rows: slice, columns: slice, c: Array, strip_bytes: int, *, checks: bool = True) -> int:
    """Write a tile in strips of whole chunks; the checksum of what was written. Raises StoreError."""
    checksum, width = 0, columns.stop - columns.start
    for strip in strips(rows, out.written_chunks, strip_bytes, width * out.element.itemsize):
        part = c[strip.start - rows.start : strip.stop - rows.start]
        checksum = write_strip(out, strip, columns, part, checksum, checks=checks)
    return checksum


def write_strip(out: Store, rows: slice, columns: slice, part: Array, checksum: int, *, checks: bool) -> int:
    """Write a strip of a tile in the output's type; the checksum goes on from that of the strips before."""
    if out.element.kind != "u" or out.dtype != "bfloat16":  # torch casts to bfloat16 as it writes
        with numpy.errstate(over="ignore"):
            part = part.astype(out.element, copy=False)
    if checks:
        checksum = zlib.crc32(bytes_of(part), checksum)
    out.write(rows, columns, part)
    return checksum


def read_checksum(out: Store, rows: slice, columns: slice, strip_bytes: int) -> int:
    """The checksum of a tile as it is stored. Raises StoreError."""
    checksum, width = 0, columns.stop - columns.start
    for strip in strips(rows, out.written_chunks, strip_bytes, width * out.element.itemsize):
        part = numpy.empty((strip.stop - strip.start, width), out.element)
        out.read(strip, columns, part)
        checksum = zlib.crc32(bytes_of(part), checksum)
    return checksum
