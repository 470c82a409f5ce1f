"""Dask's arrays: their products as Dask arrays, whose blocks are added in the order of k.

A block of C is a chain of tasks, each of which adds the product of two blocks to the sums so far: it needs a block of
A, one of B and two of C at a time, and whoever computes it gets the same bits.
"""

from __future__ import annotations

import sys
import zlib
from typing import Any

import numpy

from tilewright.arrays.errors import DtypeError, ShapeError, StoreError
from tilewright.arrays.numpy import name_of
from tilewright.arrays.stores.store import Array, Store
from tilewright.call.streamed.machines import machine_of
from tilewright.call.streamed.panels import widened
from tilewright.call.streamed.request import Streamed, check_streamed
from tilewright.choose import PlanError


def is_dask(given: object) -> bool:
    """Whether it is an array of Dask's."""
    library = sys.modules.get("dask.array")
    return library is not None and isinstance(given, library.Array)


class DaskStore(Store):
    """A Dask array of NumPy's, for checks and plans: nothing can be read of it before workers have computed it.

    Raises:
        DtypeError: its blocks are of another library.
        ShapeError: it has no dimensions or more than two, or does not know its extents.
    """

    kind = "dask"

    def __init__(self, array: Any, name: str, *, is_column: bool = False) -> None:
        if not isinstance(array._meta, numpy.ndarray):  # noqa: SLF001  (Dask has no other name for it)
            kind = type(array._meta)  # noqa: SLF001
            raise DtypeError(
                f"{name} is a Dask array of {kind.__module__}.{kind.__qualname__}, and NumPy's are accepted."
            )
        if not 1 <= array.ndim <= 2:
            raise ShapeError(f"{name} is {array.shape}, and a product of Dask arrays takes matrices and vectors.")
        if any(numpy.isnan(extent) for extent in array.shape):
            raise ShapeError(f"{name} does not know its extents; call its compute_chunk_sizes() first.")
        super().__init__(name, array.shape, name_of(array.dtype), array.dtype, is_column=is_column)
        self.array = array
        self.chunks = self._in_two(tuple(max(1, *extents) for extents in array.chunks)) if array.size else None

    def fingerprint(self) -> int:
        """A checksum of its name, which Dask makes of what it is computed from."""
        return zlib.crc32(self.array.name.encode())

    def _read(self, *_: Any) -> None:
        raise StoreError(f"{self.name} is a Dask array that nobody has computed.")

    def _write(self, *_: Any) -> None:
        raise StoreError(f"{self.name} is a Dask array, which cannot be written.")


def lazy_product(operation: str, a: Any, b: Any, options: dict[str, Any]) -> Any:
    """The product as a Dask array. Arrays of other libraries become Dask's; nothing is computed.

    Raises:
        ShapeError, DtypeError: the arrays do not fit.
        PlanError: an option that this does not have.
    """
    left, right = as_dask(a, "A"), as_dask(b, "B")
    is_row, is_column = left.ndim == 1 and operation != "dot", right.ndim == 1 and operation != "dot"
    if left.ndim != right.ndim and operation == "dot":
        is_row, is_column = left.ndim == 1, right.ndim == 1
    matrices = (left[None, :] if is_row else left), (right[:, None] if is_column else right)
    device, precision = options.pop("device", "auto"), options.pop("precision", "auto")
    stores = DaskStore(matrices[0], "A"), DaskStore(matrices[1], "B", is_column=True)
    asked = check_streamed(operation, *stores, None, options, runs=False)
    if device not in ("auto", "host"):
        raise PlanError(f"device is {device!r}, and a product of Dask arrays takes 'auto' or 'host'.")
    machine_of(asked, "host", precision)
    if asked.operation == "dot":
        return blockwise(asked, left[None, :], right[:, None])[0, 0]
    found = blockwise(asked, *matrices)
    return found[0 if is_row else slice(None), 0 if is_column else slice(None)] if is_row or is_column else found


def as_dask(given: Any, name: str) -> Any:
    """An array as one of Dask's."""
    import dask.array

    if is_dask(given):
        return given
    if not hasattr(given, "shape"):
        given = numpy.asarray(given)
    if not hasattr(given, "dtype") or isinstance(given, Store):
        raise DtypeError(f"{name} is of type {type(given).__qualname__}, and arrays are accepted beside Dask's.")
    from_array: Any = dask.array.from_array
    return from_array(given, chunks=getattr(given, "chunks", None) or "auto")


def blockwise(asked: Streamed, a: Any, b: Any) -> Any:
    """The product of two matrices of Dask's, with the row chunks of A and the column chunks of B."""
    import dask.array
    from dask.base import tokenize
    from dask.highlevelgraph import HighLevelGraph

    pairs = asked.operation == "reduced_matmul"
    if pairs:
        a, b = a.rechunk({0: _even(a.chunks[0])}), b.rechunk({1: _even(b.chunks[1])})
    b = b.rechunk({0: a.chunks[1]})
    result = asked.out.element
    how = (asked.sum_dtype, asked.panel_element("host").str, pairs)
    name = f"tilewright-{asked.operation}-{tokenize(a, b, how, str(result))}"
    graph: dict[Any, Any] = {}
    steps = max(1, len(a.chunks[1]))
    for row in range(len(a.chunks[0])):
        for column in range(len(b.chunks[1])):
            sums: Any = None
            for step in range(steps):
                is_last = step == steps - 1
                key = (name, row, column) if is_last else (f"{name}-sums", row, column, step)
                graph[key] = (
                    added,
                    sums,
                    (a.name, row, step),
                    (b.name, step, column),
                    how,
                    result if is_last else None,
                )
                sums = key
    chunks = [tuple(extent // (2 if pairs else 1) for extent in x) for x in (a.chunks[0], b.chunks[1])]
    made = HighLevelGraph.from_collections(name, graph, dependencies=[a, b])
    array: Any = dask.array.Array
    return array(made, name, tuple(chunks), dtype=result)


def added(sums: Array | None, a: Array, b: Array, how: tuple[str, str, bool], result: Any) -> Array:
    """``sums`` and the product of two blocks, in a new array; the last is cast to the result's type."""
    sum_dtype, panel, pairs = how
    left, right = (widened(numpy.asarray(x), name_of(x.dtype), numpy.dtype(panel)) for x in (a, b))
    if pairs:
        left, right = left[0::2] + left[1::2], right[:, 0::2] + right[:, 1::2]
    with numpy.errstate(all="ignore"):  # what overflows is infinite, and what is invalid NaN, as in a kernel
        found: Array = numpy.matmul(left, right).astype(sum_dtype, copy=False)
        if sums is not None:
            numpy.add(sums, found, out=found)
        return found if result is None else found.astype(result, copy=False)


def _even(extents: tuple[int, ...]) -> tuple[int, ...]:
    """Chunks of even extents, as near to the given ones as there are."""
    bounds, at = [], 0
    for extent in extents:
        at += extent
        bounds.append(at - at % 2)
    ends = sorted(set(bounds) - {0})
    return tuple(end - start for start, end in zip([0, *ends], ends, strict=False)) or (0,)
