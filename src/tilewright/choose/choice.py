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
from tilewright.kernels.chip_catalogue import find_chip_kernel

DEFAULT_IDEA = "tiled"


def choose_plan(problem: Problem, facts: DeviceFacts, kernel: str = "auto", tile: int | None = None) -> Plan:
    """Return the plan for a problem on a machine.

    Args:
        problem: operation, sizes, element type.
        facts: the machine's limits; ``facts.machine`` says which machine.
        kernel: "auto", an idea ("tiled") or either with the operation before it ("matmul/tiled").
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
        tile, tile_reason = choose_tile(problem, chosen, facts, tile, free=kernel.rpartition("/")[2] == "auto")
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


def named_kernel(operation: str, asked: str) -> Kernel | None:
    """Return the kernel that a name stands for among those of an operation; None for "auto", which leaves the choice.

    ``asked`` is "auto", "numpy" or an idea, each also with the operation and a slash before it.

    Raises:
        UnknownKernelError: the operation has no such kernel; the message lists what it has.
    """
    prefix, slash, idea = asked.rpartition("/")
    names = ", ".join(["auto", "numpy", *(kernel.idea for kernel in kernels_of(operation))])
    if slash and prefix != operation:
        raise UnknownKernelError(f"{asked} is no kernel for {operation}, which has {names}.")
    if idea == "auto":
        return None
    if idea == "numpy":
        return numpy_kernel(operation)
    try:
        return find(operation, idea)
    except UnknownKernelError as error:
        chip_kernel = find_chip_kernel(operation, idea)
        if chip_kernel is not None:
            raise UnknownKernelError(chip_kernel.plain_refusal) from error
        raise UnknownKernelError(f"There is no kernel {asked!r} for {operation}; there are {names}.") from error


def _choose_kernel(problem: Problem, facts: DeviceFacts, asked: str) -> tuple[Kernel, str]:
    on_host = facts.machine == "host"
    try:
        chosen = named_kernel(problem.operation, asked)
    except UnknownKernelError as error:
        raise PlanError(str(error)) from error
    if chosen is None:
        if on_host:
            return numpy_kernel(problem.operation), "On the host, real work goes to NumPy and the BLAS behind it."
        chosen = find(problem.operation, DEFAULT_IDEA)
        where = "a GPU" if facts.machine == "gpu" else f"the {facts.machine}"
        return chosen, f"{chosen.name} is the default on {where}. {chosen.summary}"
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


def _with_tile(plan: Plan) -> str:
    return "" if plan.tile is None else f" with tile {plan.tile}"


def _smaller_tile(plan: Plan) -> str:
    return "" if plan.tile is None else ", so use a smaller tile"
