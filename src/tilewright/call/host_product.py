"""matmul of arrays of the host beyond what NumPy does as it is: 16-bit types, an epilogue, torch's tensors.

16-bit types are multiplied and finished in float32 and rounded once, as on a GPU; NumPy itself has no bfloat16, which
comes and goes through torch or as ml_dtypes' type.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy
from numpy.typing import NDArray

from tilewright.choose.multiplication import INPUT_DTYPES

from . import arrays
from .epilogue import EpilogueNumbers, check_addend_shape, check_bias_shape, finish
from .errors import DtypeError, ShapeError
from .pipeline import multiply, runs_on_numpy
from .torch_arrays import dtype_name, is_tensor, to_numpy, to_tensor

Array = NDArray[Any]

FINISHED_IN = {"float16": "float32", "bfloat16": "float32", "float32": "float32", "float64": "float64"}
"""The types that have an epilogue, each with the one that it is computed in."""


@dataclass(frozen=True)
class HostArray:
    """An array of the host: its values as NumPy has them (bfloat16 of torch in float32), and its own type's name."""

    values: Array
    dtype: str

    @property
    def ndim(self) -> int:
        """How many dimensions it has."""
        return self.values.ndim

    @property
    def shape(self) -> tuple[int, ...]:
        """The extents."""
        return self.values.shape


def multiply_on_host(
    a: object,
    b: object,
    numbers: EpilogueNumbers,
    *,
    out: Any,
    out_dtype: object,
    addend: object,
    bias: object,
    kernel: str,
    device: str,
    tile: int | None,
) -> Any:
    """What matmul does with NumPy arrays, nested lists or torch's tensors of the host: an array of their kind."""
    left, right = host_array(a, "A"), host_array(b, "B")
    shape = arrays.check_shapes("matmul", left, right)
    given = arrays.describe(left, right)
    plain = numbers == EpilogueNumbers() and bias is None
    dtype = _dtype(left, right, as_torch=is_tensor(a))
    result_dtype = dtype if out_dtype is None else _result_dtype(arrays.type_name(out_dtype), dtype, given)
    if dtype not in FINISHED_IN and not plain:
        raise DtypeError(f"alpha, beta, bias and activation go with {', '.join(FINISHED_IN)}, but {given}.")
    added, shifted = None, None
    if addend is not None:
        added = host_array(addend, "c")
        check_addend_shape(added.shape, shape, given)
    if bias is not None:
        shifted = host_array(bias, "bias")
        check_bias_shape(shifted.shape, right.shape[-1] if right.ndim > 1 else 1, given)
    for name, array in (("c", added), ("bias", shifted)):
        if array is not None and array.dtype not in FINISHED_IN:
            raise DtypeError(
                f"{name} is {array.shape} {array.dtype}, and {', '.join(FINISHED_IN)} are accepted; {given}."
            )
    result_type = None if is_tensor(a) else _numpy_type(result_dtype, left.values, right.values)
    _check_out(out, shape, result_dtype, result_type)

    operands = [left.values, right.values]
    if dtype in INPUT_DTYPES:
        if not runs_on_numpy(kernel, device):
            raise arrays.unaccepted_by_kernels("matmul", left, right)
        operands = [values.astype(numpy.float32, copy=False) for values in operands]
    product = numpy.asarray(multiply("matmul", *operands, kernel=kernel, device=device, tile=tile, out=None))
    if not plain:
        along = None if shifted is None else shifted.values if right.ndim > 1 else shifted.values[0]
        product = finish(product, numbers, None if added is None else added.values, along)
    if result_type is None:
        tensor = to_tensor(product, result_dtype)
        return tensor if out is None else out.copy_(tensor)
    with numpy.errstate(over="ignore"):  # a sum beyond float16 is infinite, as on a GPU
        return arrays.deliver(product.astype(result_type, copy=False), out)


def host_array(given: object, name: str) -> HostArray:
    """An array of the host, of whatever kind. Raises DtypeError or ShapeError for what is none."""
    if is_tensor(given):
        return HostArray(to_numpy(given, name), dtype_name(given.dtype))  # type: ignore[attr-defined]
    values = arrays.as_operand(given, name)
    return HostArray(values, values.dtype.name)


def _dtype(a: HostArray, b: HostArray, *, as_torch: bool) -> str:
    """The result's type: torch's tensors have one, NumPy's rules promote two."""
    if as_torch:
        if a.dtype != b.dtype:
            raise DtypeError(f"matmul takes two tensors of one type, but {arrays.describe(a, b)}.")
        return a.dtype
    if "bfloat16" in {a.dtype, b.dtype}:
        return numpy.result_type(a.values, b.values).name
    return arrays.host_dtype("matmul", a.values, b.values).name


def _result_dtype(asked: str, dtype: str, given: str) -> str:
    accepted = (dtype, "float32") if dtype in INPUT_DTYPES else (dtype,)
    if asked not in accepted:
        raise DtypeError(f"out_dtype is {asked}, and {' or '.join(accepted)} is accepted; {given}.")
    return asked


def _check_out(out: Any, shape: tuple[int, ...], dtype: str, numpy_type: numpy.dtype[Any] | None) -> None:
    if numpy_type is not None:
        arrays.check_out(out, shape, numpy_type)
        return
    if out is None:
        return
    given = f"out is {tuple(out.shape)} {dtype_name(out.dtype)}"
    if tuple(out.shape) != shape:
        raise ShapeError(f"{given}, but the result is {shape} {dtype}; the shapes must be equal.")
    if dtype_name(out.dtype) != dtype:
        raise DtypeError(f"{given}, and {dtype}, the result's type, is accepted.")


def _numpy_type(dtype: str, *operands: Array) -> numpy.dtype[Any]:
    """NumPy's type of that name: an operand's own for bfloat16, which NumPy itself does not have."""
    known = [operand.dtype for operand in operands if operand.dtype.name == dtype]
    return known[0].newbyteorder("=") if known else numpy.dtype(dtype)
