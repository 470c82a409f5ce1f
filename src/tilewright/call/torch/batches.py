"""Our operators under torch.vmap: the mapped dimension becomes one more batch dimension of the same product.

Each function is as `torch.library.register_vmap` requires: it takes each tensor's mapped dimension (None if it is not
mapped), the tensors and the options, and returns the result and the mapped dimension's index in it.
"""

from __future__ import annotations

from math import prod
from typing import Any

import torch

from tilewright.arrays.library_array import described
from tilewright.call.matmul import matmul
from tilewright.call.shapes import check_shapes, dot_shape
from tilewright.call.vecdot import vecdot

Tensor = Any
Dimensions = tuple[int | None, ...]


def matmul_of_batches(
    info: Any, dimensions: Dimensions, a: Tensor, b: Tensor, c: Tensor, bias: Tensor, **options: object
) -> tuple[Tensor, int]:
    """Batch `tilewright::matmul`: the mapped dimension comes first, and a mapped bias becomes part of c."""
    check_shapes("matmul", *(described(_one(tensor, at)) for tensor, at in zip((a, b), dimensions, strict=False)))
    multiply = torch.ops.tilewright.matmul
    if options["beta"] == 0:
        c, dimensions = None, (*dimensions[:2], None, dimensions[3])
    a, b, c, bias = (_first(tensor, at) for tensor, at in zip((a, b, c, bias), dimensions, strict=True))
    mapped_a, mapped_b, mapped_c, mapped_bias = (at is not None for at in dimensions)
    vector_a, vector_b = a.ndim - mapped_a == 1, b.ndim - mapped_b == 1
    if vector_a and mapped_a and not (mapped_b or mapped_c or mapped_bias) and c is None and b.ndim <= 2:
        return multiply(a, b, None, bias, **options), 0  # a row of each
    if not (mapped_a or mapped_b):
        a, mapped_a = a.expand(info.batch_size, *a.shape), True
    rows = a.unsqueeze(-2) if vector_a else a
    columns = b.unsqueeze(-1) if vector_b else b
    dimensions_of_each = max(rows.ndim - mapped_a, columns.ndim - mapped_b)
    rows, columns = (
        _of_so_many(tensor, dimensions_of_each, mapped=mapped)
        for tensor, mapped in ((rows, mapped_a), (columns, mapped_b))
    )
    if c is not None:
        c = _of_so_many(c, dimensions_of_each - vector_a - vector_b, mapped=mapped_c)
        c = c.unsqueeze(-1) if vector_b else c
        c = c.unsqueeze(-2) if vector_a else c
    out_dtype = options["out_dtype"] or torch.promote_types(a.dtype, b.dtype)
    if mapped_bias:
        each = _of_so_many(bias, dimensions_of_each, mapped=True)
        if c is not None and options["beta"] != 0:  # both are added unrounded
            wide = torch.promote_types(out_dtype, torch.float32)
            each, options = each.to(wide) + options["beta"] * c.to(wide), {**options, "out_dtype": wide}
        c, bias, options = each, None, {**options, "beta": 1.0}
    result = multiply(rows, columns, c, bias, **options).to(out_dtype)
    result = result.squeeze(-2) if vector_a else result
    return (result.squeeze(-1) if vector_b else result), 0


def reduced_matmul_of_batches(
    info: object,  # noqa: ARG001
    dimensions: Dimensions,
    a: Tensor,
    b: Tensor,
    **options: object,
) -> tuple[Tensor, int]:
    """Batch `tilewright::reduced_matmul`, which takes batches itself."""
    one_a, one_b = (_one(tensor, at) for tensor, at in zip((a, b), dimensions, strict=True))
    check_shapes("reduced_matmul", described(one_a), described(one_b))
    most = max(one_a.ndim, one_b.ndim)
    operands = (
        _of_so_many(_first(tensor, at), most, mapped=at is not None)
        for tensor, at in zip((a, b), dimensions, strict=True)
    )
    return torch.ops.tilewright.reduced_matmul(*operands, **options), 0


def dot_of_batches(info: Any, dimensions: Dimensions, a: Tensor, b: Tensor, **options: object) -> tuple[Tensor, int]:
    """Batch `tilewright::dot` as matrix products; one dot after another if a kernel or precision is named."""
    one_a, one_b = (_one(tensor, at) for tensor, at in zip((a, b), dimensions, strict=True))
    shape = dot_shape(described(one_a), described(one_b))
    plain = {"kernel_name": "auto", "tile": None, "device": "auto", "precision": "auto"}
    if any(options[name] != default for name, default in plain.items()):
        each = [
            torch.ops.tilewright.dot(_one(a, dimensions[0], index), _one(b, dimensions[1], index), **options)
            for index in range(info.batch_size)
        ]
        return torch.stack(each), 0
    dtype = torch.promote_types(a.dtype, b.dtype)
    a, b = (_first(tensor, at).to(dtype) for tensor, at in zip((a, b), dimensions, strict=True))
    mapped_a, mapped_b = (at is not None for at in dimensions)
    if one_a.ndim == 0 or one_b.ndim == 0:
        most = max(one_a.ndim, one_b.ndim)
        return _of_so_many(a, most, mapped=mapped_a) * _of_so_many(b, most, mapped=mapped_b), 0
    if one_a.ndim == one_b.ndim == 1:
        return vecdot(a.conj(), b), 0
    k = one_a.shape[-1]
    moved = b.movedim(-2, int(mapped_b)) if one_b.ndim > 1 else b
    m, n = prod(one_a.shape[:-1]), prod(moved.shape[mapped_b + 1 :])
    rows, columns = a.reshape(*a.shape[:mapped_a], m, k), moved.reshape(*moved.shape[:mapped_b], k, n)
    return matmul(rows, columns).reshape(info.batch_size, *shape), 0


def _one(tensor: Tensor, dimension: int | None, index: int = 0) -> Tensor:
    """One element of the mapped dimension."""
    return tensor if dimension is None else tensor.select(dimension, index)


def _first(tensor: Tensor, dimension: int | None) -> Tensor:
    """The tensor with its mapped dimension, if any, moved to the front; None for None."""
    return tensor if tensor is None or dimension is None else tensor.movedim(dimension, 0)


def _of_so_many(tensor: Tensor, dimensions: int, *, mapped: bool) -> Tensor:
    """A mapped tensor with so many dimensions besides the mapped one, by inserting dimensions of extent 1."""
    own = tensor.ndim - mapped
    ones = (1,) * (dimensions - own)
    return tensor.reshape(*tensor.shape[:mapped], *ones, *tensor.shape[mapped:])
