"""What torch does with a call: traces it for compilation, records gradients or tangents, or passes it to a subclass."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache
from typing import Any

from .errors import DtypeError

Guard = Callable[..., bool]
"""Returns True only for tensors of the same classes, shapes, strides, types, devices, signs and gradient modes."""


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
    # A mode that sees operators alone, as torch.fx's tracing with real tensors is, or torch.jit.trace.
    if torch._C._len_torch_dispatch_stack() or torch._C._get_tracing_state() is not None:  # noqa: SLF001
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


def is_watched() -> bool:
    """Whether a mode, a transform, forward mode or a trace of torch's sees the calls that are made now."""
    import torch

    core = torch._C  # noqa: SLF001
    return bool(
        core._len_torch_function_stack()  # noqa: SLF001
        or core._len_torch_dispatch_stack()  # noqa: SLF001
        or core._are_functorch_transforms_active()  # noqa: SLF001
        or core._get_tracing_state() is not None  # noqa: SLF001
        or torch.autograd.forward_ad._current_level >= 0  # noqa: SLF001
    )


def are_distributed(*given: object) -> bool:
    """Whether one of these is a DTensor, which lies on the devices of a mesh. This does not import torch."""
    module = sys.modules.get("torch.distributed.tensor")
    return module is not None and any(isinstance(array, module.DTensor) for array in given)


def tracing_state() -> Callable[[], object]:
    """The function of torch that returns what torch.jit.trace records into; None outside of it."""
    import torch

    found: Callable[[], object] = torch._C._get_tracing_state  # noqa: SLF001
    return found


def untraced_shape(tensor: Any) -> tuple[int, ...]:
    """A tensor's shape as Python's integers, while torch.jit.trace records."""
    import torch

    recorded = torch._C._get_tracing_state()  # noqa: SLF001
    torch._C._set_tracing_state(None)  # noqa: SLF001
    try:
        return tuple(tensor.shape)
    finally:
        torch._C._set_tracing_state(recorded)  # noqa: SLF001


def dispatch_modes() -> dict[str, Any]:
    """The state of torch's dispatch modes: "_is_in_torch_dispatch_mode" says whether there are any."""
    import torch

    found: dict[str, Any] = vars(torch.utils._python_dispatch)  # noqa: SLF001
    return found if "_is_in_torch_dispatch_mode" in found else {"_is_in_torch_dispatch_mode": False}


def is_overridden(*given: object) -> bool:
    """Whether one of these, or a mode, has a `__torch_function__`, to which torch's own functions pass their calls.

    They need not be tensors: torch.fx.symbolic_trace calls with proxies.
    """
    torch = sys.modules.get("torch")
    if torch is None or not any(hasattr(type(array), "__torch_function__") for array in given):
        return False
    return bool(torch.overrides.has_torch_function(given))


def by_override(function: Callable[..., Any], relevant: tuple[Any, ...], *given: object, **options: object) -> Any:
    """Make a call through `__torch_function__`; by default, a subclass's returns results of that subclass."""
    import torch

    return torch.overrides.handle_torch_function(function, relevant, *given, **options)


def forward_mode() -> dict[str, Any]:
    """The state of torch's forward mode: "_current_level" is 0 if tensors can have tangents, else -1."""
    import torch

    found: dict[str, Any] = vars(torch.autograd.forward_ad)
    return found


def check_no_out(operation: str, out: object, *inputs: Any) -> None:
    """Raise DtypeError for an `out` of inputs whose gradients are recorded, since they are not through writes to it.

    Of tensors that are only traced or have no values, an `out` is written by torch's `copy_`, which is recorded.
    """
    torch = sys.modules.get("torch")
    if out is None or torch is None:
        return
    recording = torch.is_grad_enabled() and any(
        tensor.requires_grad for tensor in (*inputs, out) if isinstance(tensor, torch.Tensor)
    )
    if recording or (not torch.compiler.is_compiling() and torch._C._are_functorch_transforms_active()):  # noqa: SLF001
        raise DtypeError(
            f"{operation} with out= records no gradients and is not transformed, but an array requires gradients or is "
            "transformed; leave out away, or call it under torch.no_grad()."
        )


def guard_of(*tensors: Any) -> Guard | None:
    """A guard for the layouts of one or more tensors, called with as many; None if torch has none."""
    import torch

    return _made(*tensors) if _works(torch.Tensor) else None


def _made(*tensors: Any) -> Guard:
    import torch

    guards = torch._C._dynamo.guards  # noqa: SLF001
    check: Guard = guards.TensorGuards(
        *tensors,
        dynamic_dims_sizes=[list(tensor.shape) for tensor in tensors],
        dynamic_dims_strides=[list(tensor.stride()) for tensor in tensors],
    ).check
    return check


@cache
def _works(_: Any) -> bool:
    """Whether guards accept and refuse the right tensors with the installed torch; tested once."""
    try:
        import torch

        tensor = torch.zeros(2, 3)
        guard = _made(tensor)
        others = (
            torch.zeros(3, 3),
            torch.zeros(2, 3, 1),
            torch.zeros(3, 2).t(),
            torch.zeros(4, 3)[::2],
            torch.zeros(2, 3, dtype=torch.float64),
            torch.zeros(2, 3, dtype=torch.bfloat16),
            torch.zeros(2, 3, device="meta"),
            torch.zeros(2, 3, requires_grad=True),
            torch.nn.Parameter(torch.zeros(2, 3), requires_grad=False),
            torch._neg_view(torch.zeros(2, 3)),  # noqa: SLF001
        )
        both = _made(tensor, torch.zeros(3))
        vector, longer = torch.ones(3), torch.ones(4)
        return (
            guard(torch.ones(2, 3)) is True
            and not any(guard(other) for other in others)
            and both(torch.ones(2, 3), vector) is True
            and not (both(torch.ones(2, 3), longer) or both(torch.ones(3, 3), vector))
        )
    except Exception:  # noqa: BLE001  (whatever is not as expected there: then there are no guards)
        return False
