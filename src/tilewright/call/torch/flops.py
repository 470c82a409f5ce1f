"""What torch's FlopCounterMode counts of our operators: two operations for each product of two numbers."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import torch
from torch.utils.flop_counter import flop_registry, register_flop_formula


def _flops(
    a_shape: Sequence[int], b_shape: Sequence[int], *_others: Any, out_shape: Any = None, **_options: Any
) -> int:
    count: int = 2 * prod(out_shape) * (a_shape[-1] if a_shape and b_shape else 1)
    return count


def register(operators: Sequence[Any]) -> None:
    """Tell torch, and counters that are at work already: each has copied what torch knew when it was made."""
    register_flop_formula(list(operators))(_flops)
    known = {operator: flop_registry[operator] for operator in operators}
    for mode in torch.utils._python_dispatch._get_current_dispatch_mode_stack():  # noqa: SLF001
        registry = getattr(getattr(mode, "counter", None), "flop_registry", None)
        if isinstance(registry, dict):
            registry.update(known)
