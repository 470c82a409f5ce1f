"""`matmul(..., invariant=True)`: a row of C has the same bits however many other rows there are.

On a GPU the kernel and the splits of k follow from k, n, the types and the chip (kernels/invariant.py). On the host
each row is multiplied alone, in calls of the BLAS that have one shape: its kernels differ from shape to shape, and in
products of blocks of rows even with a row's place in its block.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy
from numpy.typing import NDArray

from tilewright.arrays.errors import DtypeError, describe, described
from tilewright.arrays.host_array import computed_in, in_type
from tilewright.arrays.jax import is_traced_by_jax
from tilewright.arrays.library_array import described as described_array
from tilewright.arrays.library_array import has_kernel
from tilewright.arrays.places import place_of
from tilewright.arrays.stores.opened import STORED_NAMES, is_stored
from tilewright.arrays.streams import on_stream
from tilewright.arrays.torch_modes import are_distributed, is_overridden, is_traced, needs_operator
from tilewright.choose import PlanError
from tilewright.kernels.operand import DTYPE_BYTES
from tilewright.kernels.precision import precision_of

from .cuda_product import multiply_on_gpu
from .epilogue import check_epilogue
from .host_product import check_on_host, errors_of, finished
from .repeated_product import Options, again, options_of
from .way import NOT_ASKED, check_way

Array = NDArray[Any]


def multiply_invariant(
    a: object,
    b: object,
    c: object,
    bias: object,
    out: object,
    options: Options,
    stream: object,
    invariant: object,
    **others: object,
) -> Any:
    """The product, with rows that do not depend on each other.

    ``options`` are those of `tilewright.matmul`, in the order of OPTIONS; ``others`` are those that do not go with it.

    Raises:
        PlanError: `invariant` is no bool, or goes with no such option, kernel or machine.
        DtypeError: a type, or arrays of which a library records or compiles what is done with them.
        ShapeError, ValueError, OutOfMemoryError and others: as `tilewright.matmul`.
    """
    checked_invariant(invariant)
    for name, value in others.items():
        if value is not None and value is not False:
            raise PlanError(f"invariant=True does not go with {name}: leave one of them out.")
    if type(a).__name__ in STORED_NAMES or is_stored(a, b, out):
        raise PlanError("invariant=True is for arrays in memory, and these are stored: read them first.")
    if stream is not None:
        with on_stream(stream, A=a, B=b, out=out, c=c, bias=bias):
            return _multiplied(a, b, c, bias, out, options)
    return _multiplied(a, b, c, bias, out, options)


def checked_invariant(given: object) -> bool:
    """Whether it was asked for. Raises PlanError for anything but True and False."""
    if not isinstance(given, bool | numpy.bool_):
        raise PlanError(f"invariant is {described(given)}, and True or False is accepted.")
    return bool(given)


def _multiplied(a: object, b: object, c: object, bias: object, out: object, options: Options) -> Any:
    known = again((a, b, c, bias, out), options_of("matmul", options, invariant=True))
    if known is not None:
        return known
    given = a, b, c, bias, out
    if is_traced(a) or is_traced_by_jax(a, b) or needs_operator(*given):
        raise DtypeError(
            "invariant=True is for arrays with values, without gradients: these are recorded, compiled or have "
            "none (torch.no_grad() turns gradients off)."
        )
    if are_distributed(*given) or is_overridden(*given):
        raise DtypeError("invariant=True is for plain arrays, and one of these is a DTensor or computes itself.")
    place = place_of(A=a, B=b, out=out, c=c, bias=bias)
    if not place.on_gpu:
        return _on_host(a, b, c, bias, out, place.library, options)
    if not has_kernel(a, place.library):
        raise _unaccepted(describe(described_array(a), described_array(b)))
    return multiply_on_gpu(a, b, c, bias, out, place.library, options, invariant=True)


def _on_host(a: object, b: object, c: object, bias: object, out: object, library: str, options: Options) -> Any:
    out_dtype, alpha, beta, activation, kernel, tile, device, precision = options
    way = check_way("matmul", kernel, device, tile, precision)
    if way._replace(precision="auto", is_free=True, kernel="auto") != NOT_ASKED:
        raise PlanError("invariant=True of host arrays is computed by NumPy: leave kernel, tile and device out.")
    numbers = check_epilogue(alpha, beta, c, activation)
    asked = check_on_host(a, b, library, numbers, out=out, out_dtype=out_dtype, c_operand=c, bias=bias)
    if asked.dtype not in DTYPE_BYTES:
        raise _unaccepted(describe(asked.a, asked.b))
    precision_of(asked.dtype, way.precision)
    x, y = (in_type(array.values, computed_in(asked.dtype)) for array in (asked.a, asked.b))
    with errors_of(library):
        return finished(each_row_alone(x, y), asked, numbers, library, out)


def _unaccepted(given: str) -> DtypeError:
    return DtypeError(f"invariant=True is for {', '.join(DTYPE_BYTES)}, but {given}.")


def each_row_alone(a: Array, b: Array) -> Array:
    """A B of NumPy's arrays of one type, each row of A multiplied by a call of its own."""
    multiply = partial(numpy.matmul, dtype=a.dtype)
    if a.ndim == 1:
        return numpy.asarray(multiply(a, b))
    rows = numpy.ascontiguousarray(a)[..., None, :]
    columns = b if b.ndim == 1 else b[..., None, :, :]
    return numpy.asarray(multiply(rows, columns)[..., 0] if b.ndim == 1 else multiply(rows, columns)[..., 0, :])
