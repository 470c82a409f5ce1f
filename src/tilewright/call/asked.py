"""A request for a product of arrays on a GPU, fully checked. Invalid requests are refused here."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from tilewright.arrays.cuda_array import CudaArray, Shape, alignment_bytes, unaccepted_type
from tilewright.arrays.errors import DtypeError, ShapeError, describe
from tilewright.arrays.memory import DeviceMemory
from tilewright.arrays.numpy import type_name
from tilewright.arrays.overlap import check_places
from tilewright.choose import PlanError
from tilewright.choose.plan import Tile
from tilewright.kernels.operand import DTYPE_BYTES, unaligned
from tilewright.kernels.precision import precision_of
from tilewright.kernels.problem import RESULT_DTYPES

from .arguments import check_device, check_kernel_name, check_precision, checked_tile
from .epilogue import PLAIN, EpilogueNumbers, check_bias_shape, check_c_operand_shape, check_epilogue, check_out_dtype
from .shapes import check_shapes


@dataclass(frozen=True)
class Asked:
    """A checked request for a product: the operation and its operands, and where the result goes.

    ``shape`` is the result's. ``c_operand`` is None where beta is 0. ``axes``: those of A and of B that products of
    vectors are summed over; None for a matrix product. ``invariant``: a row's bits do not depend on the other rows.
    """

    a: CudaArray
    b: CudaArray
    shape: Shape
    out_dtype: str
    numbers: EpilogueNumbers
    c_operand: CudaArray | None
    bias: CudaArray | None
    out: CudaArray | None
    kernel: str
    tile: Tile | None
    precision: str | None = None
    operation: str = "matmul"
    axes: tuple[int, int] | None = None
    invariant: bool = False

    @cached_property
    def inputs(self) -> tuple[CudaArray, ...]:
        """The arrays that are read."""
        return tuple(array for array in (self.a, self.b, self.c_operand, self.bias) if array is not None)

    @property
    def can_be_written_at_once(self) -> bool:
        """Whether `out` can be written while the inputs are read.

        It may be c itself, since each element of c is read before it is overwritten.
        """
        out = self.out
        if out is None or not out.is_one_place_each:
            return False
        others = [array for array in self.inputs if array is not self.c_operand or not array.lies_as(out)]
        return not any(out.overlaps(array) for array in others)


def check(
    a: object,
    b: object,
    out: object,
    place: DeviceMemory,
    *,
    out_dtype: object = None,
    alpha: object = 1,
    beta: object = 0,
    c: object = None,
    bias: object = None,
    activation: object = None,
    kernel: object = "auto",
    tile: object = None,
    device: object = "auto",
    precision: object = "auto",
    operation: str = "matmul",
    invariant: bool = False,
) -> Asked:
    """Check all arguments and return the request, for ``operation`` "matmul" or "reduced_matmul"."""
    if check_device(device) not in {"auto", "gpu"}:
        raise PlanError(
            f"The arrays are on a GPU, where device is 'auto' or 'gpu', not {device!r}; copy them back first."
        )
    numbers = check_epilogue(alpha, beta, c, activation)
    name, one_or_two = check_kernel_name(kernel), checked_tile(tile)
    left, right = place.describe(a, "A"), place.describe(b, "B")
    for operand, array in (("A", left), ("B", right)):
        if array.dtype not in DTYPE_BYTES:
            raise unaccepted_type(operand, array.shape, array.dtype)
    shape = check_shapes(operation, left, right)
    given = describe(left, right)
    if left.dtype != right.dtype:
        raise DtypeError(f"{operation} takes two arrays of one type on a GPU, but {given}.")
    how = precision_of(left.dtype, check_precision(precision))
    dtype = check_out_dtype(out_dtype, left.dtype, given)
    columns = shape[-1] if len(right.shape) > 1 else 1
    c_operand = bias_array = target = None
    if c is not None:
        c_operand = place.describe(c, "c")
        check_c_operand_shape(c_operand.shape, shape, given)
        _check_dtype("c", c_operand, dtype, given)
    if bias is not None:
        bias_array = place.describe(bias, "bias")
        check_bias_shape(bias_array.shape, columns, given)
        _check_dtype("bias", bias_array, dtype, given)
        _check_alignment("bias", bias_array)
    if out is not None:
        target = _check_out(out, place, shape, dtype, given)
    _check_one_device(A=left, B=right, c=c_operand, bias=bias_array, out=target)
    if numbers.beta == 0:
        c_operand = None
    to = numbers, c_operand, bias_array, target
    return Asked(left, right, shape, dtype, *to, name, one_or_two, how, operation, invariant=invariant)


def check_vectors(
    a: object, b: object, out: object, place: DeviceMemory, axes: tuple[int, int], shape: Shape, out_dtype: object
) -> Asked:
    """Check products of vectors along one axis of A and one of B, whose shapes fit, and return the request."""
    left, right = place.describe(a, "A"), place.describe(b, "B")
    given, target = describe(left, right), None
    if left.dtype != right.dtype:
        raise DtypeError(f"A product of vectors takes two arrays of one type on a GPU, but {given}.")
    dtype = check_sum_dtype(out_dtype, left.dtype, given)
    if out is not None:
        target = _check_out(out, place, shape, dtype, given)
    _check_one_device(A=left, B=right, out=target)
    return Asked(left, right, shape, dtype, PLAIN, None, None, target, "auto", None, axes=axes)


def check_sum_dtype(asked: object, dtype: str, given: str) -> str:
    """The type of a sum of products: that of A and B, or a wider one that was asked for.

    Raises:
        DtypeError: the sums have no such type.
    """
    name = dtype if asked is None else type_name(asked)
    accepted = RESULT_DTYPES.get(("dot", dtype), (dtype,))
    if name not in accepted:
        raise DtypeError(f"dtype is {name}, and sums in {' or '.join(accepted)} are accepted; {given}.")
    return name


def _check_out(out: object, place: DeviceMemory, shape: Shape, dtype: str, given: str) -> CudaArray:
    target = place.describe(out, "out")
    if target.shape != shape:
        raise ShapeError(
            f"out is {target.shape} {target.dtype}, but the result is {shape} {dtype}; the shapes must be equal."
        )
    _check_dtype("out", target, dtype, given)
    if not target.writable:
        raise ValueError(f"out is {target.shape} {target.dtype} and read-only.")
    check_places(target.shape, target.strides, target.dtype)
    return target


def _check_dtype(name: str, array: CudaArray, dtype: str, given: str) -> None:
    if array.dtype != dtype:
        raise DtypeError(
            f"{name} is {array.shape} {array.dtype}, and {dtype}, the result's type, is accepted; {given}."
        )


def _check_alignment(name: str, array: CudaArray) -> None:
    """Check the alignment of a vector; matrices are checked by plans."""
    alignment, size = alignment_bytes(array.address), DTYPE_BYTES[array.dtype]
    if alignment < size and 0 not in array.shape:
        raise PlanError(unaligned(name, alignment, size))


def _check_one_device(**given: CudaArray | None) -> None:
    places = {name: array.device for name, array in given.items() if array is not None and 0 not in array.shape}
    if len(set(places.values())) > 1:
        where = ", ".join(f"{name} is on GPU {device}" for name, device in places.items())
        raise DtypeError(f"All arrays must be on one device, but {where}.")
