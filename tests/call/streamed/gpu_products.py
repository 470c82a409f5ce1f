"""Products whose tiles a GPU computes, of numbers whose sums are exact."""

from __future__ import annotations

import numpy

from tilewright.call.streamed import gpu_tiles
from tilewright.call.streamed.request import check_streamed
from tilewright.choose.streamed import StreamedPlan, StreamRates


def numbers(*shape, dtype="float32", seed=0):
    """Small integers, so that sums are exact."""
    return numpy.random.default_rng(seed + sum(shape)).integers(-3, 4, shape).astype(dtype)


def run(a, b, out, tile, step, operation="matmul", ordinals=(0,)):
    """Stream with these tiles; what was measured."""
    asked = check_streamed(operation, a, b, out, {})
    plan = StreamedPlan(asked.problem("gpu"), tile, step, 2**30, StreamRates())
    return gpu_tiles.multiply_on_gpus(asked, plan, plan.order(), ordinals, "auto", None, lambda: None)
