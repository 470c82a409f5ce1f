"""Tensors on the GPU for the tests of products, and whether a product is right."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: pip install torch")

from tilewright.launch import DeviceUnavailableError  # noqa: E402
from tilewright.launch.cuda.device import cuda_device  # noqa: E402

CYCLES = 400_000_000
"""Some 0.2 s of a GPU's clock: what follows on the stream has not begun when a call returns."""


def first_gpu():
    """The first GPU, as torch has it; without one the tests are skipped, with the reason."""
    try:
        found = cuda_device(0)
    except DeviceUnavailableError as unavailable:
        pytest.skip(str(unavailable))
    if not torch.cuda.is_available():
        pytest.skip("this torch has no CUDA")
    torch.cuda.init()
    return found


def first_hopper():
    """The first GPU, if it is a Hopper; else the tests are skipped, with the reason."""
    found = first_gpu()
    if found.capability != (9, 0):
        pytest.skip(f"the kernel is for compute capability 9.0, and this GPU has {found.capability}")
    return found


def first_with_bfloat16():
    """The first GPU, if it has bfloat16 (and cp.async); else the tests are skipped, with the reason."""
    found = first_gpu()
    if found.capability < (8, 0):
        pytest.skip(f"the kernel takes bfloat16 from compute capability 8.0 on; this GPU has {found.capability}")
    return found


def random(*shape, dtype=torch.bfloat16):
    """Fresh random numbers on the GPU."""
    return torch.randn(shape, device="cuda", dtype=torch.float32).to(dtype)


def is_right(c, a, b, dtype=None):
    """Within the bound of the arithmetic: sums in float32 (float64 for float64), one rounding to the type."""
    dtype = dtype or a.dtype
    exact, size = a.double() @ b.double(), a.double().abs() @ b.double().abs()
    summing = torch.finfo(torch.float64 if a.dtype == torch.float64 else torch.float32).eps
    bound = torch.finfo(dtype).eps * exact.abs() + (a.shape[-1] + 16) * summing * size
    return c.dtype == dtype and c.shape == exact.shape and bool(((c.double() - exact).abs() <= bound).all())
