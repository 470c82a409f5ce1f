"""Compares a torch tensor's layout with a known one in a single call, by torch.compile's guards.

If the installed torch has no such guards, or they behave differently, there is no guard, and the caller compares
shape, strides, type and device one by one.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

Guard = Callable[[Any], bool]
"""Returns True only for a tensor of the same class, shape, strides, type, device, sign and gradient mode."""


def guard_of(tensor: Any) -> Guard | None:
    """A guard for this tensor's layout; None if torch has none."""
    import torch

    return _made(tensor) if _works(torch.Tensor) else None


def _made(tensor: Any) -> Guard:
    import torch

    guards = torch._C._dynamo.guards  # noqa: SLF001
    check: Guard = guards.TensorGuards(
        tensor, dynamic_dims_sizes=[list(tensor.shape)], dynamic_dims_strides=[list(tensor.stride())]
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
        return guard(torch.ones(2, 3)) is True and not any(guard(other) for other in others)
    except Exception:  # noqa: BLE001  (whatever is not as expected there: then there are no guards)
        return False
