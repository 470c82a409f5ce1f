"""Runs a kernel of the catalogue on random matrices and bounds its error."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.emulate.running import launch
from tilewright.compile import compile_kernel
from tilewright.emulate import LaunchResult
from tilewright.kernels import TaughtKernel, find_taught

Matrix = NDArray[Any]


@functools.cache
def ptx_of_kernel(name: str, dtype: str, tile: int | None) -> tuple[TaughtKernel, str]:
    """Return the catalogue's entry and its compiled text."""
    kernel = find_taught(*name.split("/"))
    text = compile_kernel(kernel, dtype, tile).ptx
    assert text is not None
    return kernel, text


@dataclass
class Run:
    """What a launch left: the product, its factors, and the counts."""

    a: Matrix
    b: Matrix
    c: Matrix
    result: LaunchResult
    threads: int

    def check(self, operation: str) -> None:
        """Assert that every element is within the bound gamma_k |A| |B| of the float64 result."""
        a, b = self.a.astype(np.float64), self.b.astype(np.float64)
        if operation == "reduced_matmul":
            a, b = a[0::2] + a[1::2], b[:, 0::2] + b[:, 1::2]
            magnitude = (np.abs(self.a[0::2]) + np.abs(self.a[1::2])).astype(np.float64) @ (
                np.abs(self.b[:, 0::2]) + np.abs(self.b[:, 1::2])
            ).astype(np.float64)
        else:
            magnitude = np.abs(a) @ np.abs(b)
        c = self.c.sum(dtype=np.float64) if operation == "dot" else self.c
        # 4 k roundings cover the four products per p of naive_4p; 2 more the sums of pairs.
        unit = np.finfo(self.a.dtype).eps / 2 + (np.finfo(np.float64).eps / 2) * 2
        steps = 4 * self.a.shape[-1] + 2
        gamma = steps * unit / (1 - steps * unit)
        assert (np.abs(c - a @ b) <= gamma * magnitude).all()


def run_kernel(
    name: str,
    m: int,
    n: int,
    k: int,
    *,
    dtype: str = "float32",
    tile: int | None = None,
    ptx: str | None = None,
    **options: Any,
) -> Run:
    """Run `name` on matrices of normal random numbers."""
    kernel, text = ptx_of_kernel(name, dtype, tile)
    generator = np.random.default_rng([m, n, k])
    dot = kernel.operation == "dot"
    a = generator.normal(size=k if dot else (m, k)).astype(dtype)
    b = generator.normal(size=k if dot else (k, n)).astype(dtype)
    c = np.full(kernel.c_elements(m, n, k, tile), np.nan, dtype=dtype)
    sizes = [k] if dot else [m, n, k]
    grid, block = kernel.grid(m, n, k, tile), kernel.block(tile)
    result = launch(ptx or text, a, b, c, *sizes, grid=grid, block=block, entry=kernel.entry, **options)
    shape = {"matmul": (m, n), "reduced_matmul": (m // 2, n // 2), "dot": c.shape}[kernel.operation]
    return Run(a, b, c.reshape(shape), result, int(np.prod(grid) * np.prod(block)))
