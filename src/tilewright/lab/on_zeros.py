"""A plan's launches on matrices of zeros: a kernel's counts do not depend on their values."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy

from tilewright.choose import Plan
from tilewright.launch import Record
from tilewright.launch.emulator import EmulatorMachine


def run_on_zeros(
    plan: Plan, *, observers: Sequence[Any] = (), budget: int | None = None, workers: int | None = 1
) -> Record:
    """Run a plan on an emulator of its own, so that addresses are the same each time; without observers only to count.

    Raises:
        CompileError, CompilerMissingError: the kernel cannot be compiled here.
        tilewright.emulate.EmulationError: the kernel did what it must not do, or took more than the budget.
    """
    machine, problem = EmulatorMachine(workers=workers), plan.problem
    sizes = {"A": prod(problem.a_shape), "B": prod(problem.b_shape), "C": plan.c_elements}
    addresses = []
    for name, size in sizes.items():
        zeros = numpy.zeros(max(size, 1) * problem.element_bytes, numpy.uint8)
        allocation = machine.allocate(zeros.nbytes, name)
        machine.copy_in(allocation, zeros)
        addresses.append(allocation.address)
    run = machine.load(plan)
    return run.run([*addresses, 0, 0, 0], observers=observers, budget=budget, only_counts=not observers)
