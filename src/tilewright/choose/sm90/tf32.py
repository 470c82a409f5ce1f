"""Whether tf32 pays: its operands are read along k, and transposing one may take longer than the product in float32.

A product of few rows with a B of rows along n is bound by reading B. To transpose it first is to read it, to write it
and to read it again; the CUDA cores read it once, in float32. That is more exact than tf32 asks for, and faster.
"""

from __future__ import annotations

from dataclasses import replace

from tilewright.choose.sm90.rule import repacked_us
from tilewright.kernels.facts import DeviceFacts
from tilewright.kernels.matmul import cuda_cores_float32
from tilewright.kernels.matmul.wgmma import H200_SMS, repacking
from tilewright.kernels.problem import Problem


def advantage_of_ieee(problem: Problem, facts: DeviceFacts) -> str | None:
    """Return why float32 on the CUDA cores is faster than tf32, as half a sentence, or None if it may not be.

    For a product of float32 on a chip that has the kernel for tf32.
    """
    if problem.k == 0 or problem.is_empty or not any(repacking(problem)):
        return None
    sms = facts.sm_count or H200_SMS
    tf32_us, ieee_us = repacked_us(problem, facts), cuda_cores_float32.KERNEL.us(problem, replace(facts, sm_count=sms))
    if ieee_us >= tf32_us:
        return None
    return (
        f"to repack its operands for tf32 and multiply takes about {tf32_us:,.0f} us by the model, "
        f"and the CUDA cores take {ieee_us:,.0f} us, in all of float32's bits"
    )
