"""Whether pairs are better added in the launch that multiplies them than in a pass before it (reduced_matmul).

A pass writes the sums and reads them again, and is a launch of its own: it pays where each sum is used often and a
kernel for products is much faster than one that adds pairs too. Both ways have a model of their times.
"""

from __future__ import annotations

from dataclasses import replace

from tilewright.choose.sm90.exact import exact_us, precise_us
from tilewright.choose.sm90.rule import modelled_us
from tilewright.choose.summed import adding_us, squares_us
from tilewright.kernels.batches import slices
from tilewright.kernels.facts import DeviceFacts
from tilewright.kernels.matmul import mma_sync_float64
from tilewright.kernels.matmul.wgmma import H200_SMS
from tilewright.kernels.operand import packed
from tilewright.kernels.problem import INPUT_DTYPES, Problem
from tilewright.kernels.reduced_matmul import fused

CLEARLY, OF_FLOAT64 = 0.9, 1.0
"""Pairs are added on the way only where the models give it no more than this share of the time: they err by 20 %. Those
of float64 err by less: of 95 products on an H200 the choice is 0.3 % slower than the faster way."""


def advantage_of_fused(problem: Problem, facts: DeviceFacts) -> str | None:
    """Return why adding pairs with the product is faster, as half a sentence, or None if it may not be.

    For a reduced product on a chip that has kernels for both ways. The fused kernel multiplies float32 as IEEE says,
    which is as exact as any precision asks for.
    Where it cuts vectors out of two (lines that begin off 16 bytes, in other types than float64) it was slower than
    pair_sums in 41 of 42 products on an H100.
    """
    if problem.k == 0 or problem.is_empty:
        return None
    is_float64 = problem.dtype == fused.FLOAT64
    if fused.refusal(problem, facts, None) is not None or (fused.is_shifted(problem) and not is_float64):
        return None
    parts = slices(problem)
    fused_us = fused.modelled_us(problem, facts, facts.sm_count or H200_SMS)
    summed_us = len(parts) * _summed_us(parts[0].part, facts)
    if fused_us > (OF_FLOAT64 if is_float64 else CLEARLY) * summed_us:
        return None
    return (
        f"pairs are added with the product, which takes about {fused_us:,.1f} us by the model, "
        f"and {summed_us:,.1f} us where they are added before the product"
    )


def _summed_us(problem: Problem, facts: DeviceFacts) -> float:
    """Return the modelled time of a pass that adds pairs, and of the product of the sums, or of one launch for both."""
    in_squares_us = squares_us(problem, facts)
    if in_squares_us is not None:
        return in_squares_us
    sms = facts.sm_count or H200_SMS
    known = replace(facts, sm_count=sms)
    (rows, columns), k, batch = (problem.c.rows, problem.c.columns), problem.k, problem.batch
    a, b, c = (packed((*batch, *shape)) for shape in ((rows, k), (k, columns), (rows, columns)))
    product = Problem(a, b, c, problem.dtype, problem.out_dtype, precision=problem.precision)
    read_bytes = problem.element_bytes * (problem.a.distinct_elements + problem.b.distinct_elements)
    if problem.dtype in INPUT_DTYPES:
        product_us = modelled_us(product, facts)
    elif problem.dtype == "float64":
        product_us = mma_sync_float64.KERNEL.us(product, known)
    else:
        product_us = exact_us(product, facts)
        if problem.precision not in {None, "ieee"}:
            precise = "bf16x6" if problem.precision == "auto" else problem.precision
            product_us = min(product_us, precise_us(replace(product, precision=precise), facts))
    return adding_us(read_bytes) + product_us
