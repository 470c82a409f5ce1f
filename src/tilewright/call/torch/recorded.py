"""Products of tensors on a GPU whose gradients torch records, in plain eager code: the operator's way, made short.

An operator passes torch's dispatcher three times, in Python, for whatever may look on: compilers, transforms, modes.
Where none of them does, this records the same function at once. By the operator a product and its gradients took a slow
host 0.6 ms, and a training step of GPT-2 was longer on the host than on the GPU.
"""

from __future__ import annotations

from typing import Any

import torch

from tilewright.call.door import Call
from tilewright.call.matmul import multiply_here
from tilewright.call.repeated_product import OPTIONS, again

from . import (
    gradients,
    operators,  # noqa: F401  (registers what gradients call)
)

Tensor = Any


class Recorded(torch.autograd.Function):  # type: ignore[misc]  # torch's types are not looked at
    """`matmul` of (A, B, c, bias) with options in the order of `OPTIONS`, and its gradients."""

    @staticmethod
    def forward(ctx: Any, a: Tensor, b: Tensor, c: Tensor, bias: Tensor, options: tuple[Any, ...]) -> Tensor:
        """The product, computed as without gradients."""
        result = again((a, b, c, bias, None), options)
        if result is None:
            result = multiply_here(a, b, c, bias, None, options)
        ctx.save_for_backward(a, b, c, bias)
        ctx.options = dict(zip(OPTIONS, options, strict=True))
        return result

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:
        """The inputs' gradients; they have gradients, too, where those are asked for."""
        return (*gradients.backward_of_matmul(ctx, gradient), None)


def record(call: Call) -> Any:
    """The product, with its gradients recorded; NotImplemented for other tensors than plain ones on a GPU.

    For calls that nothing but autograd looks at (`arrays.torch_modes.is_watched`).
    """
    if call.out is not None or not torch.is_grad_enabled():
        return NotImplemented
    plain, parameter, is_recorded = torch.Tensor, torch.nn.Parameter, False
    for given in (call.a, call.b, call.c, call.bias):
        if given is None:
            continue
        kind = type(given)
        if (kind is not plain and kind is not parameter) or not given.is_cuda or given.is_nested:  # type: ignore[attr-defined]
            return NotImplemented
        is_recorded = is_recorded or given.requires_grad  # type: ignore[attr-defined]
    if not is_recorded:
        return NotImplemented
    return Recorded.apply(call.a, call.b, call.c, call.bias, tuple(call.options[name] for name in OPTIONS))
