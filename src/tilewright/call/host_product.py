"""matmul of arrays of the host beyond what NumPy does as it is: 16-bit types, an epilogue, other libraries' arrays.

16-bit types are multiplied and finished in float32 and rounded once, as on a GPU.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy
from numpy.typing import NDArray

from tilewright.arrays.errors import DtypeError, describe
from tilewright.arrays.host_array import (
    HostArray,
    as_subclass,
    check_out,
    computed_in,
    deliver,
    host_array,
    in_type,
    result_dtype,
)
from tilewright.arrays.numpy import type_name
from tilewright.arrays.places import NUMPY
from tilewright.choose.plan import Tile
from tilewright.kernels.problem import INPUT_DTYPES

from .epilogue import EpilogueNumbers, check_addend_shape, check_bias_shape, finish
from .kernel_product import kernel_type, multiply_by_kernel
from .pipeline import machine_name, multiply, runs_on_numpy
from .shapes import check_shapes
from .trip import goes_as_asked

Array = NDArray[Any]

FINISHED_IN = {"float16": "float32", "bfloat16": "float32", "float32": "float32", "float64": "float64"}
"""The types that have an epilogue, each with the one that it is computed in."""


@dataclass(frozen=True)
class AskedOnHost:
    """A product of the host's arrays with all of it checked: ``dtype`` is A B's, ``out_dtype`` the result's."""

    a: HostArray
    b: HostArray
    dtype: str
    out_dtype: str
    addend: HostArray | None
    bias: HostArray | None


def multiply_on_host(
    a: object,
    b: object,
    library: str,
    numbers: EpilogueNumbers,
    *,
    out: Any,
    out_dtype: object,
    addend: object,
    bias: object,
    kernel: str,
    device: str,
    tile: Tile | None,
) -> Any:
    """What matmul does with arrays of a library on the host: an array of that library, or `out`."""
    asked = check_on_host(a, b, library, numbers, out=out, out_dtype=out_dtype, addend=addend, bias=bias)
    left, right, dtype = asked.a, asked.b, asked.dtype
    operands = [left.values, right.values]
    to_gpu = goes_as_asked("matmul", kernel, device, tile)
    if dtype in INPUT_DTYPES and not (to_gpu or runs_on_numpy(kernel, device)):
        kernel_type("matmul", left, right, kernel)
        shape = check_shapes("matmul", left, right)
        machine = machine_name(device, kernel)
        product = multiply_by_kernel("matmul", left.values, right.values, dtype, shape, machine, kernel, tile)
        return _finished(product, asked, numbers, library, out)
    if not (to_gpu and all(values.dtype.name == dtype for values in operands)) and (
        dtype in INPUT_DTYPES or library != NUMPY
    ):
        operands = [in_type(values, computed_in(dtype)) for values in operands]
    product = numpy.asarray(multiply("matmul", *operands, kernel=kernel, device=device, tile=tile, out=None))
    return _finished(product, asked, numbers, library, out)


def _finished(product: Array, asked: AskedOnHost, numbers: EpilogueNumbers, library: str, out: Any) -> Any:
    left, right = asked.a, asked.b
    if numbers != EpilogueNumbers() or asked.bias is not None:
        along = None if asked.bias is None else asked.bias.values if right.ndim > 1 else asked.bias.values[0]
        product = finish(product, numbers, None if asked.addend is None else asked.addend.values, along)
    if library == NUMPY and out is None:
        product = as_subclass(product, left, right)
    return deliver(product, asked.out_dtype, left, right, library, out)


def check_on_host(
    a: object,
    b: object,
    library: str,
    numbers: EpilogueNumbers,
    *,
    out: Any,
    out_dtype: object,
    addend: object,
    bias: object,
) -> AskedOnHost:
    """Look at the arrays and types that were given, and compute nothing.

    Raises:
        ShapeError, DtypeError, ValueError: as `tilewright.matmul`.
    """
    left, right = host_array(a, "A", library), host_array(b, "B", library)
    shape = check_shapes("matmul", left, right)
    given = describe(left, right)
    plain = numbers == EpilogueNumbers() and bias is None
    dtype = result_dtype("matmul", left, right, library)
    asked_dtype = dtype if out_dtype is None else _asked_dtype(type_name(out_dtype), dtype, given)
    if dtype not in FINISHED_IN and not plain:
        raise DtypeError(f"alpha, beta, bias and activation go with {', '.join(FINISHED_IN)}, but {given}.")
    added, shifted = None, None
    if addend is not None:
        added = host_array(addend, "c", library)
        check_addend_shape(added.shape, shape, given)
    if bias is not None:
        shifted = host_array(bias, "bias", library)
        check_bias_shape(shifted.shape, right.shape[-1] if right.ndim > 1 else 1, given)
    for name, array in (("c", added), ("bias", shifted)):
        if array is not None and array.dtype not in FINISHED_IN and array.values.dtype.kind not in "biu":
            raise DtypeError(
                f"{name} is {array.shape} {array.dtype}, and {', '.join(FINISHED_IN)}, integers and bool are accepted; "
                f"{given}."
            )
    check_out(out, library, shape, asked_dtype, left, right)
    return AskedOnHost(left, right, dtype, asked_dtype, added, shifted)


def _asked_dtype(asked: str, dtype: str, given: str) -> str:
    accepted = (dtype, "float32") if dtype in INPUT_DTYPES else (dtype,)
    if asked not in accepted:
        raise DtypeError(f"out_dtype is {asked}, and {' or '.join(accepted)} is accepted; {given}.")
    return asked
