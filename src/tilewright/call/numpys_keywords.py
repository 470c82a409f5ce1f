"""The keywords of NumPy's generalized ufuncs, for `matmul` and `vecdot`: axes, axis, keepdims, casting, dtype, order...

NumPy's arrays go to NumPy's own function with them; 16-bit ones are computed in float32 and rounded once, as without.
CuPy's arrays are turned to the axes that are asked for, multiplied as without keywords, and turned back.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypedDict

import numpy

from tilewright.arrays.errors import DtypeError, ShapeError, describe
from tilewright.arrays.host_array import HostArray, computed_in, host_array, in_type, is_16_bit, numpy_type
from tilewright.arrays.library_array import described
from tilewright.arrays.numpy import name_of
from tilewright.arrays.places import CUPY, NUMPY, library_of, place_of
from tilewright.arrays.streams import on_stream
from tilewright.kernels.problem import INPUT_DTYPES

from .gufunc_axes import CoreAxes, core_axes
from .numpys_protocols import asked_first


class VecdotKeywords(TypedDict, total=False):
    """Keywords of `numpy.vecdot`, with NumPy's meaning, beside `axis` and `dtype`, which are ours, too."""

    axes: list[int | tuple[int, ...]]
    keepdims: bool
    casting: str
    order: str
    subok: bool
    signature: object


class MatmulKeywords(VecdotKeywords, total=False):
    """Keywords of `numpy.matmul`; `axis` and `keepdims` are refused there."""

    axis: int
    dtype: object


ACCEPTED = ("axes", "axis", "keepdims", "casting", "dtype", "order", "subok", "signature")
OF_SHAPE = ("axes", "axis", "keepdims", "order", "subok")
"""Those that say nothing of types."""
ORDERS = ("C", "F", "A", "K")
CASTINGS = ("no", "equiv", "safe", "same_kind", "unsafe")


def with_keywords(
    function: Callable[..., Any],
    a: object,
    b: object,
    out: object,
    keywords: dict[str, Any],
    stream: object,
    **options: object,
) -> Any:
    """A product with keywords of NumPy's ufuncs.

    Args:
        function: `tilewright.matmul` or `tilewright.vecdot`.
        a: A.
        b: B.
        out: an array that takes the result, or None.
        keywords: those of the call, one or more.
        stream: as for matmul.
        options: the options of ours; all must be the defaults.

    Raises:
        TypeError: NumPy's function has no such keyword.
        DtypeError: the arrays' library has none; or the types are not cast by that rule.
        ShapeError, ValueError, TypeError: NumPy's own, and for CuPy's arrays in its place.
    """
    if stream is not None:
        with on_stream(stream, A=a, B=b, out=out):
            return with_keywords(function, a, b, out, keywords, None, **options)
    operation, first = function.__name__, next(iter(keywords))
    unknown = [name for name in keywords if name not in ACCEPTED]
    if unknown:
        raise TypeError(
            f"{operation}() got an unexpected keyword argument {unknown[0]!r}; of NumPy's it takes "
            f"{', '.join(ACCEPTED)}."
        )
    defaults: Any = getattr(function, "__wrapped__", function).__kwdefaults__
    ours = [name for name, value in options.items() if not _is(value, defaults[name])]
    if ours:
        raise DtypeError(f"{first} goes with NumPy's own product, and {ours[0]} is Tilewright's; leave one out.")
    library = library_of(a) or library_of(b) or place_of(A=a, B=b, out=out).library
    if library == NUMPY:
        return of_numpy(operation, a, b, out, keywords)
    if library == CUPY:
        place_of(A=a, B=b, out=out)
        return _of_cupy(function, a, b, out, keywords)
    raise DtypeError(
        f"{first} is a keyword of NumPy's {operation} for NumPy's and CuPy's arrays, and these are {library}'s; "
        "move axes and convert types before the call."
    )


def _is(given: object, default: object) -> bool:
    return given is default or (isinstance(given, int | float | str) and given == default)


def of_numpy(operation: str, a: Any, b: Any, out: Any, keywords: dict[str, Any]) -> Any:
    """A product of NumPy's arrays by its own function. Raises what that raises, or ours for 16-bit types."""
    result = asked_first(operation, a, b, out, **keywords)
    if result is not NotImplemented:
        return result
    function = getattr(numpy, operation, None)
    if function is None:
        raise DtypeError(f"NumPy {numpy.__version__} has no {operation}, and so none of its keywords.")
    left, right = host_array(a, "A", NUMPY), host_array(b, "B", NUMPY)
    operands = [_as_given(left), _as_given(right)]
    into = {} if out is None else {"out": out}
    if not is_16_bit(left.values, right.values):
        return function(*operands, **into, **keywords)
    dtype = _sixteen_bit_result(function, left, right, out, keywords)
    if dtype is None:
        return function(*operands, **into, **keywords)
    shaping = {name: value for name, value in keywords.items() if name in OF_SHAPE}
    wide = [_cast(x, dtype.name) for x in operands]
    product = function(*wide, **shaping)
    if out is None:
        with numpy.errstate(over="ignore"):  # a sum beyond float16 is infinite, as on a GPU
            return product.astype(dtype, order="K")
    if out.shape != numpy.shape(product):
        given = describe(left, right)
        raise ShapeError(f"out is {out.shape} {out.dtype}, but the result is {numpy.shape(product)} {dtype}; {given}.")
    with numpy.errstate(over="ignore"):
        numpy.copyto(out, numpy.asarray(product).astype(dtype), casting=keywords.get("casting", "same_kind"))
    return out


def _sixteen_bit_result(
    function: Any, left: HostArray, right: HostArray, out: Any, keywords: dict[str, Any]
) -> numpy.dtype[Any] | None:
    """The 16-bit type of the result, where it is one: None where NumPy computes in a wider one."""
    types = {name: keywords[name] for name in ("signature", "casting") if name in keywords}
    if keywords.get("dtype") is not None:
        if "signature" in types:
            return None  # which NumPy refuses
        types["signature"] = (None, None, numpy.dtype(keywords["dtype"]))
    asked = name_of(numpy.dtype(keywords["dtype"])) if keywords.get("dtype") is not None else None
    if asked == "bfloat16" or (left.dtype == right.dtype == "bfloat16" and "signature" not in types):
        found = numpy_type("bfloat16", left, right)  # for which NumPy has no loop
    else:
        found = function.resolve_dtypes((left.values.dtype, right.values.dtype, None), **types)[2]
    if name_of(found) not in INPUT_DTYPES:
        return None
    casting = keywords.get("casting", "same_kind")
    for x in (left, right):
        if not numpy.can_cast(x.values.dtype, found, casting):
            raise DtypeError(f"{describe(left, right)}, which are not cast to {found} by the rule {casting!r}.")
    if out is not None and not numpy.can_cast(found, out.dtype, casting):
        raise DtypeError(f"out is {out.shape} {out.dtype}, which cannot hold the {found} of the result.")
    return found


def _as_given(array: HostArray) -> Any:
    """The array with its subclass, which NumPy's function wraps the result in."""
    return array.given if isinstance(array.given, numpy.ndarray) else array.values


def _cast(array: Any, dtype: str) -> Any:
    return in_type(array, computed_in(dtype))


def _of_cupy(multiply: Callable[[Any, Any], Any], a: Any, b: Any, out: Any, keywords: dict[str, Any]) -> Any:
    import cupy

    given_arrays = a, b
    left, right = described(a), described(b)
    given = describe(left, right)
    if keywords.get("signature") is not None:
        raise DtypeError(f"signature goes with NumPy's arrays, and dtype says the same of CuPy's; {given}.")
    casting, order = keywords.get("casting", "same_kind"), keywords.get("order", "K")
    for name, value, accepted in (("casting", casting, CASTINGS), ("order", order, ORDERS)):
        if value not in accepted:
            raise ShapeError(f"{name} is {value!r}, and one of {', '.join(accepted)} is accepted.")
    chosen = core_axes(multiply.__name__, left, right, keywords)
    if keywords.get("dtype") is not None:
        dtype = numpy.dtype(keywords["dtype"])
        for x in (a, b):
            if not numpy.can_cast(x.dtype, dtype, casting):
                raise DtypeError(f"{given}, which are not cast to {dtype} by the rule {casting!r}.")
        a, b = (x if x.dtype == dtype else x.astype(dtype) for x in (a, b))
    product = cupy.asarray(multiply(_to_the_end(cupy, a, chosen.a), _to_the_end(cupy, b, chosen.b)))
    in_columns = order == "F" or (order == "A" and all(x.flags.f_contiguous for x in given_arrays))
    if in_columns or order == "C":  # of the axes as they are multiplied, as in NumPy
        product = cupy.asfortranarray(product) if in_columns else cupy.ascontiguousarray(product)
    product = _turned_back(cupy, product, chosen, given)
    return product if out is None else _written(product, out, casting)


def _written(product: Any, out: Any, casting: Any) -> Any:
    if out.shape != product.shape:
        raise ShapeError(f"out is {out.shape} {out.dtype}, but the result is {product.shape} {product.dtype}.")
    if not numpy.can_cast(product.dtype, out.dtype, casting):
        raise DtypeError(f"out is {out.shape} {out.dtype}, which cannot hold the {product.dtype} of the result.")
    out[...] = product if product.dtype == out.dtype else product.astype(out.dtype)
    return out


def _to_the_end(xp: Any, array: Any, axes: tuple[int, ...]) -> Any:
    last = tuple(range(-len(axes), 0))
    return array if axes == tuple(array.ndim + at for at in last) else xp.moveaxis(array, axes, last)


def _turned_back(xp: Any, product: Any, chosen: CoreAxes, given: str) -> Any:
    """The product with its core axes where they are asked for; with ``keepdims`` one of extent 1."""
    if chosen.keeps:
        product = product[..., None]
    count = len(chosen.out)
    places = tuple(at + product.ndim if at < 0 else at for at in chosen.out)
    if any(not 0 <= at < product.ndim for at in places) or len(set(places)) < count:
        raise ShapeError(f"axes gives the result's as {chosen.out}, and it has {product.ndim} axes; {given}.")
    return product if not count else xp.moveaxis(product, tuple(range(-count, 0)), places)
