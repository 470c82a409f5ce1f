"""Choosing: problem and device facts in, plan out. Pure: a plan for an H200 is made on a laptop."""

from __future__ import annotations

from math import prod

from tilewright.choose.facts import DeviceFacts
from tilewright.choose.plan import Plan, PlanError
from tilewright.choose.problem import Problem
from tilewright.choose.reasons import launch_reasons
from tilewright.choose.tile import choose_tile
from tilewright.kernels import (
    Kernel,
    UnknownKernelError,
    UnknownOperationError,
    find,
    find_operation,
    kernels_of,
    numpy_kernel,
)

DEFAULT_IDEA = "tiled"


def choose_plan(problem: Problem, facts: DeviceFacts, kernel: str = "auto", tile: int | None = None) -> Plan:
    """Return the plan for a problem on a machine.

    Args:
        problem: operation, sizes, element type.
        facts: the machine's limits; ``facts.machine`` says which machine.
        kernel: "auto", an idea ("tiled") or an operation with its idea ("matmul/tiled").
        tile: the tile, or None to let the plan choose it.

    Raises:
        PlanError: an unknown operation or kernel, or one that does not run on this machine, takes no such tile or
            type, or does not fit the sizes or the device; a sentence that says what is accepted.
    """
    try:
        operation = find_operation(problem.operation)
    except UnknownOperationError as error:
        raise PlanError(str(error)) from error
    _refuse(operation.refusal(*problem.sizes))
    chosen, why = _choose_kernel(problem, facts, kernel)
    if facts.machine == "host":
        return _host_plan(problem, chosen, tile, why)

    _refuse(chosen.variant_refusal(tile, problem.dtype))
    reasons = [why]
    if chosen.tile is not None:
        tile, tile_reason = choose_tile(problem, chosen, facts, tile, free=kernel == "auto")
        reasons.append(tile_reason)
    _refuse(chosen.refusal(*problem.sizes, tile, problem.dtype))
    plan = Plan(
        problem=problem,
        kernel=chosen,
        machine=facts.machine,
        tile=tile,
        grid=chosen.grid(*problem.sizes, tile),
        block=chosen.block(tile),
        shared_bytes=chosen.shared_bytes(tile, problem.dtype),
        reasons=(),
    )
    _refuse_on_device(plan, facts)
    return Plan(**{**vars(plan), "reasons": (*reasons, *launch_reasons(plan, facts))})


def _choose_kernel(problem: Problem, facts: DeviceFacts, asked: str) -> tuple[Kernel, str]:
    on_host = facts.machine == "host"
    if asked == "auto":
        if on_host:
            return numpy_kernel(problem.operation), "On the host, real work goes to NumPy and the BLAS behind it."
        chosen = find(problem.operation, DEFAULT_IDEA)
        where = "a GPU" if facts.machine == "gpu" else f"the {facts.machine}"
        return chosen, f"{chosen.name} is the default on {where}. {chosen.summary}"

    operation, _, idea = asked.rpartition("/")
    if operation and operation != problem.operation:
        raise PlanError(f"{asked} is no kernel for {problem.operation}, which has {_names(problem.operation)}.")
    if idea == "numpy":
        chosen = numpy_kernel(problem.operation)
    else:
        try:
            chosen = find(problem.operation, idea)
        except UnknownKernelError as error:
            raise PlanError(
                f"There is no kernel {asked!r} for {problem.operation}; there are auto, {_names(problem.operation)}."
            ) from error
    if facts.machine not in chosen.runs_on:
        here = [kernel.idea for kernel in kernels_of(problem.operation) if facts.machine in kernel.runs_on]
        accepted = ", ".join(["auto", *(["numpy"] if on_host else []), *here])
        machines = " or ".join(sorted(chosen.runs_on))
        raise PlanError(f"{chosen.name} runs on {machines}, not on {facts.machine}; {facts.machine} runs {accepted}.")
    return chosen, f"{chosen.name} was asked for. {chosen.summary}"


def _host_plan(problem: Problem, chosen: Kernel, tile: int | None, why: str) -> Plan:
    if tile is not None:
        raise PlanError(f"{chosen.name} has no tile to set, so tile = {tile} cannot be used; leave the tile out.")
    if chosen.idea != "numpy":
        _refuse(chosen.refusal(*problem.sizes, None, problem.dtype))
    one = (1, 1, 1)
    return Plan(problem, chosen, "host", None, grid=one, block=one, shared_bytes=0, reasons=(why,))


def _refuse_on_device(plan: Plan, facts: DeviceFacts) -> None:
    threads = prod(plan.block)
    if facts.max_threads_per_block is not None and threads > facts.max_threads_per_block:
        _refuse(
            f"{plan.kernel.name}{_with_tile(plan)} needs {threads:,} threads per block; {facts.name} allows "
            f"{facts.max_threads_per_block:,}{_smaller_tile(plan)}."
        )
    if facts.shared_bytes_per_block is not None and plan.shared_bytes > facts.shared_bytes_per_block:
        _refuse(
            f"{plan.kernel.name}{_with_tile(plan)} needs {plan.shared_bytes:,} bytes of shared memory per block; "
            f"{facts.name} allows {facts.shared_bytes_per_block:,}{_smaller_tile(plan)}."
        )


def _refuse(sentence: str | None) -> None:
    if sentence is not None:
        raise PlanError(sentence)


def _names(operation: str) -> str:
    return ", ".join(["numpy", *(kernel.idea for kernel in kernels_of(operation))])


def _with_tile(plan: Plan) -> str:
    return "" if plan.tile is None else f" with tile {plan.tile}"


def _smaller_tile(plan: Plan) -> str:
    return "" if plan.tile is None else ", so use a smaller tile"
