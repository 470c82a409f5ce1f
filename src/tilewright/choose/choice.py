"""Choosing: problem and device facts in, plan out. No device is touched, so a laptop can plan for an H200.

The choice follows rules and a table of measured tiles; nothing is timed at the time of a call.
"""

from __future__ import annotations

from dataclasses import replace

from tilewright.choose.plan import Plan, Tile
from tilewright.choose.reasons import launch_reasons
from tilewright.choose.sm90.rule import tuned_launches
from tilewright.choose.tile import choose_tile
from tilewright.kernels.batches import MOST_LAUNCHES
from tilewright.kernels.catalogue import find, kernels_of, library_kernel, present_name
from tilewright.kernels.facts import DeviceFacts
from tilewright.kernels.kernel import LEAST_CAPABILITY, Kernel
from tilewright.kernels.launch import Launches
from tilewright.kernels.matmul import small_batched
from tilewright.kernels.operand import DTYPE_BYTES
from tilewright.kernels.problem import INPUT_DTYPES, Problem
from tilewright.kernels.refusals import PlanError, UnknownKernelError
from tilewright.kernels.taught import TaughtKernel

TAUGHT_DEFAULT = "tiled"
PREFERENCE = {
    "float16": ("wgmma", "mma_sync", "cuda_cores_16bit"),
    "bfloat16": ("wgmma", "mma_sync", "cuda_cores_16bit"),
    "float32": ("cuda_cores_float32", "strided", TAUGHT_DEFAULT),
    "float64": ("mma_sync_float64", "strided", TAUGHT_DEFAULT),
}
"""For matmul on a GPU with kernel="auto", by type: the first kernel that takes the chip, the type and the tile is
chosen, unless the matrices are small enough for a better one."""
BY_IDEA = {kernel.idea: kernel for kernel in kernels_of("matmul")}
"""The kernels that it names."""


def choose_plan(problem: Problem, facts: DeviceFacts, kernel: str = "auto", tile: Tile | None = None) -> Plan:
    """Return the plan for a problem on a machine.

    Args:
        problem: operation, operands, result and epilogue as they lie in memory.
        facts: the machine's limits (`with_architecture` completes what a driver says); ``facts.machine`` says which.
        kernel: "auto" or a kernel's name, with its operation ("matmul/tiled") or without ("tiled").
        tile: the tile (rows and columns of C for 16-bit types, else one number), or None to let the plan choose it.

    Raises:
        UnknownKernelError: the operation has no such kernel.
        PlanError: the kernel does not run on this machine, takes no such tile or type, or does not fit the problem or
            the device; the message says what is accepted.
    """
    _refuse(problem.size_refusal)
    chosen, why = _choose_kernel(problem, facts, kernel, tile)
    is_auto = kernel.rpartition("/")[2] == "auto"
    if facts.machine == "host":
        return _host_plan(problem, chosen, tile, why)
    reasons: tuple[str, ...] = (why,)
    if isinstance(chosen, TaughtKernel):
        if chosen.tile is not None and not problem.is_empty:
            tile, tile_reason = choose_tile(problem, chosen, facts, tile, free=is_auto)
            reasons = (why, tile_reason)
    elif problem.dtype in INPUT_DTYPES and isinstance(tile, int):
        tile = (tile, tile)
    if not is_auto:  # the default is one that the chip runs
        _refuse(chosen.chip_refusal(problem.dtype, facts.compute_capability))
    _refuse(chosen.refusal(problem, facts, tile))
    if problem.is_empty:
        return Plan(problem, chosen, facts.machine, tile, reasons=("C is empty: nothing is launched.",))
    found = _launches(problem, facts, chosen, tile, is_auto=is_auto)
    plan = Plan(problem, chosen, facts.machine, tile, found.launches, found.workspace_bytes)
    about = launch_reasons(plan, chosen, facts) if isinstance(chosen, TaughtKernel) else found.reasons
    of_batch = (_about_batch(plan),) if problem.batch else ()
    return replace(plan, reasons=(*reasons, *of_batch, *about))


def named_kernel(operation: str, asked: str) -> Kernel | None:
    """Return an operation's kernel by name; None for "auto".

    ``asked`` is "auto", "numpy" or a kernel's name, with the operation ("matmul/tiled") or without ("tiled").

    Raises:
        UnknownKernelError: the operation has no such kernel; the message lists what it has.
    """
    if asked in {"auto", f"{operation}/auto"}:
        return None
    prefix, slash, idea = present_name(asked).rpartition("/")
    known = {kernel.idea: kernel for kernel in kernels_of(operation)}
    names = ", ".join(["auto", "numpy", *known])
    if slash and prefix != operation:
        raise UnknownKernelError(f"{asked} is no kernel for {operation}, which has {names}.")
    if idea == "numpy":
        return library_kernel(operation)
    if idea in known:
        return known[idea]
    raise UnknownKernelError(f"There is no kernel {asked!r} for {operation}; there are {names}.")


def _choose_kernel(problem: Problem, facts: DeviceFacts, asked: str, tile: Tile | None) -> tuple[Kernel, str]:
    machine, chosen = facts.machine, named_kernel(problem.operation, asked)
    capability = facts.compute_capability
    is_old = machine == "gpu" and (capability is None or capability < LEAST_CAPABILITY)
    if is_old and problem.dtype in INPUT_DTYPES:
        raise PlanError(_too_old(facts))
    if chosen is None:
        return _default(problem, facts, tile)
    if machine not in chosen.runs_on:
        here = [kernel.idea for kernel in kernels_of(problem.operation) if machine in kernel.runs_on]
        accepted = ", ".join(["auto", *(["numpy"] if machine == "host" else []), *here])
        raise PlanError(
            f"{chosen.name} runs on {' or '.join(sorted(chosen.runs_on))}, not on {machine}; {machine} runs {accepted}."
        )
    return chosen, f"{chosen.name} was asked for. {chosen.summary}"


def _default(problem: Problem, facts: DeviceFacts, tile: Tile | None) -> tuple[Kernel, str]:
    if facts.machine == "host":
        kernel = library_kernel(problem.operation)
        return kernel, "On the host, real work goes to NumPy and the BLAS behind it."
    if problem.dtype not in DTYPE_BYTES:
        raise PlanError(f"A and B are {', '.join(DTYPE_BYTES)}, not {problem.dtype}.")
    on_gpu = facts.machine == "gpu"
    is_taught = not on_gpu and problem.dtype not in INPUT_DTYPES and problem.batch_count <= MOST_LAUNCHES
    if problem.operation != "matmul" or is_taught:
        kernel = find(problem.operation, TAUGHT_DEFAULT)
        return kernel, f"{kernel.name} is the default on {'a GPU' if on_gpu else 'the emulator'}. {kernel.summary}"
    advantage = small_batched.advantage(problem, facts) if problem.dtype in INPUT_DTYPES else None
    is_float = problem.dtype not in INPUT_DTYPES
    ideas = PREFERENCE[problem.dtype] if on_gpu or not is_float else ("strided",)
    for idea in ideas if advantage is None else ("small_batched",):
        kernel = BY_IDEA[idea]
        if is_float and kernel.planning is not None and kernel.planning.refusal(problem, facts, tile):
            continue
        if kernel.only is not None and not on_gpu:
            continue  # it runs there by name: the plain ones are compiled ahead, and quicker to look at
        if kernel.chip_refusal(problem.dtype, facts.compute_capability) is None:
            capability = facts.compute_capability
            where = (
                facts.name
                if capability is None
                else f"{facts.name} (compute capability {'.'.join(map(str, capability))})"
            )
            where += f": {advantage}" if advantage else ""
            return kernel, f"{kernel.name} is the choice for {problem.dtype} on {where}. {kernel.summary}"
    raise PlanError(f"{facts.name} has no kernel for {problem.dtype}.")


def _too_old(facts: DeviceFacts) -> str:
    capability = facts.compute_capability
    has = "none that is known" if capability is None else f"{capability[0]}.{capability[1]}"
    return (
        f"Products in float16 and bfloat16 run on GPUs from compute capability 7.5 on, which is the oldest that "
        f"NVRTC 13 compiles for; {facts.name} has {has}. In float32, matmul/tiled runs on older ones."
    )


def _host_plan(problem: Problem, chosen: Kernel, tile: Tile | None, why: str) -> Plan:
    if tile is not None:
        raise PlanError(f"{chosen.name} has no tile to set, so tile = {tile} cannot be used; leave the tile out.")
    if isinstance(chosen, TaughtKernel):
        _refuse(chosen.refusal(problem, None))
    return Plan(problem, chosen, "host", None, reasons=(why,))


def _launches(problem: Problem, facts: DeviceFacts, chosen: Kernel, tile: Tile | None, *, is_auto: bool) -> Launches:
    if chosen.name == "matmul/wgmma":  # whose tile is tuned
        assert not isinstance(tile, int)
        return tuned_launches(problem, facts, tile, with_small=is_auto)
    return chosen.launches(problem, facts, tile)


def _about_batch(plan: Plan) -> str:
    batch = plan.problem.batch
    own = sum(launch.kernel == plan.launches[0].kernel for launch in plan.launches)
    if own == 1:
        return f"The batch {batch} is {plan.problem.batch_count:,} products in one launch; broadcasts are not copied."
    return f"The batch {batch} is {own:,} launches of {plan.problem.batch_count // own:,} products."


def _refuse(sentence: str | None) -> None:
    if sentence is not None:
        raise PlanError(sentence)
