"""`tilewright.vecdot`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy

from tilewright.arrays.foreign import by_lender
from tilewright.arrays.library_array import described
from tilewright.arrays.places import CUDA, NUMPY
from tilewright.arrays.streams import on_stream
from tilewright.arrays.torch import namespace_of

from .contractions import in_wider_type, through_numpy, vectors_on_gpu, way_of
from .door import Call, taken
from .numpys_protocols import asked_first
from .repeated_product import again
from .shapes import vecdot_shape

if TYPE_CHECKING:
    from typing import Unpack

    from .numpys_keywords import VecdotKeywords


def vecdot(
    a: object,
    b: object,
    out: object = None,
    *,
    axis: int = -1,
    stream: object = None,
    dtype: object = None,
    **keywords: Unpack[VecdotKeywords],
) -> Any:
    """The dot products of vectors along one axis, as the array API standard and NumPy define it.

    Returns the sum over `axis` of conj(A) B; all axes broadcast except that one.

    Args:
        a: A (..., k), k along `axis`, an array that `tilewright.matmul` takes.
        b: B (..., k), of the same library and device.
        out: an array of the result's shape that takes the result; it may be A or B. NumPy's may have more or longer
            axes, along which it is filled with the result.
        axis: the axis summed over, in both A and B.
        stream: for arrays on a GPU, as for matmul.
        dtype: the type of the sums: the inputs' own, or a wider one; for NumPy's arrays any that `numpy.vecdot` takes.
        **keywords: those of `numpy.vecdot` for NumPy's and CuPy's arrays: `axes`, `keepdims`, `casting`, `order`,
            `subok`, and for NumPy's also `signature`.

    Returns:
        The sums (...), an array of the inputs' library and device, or `out`. Types promote as in `tilewright.matmul`.
        On a GPU they are as accurate as those of `tilewright.dot`.

    Raises:
        ShapeError: the shapes do not fit; the message names both, and both types.
        DtypeError: the types, libraries or devices of the arrays are not accepted, or the axis is not a whole number.
        PlanError: a stream that cannot do this.
    """
    if keywords:
        from .numpys_keywords import with_keywords

        own: dict[str, Any] = {"axis": axis} if axis != -1 else {}
        own |= {"dtype": dtype} if dtype is not None else {}
        return with_keywords(vecdot, a, b, out, own | {**keywords}, stream)
    if stream is not None:
        with on_stream(stream, A=a, B=b, out=out):
            return _vecdot(a, b, out, axis, dtype)
    return _vecdot(a, b, out, axis, dtype)


def _vecdot(a: object, b: object, out: object, axis: Any, dtype: object) -> Any:
    options = (
        dtype,
        1,
        0,
        axis,
        "vecdot",
        None,
        "auto",
        "auto",
    )  # in the order of OPTIONS; matmul has no kernel of that name
    remembered = again((a, b, None, None, out), options) if type(axis) is int else None
    if remembered is not None:
        return remembered
    result = taken(Call(vecdot, "vecdot", a, b, {"axis": axis, **({} if dtype is None else {"dtype": dtype})}, out))
    if result is not NotImplemented:
        return result
    library, by_matmul = way_of("vecdot", a, b, out)
    if not by_matmul:
        if library == NUMPY and dtype is not None and hasattr(numpy, "vecdot"):
            from .numpys_keywords import of_numpy

            return of_numpy("vecdot", a, b, out, {"dtype": dtype, "axis": axis})
        if library == NUMPY and dtype is None:
            result = asked_first("vecdot", a, b, out, **({} if axis == -1 else {"axis": axis}))
            if result is not NotImplemented:
                return result
        if dtype is not None:
            a, b = in_wider_type("vecdot", a, b, library, dtype)
        return through_numpy(
            "vecdot",
            a,
            b,
            out,
            library,
            lambda left, right: vecdot_shape(left, right, axis)[2],
            lambda left, right: _on_numpy(left, right, int(axis)),
        )

    def on_gpu(a: object, b: object, out: object, library: str) -> Any:
        a_axis, b_axis, shape = vecdot_shape(described(a), described(b), axis)
        conjugated = namespace_of(a).conj(a) if "complex" in described(a).dtype else a
        return vectors_on_gpu(conjugated, b, (a_axis, b_axis), shape, library, out, options)

    return by_lender(on_gpu, a, b, out) if library == CUDA else on_gpu(a, b, out, library)


def _on_numpy(a: Any, b: Any, axis: int) -> Any:
    if hasattr(numpy, "vecdot"):
        vecdot_of_numpy: Any = numpy.vecdot  # whose stubs know no axis
        return vecdot_of_numpy(a, b, axis=axis)
    rows, columns = numpy.moveaxis(numpy.conj(a), axis, -1), numpy.moveaxis(b, axis, -1)  # NumPy 1
    return numpy.matmul(rows[..., None, :], columns[..., :, None])[..., 0, 0]
