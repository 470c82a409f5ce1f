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


def extents_of(torch: Any, a: Any, b: Any) -> tuple[int, int, int] | None:
    """m, k and n, if these are small matrices of the host that fit, of float32 or float64, in plain tensors.

    A plain tensor may be a parameter, too.
    """
    plain = torch.Tensor
    if (type(a) is not plain and type(a) is not torch.nn.Parameter) or (
        type(b) is not plain and type(b) is not torch.nn.Parameter
    ):
        return None
    dtype = a.dtype
    if (dtype is not torch.float32 and dtype is not torch.float64) or not is_unwatched(torch, dtype):
        return None
    strided = torch.strided
    if b.dtype is not dtype or a.layout is not strided or b.layout is not strided or not b.is_cpu:
        return None
    if a.is_nested or b.is_nested:
        return None
    shape, shape_of_b = a.shape, b.shape
    if len(shape) != 2 or len(shape_of_b) != 2:
        return None
    (m, k), (rows, n) = shape, shape_of_b
    return (m, k, n) if k == rows and 2 * m * n * k < LEAST_FLOPS else None


def is_unwatched(torch: Any, dtype: Any) -> bool:
    """Whether a product is torch's plain one now, in all bits: no mode, transform, trace, compiler or autocast."""
    core = torch._C  # noqa: SLF001
    if (
        torch.compiler.is_compiling()
        or core._len_torch_function_stack()  # noqa: SLF001
        or core._len_torch_dispatch_stack()  # noqa: SLF001
        or core._get_tracing_state() is not None  # noqa: SLF001
        or core._are_functorch_transforms_active()  # noqa: SLF001
        or torch.is_autocast_enabled("cpu")
    ):
        return False
    if dtype is not torch.float32:
        return True
    of_host = getattr(core, "_get_fp32_precision_getter", None)  # set_float32_matmul_precision changes it, too
    precision = core._get_float32_matmul_precision() if of_host is None else of_host("mkldnn", "matmul")  # noqa: SLF001
    return precision in FULL


def product(a: Any, b: Any, out: Any) -> Any:
    """A B of small tensors, or `out`; None for others."""
    torch = sys.modules.get("torch")
    if torch is None or (extents := extents_of(torch, a, b)) is None:
        return None
    if out is None:
        return torch.mm(a, b)
    if not _takes(torch, out, extents, a, b):
        return None
    try:
        return torch.mm(a, b, out=out)
    except RuntimeError:  # what records gradients goes with no `out`, as is said elsewhere
        return None


def _takes(torch: Any, out: Any, extents: tuple[int, int, int], a: Any, b: Any) -> bool:
    """Whether torch writes the product of small tensors to `out` as it is.

    What it would resize, and what shares memory with A or B or may, is for others to look at.
    """
    dtype, (m, k, n) = a.dtype, extents
    if type(out) is not torch.Tensor or out.dtype is not dtype or not out.is_cpu:
        return False
    if out.shape != (m, n):
        return False
    if not (out.is_contiguous() and a.is_contiguous() and b.is_contiguous()):
        return False
    element_bytes = 4 if dtype is torch.float32 else 8  # computed faster than torch says how many bytes
    to, of_a, of_b = out.data_ptr(), a.data_ptr(), b.data_ptr()
    end = to + element_bytes * m * n
    meets_a, meets_b = (
        of_a < end and to < of_a + element_bytes * m * k,
        of_b < end and to < of_b + element_bytes * k * n,
    )
    return not (meets_a or meets_b)


def planned(a: Any, b: Any) -> Callable[[Any, Any], Any] | None:
    """A function that multiplies small tensors of these layouts; None where there is none.

    It returns None for other tensors, and where something watches.
    """
    torch = sys.modules.get("torch")
    if torch is None or extents_of(torch, a, b) is None:
        return None
    fits_a, fits_b = guard_of(a), guard_of(b)
    if fits_a is None or fits_b is None:
        return None
    dtype = a.dtype

    def multiply(left: Any, right: Any) -> Any:
        try:
            if is_unwatched(torch, dtype) and fits_a(left) and fits_b(right):
                return torch.mm(left, right)
        except TypeError:  # no tensors
            pass
        return None

    return multiply
