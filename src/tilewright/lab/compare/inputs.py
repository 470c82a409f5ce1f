"""The matrices that are multiplied: random, seed 004's, from files, or given."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy
from numpy.typing import NDArray

from tilewright.arrays.errors import ShapeError
from tilewright.arrays.numpy import as_operand, kernel_dtype
from tilewright.call.arguments import check_operation, check_size
from tilewright.call.files.reading import read_matrix
from tilewright.call.free_memory import free_memory_bytes
from tilewright.call.shapes import check_shapes
from tilewright.choose import PlanError, Problem
from tilewright.choose.quantities import in_words
from tilewright.kernels.operand import DTYPE_BYTES
from tilewright.kernels.problem import INPUT_DTYPES
from tilewright.lab.check.element_types import BFLOAT16, numbers

Array = NDArray[Any]
Sizes = tuple[int, int, int]

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
    """A problem, where its A and B come from, and how to make them.

    make: gives A and B; nothing is allocated before. source: "random", "seed004", "files" or "arrays". notes: sentences
    on conversions. held_bytes: the memory that A and B already take.
    """

    problem: Problem
    make: Callable[[], tuple[Array, Array]]
    source: str
    description: str
    notes: tuple[str, ...] = ()
    seed: int | None = None
    held_bytes: int = 0


def inputs_of(
    verb: str, a: object, b: object, operation: str | None, size: Sizes | None, dtype: str | None, seed: int
) -> Inputs:
    """Inputs from arrays or files, or random matrices without either; `verb` names the caller in errors.

    Raises:
        PlanError, ShapeError: one alone, or a size or type that cannot be used with them.
    """
    if operation is not None:
        check_operation(operation)
    types = ("float32", "float64", *(INPUT_DTYPES if verb == "compare" else ()))
    if dtype not in (None, *types):
        raise PlanError(f"{verb} takes the types {', '.join(types[:-1])} and {types[-1]}, not {dtype!r}.")
    if a is None and b is None:
        operation = operation or "matmul"
        m, n, k = check_size(size or SEED_SIZES[operation])
        return random_inputs(operation, (1, 1, k) if operation == "dot" else (m, n, k), dtype or "float32", seed)
    if a is None or b is None:
        raise ShapeError(f"Only one of A and B is given; {verb} takes both, or none for random matrices.")
    if size is not None:
        raise ShapeError(f"A and B have sizes of their own, so size = {size} cannot be used with them.")
    if isinstance(a, str | Path) and isinstance(b, str | Path):
        return file_inputs(operation, (str(a), str(b)), dtype)
    return array_inputs(operation, (a, b), dtype)


def random_inputs(operation: str, size: Sizes, dtype: str, seed: int) -> Inputs:
    """Normally distributed numbers from NumPy's default generator."""
    problem = problem_of(operation, size, dtype)
    made_in = numpy.float64 if dtype == "float64" else numpy.float32

    def make() -> tuple[Array, Array]:
        generator = numpy.random.default_rng(seed)
        a = in_type(generator.standard_normal(problem.a_shape, dtype=made_in), dtype)
        return a, in_type(generator.standard_normal(problem.b_shape, dtype=made_in), dtype)

    return Inputs(problem, make, "random", f"random (seed {seed})", seed=seed)


def seed_004_inputs(operation: str, size: Sizes, dtype: str) -> Inputs:
    """sqrt(2) everywhere, so that every element of the result is 2K (8K for reduced_matmul)."""
    problem = problem_of(operation, size, dtype)

    def make() -> tuple[Array, Array]:
        a, b = numpy.full(problem.a_shape, SQRT_2), numpy.full(problem.b_shape, SQRT_2)
        return in_type(a, dtype), in_type(b, dtype)

    return Inputs(problem, make, "seed004", "sqrt(2) everywhere (seed 004)")


def file_inputs(operation: str | None, paths: tuple[str, str], dtype: str | None) -> Inputs:
    """A and B from two files, as given_inputs takes them. Raises FileError, and what given_inputs raises."""
    return given_inputs(operation, [read_matrix(path) for path in paths], dtype, paths)


def array_inputs(operation: str | None, arrays: tuple[object, object], dtype: str | None) -> Inputs:
    """A and B as they are given: NumPy arrays or nested lists. Raises DtypeError, and what given_inputs raises."""
    left, right = (as_operand(array, name) for name, array in zip("AB", arrays, strict=True))
    if dtype is None and operation in (None, "matmul") and left.dtype == right.dtype == numpy.float16:
        dtype = "float16"
    return given_inputs(operation, [left, right], dtype or kernel_dtype(operation or "compare", left, right).name, None)


def given_inputs(
    operation: str | None, arrays: list[Array], dtype: str | None, paths: tuple[str, str] | None
) -> Inputs:
    """A and B in the type that was asked for; without one as float32 if both are, otherwise as float64.

    operation: None chooses dot for two vectors and matmul for all else. paths: where they are from.

    Raises:
        ShapeError: they do not fit the operation.
        PlanError: they do not fit in memory.
    """
    if operation is None:
        operation = "dot" if all(array.ndim == 1 for array in arrays) else "matmul"
    if operation == "dot":
        arrays = [array.reshape(-1) if 1 in array.shape else array for array in arrays]
    for where, name, array in zip(paths or ("", ""), "AB", arrays, strict=True):
        if operation != "dot" and array.ndim != 2:
            holds = f"{where} holds {name} of shape {array.shape}" if where else f"{name} has the shape {array.shape}"
            raise ShapeError(f"{holds}, and {operation} takes matrices.")
    check_shapes(operation, arrays[0], arrays[1])
    both_single = all(array.dtype.newbyteorder("=") == numpy.float32 for array in arrays)
    dtype = dtype or ("float32" if both_single else "float64")
    needed, free = sum(array.size for array in arrays) * DTYPE_BYTES[dtype], free_memory_bytes()
    if free is not None and needed > free:
        raise PlanError(f"A and B take {in_words(needed)} as {dtype}, and {in_words(free)} of memory are free.")
    a, b = (in_type(array, dtype) for array in arrays)
    notes = (_conversion(name, *pair, dtype) for name, pair in zip("AB", zip(arrays, (a, b), strict=True), strict=True))
    m, n, k = (1, 1, a.shape[0]) if operation == "dot" else (a.shape[0], b.shape[1], a.shape[1])
    return Inputs(
        problem_of(operation, (m, n, k), dtype),
        lambda: (a, b),
        "files" if paths else "arrays",
        " and ".join(Path(path).name for path in paths) if paths else "as given",
        tuple(note for note in notes if note),
        held_bytes=a.nbytes + b.nbytes,
    )


def problem_of(operation: str, size: Sizes, dtype: str) -> Problem:
    """A problem of packed matrices. Sums of 16-bit numbers stay float32, so that each kernel's own error shows."""
    problem = Problem.of(operation, *size, dtype)
    return replace(problem, out_dtype="float32") if dtype in INPUT_DTYPES else problem


def in_type(values: Array, dtype: str) -> Array:
    """The values rounded to a type, in rows without gaps; bfloat16 as `numbers` reads it."""
    with numpy.errstate(over="ignore"):
        if dtype != "bfloat16":
            return numpy.ascontiguousarray(values, dtype)
        single = numpy.ascontiguousarray(values, numpy.float32)
        bits = single.view(numpy.uint32)
        up = numpy.where(numpy.isfinite(single), 0x7FFF + (bits >> 16 & 1), 0)
    return ((bits + up) >> 16).astype(numpy.uint16).view(BFLOAT16)


def _conversion(name: str, given: Array, used: Array, dtype: str) -> str:
    """A sentence on numbers converted from another type, or ""."""
    if given.dtype.newbyteorder("=") == used.dtype:
        return ""
    sentence = f"{name} holds {given.dtype} numbers, which are multiplied as {dtype}"
    overflows = int(numpy.count_nonzero(numpy.isinf(numbers(used)) & ~numpy.isinf(given)))
    if overflows == 0:
        return f"{sentence}."
    become = "is beyond its range and becomes Inf" if overflows == 1 else "are beyond its range and become Inf"
    return f"{sentence}; {overflows:,} of {given.size:,} {become}."
