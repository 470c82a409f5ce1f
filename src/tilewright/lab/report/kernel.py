"""One kernel of a report: executed and counted, checked, and what a chip makes of it."""

from __future__ import annotations

import numpy

from tilewright.choose import EMULATOR_FACTS, DeviceFacts, PlanError, Problem, choose_plan
from tilewright.choose import roofline as roofline_of
from tilewright.kernels import TaughtKernel
from tilewright.lab.compiled_occupancy import compiled_occupancy
from tilewright.lab.report.checking import verdict_of
from tilewright.lab.report.contents import Array, Given, KernelReport
from tilewright.lab.sweep.counting import count_launch
from tilewright.lab.sweep.model import ModelledTime, modelled_time
from tilewright.lab.sweep.run import work_of
from tilewright.launch.plan_run import PlanRun, run_plan

GPU_SECONDS = 0.5


def kernel_report(
    kernel: TaughtKernel,
    given: Given,
    counted: tuple[Problem, Array, Array],
    swept: Problem,
    chip: DeviceFacts,
    gpu: DeviceFacts | None,
) -> KernelReport:
    """PlanRun a kernel on the emulator and, if there is one, on the GPU; ask the models about it.

    counted: a problem of moderate size with its A and B; swept: the one that the model is asked about.
    """
    problem, a, b = counted
    try:
        plan = choose_plan(problem, EMULATOR_FACTS, kernel.name)
    except PlanError as error:
        return KernelReport(kernel.name, None, note=str(error))
    with numpy.errstate(all="ignore"):
        run = run_plan(plan, a, b, poison=True)
    occupancy, registers_from = compiled_occupancy(kernel, chip, tile=plan.side, dtype=problem.dtype)
    on_gpu = None if gpu is None else _on_gpu(kernel, given, gpu)
    return KernelReport(
        name=kernel.name,
        plan=plan,
        run=run,
        verdict=verdict_of(problem, kernel, a, b, run.c),
        occupancy=occupancy,
        registers_from=registers_from,
        roofline=roofline_of(kernel, chip, tile=plan.side, dtype=problem.dtype, size=given.problem.sizes),
        modelled=_modelled(kernel, swept, chip, occupancy.blocks_per_sm),
        on_gpu=on_gpu,
        verdict_on_gpu=None if on_gpu is None else verdict_of(given.problem, kernel, given.a, given.b, on_gpu.c),
    )


def _modelled(
    kernel: TaughtKernel, problem: Problem, chip: DeviceFacts, blocks_per_sm: int | None
) -> ModelledTime | None:
    """What the kernel would take on the chip; None where no block fits, or where it does not take these sizes."""
    if not blocks_per_sm:
        return None
    try:
        plan = choose_plan(problem, EMULATOR_FACTS, kernel.name)
    except PlanError:
        return None
    return modelled_time(work_of(plan, count_launch(plan), blocks_per_sm), chip, problem.dtype)


def _on_gpu(kernel: TaughtKernel, given: Given, gpu: DeviceFacts) -> PlanRun | None:
    try:
        plan = choose_plan(given.problem, gpu, kernel.name)
    except PlanError:
        return None
    return run_plan(plan, given.a, given.b, timing_seconds=GPU_SECONDS, poison=True)
