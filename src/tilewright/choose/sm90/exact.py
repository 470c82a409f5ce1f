"""Whether float32 is multiplied faster as it is, where fewer bits were asked for.

The tensor cores need tf32 along k, and parts of float32 in planes of 16 bits: to repack or to split is to read an
operand, to write it and to read it again. A product of few rows or few operations is over before. The CUDA cores read
its operands once, in float32, which is more exact than what was asked for.
"""

from __future__ import annotations

from dataclasses import replace

from tilewright.choose.sm90.rule import repacked_us
from tilewright.kernels.batches import slices
from tilewright.kernels.facts import DeviceFacts
from tilewright.kernels.matmul import cuda_cores_float32
from tilewright.kernels.matmul.wgmma import H200_SMS, repacking
from tilewright.kernels.matmul.wgmma_split_tile import best_tile
from tilewright.kernels.problem import Problem


def advantage_of_ieee(problem: Problem, facts: DeviceFacts) -> str | None:
    """Return why float32 on the CUDA cores is faster than the precision asked for, as half a sentence, or None.

    For a product of float32 with precision "tf32", "bf16x6" or "fp16x3" on a chip that has the kernel for it.
    """
    assert problem.precision is not None
    if problem.k == 0 or problem.is_empty or (problem.precision == "tf32" and not any(repacking(problem))):
        return None
    asked_us, ieee_us = precise_us(problem, facts), exact_us(problem, facts)
    if ieee_us >= asked_us:
        return None
    preparing = "repack its operands for" if problem.precision == "tf32" else "split its operands for"
    return (
        f"to {preparing} {problem.precision} and multiply takes about {asked_us:,.0f} us by the model, "
        f"and the CUDA cores take {ieee_us:,.0f} us, in all of float32's bits"
    )


def precise_us(problem: Problem, facts: DeviceFacts) -> float:
    """Return the modelled time of a product on the tensor cores with its precision, what comes before it included."""
    if problem.precision == "tf32":
        return repacked_us(problem, facts)
    assert problem.precision is not None
    sms = facts.sm_count or H200_SMS
    return sum(best_tile(part.part, problem.precision, sms)[0] for part in slices(problem))


def exact_us(problem: Problem, facts: DeviceFacts) -> float:
    """Return the modelled time of a product of float32 on the CUDA cores."""
    return cuda_cores_float32.KERNEL.us(problem, replace(facts, sm_count=facts.sm_count or H200_SMS))
