"""Products whose rows do not depend on how many there are: how k is split, by k, n, the type and the chip alone.

Every kernel named here adds the products of an element of C in one order of k, whatever its tile, so that only splits
of k would change the bits: their number and where they begin must not depend on m, nor on the batch.
"""

from __future__ import annotations

from tilewright.kernels.launch import ceil_divide
from tilewright.kernels.problem import INPUT_DTYPES, Problem

IDEAS = frozenset({"wgmma", "mma_sync", "cuda_cores_16bit", "cuda_cores_float32", "mma_sync_float64", "strided"})
"""matmul's kernels for which that is so. Those by 16-bit parts multiply strips of rows again that hold a NaN."""
COLUMNS_OF_A_TILE = 64
"""Of C, in the narrowest tiles that are fast for 64 rows: what keeps SMs busy there is so many columns, and splits."""
LEAST_K_PER_SPLIT = {"float32": 512, "float64": 512}
LEAST_K_PER_SPLIT_ON_TENSOR_CORES = 4096
"""With few rows shorter parts are faster; with many, partial sums are written and read for nothing. By the cost models
these lose least over 64 to 8,192 rows, as a mean over layers of language models and products of few columns."""
K_MULTIPLE = 256
"""Splits begin at multiples of every tile's step of k."""


def k_per_split(problem: Problem, sms: int | None) -> int:
    """Return the inner indices of a split, a multiple of `K_MULTIPLE`; 0 where k is not split.

    ``sms``: of the chip; None for the emulator, which has none.
    """
    on_tensor_cores = problem.dtype in INPUT_DTYPES or problem.precision == "tf32"
    least = LEAST_K_PER_SPLIT_ON_TENSOR_CORES if on_tensor_cores else LEAST_K_PER_SPLIT[problem.dtype]
    wanted = (sms or 1) // max(1, ceil_divide(problem.n, COLUMNS_OF_A_TILE))
    splits = min(wanted, problem.k // least)
    return 0 if splits <= 1 else ceil_divide(ceil_divide(problem.k, splits), K_MULTIPLE) * K_MULTIPLE


def fixed_split(problem: Problem, sms: int | None) -> int | None:
    """Return the inner indices of a split, all of k where it is not split; None where they may depend on the rows."""
    return (k_per_split(problem, sms) or max(problem.k, 1)) if problem.invariant else None
