"""The consequences of a choice, in sentences: blocks and threads, shared memory, predicted loads."""

from __future__ import annotations

from math import prod

from tilewright.choose.occupancy.limits import resident_blocks
from tilewright.choose.plan import Plan
from tilewright.kernels.catalogue import find_taught
from tilewright.kernels.facts import DeviceFacts
from tilewright.kernels.taught import TaughtKernel

BASELINES = {"matmul": "naive", "reduced_matmul": "naive_p", "dot": "single_thread"}


def launch_reasons(plan: Plan, kernel: TaughtKernel, facts: DeviceFacts) -> tuple[str, ...]:
    """Return the sentences about a plan's launch on a device."""
    return (_threads(plan), *_shared(plan, facts), *_resident(plan, facts), _loads(plan, kernel))


def _threads(plan: Plan) -> str:
    outputs = prod(plan.problem.c_shape)
    work = f"{plan.problem.k:,} products" if not plan.problem.c_shape else f"{outputs:,} elements of C"
    return (
        f"{plan.blocks:,} {'block' if plan.blocks == 1 else 'blocks'} of {prod(plan.block):,} "
        f"{'thread' if prod(plan.block) == 1 else 'threads'} {'makes' if plan.blocks == 1 else 'make'} "
        f"{plan.threads:,} in all, for {work}."
    )


def _shared(plan: Plan, facts: DeviceFacts) -> tuple[str, ...]:
    if plan.shared_bytes == 0:
        return ()
    allowed = facts.shared_bytes_per_block
    of = "" if allowed is None else f" of the {allowed:,} that {facts.name} allows"
    return (f"A block keeps {plan.shared_bytes:,} bytes in shared memory{of}.",)


def _resident(plan: Plan, facts: DeviceFacts) -> tuple[str, ...]:
    blocks = resident_blocks(facts, prod(plan.block), plan.shared_bytes)
    if blocks is None:
        return ()
    return (f"An SM holds up to {blocks} such blocks at a time, as far as threads and shared memory go.",)


def _loads(plan: Plan, kernel: TaughtKernel) -> str:
    loads = kernel.predicted_global_loads(*plan.problem.sizes, plan.side)
    baseline = find_taught(plan.problem.operation, BASELINES[plan.problem.operation])
    sentence = f"All threads together load {loads:,} elements from global memory"
    if kernel == baseline:
        return f"{sentence}."
    theirs = baseline.predicted_global_loads(*plan.problem.sizes, None)
    if loads == theirs:
        return f"{sentence}, as many as {baseline.name}."
    fewer = theirs / loads
    return f"{sentence}; {baseline.name} loads {theirs:,}, {fewer:.3g} times as many."
