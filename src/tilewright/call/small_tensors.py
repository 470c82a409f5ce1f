"""Small products of torch's host tensors, which torch multiplies at once: looking at them would take longer.

torch records their gradients itself. Whatever else watches a call, or could change the types or the precision of
torch's own product, keeps it from this way.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from tilewright.arrays.torch_modes import guard_of
from tilewright.choose.trip import LEAST_FLOPS

FULL = frozenset({"none", "ieee", "highest"})
"""The names that torch has for float32 in all its bits, "none" being its default."""


def extents_of(torch: Any, a: Any, b: Any) -> tuple[int, int, int, int] | None:
    """m, k, n and an element's bytes, if these are small matrices of float32 or float64 that fit, in plain tensors.

    A is on the host. A plain tensor may be a parameter, too.
    """
    plain, narrow = torch.Tensor, torch.float32
    if (type(a) is not plain and type(a) is not torch.nn.Parameter) or (
        type(b) is not plain and type(b) is not torch.nn.Parameter
    ):
        return None
    dtype, strided = a.dtype, torch.strided
    if (dtype is not narrow and dtype is not torch.float64) or b.dtype is not dtype:
        return None
    if a.layout is not strided or b.layout is not strided or not b.is_cpu:
        return None
    if not is_unwatched(torch, dtype):  # what traces would make tensors of the extents
        return None
    try:
        (m, k), (rows, n) = a.shape, b.shape
    except (RuntimeError, ValueError):  # a nested tensor has no shape, and vectors have no two extents
        return None
    return (m, k, n, 4 if dtype is narrow else 8) if k == rows and 2 * m * n * k < LEAST_FLOPS else None


def is_unwatched(torch: Any, dtype: Any) -> bool:
    """Whether a product is torch's plain one now, in all bits: no mode, transform, trace, compiler or autocast."""
    core = torch._C  # noqa: SLF001
    if (
        torch.compiler.is_compiling()
        or core._len_torch_function_stack()  # noqa: SLF001
        or core._len_torch_dispatch_stack()  # noqa: SLF001
        or core._is_tracing()  # noqa: SLF001
        or core._are_functorch_transforms_active()  # noqa: SLF001
        or core._is_any_autocast_enabled()  # noqa: SLF001  (in a quarter of the time it takes to ask for "cpu")
    ):
        return False
    if dtype is not torch.float32:
        return True
    try:  # set_float32_matmul_precision changes it, too
        precision = core._get_fp32_precision_getter("mkldnn", "matmul")  # noqa: SLF001
    except AttributeError:  # an older torch
        precision = core._get_float32_matmul_precision()  # noqa: SLF001
    return precision in FULL


def product(a: Any, b: Any, out: Any) -> Any:
    """A B of small tensors, of which A is on the host, or `out`; None for others.

    An `out` that torch would resize, and one that shares memory with A or B or may, is for others to look at.
    """
    torch = sys.modules.get("torch")
    if torch is None or (extents := extents_of(torch, a, b)) is None:
        return None
    if out is None:
        return torch.mm(a, b)
    m, k, n, element_bytes = extents
    try:
        if type(out) is not torch.Tensor or out.shape != (m, n) or not out.is_contiguous():
            return None
        to, of_a, of_b = out.data_ptr(), a.data_ptr(), b.data_ptr()
        end = to + element_bytes * m * n
        # No stride of torch's is negative: what begins behind `out` lies behind it.
        if (of_a >= end or (of_a + element_bytes * m * k <= to and a.is_contiguous())) and (
            of_b >= end or (of_b + element_bytes * k * n <= to and b.is_contiguous())
        ):
            return torch.mm(a, b, out=out)
    except RuntimeError:  # an `out` without memory or of another type or device, or gradients: refused elsewhere
        pass
    return None


def planned(a: Any, b: Any) -> Callable[[Any, Any], Any] | None:
    """A function that multiplies small tensors of these layouts; None where there is none.

    It returns None for other tensors, and where something watches.
    """
    torch = sys.modules.get("torch")
    if torch is None or extents_of(torch, a, b) is None:
        return None
    fit = guard_of(a, b)
    if fit is None:
        return None
    dtype = a.dtype

    def multiply(left: Any, right: Any) -> Any:
        try:
            # A guard ends the process at a nested tensor, which has no strides to compare.
            if is_unwatched(torch, dtype) and not (left.is_nested or right.is_nested) and fit(left, right):
                return torch.mm(left, right)
        except (AttributeError, TypeError):  # no tensors
            pass
        return None

    return multiply
