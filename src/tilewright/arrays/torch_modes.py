"""What torch does with a call: traces it for compilation, records gradients or tangents, or passes it to a subclass."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from .errors import DtypeError


def is_traced(given: object) -> bool:
    """Whether it is a tensor in code that torch.compile is tracing."""
    torch = sys.modules.get("torch")
    return torch is not None and torch.compiler.is_compiling() and isinstance(given, torch.Tensor)


def needs_operator(*given: object) -> bool:
    """Whether a tensor among these records gradients or tangents, or has no values, so that it needs an operator."""
    torch = sys.modules.get("torch")
    if torch is None:
        return False
    tensors = [tensor for tensor in given if isinstance(tensor, torch.Tensor)]
    if torch._C._len_torch_dispatch_stack():  # a mode that sees operators alone, as torch.fx's tracing is  # noqa: SLF001
        return bool(tensors)
    recording, plain = torch.is_grad_enabled(), torch.Tensor.__torch_dispatch__
    wrapped = torch._C._functorch.is_functorch_wrapped_tensor  # noqa: SLF001
    forward = torch.autograd.forward_ad
    return any(
        (recording and tensor.requires_grad)
        or type(tensor).__torch_dispatch__ is not plain
        or tensor.device.type == "meta"
        or wrapped(tensor)
        for tensor in tensors
    ) or (
        forward._current_level >= 0  # noqa: SLF001
        and torch._C._is_fwd_grad_enabled()  # noqa: SLF001
        and any(forward.unpack_dual(tensor).tangent is not None for tensor in tensors)
    )


def dispatch_modes() -> dict[str, Any]:
    """The state of torch's dispatch modes: "_is_in_torch_dispatch_mode" says whether there are any."""
    import torch

    found: dict[str, Any] = vars(torch.utils._python_dispatch)  # noqa: SLF001
    return found if "_is_in_torch_dispatch_mode" in found else {"_is_in_torch_dispatch_mode": False}


def is_overridden(*given: object) -> bool:
    """Whether one of these, or a mode, has a `__torch_function__`, to which torch's own functions pass their calls."""
    torch = sys.modules.get("torch")
    if torch is None or not any(isinstance(array, torch.Tensor) for array in given):
        return False
    return bool(torch.overrides.has_torch_function(given))


def by_override(function: Callable[..., Any], relevant: tuple[Any, ...], *given: Any, **options: Any) -> Any:
    """Make a call through `__torch_function__`; by default, a subclass's returns results of that subclass."""
    import torch

    return torch.overrides.handle_torch_function(function, relevant, *given, **options)


def forward_mode() -> dict[str, Any]:
    """The state of torch's forward mode: "_current_level" is 0 if tensors can have tangents, else -1."""
    import torch

    found: dict[str, Any] = vars(torch.autograd.forward_ad)
    return found


def check_no_out(operation: str, out: object) -> None:
    """Raise DtypeError for an `out`, since gradients are not recorded through writes to it."""
    if out is not None:
        raise DtypeError(
            f"{operation} with out= records no gradients and is not compiled, but an array requires gradients or is "
            "traced; leave out away, or call it under torch.no_grad()."
        )
