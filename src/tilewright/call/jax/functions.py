"""Our products under JAX's transformations: gradients, and jax.jit, where XLA multiplies on the CPU.

Only traced arrays come here; arrays with values do not, even inside a gradient that is not compiled. Gradients are
computed by our own products. Importing this imports JAX.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from math import prod
from typing import Any

import jax
import numpy
from jax import numpy as jnp

from tilewright.arrays.errors import DtypeError, describe
from tilewright.arrays.jax import is_spread
from tilewright.arrays.numpy import type_name
from tilewright.call.arguments import (
    check_device,
    check_kernel,
    check_kernel_name,
    check_precision,
    check_tile,
    checked_tile,
)
from tilewright.call.contractions import check_gpu_options
from tilewright.call.dot import dot_here
from tilewright.call.epilogue import (
    PLAIN,
    EpilogueNumbers,
    check_bias_shape,
    check_c_operand_shape,
    check_epilogue,
    check_has_epilogue,
    check_out_dtype,
)
from tilewright.call.library_product import pair_sums
from tilewright.call.matmul import multiply_here
from tilewright.call.reduced_matmul import reduced_matmul_here
from tilewright.call.repeated_product import OPTIONS
from tilewright.call.shapes import check_shapes, dot_shape
from tilewright.kernels.precision import precision_of

from . import gpu as jax_gpu
from .gpu import by_platform
from .sharded import Sharded, by_xla, wide_of

Array = Any
Shape = tuple[int, ...]


@dataclass(frozen=True)
class Options:
    """All of a call but its arrays. It is hashable, as a key of JAX's compiled functions."""

    operation: str
    numbers: EpilogueNumbers = PLAIN
    out_dtype: str | None = None
    kernel: str = "auto"
    tile: Any = None
    device: str = "auto"
    precision: str = "auto"

    @property
    def may_be_sharded(self) -> bool:
        """Whether nothing was asked for by name that the devices of a mesh could not do alike."""
        asked = self.kernel, self.tile, self.device
        return asked == ("auto", None, "auto") and (self.precision == "auto" or jax_gpu.is_there())

    def call(self, a: object, b: object, c: object, bias: object) -> Any:
        """Call the public function with arrays that have values."""
        if self.operation != "matmul":
            compute = dot_here if self.operation == "dot" else reduced_matmul_here
            chosen = {"kernel": self.kernel, "tile": self.tile, "device": self.device, "precision": self.precision}
            return compute(a, b, None, **chosen)
        chosen = {**vars(self), **vars(self.numbers)}
        return multiply_here(a, b, c, bias, None, tuple(chosen[name] for name in OPTIONS))

    def result(self, a: Array, b: Array) -> jax.ShapeDtypeStruct:
        """Shape and type of the result. Raises ShapeError if A and B do not fit."""
        shape = dot_shape(a, b) if self.operation == "dot" else check_shapes(self.operation, a, b)
        return jax.ShapeDtypeStruct(shape, self.out_dtype or jnp.promote_types(a.dtype, b.dtype))


def by_jax(
    operation: str,
    a: object,
    b: object,
    out: object,
    *,
    c: object = None,
    bias: object = None,
    out_dtype: object = None,
    alpha: object = 1,
    beta: object = 0,
    activation: object = None,
    kernel: Any = "auto",
    tile: object = None,
    device: Any = "auto",
    precision: Any = "auto",
) -> Array:
    """`tilewright.matmul`, `reduced_matmul` or `dot` of arrays of which JAX traces one.

    Raises:
        DtypeError: an array is not JAX's, or the code is compiled for a GPU without the extra.
        ValueError: `out` is given, but JAX's arrays are read-only.
        ShapeError, PlanError: as the functions themselves.
    """
    if out is not None:
        raise ValueError("out is given, and what JAX traces writes into no array; leave out away and take the result.")
    for name, array in (("A", a), ("B", b), ("c", c), ("bias", bias)):
        if array is not None and not isinstance(array, jax.Array | numpy.ndarray):
            raise DtypeError(f"{name} is a {type(array).__qualname__}, and JAX's or NumPy's arrays go together here.")
    numbers = check_epilogue(alpha, beta, c, activation)
    dtype = None if out_dtype is None else type_name(out_dtype)
    sides = tuple(tile) if isinstance(tile, list) else tile
    options = Options(operation, numbers, dtype, kernel, sides, device, precision)
    _check(options, a, b, c, bias)
    a, b = _in_strong_types(a, b)
    return _product(options, a, b, c if numbers.beta else None, bias)


def _in_strong_types(a: Array, b: Array) -> tuple[Array, Array]:
    """A and B, of which a weakly typed one takes on the other's type, as in JAX's own functions."""
    if a.dtype == b.dtype or not (getattr(a, "weak_type", False) or getattr(b, "weak_type", False)):
        return a, b
    dtype = jnp.result_type(a, b)
    return jnp.asarray(a, dtype), jnp.asarray(b, dtype)


def _check(options: Options, a: Array, b: Array, c: Array, bias: Array) -> None:
    """Refuse invalid arguments now; the callback would do so only at run time, with an unclear message."""
    check_device(options.device)
    check_kernel_name(options.kernel)
    checked_tile(options.tile)
    result, given = options.result(a, b), describe(a, b)
    dtype = jnp.result_type(a, b).name
    check_out_dtype(options.out_dtype, dtype, given)
    precision_of(dtype, check_precision(options.precision))
    check_has_epilogue(dtype, options.numbers, bias, given)
    if c is not None:
        check_c_operand_shape(c.shape, result.shape, given)
    if bias is not None:
        check_bias_shape(bias.shape, b.shape[-1] if b.ndim > 1 else 1, given)


@partial(jax.custom_vjp, nondiff_argnums=(0,))
def _product(options: Options, a: Array, b: Array, c: Array, bias: Array) -> Array:
    arrays = a, b, c, bias
    if options.may_be_sharded and is_spread(*arrays):
        return _compiled_by_rules(options, *arrays)
    if not any(isinstance(array, jax.core.Tracer) for array in arrays):
        given = (x if x is None or isinstance(x, jax.Array) else jnp.asarray(x) for x in (a, b, c, bias))
        return options.call(*given)  # NumPy's arrays are constants in JAX's gradients
    if options.may_be_sharded and jax.device_count() > 1:
        return _compiled_by_rules(options, *arrays)
    return _by_platform(options, a, b, c, bias)


@partial(jax.jit, static_argnums=0)
def _by_platform(options: Options, a: Array, b: Array, c: Array, bias: Array) -> Array:
    """The traced product, compiled for the platform of the arrays; jax.vmap compiles it, too."""
    result = options.result(a, b)
    return by_platform(result, partial(_on_host, options, result), partial(_on_gpu, options, result), (a, b, c, bias))


def _of_shards(options: Options, a: Array, b: Array, c: Array, bias: Array) -> Array:
    """The product of what one device of several holds. On the host XLA computes it in any case."""
    result = options.result(a, b)
    on_host = partial(_by_xla, options, result)
    return by_platform(result, on_host, partial(_on_gpu, options, result), (a, b, c, bias))


def _by_xla(options: Options, result: jax.ShapeDtypeStruct, a: Array, b: Array, c: Array, bias: Array) -> Array:
    return _with_epilogue(options, by_xla(options.operation, a, b), c, bias).astype(result.dtype)


def _sums_of_shards(options: Options, a: Array, b: Array) -> Array:
    """The sums of a part of the inner dimension, unrounded, as a matrix product."""
    shape, dtype = options.result(a, b).shape, jnp.promote_types(a.dtype, b.dtype)
    wide = wide_of(dtype)
    plain = Options("matmul", out_dtype=None if wide == dtype else wide.name, precision=options.precision)
    if options.operation == "reduced_matmul":
        a, b = pair_sums(a, b)
    elif options.operation == "dot":
        k, moved = a.shape[-1], jnp.moveaxis(b, -2, 0) if b.ndim > 1 else b
        a, b = a.reshape(prod(a.shape[:-1]), k), moved.reshape(k, prod(moved.shape[1:]))
    return _of_shards(plain, a, b, None, None).reshape(shape)


def _with_epilogue(options: Options, total: Array, c: Array, bias: Array) -> Array:
    """The epilogue of sums in float32 or wider, unrounded."""
    numbers = options.numbers
    total = total if numbers.alpha == 1 else numbers.alpha * total
    if c is not None:
        total = total + numbers.beta * c.astype(total.dtype)
    if bias is not None:
        total = total + (bias if total.ndim and bias.shape[-1] == total.shape[-1] else bias[0]).astype(total.dtype)
    return total if numbers.activation is None else ACTIVATIONS[numbers.activation](total)


_by_rules = Sharded(_by_platform, _of_shards, _sums_of_shards, _with_epilogue)
_compiled_by_rules = jax.jit(_by_rules, static_argnums=0)


def _on_host(options: Options, result: jax.ShapeDtypeStruct, *arrays: Array) -> Array:
    """The product by XLA, or by a callback if something was asked for by name; invalid arguments are refused now."""
    if options.may_be_sharded:
        return _by_xla(options, result, *arrays)
    check_kernel(options.operation, options.kernel, check_tile(options.tile))
    dtype = jnp.promote_types(arrays[0].dtype, arrays[1].dtype)  # JAX's rule, which NumPy may not have
    types = dtype, dtype, result.dtype, result.dtype
    arrays = tuple(None if x is None else x.astype(to) for x, to in zip(arrays, types, strict=True))

    def called(*given: object) -> Any:
        return numpy.asarray(options.call(*(None if x is None else numpy.asarray(x) for x in given)), result.dtype)

    return jax.pure_callback(called, result, *arrays, vmap_method="sequential")


def _on_gpu(options: Options, result: jax.ShapeDtypeStruct, a: Array, b: Array, c: Array, bias: Array) -> Array:
    """The product compiled for a GPU: matmul's kernels, with JAX's own functions around them."""
    if options.operation != "dot":
        chosen = {name: getattr(options, name) for name in ("kernel", "tile", "device", "precision")}
        return jax_gpu.product(options.operation, a, b, c, bias, result, options.numbers, **chosen)
    check_gpu_options(options.operation, options.kernel, options.device, options.tile)
    plain = Options("matmul", precision=options.precision)
    if a.ndim == 0 or b.ndim == 0:
        return a * b
    k, moved = a.shape[-1], jnp.moveaxis(b, -2, 0) if b.ndim > 1 else b
    rows, columns = a.reshape(prod(a.shape[:-1]), k), moved.reshape(k, prod(moved.shape[1:]))
    return _product(plain, rows, columns, None, None).reshape(result.shape)


def _forward(options: Options, a: Array, b: Array, c: Array, bias: Array) -> tuple[Array, tuple[Array, ...]]:
    return _product(options, a, b, c, bias), (a, b, c, bias)


def _backward(options: Options, kept: tuple[Array, ...], gradient: Array) -> tuple[Array, ...]:
    a, b, c, bias = kept
    of_c = of_bias = None
    if options.operation == "matmul":
        numbers = options.numbers
        if numbers.activation is not None:
            gradient = _before_activation(options, kept, gradient)
        matrix = gradient if b.ndim > 1 else gradient[..., None]
        matrix = matrix if a.ndim > 1 else matrix[..., None, :]
        of_a, of_b = _of_operands(a, b, matrix, numbers.alpha, options.precision)
        of_c = None if c is None else _summed(numbers.beta * gradient, c)
        of_bias = None if bias is None else _summed(matrix, bias)
    elif options.operation == "reduced_matmul":
        dtype = jnp.promote_types(a.dtype, b.dtype)
        a, b = a.astype(dtype), b.astype(dtype)
        rows, columns = a[..., 0::2, :] + a[..., 1::2, :], b[..., 0::2] + b[..., 1::2]
        of_rows, of_columns = _of_operands(rows, columns, gradient.astype(dtype), 1.0, options.precision)
        of_a, of_b = jnp.repeat(of_rows, 2, axis=-2), jnp.repeat(of_columns, 2, axis=-1)
    else:
        of_a, of_b = _of_dot(a, b, gradient, options.precision)
    return of_a.astype(kept[0].dtype), of_b.astype(kept[1].dtype), of_c, of_bias


_product.defvjp(_forward, _backward)


def _of_operands(a: Array, b: Array, gradient: Array, alpha: float, precision: str) -> tuple[Array, Array]:
    """The gradients of alpha A B with respect to A and B. JAX's gradients are not conjugated."""
    rows, columns = (a if a.ndim > 1 else a[None, :]), (b if b.ndim > 1 else b[:, None])
    both_halves = a.dtype == b.dtype and a.dtype.itemsize == 2
    gradient = gradient.astype(a.dtype) if both_halves else gradient  # which may have been left in float32
    out_dtype = "float32" if both_halves else None
    options = Options("matmul", EpilogueNumbers(alpha=alpha), out_dtype, precision=precision)
    of_a = _product(options, gradient, jnp.swapaxes(columns, -1, -2), None, None)
    of_b = _product(options, jnp.swapaxes(rows, -1, -2), gradient, None, None)
    return _summed(of_a, rows).reshape(a.shape), _summed(of_b, columns).reshape(b.shape)


def _of_dot(a: Array, b: Array, gradient: Array, precision: str) -> tuple[Array, Array]:
    """The gradients of `dot`, seen as one matrix product: the axes of A are its rows, those of B its columns."""
    if a.ndim == 0 or b.ndim == 0 or a.ndim == b.ndim == 1:
        return _summed(gradient * b, a), _summed(gradient * a, b)
    k = a.shape[-1]
    moved = jnp.moveaxis(b, -2, 0) if b.ndim > 1 else b
    rows, columns = a.reshape(prod(a.shape[:-1]), k), moved.reshape(k, prod(moved.shape[1:]))
    of_rows, of_columns = _of_operands(rows, columns, gradient.reshape(rows.shape[0], columns.shape[1]), 1.0, precision)
    of_b = of_columns.reshape(moved.shape)
    return of_rows.reshape(a.shape), jnp.moveaxis(of_b, 0, -2) if b.ndim > 1 else of_b


def _before_activation(options: Options, kept: tuple[Array, ...], gradient: Array) -> Array:
    a, b, c, bias = kept
    numbers = EpilogueNumbers(options.numbers.alpha, options.numbers.beta)
    wide = "float32" if a.dtype == b.dtype and a.dtype.itemsize == 2 else None
    if wide is not None:
        c, bias = (None if array is None else array.astype(wide) for array in (c, bias))
    given = _product(Options("matmul", numbers, wide, precision=options.precision), a, b, c, bias)
    _, of_given = jax.vjp(ACTIVATIONS[options.numbers.activation], given)
    return of_given(gradient.astype(given.dtype))[0]


ACTIVATIONS: dict[str | None, Callable[[Array], Array]] = {
    "relu": jax.nn.relu,
    "gelu": partial(jax.nn.gelu, approximate=False),
    "silu": jax.nn.silu,
}


def _summed(gradient: Array, like: Array) -> Array:
    """The gradient summed over broadcast dimensions, in the shape and type of the input ``like``."""
    extra = gradient.ndim - like.ndim
    summed = gradient.sum(tuple(range(extra))) if extra > 0 else gradient
    axes = tuple(axis for axis, extent in enumerate(like.shape) if extent == 1 and summed.shape[axis] != 1)
    return summed.sum(axes, keepdims=True).astype(like.dtype) if axes else summed.astype(like.dtype)
