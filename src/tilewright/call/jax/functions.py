"""Products of arrays that JAX traces: arguments are checked, and the product is a primitive of JAX's.

Arrays with values do not come here, but those spread over several devices. Importing this imports JAX.
"""

from __future__ import annotations

from typing import Any

import jax
import numpy
from jax import numpy as jnp

from tilewright.arrays.errors import DtypeError, describe
from tilewright.arrays.numpy import type_name
from tilewright.call.arguments import (
    check_device,
    check_kernel_name,
    check_precision,
    checked_tile,
)
from tilewright.call.epilogue import (
    check_bias_shape,
    check_c_operand_shape,
    check_epilogue,
    check_has_epilogue,
    check_out_dtype,
)
from tilewright.kernels.precision import precision_of

from . import batches, derivatives  # noqa: F401  (the primitive's rules)
from .options import Options
from .primitive import product

Array = Any


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
    return product(options, a, b, c if numbers.beta else None, bias)


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
