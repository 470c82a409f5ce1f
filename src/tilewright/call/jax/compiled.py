"""How a traced product is computed: compiled by XLA for a CPU, by our launches on a GPU, by shares over a mesh.

Arrays with values, as in a gradient that is not compiled, are multiplied by the public functions.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import jax
import numpy
from jax import numpy as jnp

from tilewright.arrays.jax import is_spread
from tilewright.call.arguments import check_kernel, check_tile
from tilewright.call.contractions import check_gpu_options
from tilewright.call.library_product import pair_sums

from . import gpu as jax_gpu
from .gpu import by_platform
from .options import Options
from .sharded import Sharded
from .sums import as_matrices, by_xla, wide_of, with_epilogue

Array = Any


def with_values(options: Options, *arrays: Array | None) -> Array:
    """The product of A, B, c and bias with values."""
    if options.may_be_sharded and is_spread(*arrays):
        return _compiled_by_rules(options, *arrays)
    return options.call(*arrays)


def compiled(options: Options, *arrays: Array | None) -> Array:
    """The product of A, B, c and bias as a part of compiled code."""
    several = options.may_be_sharded and jax.device_count() > 1
    return (_by_rules if several else _by_platform)(options, *arrays)


def _by_platform(options: Options, a: Array, b: Array, c: Array, bias: Array) -> Array:
    """The traced product, compiled for the platform of the arrays."""
    result = options.result(a, b)
    return by_platform(result, partial(_on_host, options, result), partial(_on_gpu, options, result), (a, b, c, bias))


def _of_shards(options: Options, a: Array, b: Array, c: Array, bias: Array) -> Array:
    """The product of what one device of several holds. On the host XLA computes it in any case."""
    result = options.result(a, b)
    on_host = partial(_by_xla, options, result)
    return by_platform(result, on_host, partial(_on_gpu, options, result), (a, b, c, bias))


def _by_xla(options: Options, result: jax.ShapeDtypeStruct, a: Array, b: Array, c: Array, bias: Array) -> Array:
    return with_epilogue(options, by_xla(options.operation, a, b), c, bias).astype(result.dtype)


def _sums_of_shards(options: Options, a: Array, b: Array) -> Array:
    """The sums of a part of the inner dimension, unrounded, as a matrix product."""
    shape, dtype = options.result(a, b).shape, jnp.promote_types(a.dtype, b.dtype)
    wide = wide_of(dtype)
    plain = Options("matmul", out_dtype=None if wide == dtype else wide.name, precision=options.precision)
    if options.operation == "reduced_matmul":
        a, b = pair_sums(a, b)
    elif options.operation == "dot":
        a, b = as_matrices(a, b)
    return _of_shards(plain, a, b, None, None).reshape(shape)


def _on_host(options: Options, result: jax.ShapeDtypeStruct, *arrays: Array) -> Array:
    """The product by XLA, or by a callback if something was asked for by name; invalid arguments are refused now."""
    if options.may_be_sharded:
        return _by_xla(options, result, *arrays)
    check_kernel(options.operation, options.kernel, check_tile(options.tile))
    options.check_numbers(*arrays[:2])
    dtype = jnp.promote_types(arrays[0].dtype, arrays[1].dtype)  # JAX's rule, which NumPy may not have
    types = dtype, dtype, result.dtype, result.dtype
    arrays = tuple(None if x is None else x.astype(to) for x, to in zip(arrays, types, strict=True))

    def called(*given: object) -> Any:
        return numpy.asarray(options.call(*(None if x is None else numpy.asarray(x) for x in given)), result.dtype)

    return jax.pure_callback(called, result, *arrays)


def _on_gpu(options: Options, result: jax.ShapeDtypeStruct, a: Array, b: Array, c: Array, bias: Array) -> Array:
    """The product compiled for a GPU: matmul's kernels, with JAX's own functions around them."""
    options.check_numbers(a, b)
    if options.operation != "dot":
        chosen = {name: getattr(options, name) for name in ("kernel", "tile", "device", "precision")}
        return jax_gpu.product(options.operation, a, b, c, bias, result, options.numbers, **chosen)
    check_gpu_options(options.operation, options.kernel, options.device, options.tile)
    if a.ndim == 0 or b.ndim == 0:
        return a * b
    plain, matrices = Options("matmul", precision=options.precision), as_matrices(a, b)
    return _on_gpu(plain, plain.result(*matrices), *matrices, None, None).reshape(result.shape)


_by_rules = Sharded(_by_platform, _of_shards, _sums_of_shards, with_epilogue)
_compiled_by_rules = jax.jit(_by_rules, static_argnums=0)
