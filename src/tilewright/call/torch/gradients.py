"""Gradients and tangents of our products, computed by our products: A's is the result's gradient times B^T, and so on.

They consist of torch's functions and our operators, so gradients have gradients, too. For 16-bit types each is summed
in float32 and rounded once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from tilewright.call.repeated_product import again

Tensor = Any
PLAIN: dict[str, Any] = {
    "out_dtype": None,
    "alpha": 1.0,
    "beta": 0.0,
    "activation": None,
    "kernel_name": "auto",
    "tile": None,
    "device": "auto",
    "precision": "auto",
}
HALVES = (torch.float16, torch.bfloat16)
MATRIX = 2


def backward_of_matmul(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:
    """The gradients of activation(alpha A B + beta c + bias) with respect to A, B, c and bias."""
    a, b, c, bias = ctx.saved_tensors
    alpha, beta, activation = (ctx.options[name] for name in ("alpha", "beta", "activation"))
    if activation is not None:
        gradient = _before_activation(activation, gradient, _sum(ctx, a, b, c, bias, alpha=alpha, beta=beta))
    matrix = gradient if b.ndim > 1 else gradient.unsqueeze(-1)
    matrix = matrix if a.ndim > 1 else matrix.unsqueeze(-2)
    of_a, of_b = _of_operands(ctx, a, b, matrix, alpha)
    of_c = of_bias = None
    if ctx.needs_input_grad[2] and beta:
        of_c = (beta * gradient).sum_to_size(c.shape).to(c.dtype)
    if ctx.needs_input_grad[3]:
        of_bias = matrix.sum_to_size(bias.shape).to(bias.dtype)
    return of_a, of_b, of_c, of_bias


def backward_of_reduced_matmul(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:
    """The gradients of A and B; both rows of a pair of A have the same one, and both columns of a pair of B.

    A pair sum is rounded once to the type of A and B, as it is for the product itself.
    """
    a, b = ctx.saved_tensors
    dtype = torch.promote_types(a.dtype, b.dtype)
    left, right = a.to(dtype), b.to(dtype)
    rows, columns = left[..., 0::2, :] + left[..., 1::2, :], right[..., 0::2] + right[..., 1::2]
    of_rows, of_columns = _of_operands(ctx, rows, columns, gradient.to(dtype), 1.0)
    of_a = None if of_rows is None else of_rows.repeat_interleave(2, dim=-2).to(a.dtype)
    of_b = None if of_columns is None else of_columns.repeat_interleave(2, dim=-1).to(b.dtype)
    return of_a, of_b


def backward_of_dot(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:
    """The gradients of `dot`, seen as one matrix product: the axes of A are its rows, those of B its columns."""
    a, b = ctx.saved_tensors
    if a.ndim == 0 or b.ndim == 0 or a.ndim == b.ndim == 1:
        of_a = (gradient * b.conj()).sum_to_size(a.shape).to(a.dtype) if ctx.needs_input_grad[0] else None
        of_b = (gradient * a.conj()).sum_to_size(b.shape).to(b.dtype) if ctx.needs_input_grad[1] else None
        return of_a, of_b
    k = a.shape[-1]
    rows = a.reshape(-1, k)
    moved = b.movedim(-2, 0) if b.ndim > 1 else b
    columns = moved.reshape(k, -1)
    of_rows, of_columns = _of_operands(ctx, rows, columns, gradient.reshape(rows.shape[0], columns.shape[1]), 1.0)
    of_a = None if of_rows is None else of_rows.reshape(a.shape)
    of_b = None
    if of_columns is not None:
        of_b = of_columns.reshape(moved.shape)
        of_b = of_b.movedim(0, -2) if b.ndim > 1 else of_b
    return of_a, of_b


def tangent_of_matmul(
    ctx: Any, of_a: Tensor | None, of_b: Tensor | None, of_c: Tensor | None, of_bias: Tensor | None
) -> Tensor:
    """The tangent of activation(alpha A B + beta c + bias) for these tangents of A, B, c and bias."""
    a, b, c, bias = ctx.saved_tensors
    alpha, beta, activation = (ctx.options[name] for name in ("alpha", "beta", "activation"))
    shape, dtype = ctx.result
    changes = [
        _sum(ctx, left, right, None, None, alpha=alpha, beta=0.0)
        for left, right in ((of_a, b), (a, of_b))
        if left is not None and right is not None
    ]
    wide = torch.float32 if _both_halves(a, b) else dtype
    if of_c is not None and beta:
        changes.append(beta * of_c.to(wide))
    if of_bias is not None:
        changes.append(of_bias.to(wide) if b.ndim > 1 else of_bias[0].to(wide))
    change = a.new_zeros(shape, dtype=wide)
    for each in changes:
        change = change + each
    if activation is not None:
        change = _before_activation(activation, change, _sum(ctx, a, b, c, bias, alpha=alpha, beta=beta))
    return change.to(dtype)


def tangent_of_reduced_matmul(ctx: object, of_a: Tensor | None, of_b: Tensor | None) -> Tensor:
    """The tangent for these tangents of A and B; the product is linear in both."""
    return _tangent_of_linear(torch.ops.tilewright.reduced_matmul, ctx, of_a, of_b)


def tangent_of_dot(ctx: object, of_a: Tensor | None, of_b: Tensor | None) -> Tensor:
    """The tangent for these tangents of A and B; the product is linear in both."""
    return _tangent_of_linear(torch.ops.tilewright.dot, ctx, of_a, of_b)


def _tangent_of_linear(operator: Callable[..., Tensor], ctx: Any, of_a: Tensor | None, of_b: Tensor | None) -> Tensor:
    """The product rule: A's tangent with B, plus A with B's tangent."""
    a, b = ctx.saved_tensors
    shape, dtype = ctx.result
    change = a.new_zeros(shape, dtype=torch.float32 if _both_halves(a, b) else dtype)
    for left, right in ((of_a, b), (a, of_b)):
        if left is not None and right is not None:
            wide = (left.float(), right.float()) if _both_halves(a, b) else (left, right)
            chosen = {"kernel_name": "auto", "tile": None, "device": "auto", "precision": ctx.options["precision"]}
            change = change + operator(*wide, **chosen)
    return change.to(dtype)


def _of_operands(ctx: Any, a: Tensor, b: Tensor, gradient: Tensor, alpha: float) -> tuple[Tensor | None, Tensor | None]:
    """The gradients of alpha A B with respect to A and B, vectors or matrices with any batch."""
    rows, columns = (a if a.ndim > 1 else a.unsqueeze(0)), (b if b.ndim > 1 else b.unsqueeze(1))
    if _both_halves(a, b):
        gradient = gradient.to(a.dtype)
    precision, of_a, of_b = ctx.options["precision"], None, None
    if ctx.needs_input_grad[0]:
        of_a = _summed(gradient, columns.mH, rows.shape, alpha, precision).reshape(a.shape).to(a.dtype)
    if ctx.needs_input_grad[1]:
        of_b = _summed(rows.mH, gradient, columns.shape, alpha, precision).reshape(b.shape).to(b.dtype)
    return of_a, of_b


def _summed(a: Tensor, b: Tensor, shape: Any, alpha: float, precision: str) -> Tensor:
    """A product, summed over what was broadcast; of 16-bit types that sum is rounded once, at its end."""
    if a.ndim == b.ndim == len(shape) == MATRIX:
        return _product(a, b, None, alpha, precision)
    is_broadcast = (*torch.broadcast_shapes(a.shape[:-2], b.shape[:-2]), *shape[-2:]) != tuple(shape)
    wide = torch.float32 if is_broadcast and _both_halves(a, b) else None
    return _product(a, b, wide, alpha, precision).sum_to_size(shape)


def _product(a: Tensor, b: Tensor, out_dtype: Any, alpha: float, precision: str) -> Tensor:
    """Our product: at once where it is a repeated one that nothing looks at, else by the operator."""
    alpha = 1.0 if alpha == 1 else alpha  # complex numbers have no epilogue, and no alpha
    result = again((a, b, None, None, None), (out_dtype, alpha, 0.0, None, "auto", None, "auto", precision))
    if result is not None:
        return result
    options = {**PLAIN, "out_dtype": out_dtype, "alpha": alpha, "precision": precision}
    return torch.ops.tilewright.matmul(a, b, None, None, **options)


def _sum(ctx: Any, a: Tensor, b: Tensor, c: Tensor, bias: Tensor, *, alpha: float, beta: float) -> Tensor:
    """The activation's input, unrounded."""
    out_dtype = torch.float32 if _both_halves(a, b) else None
    if out_dtype is not None:
        c, bias = (None if tensor is None else tensor.to(out_dtype) for tensor in (c, bias))
    numbers = {"alpha": alpha, "beta": beta, "precision": ctx.options["precision"]}
    options = {**PLAIN, "out_dtype": out_dtype, **numbers}
    return torch.ops.tilewright.matmul(a, b, c, bias, **options)


def _both_halves(a: Tensor, b: Tensor) -> bool:
    return a.dtype == b.dtype and a.dtype in HALVES


def _before_activation(activation: str, gradient: Tensor, given: Tensor) -> Tensor:
    gradient = gradient.to(given.dtype)
    if activation == "relu":
        return torch.ops.aten.threshold_backward(gradient, given, 0)
    if activation == "gelu":
        return torch.ops.aten.gelu_backward(gradient, given)
    return torch.ops.aten.silu_backward(gradient, given)
