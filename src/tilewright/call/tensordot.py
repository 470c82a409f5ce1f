"""`tilewright.tensordot`."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy

from tilewright.arrays.errors import ShapeError
from tilewright.arrays.foreign import by_lender
from tilewright.arrays.library_array import described
from tilewright.arrays.places import CUDA, NUMPY, TORCH
from tilewright.arrays.streams import on_stream
from tilewright.arrays.torch import namespace_of

from .contractions import through_numpy, way_of
from .door import Call, taken
from .matmul import matmul
from .numpys_protocols import asked_first
from .shapes import tensordot_shape


def tensordot(
    a: object, b: object, axes: int | Sequence[int] | Sequence[Sequence[int]] = 2, *, stream: object = None
) -> Any:
    """The sums of products over several axes at once, as the array API standard and NumPy define it.

    Args:
        a: A, an array that `tilewright.matmul` takes, with any number of axes.
        b: B, of the same library and device.
        axes: the number of axes summed over, the last ones of A with the first ones of B; or two sequences, the axes of
            A and the corresponding axes of B. 0 is the outer product, and so is less (torch's tensors take 0 or more).
        stream: for arrays on a GPU, as for matmul.

    Returns:
        An array of the inputs' library and device with the remaining axes of A, then those of B; zero-dimensional if
        none remain.

    Raises:
        ShapeError: the shapes do not fit; the message names both, and both types.
        DtypeError: the types, libraries or devices of the arrays are not accepted, or `axes` are not whole numbers.
        PlanError: a stream that cannot do this.
    """
    if stream is not None:
        with on_stream(stream, A=a, B=b):
            return _tensordot(a, b, axes)
    return _tensordot(a, b, axes)


def _tensordot(a: object, b: object, axes: object) -> Any:
    result = taken(Call(tensordot, "tensordot", a, b, {"axes": axes}))
    if result is not NotImplemented:
        return result
    library, by_matmul = way_of("tensordot", a, b)
    if library == TORCH and isinstance(axes, int) and axes < 0:
        raise ShapeError(f"axes is {axes}, and torch's tensors take 0 or more, or two sequences of axes.")
    if not by_matmul:
        result = asked_first("tensordot", a, b, axes=axes) if library == NUMPY else NotImplemented
        if result is not NotImplemented:
            return result
        return through_numpy(
            "tensordot",
            a,
            b,
            None,
            library,
            lambda left, right: tensordot_shape(left, right, axes).shape,
            lambda left, right: _on_numpy(left, right, axes),
            scalars=False,  # as NumPy has it, unlike those of its vecdot
        )
    if library == CUDA:
        return by_lender(lambda left, right, _out, _library: contract_on_gpu(left, right, axes), a, b)
    return contract_on_gpu(a, b, axes)


def contract_on_gpu(a: Any, b: Any, axes: object, precision: str = "auto") -> Any:
    """Tensordot of arrays on a GPU of a known library, as one matrix product.

    The axes summed over are merged into one, and so are the remaining axes of A and of B.
    """
    chosen = tensordot_shape(described(a), described(b), axes)
    xp = namespace_of(a)
    left = [axis for axis in range(a.ndim) if axis not in chosen.a_axes]
    right = [axis for axis in range(b.ndim) if axis not in chosen.b_axes]
    m, n = prod([a.shape[axis] for axis in left]), prod([b.shape[axis] for axis in right])
    k = prod([a.shape[axis] for axis in chosen.a_axes])
    rows = xp.reshape(xp.permute_dims(a, (*left, *chosen.a_axes)), (m, k))
    columns = xp.reshape(xp.permute_dims(b, (*chosen.b_axes, *right)), (k, n))
    shape = [*(a.shape[axis] for axis in left), *(b.shape[axis] for axis in right)]  # as what traces this records them
    return xp.reshape(matmul(rows, columns, precision=precision), tuple(shape))


def _on_numpy(a: Any, b: Any, axes: object) -> Any:
    chosen = tensordot_shape(numpy.asanyarray(a), numpy.asanyarray(b), axes)
    return numpy.tensordot(a, b, (chosen.a_axes, chosen.b_axes))
