"""Derivatives of our operators for torch's autograd: reverse mode and forward mode, also under torch.func.

The backward functions of `torch.library.custom_op` silently lose tangents and refuse torch.func, so operators use this
instead. torch calls the operator for each level of its transformations (`torch.func.grad` in `jvp`) separately, and
each level applies one autograd function.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch._functorch.utils import enable_single_level_autograd_function
from torch.autograd.forward_ad import _set_fwd_grad_enabled
from torch.autograd.function import _SingleLevelFunction

Tensor = Any


@dataclass(frozen=True)
class Derivatives:
    """The derivatives of an operator, as functions of a context with `saved_tensors` and the call's `options`.

    backward: the inputs' gradients from the result's. tangent: the result's tangent from the inputs' (None for an input
    without one); the context also has `result`, the result's shape and type.
    """

    backward: Callable[..., tuple[Tensor | None, ...]]
    tangent: Callable[..., Tensor]


@dataclass(frozen=True)
class Call:
    """An operator's call below autograd; ``keys`` are torch's dispatch keys.

    in_reverse, in_forward: whether the caller records gradients, and tangents.
    """

    operator: Any
    keys: Any
    options: dict[str, Any]
    in_reverse: bool
    in_forward: bool

    def run(self, inputs: tuple[Tensor | None, ...]) -> Tensor:
        """The result, without recording at this level, and with the caller's recording at the next."""
        levels_below = torch.set_grad_enabled(self.in_reverse), _set_fwd_grad_enabled(self.in_forward)
        with levels_below[0], levels_below[1], torch._C._AutoDispatchBelowAutograd():  # noqa: SLF001
            return self.operator.redispatch(self.keys & torch._C._after_autograd_keyset, *inputs, **self.options)  # noqa: SLF001


def autograd_of(operator: Any, derivatives: Derivatives) -> Callable[..., Tensor]:
    """The function that torch calls for the operator if anything may be recorded."""

    def forward(*given: Any) -> Tensor:
        *inputs, call = given
        return call.run(tuple(inputs))

    def keep(ctx: Any, given: tuple[Any, ...], result: Tensor) -> None:
        *inputs, call = given
        ctx.save_for_backward(*inputs)
        ctx.save_for_forward(*inputs)
        ctx.options, ctx.result = call.options, (result.shape, result.dtype)

    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:
        return (*derivatives.backward(ctx, gradient), None)

    def tangent(ctx: Any, *tangents: Tensor | None) -> Tensor:
        return derivatives.tangent(ctx, *tangents[:-1])

    functions = {"forward": forward, "setup_context": keep, "backward": backward, "jvp": tangent}
    name = f"tilewright_{operator._opname}"  # noqa: SLF001
    recorded: Any = type(name, (_SingleLevelFunction,), {key: staticmethod(value) for key, value in functions.items()})

    def called(keys: Any, *inputs: Tensor | None, **options: Any) -> Tensor:
        call = Call(operator, keys, options, torch.is_grad_enabled(), torch._C._is_fwd_grad_enabled())  # noqa: SLF001
        recording = call.in_reverse and torch._C._any_requires_grad(*inputs)  # noqa: SLF001
        in_forward = torch.autograd.forward_ad._current_level >= 0 or torch._C._are_functorch_transforms_active()  # noqa: SLF001
        if not (recording or in_forward):
            return call.run(inputs)
        with enable_single_level_autograd_function():
            return recorded.apply(*inputs, call)

    return called
