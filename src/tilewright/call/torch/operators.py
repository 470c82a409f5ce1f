"""torch's operators `tilewright::matmul`, `reduced_matmul` and `dot`, for autograd and torch.compile.

Each does the same as the public function, and has a shape function and gradients. Plain calls do not come here; tensors
that record gradients do, and tensors without values, as in torch.compile. Importing this imports torch and registers
the operators.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch._functorch.utils import enable_single_level_autograd_function
from torch.autograd.forward_ad import _set_fwd_grad_enabled
from torch.autograd.function import _SingleLevelFunction

from tilewright.arrays.errors import DtypeError, ShapeError
from tilewright.arrays.library_array import described
from tilewright.arrays.numpy import type_name
from tilewright.arrays.torch_modes import check_no_out
from tilewright.call.arguments import check_device, check_kernel_name, check_precision, check_tile, checked_tile
from tilewright.call.dot import dot_here
from tilewright.call.epilogue import check_epilogue
from tilewright.call.matmul import multiply_here
from tilewright.call.reduced_matmul import reduced_matmul_here
from tilewright.call.repeated_product import OPTIONS, again
from tilewright.call.shapes import dot_shape

from . import batches, flops, gradients

Tensor = Any

MATMUL = (
    "(Tensor a, Tensor b, Tensor? c, Tensor? bias, *, ScalarType? out_dtype, float alpha, float beta, str? activation, "
    "str kernel_name, int[]? tile, str device, str precision) -> Tensor"
)
# torch.compile's own code has an argument called kernel, so that none of an operator's can be.
OTHERS = "(Tensor a, Tensor b, *, str kernel_name, int? tile, str device, str precision) -> Tensor"


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


def _matmul(a: Tensor, b: Tensor, c: Tensor, bias: Tensor, *, kernel_name: str, tile: Any, **options: Any) -> Tensor:
    with torch.no_grad(), _set_fwd_grad_enabled(mode=False):
        sides = None if tile is None else tile[0] if len(tile) == 1 else tuple(tile)
        named = {**options, "kernel": kernel_name, "tile": sides}
        given = a, b, c, bias, None
        chosen = tuple([named[name] for name in OPTIONS])
        result = again(given, chosen)
        return (multiply_here(*given, chosen) if result is None else result).contiguous()


def _reduced_matmul(a: Tensor, b: Tensor, *, kernel_name: str, **options: Any) -> Tensor:
    with torch.no_grad(), _set_fwd_grad_enabled(mode=False):
        return reduced_matmul_here(a, b, None, kernel=kernel_name, **options).contiguous()


def _dot(a: Tensor, b: Tensor, *, kernel_name: str, **options: Any) -> Tensor:
    with torch.no_grad(), _set_fwd_grad_enabled(mode=False):
        return dot_here(a, b, None, kernel=kernel_name, **options).contiguous()


def _matmul_shape(a: Tensor, b: Tensor, c: Tensor, bias: Tensor, *, out_dtype: Any, **options: Any) -> Tensor:  # noqa: ARG001
    check_epilogue(options["alpha"], options["beta"], c, options["activation"])
    return a.new_empty(_product_shape("matmul", a, b, 1), dtype=out_dtype or torch.promote_types(a.dtype, b.dtype))


def _reduced_matmul_shape(a: Tensor, b: Tensor, **_options: Any) -> Tensor:
    return a.new_empty(_product_shape("reduced_matmul", a, b, 2), dtype=torch.promote_types(a.dtype, b.dtype))


def _dot_shape(a: Tensor, b: Tensor, **_options: Any) -> Tensor:
    return a.new_empty(dot_shape(a, b), dtype=torch.promote_types(a.dtype, b.dtype))


def _product_shape(operation: str, a: Tensor, b: Tensor, pair: int) -> tuple[Any, ...]:
    """The result's shape, whose extents may be torch's symbols; ``pair`` rows or columns become one."""
    given = f"A is {tuple(a.shape)} {a.dtype} and B is {tuple(b.shape)} {b.dtype}"
    least = pair  # a reduced product takes matrices
    if a.ndim < least or b.ndim < least:
        raise ShapeError(f"{operation} takes arrays of {least} or more dimensions, but {given}.")
    if a.shape[-1] != (b.shape[-2] if b.ndim > 1 else b.shape[0]):
        raise ShapeError(f"{operation} takes A (m, k) and B (k, n), but {given}: the inner sizes differ.")
    rows = (a.shape[-2] // pair,) if a.ndim > 1 else ()
    columns = (b.shape[-1] // pair,) if b.ndim > 1 else ()
    return (*torch.broadcast_shapes(a.shape[:-2], b.shape[:-2]), *rows, *columns)


library = torch.library.Library("tilewright", "DEF")
"""Our operators; what is registered with it lives as long as it does."""


def _registered(name: str, function: Any, schema: str, fake: Any, derivatives: Derivatives, batched: Any) -> None:
    """Register the operator with torch; its functions live as long as `library`."""
    qualified = f"tilewright::{name}"
    library.define(f"{name}{schema}", tags=torch.Tag.pt2_compliant_tag)
    operator = getattr(torch.ops.tilewright, name).default
    library.impl(name, function, "CompositeExplicitAutograd")
    library.impl(name, autograd_of(operator, derivatives), "Autograd", with_keyset=True)
    torch.library.register_fake(qualified, fake, lib=library)
    torch.library.register_vmap(qualified, batched, lib=library)


_registered(
    "matmul",
    _matmul,
    MATMUL,
    _matmul_shape,
    Derivatives(gradients.backward_of_matmul, gradients.tangent_of_matmul),
    batches.matmul_of_batches,
)
_registered(
    "reduced_matmul",
    _reduced_matmul,
    OTHERS,
    _reduced_matmul_shape,
    Derivatives(gradients.backward_of_reduced_matmul, gradients.tangent_of_reduced_matmul),
    batches.reduced_matmul_of_batches,
)
_registered(
    "dot",
    _dot,
    OTHERS,
    _dot_shape,
    Derivatives(gradients.backward_of_dot, gradients.tangent_of_dot),
    batches.dot_of_batches,
)
flops.register([torch.ops.tilewright.matmul, torch.ops.tilewright.reduced_matmul, torch.ops.tilewright.dot])


def matmul_by_operator(
    a: Tensor,
    b: Tensor,
    c: Tensor,
    bias: Tensor,
    out: Tensor,
    *,
    out_dtype: Any,
    alpha: Any,
    beta: Any,
    kernel: Any,
    tile: Any,
    **options: Any,
) -> Tensor:
    """`tilewright.matmul` of tensors through its operator."""
    check_no_out("matmul", out, a, b, c, bias)
    check_not_nested(A=a, B=b, c=c, bias=bias)
    tile = _checked(kernel, options["device"], tile, options["precision"], checked_tile)
    if not torch.compiler.is_compiling():
        check_epilogue(alpha, beta, c, options["activation"])
        out_dtype = None if out_dtype is None else type_name(out_dtype)
    sides = None if tile is None else [tile] if isinstance(tile, int) else list(tile)
    dtype = getattr(torch, out_dtype, None) if isinstance(out_dtype, str) else out_dtype
    if dtype is None and out_dtype is not None:
        raise DtypeError(f"out_dtype is {out_dtype}, which torch does not have.")
    numbers = {"alpha": float(alpha), "beta": float(beta)}
    chosen = {"kernel_name": kernel, "tile": sides}
    return _in(out, torch.ops.tilewright.matmul(a, b, c, bias, out_dtype=dtype, **numbers, **chosen, **options))


def by_operator(operation: str, a: Tensor, b: Tensor, out: Tensor, *, kernel: Any, **options: Any) -> Tensor:
    """`tilewright.reduced_matmul` or `dot` of tensors through its operator."""
    check_no_out(operation, out, a, b)
    check_not_nested(A=a, B=b)
    options["tile"] = _checked(kernel, options["device"], options["tile"], options["precision"], check_tile)
    return _in(out, getattr(torch.ops.tilewright, operation)(a, b, kernel_name=kernel, **options))


def _in(out: Tensor | None, result: Tensor) -> Tensor:
    """The result, or `out` holding it: what traces the call sees an operator and a copy, and compiles both."""
    if out is None:
        return result
    into, found = described(out), described(result)
    if into.shape != found.shape:
        raise ShapeError(
            f"out is {into.shape} {into.dtype}, but the result is {found.shape} {found.dtype}; "
            "the shapes must be equal."
        )
    if into.dtype != found.dtype:
        raise DtypeError(f"out is {into.shape} {into.dtype}, and {found.dtype}, the result's type, is accepted.")
    return out.copy_(result)


def _checked(kernel: Any, device: Any, tile: Any, precision: Any, check: Callable[[Any], Any]) -> Any:
    """The tile, after a check of all four arguments: the operator's own message would only quote its schema."""
    check_kernel_name(kernel)
    check_device(device)
    check_precision(precision)
    return check(tile)


def check_not_nested(**given: Tensor | None) -> None:
    """Raise DtypeError for a nested tensor, for which an operator's own message is unclear."""
    for name, tensor in given.items():
        if tensor is not None and tensor.is_nested:
            raise DtypeError(f"{name} is a nested tensor, and dense tensors are accepted.")
