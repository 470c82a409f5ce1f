"""Choosing: problem and device facts in, plan out. No device is touched, so a laptop can plan for an H200.

The choice follows rules and a table of measured tiles, or what `tilewright tune` kept of this card; nothing is timed at
the time of a call.
"""

from __future__ import annotations

from dataclasses import replace

from tilewright.choose.candidates import EXACT
from tilewright.choose.fused import advantage_of_fused
from tilewright.choose.plan import Plan, Tile
from tilewright.choose.rated import fastest_by_rates
from tilewright.choose.reasons import launch_reasons
from tilewright.choose.sm90.exact import advantage_of_ieee
from tilewright.choose.sm90.fastest import fastest_by_model
from tilewright.choose.sm90.rule import tuned_launches
from tilewright.choose.summed import summed_launches
from tilewright.choose.tile import choose_tile
from tilewright.choose.tuned import tuned_plan
from tilewright.kernels.batches import MOST_LAUNCHES
from tilewright.kernels.catalogue import find, kernels_of, library_kernel, present_name
from tilewright.kernels.facts import DeviceFacts
from tilewright.kernels.invariant import IDEAS as INVARIANT_IDEAS
from tilewright.kernels.kernel import LEAST_CAPABILITY, Kernel
from tilewright.kernels.launch import Launches
from tilewright.kernels.matmul import wgmma_split
from tilewright.kernels.operand import DTYPE_BYTES
from tilewright.kernels.precision import resolved
from tilewright.kernels.problem import INPUT_DTYPES, Problem
from tilewright.kernels.refusals import PlanError, UnknownKernelError
from tilewright.kernels.taught import TaughtKernel

TAUGHT_DEFAULT = "tiled"
PREFERENCE: dict[str, tuple[str, ...]] = {
    "float16": ("wgmma", "mma_sync", "cuda_cores_16bit"),
    "bfloat16": ("wgmma", "mma_sync", "cuda_cores_16bit"),
    "float32": ("cuda_cores_float32", "strided", TAUGHT_DEFAULT),
    "float64": ("mma_sync_float64", "strided", TAUGHT_DEFAULT),
}
"""For matmul on a GPU with kernel="auto", by type: the first kernel that takes the chip, the type and the tile is
chosen, unless the matrices are small enough for a better one."""
PRECISE: dict[str | None, tuple[str, ...]] = {
    "tf32": ("wgmma",),
    "bf16x6": ("wgmma_split",),
    "fp16x3": ("wgmma_split",),
}
"""The same for float32 with a precision that is not SGEMM's."""
ALONE = " A row's bits do not depend on the other rows: k is added up in one order."
SUMMED, FUSED = "pair_sums", "fused"
"""For reduced_matmul: the first adds pairs before, and leaves the product to the best of these."""
BY_IDEA = {kernel.idea: kernel for kernel in kernels_of("matmul")}
"""The kernels that it names."""
DOT = find("dot", "two_stage")
"""The kernel for all products of vectors on a GPU, a matrix product of a row and a column among them."""


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

    The plan's problem has the precision that is computed, where "auto" was asked for, or "ieee" is faster.
    """
    _refuse(problem.size_refusal)
    is_auto = kernel.rpartition("/")[2] == "auto"
    tuned = tuned_plan(problem, facts) if is_auto and tile is None else None
    chosen, why = _choose_kernel(problem, facts, kernel, tile) if tuned is None else tuned[:2]
    if problem.precision is not None and chosen.idea != SUMMED:  # whose product has a kernel and a precision of its own
        precision = resolved(
            problem.precision, chosen.precisions, may_be_exact=chosen.idea in {EXACT, FUSED} and is_auto
        )
        problem = replace(problem, precision=precision)
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
    if problem.precision is not None:
        _refuse(chosen.precision_refusal(problem.precision))
    _refuse(chosen.refusal(problem, facts, tile))
    if problem.is_empty:
        return Plan(problem, chosen, facts.machine, tile, reasons=("C is empty: nothing is launched.",))
    found = _launches(problem, facts, chosen, tile, is_auto=is_auto) if tuned is None else tuned.launches
    plan = Plan(problem, chosen, facts.machine, tile, found.launches, found.workspace_bytes, prepared=found.prepared)
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


def precision_refusal(where: str, precision: str | None) -> str | None:
    """Return why a host or chip without a kernel for it does not multiply float32 so, as a sentence, or None."""
    if precision in {None, "auto", "ieee"}:
        return None
    having = [kernel for kernel in kernels_of("matmul") if precision in kernel.precisions]
    names = " and ".join(f"{kernel.name} does on {_chips(kernel)}" for kernel in having)
    return (
        f"{where} does not multiply float32 with precision {precision!r}, as {names}; 'auto' and 'ieee' are accepted."
    )


def _chips(kernel: Kernel) -> str:
    major, minor = kernel.since["float32"]
    return kernel.only or f"GPUs from compute capability {major}.{minor} on"


def _choose_kernel(problem: Problem, facts: DeviceFacts, asked: str, tile: Tile | None) -> tuple[Kernel, str]:
    machine, chosen = facts.machine, named_kernel(problem.operation, asked)
    capability = facts.compute_capability
    is_old = machine == "gpu" and (capability is None or capability < LEAST_CAPABILITY)
    if is_old and problem.dtype in INPUT_DTYPES:
        raise PlanError(_too_old(facts))
    if chosen is None:
        return _default(problem, facts, tile)
    if problem.invariant and chosen.idea not in INVARIANT_IDEAS and not isinstance(chosen, TaughtKernel):
        raise PlanError(_variant(chosen))
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
    on_gpu = facts.machine == "gpu"
    if on_gpu and not problem.invariant and problem.m == problem.n == 1 and _takes_vectors(problem, facts, tile):
        return DOT, f"{DOT.name} is the choice for products of vectors on {facts.name}. {DOT.summary}"
    if problem.dtype not in DTYPE_BYTES:
        raise PlanError(f"A and B are {', '.join(DTYPE_BYTES)}, not {problem.dtype}.")
    is_taught = not on_gpu and _may_be_taught(problem)
    if problem.operation == "reduced_matmul" and not is_taught:
        kernel, better = find("reduced_matmul", SUMMED), find("reduced_matmul", FUSED)
        may_be_fused = on_gpu and tile is None and _runs(better, problem, facts) and _has_precision(problem, facts)
        advantage = advantage_of_fused(problem, facts) if may_be_fused else None
        if advantage is not None:
            return better, f"{better.name} is the choice on {facts.name}: {advantage}."
        if _runs(kernel, problem, facts):
            return kernel, f"{kernel.name} is the choice on {facts.name}. {kernel.summary}"
    if problem.operation != "matmul" or is_taught:
        kernel = find(problem.operation, TAUGHT_DEFAULT)
        return kernel, f"{kernel.name} is the default on {'a GPU' if on_gpu else 'the emulator'}. {kernel.summary}"
    is_float = problem.dtype not in INPUT_DTYPES
    return _preferred(problem, facts, tile, PREFERENCE[problem.dtype] if on_gpu or not is_float else ("strided",))


def _may_be_taught(problem: Problem) -> bool:
    """Whether a seed's kernel multiplies such numbers so often."""
    is_precise = problem.precision not in {None, "auto", "ieee"}
    return problem.dtype not in INPUT_DTYPES and not is_precise and problem.batch_count <= MOST_LAUNCHES


def _preferred(problem: Problem, facts: DeviceFacts, tile: Tile | None, ideas: tuple[str, ...]) -> tuple[Kernel, str]:
    """Return the first of matmul's kernels of these names that takes a product.

    Small matrices, and a precision that is not SGEMM's, have kernels of their own.
    """
    is_float, is_precise = problem.dtype not in INPUT_DTYPES, problem.precision not in {None, "auto", "ieee"}
    advantage: str | None = None
    if problem.invariant:
        ideas = _invariant_ideas(PRECISE.get(problem.precision, ()) if is_precise else ideas)
    else:
        better: tuple[str, ...] = ()
        is_free = not is_float and tile is None
        found = fastest_by_model(problem, facts) or fastest_by_rates(problem, facts) if is_free else None
        if found is not None:
            better, advantage = (found[0],), found[1]
        if problem.precision == "auto" and tile is None and _may_be_split(problem, facts):
            advantage, better = wgmma_split.advantage(problem, facts), ("wgmma_split",)
        if is_precise and tile is None and _has_precision(problem, facts):
            advantage, better = advantage_of_ieee(problem, facts), (EXACT,)
        if is_precise or advantage is not None:
            ideas = PRECISE.get(problem.precision, ()) if is_precise and advantage is None else better
    for idea in ideas:
        kernel = BY_IDEA[idea]
        has_next = is_float and not is_precise
        if has_next and kernel.planning is not None and kernel.planning.refusal(problem, facts, tile):
            continue
        if kernel.only is not None and facts.machine != "gpu" and not is_precise:
            continue  # it runs there when it is asked for: the plain ones are compiled ahead, and quicker to look at
        capability = facts.compute_capability
        if kernel.chip_refusal(problem.dtype, capability) is None:
            where = (
                facts.name
                if capability is None
                else f"{facts.name} (compute capability {'.'.join(map(str, capability))})"
            )
            where += f": {advantage}" if advantage else ""
            what = f"{problem.dtype} with precision {problem.precision!r}" if is_precise else problem.dtype
            alone = ALONE if problem.invariant else ""
            return kernel, f"{kernel.name} is the choice for {what} on {where}. {kernel.summary}{alone}"
    _refuse(precision_refusal(facts.name, problem.precision))
    raise PlanError(f"{facts.name} has no kernel for {problem.dtype}.")


def _invariant_ideas(ideas: tuple[str, ...]) -> tuple[str, ...]:
    """Return those of kernels' names in which a row's bits do not depend on the others; refuse if none is left."""
    known = tuple(idea for idea in ideas if idea in INVARIANT_IDEAS or idea == TAUGHT_DEFAULT)
    if ideas and not known:
        raise PlanError(_variant(BY_IDEA[ideas[0]]))
    return known


def _variant(kernel: Kernel) -> str:
    names = ", ".join(sorted(INVARIANT_IDEAS))
    return f"In {kernel.name} a row's bits may depend on the other rows; with invariant=True {names} are accepted."


def _may_be_split(problem: Problem, facts: DeviceFacts) -> bool:
    """Whether the chip has the kernel for float32 by parts, and the product is one of matrices as they are."""
    return _has(BY_IDEA["wgmma_split"], problem, facts) and problem.operation == "matmul"


def _has_precision(problem: Problem, facts: DeviceFacts) -> bool:
    """Whether the chip multiplies with a precision, so that more bits may be multiplied instead."""
    return all(_has(BY_IDEA[idea], problem, facts) for idea in PRECISE.get(problem.precision, ()))


def _has(kernel: Kernel, problem: Problem, facts: DeviceFacts) -> bool:
    """Whether it is a chip, and has the kernel."""
    return facts.machine == "gpu" and _runs(kernel, problem, facts)


def _takes_vectors(problem: Problem, facts: DeviceFacts, tile: Tile | None) -> bool:
    """Whether it is a product of vectors, and nothing else was asked for."""
    refused = DOT.refusal(problem, facts, tile) or DOT.precision_refusal(problem.precision)
    return refused is None and _runs(DOT, problem, facts)


def _runs(kernel: Kernel, problem: Problem, facts: DeviceFacts) -> bool:
    return kernel.chip_refusal(problem.dtype, facts.compute_capability) is None


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
    if chosen.idea == SUMMED:
        return summed_launches(problem, facts, lambda product: _of_product(product, facts, tile))
    if chosen.name == "matmul/wgmma":  # whose tile is tuned
        size = (tile, tile) if isinstance(tile, int) else tile
        return tuned_launches(problem, facts, size, with_small=is_auto)
    return chosen.launches(problem, facts, tile)


def _of_product(product: Problem, facts: DeviceFacts, tile: Tile | None) -> tuple[str, Launches]:
    """Return the name of matmul's best kernel for a product of sums, and its launches."""
    kernel, _ = _preferred(product, facts, tile, PREFERENCE[product.dtype])
    precision = resolved(product.precision, kernel.precisions, may_be_exact=kernel.idea == EXACT)
    product = replace(product, precision=precision)
    _refuse(kernel.refusal(product, facts, tile))
    return kernel.name, _launches(product, facts, kernel, tile, is_auto=True)


def _about_batch(plan: Plan) -> str:
    batch = plan.problem.batch
    own = sum(launch.kernel == plan.launches[0].kernel for launch in plan.launches)
    if own == 1:
        return f"The batch {batch} is {plan.problem.batch_count:,} products in one launch; broadcasts are not copied."
    return f"The batch {batch} is {own:,} launches of {plan.problem.batch_count // own:,} products."


def _refuse(sentence: str | None) -> None:
    if sentence is not None:
        raise PlanError(sentence)
