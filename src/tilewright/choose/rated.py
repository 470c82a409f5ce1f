"""The kernel of a 16-bit product on chips other than Hopper, where `tilewright tune` measured how far models are off.

The models were fitted on an H100. On other chips matmul/mma_sync is the choice, which takes every product, until rates
that were measured on the card itself say otherwise.
"""

from __future__ import annotations

from tilewright.choose.sm90.fastest import AS_IT_LIES, HOPPER, MOST_PRODUCTS_OF_DIRECT, compared, others
from tilewright.kernels.catalogue import find
from tilewright.kernels.facts import DeviceFacts
from tilewright.kernels.kernel import Capability
from tilewright.kernels.problem import Problem


def fastest_by_rates(problem: Problem, facts: DeviceFacts) -> tuple[str, str] | None:
    """Return the fastest kernel's name for a product in a 16-bit type, and why, as half a sentence.

    None if it is matmul/mma_sync's, without rates, and on Hopper.
    """
    if facts.tuned is None or not facts.tuned.factors or facts.machine != "gpu" or problem.is_empty or problem.k == 0:
        return None
    if not may_compare(problem.dtype, facts.compute_capability):
        return None
    is_large = problem.m * problem.n * problem.k * problem.batch_count > MOST_PRODUCTS_OF_DIRECT
    times = dict(others(problem, facts, is_repacked=True, is_large=is_large))
    return compared(times, facts, usual=AS_IT_LIES)


def may_compare(dtype: str, capability: Capability | None) -> bool:
    """Return whether a chip other than Hopper has several kernels for a 16-bit type, all of them by tensor cores."""
    return capability not in {None, HOPPER} and find("matmul", AS_IT_LIES).chip_refusal(dtype, capability) is None
