"""Small products of torch's host tensors, which torch multiplies at once: looking at them would take longer.

torch records their gradients itself. Whatever else watches a call, or could change the types or the precision of
torch's own product, keeps it from this way.
"""

from __future__ import annotations

import sys
from typing import Any

from tilewright.choose.trip import LEAST_FLOPS

FULL = frozenset({"none", "ieee", "highest"})
"""The names that torch has for float32 in all its bits, "none" being its default."""


def are_small(a: Any, b: Any) -> bool:
    """Whether these are small matrices of the host that fit, of float32 or float64, in plain tensors or parameters."""
    torch = sys.modules.get("torch")
    if torch is None or torch.compiler.is_compiling():
        return False
    core, plain = torch._C, torch.Tensor  # noqa: SLF001
    if (type(a) is not plain and type(a) is not torch.nn.Parameter) or (
        type(b) is not plain and type(b) is not torch.nn.Parameter
    ):
        return False
    if core._len_torch_function_stack() or core._len_torch_dispatch_stack() or core._get_tracing_state() is not None:  # noqa: SLF001
        return False
    dtype, strided = a.dtype, torch.strided
    if b.dtype is not dtype or a.layout is not strided or b.layout is not strided or not b.is_cpu:
        return False
    if a.is_nested or b.is_nested or core._are_functorch_transforms_active() or torch.is_autocast_enabled("cpu"):  # noqa: SLF001
        return False
    if dtype is torch.float32:
        of_host = getattr(
            core, "_get_fp32_precision_getter", None
        )  # torch.set_float32_matmul_precision changes it, too
        precision = core._get_float32_matmul_precision() if of_host is None else of_host("mkldnn", "matmul")  # noqa: SLF001
        if precision not in FULL:
            return False
    elif dtype is not torch.float64:
        return False
    shape, shape_of_b = a.shape, b.shape
    if len(shape) != 2 or len(shape_of_b) != 2:
        return False
    (m, k), (rows, n) = shape, shape_of_b
    return bool(k == rows and 2 * m * n * k < LEAST_FLOPS)
