"""The kernel of a 16-bit product on Hopper: the one whose cost model says the least time.

matmul/wgmma is the fastest where a product is large, and repacks first what the copy engine cannot address: to repack
is to read an operand, to write it and to read it again, after a launch of its own. Where memory is the limit (few rows
or columns, a huge k) matmul/mma_sync reads operands once, as they lie. Where a trip to memory is the limit,
matmul/mma_direct makes one; where C is, matmul/short_k writes it. A matrix times a vector is matmul/matrix_vector's,
and few rows or columns beside unaligned lines are matmul/wgmma_classes'.
Each model was fitted to random products on an H100 or an H200.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tilewright.choose.sm90.rule import is_measured, repacked_us
from tilewright.kernels.facts import DeviceFacts
from tilewright.kernels.matmul import matrix_vector, mma_direct, mma_sync, short_k, small_batched, wgmma_classes
from tilewright.kernels.matmul.wgmma import repacking
from tilewright.kernels.problem import Problem

HOPPER = (9, 0)
FEW = 16
"""Up to so many rows or columns, aligned operands are read by matmul/mma_sync, too: matmul/wgmma takes 64 at once."""
MOST_PRODUCTS_OF_DIRECT = 1e9
"""With more numbers to multiply, and more rows and columns than that, loads for each warp were never the fastest."""
DIRECT, SHORT_K, AS_IT_LIES, SMALL, LARGE = "mma_direct", "short_k", "mma_sync", "small_batched", "wgmma"
VECTOR, CLASSES = "matrix_vector", "wgmma_classes"


def fastest_by_model(problem: Problem, facts: DeviceFacts) -> tuple[str, str] | None:
    """Return the fastest kernel's name for a product in a 16-bit type, and why, as half a sentence.

    None if it is matmul/wgmma's, and on chips without it.
    """
    if facts.compute_capability != HOPPER or facts.machine != "gpu" or problem.is_empty or problem.k == 0:
        return None
    m, n, k = problem.sizes
    is_large = min(m, n) > FEW and m * n * k * problem.batch_count > MOST_PRODUCTS_OF_DIRECT
    if is_large and k > short_k.LONGEST and not any(problem.copy_engine_refusals):
        return None
    is_repacked = any(repacking(problem))
    if not is_repacked and is_measured(problem, facts):
        return None
    times = {
        LARGE: repacked_us(problem, facts),
        **dict(others(problem, facts, is_repacked=is_repacked, is_large=is_large)),
    }
    return compared(times, facts, usual=LARGE, about_usual=", with what comes before it" if is_repacked else "")


def compared(
    times: Mapping[str, float], facts: DeviceFacts, *, usual: str, about_usual: str = ""
) -> tuple[str, str] | None:
    """Return the name of the fastest kernel of several by modelled times in us, and why, as half a sentence.

    Rates that were measured on the card correct the times. None if the fastest is the ``usual`` one.
    """
    factors = {} if facts.tuned is None else facts.tuned.factors
    rated = {idea: us * factors.get(idea, 1.0) for idea, us in times.items()}
    chosen, other, *_ = (*sorted(rated, key=rated.__getitem__), usual)
    if chosen == usual:
        return None
    how = about_usual if other == usual else ""
    how += ", both by the rates that were measured on this card" if factors else ""
    return chosen, f"about {rated[chosen]:,.1f} us by its model, and {rated[other]:,.1f} us by matmul/{other}'s{how}"


def others(problem: Problem, facts: DeviceFacts, *, is_repacked: bool, is_large: bool) -> Iterator[tuple[str, float]]:
    """Yield the other kernels that a product may be fastest with, and their modelled times in us."""
    is_small = small_batched.advantage(problem, facts) is not None
    # Where a block computes each of many products, tiles that reach past their edges were always slower.
    if (is_repacked or min(problem.m, problem.n) <= FEW) and not (
        is_small and problem.batch_count > (facts.sm_count or 0)
    ):
        yield AS_IT_LIES, mma_sync.us(problem, facts)
    if not is_large and mma_direct.refusal(problem, facts, None) is None:
        yield DIRECT, mma_direct.us(problem, facts)
    if short_k.refusal(problem, facts, None) is None:
        yield SHORT_K, short_k.us(problem, facts)
    if matrix_vector.refusal(problem, facts, None) is None:
        yield VECTOR, matrix_vector.us(problem, facts)
    if is_repacked and wgmma_classes.refusal(problem, facts, None) is None:
        yield CLASSES, wgmma_classes.us(problem, facts)
    if is_small:
        yield SMALL, small_batched.us(problem, facts)
