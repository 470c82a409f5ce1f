"""A product of a row and a column of ones, whose result is its length: what is lost shows, however long they are."""

from __future__ import annotations

import numpy

from tilewright.lab.check.element_types import as_type
from tilewright.lab.check.find.candidate import Found
from tilewright.lab.check.find.kernel_file import KernelFile
from tilewright.lab.check.run.execution import Outcome, Pointer
from tilewright.lab.check.sizes import Sizes

from .cases import case_of, starts_at_zero


def of_length(found: Found, length: int) -> Sizes:
    """Return the sizes of a product of one row and one column."""
    return found.roles.sized(Sizes(1, length, 1).of_family(found.roles.family))


def sum_of_ones(kernel: KernelFile, found: Found, length: int, budget: int) -> float | None:
    """Return the product of so many ones, or None if the launch is stopped. Raises LaunchError."""
    outcome = product_of_ones(kernel, found, length, budget)
    if outcome.fault is not None or outcome.refusal:
        return None
    return float(outcome.arrays["C"].ravel()[0])


def product_of_ones(kernel: KernelFile, found: Found, length: int, budget: int) -> Outcome:
    """Launch a product of so many ones. Raises LaunchError."""
    sizes = of_length(found, length)
    case = case_of(found, sizes, kernel.options.seed, zero=starts_at_zero(kernel, found))
    for each in case.arguments:
        if isinstance(each, Pointer) and each.name in ("A", "B"):
            each.array[...] = as_type(numpy.ones(each.array.shape), each.array.dtype)
    return kernel.stand(found.roles.constants_at(sizes)).run(case.arguments, case.geometry, budget=budget)
