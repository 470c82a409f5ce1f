"""`tilewright.dot`."""

from __future__ import annotations

from typing import Any

from .pipeline import multiply


def dot(
    a: object, b: object, *, kernel: str = "auto", device: str = "auto", tile: int | None = None, out: object = None
) -> Any:
    """The dot product of two vectors: the sum over p of A[p] B[p] (seed 004).

    Args:
        a: A (k,): a NumPy array or a list, with any stride.
        b: B (k,).
        kernel: "auto", "single_thread", "tiled", "sequential" or "numpy".
        device: "auto", "host", "gpu" or "emulator", as for matmul.
        tile: threads per block of the tiled kernel, a power of two; None takes its default.
        out: an array of shape () that takes the result.

    Returns:
        A scalar of the arrays' type, or `out`. The tiled kernel leaves one partial sum per block, which the host adds.

    Raises:
        ShapeError: not two vectors of one length; the message names both shapes and both types.
        DtypeError: the types are not accepted.
        PlanError: no such device, or a kernel or tile that cannot do this.
        UnknownKernelError: no kernel has that name.
        DeviceUnavailableError: the machine cannot be used here.
    """
    return multiply("dot", a, b, kernel=kernel, device=device, tile=tile, out=out)
