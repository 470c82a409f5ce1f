"""Products of bfloat16 tensors of the host by torch's own kernels, where those lose nothing.

Processors multiply bfloat16 in pairs (x86's VDPBF16PS), sum in float32, and take subnormal numbers for 0. If no number
but 0 is below 2^-56, each is a multiple of 2^-63, and so every product and every sum, rounded or not, is one of 2^-126:
none is subnormal. Then torch's result is float32's sums, rounded once, in a fraction of the time of float32's product.
"""

from __future__ import annotations

import sys
from functools import cache
from typing import Any

import numpy

from .small_tensors import is_unwatched

LEAST = 0x2380
"""The bits of 2^-56."""
NEGATIVE = -0x8000
"""Those of -0, as a signed number."""
LEAST_EXTENT = 16
"""Smaller ones torch gives to kernels for vectors."""


def product(a: Any, b: Any) -> Any:
    """A B of matrices in plain tensors without gradients; None for others, and where torch's bits would differ."""
    torch = sys.modules.get("torch")
    if torch is None or type(a) is not torch.Tensor or type(b) is not torch.Tensor:
        return None
    if a.dtype is not torch.bfloat16 or b.dtype is not torch.bfloat16 or not is_unwatched(torch, a.dtype):
        return None
    if not (_is_dense(torch, a) and _is_dense(torch, b) and _multiplies_in_float32(torch)):
        return None
    (m, k), (rows, n) = a.shape, b.shape
    if k != rows or min(m, n, k) < LEAST_EXTENT or not torch.backends.mkldnn.enabled:
        return None
    if _has_small(torch, a) or _has_small(torch, b):
        return None
    return torch.mm(a, b)


def _is_dense(torch: Any, x: Any) -> bool:
    return bool(
        x.is_cpu
        and x.layout is torch.strided
        and not x.is_nested
        and len(x.shape) == 2
        and not (x.requires_grad and torch.is_grad_enabled())
    )


def _has_small(torch: Any, x: Any) -> bool:
    """Whether a number but 0 is below 2^-56 in magnitude."""
    bits = x.view(torch.int16).numpy()
    unsigned, smallest = bits.view(numpy.uint16), numpy.minimum.reduce
    # The smallest of each sign, in the order of memory, as NumPy finds it fastest. One less puts both zeros last.
    if smallest(unsigned, axis=None) >= LEAST and smallest(bits, axis=None) >= NEGATIVE + LEAST:
        return False
    less = unsigned - numpy.uint16(1)
    return bool(less.min() < LEAST - 1 or less.view(numpy.int16).min() < NEGATIVE + LEAST - 1)


@cache
def _multiplies_in_float32(torch: Any) -> bool:
    """Whether torch hands bfloat16 to oneDNN on this processor; how it sums elsewhere differs between versions."""
    try:
        return bool(torch.ops.mkldnn._is_mkldnn_bf16_supported())  # noqa: SLF001
    except (AttributeError, RuntimeError):
        return False
