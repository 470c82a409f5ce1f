"""`tilewright.matmul`."""

from __future__ import annotations

from typing import Any

from .pipeline import multiply


def matmul(
    a: object, b: object, *, kernel: str = "auto", device: str = "auto", tile: int | None = None, out: object = None
) -> Any:
    """The matrix product C = A B, as `numpy.matmul` defines it (seeds 000, 001, 002, 004).

    Args:
        a: A (..., m, k) or (k,): a NumPy array or nested lists, with any strides.
        b: B (..., k, n) or (k,).
        kernel: "auto", or a kernel of the catalogue such as "tiled" (also "matmul/tiled", "sequential", "numpy").
        device: "host", "gpu" or "emulator". "auto" is the host; for a kernel that does not run there it is the GPU,
            or the emulator where none can be used.
        tile: the kernel's tile; None takes its default.
        out: an array of exactly C's shape that takes the result; it may be A or B.

    Returns:
        C (..., m, n), or `out`. On the GPU and the emulator float32 and float64 are accepted, and a mix computes in
        float64; on the host NumPy's rules hold. The matrices of a batch run one after another.

    Raises:
        ShapeError: the shapes do not fit; the message names both, and both types.
        DtypeError: the types are not accepted.
        PlanError: no such device, or a kernel or tile that cannot do this.
        UnknownKernelError: no kernel has that name.
        DeviceUnavailableError: the machine cannot be used here.
    """
    return multiply("matmul", a, b, kernel=kernel, device=device, tile=tile, out=out)
