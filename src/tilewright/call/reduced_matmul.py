"""`tilewright.reduced_matmul`."""

from __future__ import annotations

from typing import Any

from .pipeline import multiply


def reduced_matmul(
    a: object, b: object, *, kernel: str = "auto", device: str = "auto", tile: int | None = None, out: object = None
) -> Any:
    """The reduced matrix product (RMM) of seed 003: pairs of rows of A meet pairs of columns of B.

    C[i, j] = sum over p of (A[2i, p] + A[2i+1, p]) (B[p, 2j] + B[p, 2j+1]).

    Args:
        a: A (..., m, k), m even: a NumPy array or nested lists, with any strides.
        b: B (..., k, n), n even.
        kernel: "auto", "naive_4p", "naive_p", "tiled", "sequential" or "numpy".
        device: "auto", "host", "gpu" or "emulator", as for matmul.
        tile: the kernel's tile; None takes its default.
        out: an array of exactly C's shape that takes the result; it may be A or B.

    Returns:
        C (..., m/2, n/2), or `out`.

    Raises:
        ShapeError: the shapes do not fit or are odd; the message names both, and both types.
        DtypeError: the types are not accepted.
        PlanError: no such device, or a kernel or tile that cannot do this.
        UnknownKernelError: no kernel has that name.
        DeviceUnavailableError: the machine cannot be used here.
    """
    return multiply("reduced_matmul", a, b, kernel=kernel, device=device, tile=tile, out=out)
