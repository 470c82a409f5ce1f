"""What our operators do with DTensors: plan the traffic, bring the arrays together, multiply what each process has.

The rules stand below autograd, so that gradients, which consist of the same operators, are planned as well.
"""

from __future__ import annotations

from functools import cache, lru_cache, partial
from typing import Any

import torch
from torch.distributed.tensor import DTensor

from tilewright.arrays.library_array import Described
from tilewright.arrays.torch import dtype_name
from tilewright.call.shapes import check_shapes, dot_shape
from tilewright.choose.many import REPLICATED, Sharding, choose_sharding, contraction

from .pieces import multiply_by_pieces
from .placements import Lying, asked_of, common_mesh, distributed, local, lying, under_c

Tensor = Any
HALVES = (torch.float16, torch.bfloat16)
NO_EPILOGUE: dict[str, Any] = {"beta": 0.0, "activation": None}


@cache
def register_rules() -> None:
    """Register the rules of `matmul`, `reduced_matmul` and `dot` with torch."""
    from tilewright.call.torch import operators

    for name in ("matmul", "reduced_matmul", "dot"):
        rule = partial(_multiplied, name)
        torch.library.register_torch_dispatch(f"tilewright::{name}", DTensor, rule, lib=operators.library)


def _multiplied(operation: str, _class: Any, operator: Any, _types: Any, args: Any = (), kwargs: Any = None) -> Tensor:
    """The DTensor of a product; as torch asks of a rule for an operator and a class of tensors."""
    options = dict(kwargs or {})
    a, b, c, bias = (*args, None, None)[:4]
    if options.get("beta") == 0:
        c = None
    mesh = common_mesh(A=a, B=b, c=c, bias=bias)
    with torch.no_grad():
        way = sharding_of(operation, a, b, c, bias, options)
        if mesh.get_coordinate() is None:  # a process outside of the mesh has no part of C
            result = torch.empty(0, dtype=_dtype(a, b, options), device=a.to_local().device)
        elif way.summed == way.c:
            result = _product(operation, operator, way, (a, b, c, bias), options)
        else:
            result = _added(operator, way, (a, b, c, bias), options)
        return distributed(result, mesh, way.c, way.asked.product.c_shape)


def sharding_of(operation: str, a: Tensor, b: Tensor, c: Tensor, bias: Tensor, options: dict[str, Any]) -> Sharding:
    """The way of a product over its mesh. Raises ShapeError if A and B do not fit."""
    is_linear = c is None and bias is None and options.get("activation") is None
    return _chosen(operation, lying(a), lying(b), is_linear, _dtype(a, b, options))


@lru_cache(maxsize=1024)
def _chosen(operation: str, a: Lying, b: Lying, is_linear: bool, dtype: Any) -> Sharding:
    shapes = [Described(each.shape, dtype_name(each.dtype)) for each in (a, b)]
    if operation == "dot":
        dot_shape(*shapes)
    else:
        check_shapes(operation, *shapes)
    contracted = contraction(operation, *(each.shape for each in shapes))
    c_bytes = dtype.itemsize if is_linear or dtype not in HALVES else 4
    return choose_sharding(asked_of(contracted, a, b, c_bytes=c_bytes, is_linear=is_linear))


def _product(
    operation: str, operator: Any, way: Sharding, arrays: tuple[Tensor, ...], options: dict[str, Any]
) -> Tensor:
    """This process's part of C, whole or a summand."""
    a, b, c, bias = arrays
    shape = way.asked.product.c_shape
    beside = [
        local(array, under_c(way.c, shape, tuple(array.shape))) if array is not None else None for array in (c, bias)
    ]
    pieces = way.pieces
    if pieces is not None and _is_eager(*arrays):
        kept = [
            tuple(
                given if at == pieces.mesh_dimension and pieces.array == name else target
                for at, (given, target) in enumerate(zip(source, targets, strict=True))
            )
            for name, source, targets in (("A", way.asked.a, way.a), ("B", way.asked.b, way.b))
        ]
        left, right = (local(array, placements) for array, placements in zip((a, b), kept, strict=True))
        return multiply_by_pieces(operation, way, a.device_mesh, (left, right, *beside), options)
    left, right = local(a, way.a), local(b, way.b)
    given = (left, right, *beside) if operation == "matmul" else (left, right)
    return operator(*given, **options)


def _added(operator: Any, way: Sharding, arrays: tuple[Tensor, ...], options: dict[str, Any]) -> Tensor:
    """This process's part of C, whose summands are added in float32 or wider before the epilogue."""
    a, b, c, bias = arrays
    dtype, shape = _dtype(a, b, options), way.asked.product.c_shape
    wide = torch.float32 if dtype in HALVES else dtype
    plain = {**options, **NO_EPILOGUE, "out_dtype": wide}
    if way.pieces is not None and way.pieces.array == "C" and _is_eager(*arrays):
        left, right = local(a, way.a), local(b, way.b)
        total = multiply_by_pieces("matmul", way, a.device_mesh, (left, right, None, None), plain)
    else:
        summand = _product("matmul", operator, way, (a, b, None, None), plain)
        total = local(distributed(summand, a.device_mesh, way.summed, shape), way.c)
    if c is not None:
        total = total + options["beta"] * local(c, under_c(way.c, shape, tuple(c.shape))).to(wide)
    if bias is not None:
        over = way.c if b.ndim > 1 else (REPLICATED,) * len(way.c)
        total = total + _beside(local(bias, under_c(over, shape, tuple(bias.shape))).to(wide), b)
    return _activated(options["activation"], total).to(dtype)


def _beside(bias: Tensor, b: Tensor) -> Tensor:
    """The bias as it is added to C: one number where B is a vector."""
    return bias if b.ndim > 1 else bias[0]


def _activated(activation: str | None, total: Tensor) -> Tensor:
    return total if activation is None else getattr(torch.nn.functional, activation)(total)


def _dtype(a: Tensor, b: Tensor, options: dict[str, Any]) -> Any:
    return options.get("out_dtype") or torch.promote_types(a.dtype, b.dtype)


def _is_eager(*arrays: Tensor | None) -> bool:
    """Whether all have values, and nothing records what is done: only then messages are sent by hand."""
    if torch.compiler.is_compiling() or torch._C._len_torch_dispatch_stack():  # noqa: SLF001
        return False
    return all(type(array.to_local()) is torch.Tensor for array in arrays if array is not None)
