"""The matrices that `compare` multiplies: random, seed 004's, or from files."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy
from numpy.typing import NDArray

from tilewright.call.arrays import check_shapes
from tilewright.call.files import read_matrix
from tilewright.choose import Problem
from tilewright.kernels import find_operation

from .refusals import Refusal

Array = NDArray[Any]

SEED_SIZES = {
    "matmul": (64, 64, 64),  # seed 004's M = L = 64; its N = 62 would keep tiled_exact out
    "reduced_matmul": (64, 64, 64),  # half of the smallest size of seed 003's table 4.2
    "dot": (1, 1, 10_000),  # seed 004: N = 10000
}
"""m, n and k where none are given."""
SEED_004_SIZES = {**SEED_SIZES, "matmul": (64, 64, 62)}
"""The same for seed 004's own inputs."""

SQRT_2 = 1.4142135623730950488016887242  # as seed 004 writes it


@dataclass(frozen=True)
class Inputs:
    """A, B and where they come from.

    source: "random", "seed004" or "files". notes: what was done to them, a sentence each.
    """

    problem: Problem
    a: Array
    b: Array
    source: str
    description: str
    notes: tuple[str, ...] = ()
    seed: int | None = None


def random_inputs(operation: str, size: tuple[int, int, int], dtype: str, seed: int) -> Inputs:
    """Normally distributed numbers from NumPy's default generator."""
    a_shape, b_shape = _shapes(operation, size)
    generator = numpy.random.default_rng(seed)
    a = generator.standard_normal(a_shape, dtype=numpy.dtype(dtype).type)
    b = generator.standard_normal(b_shape, dtype=numpy.dtype(dtype).type)
    return Inputs(_problem(operation, size, dtype), a, b, "random", f"random (seed {seed})", seed=seed)


def seed_004_inputs(operation: str, size: tuple[int, int, int], dtype: str) -> Inputs:
    """sqrt(2) everywhere, so that every element of the result is 2K (8K for reduced_matmul)."""
    a_shape, b_shape = _shapes(operation, size)
    a, b = numpy.full(a_shape, SQRT_2, dtype), numpy.full(b_shape, SQRT_2, dtype)
    return Inputs(_problem(operation, size, dtype), a, b, "seed004", "sqrt(2) everywhere (seed 004)")


def file_inputs(operation: str | None, paths: tuple[str, str], dtype: str | None) -> Inputs:
    """A and B from two files, as float32 if both are or if that was asked for, otherwise as float64.

    operation: None chooses dot for two vectors and matmul for all else.
    """
    arrays = [read_matrix(path) for path in paths]
    if operation is None:
        operation = "dot" if all(array.ndim == 1 for array in arrays) else "matmul"
    if operation == "dot":
        arrays = [array.reshape(-1) if 1 in array.shape else array for array in arrays]
    for path, name, array in zip(paths, "AB", arrays, strict=True):
        if operation != "dot" and array.ndim != 2:
            raise Refusal(f"{path} holds {name} of shape {array.shape}, and {operation} takes matrices.")
    check_shapes(operation, arrays[0], arrays[1])
    both_single = all(array.dtype.newbyteorder("=") == numpy.float32 for array in arrays)
    dtype = dtype or ("float32" if both_single else "float64")
    notes = tuple(
        f"{name} holds {array.dtype} numbers, which are multiplied as {dtype}."
        for name, array in zip("AB", arrays, strict=True)
        if array.dtype.newbyteorder("=") != numpy.dtype(dtype)
    )
    with numpy.errstate(over="ignore"):
        a, b = (numpy.ascontiguousarray(array, dtype=dtype) for array in arrays)
    size = (1, 1, a.shape[0]) if operation == "dot" else (a.shape[0], b.shape[1], a.shape[1])
    description = " and ".join(Path(path).name for path in paths)
    return Inputs(_problem(operation, size, dtype), a, b, "files", description, notes)


def _shapes(operation: str, size: tuple[int, int, int]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    m, n, k = size
    shapes = find_operation(operation)
    refusal = shapes.refusal(m, n, k)
    if refusal is not None:
        raise Refusal(refusal)
    return shapes.a_shape(m, k), shapes.b_shape(k, n)


def _problem(operation: str, size: tuple[int, int, int], dtype: str) -> Problem:
    m, n, k = size
    return Problem(operation, m, n, k, dtype)
