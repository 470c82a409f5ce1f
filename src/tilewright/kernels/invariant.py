"""Products whose rows do not depend on how many there are: how k is split, by k, n, the type and the chip alone.

Every kernel named here adds the products of an element of C in one order of k, whatever its tile, so that only splits
of k would change the bits: their number and where they begin must not depend on m, nor on the batch. What computes
them may: blocks of their own, or on Hopper one block after another (device/sm90/chunk_sums.cuh).
"""

from __future__ import annotations

from tilewright.kernels.launch import ceil_divide
from tilewright.kernels.problem import INPUT_DTYPES, Problem

IDEAS = frozenset({"wgmma", "mma_sync", "cuda_cores_16bit", "cuda_cores_float32", "mma_sync_float64", "strided"})
"""matmul's kernels for which that is so. Those by 16-bit parts multiply strips of rows again that hold a NaN."""
COLUMNS_OF_A_TILE = {"float32": 128, "float64": 64}
COLUMNS_OF_A_TILE_ON_TENSOR_CORES, COLUMNS_OF_A_TILE_WITH_CHUNKS = 64, 128
"""Of C, in the tiles that are fast for 64 rows: what keeps SMs busy there is so many columns, and splits."""
LEAST_SPLITS = {"float32": 4}
"""Whatever the columns, if k is long enough: tiles for 64 rows and more are large."""
LEAST_K_PER_SPLIT = {"float32": 512, "float64": 512}
LEAST_K_PER_SPLIT_ON_TENSOR_CORES, LEAST_K_PER_CHUNK = 4096, 2048
"""With few rows shorter parts are faster; with many, partial sums are written and read for nothing, or blocks add up
chunks. These lose least over 64 to 8,192 rows, as a mean over layers of language models and products of few columns:
those of float32 and of chunks by times on an H200, the others by the cost models."""
K_MULTIPLE = 256
"""Splits begin at multiples of every tile's step of k."""


def k_per_split(problem: Problem, sms: int | None) -> int:
    """Return the inner indices of a split, a multiple of `K_MULTIPLE`; 0 where k is not split.

    ``sms``: of the chip; None for the emulator, which has none.
    """
    if problem.dtype in INPUT_DTYPES or problem.precision == "tf32":
        return _each(problem, sms, COLUMNS_OF_A_TILE_ON_TENSOR_CORES, LEAST_K_PER_SPLIT_ON_TENSOR_CORES)
    dtype = problem.dtype
    return _each(problem, sms, COLUMNS_OF_A_TILE[dtype], LEAST_K_PER_SPLIT[dtype], LEAST_SPLITS.get(dtype, 0))


def k_per_chunk(problem: Problem, sms: int | None) -> int:
    """Return the same for matmul/wgmma, whose blocks can add up splits of 16-bit types themselves, as chunks."""
    if problem.dtype not in INPUT_DTYPES:
        return k_per_split(problem, sms)
    return _each(problem, sms, COLUMNS_OF_A_TILE_WITH_CHUNKS, LEAST_K_PER_CHUNK)


def _each(problem: Problem, sms: int | None, columns: int, least: int, least_splits: int = 0) -> int:
    wanted = max((sms or 1) // max(1, ceil_divide(problem.n, columns)), least_splits if sms else 0)
    splits = min(wanted, problem.k // least)
    return 0 if splits <= 1 else ceil_divide(ceil_divide(problem.k, splits), K_MULTIPLE) * K_MULTIPLE


def fixed_split(problem: Problem, sms: int | None) -> int | None:
    """Return the inner indices of a split, all of k where it is not split; None where they may depend on the rows."""
    return (k_per_split(problem, sms) or max(problem.k, 1)) if problem.invariant else None
