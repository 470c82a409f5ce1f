"""Products of host arrays: checked once, then computed by NumPy, on a GPU and back, or by a kernel asked for by name.

16-bit types are multiplied and finished in float32 and rounded once, as on a GPU.
"""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any

import numpy
from numpy.typing import NDArray

from tilewright.arrays.errors import DtypeError, describe, unmultipliable
from tilewright.arrays.host_array import (
    HostArray,
    as_subclass,
    computed_in,
    host_array,
    in_type,
    is_16_bit,
    result_dtype,
)
from tilewright.arrays.host_array import check_out as check_library_out
from tilewright.arrays.host_array import deliver as deliver_to_library
from tilewright.arrays.numpy import as_operand, check_out, deliver, host_dtype, kernel_dtype
from tilewright.arrays.places import NUMPY
from tilewright.choose import PlanError, named_kernel
from tilewright.kernels.operand import DTYPE_BYTES
from tilewright.kernels.precision import precision_of
from tilewright.kernels.problem import INPUT_DTYPES

from . import trip, trip_rates
from .epilogue import (
    PLAIN,
    EpilogueNumbers,
    check_bias_shape,
    check_c_operand_shape,
    check_epilogue,
    check_has_epilogue,
    check_out_dtype,
    finish,
)
from .kernel_product import kernel_type, multiply_by_kernel
from .repeated_product import Options
from .shapes import check_shapes
from .way import Way, check_way

Array = NDArray[Any]


@dataclass(frozen=True)
class AskedOnHost:
    """A product of the host's arrays with all of it checked: ``dtype`` is A B's, ``out_dtype`` the result's."""

    a: HostArray
    b: HostArray
    shape: tuple[int, ...]
    dtype: str
    out_dtype: str
    c_operand: HostArray | None
    bias: HostArray | None


def multiply_on_host(
    a: object,
    b: object,
    c: object,
    bias: object,
    out: object,
    library: str,
    options: Options,
    operation: str = "matmul",
) -> Any:
    """Multiply a library's host arrays. Returns an array of that library, or `out`.

    ``options`` are those of `tilewright.matmul`, in the order of OPTIONS; ``operation`` may be "reduced_matmul".

    Raises:
        ShapeError, DtypeError, PlanError, ValueError: as `tilewright.matmul` does, before anything runs.
        DeviceUnavailableError, MachineError: the machine cannot be used, or fails.
    """
    out_dtype, alpha, beta, activation, kernel, tile, device, precision = options
    numbers = check_epilogue(alpha, beta, c, activation)
    way = check_way(operation, kernel, device, tile, precision)
    plain = numbers == PLAIN and c is None and bias is None and out_dtype is None
    if library == NUMPY and plain and not is_16_bit(a, b):
        return multiply(operation, a, b, way, out)
    given = {"out": out, "out_dtype": out_dtype, "c_operand": c, "bias": bias}
    asked = check_on_host(a, b, library, numbers, operation=operation, **given)
    left, right, dtype = asked.a, asked.b, asked.dtype
    precision_of(dtype, way.precision)
    x, y = left.values, right.values
    if dtype in INPUT_DTYPES and not (way.to_gpu or way.by_numpy):
        kernel_type(operation, left, right, way.kernel)
        product = multiply_by_kernel(operation, x, y, dtype, asked.shape, way)
        return finished(product, asked, numbers, library, out)
    is_sent = way.to_gpu and x.dtype.name == y.dtype.name == dtype
    if not is_sent and (dtype in INPUT_DTYPES or library != NUMPY):
        x, y = in_type(x, computed_in(dtype)), in_type(y, computed_in(dtype))
    with errors_of(library):
        product = numpy.asarray(compute(operation, x, y, way, shape=asked.shape))
        return finished(product, asked, numbers, library, out)


def errors_of(library: str) -> AbstractContextManager[Any]:
    """A context for computing a library's arrays: what NumPy warns of or raises concerns NumPy's arrays alone."""
    return nullcontext() if library == NUMPY else numpy.errstate(all="ignore")


def runs_in_16_bits(operation: str, a: object, b: object, library: str, way: Way) -> bool:
    """Whether host arrays are of one 16-bit type, and a kernel that was asked for multiplies it."""
    left, right = host_array(a, "A", library), host_array(b, "B", library)
    known = named_kernel(operation, way.kernel)
    own = left.dtype in INPUT_DTYPES and (known is None or left.dtype in known.since)
    return own and left.dtype == right.dtype and not way.by_numpy


def multiply(operation: str, a: object, b: object, way: Way, out: object) -> Any:
    """Apply matmul, reduced_matmul or dot to NumPy's arrays and lists. Returns a NumPy array, or `out`."""
    left, right = as_operand(a, "A"), as_operand(b, "B")
    if way.by_numpy:  # which knows what to do with a subclass of its arrays
        left, right = (given if isinstance(given, numpy.ndarray) else x for given, x in ((a, left), (b, right)))
    return compute(operation, left, right, way, out)


def compute(
    operation: str, a: Array, b: Array, way: Way, out: object = None, *, shape: tuple[int, ...] | None = None
) -> Any:
    """The product of NumPy's arrays; everything is checked before anything runs, but a ``shape`` that is given.

    Raises:
        ShapeError, DtypeError, PlanError, ValueError: the arrays do not fit the operation, the kernel or `out`.
        DeviceUnavailableError, MachineError: the machine cannot be used, or fails.
    """
    shape = check_shapes(operation, a, b) if shape is None else shape
    core_count = _core_count(operation, a, b)
    if way.by_numpy:
        if way.tile is not None:
            raise PlanError(
                f"NumPy has no tile to set, so tile = {way.tile} cannot be used; leave it out or name a kernel."
            )
        dtype, product = host_dtype(operation, a, b), None
        precision_of(dtype.name, way.precision)
        target = check_out(out, shape, dtype, operation, core_count)
        if way.is_free and operation == "matmul":
            product = trip_rates.multiply_if_it_pays(a, b, dtype, shape, way.precision)
        return deliver(_by_numpy(operation, a, b, target) if product is None else product, target)
    if way.to_gpu:
        left, right, dtype = trip.operands(a, b)
        target = check_out(out, shape, dtype, operation, core_count)
        return deliver(trip.multiply(left, right, shape, way.precision), target)
    dtype = kernel_dtype(operation, a, b)
    target = check_out(out, shape, dtype, operation, core_count)
    return deliver(multiply_by_kernel(operation, a, b, dtype.name, shape, way), target)


def _core_count(operation: str, a: Array | HostArray, b: Array | HostArray) -> int | None:
    """How many axes of the result are the matrices' own, where NumPy broadcasts along the others; else None."""
    return (a.ndim > 1) + (b.ndim > 1) if operation == "matmul" else None


def _by_numpy(operation: str, a: Array, b: Array, out: Array | None) -> Array:
    from tilewright.launch import host

    try:
        return (host.matmul if operation == "matmul" else host.reduced_matmul)(a, b, out)
    except TypeError as error:
        if numpy.dtype(object) not in (a.dtype, b.dtype):
            raise
        raise unmultipliable(operation, a, b) from error  # their elements tell only when they are multiplied


def finished(product: Array, asked: AskedOnHost, numbers: EpilogueNumbers, library: str, out: object) -> Any:
    """The result for the caller, of a product A B that is summed: the epilogue, the type and the library."""
    left, right = asked.a, asked.b
    if numbers != PLAIN or asked.bias is not None:
        along = None if asked.bias is None else asked.bias.values if right.ndim > 1 else asked.bias.values[0]
        product = finish(product, numbers, None if asked.c_operand is None else asked.c_operand.values, along)
    if library == NUMPY and out is None:
        product = as_subclass(product, left, right)
    return deliver_to_library(product, asked.out_dtype, left, right, library, out, asked.c_operand, asked.bias)


def check_on_host(
    a: object,
    b: object,
    library: str,
    numbers: EpilogueNumbers,
    *,
    out: object,
    out_dtype: object,
    c_operand: object,
    bias: object,
    operation: str = "matmul",
) -> AskedOnHost:
    """Look at the arrays and types that were given, and compute nothing.

    Raises:
        ShapeError, DtypeError, ValueError: as `tilewright.matmul`.
    """
    left, right = host_array(a, "A", library), host_array(b, "B", library)
    shape = check_shapes(operation, left, right)
    given = describe(left, right)
    dtype = result_dtype(operation, left, right, library)
    asked_dtype = check_out_dtype(out_dtype, dtype, given)
    check_has_epilogue(dtype, numbers, bias, given)
    added, shifted = None, None
    if c_operand is not None:
        added = host_array(c_operand, "c", library)
        check_c_operand_shape(added.shape, shape, given)
    if bias is not None:
        shifted = host_array(bias, "bias", library)
        check_bias_shape(shifted.shape, right.shape[-1] if right.ndim > 1 else 1, given)
    for name, array in (("c", added), ("bias", shifted)):
        if array is not None and array.dtype not in DTYPE_BYTES and array.values.dtype.kind not in "biu":
            raise DtypeError(
                f"{name} is {array.shape} {array.dtype}, and {', '.join(DTYPE_BYTES)}, integers and bool are accepted; "
                f"{given}."
            )
    core_count = _core_count(operation, left, right)
    check_library_out(out, library, shape, asked_dtype, left, right, operation=operation, core_count=core_count)
    return AskedOnHost(left, right, shape, dtype, asked_dtype, added, shifted)
