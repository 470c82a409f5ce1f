"""A product that streams, with all arguments checked: what is read, what is written, and in which types."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy

from tilewright.arrays.errors import DtypeError, ShapeError, describe, described
from tilewright.arrays.numpy import name_of
from tilewright.arrays.stores.memory import ArrayStore
from tilewright.arrays.stores.opened import store_of
from tilewright.arrays.stores.store import Store
from tilewright.call.free_memory import free_memory_bytes
from tilewright.call.shapes import check_shapes
from tilewright.choose import PlanError
from tilewright.choose.quantities import in_words
from tilewright.choose.streamed import StreamedMatrix, StreamedProblem
from tilewright.kernels.operand import DTYPE_BYTES
from tilewright.kernels.problem import INPUT_DTYPES

UNITS = {"": 0, "K": 10, "M": 20, "G": 30, "T": 40}
DECIMAL = {"KB": 3, "MB": 6, "GB": 9, "TB": 12, "B": 0}


@dataclass(frozen=True)
class Streamed:
    """Stores, and types by name: ``dtype`` of the panels, ``sum_dtype`` of C's tile, ``out`` where the result goes.

    ``result`` is what the caller gets, for which this call takes ``result_bytes``.
    """

    operation: str
    a: Store
    b: Store
    out: Store
    result: Any
    dtype: str
    sum_dtype: str
    result_bytes: int = 0

    def limit(self, given: object) -> int:
        """What is left of a memory limit for tiles and panels. Raises PlanError if the result takes all of it."""
        limit = limit_bytes(given)
        if self.result_bytes >= limit:
            raise PlanError(
                f"memory_limit is {in_words(limit)}, and the result takes {in_words(self.result_bytes)} of memory; "
                "give an out on the disk, or allow more."
            )
        return limit - self.result_bytes

    def problem(self, machine: str, gpus: int = 1) -> StreamedProblem:
        """What is planned, for so many GPUs if the machine is "gpu"."""
        panel = self.panel_element(machine)
        return StreamedProblem(
            self.operation,
            matrix_of(self.a),
            matrix_of(self.b),
            matrix_of(self.out, written=True),
            self.dtype,
            panel.itemsize,
            numpy.dtype(self.sum_dtype).itemsize,
            casts=self.operation == "reduced_matmul" or not self.a.element == self.b.element == panel,
            machine=machine,
            is_one_type=self.a.dtype == self.out.dtype and self.a.element == self.out.element == panel,
            gpus=gpus,
        )

    def panel_element(self, machine: str) -> numpy.dtype[Any]:
        """NumPy's type of a panel: a GPU multiplies 16-bit types as they are, the host in float32."""
        is_own = self.a.dtype == self.b.dtype == self.dtype and self.operation != "reduced_matmul"
        if machine == "gpu" and self.dtype in INPUT_DTYPES and is_own and self.a.element == self.b.element:
            return self.a.element
        return numpy.dtype("float64" if self.dtype == "float64" else self._computed_in())

    def _computed_in(self) -> str:
        return "float32" if self.dtype in INPUT_DTYPES else self.dtype


def check_streamed(
    operation: str, a: object, b: object, out: object, options: dict[str, Any], *, runs: bool = True
) -> Streamed:
    """Check what was given, and read nothing. Without an ``out``, memory for the result is taken only if it ``runs``.

    Raises:
        ShapeError, DtypeError, ValueError: the arrays do not fit the product, or ``out`` cannot take its result.
        PlanError: options that a product that streams does not have.
        StoreError: an array cannot be opened.
    """
    check_plain(options)
    is_dot = operation == "dot"
    left, right = store_of(a, "A"), store_of(b, "B", is_column=True)
    if left.ndim == right.ndim == 2:
        operation = "matmul" if is_dot else operation
    elif not (is_dot and left.ndim == right.ndim == 1):
        raise ShapeError(
            f"{operation} of stored arrays takes matrices A (m, k) and B (k, n){' or two vectors' if is_dot else ''}, "
            f"but {_given(left, right)}."
        )
    shape = check_shapes(operation, _Shape(left), _Shape(right))
    dtype = _result_dtype(operation, left, right)
    sums = "float32" if dtype in INPUT_DTYPES else dtype
    if operation == "dot" and sums == "float32":
        sums = "float64"  # one number a panel
    two = (shape[0], shape[1]) if shape else (1, 1)
    if out is None:
        element = _numpy_type(dtype, left, right)
        result: Any = numpy.empty(two, element) if runs else numpy.broadcast_to(numpy.empty((), element), two)
        target: Store = ArrayStore(result, "out")
        result = result if shape else result.reshape(())
    else:
        result = out
        target = _checked_out(operation, out, shape, two, dtype, left, right)
    return Streamed(operation, left, right, target, result, dtype, sums, target.nbytes if out is None else 0)


def check_plain(options: dict[str, Any]) -> None:
    """Refuse options that a product that streams does not have. Raises PlanError."""
    plain = {
        "out_dtype": None, "alpha": 1, "beta": 0, "c": None, "bias": None, "activation": None, "tile": None,
        "stream": None, "constant": None, "dtype": None,
    }  # fmt: skip
    for name, given in options.items():
        if name in plain and given is not plain[name] and not (plain[name] in (0, 1) and given == plain[name]):
            raise PlanError(f"A product that streams takes no {name}, which was given; leave it out.")
    if options.get("kernel", "auto") not in {"auto", "numpy"}:
        raise PlanError(f"A product that streams chooses its kernel, so kernel = {options['kernel']!r} cannot be used.")


def limit_bytes(given: object) -> int:
    """A memory limit in bytes: a number of them, or text such as "4GiB" or "500 MB"; None is half of what is free.

    Raises:
        PlanError: it is something else.
    """
    if given is None:
        free = free_memory_bytes()
        return 2**30 if free is None else max(free // 2, 2**20)
    if isinstance(given, int) and not isinstance(given, bool) and given > 0:
        return given
    if isinstance(given, str):
        match = re.fullmatch(r"(\d{1,12}(?:\.\d{1,6})?) ?([A-Za-z]{0,3})", given.strip())
        if match:
            number, unit = float(match[1]), match[2].upper()
            if unit in DECIMAL:
                found = int(number * 10 ** DECIMAL[unit])
            else:
                found = int(number * 2 ** UNITS[unit[:1]]) if unit[:1] in UNITS and unit[1:] in {"", "IB"} else 0
            if found > 0:
                return found
    raise PlanError(f"memory_limit is {described(given)}, and a number of bytes or a size such as '4GiB' is accepted.")


def matrix_of(store: Store, *, written: bool = False) -> StreamedMatrix:
    """What a plan knows of a stored matrix."""
    chunks = store.written_chunks if written else store.chunks
    return StreamedMatrix(store.shape, store.dtype, store.element.itemsize, chunks, store.decoded_at_once, store.kind)


def _result_dtype(operation: str, a: Store, b: Store) -> str:
    if a.dtype == b.dtype:
        if a.element.kind == "b":
            raise DtypeError(f"{operation} of stored arrays takes numbers, but {_given(a, b)}.")
        return a.dtype
    if "bfloat16" in (a.dtype, b.dtype):
        other = a.dtype if b.dtype == "bfloat16" else b.dtype
        if other not in DTYPE_BYTES:
            raise DtypeError(f"{operation} of stored arrays takes floats beside bfloat16, but {_given(a, b)}.")
        return "float64" if other == "float64" else "float32"
    return name_of(numpy.result_type(a.element, b.element))


def _checked_out(
    operation: str, out: object, shape: tuple[int, ...], two: tuple[int, int], dtype: str, a: Store, b: Store
) -> Store:
    if shape == () and isinstance(out, numpy.ndarray) and out.shape == ():
        target: Store = store_of(out.reshape(1), "out")
    elif isinstance(out, list | tuple | int | float):
        raise DtypeError(f"out is a {type(out).__qualname__}, and an array that can be written is accepted.")
    else:
        target = store_of(out, "out")
    if target.shape != two or (not shape) != (getattr(out, "shape", None) == ()):
        raise ShapeError(
            f"out is {getattr(out, 'shape', None)} {target.dtype}, but the result is {shape} {dtype}; the shapes must "
            "be equal."
        )
    if not getattr(target, "is_writable", True):
        raise ValueError(f"{target.shown} is {target.shape} {target.dtype} and read-only.")
    if not _is_cast(dtype, target):
        raise DtypeError(
            f"{target.shown} is {target.shape} {target.dtype}, which cannot hold the {dtype} of {operation}."
        )
    for operand in (a, b):
        if _is_same(operand, target):
            raise PlanError(f"{operand.shown} and {target.shown} are one array; a product that streams needs another.")
    return target


def _is_cast(dtype: str, out: Store) -> bool:
    if dtype == out.dtype:
        return True
    if "bfloat16" in (dtype, out.dtype):
        return (out.dtype if dtype == "bfloat16" else dtype) in DTYPE_BYTES
    return numpy.can_cast(numpy.dtype(dtype), out.element, "same_kind")


def _is_same(a: Store, out: Store) -> bool:
    where = a.location()
    if where is not None and out.location() is not None:
        return where == out.location() or (a.kind == "memmap" and out.kind == "memmap" and _overlap(a, out))
    values, target = getattr(a, "values", None), getattr(out, "values", None)
    return values is not None and target is not None and numpy.may_share_memory(values, target)


def _overlap(a: Store, out: Store) -> bool:
    spans = []
    for store in (a, out):
        where = store.location() or {}
        item = store.element.itemsize
        last = sum((n - 1) * stride for n, stride in zip(where["shape"], where["strides"], strict=True))
        spans.append((where["offset"], where["offset"] + last + item))
    (first, end), (other, other_end) = spans
    assert a.path is not None
    assert out.path is not None
    return a.path.samefile(out.path) and first < other_end and other < end


def _numpy_type(dtype: str, a: Store, b: Store) -> numpy.dtype[Any]:
    for store in (a, b):
        if store.dtype == dtype == "bfloat16" and store.element.kind == "V":
            return store.element
    if dtype == "bfloat16":
        raise DtypeError("NumPy has no bfloat16 for the result; give an out.")
    return numpy.dtype(dtype)


class _Shape:
    """What messages say of a store."""

    def __init__(self, store: Store) -> None:
        both = store.shape
        self.shape = both if store.ndim == 2 else (both[0] * both[1],)
        self.ndim, self.dtype = store.ndim, store.dtype


def _given(a: Store, b: Store) -> str:
    return describe(_Shape(a), _Shape(b))
